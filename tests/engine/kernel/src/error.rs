// SPDX-License-Identifier: GPL-2.0

//! Error codes of the kernel.

use crate::alloc::{AllocError, PushError};
use std::{convert::Infallible, fmt};

/// An error code, negative as in C.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Error(i32);

/// A result with an error code.
pub type Result<T = (), E = Error> = core::result::Result<T, E>;

impl Error {
    /// Makes an error of a negative error code.
    pub const fn from_errno(errno: i32) -> Self {
        Self(errno)
    }

    /// Returns the negative error code.
    pub const fn to_errno(self) -> i32 {
        self.0
    }
}

impl From<AllocError> for Error {
    fn from(_: AllocError) -> Self {
        code::ENOMEM
    }
}

impl From<PushError> for Error {
    fn from(_: PushError) -> Self {
        code::EINVAL
    }
}

impl From<Infallible> for Error {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

impl From<fmt::Error> for Error {
    fn from(_: fmt::Error) -> Self {
        code::EINVAL
    }
}

macro_rules! codes {
    ($($name:ident = $number:literal, $text:literal;)*) => {
        /// The error codes that the engine uses.
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
