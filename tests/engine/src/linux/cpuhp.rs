// SPDX-License-Identifier: GPL-2.0

//! Callbacks for CPUs that come online or go offline.

use super::topology::Cpu;
use crate::host::{self, host};
use kernel::{
    error::Error,
    init::{closure, shared},
    prelude::*, //
};
use std::{
    marker::PhantomData,
    ops::Deref,
    sync::{atomic::Ordering::Relaxed, Arc},
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

struct Callbacks<T>(Arc<T>);

impl<T: Hotplug> host::Hotplug for Callbacks<T> {
    fn online(&self, cpu: u32) {
        self.0.online(Cpu::running(cpu));
    }

    fn offline(&self, cpu: u32) {
        self.0.offline(Cpu::running(cpu));
    }

    fn release(&self, cpu: u32) {
        self.0.release(Cpu::running(cpu));
    }
}

/// The state that the kernel's own driver has, too.
pub(crate) struct State<T>(PhantomData<T>);

impl<T: Hotplug> State<T> {
    /// Takes the state, if no other module has it.
    pub(crate) fn take(_name: &'static CStr) -> Result<Self> {
        let taken = host().cpuhp_state.swap(true, Relaxed);
        if taken {
            Err(EBUSY)
        } else {
            Ok(Self(PhantomData))
        }
    }
}

impl<T> Drop for State<T> {
    fn drop(&mut self) {
        host().cpuhp_state.store(false, Relaxed);
    }
}

/// A registered handler.
pub(crate) struct Registration<T: Hotplug> {
    handler: Arc<T>,
    callbacks: Arc<dyn host::Hotplug>,
    _state: State<T>,
}

impl<T: Hotplug> Registration<T> {
    /// Calls the handler for each CPU that is online, and from then on as they come and go.
    pub(crate) fn new<E>(state: State<T>, handler: impl PinInit<T, E>) -> impl PinInit<Self, Error>
    where
        Error: From<E>,
    {
        closure(move || {
            let handler = shared(handler)?;
            let callbacks: Arc<dyn host::Hotplug> = Arc::new(Callbacks(handler.clone()));
            host().add_callbacks(callbacks.clone());
            Ok(Self {
                handler,
                callbacks,
                _state: state,
            })
        })
    }
}

impl<T: Hotplug> Deref for Registration<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.handler
    }
}

impl<T: Hotplug> Drop for Registration<T> {
    fn drop(&mut self) {
        host().remove_callbacks(&self.callbacks);
    }
}
