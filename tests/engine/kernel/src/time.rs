// SPDX-License-Identifier: GPL-2.0

//! Time. It is that of the test: nothing waits for it.

use std::cell::Cell;

/// A difference of two times.
#[derive(Clone, Copy, Debug)]
pub struct Delta(i64);

impl Delta {
    /// Makes a difference of so many nanoseconds.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// Makes a difference of so many microseconds.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros * 1_000)
    }

    /// Makes a difference of so many milliseconds.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis * 1_000_000)
    }
}

thread_local! {
    static PASS: Cell<fn(u64)> = const { Cell::new(|_| ()) };
}

/// Sets what lets time pass, in nanoseconds, for code of this thread that sleeps.
pub fn passes_by(pass: fn(u64)) {
    PASS.set(pass);
}

/// Sleeping.
pub mod delay {
    use super::{Delta, PASS};

    /// Sleeps.
    pub fn fsleep(delta: Delta) {
        PASS.get()(delta.0.unsigned_abs());
    }
}
