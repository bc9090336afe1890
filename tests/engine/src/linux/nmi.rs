// SPDX-License-Identifier: GPL-2.0

//! The handler of NMIs.

use super::context::{Nmi, Pinned};
use crate::host::host;
use kernel::{
    error::Error,
    init::{closure, shared},
    prelude::*,
};
use std::{
    ops::Deref,
    sync::{atomic::Ordering::Relaxed, Arc},
};

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
pub(crate) struct Registration<T: Handle>(Arc<T>);

impl<T: Handle> Registration<T> {
    /// Registers a handler.
    pub(crate) fn new<E>(
        _name: &'static CStr,
        handler: impl PinInit<T, E>,
    ) -> impl PinInit<Self, Error>
    where
        Error: From<E>,
    {
        closure(move || {
            let handler = shared(handler)?;
            let handle = handler.clone();
            if !host().set_nmi_handler(Arc::new(move |here| handle.handle(here))) {
                return Err(EBUSY);
            }
            Ok(Self(handler))
        })
    }
}

impl<T: Handle> Deref for Registration<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Handle> Drop for Registration<T> {
    fn drop(&mut self) {
        host().remove_nmi_handler();
    }
}
