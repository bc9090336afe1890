// SPDX-License-Identifier: GPL-2.0

//! Module parameters, whose values older kernels give by reference and newer ones by copy.
//!
//! C header: [`include/linux/moduleparam.h`](srctree/include/linux/moduleparam.h)
//!
//! # Contexts
//!
//! Any; a parameter does not change once the module is loaded.

use core::borrow::Borrow;

/// Whether a parameter that is 0 or 1 is set.
pub(crate) fn is_set(value: impl Borrow<u8>) -> bool {
    *value.borrow() != 0
}
