// SPDX-License-Identifier: GPL-2.0

//! The kernel log.

pub use crate::backend::log;
#[cfg(not(MODULE))]
pub use crate::backend::take;

/// Logs an error.
#[macro_export]
macro_rules! pr_err {
    ($($text:tt)*) => { $crate::print::log(3, ::core::format_args!($($text)*)) };
}

/// Logs a warning.
#[macro_export]
macro_rules! pr_warn {
    ($($text:tt)*) => { $crate::print::log(4, ::core::format_args!($($text)*)) };
}

/// Logs a notice.
#[macro_export]
macro_rules! pr_notice {
    ($($text:tt)*) => { $crate::print::log(5, ::core::format_args!($($text)*)) };
}

/// Logs an information.
#[macro_export]
macro_rules! pr_info {
    ($($text:tt)*) => { $crate::print::log(6, ::core::format_args!($($text)*)) };
}
