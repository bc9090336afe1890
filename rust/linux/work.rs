// SPDX-License-Identifier: GPL-2.0

//! Leaving something to process context, from contexts that cannot even queue work.
//!
//! C headers: [`include/linux/workqueue.h`](srctree/include/linux/workqueue.h),
//! [`include/linux/irq_work.h`](srctree/include/linux/irq_work.h)
//!
//! Perf calls a PMU from the middle of a context switch, with the run queue locked. Queueing work
//! wakes a worker, which needs that lock. So this takes two steps: a self-interrupt, and from
//! there the work queue.
//!
//! # Contexts
//!
//! [`Work::schedule`] anywhere; [`Run::run`] in process context, never twice at once.
//!
//! # Lifetime
//!
//! Dropping a [`Work`] drops what is pending and waits for what runs.

use super::bindings;
use core::ops::Deref;
use kernel::{
    container_of,
    prelude::*,
    types::Opaque, //
};

/// What is left to process context.
pub(crate) trait Run: Send + Sync + 'static {
    /// Does it. One call answers any number of [`Work::schedule`] before it.
    fn run(&self);
}

/// Something that can be scheduled, and what it works on.
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
    /// Nothing is scheduled yet.
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

    /// Has [`Run::run`] called soon.
    pub(crate) fn schedule(&self) {
        // SAFETY: `raw` is initialised by the type invariant and cancelled before it goes.
        unsafe { bindings::helper_work_schedule(self.raw.get()) };
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
        // SAFETY: `raw` is initialised by the type invariant; nobody can schedule it any more.
        unsafe { bindings::helper_work_disable_sync(self.raw.get()) };
    }
}

/// # Safety
///
/// Called by a worker for the `raw` of a `Work<T>`.
unsafe extern "C" fn run<T: Run>(raw: *mut bindings::helper_work) {
    let raw = Opaque::cast_from(raw).cast_mut();
    // SAFETY: By the function's contract.
    let work = unsafe { container_of!(raw, Work<T>, raw) };
    // SAFETY: As above; it is cancelled before it goes, and cancelling waits for this.
    let data = unsafe { &(*work).data };
    data.run();
}
