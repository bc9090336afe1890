// SPDX-License-Identifier: GPL-2.0

//! Module parameters.
//!
//! C header: [`include/linux/moduleparam.h`](srctree/include/linux/moduleparam.h)
//!
//! Numbers are declared with `module!`. Older kernels give their values by reference, newer ones by
//! copy. `module!` has no text parameters, so these are declared in `include/params.c`.
//!
//! # Contexts
//!
//! Any; a parameter does not change once the module is loaded.

use super::bindings;
use core::{
    borrow::Borrow,
    slice, //
};
use kernel::{
    ffi::c_char,
    str::BStr, //
};

/// Returns the value of a parameter that is a number.
pub(crate) fn number(value: impl Borrow<u8>) -> u8 {
    *value.borrow()
}

/// Returns whether a parameter that is 0 or 1 is set.
pub(crate) fn is_set(value: impl Borrow<u8>) -> bool {
    number(value) != 0
}

pub(crate) fn alias() -> &'static BStr {
    // SAFETY: Has no requirements.
    let raw = unsafe { bindings::helper_param_alias() };
    // SAFETY: The string does not change while the module is loaded.
    unsafe { text(raw) }
}

pub(crate) fn names() -> &'static BStr {
    // SAFETY: Has no requirements.
    let raw = unsafe { bindings::helper_param_names() };
    // SAFETY: The string does not change while the module is loaded.
    unsafe { text(raw) }
}

pub(crate) fn overflow() -> &'static BStr {
    // SAFETY: Has no requirements.
    let raw = unsafe { bindings::helper_param_overflow() };
    // SAFETY: The string does not change while the module is loaded.
    unsafe { text(raw) }
}

pub(crate) fn tamper() -> &'static BStr {
    // SAFETY: Has no requirements.
    let raw = unsafe { bindings::helper_param_tamper() };
    // SAFETY: The string does not change while the module is loaded.
    unsafe { text(raw) }
}

pub(crate) fn filters() -> &'static BStr {
    // SAFETY: Has no requirements.
    let raw = unsafe { bindings::helper_param_filters() };
    // SAFETY: The string does not change while the module is loaded.
    unsafe { text(raw) }
}

/// Converts a C string.
///
/// # Safety
///
/// `raw` must be a string that does not change while the module is loaded.
unsafe fn text(raw: *const c_char) -> &'static BStr {
    // SAFETY: By the function's contract `raw` is a string.
    let length = unsafe { bindings::helper_param_length(raw) };
    // SAFETY: By the function's contract the string has so many bytes, which do not change.
    BStr::from_bytes(unsafe { slice::from_raw_parts(raw.cast(), length) })
}
