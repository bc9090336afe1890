// SPDX-License-Identifier: GPL-2.0

//! Module parameters.
//!
//! C header: [`include/linux/moduleparam.h`](srctree/include/linux/moduleparam.h)
//!
//! The parameters are declared in `include/params.c`. `module!` has no text parameters, and no others
//! on all kernels.
//!
//! # Contexts
//!
//! Any; a parameter does not change once the module is loaded.

use super::bindings;
use core::slice;
use kernel::{
    ffi::c_char,
    str::BStr, //
};

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

pub(crate) fn allow_virtual() -> bool {
    // SAFETY: Has no requirements.
    unsafe { bindings::helper_param_allow_virtual() }
}

pub(crate) fn frozen_limit() -> u8 {
    // SAFETY: Has no requirements.
    unsafe { bindings::helper_param_frozen_limit() }
}

/// Converts a C string.
///
/// # Safety
///
/// `raw` must be a string that does not change while the module is loaded.
unsafe fn text(raw: *const c_char) -> &'static BStr {
    // SAFETY: By the function's contract `raw` is a string.
    let length = unsafe { bindings::helper_param_length(raw) };
    // SAFETY: By the function's contract the string has that number of bytes, which do not change.
    BStr::from_bytes(unsafe { slice::from_raw_parts(raw.cast(), length) })
}
