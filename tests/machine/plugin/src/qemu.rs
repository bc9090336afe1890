// SPDX-License-Identifier: GPL-2.0

//! QEMU's implementation of [`Guest`], and safe wrappers for the other functions of
//! its API.
//!
//! A [`Vcpu`] is a token: it exists only inside a callback of that vCPU that was
//! registered with the right to write registers, which is what its methods need.
//!
//! Values travel in a `GByteArray`, one per thread, made at first use and never
//! freed: a long jump out of a callback must find nothing to destroy.

#![expect(unsafe_code, reason = "calls QEMU's C interface")]

use std::cell::Cell;
use std::ffi::{c_uint, c_void, CStr};
use std::marker::PhantomData;
use std::sync::OnceLock;

use crate::abi;
use crate::cost::{Instructions, Place};
use crate::guest::{Guest, Register};

/// Register handles by discriminant, the same for all vCPUs.
struct Handles([usize; Register::ALL.len()]);

static HANDLES: OnceLock<Handles> = OnceLock::new();
/// The scoreboard with executed instructions, if they are counted.
static INSTRUCTIONS: OnceLock<Counters> = OnceLock::new();

/// A scoreboard that only QEMU's generated code writes: per vCPU a 64-bit cell for
/// each place.
pub(crate) struct Counters(*mut c_void);

// SAFETY: the scoreboard is never freed, its cells are read through QEMU, which
// finds those of the vCPUs; the pointer itself is not used elsewhere.
unsafe impl Send for Counters {}
// SAFETY: as for `Send`; no method changes a cell.
unsafe impl Sync for Counters {}

impl Counters {
    /// Counters of instructions.
    pub(crate) fn new() -> Self {
        // SAFETY: called at installation, when QEMU allows it; any size is fine.
        Self(unsafe { abi::qemu_plugin_scoreboard_new(size_of::<Instructions>()) })
    }

    fn cell(&self, place: Place) -> abi::ScoreboardU64 {
        abi::ScoreboardU64 {
            scoreboard: self.0,
            offset: place as usize * size_of::<u64>(),
        }
    }

    /// Makes these the counters of the plugin, from here on.
    pub(crate) fn install(self) {
        INSTRUCTIONS.get_or_init(|| self);
    }
}

/// Looks up the registers; in the first initialisation callback of a vCPU.
///
/// # Safety
///
/// The caller is a vCPU initialisation callback, where registers may be listed.
pub(crate) unsafe fn find_registers() {
    HANDLES.get_or_init(|| {
        // SAFETY: by the contract of this function.
        let list = unsafe { abi::qemu_plugin_get_registers() };
        // SAFETY: a GArray of descriptors, ours until freed below.
        let list_ref = unsafe { &*list };
        let length = list_ref.len as usize;
        // SAFETY: GLib keeps `len` elements at `data`, in memory of its own
        // allocator, which aligns for any type.
        let descriptors = unsafe { std::slice::from_raw_parts(list_ref.data, length) };
        let handles = Register::ALL.map(|(_, name)| handle(descriptors, name));
        // SAFETY: the array was given to us to free, and is not used any more.
        unsafe { abi::g_array_free(list, 1) };
        Handles(handles)
    });
}

fn handle(descriptors: &[abi::RegisterDescriptor], wanted: &str) -> usize {
    let found = descriptors.iter().find(|descriptor| {
        // SAFETY: names are C strings that live as long as the CPU class.
        let name = unsafe { CStr::from_ptr(descriptor.name) };
        name.to_bytes() == wanted.as_bytes()
    });
    let Some(descriptor) = found else {
        eprintln!("emulated machine: this QEMU shows no register {wanted}");
        std::process::abort();
    };
    descriptor.handle as usize
}

/// The vCPU whose callback is running.
pub(crate) struct Vcpu<'callback> {
    handles: &'static Handles,
    lifetime: PhantomData<&'callback mut ()>,
}

impl Vcpu<'_> {
    /// The token.
    ///
    /// # Safety
    ///
    /// The caller is a callback of a vCPU, on its thread, registered with at least
    /// [`abi::Access::ReadWrite`] (or one that always has that right), and drops
    /// the token before it returns.
    pub(crate) unsafe fn new() -> Option<Self> {
        Some(Self {
            handles: HANDLES.get()?,
            lifetime: PhantomData,
        })
    }

    fn handle(&self, register: Register) -> *mut c_void {
        self.handles.0[register as usize] as *mut c_void
    }
}

impl Guest for Vcpu<'_> {
    fn register(&self, register: Register) -> u64 {
        let buffer = Buffer::empty();
        // SAFETY: the handle is one QEMU gave, the buffer a valid array, and we
        // are in a callback that may read registers (`Vcpu::new`).
        let ok = unsafe { abi::qemu_plugin_read_register(self.handle(register), buffer.0) };
        assert!(ok, "QEMU refuses to read {register:?}");
        buffer.number()
    }

    fn set_register(&mut self, register: Register, value: u64) {
        let buffer = Buffer::holding(&value.to_le_bytes());
        // SAFETY: as in `register`; the right to write is part of `Vcpu::new`,
        // and the buffer holds the eight bytes of a 64-bit register.
        let ok = unsafe { abi::qemu_plugin_write_register(self.handle(register), buffer.0) };
        assert!(ok, "QEMU refuses to write {register:?}");
    }

    fn instructions(&self, vcpu: usize) -> Instructions {
        let vcpu = c_uint::try_from(vcpu).unwrap_or(c_uint::MAX);
        INSTRUCTIONS
            .get()
            .map_or(Instructions::default(), |counters| {
                // SAFETY: the scoreboard lives for ever and has these cells, for each vCPU that
                // has executed anything.
                Place::ALL
                    .map(|place| unsafe { abi::qemu_plugin_u64_get(counters.cell(place), vcpu) })
            })
    }

    fn translate(&self, address: u64) -> Option<u64> {
        let mut physical = 0;
        // SAFETY: in a vCPU's callback; the result goes to a live local.
        let ok = unsafe { abi::qemu_plugin_translate_vaddr(address, &raw mut physical) };
        ok.then_some(physical)
    }

    fn read_virtual(&self, address: u64, target: &mut [u8]) -> bool {
        let buffer = Buffer::empty();
        // SAFETY: in a vCPU's callback, with a valid array that QEMU resizes.
        let ok = unsafe { abi::qemu_plugin_read_memory_vaddr(address, buffer.0, target.len()) };
        ok && buffer.copy_to(target)
    }

    fn write_virtual(&mut self, address: u64, bytes: &[u8]) -> bool {
        let buffer = Buffer::holding(bytes);
        // SAFETY: in a vCPU's callback, with a valid array.
        unsafe { abi::qemu_plugin_write_memory_vaddr(address, buffer.0) }
    }

    fn read_physical(&self, address: u64) -> Option<u32> {
        let buffer = Buffer::empty();
        // SAFETY: in a vCPU's callback, so there is a current CPU; no lock of
        // ours is held (rule in `uncore`), so taking the big lock is fine.
        let status = unsafe { abi::qemu_plugin_read_memory_hwaddr(address, buffer.0, 4) };
        let mut bytes = [0; 4];
        (status == 0 && buffer.copy_to(&mut bytes)).then(|| u32::from_le_bytes(bytes))
    }

    fn send(&mut self, address: u32, message: u32) {
        let buffer = Buffer::holding(&message.to_le_bytes());
        // SAFETY: in a vCPU's callback, with a valid array; no lock of ours is held (rule in
        // `uncore`), so taking the big lock is fine. The result says if there was a device.
        let _always = unsafe { abi::qemu_plugin_write_memory_hwaddr(address.into(), buffer.0) };
    }
}

/// The byte array of this thread. Short-lived and never nested: each method
/// above makes one, calls QEMU once and takes the result out.
struct Buffer(*mut abi::ByteArray);

impl Buffer {
    fn empty() -> Self {
        Self::sized(0)
    }

    fn holding(bytes: &[u8]) -> Self {
        let buffer = Self::sized(bytes.len());
        // SAFETY: the array was just sized to hold that many bytes, and `bytes` is
        // Rust's, so they do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.data(), bytes.len()) };
        buffer
    }

    fn sized(size: usize) -> Self {
        thread_local! {
            static ARRAY: Cell<*mut abi::ByteArray> = const { Cell::new(std::ptr::null_mut()) };
        }
        let mut array = ARRAY.get();
        if array.is_null() {
            // SAFETY: no precondition; GLib aborts rather than return null.
            array = unsafe { abi::g_byte_array_new() };
            ARRAY.set(array);
        }
        let size = c_uint::try_from(size).unwrap_or(c_uint::MAX);
        // SAFETY: the array of this thread is valid and has no other user.
        unsafe { abi::g_byte_array_set_size(array, size) };
        Self(array)
    }

    fn data(&self) -> *mut u8 {
        // SAFETY: the array is valid as long as the thread lives.
        unsafe { (*self.0).data }
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: the array is valid as long as the thread lives.
        let length = unsafe { (*self.0).len } as usize;
        if length == 0 {
            return &[];
        }
        // SAFETY: GLib keeps `len` initialised bytes at `data`; they move only in
        // calls that take the array, none of which happens during this borrow.
        unsafe { std::slice::from_raw_parts(self.data(), length) }
    }

    /// Registers come in little-endian order, at most eight bytes that matter.
    fn number(&self) -> u64 {
        let mut number = [0; 8];
        for (to, from) in number.iter_mut().zip(self.bytes()) {
            *to = *from;
        }
        u64::from_le_bytes(number)
    }

    fn copy_to(&self, target: &mut [u8]) -> bool {
        let bytes = self.bytes();
        let same = bytes.len() == target.len();
        if same {
            target.copy_from_slice(bytes);
        }
        same
    }
}

/// A block of guest code that is being translated.
pub(crate) struct Block<'callback>(*mut c_void, PhantomData<&'callback ()>);

impl Block<'_> {
    /// The block a translation callback was called with.
    ///
    /// # Safety
    ///
    /// `block` is the argument of a translation callback that is running and
    /// that outlives the value.
    pub(crate) unsafe fn new(block: *mut c_void) -> Self {
        Self(block, PhantomData)
    }

    pub(crate) fn len(&self) -> usize {
        // SAFETY: the block is valid during the callback (`Block::new`).
        unsafe { abi::qemu_plugin_tb_n_insns(self.0) }
    }

    /// Instruction `index`, which must be below `len`.
    pub(crate) fn instruction(&self, index: usize) -> Instruction<'_> {
        // SAFETY: the block is valid; QEMU itself refuses an index out of range
        // by returning null, which `Instruction` never sees for `index < len`.
        let pointer = unsafe { abi::qemu_plugin_tb_get_insn(self.0, index) };
        assert!(
            !pointer.is_null(),
            "instruction {index} is not in the block"
        );
        Instruction(pointer, PhantomData)
    }
}

/// One instruction of a block.
pub(crate) struct Instruction<'block>(*mut c_void, PhantomData<&'block ()>);

/// The longest instruction of the architecture, in bytes.
pub(crate) const LONGEST: usize = 15;

impl Instruction<'_> {
    pub(crate) fn address(&self) -> u64 {
        // SAFETY: valid as long as its block.
        unsafe { abi::qemu_plugin_insn_vaddr(self.0) }
    }

    pub(crate) fn bytes<'a>(&self, buffer: &'a mut [u8; LONGEST]) -> &'a [u8] {
        let target = buffer.as_mut_ptr().cast();
        // SAFETY: valid as long as its block; QEMU writes at most the given size.
        let length = unsafe { abi::qemu_plugin_insn_data(self.0, target, LONGEST) };
        &buffer[..length.min(LONGEST)]
    }

    /// Calls `callback` before each execution.
    ///
    /// # Safety
    ///
    /// `callback` may be called with `userdata` at any time, on any vCPU thread,
    /// as long as the process lives, and uses no more rights than `access`.
    pub(crate) unsafe fn call(
        &self,
        callback: abi::InstructionCallback,
        access: abi::Access,
        userdata: *mut c_void,
    ) {
        // SAFETY: the instruction is valid as long as its block; the rest is
        // this function's contract.
        unsafe {
            abi::qemu_plugin_register_vcpu_insn_exec_cb(self.0, callback, access, userdata);
        }
    }

    /// Adds 1 to the vCPU's cell of its place before each execution.
    pub(crate) fn count(&self) {
        if let Some(counters) = INSTRUCTIONS.get() {
            let cell = counters.cell(Place::of(self.address()));
            // SAFETY: the instruction is valid as long as its block, the cell
            // for ever, and it is a 64-bit one.
            unsafe {
                abi::qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
                    self.0,
                    abi::INLINE_ADD_U64,
                    cell,
                    1,
                );
            }
        }
    }
}
