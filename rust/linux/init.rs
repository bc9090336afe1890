// SPDX-License-Identifier: GPL-2.0

//! Replaces values that are too large for the kernel's stack.
//!
//! C header: none; the `pin-init` crate lacks this.

use core::{
    convert::Infallible,
    ptr, //
};
use kernel::prelude::*;

/// Drops a value and initialises a new one in its place.
pub(crate) fn reinit<T>(place: &mut T, init: impl Init<T>) {
    let place = ptr::from_mut(place);
    // SAFETY: The reference is exclusive, and the old value is not used any more.
    unsafe { ptr::drop_in_place(place) };
    // SAFETY: This is memory for a value, and the old value was dropped. The initialiser cannot
    // fail, and the kernel does not unwind, so the reference points to a value again.
    let done: Result<(), Infallible> = unsafe { init.__init(place) };
    let Ok(()) = done;
}
