// SPDX-License-Identifier: GPL-2.0

//! The user who runs the current task.
//!
//! C header: [`include/linux/cred.h`](srctree/include/linux/cred.h)
//!
//! # Contexts
//!
//! Process context.

use super::bindings;

/// A user, by a number that is one for all user namespaces (`kuid_t`), and not as a namespace maps it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct User(u32);

impl User {
    /// Returns the user who runs the current task: of a set-user-ID program the one who started it.
    pub(crate) fn current() -> Self {
        // SAFETY: Has no requirements; reads the credentials of the current task.
        Self(unsafe { bindings::helper_current_uid() })
    }
}
