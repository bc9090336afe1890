// SPDX-License-Identifier: GPL-2.0

//! Defers work to process context, from contexts that cannot queue work directly.
//!
//! C headers: [`include/linux/workqueue.h`](srctree/include/linux/workqueue.h),
//! [`include/linux/irq_work.h`](srctree/include/linux/irq_work.h)
//!
//! Perf calls a PMU in the middle of a context switch, with the run queue locked. Queueing work
//! wakes a worker, which takes that lock. So scheduling takes two steps: an `irq_work` interrupts
//! this CPU, and its handler queues the work.
//!
//! # Contexts
//!
//! [`Work::schedule`] in any context; [`Run::run`] in process context, never twice at once.
//!
//! # Lifetime
//!
//! Dropping a [`Work`] cancels pending work and waits for running work.

use super::bindings;
use core::ops::Deref;
use kernel::{
    container_of,
    prelude::*,
    types::Opaque, //
};

/// Work to be done in process context.
pub(crate) trait Run: Send + Sync + 'static {
    /// Does the work. One call answers all calls of [`Work::schedule`] before it.
    fn run(&self);
}

/// Work that can be scheduled, with its data.
///
/// # Invariants
///
/// `raw` is initialised, its function is `run::<T>`, and so every pointer to it there is to this
/// `raw`.
#[pin_data(PinnedDrop)]
pub(crate) struct Work<T: Run> {
    #[pin]
    raw: Opaque<bindings::helper_work>,
    #[pin]
    data: T,
}

// SAFETY: Any thread may cancel, and `T` may be sent.
unsafe impl<T: Run> Send for Work<T> {}

// SAFETY: C's part is atomic, and `T` may be shared.
unsafe impl<T: Run> Sync for Work<T> {}

impl<T: Run> Work<T> {
    /// Makes work that is not scheduled.
    pub(crate) fn new<E>(data: impl PinInit<T, E>) -> impl PinInit<Self, Error>
    where
        Error: From<E>,
    {
        try_pin_init!(Self {
            // INVARIANT: Initialised with that function.
            raw <- Opaque::ffi_init(|raw| {
                // SAFETY: `raw` is memory for a work item that will not move.
                unsafe { bindings::helper_work_init(raw, Some(run::<T>)) }
            }),
            data <- data,
        }? Error)
    }

    /// Schedules the work, unless it is scheduled already.
    pub(crate) fn schedule(&self) {
        // SAFETY: `raw` is initialised by the type invariant and cancelled before it is freed.
        unsafe { bindings::helper_work_schedule(self.raw.get()) };
    }

    /// Cancels the work, and waits for it if it runs. It does not run again.
    pub(crate) fn stop(&self) {
        // SAFETY: `raw` is initialised by the type invariant.
        unsafe { bindings::helper_work_stop(self.raw.get()) };
    }
}

impl<T: Run> Deref for Work<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.data
    }
}

#[pinned_drop]
impl<T: Run> PinnedDrop for Work<T> {
    fn drop(self: Pin<&mut Self>) {
        self.stop();
    }
}

/// # Safety
///
/// Called by a worker for the `raw` of a `Work<T>`.
unsafe extern "C" fn run<T: Run>(raw: *mut bindings::helper_work) {
    let raw = Opaque::cast_from(raw).cast_mut();
    // SAFETY: By the function's contract `raw` is in a `Work<T>`.
    let work = unsafe { container_of!(raw, Work<T>, raw) };
    // SAFETY: The work is cancelled before it is freed, and cancelling waits for this function.
    let data = unsafe { &(*work).data };
    data.run();
}
