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
    text::write_char, //
};
use core::ptr;
use kernel::{
    container_of,
    ffi::c_char,
    fmt,
    page::PAGE_SIZE,
    prelude::*,
    str::CStr,
    sync::Arc, //
};

/// Access mode of the files: all users may read.
const MODE: bindings::umode_t = 0o444;

#[repr(C)]
struct File<T: Pmu> {
    raw: bindings::device_attribute,
    attribute: T::Attribute,
}

impl<T: Pmu> Clone for File<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Pmu> Copy for File<T> {}

/// The files of PMUs of one kind.
///
/// # Invariants
///
/// - `list` ends with a null pointer. Its other entries point into `_groups`.
/// - Each group has a static name or none, and points to a run of pointers in `_attrs`.
/// - Each run ends with a null pointer. Its other entries point to the `raw` of a [`File`] in
///   `_files`, whose name is a C string in `_names`.
/// - None of the vectors changes any more.
pub(crate) struct Groups<T: Pmu> {
    list: KVVec<*const bindings::attribute_group>,
    _groups: KVVec<bindings::attribute_group>,
    _attrs: KVVec<*mut bindings::attribute>,
    _files: KVVec<File<T>>,
    _names: KVVec<u8>,
}

// SAFETY: The pointers are to memory that the value owns.
unsafe impl<T: Pmu> Send for Groups<T> where T::Attribute: Send {}

// SAFETY: Nothing changes any more, and the attributes may be shared.
unsafe impl<T: Pmu> Sync for Groups<T> where T::Attribute: Sync {}

impl<T: Pmu> Groups<T> {
    /// Returns the array of pointers for the driver core.
    pub(super) fn as_ptr(&self) -> *mut *const bindings::attribute_group {
        self.list.as_ptr().cast_mut()
    }
}

/// Collects files, group by group, before they get memory of the right size.
pub(crate) struct Builder<T: Pmu> {
    /// Name of each group, and the number of files before it.
    starts: KVVec<(Option<&'static CStr>, usize)>,
    /// The files. The address of a name is its offset in `names` until all names are known.
    files: KVVec<File<T>>,
    /// Names of all files as C strings.
    names: KVVec<u8>,
    /// A file's struct of the driver core, without a name.
    nameless: bindings::device_attribute,
}

impl<T: Pmu> Builder<T> {
    /// Makes a builder without groups.
    pub(crate) fn new() -> Self {
        let mut nameless = bindings::device_attribute::default();
        // SAFETY: The struct is valid.
        unsafe {
            bindings::helper_device_attribute_init(
                &raw mut nameless,
                ptr::null(),
                MODE,
                Some(show::<T>),
            )
        };
        Self {
            starts: KVVec::new(),
            files: KVVec::new(),
            names: KVVec::new(),
            nameless,
        }
    }

    /// Opens a group: later files are in the directory `name`, or in that of the PMU for `None`.
    pub(crate) fn group(&mut self, name: Option<&'static CStr>) -> Result {
        push(&mut self.starts, (name, self.files.len()))?;
        Ok(())
    }

    /// Adds a file to the group opened last. Its name is that of the parts, one after the other, and
    /// of `end`.
    ///
    /// # Errors
    ///
    /// [`EINVAL`] if no group is open, [`ENOMEM`].
    pub(crate) fn file(&mut self, parts: &[&str], end: &str, attribute: T::Attribute) -> Result {
        if self.starts.is_empty() {
            return Err(EINVAL);
        }
        let mut raw = self.nameless;
        raw.attr.name = ptr::without_provenance(self.names.len());
        push(&mut self.files, File { raw, attribute })?;
        for part in parts {
            append(&mut self.names, part.as_bytes())?;
        }
        append(&mut self.names, end.as_bytes())?;
        push(&mut self.names, 0)?;
        Ok(())
    }

    /// Completes the files.
    pub(crate) fn finish(self) -> Result<Arc<Groups<T>>> {
        let count = self.files.len();
        let pointers = count.saturating_add(self.starts.len());
        let names = exact(&self.names)?;
        let mut files = exact(&self.files)?;
        let mut attrs = KVVec::with_capacity(pointers, GFP_KERNEL)?;
        let mut groups = KVVec::with_capacity(self.starts.len(), GFP_KERNEL)?;
        let mut starts = self.starts.iter().peekable();
        let mut unnamed = files.iter_mut();
        while let Some(&(name, start)) = starts.next() {
            push(&mut groups, raw_group(name, end_of(&mut attrs)))?;
            let end = starts.peek().map_or(count, |next| next.1);
            for file in unnamed.by_ref().take(end.saturating_sub(start)) {
                let attr = &mut file.raw.attr;
                attr.name = names.as_ptr().wrapping_add(attr.name.addr()).cast();
                push(&mut attrs, ptr::from_mut(attr))?;
            }
            push(&mut attrs, ptr::null_mut())?;
        }
        let mut list = KVVec::with_capacity(groups.len().saturating_add(1), GFP_KERNEL)?;
        for group in &groups {
            push(&mut list, ptr::from_ref(group))?;
        }
        push(&mut list, ptr::null())?;
        // INVARIANT: As built above. No vector has grown since its first pointer was taken, and
        // moving vectors does not move what they hold.
        let groups = Groups {
            list,
            _groups: groups,
            _attrs: attrs,
            _files: files,
            _names: names,
        };
        Ok(Arc::new(groups, GFP_KERNEL)?)
    }
}

/// Least number of values for which a vector gets memory when it grows.
const GROWTH: usize = 64;

/// Makes room for `count` more values. A vector that has it stays where it is.
#[inline]
fn make_room<V>(vector: &mut KVVec<V>, count: usize) -> Result {
    if vector.capacity().saturating_sub(vector.len()) < count {
        vector.reserve(count.max(GROWTH), GFP_KERNEL)?;
    }
    Ok(())
}

/// Returns the address of the next value of a vector.
#[inline]
fn end_of<V>(vector: &mut KVVec<V>) -> *mut V {
    // SAFETY: The length of a vector is at most its capacity.
    unsafe { vector.as_mut_ptr().add(vector.len()) }
}

/// Appends a value to a vector.
#[inline]
fn push<V>(vector: &mut KVVec<V>, value: V) -> Result {
    make_room(vector, 1)?;
    // SAFETY: The vector has room for one more value, which is there.
    unsafe { end_of(vector).write(value) };
    // SAFETY: One value was initialised, for which there was room.
    unsafe { vector.inc_len(1) };
    Ok(())
}

/// Appends values to a vector.
#[inline]
fn append<V: Copy>(vector: &mut KVVec<V>, values: &[V]) -> Result {
    if values.is_empty() {
        return Ok(());
    }
    make_room(vector, values.len())?;
    // SAFETY: There is room for so many values, in which no slice can be.
    unsafe { ptr::copy_nonoverlapping(values.as_ptr(), end_of(vector), values.len()) };
    // SAFETY: So many values were initialised, for which there was room.
    unsafe { vector.inc_len(values.len()) };
    Ok(())
}

/// Copies a vector to one with room for its values and no more.
fn exact<V: Copy>(vector: &KVVec<V>) -> Result<KVVec<V>> {
    let mut copy = KVVec::with_capacity(vector.len(), GFP_KERNEL)?;
    append(&mut copy, vector)?;
    Ok(copy)
}

/// Makes the driver core's struct of a group.
fn raw_group(
    name: Option<&'static CStr>,
    attrs: *mut *mut bindings::attribute,
) -> bindings::attribute_group {
    let mut raw = bindings::attribute_group {
        name: name.map_or(ptr::null(), |name| name.as_char_ptr()),
        ..bindings::attribute_group::default()
    };
    raw.__bindgen_anon_2.attrs = attrs;
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
        // Not `copy_from_slice`: objtool does not know the end of its panic in a crate of ours.
        for (to, from) in room.iter_mut().zip(text.bytes()) {
            *to = from;
        }
        self.used = end;
        Ok(())
    }

    fn write_char(&mut self, character: char) -> fmt::Result {
        write_char(self, character)
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
