// SPDX-License-Identifier: GPL-2.0

//! The time between readings.

use std::time::{Duration, Instant};

/// Clock of what is counted, from one reading to the next.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Clock {
    /// Start, or last reading.
    since: Option<Instant>,
    /// Time at which counting stopped.
    until: Option<Instant>,
}

impl Clock {
    /// Counting starts.
    pub(crate) fn start(&mut self, now: Instant) {
        self.since = Some(now);
        self.until = None;
    }

    /// Counting stops.
    pub(crate) fn stop(&mut self, now: Instant) {
        self.until = Some(now);
    }

    /// Returns the time since the start or the last call; what follows a stop is not counted.
    pub(crate) fn lap(&mut self, now: Instant) -> Duration {
        let end = self.until.unwrap_or(now);
        let since = self.since.replace(end);
        since.map_or(Duration::ZERO, |since| end.saturating_duration_since(since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lap_is_from_reading_to_reading_and_ends_at_the_stop() {
        let origin = Instant::now();
        let at = |seconds| origin + Duration::from_secs(seconds);
        let mut clock = Clock::default();
        assert_eq!(clock.lap(at(0)), Duration::ZERO, "not started");
        clock.start(at(1));
        assert_eq!(clock.lap(at(3)), Duration::from_secs(2));
        assert_eq!(clock.lap(at(8)), Duration::from_secs(5));
        clock.stop(at(9));
        assert_eq!(clock.lap(at(20)), Duration::from_secs(1));
        assert_eq!(clock.lap(at(30)), Duration::ZERO, "stopped");
        clock.start(at(40));
        assert_eq!(clock.lap(at(41)), Duration::from_secs(1));
    }
}
