// SPDX-License-Identifier: GPL-2.0

//! Reasons to refuse a request, and their errnos.

use std::fmt;

pub(super) const EBADF: i32 = 9;
const EINVAL: i32 = 22;
const ENODEV: i32 = 19;
const ENOENT: i32 = 2;
const ESRCH: i32 = 3;
const E2BIG: i32 = 7;
const EOVERFLOW: i32 = 75;
const EOPNOTSUPP: i32 = 95;

/// A kind of reason to refuse a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    // Demands of perf on any event.
    Size,
    Attribute,
    Stack,
    Auxiliary,
    Type,
    OpenFlags,
    Output,
    NotAnEvent,
    NoProcess,
    Cpu,
    // Limits of all uncore PMUs.
    Task,
    Sampling,
    Exclusion,
    // Limits of the box.
    NoBox,
    NoFilters,
    FreeBit,
    Fixed,
    Event,
    SubEvent,
    Threshold,
    Edge,
    FilterUseless,
    FilterMissing,
    FilterImpossible,
    Interval,
    // Limits of groups.
    Member,
    Counters,
    Conflict,
    NoOccupancy,
}

impl Reason {
    /// All reasons, in the order of the page.
    pub(crate) const ALL: [Self; 29] = [
        Self::Event,
        Self::SubEvent,
        Self::FreeBit,
        Self::Fixed,
        Self::Threshold,
        Self::Edge,
        Self::FilterUseless,
        Self::FilterMissing,
        Self::FilterImpossible,
        Self::Interval,
        Self::NoBox,
        Self::NoFilters,
        Self::Counters,
        Self::Conflict,
        Self::NoOccupancy,
        Self::Member,
        Self::Sampling,
        Self::Exclusion,
        Self::Task,
        Self::Cpu,
        Self::NoProcess,
        Self::Type,
        Self::Size,
        Self::Attribute,
        Self::Stack,
        Self::Auxiliary,
        Self::OpenFlags,
        Self::Output,
        Self::NotAnEvent,
    ];

    /// Returns the errnos of a reason.
    pub(super) fn errnos(self) -> &'static [i32] {
        match self {
            Self::Size => &[E2BIG],
            Self::Stack => &[EOVERFLOW],
            Self::Auxiliary | Self::Sampling => &[EOPNOTSUPP],
            Self::Type => &[ENOENT],
            Self::NotAnEvent => &[EBADF],
            Self::NoProcess => &[ESRCH],
            Self::NoBox | Self::NoFilters => &[ENODEV],
            _ => &[EINVAL],
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Size => "an attribute of a size that perf does not take",
            Self::Attribute => "an attribute that no event may have",
            Self::Stack => "a call chain deeper than perf takes",
            Self::Auxiliary => "auxiliary areas, registers that only some PMUs have",
            Self::Type => "a type that no PMU has",
            Self::OpenFlags => "flags of perf_event_open",
            Self::Output => "output into a buffer that is not there, or of another CPU",
            Self::NotAnEvent => "a group of what is no event",
            Self::NoProcess => "a task that does not exist",
            Self::Cpu => "a CPU that does not exist",
            Self::Task => "a task, or a control group",
            Self::Sampling => "sampling",
            Self::Exclusion => "exclusion of a mode",
            Self::NoBox => "a box that the package lacks",
            Self::NoFilters => "filters that the package lacks",
            Self::FreeBit => "a bit that no field owns",
            Self::Fixed => "a field of a counter that counts one thing",
            Self::Event => "an event that does not exist",
            Self::SubEvent => "a sub-event that does not exist",
            Self::Threshold => "a threshold out of reach",
            Self::Edge => "an edge or an inversion that means nothing",
            Self::FilterUseless => "a filter without effect",
            Self::FilterMissing => "a filter that is missing",
            Self::FilterImpossible => "a filter that cannot match",
            Self::Interval => "an interval where overflows are polled for",
            Self::Member => "a group of several boxes, CPUs or groups, or a member that must lead",
            Self::Counters => "a group with more events than counters that can count them",
            Self::Conflict => "a group with different values of a filter",
            Self::NoOccupancy => "COUNTER0_OCCUPANCY without an occupancy ahead of it",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_listed_once() {
        let mut all = Reason::ALL.to_vec();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), Reason::ALL.len());
        assert_eq!(all.last(), Some(&Reason::NoOccupancy));
    }
}
