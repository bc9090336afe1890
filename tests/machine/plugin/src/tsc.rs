// SPDX-License-Identifier: GPL-2.0

//! The guest's time stamp counter, which a test can move ahead of the emulator's.
//!
//! The emulator takes time from the host and offers no way to change it. So once a
//! test has skipped some time, the guest's reads of the counter are answered here.
//! The guest's kernel must use this counter as its clock, as it does on these
//! machines, and its timer must not use it: no TSC deadlines.

#![expect(unsafe_code, reason = "reads the host's time stamp counter")]

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The counter.
#[derive(Debug, Default)]
pub(crate) struct Tsc {
    /// The host's counter and time as the guest's began to count from 0.
    start: OnceLock<(u64, Instant)>,
    ahead: AtomicU64,
}

impl Tsc {
    /// The guest's first instruction is about to run. That is a moment too late, by
    /// which the first skip will be too short.
    pub(crate) fn start(&self) {
        self.start.get_or_init(|| (host(), Instant::now()));
    }

    /// Returns the counter for the guest; nothing if the emulator's own value is
    /// right.
    pub(crate) fn read(&self) -> Option<u64> {
        match self.ahead.load(Ordering::SeqCst) {
            0 => None,
            _ => self.read_msr(),
        }
    }

    /// Returns the counter as its MSR has it; of the emulator that MSR reads 0.
    pub(crate) fn read_msr(&self) -> Option<u64> {
        let (start, _) = self.start.get()?;
        let ahead = self.ahead.load(Ordering::SeqCst);
        Some(host().wrapping_sub(*start).wrapping_add(ahead))
    }

    /// Moves it forward.
    pub(crate) fn skip(&self, time: Duration) {
        self.ahead.fetch_add(self.cycles(time), Ordering::SeqCst);
    }

    /// Returns the counter's cycles in a time, at its rate since the start.
    fn cycles(&self, time: Duration) -> u64 {
        let Some((start, then)) = self.start.get() else {
            return 0;
        };
        let counted = u128::from(host().wrapping_sub(*start));
        let cycles = counted * time.as_nanos() / then.elapsed().as_nanos().max(1);
        u64::try_from(cycles).unwrap_or(u64::MAX)
    }
}

/// Reads the host's counter in program order, as the guest compares the counters of
/// its processors to the cycle.
fn host() -> u64 {
    let mut cpu = 0;
    // SAFETY: x86-64 processors have had the instruction since 2008, Linux lets user
    // space execute it, and it writes to our variable only.
    unsafe { std::arch::x86_64::__rdtscp(&raw mut cpu) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_emulators_until_something_is_skipped() {
        let tsc = Tsc::default();
        tsc.start();
        assert_eq!(tsc.read(), None);
        let first = tsc.read_msr().expect("started");
        assert!(tsc.read_msr().expect("started") > first);
        tsc.skip(Duration::from_millis(1));
        assert!(tsc.read().is_some());
    }
}
