// SPDX-License-Identifier: GPL-2.0

//! Why a request is refused: the one place where a reason gets its errno and its sentence.
//!
//! Each sentence names the part of the request that is wrong and, where that is not plain from
//! it, what to do instead. The errnos are chosen by what perf makes of them:
//!
//! * `EOPNOTSUPP`: perf says that sampling is not supported and names `perf stat`;
//! * `ENODEV`: there is no such box where the event was to count;
//! * `EINVAL`: everything else. In particular a group that does not fit: perf breaks up a weak
//!   group (every metric's is one) on that errno, and gives up on `ENOSPC` and `EBUSY`.
//!
//! The order in which reasons are looked for is in [`super::event`].

use super::{
    absence::Absence,
    box_type::{
        BoxType,
        Event,
        Field,
        Fixed,
        SubEvent, //
    },
    filter::Conflict,
    name::{
        CounterList,
        EventName, //
    },
};
use crate::linux::errno::eopnotsupp;
use kernel::{
    fmt,
    prelude::*, //
};

pub(super) mod log;

#[cfg(KUNIT_SUITES)]
pub(super) mod tests;

/// A reason to refuse a request.
#[derive(Clone, Copy)]
pub(super) enum Rejection {
    /// A period, a frequency or a precise instruction pointer.
    Sampling,
    /// To follow a task, or no CPU to count for.
    Task,
    /// An `exclude_*` bit, by its name.
    Excluded(&'static str),
    /// The CPU's package has no such box.
    NoBox(u32, Absence),
    /// Bits of a word that belong to no field.
    UnownedBits(&'static str, u64),
    /// A field besides the event select of a fixed counter.
    FixedOnly(&'static Fixed, &'static Field),
    /// No event has this select.
    UnknownEvent(u64),
    /// Something about the umask of an event.
    Umask(&'static Event, u8, UmaskFault),
    /// Edge detection, the first field, without a threshold, the second.
    EdgeAlone(&'static Field, &'static Field),
    /// A threshold that the event cannot reach.
    ThresholdTooHigh(&'static Event, &'static Field, u64),
    /// Something about a filter of an event with this umask.
    Filter(&'static Event, u8, FilterFault),
    /// Something about the group it is to join.
    Group(GroupFault),
}

/// What can be wrong with a umask.
#[derive(Clone, Copy)]
pub(super) enum UmaskFault {
    /// The event has no sub-events.
    NotTaken,
    /// The event has sub-events and none is selected.
    Missing,
    /// These bits belong to no sub-event.
    UnknownBits(u8),
    /// It combines a sub-event that does not combine.
    Exclusive(&'static SubEvent),
    /// It is not one of those the event has.
    Unlisted,
    /// The sub-event could only count nothing, for this reason.
    Unusable(&'static SubEvent, &'static str),
}

/// What can be wrong with a filter.
#[derive(Clone, Copy)]
pub(super) enum FilterFault {
    /// A filter, the first field, without the second that switches it on.
    NotEnabled(&'static Field, &'static Field),
    /// The event does not take it.
    NotTaken(&'static Field),
    /// The event cannot do without the field with this name.
    Missing(&'static str),
    /// Nothing can match its value, for this reason.
    Invalid(&'static str),
}

/// What can be wrong with a group.
#[derive(Clone, Copy)]
pub(super) enum GroupFault {
    /// It has a hardware event of another PMU.
    Foreign,
    /// It counts in this package, another than the event's.
    OtherPackage(u32),
    /// The event shows what another one selects, and that one is not there.
    SourceMissing(&'static Event),
    /// No counter is left for the event with this name, which could use these.
    NoCounter(&'static str, u8),
    /// The fixed counter with this name is taken.
    FixedTaken(&'static str),
    /// Two values of one filter unit of this box type.
    Filters(&'static BoxType, Conflict),
}

impl Rejection {
    /// The errno of `perf_event_open`, and its name.
    pub(super) fn errno(&self) -> (Error, &'static str) {
        match self {
            Rejection::Sampling => (eopnotsupp(), "EOPNOTSUPP"),
            Rejection::NoBox(..) => (ENODEV, "ENODEV"),
            _ => (EINVAL, "EINVAL"),
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Rejection::Sampling => f.write_str(
                "sampling (a period, a frequency or :p) is not possible, the uncore can only \
                 count: use perf stat",
            ),
            Rejection::Task => f.write_str(
                "the uncore counts for a whole package and cannot follow a task: use -a or -C \
                 (perf tries this by itself, too, to see why an event was refused)",
            ),
            Rejection::Excluded(name) => write!(
                f,
                "{name} is set, but the uncore does not know in which mode a core causes traffic",
            ),
            Rejection::NoBox(package, why) => {
                f.write_fmt(fmt!("package {package} has no such box: {why}"))
            }
            Rejection::UnownedBits(word, bits) => {
                write!(f, "{word} has bits that belong to no field ({bits:#x})")
            }
            Rejection::FixedOnly(fixed, field) => write!(
                f,
                "{} is a fixed counter, which takes no other field, and {} is set",
                fixed.name, field.name,
            ),
            Rejection::UnknownEvent(select) => write!(f, "there is no event {select:#04x}"),
            Rejection::Umask(event, umask, ref fault) => fault.print(f, event, umask),
            Rejection::EdgeAlone(edge, threshold) => write!(
                f,
                "{} is set without {}: an edge is a step to at least that many, so set it to 1 \
                 or more",
                edge.name, threshold.name,
            ),
            Rejection::ThresholdTooHigh(event, field, threshold) => write!(
                f,
                "{} {threshold} is never reached: {} adds at most {} in a clock",
                field.name, event.name, event.max_increment,
            ),
            Rejection::Filter(event, umask, ref fault) => fault.print(f, event, umask),
            Rejection::Group(ref fault) => fault.print(f),
        }
    }
}

impl UmaskFault {
    fn print(&self, f: &mut fmt::Formatter<'_>, event: &'static Event, umask: u8) -> fmt::Result {
        let name = event.name;
        match self {
            UmaskFault::NotTaken => write!(f, "umask {umask:#04x} is set, but {name} takes none"),
            UmaskFault::Missing => write!(f, "{name} needs a umask: 0 selects nothing"),
            UmaskFault::UnknownBits(bits) => write!(
                f,
                "umask {umask:#04x} has bits this event does not define ({bits:#x}): {name}",
            ),
            UmaskFault::Exclusive(row) => write!(
                f,
                "umask {umask:#04x} combines {name}.{}, which counts only alone",
                row.name,
            ),
            UmaskFault::Unlisted => write!(f, "umask {umask:#04x} is no sub-event of {name}"),
            UmaskFault::Unusable(row, reason) => {
                write!(f, "{name}.{} is refused: {reason}", row.name)
            }
        }
    }
}

impl FilterFault {
    fn print(&self, f: &mut fmt::Formatter<'_>, event: &'static Event, umask: u8) -> fmt::Result {
        let event = EventName { event, umask };
        match self {
            FilterFault::NotEnabled(field, enable) => write!(
                f,
                "{} is set without {}, so it would not be applied",
                field.name, enable.name,
            ),
            FilterFault::NotTaken(field) => {
                f.write_fmt(fmt!("{} is set, but {event} does not use it", field.name))
            }
            FilterFault::Missing(field) => f.write_fmt(fmt!(
                "{event} needs {field}, and counts nothing without a value for it"
            )),
            FilterFault::Invalid(reason) => f.write_str(reason),
        }
    }
}

impl GroupFault {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
            GroupFault::Filters(kind, conflict) => print_conflict(f, kind, conflict),
        }
    }
}

/// Two values of a filter unit, with the names of its fields that differ.
fn print_conflict(f: &mut fmt::Formatter<'_>, kind: &BoxType, conflict: &Conflict) -> fmt::Result {
    f.write_str("the group needs two values of ")?;
    let mut separator = "";
    for field in kind.unit_fields(conflict.unit) {
        let [has, wanted] = [conflict.has, conflict.wanted].map(|word| field.of_word(word));
        if has != wanted {
            write!(f, "{separator}{} ({has:#x} and {wanted:#x})", field.name)?;
            separator = ", ";
        }
    }
    f.write_str(", which all counters of a box share")
}
