// SPDX-License-Identifier: GPL-2.0

//! Timers that fire when a test lets time pass.

use super::{context::IrqsOff, shared::Shared};
use crate::host::{host, HostTimer};
use kernel::{error::Error, prelude::*};
use std::{num::NonZeroU64, sync::Arc};

/// A handler of a timer.
pub(crate) trait Expire: Send + Sync + 'static {
    /// Handles the end of the time.
    fn expire(&self, here: &IrqsOff) -> Again;
}

/// The next time at which a timer fires.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Again {
    /// Not before it is started again.
    Never,
    /// After this number of nanoseconds.
    After(NonZeroU64),
}

/// A timer with its handler.
pub(crate) type Timer<T> = Shared<T, Armed>;

/// The timer, which is disarmed when this is dropped.
pub(crate) struct Armed(Arc<HostTimer>);

impl<T: Expire> Timer<T> {
    /// Makes a timer that is not armed.
    pub(crate) fn new<E>(data: impl PinInit<T, E>) -> impl PinInit<Self, Error>
    where
        Error: From<E>,
    {
        Self::begin(data, |data| Ok(Armed(host().timer(data.clone()))))
    }

    /// Arms the timer to fire on this CPU after `delay` nanoseconds; replaces an earlier time.
    pub(crate) fn start(&self, here: &IrqsOff, delay: u64) {
        self.callbacks.0.start(here.cpu().number(), delay);
    }

    /// Disarms the timer and waits for the callback if it is running.
    pub(crate) fn cancel(&self) {
        self.callbacks.0.cancel();
    }
}

impl Drop for Armed {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
