// SPDX-License-Identifier: GPL-2.0

//! Changes that the whole computer makes: sleep, hibernation, shutdown.
//!
//! C headers: [`include/linux/suspend.h`](srctree/include/linux/suspend.h),
//! [`include/linux/syscore_ops.h`](srctree/include/linux/syscore_ops.h),
//! [`include/linux/reboot.h`](srctree/include/linux/reboot.h)
//!
//! ```text
//! suspend to RAM  prepare   CPUs go offline   suspend   (power off)   resume   CPUs come   wake
//! hibernation     prepare   CPUs go offline   suspend   (snapshot)    resume   CPUs come   wake
//! suspend to idle prepare                     (CPUs idle, timers stand still)              wake
//! ```
//!
//! A kernel that starts after a crash calls nothing of this.
//!
//! # Contexts
//!
//! [`Power::suspend`] and [`Power::resume`] run on the only CPU that is online, interrupts off. All
//! others run in process context and may sleep.
//!
//! # Lifetime
//!
//! Dropping a [`Registration`] waits for running calls.

use super::{
    bindings,
    context::IrqsOff, //
};
use core::ops::Deref;
use kernel::{
    container_of,
    error::to_result,
    prelude::*,
    types::Opaque, //
};

/// A handler of changes that the whole computer makes.
pub(crate) trait Power: Send + Sync + 'static {
    /// Handles that the computer is going to sleep, or to hibernate.
    fn prepare(&self);

    /// Handles that registers may be lost from now on.
    fn suspend(&self, here: &IrqsOff);

    /// Handles that registers may have been lost since [`Self::suspend`].
    fn resume(&self, here: &IrqsOff);

    /// Handles that the computer is awake, or did not go to sleep after all.
    fn wake(&self);

    /// Handles that the computer is about to reboot, to halt, or to start another kernel.
    fn shutdown(&self);
}

/// A registered handler.
///
/// # Invariants
///
/// `raw` is registered with the function `handle::<T>`, and so the pointer it is called with is to
/// this `raw`.
#[pin_data(PinnedDrop)]
pub(crate) struct Registration<T: Power> {
    #[pin]
    handler: T,
    // Last, so that the handler is initialised before its first call.
    #[pin]
    raw: Opaque<bindings::helper_power>,
}

// SAFETY: Any thread may unregister, and `T` may be sent.
unsafe impl<T: Power> Send for Registration<T> {}

// SAFETY: C's part is not touched while registered, and `T` may be shared.
unsafe impl<T: Power> Sync for Registration<T> {}

impl<T: Power> Registration<T> {
    /// Registers a handler.
    ///
    /// # Errors
    ///
    /// Contexts of the kernel's notifier chains.
    pub(crate) fn new<E>(handler: impl PinInit<T, E>) -> impl PinInit<Self, Error>
    where
        Error: From<E>,
    {
        try_pin_init!(Self {
            handler <- handler,
            // INVARIANT: Registered here, with that function.
            raw <- Opaque::try_ffi_init(|raw| {
                // SAFETY: `raw` is memory for a handler that will not move and is unregistered on
                // drop, before it goes.
                to_result(unsafe { bindings::helper_register_power(raw, Some(handle::<T>)) })
            }),
        }? Error)
    }
}

impl<T: Power> Deref for Registration<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.handler
    }
}

#[pinned_drop]
impl<T: Power> PinnedDrop for Registration<T> {
    fn drop(self: Pin<&mut Self>) {
        // SAFETY: `raw` is registered by the type invariant.
        unsafe { bindings::helper_unregister_power(self.raw.get()) };
    }
}

/// # Safety
///
/// Called by the kernel for the `raw` of a `Registration<T>`, as the table of contexts says.
unsafe extern "C" fn handle<T: Power>(
    raw: *mut bindings::helper_power,
    state: bindings::helper_power_state,
) {
    let raw = Opaque::cast_from(raw).cast_mut();
    // SAFETY: By the function's contract `raw` is in a `Registration<T>`.
    let registration = unsafe { container_of!(raw, Registration<T>, raw) };
    // SAFETY: The handler was initialised before `raw` was registered, and dropping the registration
    // waits for this function.
    let handler = unsafe { &(*registration).handler };
    match state {
        bindings::helper_power_state_HELPER_POWER_PREPARE => handler.prepare(),
        bindings::helper_power_state_HELPER_POWER_SUSPEND => {
            // SAFETY: The kernel has interrupts off.
            let here = unsafe { IrqsOff::assume() };
            handler.suspend(&here);
        }
        bindings::helper_power_state_HELPER_POWER_RESUME => {
            // SAFETY: The kernel has interrupts off.
            let here = unsafe { IrqsOff::assume() };
            handler.resume(&here);
        }
        bindings::helper_power_state_HELPER_POWER_WAKE => handler.wake(),
        _ => handler.shutdown(),
    }
}
