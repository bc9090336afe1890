// SPDX-License-Identifier: GPL-2.0

//! Memory. It never runs out here: the tests in the guest make allocations fail.

use crate::{
    error::{Error, Result},
    init::{Init, PinInit},
};
use std::{
    ops::{Deref, DerefMut},
    pin::Pin,
    slice, vec,
};

/// Flags of an allocation.
pub mod flags {
    /// Flags of an allocation.
    #[derive(Clone, Copy, Debug)]
    pub struct Flags;

    /// The caller may sleep.
    pub const GFP_KERNEL: Flags = Flags;
}

use flags::Flags;

/// An allocation failed.
#[derive(Debug)]
pub struct AllocError;

/// A vector has no room for a value.
#[derive(Debug)]
pub struct PushError;

/// A vector has no value at an index.
#[derive(Debug)]
pub struct RemoveError;

/// A box.
#[derive(Debug)]
pub struct KBox<T: ?Sized>(Box<T>);

impl<T> KBox<T> {
    /// Moves the value out of its box.
    pub fn into_inner(self) -> T {
        *self.0
    }

    /// Moves a value to a box.
    pub fn new(value: T, _flags: Flags) -> Result<Self, AllocError> {
        Ok(Self(Box::new(value)))
    }

    /// Makes a value in a box.
    pub fn init<E>(init: impl Init<T, E>, _flags: Flags) -> Result<Self, Error>
    where
        Error: From<E>,
    {
        Ok(Self(Box::new(init.make()?)))
    }

    /// Makes a value in a box that it does not leave.
    pub fn pin_init<E>(init: impl PinInit<T, E>, _flags: Flags) -> Result<Pin<Self>, Error>
    where
        Error: From<E>,
        T: Unpin,
    {
        Ok(Pin::new(Self(Box::new(init.make()?))))
    }
}

impl<T: ?Sized> Deref for KBox<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: ?Sized> DerefMut for KBox<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

/// A vector.
#[derive(Debug)]
pub struct KVec<T>(Vec<T>);

/// A vector whose memory may be virtually contiguous only.
pub type KVVec<T> = KVec<T>;

impl<T> KVec<T> {
    /// Makes an empty vector.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Makes an empty vector with room for `capacity` values.
    pub fn with_capacity(capacity: usize, _flags: Flags) -> Result<Self, AllocError> {
        Ok(Self(Vec::with_capacity(capacity)))
    }

    /// Makes room for `additional` values.
    pub fn reserve(&mut self, additional: usize, _flags: Flags) -> Result<(), AllocError> {
        self.0.reserve(additional);
        Ok(())
    }

    /// Appends a value.
    pub fn push(&mut self, value: T, _flags: Flags) -> Result<(), AllocError> {
        self.0.push(value);
        Ok(())
    }

    /// Appends a value if there is room.
    pub fn push_within_capacity(&mut self, value: T) -> Result<(), PushError> {
        if self.0.len() == self.0.capacity() {
            return Err(PushError);
        }
        self.0.push(value);
        Ok(())
    }

    /// Appends copies of values.
    pub fn extend_from_slice(&mut self, values: &[T], _flags: Flags) -> Result<(), AllocError>
    where
        T: Clone,
    {
        self.0.extend_from_slice(values);
        Ok(())
    }

    /// Removes the value at an index.
    pub fn remove(&mut self, index: usize) -> Result<T, RemoveError> {
        match index < self.0.len() {
            true => Ok(self.0.remove(index)),
            false => Err(RemoveError),
        }
    }

    /// Removes all values.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl<T> Default for KVec<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Deref for KVec<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> DerefMut for KVec<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T> IntoIterator for KVec<T> {
    type Item = T;
    type IntoIter = vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a KVec<T> {
    type Item = &'a T;
    type IntoIter = slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<'a, T> IntoIterator for &'a mut KVec<T> {
    type Item = &'a mut T;
    type IntoIter = slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter_mut()
    }
}
