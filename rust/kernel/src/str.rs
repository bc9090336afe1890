// SPDX-License-Identifier: GPL-2.0

//! Strings.

use crate::{
    alloc::{flags::GFP_KERNEL, KVec},
    error::{code::EINVAL, Error, Result},
    ffi::c_char,
};
use core::{
    fmt::{self, Write as _},
    ops::Deref,
};

pub use core::ffi::CStr;

/// The pointer of a C string, with the kernel's `char`.
pub trait CStrExt {
    /// Returns the pointer.
    fn as_char_ptr(&self) -> *const c_char;
}

impl CStrExt for CStr {
    fn as_char_ptr(&self) -> *const c_char {
        self.as_ptr().cast()
    }
}

/// Bytes that are text.
#[repr(transparent)]
pub struct BStr([u8]);

impl BStr {
    /// Returns bytes as text.
    pub const fn from_bytes(bytes: &[u8]) -> &Self {
        // SAFETY: The type is transparent.
        unsafe { &*(core::ptr::from_ref(bytes) as *const Self) }
    }
}

impl Deref for BStr {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for BStr {
    /// Prints the text. Control characters and what is no ASCII are escaped, as the kernel does it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for &byte in &self.0 {
            match byte {
                b'\t' => f.write_str("\\t")?,
                b'\n' => f.write_str("\\n")?,
                b'\r' => f.write_str("\\r")?,
                b' '..=b'~' => f.write_char(char::from(byte))?,
                _ => write!(f, "\\x{byte:02x}")?,
            }
        }
        Ok(())
    }
}

/// An owned C string.
///
/// # Invariants
///
/// The bytes end with the only one that is 0.
#[derive(Debug)]
pub struct CString(KVec<u8>);

impl CString {
    /// Makes a string of formatted text.
    ///
    /// # Errors
    ///
    /// [`EINVAL`] if the text has a byte that is 0,
    /// [`ENOMEM`](crate::error::code::ENOMEM).
    pub fn try_from_fmt(text: fmt::Arguments<'_>) -> Result<Self> {
        let mut string = Growing {
            bytes: KVec::new(),
            error: EINVAL,
        };
        if string.write_fmt(text).is_err() || string.write_str("\0").is_err() {
            return Err(string.error);
        }
        let bytes = string.bytes;
        CStr::from_bytes_with_nul(&bytes).map_err(|_| EINVAL)?;
        // INVARIANT: As checked above.
        Ok(Self(bytes))
    }
}

struct Growing {
    bytes: KVec<u8>,
    error: Error,
}

impl fmt::Write for Growing {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let written = self.bytes.extend_from_slice(text.as_bytes(), GFP_KERNEL);
        written.map_err(|error| {
            self.error = error.into();
            fmt::Error
        })
    }
}

impl Deref for CString {
    type Target = CStr;

    fn deref(&self) -> &CStr {
        // SAFETY: By the type invariant.
        unsafe { CStr::from_bytes_with_nul_unchecked(&self.0) }
    }
}
