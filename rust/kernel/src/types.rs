// SPDX-License-Identifier: GPL-2.0

//! Types for values of C.

use crate::{ffi::c_void, init::PinInit};
use core::{
    cell::UnsafeCell,
    convert::Infallible,
    marker::{PhantomData, PhantomPinned},
    mem::MaybeUninit,
};

/// A value that only C code uses. It may be uninitialised, C may change it at any time, and it does
/// not move.
#[repr(transparent)]
pub struct Opaque<T> {
    value: UnsafeCell<MaybeUninit<T>>,
    _pin: PhantomPinned,
}

impl<T> Opaque<T> {
    /// Makes an initialiser of a function that initialises the value.
    pub fn ffi_init(init: impl FnOnce(*mut T)) -> impl PinInit<Self> {
        Self::try_ffi_init(|place| -> Result<(), Infallible> {
            init(place);
            Ok(())
        })
    }

    /// Makes an initialiser of a function that initialises the value or fails.
    pub fn try_ffi_init<E>(init: impl FnOnce(*mut T) -> Result<(), E>) -> impl PinInit<Self, E> {
        let init = |place: *mut Self| init(Self::cast_into(place));
        // SAFETY: Uninitialised or not, the place has an opaque value.
        unsafe { pinned_init::pin_init_from_closure(init) }
    }

    /// Returns the pointer of the value.
    pub const fn get(&self) -> *mut T {
        self.value.get().cast()
    }

    /// Returns the pointer of the value in an opaque one.
    pub const fn cast_into(this: *const Self) -> *mut T {
        this.cast_mut().cast()
    }

    /// Returns the pointer of an opaque value with this one.
    pub const fn cast_from(value: *const T) -> *const Self {
        value.cast()
    }
}

/// Makes a type that has it one of a single thread.
pub type NotThreadSafe = PhantomData<*mut ()>;

/// The value of this type.
#[expect(non_upper_case_globals, reason = "used as the type's constructor")]
pub const NotThreadSafe: NotThreadSafe = PhantomData;

/// A value that C code can keep as a pointer.
///
/// # Safety
///
/// The pointers are not null.
pub unsafe trait ForeignOwnable: Sized {
    /// The value while C keeps it.
    type Borrowed<'a>;

    /// Gives the value to C.
    fn into_foreign(self) -> *mut c_void;

    /// Takes a value back from C.
    ///
    /// # Safety
    ///
    /// The pointer is of [`into_foreign`](Self::into_foreign), was not taken back before, and no
    /// value that was borrowed is left.
    unsafe fn from_foreign(pointer: *mut c_void) -> Self;

    /// Borrows a value from C.
    ///
    /// # Safety
    ///
    /// The pointer is of [`into_foreign`](Self::into_foreign), and is not taken back during `'a`.
    unsafe fn borrow<'a>(pointer: *mut c_void) -> Self::Borrowed<'a>;
}
