// SPDX-License-Identifier: GPL-2.0

//! Faults of the parts of a request, with their sentences.
//!
//! As in [`RejectReason`](super::RejectReason), the variants are in the order of the checks.

use crate::uncore::{
    request::{
        filter_units::{
            Conflict,
            OtherCriterion, //
        },
        name::{
            CounterList,
            EventName,
            RowName, //
        }, //
    },
    table::{
        box_type::*,
        field::index_bit, //
    }, //
};
use kernel::{
    fmt,
    prelude::*, //
};

#[derive(Clone, Copy)]
pub(crate) enum UmaskFault {
    /// The event has no sub-events.
    NotTaken,
    /// The event has sub-events and none is selected.
    Missing,
    /// These bits belong to no sub-event.
    UnknownBits(u8),
    /// This bit belongs only to sub-events that have others as well, and none of these is selected.
    Incomplete(u8),
    /// The umask combines a sub-event with bits that it excludes.
    Exclusive(&'static SubEvent),
    /// The event does not have this umask.
    Unlisted,
}

/// A fault of a threshold or of a field that needs one.
#[derive(Clone, Copy)]
pub(crate) enum ThresholdFault {
    /// The first field is for occupancies, and the event is none; the second one is for other
    /// events.
    NoOccupancy(&'static Field, Option<&'static Field>),
    /// The first field is not for occupancies, and the event is one; the second one is for
    /// occupancies.
    Occupancy(&'static Field, &'static Field),
    /// Edge detection, the first field, without a threshold, the second.
    EdgeAlone(&'static Field, &'static Field),
    /// Inversion, the first field, without a threshold, the second.
    InvertAlone(&'static Field, &'static Field),
    /// The event never adds as much as this threshold.
    TooHigh(&'static Field, u64),
}

#[derive(Clone, Copy)]
pub(crate) enum FilterFault {
    /// A filter, the first field, without the second that switches it on.
    NotEnabled(&'static Field, &'static Field),
    /// The event does not use this filter.
    NotTaken(&'static Field),
    /// The mask with this name leaves out bits of the value to match; the second are these bits.
    NotCompared(&'static str, u64),
    /// The event needs a value of the field with this name.
    Missing(&'static str),
    /// Nothing can match the value of the filter, for this reason.
    Invalid(&'static str),
}

#[derive(Clone, Copy)]
pub(crate) enum GroupFault {
    /// The group has a hardware event of another PMU.
    Foreign,
    /// The group counts in this package, the new event in another one.
    OtherPackage(u32),
    /// The event shows the occupancy that another event selects, and the group lacks that event.
    SourceMissing(&'static Event),
    /// No counter is free for the event with this name, which could use these counters.
    NoCounter(&'static str, u8),
    /// The fixed counter with this name is taken.
    FixedTaken(&'static str),
    /// Two values of one filter unit of this box type. The event has the first, if it is known.
    Filters(&'static BoxType, Conflict, Option<&'static Event>),
    /// Two sets of filter units of this box type, which may have one in use. The event has the
    /// first, if it is known.
    Criteria(&'static BoxType, OtherCriterion, Option<&'static Event>),
}

impl UmaskFault {
    pub(crate) fn print(&self, f: &mut fmt::Formatter<'_>, name: &EventName) -> fmt::Result {
        let EventName {
            event,
            field,
            umask,
        } = *name;
        match *self {
            UmaskFault::NotTaken => write!(
                f,
                "{field} {umask:#04x} is set, but {} takes none",
                event.name,
            ),
            UmaskFault::Missing => write!(f, "{} needs {field}: 0 selects nothing", event.name),
            UmaskFault::UnknownBits(bits) => write!(
                f,
                "{field} {umask:#04x} has bits this event does not define ({bits:#x}): {}",
                event.name,
            ),
            UmaskFault::Incomplete(bit) => {
                write!(f, "{field} {umask:#04x} is incomplete: {bit:#x} needs ")?;
                print_beside(f, name, bit)?;
                write!(f, " as well: {}", event.name)
            }
            UmaskFault::Exclusive(row) if row.excludes == !row.umask => f.write_fmt(fmt!(
                "{field} {umask:#04x} combines {}, which counts only alone",
                RowName { event, row }
            )),
            UmaskFault::Exclusive(row) => f.write_fmt(fmt!(
                "{field} {umask:#04x} combines {}, which counts only without {:#x}",
                RowName { event, row },
                row.excludes & umask
            )),
            UmaskFault::Unlisted => {
                write!(f, "{field} {umask:#04x} is no sub-event of {}", event.name)
            }
        }
    }
}

/// The bits that a umask lacks for a sub-event with this bit: of each choice the least.
fn print_beside(f: &mut fmt::Formatter<'_>, name: &EventName, bit: u8) -> fmt::Result {
    let rows = name.event.subevents.iter();
    let with_bit = rows.filter(|row| row.umask & bit != 0);
    let lacking = with_bit.map(|row| row.umask & !name.umask).enumerate();
    let is_least = |&(index, bits): &(usize, u8)| {
        let is_less = |(other, less)| less & !bits == 0 && (less != bits || other < index);
        !lacking.clone().any(is_less)
    };
    let least = lacking.clone().filter(is_least);
    let mut separator = match least.clone().count() {
        1 => "",
        _ => "one of ",
    };
    for (_, bits) in least {
        write!(f, "{separator}{bits:#x}")?;
        separator = ", ";
    }
    Ok(())
}

impl ThresholdFault {
    pub(crate) fn print(&self, f: &mut fmt::Formatter<'_>, event: &Event) -> fmt::Result {
        match self {
            ThresholdFault::NoOccupancy(field, instead) => {
                write!(
                    f,
                    "{} is set, but {} is no occupancy",
                    field.name, event.name
                )?;
                match instead {
                    Some(instead) => write!(f, ": use {}", instead.name),
                    None => Ok(()),
                }
            }
            ThresholdFault::Occupancy(field, instead) => write!(
                f,
                "{} is set, but {} is an occupancy: use {}",
                field.name, event.name, instead.name,
            ),
            ThresholdFault::EdgeAlone(edge, threshold) => write!(
                f,
                "{} is set without {}: an edge is a step to at least that many, so set it to 1 \
                 or more",
                edge.name, threshold.name,
            ),
            ThresholdFault::InvertAlone(invert, threshold) => write!(
                f,
                "{} is set without {}: it counts the clocks with less than that many, so set it \
                 to 1 or more",
                invert.name, threshold.name,
            ),
            ThresholdFault::TooHigh(field, threshold) => write!(
                f,
                "{} {threshold} is never reached: {} adds at most {} in a clock",
                field.name, event.name, event.max_increment,
            ),
        }
    }
}

impl FilterFault {
    pub(crate) fn print(&self, f: &mut fmt::Formatter<'_>, name: &EventName) -> fmt::Result {
        match self {
            FilterFault::NotEnabled(field, enable) => write!(
                f,
                "{} is set without {}, so it would not be applied: leave out {0}, or set {1}=1",
                field.name, enable.name,
            ),
            FilterFault::NotTaken(field) => {
                f.write_fmt(fmt!("{} is set, but {name} does not use it", field.name))
            }
            FilterFault::NotCompared(mask, bits) => write!(
                f,
                "the {mask} leaves out bits that are to be matched ({bits:#x}), so they would \
                 match anything",
            ),
            FilterFault::Missing(field) => {
                f.write_fmt(fmt!("{name} needs a value for {field} other than 0"))
            }
            FilterFault::Invalid(reason) => f.write_str(reason),
        }
    }
}

impl GroupFault {
    pub(crate) fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GroupFault::Foreign => f.write_str(
                "the group has a hardware event of another PMU, and only events of one box can \
                 be counted together",
            ),
            GroupFault::OtherPackage(package) => write!(
                f,
                "the group counts in package {package}, and this CPU is in another",
            ),
            GroupFault::SourceMissing(event) => write!(
                f,
                "{} shows the occupancy that is selected on counter 0: put an occupancy event \
                 before it in its group",
                event.name,
            ),
            GroupFault::NoCounter(event, able) => f.write_fmt(fmt!(
                "the group needs more counters than there are: {event} can only use {}",
                CounterList(*able)
            )),
            GroupFault::FixedTaken(name) => write!(
                f,
                "the group needs more counters than there are: the box has one fixed counter \
                 {name}",
            ),
            GroupFault::Filters(kind, conflict, event) => print_conflict(f, kind, conflict, *event),
            GroupFault::Criteria(kind, other, event) => print_criteria(f, kind, other, *event),
        }
    }
}

/// Two values of a filter unit, with the names of its fields that differ, and the event that has
/// the first value.
fn print_conflict(
    f: &mut fmt::Formatter<'_>,
    kind: &BoxType,
    conflict: &Conflict,
    event: Option<&Event>,
) -> fmt::Result {
    f.write_str("the group needs two values of ")?;
    let mut separator = "";
    for field in kind.unit_fields(conflict.unit) {
        let [has, wanted] = [conflict.has, conflict.wanted].map(|word| field.of_word(word));
        if has != wanted {
            write!(f, "{separator}{} ({has:#x} and {wanted:#x})", field.name)?;
            separator = ", ";
        }
    }
    f.write_str(", which all counters of a box share")?;
    match event {
        Some(event) => write!(f, ": {} has the first", event.name),
        None => Ok(()),
    }
}

/// Two sets of filter units, and the event that has the first.
fn print_criteria(
    f: &mut fmt::Formatter<'_>,
    kind: &BoxType,
    other: &OtherCriterion,
    event: Option<&Event>,
) -> fmt::Result {
    f.write_str("the group filters by ")?;
    print_units(f, kind, other.has)?;
    f.write_str(" and by ")?;
    print_units(f, kind, other.wanted)?;
    f.write_str(
        ", and the box may compare only one of these at a time: count them apart, or load the \
         module with filters=several",
    )?;
    match event {
        Some(event) => write!(f, "; {} has the first", event.name),
        None => Ok(()),
    }
}

/// The names of filter units.
fn print_units(f: &mut fmt::Formatter<'_>, kind: &BoxType, units: u32) -> fmt::Result {
    let mut separator = "";
    for (index, unit) in (0..u8::MAX).zip(kind.filter_units) {
        if units & index_bit(index) != 0 {
            write!(f, "{separator}{}", unit.name)?;
            separator = "+";
        }
    }
    Ok(())
}
