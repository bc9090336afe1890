// SPDX-License-Identifier: GPL-2.0

//! Callbacks for CPUs that come online or go offline.
//!
//! C header: [`include/linux/cpuhotplug.h`](srctree/include/linux/cpuhotplug.h)
//!
//! # Contexts
//!
//! All callbacks run on the CPU in question, in process context, and may sleep. Perf is active on
//! that CPU throughout.
//!
//! # Lifetime
//!
//! A [`State`] belongs to one module at a time. Dropping a [`Registration`] calls
//! [`Hotplug::release`] for each CPU that is online, and waits.

use super::{
    atomic::{
        AtomicBool,
        Ordering, //
    },
    bindings,
    topology::Cpu, //
};
use core::{
    marker::PhantomData,
    ops::Deref, //
};
use kernel::{
    container_of,
    error::to_result,
    ffi::c_int,
    prelude::*,
    types::Opaque, //
};

/// A handler of CPUs that come online or go offline.
pub(crate) trait Hotplug: Send + Sync + 'static {
    /// Handles a CPU that has come online.
    fn online(&self, cpu: Cpu);

    /// Handles a CPU that is about to go offline.
    fn offline(&self, cpu: Cpu);

    /// Handles a CPU that stays online, as the handler is about to be removed.
    fn release(&self, cpu: Cpu);
}

/// The state of CPU hotplug of the kernel's own driver of uncore PMUs, given back on drop.
///
/// That driver does not load while another module has the state, and has the state while it is
/// loaded. On the way up its callbacks come after those of perf, on the way down before them.
///
/// # Invariants
///
/// The state was set up as a multi-instance state with the callbacks of `T` below, and only nodes of
/// a `Registration<T>` are added; all have been removed when this is dropped.
pub(crate) struct State<T: Hotplug>(PhantomData<T>);

impl<T: Hotplug> State<T> {
    /// Takes the state, with no instance yet.
    ///
    /// # Errors
    ///
    /// [`EBUSY`] if another module has it.
    pub(crate) fn take(name: &'static CStr) -> Result<Self> {
        // SAFETY: The name is static, and the callbacks take what `Registration` adds.
        to_result(unsafe {
            bindings::helper_cpuhp_setup_state_multi(
                name.as_char_ptr(),
                Some(online::<T>),
                Some(offline::<T>),
            )
        })?;
        // INVARIANT: Just set up.
        Ok(Self(PhantomData))
    }
}

impl<T: Hotplug> Drop for State<T> {
    fn drop(&mut self) {
        // SAFETY: By the type invariant there is no instance left.
        unsafe { bindings::helper_cpuhp_remove_multi_state() };
    }
}

/// A registered handler.
///
/// # Invariants
///
/// `node` has been added to the state and so every pointer to it in a callback is to this `node`.
#[pin_data(PinnedDrop)]
pub(crate) struct Registration<T: Hotplug> {
    #[pin]
    handler: T,
    /// The registration is being dropped.
    removed: AtomicBool,
    _state: State<T>,
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
    pub(crate) fn new<E>(state: State<T>, handler: impl PinInit<T, E>) -> impl PinInit<Self, Error>
    where
        Error: From<E>,
    {
        try_pin_init!(Self {
            handler <- handler,
            removed: AtomicBool::new(false),
            _state: state,
            // INVARIANT: Added here.
            node <- Opaque::try_ffi_init(|node: *mut bindings::hlist_node| {
                // SAFETY: `node` is memory for a list node, any contents of which are replaced.
                unsafe { node.write(bindings::hlist_node::default()) };
                // SAFETY: `node` is in a `Registration<T>` and stays there until it is removed; this
                // has the state.
                to_result(unsafe { bindings::helper_cpuhp_state_add_instance(node) })
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
        self.removed.store(true, Ordering::Relaxed);
        // SAFETY: By the type invariant the node is one of the state's.
        unsafe { bindings::helper_cpuhp_state_remove_instance(self.node.get()) };
    }
}

/// Returns the registration of a callback.
///
/// # Safety
///
/// `node` must be that of a `Registration<T>` which stays registered for `'a`, or is being dropped
/// and has not removed the node yet.
unsafe fn registration<'a, T: Hotplug>(node: *mut bindings::hlist_node) -> &'a Registration<T> {
    let node = Opaque::cast_from(node).cast_mut();
    // SAFETY: By the function's contract `node` is in a `Registration<T>`.
    let registration = unsafe { container_of!(node, Registration<T>, node) };
    // SAFETY: By the function's contract the registration stays; all other fields were initialised
    // before the node was added.
    unsafe { &*registration }
}

/// # Safety
///
/// Called by CPU hotplug for a node of a `Registration<T>`.
unsafe extern "C" fn online<T: Hotplug>(cpu: u32, node: *mut bindings::hlist_node) -> c_int {
    // SAFETY: By the function's contract; removal waits for callbacks.
    let registration = unsafe { registration::<T>(node) };
    registration.handler.online(Cpu::running(cpu));
    0
}

/// # Safety
///
/// Called by CPU hotplug for a node of a `Registration<T>`.
unsafe extern "C" fn offline<T: Hotplug>(cpu: u32, node: *mut bindings::hlist_node) -> c_int {
    // SAFETY: By the function's contract; removal waits for callbacks.
    let registration = unsafe { registration::<T>(node) };
    let (handler, cpu) = (&registration.handler, Cpu::running(cpu));
    if registration.removed.load(Ordering::Relaxed) {
        handler.release(cpu);
    } else {
        handler.offline(cpu);
    }
    0
}
