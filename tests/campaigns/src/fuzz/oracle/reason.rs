// SPDX-License-Identifier: GPL-2.0

//! Reasons to refuse a request, and their errnos.

use uncore_e2e::formats::{bits, fields};
use uncore_e2e::prelude::*;

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
    /// All reasons, in the order of the page, each in words.
    pub(crate) const ALL: [(Self, &'static str); 29] = [
        (Self::Event, "an event that does not exist"),
        (Self::SubEvent, "a sub-event that does not exist"),
        (Self::FreeBit, "a bit that no field owns"),
        (Self::Fixed, "a field of a counter that counts one thing"),
        (Self::Threshold, "a threshold out of reach"),
        (Self::Edge, "an edge or an inversion that means nothing"),
        (Self::FilterUseless, "a filter without effect"),
        (Self::FilterMissing, "a filter that is missing"),
        (Self::FilterImpossible, "a filter that cannot match"),
        (Self::Interval, "an interval where overflows are polled for"),
        (Self::NoBox, "a box that the package lacks"),
        (Self::NoFilters, "filters that the package lacks"),
        (
            Self::Counters,
            "a group with more events than counters that can count them",
        ),
        (Self::Conflict, "a group with different values of a filter"),
        (
            Self::NoOccupancy,
            "COUNTER0_OCCUPANCY without an occupancy ahead of it",
        ),
        (
            Self::Member,
            "a group of several boxes, CPUs or groups, or a member that must lead",
        ),
        (Self::Sampling, "sampling"),
        (Self::Exclusion, "exclusion of a mode"),
        (Self::Task, "a task, or a control group"),
        (Self::Cpu, "a CPU that does not exist"),
        (Self::NoProcess, "a task that does not exist"),
        (Self::Type, "a type that no PMU has"),
        (Self::Size, "an attribute of a size that perf does not take"),
        (Self::Attribute, "an attribute that no event may have"),
        (Self::Stack, "a call chain deeper than perf takes"),
        (
            Self::Auxiliary,
            "auxiliary areas, registers that only some PMUs have",
        ),
        (Self::OpenFlags, "flags of perf_event_open"),
        (
            Self::Output,
            "output into a buffer that is not there, or of another CPU",
        ),
        (Self::NotAnEvent, "a group of what is no event"),
    ];

    /// Returns whether some request on the platform can be refused for the reason.
    pub(crate) fn occurs(self) -> bool {
        let has_filters = || {
            let mut fields = BoxKind::all().flat_map(fields);
            fields.any(|field| bits(field).0 > 0)
        };
        match self {
            Self::NoBox => Platform::packages().len() > 1,
            Self::NoFilters => !packet_functions().is_empty(),
            Self::FilterUseless | Self::FilterMissing | Self::Conflict => has_filters(),
            Self::FilterImpossible => {
                let mut rows = Catalogue::get().rows().iter();
                rows.any(|row| row.needs.opc)
            }
            Self::Interval => Platform::interrupts(),
            Self::Threshold => {
                let mut rows = Catalogue::get().rows().iter();
                rows.any(|row| row.printed_max.is_some())
            }
            Self::NoOccupancy => Catalogue::get().has(BoxKind::Cbox, "counter0_occupancy"),
            _ => true,
        }
    }

    /// Returns the reason in words.
    pub(super) fn words(self) -> &'static str {
        let found = Self::ALL.iter().find(|(reason, _)| *reason == self);
        found.map_or("", |(_, words)| words)
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_listed_once() {
        let mut all = Reason::ALL.map(|(reason, _)| reason).to_vec();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), Reason::ALL.len());
        assert_eq!(all.last(), Some(&Reason::NoOccupancy));
    }
}
