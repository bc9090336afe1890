// SPDX-License-Identifier: GPL-2.0

//! The back end in the kernel: C code, in `include/stand_in.c`.

use crate::{
    ffi::{c_char, c_int},
    str::CStrExt as _,
    sync::LockClassKey,
    types::{NotThreadSafe, Opaque},
};
use core::{
    alloc::Layout,
    ffi::CStr,
    fmt::{self, Write as _},
    panic::PanicInfo,
    pin::Pin,
    ptr::NonNull,
};
use pinned_init::PinInit;

pub(crate) use core::sync::atomic::{fence, AtomicUsize, Ordering};

/// Sizes by the C compiler; generated during the build from `include/layout.c`.
#[expect(dead_code, reason = "most are for rust/linux")]
mod layout {
    include!(env!("UNCORE_LAYOUT"));
}

pub(crate) const LOCK_CLASS_KEY: usize = layout::SIZEOF_LOCK_CLASS_KEY;

/// Memory for C's `struct mutex`.
#[repr(C, align(8))]
struct RawMutex([u8; layout::SIZEOF_MUTEX]);

extern "C" {
    fn stand_in_allocate(size: usize, contiguous: bool) -> *mut u8;
    fn stand_in_free(memory: *mut u8);
    fn stand_in_mutex_init(mutex: *mut RawMutex, name: *const c_char, class: *mut u8);
    fn stand_in_mutex_lock(mutex: *mut RawMutex);
    fn stand_in_mutex_unlock(mutex: *mut RawMutex);
    fn stand_in_log(level: c_int, text: *const u8, length: usize);
    fn stand_in_sleep(nanos: u64);
    fn stand_in_bug();
}

/// Alignment of all memory of C.
const ALIGNED: usize = 8;

/// Allocates memory; may sleep.
///
/// # Safety
///
/// The size is not 0.
pub(crate) unsafe fn allocate(layout: Layout, contiguous: bool) -> Option<NonNull<u8>> {
    let size = match layout.align() <= ALIGNED {
        true => layout.size(),
        // Blocks of these sizes have an alignment of their size.
        false => layout.pad_to_align().size().checked_next_power_of_two()?,
    };
    // SAFETY: The size is not 0.
    NonNull::new(unsafe { stand_in_allocate(size, contiguous) })
}

/// Frees memory.
///
/// # Safety
///
/// The memory is of [`allocate`], and is not used any more.
pub(crate) unsafe fn free(memory: NonNull<u8>, _layout: Layout) {
    // SAFETY: By the function's contract.
    unsafe { stand_in_free(memory.as_ptr()) };
}

/// C's mutex.
///
/// # Invariants
///
/// The value is initialised.
pub(crate) struct Mutex(Opaque<RawMutex>);

/// Shows that a mutex is held, which is released on drop.
///
/// # Invariants
///
/// This thread holds the mutex.
pub(crate) struct Held<'a>(&'a Mutex, NotThreadSafe);

impl Mutex {
    pub(crate) fn new(
        name: &'static CStr,
        class: Pin<&'static LockClassKey>,
    ) -> impl PinInit<Self> {
        let init = move |place: *mut Self| {
            // SAFETY: This is memory for a mutex that will not move. Name and class are static.
            unsafe { stand_in_mutex_init(place.cast(), name.as_char_ptr(), class.as_ptr()) };
            Ok(())
        };
        // INVARIANT: C initialises the value.
        // SAFETY: The closure always initialises the place.
        unsafe { pinned_init::pin_init_from_closure(init) }
    }

    pub(crate) fn lock(&self) -> Held<'_> {
        // SAFETY: By the type invariant.
        unsafe { stand_in_mutex_lock(self.0.get()) };
        // INVARIANT: Just taken.
        Held(self, NotThreadSafe)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // SAFETY: By the type invariant this thread holds it.
        unsafe { stand_in_mutex_unlock(self.0 .0.get()) };
    }
}

/// A line of the log, on the stack. A longer one comes in several.
struct Line {
    level: u8,
    text: [u8; Self::LENGTH],
    used: usize,
}

impl Line {
    const LENGTH: usize = 480;

    fn end(&mut self) {
        // SAFETY: The text has that number of bytes.
        unsafe { stand_in_log(self.level.into(), self.text.as_ptr(), self.used) };
        self.used = 0;
    }
}

impl fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for &byte in text.as_bytes() {
            if self.used == Self::LENGTH {
                self.end();
            }
            if let Some(place) = self.text.get_mut(self.used) {
                *place = byte;
                self.used = self.used.wrapping_add(1);
            }
        }
        Ok(())
    }
}

/// Adds a line to the log.
#[cold]
#[inline(never)]
pub fn log(level: u8, text: fmt::Arguments<'_>) {
    let mut line = Line {
        level,
        text: [0; Line::LENGTH],
        used: 0,
    };
    // Only a type that prints itself can fail. What it has printed is logged.
    let _ = line.write_fmt(text);
    line.end();
}

pub(crate) fn sleep(nanos: u64) {
    // SAFETY: Callers may sleep.
    unsafe { stand_in_sleep(nanos) };
}

/// Stops the thread, as a bug of C's code does. The driver has no code that panics: the build
/// looks for it.
#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    log(0, format_args!("{info}\n"));
    // SAFETY: Has no requirements, and does not return.
    unsafe { stand_in_bug() };
    // SAFETY: Never reached. Tools that follow the machine's code take it as an end.
    unsafe { core::arch::asm!("ud2", options(noreturn)) }
}
