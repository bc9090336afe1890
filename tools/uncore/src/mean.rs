// SPDX-License-Identifier: GPL-2.0

//! The means of a run: all of its intervals as one.

use uncore_metrics::{Interval, Outcome};

/// Sum of intervals with the values of boxes.
#[derive(Debug, Default)]
pub(crate) struct Run {
    end: f64,
    seconds: f64,
    outcomes: Vec<Outcome>,
}

impl Run {
    /// Adds an interval. A metric that was not counted in it keeps its value, and its time.
    pub(crate) fn push(&mut self, interval: &Interval) {
        self.end = interval.end;
        self.seconds += interval.seconds;
        for (place, new) in interval.outcomes.iter().enumerate() {
            let is_it = |old: &Outcome| {
                (old.package, &old.box_name, &old.metric)
                    == (new.package, &new.box_name, &new.metric)
            };
            // Nearly always all intervals have the same metrics.
            let same = self.outcomes.get(place).is_some_and(is_it);
            let found = same
                .then_some(place)
                .or_else(|| self.outcomes.iter().position(is_it));
            let Some(old) = found.and_then(|place| self.outcomes.get_mut(place)) else {
                self.outcomes.push(new.clone());
                continue;
            };
            match (old.value, new.value) {
                (Ok(sum), Ok(value)) => {
                    old.value = Ok(sum + value);
                    old.seconds += new.seconds;
                    old.counted = old.counted.min(new.counted);
                    old.apart |= new.apart;
                }
                (Err(_), Ok(_)) => *old = new.clone(),
                (_, Err(_)) => {}
            }
        }
    }

    /// The run as one interval.
    pub(crate) fn interval(&self) -> Interval {
        Interval {
            end: self.end,
            seconds: self.seconds,
            outcomes: self.outcomes.clone(),
        }
    }
}
