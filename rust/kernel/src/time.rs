// SPDX-License-Identifier: GPL-2.0

//! Time.

#[cfg(not(MODULE))]
pub use crate::backend::passes_by;

/// A difference of two times.
#[derive(Clone, Copy, Debug)]
pub struct Delta(i64);

impl Delta {
    /// Makes a difference of a number of nanoseconds.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// Makes a difference of a number of milliseconds.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis.saturating_mul(1_000_000))
    }
}

/// Sleeping.
pub mod delay {
    use super::Delta;

    /// Sleeps for at least this time.
    pub fn fsleep(delta: Delta) {
        crate::backend::sleep(delta.0.unsigned_abs());
    }
}
