// SPDX-License-Identifier: GPL-2.0

//! Data of the driver that callbacks share with it.

use kernel::{
    error::Error,
    init::{closure, shared},
    prelude::*,
};
use std::{ops::Deref, sync::Arc};

/// Data with its callbacks, which end when this is dropped, before the data is.
pub(crate) struct Shared<T, Callbacks> {
    pub(super) callbacks: Callbacks,
    pub(super) data: Arc<T>,
}

impl<T, Callbacks> Shared<T, Callbacks> {
    /// Makes the data and lets `begin` register its callbacks.
    pub(super) fn begin<E>(
        data: impl PinInit<T, E>,
        begin: impl FnOnce(&Arc<T>) -> Result<Callbacks>,
    ) -> impl PinInit<Self, Error>
    where
        Error: From<E>,
    {
        closure(move || {
            let data = shared(data)?;
            let callbacks = begin(&data)?;
            Ok(Self { callbacks, data })
        })
    }
}

impl<T, Callbacks> Deref for Shared<T, Callbacks> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.data
    }
}
