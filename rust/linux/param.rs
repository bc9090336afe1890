// SPDX-License-Identifier: GPL-2.0

//! Module parameters.
//!
//! C header: [`include/linux/moduleparam.h`](srctree/include/linux/moduleparam.h)
//!
//! Numbers are declared with `module!`, whose values older kernels give by reference and newer ones
//! by copy. It has no parameters that are text; those are declared in `include/params.c`.
//!
//! # Contexts
//!
//! Any; a parameter does not change once the module is loaded.

use super::bindings;
use core::borrow::Borrow;
use kernel::{
    ffi::c_char,
    prelude::*,
    str::{
        BStr,
        CStr, //
    }, //
};

/// Whether a parameter that is 0 or 1 is set.
pub(crate) fn is_set(value: impl Borrow<u8>) -> bool {
    *value.borrow() != 0
}

/// What `alias` is set to.
pub(crate) fn alias() -> &'static BStr {
    // SAFETY: Has no requirements.
    let raw = unsafe { bindings::helper_param_alias() };
    // SAFETY: A string that stays as it is until the module is gone.
    unsafe { text(raw) }
}

/// What `names` is set to.
pub(crate) fn names() -> &'static BStr {
    // SAFETY: Has no requirements.
    let raw = unsafe { bindings::helper_param_names() };
    // SAFETY: A string that stays as it is until the module is gone.
    unsafe { text(raw) }
}

/// What `overflow` is set to.
pub(crate) fn overflow() -> &'static BStr {
    // SAFETY: Has no requirements.
    let raw = unsafe { bindings::helper_param_overflow() };
    // SAFETY: A string that stays as it is until the module is gone.
    unsafe { text(raw) }
}

/// A string of C's.
///
/// # Safety
///
/// `raw` must be a string that stays as it is until the module is gone.
unsafe fn text(raw: *const c_char) -> &'static BStr {
    // SAFETY: By the function's contract.
    let text = unsafe { CStr::from_char_ptr(raw) };
    BStr::from_bytes(text.to_bytes())
}
