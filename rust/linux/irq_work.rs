// SPDX-License-Identifier: GPL-2.0

//! Leaving something to an interrupt of this CPU, from an NMI.
//!
//! C header: [`include/linux/irq_work.h`](srctree/include/linux/irq_work.h)
//!
//! The interrupt comes as soon as the CPU takes interrupts again. It can wait for raw locks, which
//! an NMI cannot.
//!
//! # Contexts
//!
//! [`IrqWork::queue`] with interrupts off or in an NMI; [`Run::run`] in hard interrupt context, on
//! the CPU that queued it, or on another if that one goes offline. Never twice at once.
//!
//! # Lifetime
//!
//! Dropping an [`IrqWork`] waits for it, if it is queued.

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

/// What is left to an interrupt.
pub(crate) trait Run: Send + Sync + 'static {
    /// Does it. One call answers any number of [`IrqWork::queue`] before it; one that is made while
    /// this runs is answered by another call.
    fn run(&self, here: &IrqsOff);
}

/// Something that can be queued, and what it works on.
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

// SAFETY: Any thread may wait for it, and `T` may be sent.
unsafe impl<T: Run> Send for IrqWork<T> {}

// SAFETY: C's part is atomic, and `T` may be shared.
unsafe impl<T: Run> Sync for IrqWork<T> {}

impl<T: Run> IrqWork<T> {
    /// Nothing is queued yet.
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

    /// Has [`Run::run`] called on this CPU, unless it is queued already, here or elsewhere.
    pub(crate) fn queue(&self, _here: &impl Pinned) {
        // SAFETY: `raw` is initialised by the type invariant and waited for before it goes.
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
        // SAFETY: `raw` is initialised by the type invariant; nobody can queue it any more.
        unsafe { bindings::irq_work_sync(self.raw.get()) };
    }
}

/// # Safety
///
/// Called as the function of the `raw` of an `IrqWork<T>`, which is initialised as hard.
unsafe extern "C" fn run<T: Run>(raw: *mut bindings::irq_work) {
    let raw = Opaque::cast_from(raw).cast_mut();
    // SAFETY: By the function's contract.
    let work = unsafe { container_of!(raw, IrqWork<T>, raw) };
    // SAFETY: As above; it is waited for before it goes.
    let data = unsafe { &(*work).data };
    // SAFETY: Such work is done in hard interrupt context.
    let here = unsafe { IrqsOff::assume() };
    data.run(&here);
}
