// SPDX-License-Identifier: GPL-2.0

//! The back end on the host: memory that never runs out, the mutexes and atomics of
//! the standard library or of shuttle, a log and a clock of each thread.

use crate::sync::LockClassKey;
use core::{alloc::Layout, pin::Pin, ptr::NonNull};
use pinned_init::Init;
use std::{
    cell::{Cell, RefCell},
    ffi::CStr,
    fmt, mem,
};

/// Locks, atomics and threads: those of the standard library, or of shuttle.
pub mod host {
    #[cfg(feature = "schedules")]
    pub use shuttle::{sync::*, thread};
    #[cfg(not(feature = "schedules"))]
    pub use std::{sync::*, thread};
}

pub(crate) use host::atomic::{fence, AtomicUsize, Ordering};

pub(crate) const LOCK_CLASS_KEY: usize = 1;

pub(crate) unsafe fn allocate(layout: Layout, _contiguous: bool) -> Option<NonNull<u8>> {
    // SAFETY: By the function's contract the size is not 0.
    NonNull::new(unsafe { std::alloc::alloc(layout) })
}

pub(crate) unsafe fn free(memory: NonNull<u8>, layout: Layout) {
    // SAFETY: By the function's contract.
    unsafe { std::alloc::dealloc(memory.as_ptr(), layout) };
}

pub(crate) struct Mutex(host::Mutex<()>);

pub(crate) type Held<'a> = host::MutexGuard<'a, ()>;

impl Mutex {
    pub(crate) fn new(_name: &CStr, _class: Pin<&LockClassKey>) -> impl Init<Self> {
        Self(host::Mutex::new(()))
    }

    pub(crate) fn lock(&self) -> Held<'_> {
        self.0.lock().expect("no holder of the mutex panicked")
    }
}

thread_local! {
    static LOG: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    static PASS: Cell<fn(u64)> = const { Cell::new(|_| ()) };
}

/// Adds a line to the log of this thread.
pub fn log(level: u8, line: fmt::Arguments<'_>) {
    let level = ["err", "warn", "notice", "info"][usize::from(level) - 3];
    let line = format!("{level}: {}", line.to_string().trim_end());
    LOG.with_borrow_mut(|log| log.push(line));
}

/// Takes the lines that this thread has logged, oldest first: `level: text`.
pub fn take() -> Vec<String> {
    LOG.with_borrow_mut(mem::take)
}

/// Sets what lets time pass, in nanoseconds, for code of this thread that sleeps.
pub fn passes_by(pass: fn(u64)) {
    PASS.set(pass);
}

pub(crate) fn sleep(nanos: u64) {
    PASS.get()(nanos);
}
