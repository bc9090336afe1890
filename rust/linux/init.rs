// SPDX-License-Identifier: GPL-2.0

//! Values that are too large for the kernel's stack, made where they are to be.
//!
//! C header: none; what is missing in the `pin-init` crate.

use core::{
    convert::Infallible,
    ptr, //
};
use kernel::prelude::*;

/// Replaces a value.
pub(crate) fn renew<T>(place: &mut T, init: impl Init<T>) {
    let place = ptr::from_mut(place);
    // SAFETY: By the reference, there is a value, and nobody else uses it. It is not used any more.
    unsafe { ptr::drop_in_place(place) };
    // SAFETY: This is memory for a value, and holds none that is to be dropped. The initialiser
    // cannot fail, and nothing here unwinds, so that there is a value again for the reference.
    let done: Result<(), Infallible> = unsafe { init.__init(place) };
    let Ok(()) = done;
}
