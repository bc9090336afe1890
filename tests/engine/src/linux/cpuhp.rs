// SPDX-License-Identifier: GPL-2.0

//! Callbacks for CPUs that come online or go offline.

use super::topology::Cpu;
use crate::host::{self, host};
use kernel::{
    error::Error,
    init::closure,
    prelude::*, //
};
use std::{ops::Deref, sync::Arc};

/// A handler of CPUs that come online or go offline.
pub(crate) trait Hotplug: Send + Sync + 'static {
    /// Handles a CPU that has come online.
    fn online(&self, cpu: Cpu) -> Result;

    /// Handles a CPU that is about to go offline.
    fn offline(&self, cpu: Cpu) -> Result;
}

struct Callbacks<T>(Arc<T>);

impl<T: Hotplug> host::Hotplug for Callbacks<T> {
    fn online(&self, cpu: u32) -> Result {
        self.0.online(Cpu::running(cpu))
    }

    fn offline(&self, cpu: u32) -> Result {
        self.0.offline(Cpu::running(cpu))
    }
}

/// A registered handler.
pub(crate) struct Registration<T: Hotplug> {
    handler: Arc<T>,
    callbacks: Arc<dyn host::Hotplug>,
}

impl<T: Hotplug> Registration<T> {
    /// Calls the handler for each CPU that is online, and from then on as they come and go.
    pub(crate) fn new<E>(
        _name: &'static CStr,
        handler: impl PinInit<T, E>,
    ) -> impl PinInit<Self, Error>
    where
        Error: From<E>,
    {
        closure(move || {
            let handler = Arc::new(handler.make()?);
            let callbacks: Arc<dyn host::Hotplug> = Arc::new(Callbacks(handler.clone()));
            host().add_callbacks(callbacks.clone())?;
            Ok(Self { handler, callbacks })
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
