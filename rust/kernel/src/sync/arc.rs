// SPDX-License-Identifier: GPL-2.0

//! Shared values.

use crate::{
    alloc::{allocate, flags::Flags, free, AllocError, Kmalloc},
    backend::{fence, AtomicUsize, Ordering},
    error::Error,
    ffi::c_void,
    init::PinInit,
    types::ForeignOwnable,
};
use core::{
    alloc::Layout,
    fmt,
    marker::{PhantomData, Unsize},
    mem::{offset_of, ManuallyDrop},
    ops::{CoerceUnsized, Deref, DerefMut},
    pin::Pin,
    ptr::NonNull,
};

#[repr(C)]
struct Shared<T: ?Sized> {
    /// Number of references. In 64 bits it does not wrap: that number takes centuries.
    count: AtomicUsize,
    value: T,
}

/// A reference to a shared value.
///
/// # Invariants
///
/// The pointer is of memory from [`allocate`] with a value. This reference is one of its count.
pub struct Arc<T: ?Sized>(NonNull<Shared<T>>, PhantomData<Shared<T>>);

// SAFETY: Any thread may use the value, and drop it with the last reference.
unsafe impl<T: ?Sized + Send + Sync> Send for Arc<T> {}

// SAFETY: As above, since any thread may make a reference of a shared one.
unsafe impl<T: ?Sized + Send + Sync> Sync for Arc<T> {}

// Moving a reference does not move the value.
impl<T: ?Sized> Unpin for Arc<T> {}

impl<T: ?Sized + Unsize<U>, U: ?Sized> CoerceUnsized<Arc<U>> for Arc<T> {}

impl<T> Arc<T> {
    /// Moves a value to where it is shared.
    pub fn new(value: T, _flags: Flags) -> Result<Self, AllocError> {
        let place = allocate::<Kmalloc>(Layout::new::<Shared<T>>())?.cast::<Shared<T>>();
        let count = AtomicUsize::new(1);
        // SAFETY: This is memory for it.
        unsafe { place.write(Shared { count, value }) };
        // INVARIANT: There is a value, with one reference.
        Ok(Self(place, PhantomData))
    }

    /// Makes a shared value with an initialiser.
    pub fn pin_init<E>(init: impl PinInit<T, E>, _flags: Flags) -> Result<Self, Error>
    where
        Error: From<E>,
    {
        let layout = Layout::new::<Shared<T>>();
        let place = allocate::<Kmalloc>(layout)?.cast::<Shared<T>>();
        // SAFETY: This is memory for a count.
        unsafe { place.cast().write(AtomicUsize::new(1)) };
        // SAFETY: The value is at this offset in the memory.
        let value = unsafe { place.byte_add(offset_of!(Shared<T>, value)) };
        // SAFETY: This is memory for a value, which never moves, as a shared value is not moved out.
        if let Err(error) = unsafe { init.__pinned_init(value.as_ptr().cast()) } {
            // SAFETY: The memory was allocated above, and has no value.
            unsafe { free(place.cast(), layout) };
            return Err(error.into());
        }
        // INVARIANT: There is a value, with one reference.
        Ok(Self(place, PhantomData))
    }

    /// Returns the pointer of the value, and keeps the reference.
    pub fn into_raw(this: Self) -> *const T {
        let this = ManuallyDrop::new(this);
        // SAFETY: By the type invariant. The place of the value is not read.
        unsafe { &raw const (*this.0.as_ptr()).value }
    }

    /// Takes a reference back.
    ///
    /// # Safety
    ///
    /// The pointer is of [`into_raw`](Self::into_raw), and was not taken back before.
    pub unsafe fn from_raw(value: *const T) -> Self {
        // SAFETY: By the function's contract the value is at this offset.
        let shared = unsafe { value.byte_sub(offset_of!(Shared<T>, value)) };
        // SAFETY: By the function's contract the pointer is not null.
        let shared = unsafe { NonNull::new_unchecked(shared.cast_mut().cast()) };
        // INVARIANT: By the function's contract this is a reference that was kept.
        Self(shared, PhantomData)
    }
}

impl<T: ?Sized> Arc<T> {
    fn shared(&self) -> &Shared<T> {
        // SAFETY: By the type invariant.
        unsafe { self.0.as_ref() }
    }

    /// Returns whether two references are to one value.
    pub fn ptr_eq(this: &Self, other: &Self) -> bool {
        core::ptr::addr_eq(this.0.as_ptr(), other.0.as_ptr())
    }

    /// Takes one reference from the count. Returns whether it was the last.
    fn release(&self) -> bool {
        if self.shared().count.fetch_sub(1, Ordering::Release) != 1 {
            return false;
        }
        // What others did with the value happens before it is dropped.
        fence(Ordering::Acquire);
        true
    }

    /// Returns the value, if this is its only reference.
    pub fn into_unique_or_drop(this: Self) -> Option<Pin<UniqueArc<T>>> {
        let this = ManuallyDrop::new(this);
        if !this.release() {
            return None;
        }
        this.shared().count.store(1, Ordering::Relaxed);
        // INVARIANT: The count was 0, and no other reference can be made.
        let unique = UniqueArc(Self(this.0, PhantomData));
        // SAFETY: A shared value is not moved out.
        Some(unsafe { Pin::new_unchecked(unique) })
    }
}

impl<T: ?Sized> Clone for Arc<T> {
    fn clone(&self) -> Self {
        self.shared().count.fetch_add(1, Ordering::Relaxed);
        // INVARIANT: Counted.
        Self(self.0, PhantomData)
    }
}

impl<T: ?Sized> Drop for Arc<T> {
    fn drop(&mut self) {
        if !self.release() {
            return;
        }
        let layout = Layout::for_value(self.shared());
        // SAFETY: By the type invariant. It was the last reference.
        unsafe { self.0.drop_in_place() };
        // SAFETY: By the type invariant. The value was dropped.
        unsafe { free(self.0.cast(), layout) };
    }
}

impl<T: ?Sized> Deref for Arc<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.shared().value
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// A reference to a shared value that somebody else keeps.
pub struct ArcBorrow<'a, T>(ManuallyDrop<Arc<T>>, PhantomData<&'a T>);

impl<T> Deref for ArcBorrow<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> From<ArcBorrow<'_, T>> for Arc<T> {
    fn from(borrow: ArcBorrow<'_, T>) -> Self {
        (*borrow.0).clone()
    }
}

// SAFETY: The pointer of a value is not null.
unsafe impl<T: 'static> ForeignOwnable for Arc<T> {
    type Borrowed<'a> = ArcBorrow<'a, T>;

    fn into_foreign(self) -> *mut c_void {
        Self::into_raw(self).cast_mut().cast()
    }

    unsafe fn from_foreign(pointer: *mut c_void) -> Self {
        // SAFETY: By the function's contract.
        unsafe { Self::from_raw(pointer.cast()) }
    }

    unsafe fn borrow<'a>(pointer: *mut c_void) -> ArcBorrow<'a, T> {
        // SAFETY: By the function's contract. This reference is not dropped, so that it was not
        // taken back.
        let kept = unsafe { Self::from_raw(pointer.cast()) };
        ArcBorrow(ManuallyDrop::new(kept), PhantomData)
    }
}

/// The only reference to a value that is going to be shared.
///
/// # Invariants
///
/// The count is 1.
pub struct UniqueArc<T: ?Sized>(Arc<T>);

impl<T> UniqueArc<T> {
    /// Moves a value to where it can be shared.
    pub fn new(value: T, flags: Flags) -> Result<Self, AllocError> {
        // INVARIANT: A new value has one reference.
        Arc::new(value, flags).map(Self)
    }
}

impl<T: ?Sized> From<UniqueArc<T>> for Arc<T> {
    fn from(unique: UniqueArc<T>) -> Self {
        unique.0
    }
}

impl<T: ?Sized> Deref for UniqueArc<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: ?Sized> DerefMut for UniqueArc<T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: By the type invariant nobody else has a reference.
        unsafe { &mut (*self.0 .0.as_ptr()).value }
    }
}
