// SPDX-License-Identifier: GPL-2.0

//! When the watchdog of a package looks whether an interrupt never came.
//!
//! An overflow whose interrupt is lost leaves all counters of the package frozen. And should its
//! status be lost as well, the counter goes on and must be read before it wraps again. So the
//! watchdog comes at half the shortest time in which a counter in use could wrap, and in between
//! [`SHORTEST_NS`] and [`LONGEST_NS`]: no matter how long a wrap takes, nobody wants to find his
//! counters frozen for an hour.
//!
//! Pure; takes and gives nanoseconds.

#[cfg(KUNIT_SUITES)]
mod tests;

/// It does not come more often than this.
const SHORTEST_NS: u64 = 100_000_000;

/// It comes at least this often.
const LONGEST_NS: u64 = 60_000_000_000;

/// After which time to look, if a counter could wrap in `wrap_ns`.
pub(super) fn interval_ns(wrap_ns: u64) -> u64 {
    (wrap_ns / 2).clamp(SHORTEST_NS, LONGEST_NS)
}
