// SPDX-License-Identifier: GPL-2.0

//! Error codes that the kernel crate of the oldest supported kernel does not name.
//!
//! C header: [`include/uapi/asm-generic/errno.h`](srctree/include/uapi/asm-generic/errno.h)

use super::bindings;
use kernel::{
    error::Error,
    ffi::c_int, //
};

/// Returns the error "operation not supported".
pub(crate) fn eopnotsupp() -> Error {
    Error::from_errno((bindings::EOPNOTSUPP as c_int).wrapping_neg())
}
