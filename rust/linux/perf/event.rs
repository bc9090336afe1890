// SPDX-License-Identifier: GPL-2.0

//! An open event of one of our PMUs.
//!
//! # Contexts
//!
//! Only the callbacks of [`Pmu`] change a count. [`Pmu::read`] changes it on any CPU of the package, on
//! several at once and in an NMI, so that counts are added atomically.

use super::{
    events_of,
    Pmu, //
};
use crate::linux::{
    bindings,
    context::{
        IrqsOff,
        Pinned, //
    }, //
};
use core::{
    marker::PhantomData,
    sync::atomic::{
        AtomicI64,
        Ordering, //
    }, //
};
use kernel::{
    ffi::c_int,
    sync::{
        Arc,
        ArcBorrow, //
    },
    types::{
        ForeignOwnable,
        Opaque, //
    }, //
};

/// An event whose `event_init` has succeeded.
///
/// # Invariants
///
/// The value is a live `struct perf_event` of a PMU registered for `T`, and its `pmu_private` is the
/// `Arc<T::Event>` that `event_init` returned, as a foreign pointer.
#[repr(transparent)]
pub(crate) struct Event<T: Pmu> {
    raw: Opaque<bindings::perf_event>,
    _driver: PhantomData<T>,
}

impl<T: Pmu> Event<T> {
    /// Converts a pointer from perf.
    ///
    /// # Safety
    ///
    /// The pointer must satisfy the type invariant for the whole of `'a`.
    pub(super) unsafe fn from_raw<'a>(event: *mut bindings::perf_event) -> &'a Self {
        // SAFETY: By the function's contract the event is live; the type is transparent.
        unsafe { &*event.cast::<Self>() }
    }

    /// Calls `f` with the event that has this data, unless it is being destroyed. Anywhere but in an
    /// NMI.
    pub(crate) fn of(data: &T::Event, f: impl FnOnce(&Self)) {
        T::link(data).visit(|event| {
            // SAFETY: `attach` has opened the link with an event of a PMU registered for `T`, whose
            // data this is. While it is visited it is live, and so is its reference to the data.
            f(unsafe { Self::from_raw(event) });
        });
    }

    /// Returns the driver's data of the event.
    #[inline(always)]
    pub(crate) fn data(&self) -> &T::Event {
        let data: *const T::Event = &*self.borrow();
        // SAFETY: By the type invariant the event has a reference to it until it is freed.
        unsafe { &*data }
    }

    /// Returns another reference to the driver's data of the event.
    #[inline]
    pub(crate) fn share(&self) -> Arc<T::Event> {
        self.borrow().into()
    }

    /// Borrows the event's reference to the driver's data.
    #[inline(always)]
    fn borrow(&self) -> ArcBorrow<'_, T::Event> {
        // SAFETY: The event is live by the type invariant.
        let data = unsafe { (*self.raw.get()).pmu_private };
        // SAFETY: By the type invariant it is the event's `Arc`, which is taken back only when the
        // event is not used as an `Event` any more.
        unsafe { Arc::<T::Event>::borrow(data.cast()) }
    }

    /// Returns the count that users read, as of its last update.
    pub(crate) fn count(&self, _here: &IrqsOff) -> u64 {
        // SAFETY: The event is live by the type invariant.
        unsafe { bindings::helper_perf_event_count(self.raw.get()) }
    }

    /// Adds to the count that users read.
    ///
    /// Perf itself adds to a count on one CPU at a time. One that can be read on any CPU of a package
    /// is added to on several.
    #[inline(always)]
    pub(crate) fn add_count(&self, _here: &impl Pinned, delta: u64) {
        // SAFETY: The event is live by the type invariant.
        let counter = unsafe { &raw mut (*self.raw.get()).count.a.a.counter };
        // SAFETY: The event outlives this call. The count is an atomic of C's, which is aligned like
        // Rust's, and all who change it meanwhile do so atomically.
        let count = unsafe { AtomicI64::from_ptr(counter) };
        count.fetch_add(i64::from_ne_bytes(delta.to_ne_bytes()), Ordering::Relaxed);
    }

    /// Marks the event as stopped, or as counting, for perf.
    pub(crate) fn set_stopped(&self, _here: &IrqsOff, stopped: bool) {
        let state = if stopped {
            bindings::PERF_HES_STOPPED | bindings::PERF_HES_UPTODATE
        } else {
            0
        };
        // SAFETY: The event is live by the type invariant. On its CPU with interrupts off no other
        // code uses the field.
        unsafe { (*self.raw.get()).hw.state = state as c_int };
    }

    /// Updates the page of users who mapped the event.
    pub(crate) fn update_user_page(&self, _here: &IrqsOff) {
        // SAFETY: The event is live by the type invariant.
        unsafe { bindings::perf_event_update_userpage(self.raw.get()) };
    }
}

/// Returns the CPU on which an event counts; `None` if perf has not added it to its PMU.
///
/// # Safety
///
/// `event` must be valid.
pub(super) unsafe fn cpu(event: *mut bindings::perf_event) -> Option<c_int> {
    // SAFETY: By the function's contract the event is valid.
    let state = unsafe { &raw const (*event).state };
    // SAFETY: The field is valid. Perf writes it at any time, as a whole.
    let state = unsafe { core::ptr::read_volatile(state) };
    // SAFETY: By the function's contract the event is valid.
    let cpu = unsafe { &raw const (*event).cpu };
    // SAFETY: As for the state.
    let cpu = unsafe { core::ptr::read_volatile(cpu) };
    (state == bindings::perf_event_state_PERF_EVENT_STATE_ACTIVE).then_some(cpu)
}

/// Sets the driver's data of an event, and the function that frees it.
///
/// # Safety
///
/// `event` must be valid, of a PMU registered for `T`, and in its `event_init`.
pub(super) unsafe fn attach<T: Pmu>(event: *mut bindings::perf_event, data: Arc<T::Event>) {
    // SAFETY: By the function's contract the event is of a PMU registered for `T`.
    unsafe { events_of::<T>(event) }.fetch_add(1, Ordering::Relaxed);
    let private = data.into_foreign();
    // SAFETY: By the function's contract the event is valid; perf leaves the field to the PMU.
    unsafe { (*event).pmu_private = private.cast() };
    // SAFETY: The `Arc` was made a foreign pointer above. It is taken back in `destroy` only.
    let data = unsafe { Arc::<T::Event>::borrow(private) };
    // SAFETY: The event is valid until `destroy` closes the link.
    unsafe { T::link(&data).open(event) };
    // SAFETY: By the function's contract the event is valid and in its `event_init`.
    unsafe { (*event).destroy = Some(destroy::<T>) };
}

/// # Safety
///
/// `event` must have been given to [`attach`] for this `T`, and must not be used as an
/// [`Event`] any more.
unsafe extern "C" fn destroy<T: Pmu>(event: *mut bindings::perf_event) {
    // SAFETY: By the function's contract the event is valid.
    let data = unsafe { (*event).pmu_private };
    // SAFETY: `attach` got the pointer from an `Arc<T::Event>`. By the function's contract nothing
    // borrows it any more.
    let data: Arc<T::Event> = unsafe { Arc::from_foreign(data.cast()) };
    T::link(&data).close();
    // SAFETY: Perf unregisters a PMU only after its events have been destroyed.
    unsafe { events_of::<T>(event) }.fetch_sub(1, Ordering::Relaxed);
}
