// SPDX-License-Identifier: GPL-2.0

//! An open event of one of our PMUs.
//!
//! # Contexts
//!
//! A count is changed by the callbacks of [`Pmu`] only, on the event's CPU.

use super::{
    trampoline::events_of,
    Pmu, //
};
use crate::linux::{
    bindings,
    context::IrqsOff, //
};
use core::{
    marker::PhantomData,
    sync::atomic::Ordering, //
};
use kernel::{
    ffi::c_int,
    prelude::*,
    types::Opaque, //
};

/// An event whose `event_init` has succeeded.
///
/// # Invariants
///
/// The value is a live `struct perf_event` of a PMU registered for `T`, and its `pmu_private`
/// points to the `T::Event` that `event_init` returned.
#[repr(transparent)]
pub(crate) struct Event<T: Pmu> {
    raw: Opaque<bindings::perf_event>,
    _driver: PhantomData<T>,
}

impl<T: Pmu> Event<T> {
    /// Takes a pointer from perf.
    ///
    /// # Safety
    ///
    /// The pointer must satisfy the type invariant for the whole of `'a`.
    pub(super) unsafe fn from_raw<'a>(event: *mut bindings::perf_event) -> &'a Self {
        // SAFETY: By the function's contract; the type is transparent.
        unsafe { &*event.cast::<Self>() }
    }

    /// What the driver keeps with the event.
    pub(crate) fn data(&self) -> &T::Event {
        // SAFETY: By the type invariant.
        let data = unsafe { (*self.raw.get()).pmu_private };
        // SAFETY: By the type invariant; nobody has an exclusive reference before it is freed.
        unsafe { &*data.cast::<T::Event>() }
    }

    /// A number that no other event has had since boot.
    pub(crate) fn id(&self) -> u64 {
        // SAFETY: The event is live by the type invariant, its number never changes.
        unsafe { (*self.raw.get()).id }
    }

    /// The count that users read, as it was last brought up to date.
    pub(crate) fn count(&self, _here: &IrqsOff) -> u64 {
        // SAFETY: The event is live by the type invariant.
        unsafe { bindings::helper_perf_event_count(self.raw.get()) }
    }

    /// Adds to the count that users read.
    pub(crate) fn add_count(&self, _here: &IrqsOff, delta: u64) {
        // SAFETY: The event is live by the type invariant; the addition is atomic on this CPU,
        // which is the event's.
        unsafe { bindings::helper_perf_event_count_add(self.raw.get(), delta) };
    }

    /// Marks the event as stopped, or as counting, for perf.
    pub(crate) fn set_stopped(&self, _here: &IrqsOff, stopped: bool) {
        let state = if stopped {
            bindings::PERF_HES_STOPPED | bindings::PERF_HES_UPTODATE
        } else {
            0
        };
        // SAFETY: The event is live by the type invariant. On its CPU with interrupts off nobody
        // else uses the field.
        unsafe { (*self.raw.get()).hw.state = state as c_int };
    }

    /// Tells users who mapped the event that its count has changed.
    pub(crate) fn update_user_page(&self, _here: &IrqsOff) {
        // SAFETY: The event is live by the type invariant.
        unsafe { bindings::perf_event_update_userpage(self.raw.get()) };
    }
}

/// Gives the event its data, and perf the function that frees both.
///
/// # Safety
///
/// `event` must be valid, of a PMU registered for `T`, and in its `event_init`.
pub(super) unsafe fn attach<T: Pmu>(event: *mut bindings::perf_event, data: KBox<T::Event>) {
    // SAFETY: By the function's contract perf does not use the field, it is the PMU's.
    unsafe { (*event).pmu_private = KBox::into_raw(data).cast() };
    // SAFETY: By the function's contract.
    unsafe { (*event).destroy = Some(destroy::<T>) };
    // SAFETY: As above.
    unsafe { events_of::<T>(event) }.fetch_add(1, Ordering::Relaxed);
}

/// # Safety
///
/// `event` must have been given to [`attach`] for the same `T`, and must not be used as an
/// [`Event`] any more.
unsafe extern "C" fn destroy<T: Pmu>(event: *mut bindings::perf_event) {
    // SAFETY: By the function's contract.
    let data = unsafe { (*event).pmu_private };
    // SAFETY: As above; whoever looks for data afterwards finds none.
    unsafe { (*event).pmu_private = core::ptr::null_mut() };
    // SAFETY: Perf unregisters a PMU only after its events have been destroyed.
    unsafe { events_of::<T>(event) }.fetch_sub(1, Ordering::Relaxed);
    // SAFETY: `attach` took the pointer out of a `KBox<T::Event>`.
    drop(unsafe { KBox::from_raw(data.cast::<T::Event>()) });
}
