// SPDX-License-Identifier: GPL-2.0

//! Doubts about what an event counts, which nobody could settle without the hardware.
//!
//! The table of a platform has a row for each. No register tells whether such a doubt is right, so
//! that the module counts by one reading of the sources, and the commands name the other.

use serde::Deserialize;

use crate::error::Error;
use crate::platform::Platform;
use crate::system::{number, Event, Pmu, Value, Words};

/// Word that [`list`](crate::list) finds all events with a doubt by.
pub(crate) const MARK: &str = "uncertain";

/// A doubt.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Doubt {
    #[serde(rename = "box")]
    unit: String,
    /// Number of the point: U-25.
    pub point: String,
    events: String,
    terms: String,
    other: String,
    /// Test that would settle it.
    pub settle: String,
}

/// Returns the doubts about events of a platform.
pub fn doubts(platform: &Platform) -> Result<Vec<Doubt>, Error> {
    Ok(uncore_metrics::rows(platform.doubts.as_bytes())?)
}

impl Doubt {
    /// Returns whether it is about a named event of a PMU, as sysfs has it.
    pub(crate) fn is_about(&self, pmu: &Pmu, event: &Event) -> bool {
        self.names(pmu, &event.name)
            && self.terms(pmu, |field| {
                let term = event.terms.iter().find(|term| term.field == field);
                match term.map(|term| term.value) {
                    Some(Value::Number(number)) => number,
                    // Any value but 0.
                    Some(Value::Asked) => u64::MAX,
                    None => 0,
                }
            })
    }

    /// Returns whether it is about the event with this name if its words are these.
    pub(crate) fn is_about_words(&self, pmu: &Pmu, name: &str, words: &Words) -> bool {
        self.names(pmu, name)
            && self.terms(pmu, |field| {
                pmu.format(field).map_or(0, |format| format.value(words))
            })
    }

    fn names(&self, pmu: &Pmu, name: &str) -> bool {
        self.patterns().any(|pattern| self.has(pmu, pattern, name))
    }

    /// The names of events that it is about, as the table has them.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.events.split(' ')
    }

    /// Returns whether an event of a PMU is among those that a pattern of it names.
    pub fn has(&self, pmu: &Pmu, pattern: &str, name: &str) -> bool {
        let is_part = |rest: &str| rest.is_empty() || rest.starts_with('.');
        let is_named = match (pattern, pattern.strip_suffix('*')) {
            ("-", _) => !name.contains('.') && !name.contains("clockticks"),
            (_, Some(begin)) => name.starts_with(begin),
            (whole, None) => name.strip_prefix(whole).is_some_and(is_part),
        };
        is_named && ["*", &pmu.unit].contains(&self.unit.as_str())
    }

    /// Returns whether all terms hold. A field that the PMU lacks makes a term fail.
    fn terms(&self, pmu: &Pmu, value: impl Fn(&str) -> u64) -> bool {
        self.terms.split_whitespace().all(|text| {
            let term = Condition::of(text);
            pmu.format(term.field).is_some() && term.holds(value(term.field))
        })
    }

    /// The fields of its terms.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        let terms = self.terms.split_whitespace();
        terms.map(|text| Condition::of(text).field)
    }

    /// Returns it as a sentence.
    pub(crate) fn sentence(&self) -> String {
        let (point, other, settle) = (&self.point, &self.other, &self.settle);
        format!("{point}: {other}. To settle it: {settle}")
    }
}

/// A term of a doubt: `FIELD`, `FIELD=N`, `FIELD&MASK` or `FIELD&MASK=N`.
struct Condition<'a> {
    field: &'a str,
    mask: u64,
    /// `None` if any value but 0 will do.
    value: Option<u64>,
}

impl<'a> Condition<'a> {
    fn of(text: &'a str) -> Self {
        let (bits, value) = match text.split_once('=') {
            Some((bits, value)) => (bits, number(value)),
            None => (text, None),
        };
        let (field, mask) = match bits.split_once('&') {
            Some((field, mask)) => (field, number(mask).unwrap_or(0)),
            None => (bits, u64::MAX),
        };
        Self { field, mask, value }
    }

    fn holds(&self, value: u64) -> bool {
        let bits = value & self.mask;
        match self.value {
            Some(wanted) => bits == wanted,
            None => bits != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_is_about_some_bits() {
        let holds = |text, value| Condition::of(text).holds(value);
        assert!(holds("edge", 1) && !holds("edge", 0));
        assert!(holds("umask=0", 0) && !holds("umask=0", 1));
        assert!(holds("umask&0x1e", 0x11) && !holds("umask&0x1e", 0x21));
        assert!(holds("state&0x28=0x20", 0x37) && !holds("state&0x28=0x20", 0x3f));
    }
}
