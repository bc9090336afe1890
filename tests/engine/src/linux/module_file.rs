// SPDX-License-Identifier: GPL-2.0

//! Text files in the module's directory in sysfs.

use crate::host::{host, plain};
use kernel::{fmt, prelude::*};
use std::{marker::PhantomData, sync::Arc};

/// The content of a file.
pub(crate) trait Show: Send + Sync + 'static {
    /// Prints the whole file.
    fn show(&self, out: &mut dyn fmt::Write) -> fmt::Result;
}

/// A file, removed when this is dropped.
pub(crate) struct ModuleFile<T: Show>(String, PhantomData<T>);

impl<T: Show> ModuleFile<T> {
    /// Makes a file.
    pub(crate) fn new(name: &CStr, data: T) -> Result<Self> {
        let name = name.to_string_lossy().into_owned();
        plain(&host().module_files).insert(name.clone(), Arc::new(data));
        Ok(Self(name, PhantomData))
    }
}

impl<T: Show> Drop for ModuleFile<T> {
    fn drop(&mut self) {
        plain(&host().module_files).remove(&self.0);
    }
}
