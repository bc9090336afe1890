// SPDX-License-Identifier: GPL-2.0

//! The kernel log: the lines of each thread, for the tests that read them.

use std::{cell::RefCell, fmt, mem};

thread_local! {
    static LOG: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Adds a line to the log.
pub fn log(level: &str, line: fmt::Arguments<'_>) {
    let line = format!("{level}: {}", line.to_string().trim_end());
    LOG.with_borrow_mut(|log| log.push(line));
}

/// Takes the lines that this thread has logged, oldest first: `level: text`.
pub fn take() -> Vec<String> {
    LOG.with_borrow_mut(mem::take)
}

/// Logs an error.
#[macro_export]
macro_rules! pr_err {
    ($($text:tt)*) => { $crate::print::log("err", ::core::format_args!($($text)*)) };
}

/// Logs a warning.
#[macro_export]
macro_rules! pr_warn {
    ($($text:tt)*) => { $crate::print::log("warn", ::core::format_args!($($text)*)) };
}

/// Logs a notice.
#[macro_export]
macro_rules! pr_notice {
    ($($text:tt)*) => { $crate::print::log("notice", ::core::format_args!($($text)*)) };
}

/// Logs an information.
#[macro_export]
macro_rules! pr_info {
    ($($text:tt)*) => { $crate::print::log("info", ::core::format_args!($($text)*)) };
}
