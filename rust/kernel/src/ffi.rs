// SPDX-License-Identifier: GPL-2.0

//! Types of C on this architecture, as the kernel defines them: `char` is unsigned, and `long` has
//! the size of a pointer.

#![expect(non_camel_case_types, reason = "names of C")]

pub use core::ffi::{
    c_int, c_longlong, c_schar, c_short, c_uchar, c_uint, c_ulonglong, c_ushort, c_void, CStr,
};

/// C's `char`.
pub type c_char = u8;
/// C's `long`.
pub type c_long = isize;
/// C's `unsigned long`.
pub type c_ulong = usize;
