// SPDX-License-Identifier: GPL-2.0

//! Replaces values.

use kernel::{init::value, prelude::*};
use std::convert::Infallible;

/// Drops a value and initialises a new one in its place.
pub(crate) fn reinit<T: Unpin>(place: &mut T, init: impl Init<T>) {
    let made: Result<T, Infallible> = value(init);
    match made {
        Ok(value) => *place = value,
        Err(never) => match never {},
    }
}
