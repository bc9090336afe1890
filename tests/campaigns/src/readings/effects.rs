// SPDX-License-Identifier: GPL-2.0

//! Effects of the readings on events: those that the driver does not count by the first meaning,
//! and those that add more than usual.
//!
//! A run under one reading holds that each row is true: an event of it must be refused, or
//! count otherwise. An event of no row must count exactly.

mod rows;
mod which;

use super::asked::Asked;
use super::list::readings;
use uncore_e2e::prelude::*;

pub(super) use rows::ROWS;

/// Effect of a reading on some events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// The driver refuses them, or lacks their boxes, and says why with these words.
    Refused(&'static str),
    /// They count otherwise: the driver cannot tell, and keeps the meaning of the first
    /// reading.
    Meaning,
    /// They add more or less, and the driver counts that.
    Adds(Most),
    /// No run does what the reading is about. A test of its own does.
    TestOfItsOwn,
}

/// The largest increment of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Most {
    Number(u32),
    /// That of the manual's events of the box.
    OfBox,
}

/// Some events.
#[derive(Debug)]
enum Which {
    /// Those with one of these words in what is asked of perf.
    Named(&'static [&'static str]),
    /// Those of a condition, in words.
    Those(&'static str, fn(&Probe) -> bool),
}

/// A reading, and its effect on some events.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) reading: &'static str,
    /// Another reading without which there is no effect; none if empty.
    pub(super) beside: &'static str,
    which: Which,
    pub(super) effect: Effect,
}

impl Row {
    /// Tells if an event is one of the row.
    pub(super) fn has(&self, event: &Asked) -> bool {
        match self.which {
            Which::Named(words) => {
                let text = event.text();
                words.iter().any(|word| text.contains(word))
            }
            Which::Those(_, has) => event.probe().is_some_and(has),
        }
    }

    /// Returns the events in words, for the page.
    pub(super) fn events(&self) -> String {
        match self.which {
            Which::Named(words) => {
                let words = words
                    .iter()
                    .map(|word| word.trim_matches(['/', '.', '=', '_']));
                words.collect::<Vec<_>>().join(", ")
            }
            Which::Those(says, _) => says.to_owned(),
        }
    }
}

/// Returns the rows of a reading that holds alone.
pub(super) fn of(reading: &str) -> impl Iterator<Item = &'static Row> + use<'_> {
    together(vec![reading])
}

/// Returns the rows of readings that hold together.
pub(super) fn together(readings: Vec<&str>) -> impl Iterator<Item = &'static Row> + use<'_> {
    ROWS.iter().filter(move |row| {
        let beside = row.beside.is_empty() || readings.contains(&row.beside);
        beside && readings.contains(&row.reading)
    })
}

/// Returns the rows that can hold on the current processor.
pub(super) fn of_processor() -> impl Iterator<Item = &'static Row> {
    together(readings().iter().map(|reading| reading.name).collect())
}

/// Returns an event with the largest increment that it has under readings.
pub(super) fn with_increment(event: Asked, readings: &[&str]) -> Asked {
    let rows = together(readings.to_vec()).filter(|row| row.has(&event));
    let most = rows.filter_map(|row| match row.effect {
        Effect::Adds(most) => Some(most),
        _ => None,
    });
    match (most.last(), event) {
        (Some(most), Asked::Programmed(mut probe)) => {
            probe.setting.max_inc = Some(match most {
                Most::Number(number) => number,
                Most::OfBox => Catalogue::get().largest(probe.kind),
            });
            Asked::Programmed(probe)
        }
        (_, event) => event,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_may_need_another_reading() {
        let edges = |readings: &[&'static str]| {
            let rows = together(readings.to_vec());
            rows.filter(|row| row.reading == "U-29:d").count()
        };
        assert_eq!(edges(&["U-29:d"]), 0);
        assert_eq!(edges(&["U-65:c", "U-29:d"]), 1);
    }

    #[test]
    fn events_that_add_more_are_counted_with_that() {
        let most = |probe: Probe, reading: &'static str| {
            let event = with_increment(Asked::Programmed(probe), &[reading]);
            event.probe().and_then(|probe| probe.setting.max_inc)
        };
        let cores = || Probe::pcu("power_state_occupancy.cores_c0");
        assert_eq!(most(cores(), "U-34:b"), Some(15));
        assert_eq!(most(cores(), "U-66:b"), None);
        Platform::Bdx.on(|| {
            let of_lists = Probe::ha(0, "bt_to_ht_not_issued.incoming_bl_hazard");
            assert_eq!(most(of_lists, "B-18:c"), Some(255));
            assert_eq!(most(Probe::ha(0, "requests.reads"), "B-18:c"), None);
        });
    }
}
