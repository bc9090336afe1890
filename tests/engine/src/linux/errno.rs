// SPDX-License-Identifier: GPL-2.0

//! Error codes that the kernel crate does not name.

use kernel::error::Error;

/// Returns the error "operation not supported".
pub(crate) fn eopnotsupp() -> Error {
    Error::from_errno(-95)
}
