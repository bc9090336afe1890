// SPDX-License-Identifier: GPL-2.0

//! A PMU's sysfs files, made at run time from tables.
//!
//! C header: [`include/linux/sysfs.h`](srctree/include/linux/sysfs.h)
//!
//! PMUs of one kind share one [`Groups`], as their files have the same names. The content of a file
//! comes from the PMU that is read, by [`Pmu::show`].
//!
//! # Contexts
//!
//! Process context, to make and to read the files.
//!
//! # Lifetime
//!
//! A registered PMU holds a reference. The driver core removes the files, and waits for readers,
//! while the PMU is being unregistered.

use super::{
    bindings,
    perf::{
        self,
        Pmu, //
    },
};
use core::ptr;
use kernel::{
    container_of,
    ffi::c_char,
    fmt,
    page::PAGE_SIZE,
    prelude::*,
    str::{
        CStr,
        CString, //
    },
    sync::Arc, //
};

/// Access mode of the files: all users may read.
const MODE: bindings::umode_t = 0o444;

#[repr(C)]
struct File<T: Pmu> {
    raw: bindings::device_attribute,
    name: CString,
    attribute: T::Attribute,
}

/// The files of PMUs of one kind.
///
/// # Invariants
///
/// - `list` ends with a null pointer. Its other entries point into `_groups`.
/// - Each group has a static name or none, and points to a run of pointers in `_files`.
/// - Each run ends with a null pointer. Its other entries point to the `raw` of a [`File`] in
///   `_storage`, whose `raw.attr.name` is its `name`.
/// - None of the vectors changes any more.
pub(crate) struct Groups<T: Pmu> {
    list: KVec<*const bindings::attribute_group>,
    _groups: KVec<bindings::attribute_group>,
    _files: Pointers,
    _storage: KVVec<File<T>>,
}

// SAFETY: The pointers are to memory that the value owns.
unsafe impl<T: Pmu> Send for Groups<T> where T::Attribute: Send {}

// SAFETY: Nothing changes any more, and the attributes may be shared.
unsafe impl<T: Pmu> Sync for Groups<T> where T::Attribute: Sync {}

/// Null-terminated runs of pointers to files.
type Pointers = KVVec<*mut bindings::attribute>;

/// The name of each group, and the index of its first file.
type Offsets = KVec<(Option<&'static CStr>, usize)>;

impl<T: Pmu> Groups<T> {
    /// Returns the array of pointers for the driver core.
    pub(super) fn as_ptr(&self) -> *mut *const bindings::attribute_group {
        self.list.as_ptr().cast_mut()
    }
}

/// Collects files, group by group.
pub(crate) struct Builder<T: Pmu> {
    storage: KVVec<File<T>>,
    /// Name of each group, and the number of files before it.
    starts: Offsets,
}

impl<T: Pmu> Builder<T> {
    /// Makes a builder without groups.
    pub(crate) fn new() -> Self {
        Self {
            storage: KVVec::new(),
            starts: KVec::new(),
        }
    }

    /// Opens a group: later files are in the directory `name`, or in that of the PMU for `None`.
    pub(crate) fn group(&mut self, name: Option<&'static CStr>) -> Result {
        Ok(self.starts.push((name, self.storage.len()), GFP_KERNEL)?)
    }

    /// Adds a file to the group opened last.
    ///
    /// # Errors
    ///
    /// [`EINVAL`] if no group is open, [`ENOMEM`].
    pub(crate) fn file(&mut self, name: fmt::Arguments<'_>, attribute: T::Attribute) -> Result {
        if self.starts.is_empty() {
            return Err(EINVAL);
        }
        let name = CString::try_from_fmt(name)?;
        let file = File {
            raw: raw_attribute::<T>(&name),
            name,
            attribute,
        };
        Ok(self.storage.push(file, GFP_KERNEL)?)
    }

    /// Completes the files.
    pub(crate) fn finish(mut self) -> Result<Arc<Groups<T>>> {
        let (files, offsets) = self.pointers()?;
        let mut groups = KVec::with_capacity(offsets.len(), GFP_KERNEL)?;
        for (name, offset) in offsets {
            let attrs = files.get(offset..).ok_or(EINVAL)?.as_ptr();
            groups.push(raw_group(name, attrs), GFP_KERNEL)?;
        }
        let mut list = KVec::with_capacity(groups.len().saturating_add(1), GFP_KERNEL)?;
        for group in &groups {
            list.push(ptr::from_ref(group), GFP_KERNEL)?;
        }
        list.push(ptr::null(), GFP_KERNEL)?;
        // INVARIANT: As built above; moving the vectors does not move what they hold.
        let groups = Groups {
            list,
            _groups: groups,
            _files: files,
            _storage: self.storage,
        };
        Ok(Arc::new(groups, GFP_KERNEL)?)
    }

    /// Returns the pointers to all files, with a null pointer after each group, and the index of
    /// each group's first file.
    fn pointers(&mut self) -> Result<(Pointers, Offsets)> {
        let capacity = self.storage.len().saturating_add(self.starts.len());
        let mut files = KVVec::with_capacity(capacity, GFP_KERNEL)?;
        let mut offsets = KVec::with_capacity(self.starts.len(), GFP_KERNEL)?;
        let mut starts = self.starts.iter().peekable();
        let mut storage = self.storage.iter_mut();
        while let Some(&(name, start)) = starts.next() {
            let count = starts
                .peek()
                .map_or(usize::MAX, |next| next.1.saturating_sub(start));
            offsets.push((name, files.len()), GFP_KERNEL)?;
            for file in storage.by_ref().take(count) {
                // SAFETY: The whole of it was initialised by `raw_attribute`.
                let attr = unsafe { bindings::helper_device_attribute_attr(&raw mut file.raw) };
                files.push(attr, GFP_KERNEL)?;
            }
            files.push(ptr::null_mut(), GFP_KERNEL)?;
        }
        Ok((files, offsets))
    }
}

/// Makes the driver core's struct of a file.
fn raw_attribute<T: Pmu>(name: &CStr) -> bindings::device_attribute {
    let mut raw = bindings::device_attribute::default();
    // SAFETY: `raw` is valid; the caller keeps the name as long as the file.
    unsafe {
        bindings::helper_device_attribute_init(
            &raw mut raw,
            name.as_char_ptr(),
            MODE,
            Some(show::<T>),
        )
    };
    raw
}

/// Makes the driver core's struct of a group.
fn raw_group(
    name: Option<&'static CStr>,
    attrs: *const *mut bindings::attribute,
) -> bindings::attribute_group {
    let mut raw = bindings::attribute_group {
        name: name.map_or(ptr::null(), |name| name.as_char_ptr()),
        ..bindings::attribute_group::default()
    };
    raw.__bindgen_anon_2.attrs = attrs.cast_mut();
    raw
}

/// The page that sysfs gives for the content of a file.
struct Page<'a> {
    buffer: &'a mut [u8],
    used: usize,
}

impl fmt::Write for Page<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.used.saturating_add(text.len());
        let room = self.buffer.get_mut(self.used..end).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.used = end;
        Ok(())
    }
}

/// # Safety
///
/// Called by the driver core for a file of a [`Groups<T>`] of a registered PMU.
unsafe extern "C" fn show<T: Pmu>(
    device: *mut bindings::device,
    attribute: *mut bindings::device_attribute,
    buffer: *mut c_char,
) -> isize {
    // SAFETY: By the function's contract this is the device of a PMU, with the PMU as its data.
    let pmu = unsafe { bindings::helper_dev_get_drvdata(device) };
    // SAFETY: By the function's contract the PMU is registered; unregistering waits for readers.
    let driver: &T = unsafe { perf::driver(pmu.cast()) };
    // SAFETY: By the function's contract the attribute is in a `File<T>`.
    let file = unsafe { container_of!(attribute, File<T>, raw) };
    // SAFETY: The registered PMU keeps the file.
    let file = unsafe { &*file };
    // SAFETY: Sysfs gives a zeroed page to write to for the duration of the call.
    let buffer = unsafe { core::slice::from_raw_parts_mut(buffer, PAGE_SIZE) };
    let mut page = Page { buffer, used: 0 };
    match driver.show(&file.attribute, &mut page) {
        Ok(()) => page.used as isize,
        Err(fmt::Error) => EFBIG.to_errno() as isize,
    }
}
