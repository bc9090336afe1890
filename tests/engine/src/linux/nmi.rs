// SPDX-License-Identifier: GPL-2.0

//! The handler of NMIs.

use super::{
    context::{Nmi, Pinned},
    shared::Shared,
};
use crate::host::host;
use kernel::{error::Error, prelude::*};
use std::sync::atomic::Ordering::Relaxed;

/// A handler of NMIs.
pub(crate) trait Handle: Send + Sync + 'static {
    /// Handles an NMI on this CPU.
    fn handle(&self, here: &Nmi) -> Claimed;
}

/// The answer of a handler to an NMI.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Claimed {
    /// The NMI was from the handler's source.
    Yes,
    /// The NMI was not from the handler's source, as far as it can tell.
    No,
}

/// Returns whether the chipset reports that it has sent an NMI.
pub(crate) fn is_of_chipset(_here: &impl Pinned) -> bool {
    host().chipset_nmi.load(Relaxed)
}

/// A registered handler.
pub(crate) type Registration<T> = Shared<T, Registered>;

/// The handler of the computer.
pub(crate) struct Registered;

impl<T: Handle> Registration<T> {
    /// Registers a handler.
    pub(crate) fn new<E>(
        _name: &'static CStr,
        handler: impl PinInit<T, E>,
    ) -> impl PinInit<Self, Error>
    where
        Error: From<E>,
    {
        Self::begin(handler, |handler| {
            if !host().set_nmi_handler(handler.clone()) {
                return Err(EBUSY);
            }
            Ok(Registered)
        })
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        host().remove_nmi_handler();
    }
}
