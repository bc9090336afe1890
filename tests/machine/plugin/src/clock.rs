// SPDX-License-Identifier: GPL-2.0

//! Uncore cycles from guest-visible time, for the free-running mode.
//!
//! The emulator runs in real time, so the guest's nanoseconds are the host's.

use std::time::Duration;

/// uclk is 2400 MHz: 12 cycles in 5 ns (traffic.rst).
const CYCLES: u128 = 12;
const NANOSECONDS: u128 = 5;

/// The position of the endless axis.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    /// The moment up to which it has moved; nothing while time is stopped.
    reached: Option<Duration>,
}

impl Clock {
    /// Time stands still from here to the next call of [`Self::advance`].
    pub(crate) fn stop(&mut self) {
        self.reached = None;
    }

    /// The cycles since the last call, if time ran from then to now.
    pub(crate) fn advance(&mut self, now: Duration, running: bool) -> u64 {
        let before = self.reached.unwrap_or(now);
        self.reached = running.then(|| now.max(before));
        cycles(now).saturating_sub(cycles(before))
    }
}

/// The cycles of uclk in a time.
pub(crate) fn cycles(time: Duration) -> u64 {
    let cycles = time.as_nanos() * CYCLES / NANOSECONDS;
    u64::try_from(cycles).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanoseconds: u64) -> Duration {
        Duration::from_nanos(nanoseconds)
    }

    #[test]
    fn runs_at_2400_mhz_without_losing_fractions() {
        let mut clock = Clock::default();
        assert_eq!(clock.advance(at(1_000), true), 0, "starts now");
        let sum: u64 = (1_001..=2_000).map(|ns| clock.advance(at(ns), true)).sum();
        assert_eq!(sum, 2_400);
    }

    #[test]
    fn stands_still_while_not_running() {
        let mut clock = Clock::default();
        clock.advance(at(0), true);
        assert_eq!(clock.advance(at(5), false), 12, "what had passed");
        assert_eq!(clock.advance(at(50), false), 0);
        assert_eq!(clock.advance(at(500), true), 0);
        assert_eq!(clock.advance(at(505), true), 12);
    }

    #[test]
    fn sleeps_until_it_is_asked_again() {
        let mut clock = Clock::default();
        clock.advance(at(0), true);
        clock.stop();
        assert_eq!(clock.advance(at(500), true), 0);
        assert_eq!(clock.advance(at(505), true), 12);
    }

    #[test]
    fn never_goes_back() {
        let mut clock = Clock::default();
        clock.advance(at(100), true);
        assert_eq!(clock.advance(at(50), true), 0);
        assert_eq!(clock.advance(at(105), true), 12);
    }
}
