// SPDX-License-Identifier: GPL-2.0

//! Callbacks for CPUs that come online or go offline.

use super::{shared::Shared, topology::Cpu};
use crate::host::host;
use kernel::{error::Error, prelude::*};
use std::{
    marker::PhantomData,
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
pub(crate) type Registration<T> = Shared<T, Callbacks<T>>;

/// The callbacks of the computer, with the state.
pub(crate) struct Callbacks<T>(Arc<dyn Hotplug>, State<T>);

impl<T: Hotplug> Registration<T> {
    /// Calls the handler for each CPU that is online, and from then on as they come and go.
    pub(crate) fn new<E>(state: State<T>, handler: impl PinInit<T, E>) -> impl PinInit<Self, Error>
    where
        Error: From<E>,
    {
        Self::begin(handler, move |handler| {
            host().add_callbacks(handler.clone());
            Ok(Callbacks(handler.clone(), state))
        })
    }
}

impl<T> Drop for Callbacks<T> {
    fn drop(&mut self) {
        host().remove_callbacks(&self.0);
    }
}
