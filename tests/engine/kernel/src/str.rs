// SPDX-License-Identifier: GPL-2.0

//! Strings.

use crate::error::{code::EINVAL, Result};
use std::{fmt, ops::Deref};

pub use std::ffi::CStr;

/// Bytes that are text.
pub struct BStr(Vec<u8>);

impl BStr {
    /// Makes text of bytes. It stays until the program ends, as parameters of a module do.
    pub fn from_bytes(bytes: &[u8]) -> &'static Self {
        Box::leak(Box::new(Self(bytes.to_vec())))
    }
}

impl Deref for BStr {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for BStr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(self))
    }
}

/// An owned C string.
#[derive(Debug)]
pub struct CString(std::ffi::CString);

impl CString {
    /// Makes a string of formatted text.
    pub fn try_from_fmt(text: fmt::Arguments<'_>) -> Result<Self> {
        let text = std::ffi::CString::new(text.to_string());
        text.map(Self).map_err(|_| EINVAL)
    }
}

impl Deref for CString {
    type Target = CStr;

    fn deref(&self) -> &CStr {
        &self.0
    }
}
