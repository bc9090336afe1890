// SPDX-License-Identifier: GPL-2.0

//! Library of the end-to-end tests: booted machines, readers of perf's output, and the counts
//! that perf should print, computed from the event list and the definition of traffic.

pub mod catalogue;
pub mod cost;
pub mod differences;
pub mod expect;
pub mod fixture;
pub mod formats;
pub mod perf;
pub mod platform;
pub mod prelude;
pub mod sweep;
pub mod units;
pub mod user_page;

/// Declares on which platforms a test holds besides the first, at the beginning of the test or of a
/// file for all its tests, by their classes: `platforms!(e5 client; e7)`. Those behind the semicolon
/// are left to `make test-kernels` and `make test-all`, and so is a test on the first platform if
/// `first` is there. `platforms.sh` reads it.
#[macro_export]
macro_rules! platforms {
    ($($word:tt)*) => {};
}
