// SPDX-License-Identifier: GPL-2.0

//! The clock of the test.

use crate::host::host;
use std::sync::atomic::Ordering::Relaxed;

/// Returns the nanoseconds since boot.
pub(crate) fn uptime_ns() -> u64 {
    host().now()
}

/// Returns the nanoseconds of the monotonic clock.
pub(crate) fn monotonic_ns() -> u64 {
    host().now()
}

/// Returns the nanoseconds in which the computer slept.
pub(crate) fn suspended_ns() -> u64 {
    host().slept_ns.load(Relaxed)
}

/// Returns the milliseconds of a clock that goes on with the timer tick.
pub(crate) fn tick_ms() -> u64 {
    host().now() / 1_000_000
}
