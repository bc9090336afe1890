// SPDX-License-Identifier: GPL-2.0

//! Initialisers. In the kernel they write a value to its place; here they return it.

use std::{convert::Infallible, marker::PhantomData};

/// An initialiser of a pinned value.
pub trait PinInit<T, E = Infallible>: Sized {
    /// Makes the value.
    fn make(self) -> Result<T, E>;
}

/// An initialiser of a value.
pub trait Init<T, E = Infallible>: PinInit<T, E> {
    /// Changes the value after it was made.
    fn chain(self, change: impl FnOnce(&mut T) -> Result<(), E>) -> impl Init<T, E> {
        closure(move || {
            let mut value = self.make()?;
            change(&mut value)?;
            Ok(value)
        })
    }
}

impl<T> PinInit<T> for T {
    fn make(self) -> Result<T, Infallible> {
        Ok(self)
    }
}

impl<T> Init<T> for T {}

struct Closure<T, F>(F, PhantomData<fn() -> T>);

impl<T, E, F: FnOnce() -> Result<T, E>> PinInit<T, E> for Closure<T, F> {
    fn make(self) -> Result<T, E> {
        (self.0)()
    }
}

impl<T, E, F: FnOnce() -> Result<T, E>> Init<T, E> for Closure<T, F> {}

/// Makes an initialiser of a closure.
pub fn closure<T, E>(make: impl FnOnce() -> Result<T, E>) -> impl Init<T, E> {
    Closure(make, PhantomData)
}

/// Makes an initialiser of a struct: `field: value`, `field <- initialiser` or `field`.
#[macro_export]
macro_rules! pin_init {
    ($Type:ident { $($fields:tt)* }) => {
        $crate::init::closure(move || -> ::core::result::Result<_, ::core::convert::Infallible> {
            Ok($crate::fields!($Type [] $($fields)*))
        })
    };
}

/// Makes an initialiser of a struct that is not pinned.
#[macro_export]
macro_rules! init {
    ($($struct:tt)*) => { $crate::pin_init!($($struct)*) };
}

/// Makes an initialiser of a struct that can fail.
#[macro_export]
macro_rules! try_pin_init {
    ($Type:ident { $($fields:tt)* }) => {
        $crate::init::closure(move || -> ::core::result::Result<_, $crate::error::Error> {
            Ok($crate::fields!($Type [] $($fields)*))
        })
    };
}

/// Makes the struct of an initialiser, field by field.
#[doc(hidden)]
#[macro_export]
macro_rules! fields {
    ($Type:ident [$($done:tt)*]) => { $Type { $($done)* } };
    ($Type:ident [$($done:tt)*] $field:ident : $value:expr $(, $($rest:tt)*)?) => {
        $crate::fields!($Type [$($done)* $field: $value,] $($($rest)*)?)
    };
    ($Type:ident [$($done:tt)*] $field:ident <- $init:expr $(, $($rest:tt)*)?) => {
        $crate::fields!($Type [$($done)* $field: $crate::init::PinInit::make($init)?,] $($($rest)*)?)
    };
    ($Type:ident [$($done:tt)*] $field:ident $(, $($rest:tt)*)?) => {
        $crate::fields!($Type [$($done)* $field,] $($($rest)*)?)
    };
}
