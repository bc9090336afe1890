// SPDX-License-Identifier: GPL-2.0

//! The user who runs the test.

use crate::host::host;
use std::sync::atomic::Ordering::Relaxed;

/// A user.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct User(u32);

impl User {
    /// Returns the current user.
    pub(crate) fn current() -> Self {
        Self(host().user.load(Relaxed))
    }
}
