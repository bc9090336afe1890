// SPDX-License-Identifier: GPL-2.0

//! The functions that QEMU calls.
//!
//! - `qemu_plugin_install`: once, on the main thread, before devices exist.
//! - [`on_vcpu`]: once per vCPU, on its thread.
//! - [`on_translation`]: for each block of guest code, on the vCPU that needs it.
//! - [`on_instruction`]: before an instruction we asked for, on its vCPU.
//! - [`on_recorded`]: before an instruction of a module, if these are recorded.
//! - [`on_discontinuity`]: before an interrupt or exception is delivered.
//! - [`on_halt`], [`on_resume`]: around the time a vCPU waits for an interrupt, with
//!   QEMU's big lock held, so nothing may be asked of QEMU or of the model there.
//!
//! A panic must not unwind into C: each of them is a function of the plain "C" ABI, which
//! ends the process then, or does its work in one.

#![expect(unsafe_code, reason = "called by QEMU through its C interface")]

use std::arch::global_asm;
use std::ffi::{c_char, c_int, c_uint, c_void, CStr};
use std::sync::OnceLock;

use crate::abi;
use crate::adapter::{Adapter, Next};
use crate::internals;
use crate::options::Options;
use crate::qemu::{self, Block, Counters, Vcpu, LONGEST};
use crate::report::Report;
use crate::section::Event;
use crate::site::{Planner, Site, Sites};

static ADAPTER: OnceLock<Adapter> = OnceLock::new();
static SITES: OnceLock<Sites> = OnceLock::new();

/// The API version QEMU checks before it installs the plugin.
#[no_mangle]
pub(crate) static qemu_plugin_version: c_int = abi::VERSION;

/// Installs the plugin; anything but 0 makes QEMU give up.
///
/// # Safety
///
/// Called by QEMU: `info` is valid during the call, `arguments` points to `count`
/// C strings.
#[no_mangle]
pub(crate) unsafe extern "C" fn qemu_plugin_install(
    id: abi::PluginId,
    info: *const abi::Info,
    count: c_int,
    arguments: *const *const c_char,
) -> c_int {
    // SAFETY: QEMU's promise, see above.
    let info = unsafe { &*info };
    // SAFETY: QEMU's promise, see above.
    let arguments = unsafe { strings(count, arguments) };
    match install(id, info, &arguments) {
        Ok(()) => 0,
        Err(reason) => {
            eprintln!("emulated machine: {reason}");
            1
        }
    }
}

/// # Safety
///
/// `first` points to `count` C strings.
unsafe fn strings(count: c_int, first: *const *const c_char) -> Vec<String> {
    let Ok(count @ 1..) = usize::try_from(count) else {
        return Vec::new();
    };
    // SAFETY: by contract.
    let pointers = unsafe { std::slice::from_raw_parts(first, count) };
    let text = |pointer: &*const c_char| {
        // SAFETY: by contract.
        let text = unsafe { CStr::from_ptr(*pointer) };
        text.to_string_lossy().into_owned()
    };
    pointers.iter().map(text).collect()
}

fn install(id: abi::PluginId, info: &abi::Info, arguments: &[String]) -> Result<(), String> {
    check_version(info)?;
    let options = Options::parse(arguments.iter().map(String::as_str))?;
    let report = Report::open(options.report.as_deref(), options.log.as_deref());
    let report = report.map_err(|error| format!("cannot write {error}"))?;
    let vcpus = usize::try_from(info.system.max_vcpus).map_err(|_| "QEMU has no vCPUs")?;
    if options.count {
        Counters::new().install();
    }
    let adapter = Adapter::new(&options, report, vcpus)?;
    ADAPTER.get_or_init(|| adapter);
    register_callbacks(id);
    Ok(())
}

fn check_version(info: &abi::Info) -> Result<(), String> {
    let (min, current) = (info.version.min, info.version.current);
    if (min, current) != (abi::VERSION, abi::VERSION) {
        return Err(format!(
            "this QEMU speaks plugin API {min} to {current}, the plugin only the API {} of \
             QEMU 11.1; use a QEMU 11.1 release",
            abi::VERSION
        ));
    }
    if !info.system_emulation {
        return Err("this QEMU emulates no whole system; use qemu-system-x86_64".to_owned());
    }
    Ok(())
}

fn register_callbacks(id: abi::PluginId) {
    let none = std::ptr::null_mut();
    // SAFETY: the callback has the type declared for it and takes no userdata.
    unsafe { abi::qemu_plugin_register_vcpu_init_cb(id, on_vcpu, none) };
    // SAFETY: as above.
    unsafe { abi::qemu_plugin_register_vcpu_idle_cb(id, on_halt, none) };
    // SAFETY: as above.
    unsafe { abi::qemu_plugin_register_vcpu_resume_cb(id, on_resume, none) };
    // SAFETY: as above.
    unsafe { abi::qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation, none) };
    let kinds = abi::INTERRUPT_OR_EXCEPTION;
    // SAFETY: as above.
    unsafe { abi::qemu_plugin_register_vcpu_discon_cb(id, kinds, on_discontinuity, none) };
}

extern "C" fn on_vcpu(_index: c_uint, _userdata: *mut c_void) {
    // SAFETY: this is a vCPU initialisation callback.
    unsafe { qemu::find_registers() };
}

extern "C" fn on_halt(index: c_uint, _userdata: *mut c_void) {
    set_halted(index, true);
}

extern "C" fn on_resume(index: c_uint, _userdata: *mut c_void) {
    set_halted(index, false);
}

fn set_halted(index: c_uint, halted: bool) {
    if let Some(adapter) = ADAPTER.get() {
        adapter.halted(index as usize, halted);
    }
}

extern "C" fn on_translation(block: *mut c_void, _userdata: *mut c_void) {
    // SAFETY: the argument of this callback, used only within it.
    let block = unsafe { Block::new(block) };
    if let Some(adapter) = ADAPTER.get() {
        adapter.starts();
    }
    let sites = SITES.get_or_init(Sites::default);
    let sections = ADAPTER.get().is_some_and(Adapter::has_sections);
    let mut planner = Planner::new(sections);
    let mut buffer = [0; LONGEST];
    for index in 0..block.len() {
        let instruction = block.instruction(index);
        instruction.count();
        let bytes = instruction.bytes(&mut buffer);
        let last = index + 1 == block.len();
        let Some(site) = planner.plan(bytes, instruction.address(), last) else {
            continue;
        };
        let site = sites.intern(site);
        let userdata = std::ptr::from_ref(site).cast_mut().cast();
        // SAFETY: `on_instruction` takes a site, sites live for ever, and it
        // jumps only from sites that jump.
        unsafe { instruction.call(on_instruction, access(site), userdata) };
    }
}

fn access(site: &Site) -> abi::Access {
    if site.jumps {
        abi::Access::ReadWriteAndJump
    } else {
        abi::Access::ReadWrite
    }
}

extern "C" fn on_discontinuity(
    index: c_uint,
    kind: c_int,
    _from: u64,
    _to: u64,
    _userdata: *mut c_void,
) {
    // SAFETY: discontinuity callbacks have all rights on registers.
    let vcpu = unsafe { Vcpu::new() };
    if let (Some(mut vcpu), Some(adapter)) = (vcpu, ADAPTER.get()) {
        let mut event = Event::Exception;
        if kind == abi::INTERRUPT {
            event = Event::Interrupt;
        }
        adapter.flag(index as usize, event, &vcpu);
        adapter.interrupted(index as usize, &mut vcpu);
    }
}

// Entry before an instruction: passes on its own return address, the place in translated code.
global_asm!(
    ".pushsection .text.on_instruction, \"ax\", @progbits",
    ".hidden on_instruction",
    ".globl on_instruction",
    "on_instruction:",
    "mov rdx, [rsp]",
    "jmp {}",
    ".popsection",
    sym on_instruction_from,
);

unsafe extern "C-unwind" {
    safe fn on_instruction(index: c_uint, site: *mut c_void);
}

/// Goes on from [`on_instruction`]. This frame must hold nothing that needs to be
/// destroyed: `qemu_plugin_set_pc` jumps out of it.
extern "C-unwind" fn on_instruction_from(index: c_uint, site: *mut c_void, from: usize) {
    let site: *const Site = site.cast_const().cast();
    // SAFETY: registered with a site, and sites live for ever.
    let site: &'static Site = unsafe { &*site };
    let next = execute(index, site);
    if let Next::Skip(to) = next {
        internals::restore_state(from);
        // SAFETY: skipped are only sites that jump, whose callbacks have that right; no destructor
        // is pending in this frame, none is above it.
        unsafe { abi::qemu_plugin_set_pc(to) }
    }
}

/// Executes a site in a frame of its own, so that everything is destroyed before a
/// jump. The "C" ABI ends a panic here.
#[inline(never)]
extern "C" fn execute(index: c_uint, site: &'static Site) -> Next {
    // SAFETY: called by `on_instruction` only, which has the right to write
    // registers in all its registrations.
    let vcpu = unsafe { Vcpu::new() };
    match (vcpu, ADAPTER.get()) {
        (Some(mut vcpu), Some(adapter)) => adapter.execute(index as usize, site, &mut vcpu),
        _ => Next::Run,
    }
}
