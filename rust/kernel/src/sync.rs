// SPDX-License-Identifier: GPL-2.0

//! Locks and shared values.

mod arc;
mod mutex;

#[cfg(not(MODULE))]
pub use crate::backend::host;
pub use arc::{Arc, ArcBorrow, UniqueArc};
pub use mutex::{Guard, Mutex};

use crate::backend;
use core::cell::UnsafeCell;

/// The identity of a kind of lock, for lockdep.
#[repr(C, align(8))]
pub struct LockClassKey(UnsafeCell<[u8; backend::LOCK_CLASS_KEY]>);

// SAFETY: Only lockdep uses the bytes, which locks for itself.
unsafe impl Sync for LockClassKey {}

impl LockClassKey {
    /// Makes a key; used by [`static_lock_class!`].
    pub const fn of_static() -> Self {
        Self(UnsafeCell::new([0; backend::LOCK_CLASS_KEY]))
    }

    /// Returns its address.
    pub fn as_ptr(&self) -> *mut u8 {
        self.0.get().cast()
    }
}

/// Makes a lock class of this place in the source.
#[macro_export]
macro_rules! static_lock_class {
    () => {{
        static CLASS: $crate::sync::LockClassKey = $crate::sync::LockClassKey::of_static();
        ::core::pin::Pin::static_ref(&CLASS)
    }};
}

/// Makes the initialiser of a mutex.
#[macro_export]
macro_rules! new_mutex {
    ($value:expr) => {
        $crate::sync::Mutex::new($value, c"mutex", $crate::static_lock_class!())
    };
}
