// SPDX-License-Identifier: GPL-2.0

//! Work that an NMI leaves to an interrupt of the same CPU.

use super::context::{IrqsOff, Pinned};
use crate::host::host;
use kernel::{error::Error, init::closure, prelude::*};
use std::{
    ops::Deref,
    sync::{
        atomic::{AtomicBool, Ordering::Relaxed},
        Arc,
    },
};

/// Work to be done in an interrupt.
pub(crate) trait Run: Send + Sync + 'static {
    /// Does the work.
    fn run(&self, here: &IrqsOff);
}

/// Work that can be queued, with its data.
pub(crate) struct IrqWork<T: Run> {
    data: Arc<T>,
    queued: Arc<AtomicBool>,
}

impl<T: Run> IrqWork<T> {
    /// Makes work that is not queued.
    pub(crate) fn new<E>(data: impl PinInit<T, E>) -> impl PinInit<Self, Error>
    where
        Error: From<E>,
    {
        closure(move || {
            Ok(Self {
                data: Arc::new(data.make()?),
                queued: Arc::default(),
            })
        })
    }

    /// Queues the work on this CPU, unless it is queued already.
    pub(crate) fn queue(&self, here: &impl Pinned) {
        if self.queued.swap(true, Relaxed) {
            return;
        }
        let (data, queued) = (self.data.clone(), self.queued.clone());
        let run = move |here: &IrqsOff| {
            queued.store(false, Relaxed);
            data.run(here);
        };
        host().interrupt(here.number(), Arc::new(run));
    }
}

impl<T: Run> Deref for IrqWork<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.data
    }
}

impl<T: Run> Drop for IrqWork<T> {
    fn drop(&mut self) {
        host().synchronize();
    }
}
