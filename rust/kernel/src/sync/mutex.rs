// SPDX-License-Identifier: GPL-2.0

//! A mutex, whose taker may sleep.

use crate::{backend, init::PinInit, str::CStr, sync::LockClassKey};
use core::{
    cell::UnsafeCell,
    ops::{Deref, DerefMut},
    pin::Pin,
};
use pinned_init::{pin_data, pin_init, Wrapper as _};

/// Data behind a mutex.
#[pin_data]
pub struct Mutex<T> {
    #[pin]
    raw: backend::Mutex,
    #[pin]
    data: UnsafeCell<T>,
}

// SAFETY: Sending the mutex sends the data, and nobody holds it meanwhile.
unsafe impl<T: Send> Send for Mutex<T> {}

// SAFETY: Only its holder has access to the data.
unsafe impl<T: Send> Sync for Mutex<T> {}

impl<T> Mutex<T> {
    /// Makes a mutex; used by [`new_mutex!`](crate::new_mutex).
    pub fn new(
        data: impl PinInit<T>,
        name: &'static CStr,
        class: Pin<&'static LockClassKey>,
    ) -> impl PinInit<Self> {
        pin_init!(Self {
            raw <- backend::Mutex::new(name, class),
            data <- UnsafeCell::pin_init(data),
        })
    }

    /// Takes the mutex.
    pub fn lock(&self) -> Guard<'_, T> {
        Guard {
            _held: self.raw.lock(),
            data: &self.data,
        }
    }
}

/// The data of a mutex, which is released on drop.
///
/// # Invariants
///
/// The mutex of the data is held.
pub struct Guard<'a, T> {
    _held: backend::Held<'a>,
    data: &'a UnsafeCell<T>,
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: By the type invariant.
        unsafe { &*self.data.get() }
    }
}

impl<T: Unpin> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: By the type invariant. The guard is borrowed exclusively.
        unsafe { &mut *self.data.get() }
    }
}
