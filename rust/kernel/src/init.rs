// SPDX-License-Identifier: GPL-2.0

//! Initialisers, which write a value to its place.

pub use crate::__try_pin_init as try_pin_init;
pub use pinned_init::{Init, PinInit};

/// Makes an initialiser of a struct that can fail, with an [`Error`](crate::error::Error) unless
/// another type is named.
#[doc(hidden)]
#[macro_export]
macro_rules! __try_pin_init {
    ($(&$this:ident in)? $Struct:ident { $($fields:tt)* }) => {
        $crate::__try_pin_init!($(&$this in)? $Struct { $($fields)* }? $crate::error::Error)
    };
    ($(&$this:ident in)? $Struct:ident { $($fields:tt)* }? $Error:ty) => {
        $crate::pinned_init::try_pin_init!($(&$this in)? $Struct { $($fields)* }? $Error)
    };
}

/// Values for the stand-ins of wrappers of the kernel's structs, which have no places for them.
#[cfg(not(MODULE))]
mod host {
    use super::{Init, PinInit};
    use std::{mem::MaybeUninit, sync::Arc};

    /// Makes an initialiser of a closure.
    pub fn closure<T, E>(make: impl FnOnce() -> Result<T, E>) -> impl Init<T, E> {
        let write = |place: *mut T| {
            let value = make()?;
            // SAFETY: An initialiser gets memory for a value.
            unsafe { place.write(value) };
            Ok(())
        };
        // SAFETY: The place has a value if the closure succeeds, and else was not touched. It may
        // move before as after.
        unsafe { pinned_init::init_from_closure(write) }
    }

    /// Makes a value that may move.
    pub fn value<T: Unpin, E>(init: impl PinInit<T, E>) -> Result<T, E> {
        let mut place = MaybeUninit::uninit();
        // SAFETY: This is memory for a value. Values of the type may move.
        unsafe { init.__pinned_init(place.as_mut_ptr()) }?;
        // SAFETY: The initialiser has succeeded.
        Ok(unsafe { place.assume_init() })
    }

    /// Makes a value that stays where it is.
    pub fn shared<T, E>(init: impl PinInit<T, E>) -> Result<Arc<T>, E> {
        let mut place = Arc::new_uninit();
        let only = Arc::get_mut(&mut place).expect("one reference");
        // SAFETY: This is memory for a value. It never moves, as a shared value is not moved out.
        unsafe { init.__pinned_init(only.as_mut_ptr()) }?;
        // SAFETY: The initialiser has succeeded.
        Ok(unsafe { place.assume_init() })
    }
}

#[cfg(not(MODULE))]
pub use host::{closure, shared, value};
