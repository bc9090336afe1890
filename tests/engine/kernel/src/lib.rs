// SPDX-License-Identifier: GPL-2.0

//! The part of the kernel crate that the engine uses, on the host.
//!
//! Names and signatures are those of the kernel. Memory, locks and formatting are those of the
//! standard library. With the feature `schedules`, locks and atomics are those of shuttle.

pub mod alloc;
pub mod error;
pub mod init;
pub mod print;
pub mod str;
pub mod sync;
pub mod time;

pub use std::{ffi, fmt};

/// The module that a driver belongs to.
#[derive(Debug)]
pub struct ThisModule;

/// Formats its arguments: the kernel's `fmt!`.
#[macro_export]
macro_rules! format_arguments {
    ($($arguments:tt)*) => { ::core::format_args!($($arguments)*) };
}

/// What each file of the driver imports.
pub mod prelude {
    pub use crate::{
        alloc::{flags::GFP_KERNEL, KBox, KVVec, KVec},
        error::{code::*, Error, Result},
        format_arguments as fmt, init,
        init::{Init, PinInit},
        pin_init, pr_err, pr_info, pr_notice, pr_warn,
        sync::ArcInit,
        try_pin_init, ThisModule,
    };
    pub use core::{ffi::CStr, pin::Pin};
    pub use macros::{kunit_tests, pin_data};
}
