// SPDX-License-Identifier: GPL-2.0

//! Units of metrics.

use std::fmt;

/// Quantity that a value counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A share of a whole, in hundredths: 100 times what the formula gives.
    Percent,
    /// So many for one.
    Ratio,
    /// Entries of a queue.
    Entries,
    /// Clocks of the box.
    Clocks,
    /// Counts of an event in the interval.
    Counts,
    /// Nanoseconds in the interval.
    Nanoseconds,
    /// Cycles of a clock in the interval.
    Cycles,
    /// Requests in the interval.
    Requests,
    /// Bytes in the interval.
    Bytes,
    /// Energy in the interval.
    Joules,
    /// Millions of bytes in the interval.
    Megabytes,
    /// 10^9 transfers a second.
    GigaTransfers,
}

impl Unit {
    pub(crate) const ALL: [Unit; 12] = [
        Unit::Percent,
        Unit::Ratio,
        Unit::Entries,
        Unit::Clocks,
        Unit::Counts,
        Unit::Nanoseconds,
        Unit::Cycles,
        Unit::Requests,
        Unit::Bytes,
        Unit::Joules,
        Unit::Megabytes,
        Unit::GigaTransfers,
    ];

    /// Returns the unit of a text, if it is one.
    pub(crate) fn of(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.symbol() == text)
    }

    /// Returns the unit as text.
    pub const fn symbol(self) -> &'static str {
        match self {
            Unit::Percent => "%",
            Unit::Ratio => "ratio",
            Unit::Entries => "entries",
            Unit::Clocks => "clocks",
            Unit::Counts => "counts",
            Unit::Nanoseconds => "ns",
            Unit::Cycles => "cycles",
            Unit::Requests => "requests",
            Unit::Bytes => "B",
            Unit::Joules => "J",
            Unit::Megabytes => "MB",
            Unit::GigaTransfers => "GT/s",
        }
    }

    /// Returns the factor of the formula's value.
    pub const fn factor(self) -> f64 {
        match self {
            Unit::Percent => 100.0,
            _ => 1.0,
        }
    }

    /// Returns whether the value grows with the interval and can be shown per second.
    pub const fn is_amount(self) -> bool {
        matches!(
            self,
            Unit::Counts
                | Unit::Nanoseconds
                | Unit::Cycles
                | Unit::Requests
                | Unit::Bytes
                | Unit::Joules
                | Unit::Megabytes
        )
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.symbol())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_read_back() {
        for unit in Unit::ALL {
            assert_eq!(Unit::of(unit.symbol()), Some(unit));
        }
        assert_eq!(Unit::of("furlong"), None);
    }
}
