// SPDX-License-Identifier: GPL-2.0

//! Text files in debugfs that only root can read, and dialogs: files that take texts and answer.
//!
//! C header: [`include/linux/debugfs.h`](srctree/include/linux/debugfs.h)
//!
//! An open debugfs file of the kernel crate does not hold a reference to the module: closing it
//! after unload would use freed memory. An open file from here prevents unloading.
//!
//! No error is returned if debugfs is off or a file cannot be made. There is no file then, as is
//! usual for debugfs.
//!
//! # Contexts
//!
//! Made, read and removed in process context.
//!
//! # Lifetime
//!
//! Dropping a [`File`] removes it and waits for its readers. A directory is removed when it and all
//! its files were dropped, in any order. An open file keeps a loaded module, but not one that fails
//! to load: files are made last, when nothing can fail any more. So only [`Content`] can fail to be
//! made.

use super::{
    bindings,
    text::write_char, //
};
use kernel::{
    ffi::c_int,
    fmt,
    prelude::*,
    sync::Arc, //
};

/// The content of a file.
pub(crate) trait Print: Send + Sync + 'static {
    /// Prints the whole file; may sleep, and may be called again with a larger buffer.
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

impl<T: Print> Print for Arc<T> {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        T::print(self, f)
    }
}

/// A file or directory in debugfs.
///
/// # Invariants
///
/// The pointer is what debugfs returned for an entry that has not been removed yet: a dentry, or an
/// error.
struct Entry(*mut bindings::dentry);

// SAFETY: Debugfs locks for itself, and any thread may remove a file.
unsafe impl Send for Entry {}

// SAFETY: A shared entry can only be named as a parent, for which debugfs locks.
unsafe impl Sync for Entry {}

impl Drop for Entry {
    fn drop(&mut self) {
        // SAFETY: By the type invariant.
        unsafe { bindings::helper_debugfs_remove(self.0) };
    }
}

/// A directory at the top of debugfs.
pub(crate) struct Dir(Arc<Entry>);

impl Dir {
    /// Makes a directory.
    pub(crate) fn new(name: &CStr) -> Result<Self> {
        // SAFETY: `name` is a string; debugfs copies it.
        let entry = unsafe { bindings::helper_debugfs_create_dir(name.as_char_ptr()) };
        // INVARIANT: As debugfs gave it.
        Ok(Self(Arc::new(Entry(entry), GFP_KERNEL)?))
    }

    /// Makes a file in it.
    pub(crate) fn file<T: Print>(&self, name: &CStr, content: KBox<Content<T>>) -> File<T> {
        let raw = &raw const content.raw;
        // SAFETY: `name` is a string, the parent is still there; `raw` lives until the file has
        // been removed, since `File` drops the entry first.
        let entry =
            unsafe { bindings::helper_debugfs_create_text(name.as_char_ptr(), self.0 .0, raw) };
        File {
            // INVARIANT: As debugfs gave it.
            _entry: Entry(entry),
            _content: content,
            _dir: self.0.clone(),
        }
    }
}

/// A file, removed when this is dropped.
pub(crate) struct File<T> {
    // Before the content, whose readers it waits for, and the directory it is in.
    _entry: Entry,
    _content: KBox<Content<T>>,
    _dir: Arc<Entry>,
}

/// The data of a file, with the callback for C.
#[repr(C)]
pub(crate) struct Content<T> {
    raw: bindings::helper_text,
    data: T,
}

impl<T: Print> Content<T> {
    /// Makes the content of a file.
    ///
    /// # Errors
    ///
    /// [`ENOMEM`].
    pub(crate) fn new(data: T) -> Result<KBox<Self>> {
        let raw = bindings::helper_text {
            print: Some(print::<T>),
        };
        Ok(KBox::new(Self { raw, data }, GFP_KERNEL)?)
    }
}

/// The output of a file that is being printed.
///
/// # Invariants
///
/// The pointer is valid while this exists.
struct Sequence(*mut bindings::seq_file);

impl fmt::Write for Sequence {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // SAFETY: Valid by the type invariant. If the text does not fit, `seq_file` notes that and
        // calls again with a larger buffer.
        unsafe { bindings::seq_write(self.0, text.as_ptr().cast(), text.len()) };
        Ok(())
    }

    fn write_char(&mut self, character: char) -> fmt::Result {
        write_char(self, character)
    }
}

/// # Safety
///
/// Called through `helper_text::print` of a `Content<T>`, with a valid `file`.
unsafe extern "C" fn print<T: Print>(
    file: *mut bindings::seq_file,
    text: *const bindings::helper_text,
) -> c_int {
    // SAFETY: By the function's contract `text` is the `raw` of a `Content`, at its start.
    let content = unsafe { &*text.cast::<Content<T>>() };
    // INVARIANT: By the function's contract `file` is valid.
    let mut out = Sequence(file);
    let printed = fmt::Write::write_fmt(&mut out, fmt!("{}", Printed(&content.data)));
    printed.map_or(EIO.to_errno(), |()| 0)
}

/// Implements `{}` for the content of a file.
struct Printed<'a, T>(&'a T);

impl<T: Print> fmt::Display for Printed<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.print(f)
    }
}
