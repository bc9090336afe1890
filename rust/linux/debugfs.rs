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
//! Made, read, written and removed in process context.
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
    error::from_result,
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

/// A file that takes texts and answers each. Only users with `CAP_SYS_RAWIO` may open it, and nobody
/// while lockdown keeps root from the hardware.
pub(crate) trait Dialog: Print {
    /// Begins the use of the file, when it is opened.
    ///
    /// # Errors
    ///
    /// The error with which the file cannot be opened.
    fn begin(&self) -> Result;

    /// Takes a text of at most 8 KiB; [`Print::print`] then prints the answer.
    ///
    /// # Errors
    ///
    /// The error of the write.
    fn take(&self, text: &[u8]) -> Result;

    /// Ends the use of the file, when it is closed, unless the file was removed before.
    fn end(&self);
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
        self.made(entry, content)
    }

    /// Makes a file in it that takes texts.
    pub(crate) fn dialog<T: Dialog>(
        &self,
        name: &CStr,
        content: KBox<Content<T, bindings::helper_dialog>>,
    ) -> DialogFile<T> {
        let raw = &raw const content.raw;
        // SAFETY: As in `file`.
        let entry =
            unsafe { bindings::helper_debugfs_create_dialog(name.as_char_ptr(), self.0 .0, raw) };
        self.made(entry, content)
    }

    /// Owns a file that debugfs has made.
    fn made<T, R>(&self, entry: *mut bindings::dentry, content: KBox<Content<T, R>>) -> File<T, R> {
        File {
            // INVARIANT: As debugfs gave it.
            _entry: Entry(entry),
            _content: content,
            _dir: self.0.clone(),
        }
    }
}

/// A file, removed when this is dropped.
pub(crate) struct File<T, R = bindings::helper_text> {
    // Before the content, whose readers it waits for, and the directory it is in.
    _entry: Entry,
    _content: KBox<Content<T, R>>,
    _dir: Arc<Entry>,
}

/// A file that takes texts.
pub(crate) type DialogFile<T> = File<T, bindings::helper_dialog>;

/// The data of a file, with the callbacks for C.
#[repr(C)]
pub(crate) struct Content<T, R = bindings::helper_text> {
    raw: R,
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

impl<T: Dialog> Content<T, bindings::helper_dialog> {
    /// Makes the content of a file that takes texts.
    ///
    /// # Errors
    ///
    /// [`ENOMEM`].
    pub(crate) fn of_dialog(data: T) -> Result<KBox<Self>> {
        let raw = bindings::helper_dialog {
            begin: Some(begin::<T>),
            take: Some(take::<T>),
            print: Some(print_answer::<T>),
            end: Some(end::<T>),
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
/// Called through `helper_text::print` of a `Content<T, helper_text>`, with a valid `file`.
unsafe extern "C" fn print<T: Print>(
    file: *mut bindings::seq_file,
    text: *const bindings::helper_text,
) -> c_int {
    // SAFETY: By the function's contract `text` is the `raw` of a `Content`, at its start.
    let content = unsafe { &*text.cast::<Content<T, bindings::helper_text>>() };
    // INVARIANT: By the function's contract `file` is valid.
    print_into(&content.data, Sequence(file))
}

/// Prints the content of a file, and returns 0 or an error.
fn print_into<T: Print>(data: &T, mut out: Sequence) -> c_int {
    let printed = fmt::Write::write_fmt(&mut out, fmt!("{}", Printed(data)));
    printed.map_or(EIO.to_errno(), |()| 0)
}

/// Returns the data of a dialog.
///
/// # Safety
///
/// `dialog` must be the `raw` of a `Content<T, helper_dialog>` that lives while it is used.
unsafe fn data_of<'a, T>(dialog: *const bindings::helper_dialog) -> &'a T {
    // SAFETY: By the function's contract; `raw` is at the start of the content.
    let content = unsafe { &*dialog.cast::<Content<T, bindings::helper_dialog>>() };
    &content.data
}

/// # Safety
///
/// Called through `helper_dialog::begin` of a `Content<T, helper_dialog>`.
unsafe extern "C" fn begin<T: Dialog>(dialog: *const bindings::helper_dialog) -> c_int {
    // SAFETY: By the function's contract; debugfs keeps the file while it is opened.
    let data = unsafe { data_of::<T>(dialog) };
    from_result(|| data.begin().map(|()| 0))
}

/// # Safety
///
/// Called through `helper_dialog::take` of a `Content<T, helper_dialog>`, with a `text` of `length`
/// bytes.
unsafe extern "C" fn take<T: Dialog>(
    dialog: *const bindings::helper_dialog,
    text: *const u8,
    length: usize,
) -> c_int {
    if length == 0 {
        return EINVAL.to_errno();
    }
    // SAFETY: By the function's contract; debugfs keeps the file while it is written.
    let data = unsafe { data_of::<T>(dialog) };
    // SAFETY: By the function's contract there are `length` bytes, which nothing changes.
    let text = unsafe { core::slice::from_raw_parts(text, length) };
    from_result(|| data.take(text).map(|()| 0))
}

/// # Safety
///
/// Called through `helper_dialog::print` of a `Content<T, helper_dialog>`, with a valid `file`.
unsafe extern "C" fn print_answer<T: Dialog>(
    file: *mut bindings::seq_file,
    dialog: *const bindings::helper_dialog,
) -> c_int {
    // SAFETY: By the function's contract; debugfs keeps the file while it is read.
    let data = unsafe { data_of::<T>(dialog) };
    // INVARIANT: By the function's contract `file` is valid.
    print_into(data, Sequence(file))
}

/// # Safety
///
/// Called through `helper_dialog::end` of a `Content<T, helper_dialog>`.
unsafe extern "C" fn end<T: Dialog>(dialog: *const bindings::helper_dialog) {
    // SAFETY: By the function's contract; C keeps the file meanwhile.
    let data = unsafe { data_of::<T>(dialog) };
    data.end();
}

/// Implements `{}` for the content of a file.
struct Printed<'a, T>(&'a T);

impl<T: Print> fmt::Display for Printed<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.print(f)
    }
}
