// SPDX-License-Identifier: GPL-2.0

//! Text files in debugfs.

use crate::host::{host, plain};
use kernel::{fmt, prelude::*};
use std::sync::Arc;

/// The content of a file.
pub(crate) trait Print: Send + Sync + 'static {
    /// Prints the whole file.
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

struct Printed<T>(Arc<T>);

impl<T: Print> fmt::Display for Printed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.print(f)
    }
}

/// A directory at the top of debugfs.
pub(crate) struct Dir;

impl Dir {
    /// Makes a directory.
    pub(crate) fn new(_name: &CStr) -> Result<Self> {
        Ok(Self)
    }

    /// Makes a file in it.
    pub(crate) fn file<T: Print>(&self, name: &CStr, content: Content<T>) -> File<T> {
        let name = name.to_string_lossy().into_owned();
        let Content(data) = content;
        plain(&host().debugfs).insert(name.clone(), Arc::new(Printed(data.clone())));
        File { name, _data: data }
    }
}

/// The data of a file.
pub(crate) struct Content<T>(Arc<T>);

impl<T: Print> Content<T> {
    /// Makes the content of a file.
    pub(crate) fn new(data: T) -> Result<Self> {
        Ok(Self(Arc::new(data)))
    }
}

/// A file, removed when this is dropped.
pub(crate) struct File<T: Print> {
    name: String,
    _data: Arc<T>,
}

impl<T: Print> Drop for File<T> {
    fn drop(&mut self) {
        plain(&host().debugfs).remove(&self.name);
    }
}
