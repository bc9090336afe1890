// SPDX-License-Identifier: GPL-2.0

//! A PMU's sysfs files, made at run time from tables.
//!
//! C header: [`include/linux/sysfs.h`](srctree/include/linux/sysfs.h)
//!
//! PMUs of one kind share one [`Groups`], as their files have equal names. The content of a file
//! comes from the PMU that is read, by [`Owner::show`].
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
    text::{
        put_text,
        write_char, //
    }, //
};
use core::ptr;
use kernel::{
    container_of,
    ffi::{
        c_char,
        c_void, //
    },
    fmt,
    page::PAGE_SIZE,
    prelude::*,
    str::CStr,
    sync::Arc, //
};

/// Access mode of the files: all users may read.
const MODE: bindings::umode_t = 0o444;

/// A PMU of a kind that has files.
///
/// # Safety
///
/// [`of_device`](Self::of_device) must return a PMU that stays registered while its files are read.
pub(crate) unsafe trait Owner: 'static {
    /// Data of the driver for each file.
    type Attribute: Copy + Send + Sync + 'static;

    /// Returns the PMU of a device, by the data of the device.
    ///
    /// # Safety
    ///
    /// The device must be that of a registered PMU with [`Groups`] for `Self`, and stay so for `'a`.
    unsafe fn of_device<'a>(data: *mut c_void) -> &'a Self;

    /// Prints a file, final newline included.
    fn show(&self, attribute: &Self::Attribute, out: &mut dyn fmt::Write) -> fmt::Result;
}

#[repr(C)]
struct File<T: Owner> {
    raw: bindings::device_attribute,
    attribute: T::Attribute,
}

impl<T: Owner> Clone for File<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Owner> Copy for File<T> {}

/// The files of PMUs of one kind.
///
/// # Invariants
///
/// - `list` ends with a null pointer. Its other entries point into `_groups`.
/// - Each group has a static name or none, and points to a run of pointers in `_attrs`.
/// - Each run ends with a null pointer. Its other entries point to the `raw` of a [`File`] in
///   `_files`, whose name is a C string in `_names`.
/// - None of the vectors changes any more.
pub(crate) struct Groups<T: Owner> {
    list: KVVec<*const bindings::attribute_group>,
    _groups: KVVec<bindings::attribute_group>,
    _attrs: KVVec<*mut bindings::attribute>,
    _files: KVVec<File<T>>,
    _names: KVVec<u8>,
}

// SAFETY: The pointers are to memory that the value owns.
unsafe impl<T: Owner> Send for Groups<T> where T::Attribute: Send {}

// SAFETY: Nothing changes any more, and the attributes may be shared.
unsafe impl<T: Owner> Sync for Groups<T> where T::Attribute: Sync {}

impl<T: Owner> Groups<T> {
    /// Returns the array of pointers for the driver core.
    pub(super) fn as_ptr(&self) -> *mut *const bindings::attribute_group {
        self.list.as_ptr().cast_mut()
    }
}

/// Collects files, group by group, before they get memory of the right size.
pub(crate) struct Builder<T: Owner> {
    /// Name of each group, and the number of files before it.
    starts: KVVec<(Option<&'static CStr>, usize)>,
    /// The files. The address of a name is its offset in `names` until all names are known.
    files: KVVec<File<T>>,
    /// Names of all files as C strings.
    names: KVVec<u8>,
    /// A file's struct of the driver core, without a name.
    nameless: bindings::device_attribute,
}

/// Number of groups for which there is room at first.
const GROUPS: usize = 4;

impl<T: Owner> Builder<T> {
    /// Makes a builder, and opens its first group as [`group`](Self::group) does.
    pub(crate) fn new(first: Option<&'static CStr>) -> Result<Self> {
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
        let mut builder = Self {
            starts: KVVec::with_capacity(GROUPS, GFP_KERNEL)?,
            files: KVVec::new(),
            names: KVVec::new(),
            nameless,
        };
        builder.group(first)?;
        Ok(builder)
    }

    /// Opens a group: later files are in the directory `name`, or in that of the PMU for `None`.
    pub(crate) fn group(&mut self, name: Option<&'static CStr>) -> Result {
        Ok(self.starts.push((name, self.files.len()), GFP_KERNEL)?)
    }

    /// Adds a file to the group opened last. Its name is `stem`, or `stem.leaf` if the leaf is not
    /// empty, with `end` after it.
    ///
    /// # Errors
    ///
    /// [`ENOMEM`].
    #[inline(always)]
    pub(crate) fn file(
        &mut self,
        stem: &str,
        leaf: &str,
        end: &str,
        attribute: T::Attribute,
    ) -> Result {
        // The texts are in memory, which has fewer than 2^57 bytes, so that the sum does not wrap.
        let most = stem
            .len()
            .wrapping_add(leaf.len())
            .wrapping_add(end.len())
            .wrapping_add(2);
        if room(&self.names) < most || room(&self.files) == 0 {
            self.grow(most)?;
        }
        // SAFETY: There is room for all parts of the name, a point and the end.
        let name = unsafe { put_name(&mut self.names, stem, leaf, end) };
        let mut raw = self.nameless;
        raw.attr.name = ptr::without_provenance(name);
        // SAFETY: There is room for a file.
        unsafe { put_value(&mut self.files, File { raw, attribute }) };
        Ok(())
    }

    /// Makes room for one more file, with a name of `name` bytes.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, name: usize) -> Result {
        self.names.reserve(name.max(GROWTH), GFP_KERNEL)?;
        self.files.reserve(GROWTH, GFP_KERNEL)?;
        Ok(())
    }

    /// Completes the files.
    pub(crate) fn finish(self) -> Result<Arc<Groups<T>>> {
        let names = exact(&self.names)?;
        let mut files = exact(&self.files)?;
        let pointers = files.len().saturating_add(self.starts.len());
        let mut attrs = KVVec::with_capacity(pointers, GFP_KERNEL)?;
        let mut groups = KVVec::with_capacity(self.starts.len(), GFP_KERNEL)?;
        let mut starts = self.starts.iter().peekable();
        let mut rest = files.as_mut_slice();
        while let Some(&(name, start)) = starts.next() {
            groups.push_within_capacity(raw_group(name, end_of(&mut attrs)))?;
            let count = starts
                .peek()
                .map_or(rest.len(), |next| next.1.saturating_sub(start));
            let (own, others) = rest.split_at_mut_checked(count).ok_or(EINVAL)?;
            let count = own.len();
            for (to, file) in attrs.spare_capacity_mut().iter_mut().zip(own) {
                let attr = &mut file.raw.attr;
                attr.name = names.as_ptr().wrapping_add(attr.name.addr()).cast();
                to.write(attr);
            }
            // SAFETY: So many values were initialised: there was room for those of all groups.
            unsafe { attrs.inc_len(count) };
            attrs.push_within_capacity(ptr::null_mut())?;
            rest = others;
        }
        let mut list = KVVec::with_capacity(groups.len().saturating_add(1), GFP_KERNEL)?;
        for group in &groups {
            list.push_within_capacity(ptr::from_ref(group))?;
        }
        list.push_within_capacity(ptr::null())?;
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

/// Least number of values for which a vector gets memory when it grows. Most box types have fewer
/// files.
const GROWTH: usize = 512;

/// Returns the number of values for which a vector has room.
#[inline]
fn room<V>(vector: &KVVec<V>) -> usize {
    // A vector is no longer than its capacity.
    vector.capacity().wrapping_sub(vector.len())
}

/// Returns the address of the next value of a vector.
#[inline]
fn end_of<V>(vector: &mut KVVec<V>) -> *mut V {
    // SAFETY: The length of a vector is at most its capacity.
    unsafe { vector.as_mut_ptr().add(vector.len()) }
}

/// Appends a value to a vector.
///
/// # Safety
///
/// The vector has room for it.
#[inline(always)]
unsafe fn put_value<V>(vector: &mut KVVec<V>, value: V) {
    // SAFETY: By the function's contract.
    unsafe { end_of(vector).write(value) };
    // SAFETY: One value was initialised, for which there was room.
    unsafe { vector.inc_len(1) };
}

/// Appends a C string to a vector: `stem`, or `stem.leaf` if the leaf is not empty, with `end` after
/// it. Returns its offset.
///
/// # Safety
///
/// The vector has room for the texts and two bytes.
#[inline(always)]
unsafe fn put_name(names: &mut KVVec<u8>, stem: &str, leaf: &str, end: &str) -> usize {
    let (offset, first) = (names.len(), end_of(names));
    // SAFETY: There is room for all of the name, in which none of its parts can be.
    let mut at = unsafe { put(first, stem) };
    if !leaf.is_empty() {
        // SAFETY: As above.
        at = unsafe { put(at, ".") };
        // SAFETY: As above.
        at = unsafe { put(at, leaf) };
    }
    // SAFETY: As above.
    at = unsafe { put(at, end) };
    // SAFETY: As above.
    at = unsafe { put(at, "\0") };
    let length = at.addr().wrapping_sub(first.addr());
    // SAFETY: So many values were initialised, for which there was room.
    unsafe { names.inc_len(length) };
    offset
}

/// Copies a text to an address, and returns the address after it.
///
/// # Safety
///
/// There is room for the text at the address, and the text is not there itself.
#[inline(always)]
unsafe fn put(at: *mut u8, text: &str) -> *mut u8 {
    // SAFETY: By the function's contract.
    unsafe { ptr::copy_nonoverlapping(text.as_ptr(), at, text.len()) };
    // SAFETY: By the function's contract.
    unsafe { at.add(text.len()) }
}

/// Copies a vector to one with room for its values and no more.
fn exact<V: Copy>(vector: &KVVec<V>) -> Result<KVVec<V>> {
    let mut copy = KVVec::with_capacity(vector.len(), GFP_KERNEL)?;
    // SAFETY: The copy has room for the values, and is no part of the vector.
    unsafe { ptr::copy_nonoverlapping(vector.as_ptr(), copy.as_mut_ptr(), vector.len()) };
    // SAFETY: So many values were initialised, for which there was room.
    unsafe { copy.inc_len(vector.len()) };
    Ok(copy)
}

/// Makes the driver core's struct of a group.
fn raw_group(
    name: Option<&'static CStr>,
    attrs: *mut *mut bindings::attribute,
) -> bindings::attribute_group {
    let mut raw = bindings::attribute_group::default();
    let name = name.map_or(ptr::null(), |name| name.as_char_ptr());
    // SAFETY: The struct is valid.
    unsafe { bindings::helper_attribute_group_init(&raw mut raw, name, attrs) };
    raw
}

/// The page that sysfs gives for the content of a file.
struct Page<'a> {
    buffer: &'a mut [u8],
    used: usize,
}

impl fmt::Write for Page<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.used = put_text(self.buffer, self.used, text).ok_or(fmt::Error)?;
        Ok(())
    }

    fn write_char(&mut self, character: char) -> fmt::Result {
        write_char(self, character)
    }
}

/// # Safety
///
/// Called by the driver core for a file of a [`Groups<T>`] of a registered PMU.
unsafe extern "C" fn show<T: Owner>(
    device: *mut bindings::device,
    attribute: *mut bindings::device_attribute,
    buffer: *mut c_char,
) -> isize {
    // SAFETY: By the function's contract this is the device of a PMU, with the PMU as its data.
    let pmu = unsafe { bindings::helper_dev_get_drvdata(device) };
    // SAFETY: By the function's contract the PMU is registered; unregistering waits for readers.
    let owner = unsafe { T::of_device(pmu) };
    // SAFETY: By the function's contract the attribute is in a `File<T>`.
    let file = unsafe { container_of!(attribute, File<T>, raw) };
    // SAFETY: The registered PMU keeps the file.
    let file = unsafe { &*file };
    // SAFETY: Sysfs gives the buffer for the duration of the call.
    unsafe { print_into(buffer, |page| owner.show(&file.attribute, page)) }
}

/// Prints a file into the page that sysfs gives for it, and returns its length or an error.
///
/// # Safety
///
/// `buffer` must be a zeroed page that nothing else uses meanwhile.
pub(super) unsafe fn print_into(
    buffer: *mut c_char,
    print: impl FnOnce(&mut dyn fmt::Write) -> fmt::Result,
) -> isize {
    // SAFETY: By the function's contract.
    let buffer = unsafe { core::slice::from_raw_parts_mut(buffer, PAGE_SIZE) };
    let mut page = Page { buffer, used: 0 };
    match print(&mut page) {
        Ok(()) => page.used as isize,
        Err(fmt::Error) => EFBIG.to_errno() as isize,
    }
}
