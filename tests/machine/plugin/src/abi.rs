// SPDX-License-Identifier: GPL-2.0

//! QEMU 11's plugin API 7, declared from its observed binary interface.
//!
//! The `qemu_plugin_*` and `g_*` symbols are resolved from the QEMU process that
//! loads this library, so nothing is linked. Only this interface is declared:
//! earlier API versions pass no userdata to most callbacks and would be
//! miscalled, which is why [`VERSION`] is checked twice (by QEMU against
//! `qemu_plugin_version`, by `entry` against [`Info`]).

use std::ffi::{c_char, c_int, c_uint, c_void};

/// The only API version whose binary interface is the one below.
pub(crate) const VERSION: c_int = 7;

/// Identifies this plugin to QEMU.
pub(crate) type PluginId = u64;

/// The current API version range of the emulator.
#[repr(C)]
pub(crate) struct VersionRange {
    pub(crate) min: c_int,
    pub(crate) current: c_int,
}

/// The emulated system.
#[repr(C)]
pub(crate) struct System {
    pub(crate) smp_vcpus: c_int,
    pub(crate) max_vcpus: c_int,
}

/// Information that QEMU gives a plugin at installation.
#[repr(C)]
pub(crate) struct Info {
    pub(crate) target_name: *const c_char,
    pub(crate) version: VersionRange,
    pub(crate) system_emulation: bool,
    pub(crate) system: System,
}

/// A `GByteArray`, fields as its documentation has them.
#[repr(C)]
pub(crate) struct ByteArray {
    pub(crate) data: *mut u8,
    pub(crate) len: c_uint,
}

/// A `GArray` of register descriptors.
#[repr(C)]
pub(crate) struct RegisterArray {
    pub(crate) data: *mut RegisterDescriptor,
    pub(crate) len: c_uint,
}

/// A register of the vCPU; handles are the same for every vCPU.
#[repr(C)]
pub(crate) struct RegisterDescriptor {
    pub(crate) handle: *mut c_void,
    pub(crate) name: *const c_char,
    pub(crate) feature: *const c_char,
    pub(crate) is_readonly: bool,
}

/// A 64-bit cell of a scoreboard, QEMU's per-vCPU storage.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct ScoreboardU64 {
    pub(crate) scoreboard: *mut c_void,
    pub(crate) offset: usize,
}

/// The rights of a callback to the registers of its vCPU.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) enum Access {
    /// Read and write registers.
    ReadWrite = 2,
    /// Also leave the instruction by `qemu_plugin_set_pc`.
    ReadWriteAndJump = 3,
}

/// Discontinuities: interrupts, before they are delivered.
pub(crate) const INTERRUPT: c_int = 1;
/// Interrupts and exceptions.
pub(crate) const INTERRUPT_OR_EXCEPTION: c_int = INTERRUPT | 2;

/// Inline operation: add the immediate to the cell.
pub(crate) const INLINE_ADD_U64: c_int = 0;

pub(crate) type InstructionCallback = extern "C-unwind" fn(vcpu: c_uint, userdata: *mut c_void);
pub(crate) type TranslationCallback = extern "C" fn(block: *mut c_void, userdata: *mut c_void);
pub(crate) type VcpuCallback = extern "C" fn(vcpu: c_uint, userdata: *mut c_void);
pub(crate) type DiscontinuityCallback =
    extern "C" fn(vcpu: c_uint, kind: c_int, from: u64, to: u64, userdata: *mut c_void);

extern "C" {
    pub(crate) fn qemu_plugin_register_vcpu_init_cb(
        id: PluginId,
        callback: VcpuCallback,
        userdata: *mut c_void,
    );
    pub(crate) fn qemu_plugin_register_vcpu_idle_cb(
        id: PluginId,
        callback: VcpuCallback,
        userdata: *mut c_void,
    );
    pub(crate) fn qemu_plugin_register_vcpu_resume_cb(
        id: PluginId,
        callback: VcpuCallback,
        userdata: *mut c_void,
    );
    pub(crate) fn qemu_plugin_register_vcpu_tb_trans_cb(
        id: PluginId,
        callback: TranslationCallback,
        userdata: *mut c_void,
    );
    pub(crate) fn qemu_plugin_register_vcpu_discon_cb(
        id: PluginId,
        kinds: c_int,
        callback: DiscontinuityCallback,
        userdata: *mut c_void,
    );
    pub(crate) fn qemu_plugin_register_vcpu_insn_exec_cb(
        instruction: *mut c_void,
        callback: InstructionCallback,
        access: Access,
        userdata: *mut c_void,
    );
    pub(crate) fn qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
        instruction: *mut c_void,
        operation: c_int,
        cell: ScoreboardU64,
        immediate: u64,
    );
    pub(crate) fn qemu_plugin_tb_n_insns(block: *const c_void) -> usize;
    pub(crate) fn qemu_plugin_tb_get_insn(block: *const c_void, index: usize) -> *mut c_void;
    pub(crate) fn qemu_plugin_insn_data(
        instruction: *const c_void,
        buffer: *mut c_void,
        size: usize,
    ) -> usize;
    pub(crate) fn qemu_plugin_insn_vaddr(instruction: *const c_void) -> u64;
    pub(crate) fn qemu_plugin_scoreboard_new(element_size: usize) -> *mut c_void;
    pub(crate) fn qemu_plugin_u64_get(cell: ScoreboardU64, vcpu: c_uint) -> u64;
    pub(crate) fn qemu_plugin_get_registers() -> *mut RegisterArray;
    pub(crate) fn qemu_plugin_read_register(handle: *mut c_void, buffer: *mut ByteArray) -> bool;
    pub(crate) fn qemu_plugin_write_register(handle: *mut c_void, buffer: *mut ByteArray) -> bool;
    pub(crate) fn qemu_plugin_read_memory_vaddr(
        address: u64,
        buffer: *mut ByteArray,
        size: usize,
    ) -> bool;
    pub(crate) fn qemu_plugin_write_memory_vaddr(address: u64, buffer: *mut ByteArray) -> bool;
    pub(crate) fn qemu_plugin_read_memory_hwaddr(
        address: u64,
        buffer: *mut ByteArray,
        size: usize,
    ) -> c_int;
    pub(crate) fn qemu_plugin_write_memory_hwaddr(address: u64, buffer: *mut ByteArray) -> c_int;
    pub(crate) fn qemu_plugin_translate_vaddr(address: u64, physical: *mut u64) -> bool;
    pub(crate) fn g_byte_array_new() -> *mut ByteArray;
    pub(crate) fn g_byte_array_set_size(array: *mut ByteArray, size: c_uint) -> *mut ByteArray;
    pub(crate) fn g_array_free(array: *mut RegisterArray, free_segment: c_int) -> *mut c_char;
}

extern "C-unwind" {
    /// Leaves the callback and the instruction by a long jump.
    pub(crate) fn qemu_plugin_set_pc(address: u64) -> !;
}
