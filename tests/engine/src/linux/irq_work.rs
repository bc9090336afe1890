// SPDX-License-Identifier: GPL-2.0

//! Work that an NMI leaves to an interrupt of the same CPU.

use super::{
    context::{IrqsOff, Pinned},
    shared::Shared,
};
use crate::host::host;
use kernel::{error::Error, prelude::*};
use std::sync::{
    atomic::{AtomicBool, Ordering::Relaxed},
    Arc,
};

/// Work to be done in an interrupt.
pub(crate) trait Run: Send + Sync + 'static {
    /// Does the work, or a part of it.
    fn run(&self, here: &IrqsOff) -> Left;
}

/// The rest of the work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Left {
    /// Nothing.
    Nothing,
    /// Some, for another interrupt.
    Some,
}

/// Work that can be queued, with its data.
pub(crate) type IrqWork<T> = Shared<T, Queued>;

/// State of work: it is true while the work is queued. Dropping this waits for the work.
#[derive(Default)]
pub(crate) struct Queued(Arc<AtomicBool>);

impl<T: Run> IrqWork<T> {
    /// Makes work that is not queued.
    pub(crate) fn new<E>(data: impl PinInit<T, E>) -> impl PinInit<Self, Error>
    where
        Error: From<E>,
    {
        Self::begin(data, |_| Ok(Queued::default()))
    }

    /// Queues the work on this CPU, unless it is queued already.
    pub(crate) fn queue(&self, here: &impl Pinned) {
        queue(&self.data, &self.callbacks.0, here.number());
    }
}

fn queue<T: Run>(data: &Arc<T>, queued: &Arc<AtomicBool>, cpu: u32) {
    if queued.swap(true, Relaxed) {
        return;
    }
    let (data, queued) = (data.clone(), queued.clone());
    let run = move |here: &IrqsOff| {
        queued.store(false, Relaxed);
        if data.run(here) == Left::Some {
            queue(&data, &queued, here.cpu().number());
        }
    };
    host().interrupt(cpu, Arc::new(run));
}

impl Drop for Queued {
    fn drop(&mut self) {
        host().synchronize();
    }
}
