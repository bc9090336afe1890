// SPDX-License-Identifier: GPL-2.0

//! The handler of sleep, hibernation and shutdown.

use super::{context::IrqsOff, shared::Shared};
use crate::host::{host, plain};
use kernel::{error::Error, prelude::*};

/// A handler of changes that the whole computer makes.
pub(crate) trait Power: Send + Sync + 'static {
    /// Handles that the computer is going to sleep, or to hibernate.
    fn prepare(&self);

    /// Handles that registers may be lost from now on.
    fn suspend(&self, here: &IrqsOff);

    /// Handles that registers may have been lost.
    fn resume(&self, here: &IrqsOff);

    /// Handles that the computer is awake.
    fn wake(&self);

    /// Handles that the computer is about to reboot.
    fn shutdown(&self);
}

/// A registered handler.
pub(crate) type Registration<T> = Shared<T, Registered>;

/// The handler of the computer.
pub(crate) struct Registered;

impl<T: Power> Registration<T> {
    /// Registers a handler.
    pub(crate) fn new<E>(handler: impl PinInit<T, E>) -> impl PinInit<Self, Error>
    where
        Error: From<E>,
    {
        Self::begin(handler, |handler| {
            *plain(&host().power) = Some(handler.clone());
            Ok(Registered)
        })
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        *plain(&host().power) = None;
    }
}
