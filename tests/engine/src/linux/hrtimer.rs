// SPDX-License-Identifier: GPL-2.0

//! Timers that fire when a test lets time pass.

use super::context::IrqsOff;
use crate::host::{host, HostTimer};
use kernel::{
    error::Error,
    init::{closure, shared},
    prelude::*,
};
use std::{num::NonZeroU64, ops::Deref, sync::Arc};

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
pub(crate) struct Timer<T: Expire> {
    data: Arc<T>,
    timer: Arc<HostTimer>,
}

impl<T: Expire> Timer<T> {
    /// Makes a timer that is not armed.
    pub(crate) fn new<E>(data: impl PinInit<T, E>) -> impl PinInit<Self, Error>
    where
        Error: From<E>,
    {
        closure(move || {
            let data = shared(data)?;
            let expires = data.clone();
            let timer = host().timer(move |here| expires.expire(here));
            Ok(Self { data, timer })
        })
    }

    /// Arms the timer to fire on this CPU after `delay` nanoseconds; replaces an earlier time.
    pub(crate) fn start(&self, here: &IrqsOff, delay: u64) {
        self.timer.start(here.cpu().number(), delay);
    }

    /// Disarms the timer and waits for the callback if it is running.
    pub(crate) fn cancel(&self) {
        self.timer.cancel();
    }
}

impl<T: Expire> Deref for Timer<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.data
    }
}

impl<T: Expire> Drop for Timer<T> {
    fn drop(&mut self) {
        self.cancel();
    }
}
