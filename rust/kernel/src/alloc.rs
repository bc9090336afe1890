// SPDX-License-Identifier: GPL-2.0

//! Memory: boxes and vectors.

use crate::{
    backend,
    error::Error,
    init::{Init, PinInit},
};
use core::{
    alloc::Layout,
    fmt,
    marker::PhantomData,
    mem::{ManuallyDrop, MaybeUninit},
    ops::{Deref, DerefMut},
    pin::Pin,
    ptr::{self, NonNull},
    slice,
};

/// Flags of an allocation.
pub mod flags {
    /// Flags of an allocation.
    #[derive(Clone, Copy, Debug)]
    pub struct Flags(());

    /// The caller may sleep.
    pub const GFP_KERNEL: Flags = Flags(());
}

use flags::Flags;

/// An allocation failed.
#[derive(Debug)]
pub struct AllocError;

/// A vector has no room for a value.
#[derive(Debug)]
pub struct PushError<T>(pub T);

/// A vector has no value at an index.
#[derive(Debug)]
pub struct RemoveError;

/// A kind of memory.
pub trait Allocator {
    /// Large blocks are physically contiguous as well.
    const CONTIGUOUS: bool;
}

/// Memory that is physically contiguous.
#[derive(Debug)]
pub struct Kmalloc;

/// Memory that may be virtually contiguous only.
#[derive(Debug)]
pub struct KVmalloc;

impl Allocator for Kmalloc {
    const CONTIGUOUS: bool = true;
}

impl Allocator for KVmalloc {
    const CONTIGUOUS: bool = false;
}

/// Allocates memory for a value of this layout. No memory is needed for one of no size.
pub(crate) fn allocate<A: Allocator>(layout: Layout) -> Result<NonNull<u8>, AllocError> {
    match layout.size() {
        0 => NonNull::new(ptr::without_provenance_mut(layout.align())).ok_or(AllocError),
        // SAFETY: The size is not 0.
        _ => unsafe { backend::allocate(layout, A::CONTIGUOUS) }.ok_or(AllocError),
    }
}

/// Frees memory.
///
/// # Safety
///
/// The memory was allocated with [`allocate`] for this layout, and is not used any more.
pub(crate) unsafe fn free(memory: NonNull<u8>, layout: Layout) {
    if layout.size() != 0 {
        // SAFETY: By the function's contract. Memory of some size is the backend's.
        unsafe { backend::free(memory, layout) };
    }
}

/// A value in memory of its own.
///
/// # Invariants
///
/// The pointer is of memory from [`allocate`] with a value, which the box owns.
pub struct KBox<T>(NonNull<T>, PhantomData<T>);

// SAFETY: Sending the box sends the value.
unsafe impl<T: Send> Send for KBox<T> {}

// SAFETY: Sharing the box shares the value.
unsafe impl<T: Sync> Sync for KBox<T> {}

// Moving a box does not move the value.
impl<T> Unpin for KBox<T> {}

impl<T> KBox<T> {
    /// Moves a value to a box.
    pub fn new(value: T, flags: Flags) -> Result<Self, AllocError> {
        let place = KBox::<MaybeUninit<T>>::uninit(flags)?;
        // SAFETY: The box is memory for a value.
        unsafe { place.0.cast::<T>().write(value) };
        // SAFETY: The value was written.
        Ok(unsafe { place.assume_init() })
    }

    /// Makes a value in a box.
    pub fn init<E>(init: impl Init<T, E>, flags: Flags) -> Result<Self, Error>
    where
        Error: From<E>,
    {
        let place = KBox::<MaybeUninit<T>>::uninit(flags)?;
        // SAFETY: The box is memory for a value, and is freed without dropping one after an error.
        unsafe { init.__init(place.0.as_ptr().cast()) }?;
        // SAFETY: The initialiser has succeeded.
        Ok(unsafe { place.assume_init() })
    }

    /// Makes a value in a box that it does not leave.
    pub fn pin_init<E>(init: impl PinInit<T, E>, flags: Flags) -> Result<Pin<Self>, Error>
    where
        Error: From<E>,
    {
        let place = KBox::<MaybeUninit<T>>::uninit(flags)?;
        // SAFETY: The box is memory for a value, which is pinned below, and is freed without
        // dropping one after an error.
        unsafe { init.__pinned_init(place.0.as_ptr().cast()) }?;
        // SAFETY: The initialiser has succeeded.
        let whole = unsafe { place.assume_init() };
        // SAFETY: A box gives its value out by reference only, unless it is not pinned.
        Ok(unsafe { Pin::new_unchecked(whole) })
    }

    /// Moves the value out of its box.
    pub fn into_inner(self) -> T {
        let this = ManuallyDrop::new(self);
        // SAFETY: By the type invariant. The value is not used again, as the box is not dropped.
        let value = unsafe { this.0.read() };
        // SAFETY: By the type invariant. The value has left the memory.
        unsafe { free(this.0.cast(), Layout::new::<T>()) };
        value
    }
}

impl<T> KBox<MaybeUninit<T>> {
    fn uninit(_flags: Flags) -> Result<Self, AllocError> {
        // INVARIANT: Any bytes are a value that may be uninitialised.
        let memory = allocate::<Kmalloc>(Layout::new::<T>())?;
        Ok(Self(memory.cast(), PhantomData))
    }

    /// # Safety
    ///
    /// The value was initialised.
    unsafe fn assume_init(self) -> KBox<T> {
        let this = ManuallyDrop::new(self);
        // INVARIANT: The memory is given on, with a value by the function's contract.
        KBox(this.0.cast(), PhantomData)
    }
}

impl<T> Drop for KBox<T> {
    fn drop(&mut self) {
        // SAFETY: By the type invariant. The value is not used any more.
        unsafe { self.0.drop_in_place() };
        // SAFETY: By the type invariant. The value was dropped.
        unsafe { free(self.0.cast(), Layout::new::<T>()) };
    }
}

impl<T> Deref for KBox<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: By the type invariant.
        unsafe { self.0.as_ref() }
    }
}

impl<T> DerefMut for KBox<T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: By the type invariant. The box is borrowed exclusively.
        unsafe { self.0.as_mut() }
    }
}

impl<T: fmt::Debug> fmt::Debug for KBox<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// A vector.
///
/// # Invariants
///
/// `start` is of memory from [`allocate`] for `capacity` values, or dangles if that is 0. The first
/// `length` values, at most `capacity`, are initialised, and the vector owns them.
pub struct Vec<T, A: Allocator> {
    start: NonNull<T>,
    length: usize,
    capacity: usize,
    _owned: PhantomData<(T, A)>,
}

/// A vector in memory that is physically contiguous.
pub type KVec<T> = Vec<T, Kmalloc>;

/// A vector in memory that may be virtually contiguous only.
pub type KVVec<T> = Vec<T, KVmalloc>;

// SAFETY: Sending the vector sends its values.
unsafe impl<T: Send, A: Allocator> Send for Vec<T, A> {}

// SAFETY: Sharing the vector shares its values.
unsafe impl<T: Sync, A: Allocator> Sync for Vec<T, A> {}

// Moving a vector does not move its values.
impl<T, A: Allocator> Unpin for Vec<T, A> {}

impl<T, A: Allocator> Vec<T, A> {
    /// Number of values for which a vector without memory gets some when a value comes.
    const FIRST: usize = 4;

    /// Makes an empty vector.
    pub const fn new() -> Self {
        // INVARIANT: Empty, without memory.
        Self {
            start: NonNull::dangling(),
            length: 0,
            capacity: 0,
            _owned: PhantomData,
        }
    }

    /// Makes an empty vector with room for `capacity` values.
    pub fn with_capacity(capacity: usize, flags: Flags) -> Result<Self, AllocError> {
        let mut vector = Self::new();
        vector.reserve(capacity, flags)?;
        Ok(vector)
    }

    /// Returns the number of values for which the vector has room.
    pub const fn capacity(&self) -> usize {
        self.capacity
    }

    /// Makes room for `additional` values.
    pub fn reserve(&mut self, additional: usize, _flags: Flags) -> Result<(), AllocError> {
        let needed = self.length.checked_add(additional).ok_or(AllocError)?;
        if needed <= self.capacity {
            return Ok(());
        }
        let capacity = match self.capacity {
            // A vector often gets all its room at once.
            0 => needed,
            _ => needed.max(self.capacity.saturating_mul(2)),
        };
        let layout = Layout::array::<T>(capacity).map_err(|_| AllocError)?;
        let start = allocate::<A>(layout)?.cast::<T>();
        // SAFETY: Both are memory for at least that number of values, and the new one is apart.
        unsafe { ptr::copy_nonoverlapping(self.start.as_ptr(), start.as_ptr(), self.length) };
        self.free();
        // INVARIANT: The values have moved to memory for that number.
        (self.start, self.capacity) = (start, capacity);
        Ok(())
    }

    /// Frees the memory. The values have left it or are not needed.
    fn free(&mut self) {
        if self.capacity != 0 {
            // A layout with which memory was allocated cannot be too large.
            let layout = Layout::array::<T>(self.capacity).unwrap_or(Layout::new::<()>());
            // SAFETY: By the type invariant.
            unsafe { free(self.start.cast(), layout) };
        }
    }

    /// Appends a value.
    pub fn push(&mut self, value: T, flags: Flags) -> Result<(), AllocError> {
        match self.capacity {
            0 => self.reserve(Self::FIRST, flags)?,
            _ => self.reserve(1, flags)?,
        }
        self.push_within_capacity(value).map_err(|_| AllocError)
    }

    /// Appends a value if there is room.
    pub fn push_within_capacity(&mut self, value: T) -> Result<(), PushError<T>> {
        let Some(place) = self.spare_capacity_mut().first_mut() else {
            return Err(PushError(value));
        };
        place.write(value);
        // SAFETY: The value was written to the first place.
        unsafe { self.inc_len(1) };
        Ok(())
    }

    /// Returns the places for which there is room.
    pub fn spare_capacity_mut(&mut self) -> &mut [MaybeUninit<T>] {
        // SAFETY: By the type invariant the length is at most the capacity.
        let first = unsafe { self.start.add(self.length) };
        // By the type invariant this does not wrap.
        let room = self.capacity.wrapping_sub(self.length);
        // SAFETY: By the type invariant this is memory, which is borrowed exclusively.
        unsafe { slice::from_raw_parts_mut(first.as_ptr().cast(), room) }
    }

    /// Counts values that were written to the first places of the spare capacity.
    ///
    /// # Safety
    ///
    /// There is room for that number of values, and they were written.
    pub unsafe fn inc_len(&mut self, additional: usize) {
        // INVARIANT: By the function's contract. A sum up to the capacity does not wrap.
        self.length = self.length.wrapping_add(additional);
    }

    /// Appends copies of values.
    pub fn extend_from_slice(&mut self, values: &[T], flags: Flags) -> Result<(), AllocError>
    where
        T: Clone,
    {
        self.reserve(values.len(), flags)?;
        let mut values = values.iter();
        values.try_for_each(|value| self.push(value.clone(), flags))
    }

    /// Removes the value at an index.
    pub fn remove(&mut self, index: usize) -> Result<T, RemoveError> {
        let after = self
            .length
            .checked_sub(index)
            .and_then(|left| left.checked_sub(1));
        let after = after.ok_or(RemoveError)?;
        // INVARIANT: The values after this one move down below.
        self.length = self.length.wrapping_sub(1);
        // SAFETY: The index is below the length, and so of a value.
        let place = unsafe { self.start.add(index) };
        // SAFETY: The value is not used again in this place.
        let value = unsafe { place.read() };
        // SAFETY: That number of values follows.
        let next = unsafe { place.add(1) };
        // SAFETY: As above. All places are the vector's.
        unsafe { ptr::copy(next.as_ptr(), place.as_ptr(), after) };
        Ok(value)
    }

    /// Returns all values.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        self
    }

    /// Removes all values.
    pub fn clear(&mut self) {
        let values: *mut [T] = &raw mut **self;
        // INVARIANT: The vector does not own the values any more.
        self.length = 0;
        // SAFETY: They were the vector's, and are not used again.
        unsafe { values.drop_in_place() };
    }
}

impl<T, A: Allocator> Drop for Vec<T, A> {
    fn drop(&mut self) {
        self.clear();
        self.free();
    }
}

impl<T, A: Allocator> Default for Vec<T, A> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug, A: Allocator> fmt::Debug for Vec<T, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T, A: Allocator> Deref for Vec<T, A> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: By the type invariant.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }
}

impl<T, A: Allocator> DerefMut for Vec<T, A> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: By the type invariant. The vector is borrowed exclusively.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.length) }
    }
}

impl<'a, T, A: Allocator> IntoIterator for &'a Vec<T, A> {
    type Item = &'a T;
    type IntoIter = slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, T, A: Allocator> IntoIterator for &'a mut Vec<T, A> {
    type Item = &'a mut T;
    type IntoIter = slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}
