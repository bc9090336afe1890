// SPDX-License-Identifier: GPL-2.0

//! A timer that fires on the CPU that armed it, in hard interrupt context.
//!
//! C header: [`include/linux/hrtimer.h`](srctree/include/linux/hrtimer.h)
//!
//! The kernel crate cancels a timer when the handle from its start is dropped. Perf's callbacks may
//! not wait for that. A timer from here is armed in a callback and cancelled elsewhere.
//!
//! # Contexts
//!
//! [`Timer::start`] with interrupts off, on the CPU that the timer is to fire on; [`Timer::cancel`]
//! in process context. A CPU that goes offline hands its timers to another CPU, so
//! [`Expire::expire`] must check on which CPU it runs before it accesses that CPU's hardware.
//!
//! # Lifetime
//!
//! Dropping a [`Timer`] cancels it and waits for the callback.

use super::{
    bindings,
    context::IrqsOff, //
};
use core::{
    num::NonZeroU64,
    ops::Deref, //
};
use kernel::{
    container_of,
    prelude::*,
    types::Opaque, //
};

/// A handler of a timer.
pub(crate) trait Expire: Send + Sync + 'static {
    /// Handles the end of the time.
    fn expire(&self, here: &IrqsOff) -> Again;
}

/// The next time at which a timer fires.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Again {
    /// Not before it is started again.
    Never,
    /// After this number of nanoseconds.
    After(NonZeroU64),
}

/// A timer with its handler.
///
/// # Invariants
///
/// `raw` is initialised, its callback is `expired::<T>`, and so every pointer to it there is to
/// this `raw`.
#[pin_data(PinnedDrop)]
pub(crate) struct Timer<T: Expire> {
    #[pin]
    raw: Opaque<bindings::helper_timer>,
    #[pin]
    data: T,
}

// SAFETY: Any thread may cancel a timer, and `T` may be sent.
unsafe impl<T: Expire> Send for Timer<T> {}

// SAFETY: C's part locks for itself, and `T` may be shared.
unsafe impl<T: Expire> Sync for Timer<T> {}

impl<T: Expire> Timer<T> {
    /// Makes a timer that is not armed.
    pub(crate) fn new<E>(data: impl PinInit<T, E>) -> impl PinInit<Self, Error>
    where
        Error: From<E>,
    {
        try_pin_init!(Self {
            // INVARIANT: Initialised with that callback.
            raw <- Opaque::ffi_init(|raw| {
                // SAFETY: `raw` is memory for a timer that will not move.
                unsafe { bindings::helper_timer_setup(raw, Some(expired::<T>)) }
            }),
            data <- data,
        }? Error)
    }

    /// Arms the timer to fire on this CPU after `delay` nanoseconds; replaces an earlier time.
    pub(crate) fn start(&self, _here: &IrqsOff, delay: u64) {
        // SAFETY: `raw` is initialised by the type invariant and cancelled before it is freed.
        unsafe { bindings::helper_timer_start(self.raw.get(), delay) };
    }

    /// Disarms the timer and waits for the callback if it is running.
    ///
    /// The callback must be able to finish, so the caller must hold no lock that it takes.
    pub(crate) fn cancel(&self) {
        // SAFETY: `raw` is initialised by the type invariant.
        unsafe { bindings::helper_timer_cancel(self.raw.get()) };
    }
}

impl<T: Expire> Deref for Timer<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.data
    }
}

#[pinned_drop]
impl<T: Expire> PinnedDrop for Timer<T> {
    fn drop(self: Pin<&mut Self>) {
        self.cancel();
    }
}

/// # Safety
///
/// Called by the timer core for the `raw` of a `Timer<T>`.
unsafe extern "C" fn expired<T: Expire>(raw: *mut bindings::helper_timer) -> u64 {
    let raw = Opaque::cast_from(raw).cast_mut();
    // SAFETY: By the function's contract `raw` is in a `Timer<T>`.
    let timer = unsafe { container_of!(raw, Timer<T>, raw) };
    // SAFETY: The timer is cancelled before it is freed, and cancelling waits for this function.
    let data = unsafe { &(*timer).data };
    // SAFETY: The timer is set up for hard interrupt context.
    let here = unsafe { IrqsOff::assume() };
    match data.expire(&here) {
        Again::Never => 0,
        Again::After(delay) => delay.get(),
    }
}
