// SPDX-License-Identifier: GPL-2.0

//! Reasons to refuse a request, and their errnos.

use crate::linux::errno::eopnotsupp;
use kernel::error::{
    code::{EINVAL, ENODEV},
    Error,
};
use uncore_e2e::{
    formats::{bits, fields},
    prelude::*,
};

/// A kind of reason to refuse a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reason {
    // Limits of all uncore PMUs.
    Cpu,
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
    /// All reasons.
    pub(super) const ALL: [Self; 20] = [
        Self::Cpu,
        Self::Task,
        Self::Sampling,
        Self::Exclusion,
        Self::NoBox,
        Self::NoFilters,
        Self::FreeBit,
        Self::Fixed,
        Self::Event,
        Self::SubEvent,
        Self::Threshold,
        Self::Edge,
        Self::FilterUseless,
        Self::FilterMissing,
        Self::FilterImpossible,
        Self::Interval,
        Self::Member,
        Self::Counters,
        Self::Conflict,
        Self::NoOccupancy,
    ];

    /// Returns whether some request on the platform can be refused for the reason.
    pub(super) fn occurs(self) -> bool {
        let has_filters = || {
            let mut fields = BoxKind::all().flat_map(fields);
            fields.any(|field| bits(field).0 > 0)
        };
        match self {
            Self::NoBox | Self::Member => Platform::packages().len() > 1,
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

    /// Returns the errno of a reason.
    pub(super) fn errno(self) -> Error {
        match self {
            Self::Sampling => eopnotsupp(),
            Self::NoBox | Self::NoFilters => ENODEV,
            _ => EINVAL,
        }
    }
}
