// SPDX-License-Identifier: GPL-2.0

//! A text file in the module's directory in sysfs that all users can read.
//!
//! C headers: [`include/linux/module.h`](srctree/include/linux/module.h),
//! [`include/linux/sysfs.h`](srctree/include/linux/sysfs.h)
//!
//! # Contexts
//!
//! Made, read and removed in process context. The current task of [`Show::show`] is the reader.
//!
//! # Lifetime
//!
//! Dropping a [`ModuleFile`] removes it and waits for its readers.

use super::{
    bindings,
    sysfs::print_into, //
};
use kernel::{
    error::to_result,
    ffi::c_char,
    fmt,
    prelude::*, //
};

/// The content of a file.
pub(crate) trait Show: Send + Sync + 'static {
    /// Prints the whole file, which is not longer than a page, final newline included.
    fn show(&self, out: &mut dyn fmt::Write) -> fmt::Result;
}

/// A file, removed when this is dropped.
///
/// # Invariants
///
/// `content.raw` is a file in sysfs whose `show` is [`show::<T>`](show).
pub(crate) struct ModuleFile<T: Show> {
    content: KBox<Content<T>>,
}

/// The data of a file, with what the kernel has of it.
#[repr(C)]
struct Content<T> {
    raw: bindings::helper_module_file,
    data: T,
}

impl<T: Show> ModuleFile<T> {
    /// Makes a file.
    ///
    /// # Errors
    ///
    /// [`EEXIST`] if the directory has one of that name, [`ENOMEM`].
    pub(crate) fn new(name: &'static CStr, data: T) -> Result<Self> {
        let raw = bindings::helper_module_file {
            show: Some(show::<T>),
            ..bindings::helper_module_file::default()
        };
        let mut content = KBox::new(Content { raw, data }, GFP_KERNEL)?;
        let raw = &raw mut content.raw;
        // SAFETY: `raw` lives until the file was removed, as its box is dropped after that; `name` is
        // static. The module's directory is there while the module is loaded.
        let made = unsafe { bindings::helper_module_file_create(raw, name.as_char_ptr()) };
        to_result(made)?;
        // INVARIANT: The file was made, with that `show`.
        Ok(Self { content })
    }
}

impl<T: Show> Drop for ModuleFile<T> {
    fn drop(&mut self) {
        // SAFETY: By the type invariant it is a file in sysfs.
        unsafe { bindings::helper_module_file_remove(&raw const self.content.raw) };
    }
}

/// # Safety
///
/// Called through `helper_module_file::show` of a `Content<T>`, with the page that sysfs gives.
unsafe extern "C" fn show<T: Show>(
    file: *const bindings::helper_module_file,
    page: *mut c_char,
) -> isize {
    // SAFETY: By the function's contract `file` is the `raw` of a `Content`, at its start. Removing
    // the file waits for this call.
    let content = unsafe { &*file.cast::<Content<T>>() };
    // SAFETY: Sysfs gives the page, zeroed, for the duration of the call.
    unsafe { print_into(page, |page| content.data.show(page)) }
}
