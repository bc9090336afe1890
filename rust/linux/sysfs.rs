// SPDX-License-Identifier: GPL-2.0

//! A PMU's sysfs files, made at run time from tables.
//!
//! C header: [`include/linux/sysfs.h`](srctree/include/linux/sysfs.h)
//!
//! PMUs of one kind share one [`Groups`]: the files have the same names, and what they say is asked
//! of the PMU that is being read, [`Pmu::show`].
//!
//! # Contexts
//!
//! Made in process context; read in process context.
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

/// Anybody may read the files.
const MODE: bindings::umode_t = 0o444;

/// One file.
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
/// `list` ends with a null pointer, its other entries point into `_groups`; each of those has the
/// name of a static string or none, and points into `_files` at a run of pointers that ends with a
/// null pointer, the others being those of a [`File`] in `_storage` whose `raw.attr.name` is its
/// `name`. None of the vectors changes any more.
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

/// The name of each group, and where its run begins.
type Offsets = KVec<(Option<&'static CStr>, usize)>;

impl<T: Pmu> Groups<T> {
    /// The array of pointers that the driver core wants.
    pub(super) fn as_ptr(&self) -> *mut *const bindings::attribute_group {
        self.list.as_ptr().cast_mut()
    }
}

/// Collects files, group by group.
pub(crate) struct Builder<T: Pmu> {
    storage: KVVec<File<T>>,
    /// Name of each group and how many files come before it.
    starts: Offsets,
}

impl<T: Pmu> Builder<T> {
    /// No groups yet.
    pub(crate) fn new() -> Self {
        Self {
            storage: KVVec::new(),
            starts: KVec::new(),
        }
    }

    /// Opens a group: files to come are in the directory `name`, or beside it if there is none.
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

    /// The files are complete.
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

    /// The pointers to all files, each group's run closed by a null pointer, and where the runs
    /// begin.
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

/// Fills in a file for the driver core.
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

/// Fills in a group for the driver core.
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

/// A page that sysfs wants filled.
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
    // SAFETY: By the function's contract; a PMU's device has the PMU as its data.
    let pmu = unsafe { bindings::helper_dev_get_drvdata(device) };
    // SAFETY: By the function's contract; it stays registered until the readers are gone.
    let driver: &T = unsafe { perf::driver(pmu.cast()) };
    // SAFETY: By the function's contract the attribute is in a `File<T>`.
    let file = unsafe { container_of!(attribute, File<T>, raw) };
    // SAFETY: As above; the registered PMU keeps the file.
    let file = unsafe { &*file };
    // SAFETY: Sysfs gives a page to write to, zeroed, for the duration of the call.
    let buffer = unsafe { core::slice::from_raw_parts_mut(buffer, PAGE_SIZE) };
    let mut page = Page { buffer, used: 0 };
    match driver.show(&file.attribute, &mut page) {
        Ok(()) => page.used as isize,
        Err(fmt::Error) => EFBIG.to_errno() as isize,
    }
}
