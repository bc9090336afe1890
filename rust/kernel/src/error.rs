// SPDX-License-Identifier: GPL-2.0

//! Error codes of the kernel.

use crate::{
    alloc::{AllocError, PushError},
    ffi::c_int,
};
use core::{convert::Infallible, fmt, num::TryFromIntError};

/// An error code, negative as in C.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Error(c_int);

/// A result with an error code.
pub type Result<T = (), E = Error> = core::result::Result<T, E>;

impl Error {
    /// Makes an error of a negative error code.
    pub const fn from_errno(errno: c_int) -> Self {
        Self(errno)
    }

    /// Returns the negative error code.
    pub const fn to_errno(self) -> c_int {
        self.0
    }
}

/// Converts what a C function returns: a negative error code is an error, all else is success.
pub fn to_result(code: c_int) -> Result {
    match code < 0 {
        true => Err(Error(code)),
        false => Ok(()),
    }
}

/// Calls a function, and returns its value or negative error code to C.
pub fn from_result<T: From<i16>>(f: impl FnOnce() -> Result<T>) -> T {
    // Error codes are above -4096.
    f().unwrap_or_else(|error| T::from(error.0 as i16))
}

macro_rules! convert {
    ($($From:ty => $code:ident;)*) => {
        $(impl From<$From> for Error {
            fn from(_: $From) -> Self {
                code::$code
            }
        })*
    };
}

convert! {
    AllocError => ENOMEM;
    TryFromIntError => EINVAL;
    fmt::Error => EINVAL;
}

impl<T> From<PushError<T>> for Error {
    fn from(_: PushError<T>) -> Self {
        code::EINVAL
    }
}

impl From<Infallible> for Error {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

macro_rules! codes {
    ($($name:ident = $number:literal, $text:literal;)*) => {
        /// The error codes that the driver uses.
        pub mod code {
            $(
                #[doc = concat!($text, ".")]
                pub const $name: super::Error = super::Error::from_errno(-$number);
            )*
        }

        impl fmt::Debug for Error {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match -self.0 {
                    $($number => f.write_str(stringify!($name)),)*
                    other => write!(f, "error {other}"),
                }
            }
        }
    };
}

codes! {
    EPERM = 1, "Operation not permitted";
    ENOENT = 2, "No such file or directory";
    EIO = 5, "Input/output error";
    ENXIO = 6, "No such device or address";
    EAGAIN = 11, "Try again";
    ENOMEM = 12, "Out of memory";
    EACCES = 13, "Permission denied";
    EBUSY = 16, "Device or resource busy";
    EEXIST = 17, "File exists";
    ENODEV = 19, "No such device";
    EINVAL = 22, "Invalid argument";
    EFBIG = 27, "File too large";
    ENOSPC = 28, "No space left on device";
}
