// SPDX-License-Identifier: GPL-2.0

//! Replaces values.

use kernel::prelude::*;
use std::convert::Infallible;

/// Drops a value and initialises a new one in its place.
pub(crate) fn reinit<T>(place: &mut T, init: impl Init<T>) {
    let made: Result<T, Infallible> = init.make();
    match made {
        Ok(value) => *place = value,
        Err(never) => match never {},
    }
}
