// SPDX-License-Identifier: GPL-2.0

//! NMIs that the local interrupt controller delivers to a CPU.
//!
//! C header: [`arch/x86/include/asm/nmi.h`](srctree/arch/x86/include/asm/nmi.h)
//!
//! The kernel calls all handlers for every such NMI, in the order of their registration, as several
//! sources can share one NMI. If no handler claims it, the kernel reports an unknown NMI or panics.
//!
//! # Contexts
//!
//! [`Handle::handle`] can interrupt any code, even with interrupts off or a lock held. It may access
//! MSRs and the local APIC of its CPU, use atomics, read [`super::clock`] and queue an
//! [`super::irq_work`]. It may not take a lock, access PCI configuration space (which takes a lock),
//! print, allocate, or wait.
//!
//! # Lifetime
//!
//! Dropping a [`Registration`] waits for running handlers on all CPUs. The caller must disable the
//! interrupt source before, or its last NMI finds no handler.

use super::{
    bindings,
    context::{
        Nmi,
        Pinned, //
    }, //
};
use core::ops::Deref;
use kernel::{
    container_of,
    error::to_result,
    ffi::c_int,
    prelude::*,
    types::Opaque, //
};

/// A handler of NMIs.
pub(crate) trait Handle: Send + Sync + 'static {
    /// Handles an NMI on this CPU.
    fn handle(&self, here: &Nmi) -> Claimed;
}

/// The answer of a handler to an NMI.
///
/// C handlers may return a number above 1. The kernel then ignores the next unknown NMI, so that is
/// not offered here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Claimed {
    /// The NMI was from the handler's source.
    Yes,
    /// The NMI was not from the handler's source, as far as it can tell.
    No,
}

/// Returns whether the chipset reports that it has sent an NMI: for an error of the system, or of an
/// I/O device.
pub(crate) fn is_of_chipset(_here: &impl Pinned) -> bool {
    // SAFETY: Has no requirements.
    unsafe { bindings::helper_nmi_is_of_chipset() }
}

/// A registered handler.
///
/// # Invariants
///
/// `raw` is registered with the function `handle::<T>`, and so the pointer it is called with is to
/// this `raw`.
#[pin_data(PinnedDrop)]
pub(crate) struct Registration<T: Handle> {
    #[pin]
    handler: T,
    // Last, so that the handler is initialised before its first NMI.
    #[pin]
    raw: Opaque<bindings::helper_nmi>,
}

// SAFETY: Any thread may unregister, and `T` may be sent.
unsafe impl<T: Handle> Send for Registration<T> {}

// SAFETY: C's part is not touched while registered, and `T` may be shared.
unsafe impl<T: Handle> Sync for Registration<T> {}

impl<T: Handle> Registration<T> {
    /// Registers a handler. No other handler may have this `name`.
    ///
    /// # Errors
    ///
    /// [`EBUSY`] if this module has a handler already.
    pub(crate) fn new<E>(
        name: &'static CStr,
        handler: impl PinInit<T, E>,
    ) -> impl PinInit<Self, Error>
    where
        Error: From<E>,
    {
        try_pin_init!(Self {
            handler <- handler,
            // INVARIANT: Registered here, with that function.
            raw <- Opaque::try_ffi_init(|raw| {
                // SAFETY: `raw` is memory for a handler that will not move and is unregistered on
                // drop, before it goes; the name is static.
                to_result(unsafe {
                    bindings::helper_register_nmi_handler(
                        raw,
                        name.as_char_ptr(),
                        Some(handle::<T>),
                    )
                })
            }),
        }? Error)
    }
}

impl<T: Handle> Deref for Registration<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.handler
    }
}

#[pinned_drop]
impl<T: Handle> PinnedDrop for Registration<T> {
    fn drop(self: Pin<&mut Self>) {
        // SAFETY: `raw` is registered by the type invariant.
        unsafe { bindings::helper_unregister_nmi_handler(self.raw.get()) };
    }
}

/// # Safety
///
/// Called by an NMI, for the `raw` of a `Registration<T>`.
unsafe extern "C" fn handle<T: Handle>(raw: *mut bindings::helper_nmi) -> c_int {
    let raw = Opaque::cast_from(raw).cast_mut();
    // SAFETY: By the function's contract `raw` is in a `Registration<T>`.
    let registration = unsafe { container_of!(raw, Registration<T>, raw) };
    // SAFETY: The handler was initialised before `raw` was registered, and dropping the registration
    // waits for this function.
    let handler = unsafe { &(*registration).handler };
    // SAFETY: By the function's contract this is an NMI.
    let here = unsafe { Nmi::assume() };
    match handler.handle(&here) {
        Claimed::Yes => 1,
        Claimed::No => 0,
    }
}
