// SPDX-License-Identifier: GPL-2.0

//! Stands in for the kernel crate: the part of it that the module uses.
//!
//! Names and signatures are those of the kernel. The module is built with this crate where the
//! kernel has no Rust (`cfg(MODULE)`), and so are the driver's tests on the host. What differs
//! between the two is in `backend`: memory, mutexes, the log, sleeping.

#![cfg_attr(MODULE, no_std)]
#![feature(coerce_unsized, unsize)]

pub mod alloc;
#[cfg(MODULE)]
#[path = "backend/c.rs"]
mod backend;
#[cfg(not(MODULE))]
#[path = "backend/host.rs"]
mod backend;
pub mod error;
pub mod ffi;
pub mod init;
#[cfg(MODULE)]
pub mod module;
pub mod print;
pub mod str;
pub mod sync;
#[cfg(test)]
mod tests;
pub mod time;
pub mod types;

pub use core::fmt;

#[doc(hidden)]
pub use pinned_init;

/// Pages.
pub mod page {
    /// Size of a page in bytes.
    pub const PAGE_SIZE: usize = 4096;
}

/// The module that a driver belongs to.
#[derive(Debug)]
pub struct ThisModule(());

#[cfg(not(MODULE))]
impl ThisModule {
    /// Makes the one of a test.
    pub const fn of_test() -> Self {
        Self(())
    }
}

/// A module: loading it makes a value, unloading it drops that.
pub trait Module: Sized + Sync + Send {
    /// Makes the value.
    ///
    /// # Errors
    ///
    /// The error with which the module is not loaded.
    fn init(module: &'static ThisModule) -> error::Result<Self>;
}

/// Formats its arguments: the kernel's `fmt!`.
#[macro_export]
macro_rules! format_arguments {
    ($($arguments:tt)*) => { ::core::format_args!($($arguments)*) };
}

/// Returns a pointer to the struct that has a value as its field: `container_of!(pointer, Struct,
/// field)`.
#[macro_export]
macro_rules! container_of {
    ($field:expr, $Struct:ty, $($name:tt)*) => {
        $field.byte_sub(::core::mem::offset_of!($Struct, $($name)*)).cast::<$Struct>()
    };
}

/// The names that each file of the driver imports.
pub mod prelude {
    #[cfg(MODULE)]
    pub use crate::module;
    pub use crate::{
        alloc::{flags::GFP_KERNEL, KBox, KVVec, KVec},
        error::{code::*, Error, Result},
        format_arguments as fmt,
        init::{try_pin_init, Init, PinInit},
        pr_err, pr_info, pr_notice, pr_warn,
        str::CStrExt as _,
        ThisModule,
    };
    pub use core::{ffi::CStr, pin::Pin};
    #[cfg(not(MODULE))]
    pub use macros::kunit_tests;
    pub use pinned_init::{init, pin_data, pin_init, pinned_drop, PinnedDrop};
}
