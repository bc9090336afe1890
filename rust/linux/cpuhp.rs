// SPDX-License-Identifier: GPL-2.0

//! Callbacks for CPUs that come online or go offline.
//!
//! C header: [`include/linux/cpuhotplug.h`](srctree/include/linux/cpuhotplug.h)
//!
//! # Contexts
//!
//! Both callbacks run on the CPU in question, in process context, and may sleep. Perf is active on
//! that CPU throughout both.
//!
//! # Lifetime
//!
//! Dropping a [`Registration`] waits for running callbacks. It calls none for CPUs still online.

use super::{
    bindings,
    topology::Cpu, //
};
use core::ops::Deref;
use kernel::{
    container_of,
    error::{
        from_result,
        to_result, //
    },
    ffi::c_int,
    prelude::*,
    str::CStr,
    sync::Arc,
    types::Opaque, //
};

/// A handler of CPUs that come online or go offline.
pub(crate) trait Hotplug: Send + Sync + 'static {
    /// Handles a CPU that has come online; an error takes it offline again.
    fn online(&self, cpu: Cpu) -> Result;

    /// Handles a CPU that is about to go offline; an error keeps it online.
    fn offline(&self, cpu: Cpu) -> Result;
}

impl<T: Hotplug> Hotplug for Arc<T> {
    fn online(&self, cpu: Cpu) -> Result {
        T::online(self, cpu)
    }

    fn offline(&self, cpu: Cpu) -> Result {
        T::offline(self, cpu)
    }
}

/// A state of CPU hotplug, removed on drop.
///
/// # Invariants
///
/// The number is of a multi-instance state set up with the callbacks of `T` below, to which only
/// nodes of a `Registration<T>` are added; all have been removed when this is dropped.
struct State(c_int);

impl State {
    /// Sets up a state, with no instance yet.
    fn new<T: Hotplug>(name: &'static CStr) -> Result<Self> {
        // SAFETY: The name is static, and the callbacks take what `Registration` adds.
        let state = unsafe {
            bindings::helper_cpuhp_setup_state_multi(
                name.as_char_ptr(),
                Some(online::<T>),
                Some(offline::<T>),
            )
        };
        // A dynamic state is positive.
        to_result(state)?;
        // INVARIANT: The number is the state's.
        Ok(Self(state))
    }
}

impl Drop for State {
    fn drop(&mut self) {
        // SAFETY: By the type invariant there is no instance left.
        unsafe { bindings::helper_cpuhp_remove_multi_state(self.0) };
    }
}

/// A registered handler.
///
/// # Invariants
///
/// `node` has been added to `state` and so every pointer to it in a callback is to this `node`.
#[pin_data(PinnedDrop)]
pub(crate) struct Registration<T: Hotplug> {
    #[pin]
    handler: T,
    state: State,
    // Last, so that the handler is in place when the callbacks begin.
    #[pin]
    node: Opaque<bindings::hlist_node>,
}

// SAFETY: Any thread may remove the node, and `T` may be sent.
unsafe impl<T: Hotplug> Send for Registration<T> {}

// SAFETY: C's part is not touched while registered, and `T` may be shared.
unsafe impl<T: Hotplug> Sync for Registration<T> {}

impl<T: Hotplug> Registration<T> {
    /// Calls [`Hotplug::online`] for each CPU that is online, and from then on as they come and go.
    ///
    /// # Errors
    ///
    /// That of the handler, after [`Hotplug::offline`] for the CPUs it had accepted; [`ENOSPC`] if
    /// the kernel has no state left.
    pub(crate) fn new<E>(
        name: &'static CStr,
        handler: impl PinInit<T, E>,
    ) -> impl PinInit<Self, Error>
    where
        Error: From<E>,
    {
        try_pin_init!(&this in Self {
            handler <- handler,
            state: State::new::<T>(name)?,
            // INVARIANT: Added here.
            node <- Opaque::try_ffi_init(|node: *mut bindings::hlist_node| {
                // SAFETY: `node` is memory for a list node, any contents of which are replaced.
                unsafe { node.write(bindings::hlist_node::default()) };
                // SAFETY: The field is initialised.
                let state = unsafe { (*this.as_ptr()).state.0 };
                // SAFETY: `node` is in a `Registration<T>` and stays there until it is removed.
                to_result(unsafe { bindings::helper_cpuhp_state_add_instance(state, node) })
            }),
        }? Error)
    }
}

impl<T: Hotplug> Deref for Registration<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.handler
    }
}

#[pinned_drop]
impl<T: Hotplug> PinnedDrop for Registration<T> {
    fn drop(self: Pin<&mut Self>) {
        // SAFETY: By the type invariant the node is one of the state's.
        unsafe {
            bindings::helper_cpuhp_state_remove_instance_nocalls(self.state.0, self.node.get())
        };
    }
}

/// Returns the handler of a callback.
///
/// # Safety
///
/// `node` must be that of a `Registration<T>` which stays registered for `'a`.
unsafe fn handler<'a, T: Hotplug>(node: *mut bindings::hlist_node) -> &'a T {
    let node = Opaque::cast_from(node).cast_mut();
    // SAFETY: By the function's contract `node` is in a `Registration<T>`.
    let registration = unsafe { container_of!(node, Registration<T>, node) };
    // SAFETY: By the function's contract the registration stays; its handler was initialised before
    // the node was added.
    unsafe { &(*registration).handler }
}

/// # Safety
///
/// Called by CPU hotplug for a node of a `Registration<T>`.
unsafe extern "C" fn online<T: Hotplug>(cpu: u32, node: *mut bindings::hlist_node) -> c_int {
    // SAFETY: By the function's contract; removal waits for callbacks.
    let handler: &T = unsafe { handler(node) };
    from_result(|| handler.online(Cpu::running(cpu)).map(|()| 0))
}

/// # Safety
///
/// Called by CPU hotplug for a node of a `Registration<T>`.
unsafe extern "C" fn offline<T: Hotplug>(cpu: u32, node: *mut bindings::hlist_node) -> c_int {
    // SAFETY: By the function's contract; removal waits for callbacks.
    let handler: &T = unsafe { handler(node) };
    from_result(|| handler.offline(Cpu::running(cpu)).map(|()| 0))
}
