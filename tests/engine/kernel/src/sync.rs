// SPDX-License-Identifier: GPL-2.0

//! Locks and shared values.

use crate::{
    alloc::{flags::Flags, AllocError},
    error::{Error, Result},
    init::PinInit,
};
use std::ops::{Deref, DerefMut};

pub use std::sync::Arc;

/// Locks, atomics and threads: those of the standard library, or of shuttle.
#[cfg(not(feature = "schedules"))]
pub mod host {
    pub use std::{sync::*, thread};
}

/// Locks, atomics and threads: those of the standard library, or of shuttle.
#[cfg(feature = "schedules")]
pub mod host {
    pub use shuttle::{sync::*, thread};
}

/// Makes a shared value with an initialiser.
pub trait ArcInit<T>: Sized {
    /// Makes the value.
    fn pin_init<E>(init: impl PinInit<T, E>, flags: Flags) -> Result<Self, Error>
    where
        Error: From<E>;
}

impl<T> ArcInit<T> for Arc<T> {
    fn pin_init<E>(init: impl PinInit<T, E>, _flags: Flags) -> Result<Self, Error>
    where
        Error: From<E>,
    {
        Ok(Arc::new(init.make()?))
    }
}

/// A shared value with one reference.
#[derive(Debug)]
pub struct UniqueArc<T>(T);

impl<T> UniqueArc<T> {
    /// Makes a value that can be shared.
    pub fn new(value: T, _flags: Flags) -> Result<Self, AllocError> {
        Ok(Self(value))
    }
}

impl<T> From<UniqueArc<T>> for Arc<T> {
    fn from(unique: UniqueArc<T>) -> Self {
        Arc::new(unique.0)
    }
}

/// A mutex, whose taker may sleep.
#[derive(Debug)]
pub struct Mutex<T>(host::Mutex<T>);

/// The data of a mutex, which is released on drop.
pub struct Guard<'a, T>(host::MutexGuard<'a, T>);

impl<T> Mutex<T> {
    /// Makes a mutex; used by [`new_mutex!`](crate::new_mutex).
    pub const fn new(value: T) -> Self {
        Self(host::Mutex::new(value))
    }

    /// Takes the mutex.
    pub fn lock(&self) -> Guard<'_, T> {
        Guard(self.0.lock().expect("no holder of the mutex panicked"))
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

/// Makes the initialiser of a mutex.
#[macro_export]
macro_rules! new_mutex {
    ($value:expr) => {
        $crate::sync::Mutex::new($value)
    };
}
