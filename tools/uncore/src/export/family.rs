// SPDX-License-Identifier: GPL-2.0

//! Families of samples: what a scrape returns, in no format yet.

/// Samples of one name.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Family {
    /// Name, without the suffix of its kind. The unit is the name's last word.
    pub(super) name: String,
    pub(super) kind: Kind,
    /// Meaning, in one line.
    pub(super) help: String,
    pub(super) samples: Vec<Sample>,
}

/// Kind of a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// An amount that only grows.
    Counter,
    /// A value of now.
    Gauge,
    /// Facts, which are in the labels.
    Info,
}

/// A value with its labels.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sample {
    pub(super) labels: Labels,
    pub(super) value: Value,
}

/// Names and values of labels.
pub(super) type Labels = Vec<(&'static str, String)>;

/// A number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value {
    Whole(u128),
    Real(f64),
}

/// Base units. Requests and cycles are counts, which have none.
const UNITS: [&str; 3] = ["bytes", "ratio", "seconds"];

impl Family {
    /// A family without samples yet.
    pub(super) fn new(name: impl Into<String>, kind: Kind, help: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            kind,
            help: help.into(),
            samples: Vec::new(),
        }
    }

    /// The same with one more sample.
    pub(super) fn with(mut self, labels: Labels, value: Value) -> Self {
        self.samples.push(Sample { labels, value });
        self
    }

    /// The base unit.
    pub(super) fn unit(&self) -> Option<&'static str> {
        let (_, last) = self.name.rsplit_once('_')?;
        UNITS.into_iter().find(|unit| *unit == last)
    }

    /// Name of its samples.
    pub(super) fn of_samples(&self) -> String {
        let suffix = match self.kind {
            Kind::Counter => "_total",
            Kind::Gauge => "",
            Kind::Info => "_info",
        };
        format!("{}{suffix}", self.name)
    }
}

impl From<bool> for Value {
    fn from(is: bool) -> Self {
        Value::Whole(is.into())
    }
}
