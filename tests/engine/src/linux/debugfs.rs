// SPDX-License-Identifier: GPL-2.0

//! Text files in debugfs.

use crate::host::{host, plain};
use kernel::{error::code::ENOENT, fmt, prelude::*};
use std::{marker::PhantomData, sync::Arc};

/// The content of a file.
pub(crate) trait Print: Send + Sync + 'static {
    /// Prints the whole file.
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

/// A file that takes texts and answers each.
pub(crate) trait Dialog: Print {
    /// Begins the use of the file.
    fn begin(&self) -> Result;

    /// Takes a text.
    fn take(&self, text: &[u8]) -> Result;

    /// Ends the use of the file.
    fn end(&self);
}

/// A dialog that a program has open; it is closed when this is dropped.
pub(crate) struct OpenDialog(Arc<dyn Dialog>);

impl OpenDialog {
    /// Opens a dialog.
    pub(crate) fn open(name: &str) -> Result<Self> {
        let dialog = plain(&host().dialogs).get(name).cloned().ok_or(ENOENT)?;
        dialog.begin()?;
        Ok(Self(dialog))
    }

    /// Writes a text.
    pub(crate) fn write(&self, text: &str) -> Result {
        self.0.take(text.as_bytes())
    }

    /// Reads the answer.
    pub(crate) fn read(&self) -> String {
        struct Answer<'a>(&'a dyn Dialog);

        impl fmt::Display for Answer<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.print(f)
            }
        }

        Answer(&*self.0).to_string()
    }
}

impl Drop for OpenDialog {
    fn drop(&mut self) {
        self.0.end();
    }
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

    /// Makes a file in it that takes texts.
    pub(crate) fn dialog<T: Dialog>(&self, name: &CStr, content: Content<T>) -> DialogFile<T> {
        let name = name.to_string_lossy().into_owned();
        plain(&host().dialogs).insert(name.clone(), content.0);
        DialogFile(name, PhantomData)
    }
}

/// The data of a file.
pub(crate) struct Content<T>(Arc<T>);

impl<T: Print> Content<T> {
    /// Makes the content of a file.
    pub(crate) fn new(data: T) -> Result<Self> {
        Ok(Self(Arc::new(data)))
    }

    /// Makes the content of a file that takes texts.
    pub(crate) fn of_dialog(data: T) -> Result<Self> {
        Self::new(data)
    }
}

/// A file that takes texts, removed when this is dropped.
pub(crate) struct DialogFile<T>(String, PhantomData<T>);

impl<T> Drop for DialogFile<T> {
    fn drop(&mut self) {
        plain(&host().dialogs).remove(&self.0);
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
