// SPDX-License-Identifier: GPL-2.0

//! Requests of single end-to-end tests on a platform.

use crate::catalogue::{BoxKind, Row};
use crate::fixture::probe::Probe;

/// Lists for single tests.
pub struct Asked {
    /// Names of two events of a C-Box that count on the same counters.
    pub two_of_a_cbox: [&'static str; 2],
    /// Events without a part, and the part that perf names.
    pub missing: &'static [(&'static str, &'static str)],
    /// The least number of names that perf has right.
    pub right_names: usize,
    /// Box types without an alias by default: names of perf's lack the extended select of an event.
    pub without_alias: &'static [BoxKind],
    /// Events and sub-events that perf's own list names like the driver, and counts only in part. As
    /// long as a PMU has an alias, perf takes code, filters and unit from its list.
    pub named_by_perf: &'static [(&'static str, &'static str)],
    /// A group of two.
    pub pair: fn() -> [Probe; 2],
    /// Facts about the kernel's own driver.
    pub known: Known,
}

/// Facts about the driver on a platform.
pub struct Known {
    /// Options of a machine on which it reads the right registers.
    pub machine: &'static [(&'static str, &'static str)],
    /// It writes control registers once which the hardware wants twice, so that a counter
    /// counts the event before. An event counts right the second time.
    pub first_is_wrong: bool,
    /// Event selects that it may put on a counter that cannot count them.
    pub misplaced: &'static [(BoxKind, &'static [u8])],
    /// A type of box whose fixed counter is an event of another type there.
    pub fixed_elsewhere: Option<BoxKind>,
    /// Tells if it cannot select an event or does not set its filter.
    pub is_beyond: fn(&Row) -> bool,
    /// Thresholds, edges, inversions and filters that it has right.
    pub settings: fn() -> Vec<Probe>,
}

impl Known {
    /// Returns true if the driver has the fixed counter of a type of box where we have it.
    pub fn has_fixed(&self, kind: BoxKind) -> bool {
        self.fixed_elsewhere != Some(kind)
    }
}
