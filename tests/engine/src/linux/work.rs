// SPDX-License-Identifier: GPL-2.0

//! Work that is deferred to process context.

use super::shared::Shared;
use crate::host::{host, Host, HostWork};
use kernel::{error::Error, prelude::*};
use std::sync::Arc;

/// Work to be done in process context.
pub(crate) trait Run: Send + Sync + 'static {
    /// Does the work.
    fn run(&self);
}

/// Work that can be scheduled, with its data.
pub(crate) type Work<T> = Shared<T, Scheduled>;

/// The work, which ends when this is dropped.
pub(crate) struct Scheduled(Arc<HostWork>);

impl<T: Run> Work<T> {
    /// Makes work that is not scheduled.
    pub(crate) fn new<E>(data: impl PinInit<T, E>) -> impl PinInit<Self, Error>
    where
        Error: From<E>,
    {
        Self::begin(data, |data| Ok(Scheduled(Host::work(data.clone()))))
    }

    /// Schedules the work, unless it is scheduled already.
    pub(crate) fn schedule(&self) {
        host().schedule(&self.callbacks.0);
    }

    /// Cancels the work, and waits for it if it runs.
    pub(crate) fn stop(&self) {
        self.callbacks.0.disable();
    }
}

impl Drop for Scheduled {
    fn drop(&mut self) {
        self.0.disable();
    }
}
