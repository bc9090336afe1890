// SPDX-License-Identifier: GPL-2.0

//! Defers work from an NMI to an interrupt of its CPU.
//!
//! C header: [`include/linux/irq_work.h`](srctree/include/linux/irq_work.h)
//!
//! The interrupt comes as soon as the CPU takes interrupts again. Unlike an NMI it may take raw
//! locks.
//!
//! # Contexts
//!
//! [`IrqWork::queue`] with interrupts off or in an NMI. [`Run::run`] in hard interrupt context, on
//! the CPU that queued the work, or on another if that CPU goes offline; never twice at once.
//!
//! # Lifetime
//!
//! Dropping an [`IrqWork`] waits until queued work is done.

use super::{
    bindings,
    context::{
        IrqsOff,
        Pinned, //
    },
};
use core::ops::Deref;
use kernel::{
    container_of,
    prelude::*,
    types::Opaque, //
};

/// Work to be done in an interrupt.
pub(crate) trait Run: Send + Sync + 'static {
    /// Does the work, or a part of it. One call answers all calls of [`IrqWork::queue`] before it. If
    /// `queue` is called while this runs, or work is [left](Left), this is called once more.
    fn run(&self, here: &IrqsOff) -> Left;
}

/// The rest of the work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Left {
    /// Nothing.
    Nothing,
    /// Some, for another interrupt. Interrupts are on in between.
    Some,
}

/// Work that can be queued, with its data.
///
/// # Invariants
///
/// `raw` is initialised, its function is `run::<T>`, and so every pointer to it there is to this
/// `raw`.
#[pin_data(PinnedDrop)]
pub(crate) struct IrqWork<T: Run> {
    #[pin]
    raw: Opaque<bindings::irq_work>,
    #[pin]
    data: T,
}

// SAFETY: Any thread may wait for the work, and `T` may be sent.
unsafe impl<T: Run> Send for IrqWork<T> {}

// SAFETY: C's part is atomic, and `T` may be shared.
unsafe impl<T: Run> Sync for IrqWork<T> {}

impl<T: Run> IrqWork<T> {
    /// Makes work that is not queued.
    pub(crate) fn new<E>(data: impl PinInit<T, E>) -> impl PinInit<Self, Error>
    where
        Error: From<E>,
    {
        try_pin_init!(Self {
            // INVARIANT: Initialised with that function.
            raw <- Opaque::ffi_init(|raw| {
                // SAFETY: `raw` is memory for an item that will not move.
                unsafe { bindings::helper_init_irq_work_hard(raw, Some(run::<T>)) }
            }),
            data <- data,
        }? Error)
    }

    /// Queues the work on this CPU, unless it is queued already, here or on another CPU.
    pub(crate) fn queue(&self, _here: &impl Pinned) {
        // SAFETY: `raw` is initialised by the type invariant; drop waits for it before it is freed.
        unsafe { bindings::irq_work_queue(self.raw.get()) };
    }
}

impl<T: Run> Deref for IrqWork<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.data
    }
}

#[pinned_drop]
impl<T: Run> PinnedDrop for IrqWork<T> {
    fn drop(self: Pin<&mut Self>) {
        // SAFETY: `raw` is initialised by the type invariant; no reference is left to queue it.
        unsafe { bindings::irq_work_sync(self.raw.get()) };
    }
}

/// # Safety
///
/// Called as the function of the `raw` of an `IrqWork<T>`, which is initialised as hard.
unsafe extern "C" fn run<T: Run>(raw: *mut bindings::irq_work) {
    let item = Opaque::cast_from(raw).cast_mut();
    // SAFETY: By the function's contract `raw` is in an `IrqWork<T>`.
    let work = unsafe { container_of!(item, IrqWork<T>, raw) };
    // SAFETY: Drop waits for the work before it is freed.
    let data = unsafe { &(*work).data };
    // SAFETY: Hard `irq_work` runs in hard interrupt context.
    let here = unsafe { IrqsOff::assume() };
    if data.run(&here) == Left::Some {
        // SAFETY: `raw` is initialised, and drop waits until it is neither queued nor running.
        unsafe { bindings::irq_work_queue(raw) };
    }
}
