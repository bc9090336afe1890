// SPDX-License-Identifier: GPL-2.0

//! Work that is deferred to process context.

use crate::host::{host, Host, HostWork};
use kernel::{
    error::Error,
    init::{closure, shared},
    prelude::*,
};
use std::{ops::Deref, sync::Arc};

/// Work to be done in process context.
pub(crate) trait Run: Send + Sync + 'static {
    /// Does the work.
    fn run(&self);
}

/// Work that can be scheduled, with its data.
pub(crate) struct Work<T: Run> {
    data: Arc<T>,
    work: Arc<HostWork>,
}

impl<T: Run> Work<T> {
    /// Makes work that is not scheduled.
    pub(crate) fn new<E>(data: impl PinInit<T, E>) -> impl PinInit<Self, Error>
    where
        Error: From<E>,
    {
        closure(move || {
            let data = shared(data)?;
            let runs = data.clone();
            let work = Host::work(move || runs.run());
            Ok(Self { data, work })
        })
    }

    /// Schedules the work, unless it is scheduled already.
    pub(crate) fn schedule(&self) {
        host().schedule(&self.work);
    }

    /// Cancels the work, and waits for it if it runs.
    pub(crate) fn stop(&self) {
        self.work.disable();
    }
}

impl<T: Run> Deref for Work<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.data
    }
}

impl<T: Run> Drop for Work<T> {
    fn drop(&mut self) {
        self.stop();
    }
}
