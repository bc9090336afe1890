// SPDX-License-Identifier: GPL-2.0

//! The metrics of an overview, by the part of a socket that they are about.
//!
//! The name of a metric is `PART_WHAT_UNIT`, as [`Catalogue::overview`] says: no platform is
//! known here.
//!
//! [`Catalogue::overview`]: uncore_metrics::Catalogue::overview

use uncore_metrics::{number, Digits, NoValue, Outcome, Prefixes, Unit};

/// Parts of which each box is shown, and whether their sum is, too.
pub(crate) const BY_BOX: [(&str, bool); 2] = [("memory", true), ("link", false)];

/// Name of the peak of what is in bytes, and of what is in cycles.
const CAPACITY: &str = "capacity";
const CLOCK: &str = "clock";

/// Value of a metric of the overview.
pub(crate) struct Value<'a> {
    pub(crate) part: &'a str,
    /// Name of the metric without its part and unit.
    pub(crate) what: String,
    pub(crate) unit: Unit,
    pub(crate) box_type: &'a str,
    pub(crate) box_name: Option<&'a str>,
    /// Amount per second, if there is one.
    pub(crate) rate: Option<f64>,
    /// Reason why there is no amount.
    pub(crate) reason: Option<NoValue>,
    /// Share of the time in which it was counted.
    pub(crate) counted: f64,
}

impl<'a> Value<'a> {
    pub(crate) fn new(outcome: &'a Outcome) -> Option<Self> {
        let (part, what) = split(&outcome.metric)?;
        Some(Self {
            part,
            what: what.replace('_', " "),
            unit: outcome.unit,
            box_type: &outcome.box_type,
            box_name: outcome.box_name.as_deref(),
            rate: outcome.per_second(),
            reason: outcome.value.err(),
            counted: outcome.counted,
        })
    }

    pub(crate) fn is_peak(&self) -> bool {
        is_peak(self.unit, &self.what)
    }
}

/// Splits the name of a metric into its part and the rest without the unit.
pub(crate) fn split(metric: &str) -> Option<(&str, &str)> {
    let (part, rest) = metric.split_once('_')?;
    Some((part, rest.rsplit_once('_').map_or("", |(what, _)| what)))
}

/// Returns the kind of boxes such as `imc_1` or `imc_4-7`.
pub(crate) fn kind(boxes: &str) -> &str {
    boxes.rsplit_once('_').map_or(boxes, |(kind, _)| kind)
}

/// Returns whether a metric is the peak of its part, by its name without part and unit.
pub(crate) fn is_peak(unit: Unit, what: &str) -> bool {
    match unit {
        Unit::Bytes => what == CAPACITY,
        _ => what == CLOCK,
    }
}

/// Formats a rate with its unit.
pub(crate) fn per_second(rate: f64, unit: Unit, digits: Digits) -> String {
    per_second_in(Prefixes::Si, rate, unit, digits)
}

/// Formats a rate with its unit, bytes with these prefixes.
pub(crate) fn per_second_in(prefixes: Prefixes, rate: f64, unit: Unit, digits: Digits) -> String {
    let (prefixes, unit) = match unit {
        Unit::Bytes => (prefixes, "B/s"),
        Unit::Cycles => (Prefixes::Si, "Hz"),
        Unit::Joules => (Prefixes::Si, "W"),
        Unit::Nanoseconds => return format!("{} ns", number(rate, digits.min(Digits::Three))),
        _ => (Prefixes::Si, "/s"),
    };
    let (scaled, prefix) = prefixes.of(rate);
    format!("{} {prefix}{unit}", number(scaled, digits))
}

/// Returns the parts, in the order in which they first appear.
pub(crate) fn parts<'a>(values: &[Value<'a>]) -> Vec<&'a str> {
    unique(values.iter().map(|value| value.part))
}

/// Returns each word once, in the order in which they first appear.
pub(crate) fn unique<'a>(words: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut all: Vec<&str> = Vec::new();
    for word in words {
        if !all.contains(&word) {
            all.push(word);
        }
    }
    all
}

/// A share of the peak that no box can have: the counts, or the clock, are wrong. Readings that are
/// a moment apart may differ by some percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Impossible {
    /// More than the clock allows.
    Above,
    /// Less than nothing.
    Below,
}

impl Impossible {
    /// Both ways.
    pub(crate) const ALL: [Self; 2] = [Self::Above, Self::Below];

    /// Judges a share of the peak.
    pub(crate) fn of(share: f64) -> Option<Self> {
        const LEEWAY: f64 = 0.02;
        match share {
            share if share > 1.0 + LEEWAY => Some(Self::Above),
            share if share < -LEEWAY => Some(Self::Below),
            _ => None,
        }
    }

    /// Returns the amount in words.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Above => "more than the clock allows",
            Self::Below => "less than nothing",
        }
    }
}

/// Formats a share of the peak in whole percent; `-` if it is not known.
pub(crate) fn share(load: Option<f64>, peak: Option<f64>) -> String {
    match load.zip(peak).filter(|(_, peak)| *peak > 0.0) {
        Some((load, peak)) => format!("{:.0} %", 100.0 * load / peak),
        None => "-".to_owned(),
    }
}
