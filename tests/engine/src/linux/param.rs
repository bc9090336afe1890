// SPDX-License-Identifier: GPL-2.0

//! Module parameters: the defaults. Tests make options of their own.

use kernel::str::BStr;

/// Returns the value of `alias`.
pub(crate) fn alias() -> &'static BStr {
    BStr::from_bytes(b"safe")
}

/// Returns the value of `names`.
pub(crate) fn names() -> &'static BStr {
    BStr::from_bytes(b"native")
}

/// Returns the value of `overflow`.
pub(crate) fn overflow() -> &'static BStr {
    BStr::from_bytes(b"auto")
}

/// Returns the value of `tamper`.
pub(crate) fn tamper() -> &'static BStr {
    BStr::from_bytes(b"end")
}

/// Returns the value of `filters`.
pub(crate) fn filters() -> &'static BStr {
    BStr::from_bytes(b"one")
}

/// Returns the value of `allow_virtual`.
pub(crate) fn allow_virtual() -> bool {
    false
}

/// Returns the value of `frozen_limit`.
pub(crate) fn frozen_limit() -> u8 {
    5
}
