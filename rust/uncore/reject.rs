// SPDX-License-Identifier: GPL-2.0

//! Why a request is refused: the one place where a reason gets its errno and its sentence.
//!
//! Each sentence names the part of the request that is wrong and, where that is not plain from
//! it, what to do instead. The errnos are chosen by what perf makes of them:
//!
//! | errno | reasons | why |
//! |---|---|---|
//! | `EOPNOTSUPP` | sampling | perf says so, and names `perf stat` |
//! | `ENODEV` | hardware that is not there: the box, the function with its filters, or a counter | nothing is wrong with the request, and perf prints "No such device"; older perfs then stop, which they do not on `EINVAL`: a sum over boxes would be short of one |
//! | `EINVAL` | everything else | perf breaks up a weak group (every metric's is one) on that errno, and gives up on `ENOSPC` and `EBUSY` |
//!
//! The order in which reasons are looked for is in [`super::event`].

use super::{
    absence::Absence,
    box_type::{
        Event,
        Field,
        Fixed, //
    },
    name::EventName,
    overflow::{
        Why,
        MOST_PER_SECOND, //
    }, //
};
use crate::linux::errno::eopnotsupp;
use kernel::{
    fmt,
    prelude::*, //
};

mod faults;
pub(super) mod log;

#[cfg(KUNIT_SUITES)]
pub(super) mod tests;

pub(super) use self::faults::{
    FilterFault,
    GroupFault,
    ThresholdFault,
    UmaskFault, //
};

/// A reason to refuse a request.
#[derive(Clone, Copy)]
pub(super) enum Rejection {
    /// A period, a frequency, a precise instruction pointer or branches.
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
    Umask(EventName, UmaskFault),
    /// The box has no counter set with this number, only so many.
    NoSet(&'static Field, u64, usize),
    /// Something about the threshold, or what needs one.
    Threshold(&'static Event, ThresholdFault),
    /// Something about a filter.
    Filter(EventName, FilterFault),
    /// An interval, the first number, below the shortest, the second.
    ShortInterval(&'static Field, u64, u64),
    /// An interval, and this package does without interrupts.
    NoInterrupt(&'static Field, u32, Why),
    /// The event needs filters, and this package lacks the function that has them.
    NoFilters(EventName, u32, Absence),
    /// The counter of this event cannot be read in this package.
    NoFixed(&'static Fixed, u32),
    /// Something about the group it is to join.
    Group(GroupFault),
}

impl Rejection {
    /// The errno of `perf_event_open`, and its name.
    pub(super) fn errno(&self) -> (Error, &'static str) {
        match self {
            Rejection::Sampling => (eopnotsupp(), "EOPNOTSUPP"),
            Rejection::NoBox(..) | Rejection::NoFilters(..) | Rejection::NoFixed(..) => {
                (ENODEV, "ENODEV")
            }
            _ => (EINVAL, "EINVAL"),
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Rejection::Sampling => f.write_str(
                "sampling (a period, a frequency, :p or branches) is not possible, the uncore can \
                 only count: use perf stat (and the field interval, where there is one, for a \
                 tracepoint every so many counts)",
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
            Rejection::Umask(ref name, ref fault) => fault.print(f, name),
            Rejection::NoSet(field, set, count) => write!(
                f,
                "{} {set} does not exist: the counters of the box are in {count} sets, from 0 on",
                field.name,
            ),
            Rejection::Threshold(event, ref fault) => fault.print(f, event),
            Rejection::Filter(ref name, ref fault) => fault.print(f, name),
            Rejection::ShortInterval(field, interval, least) => write!(
                f,
                "{} {interval} is too short: at its fastest the event would interrupt more often \
                 than {MOST_PER_SECOND} times a second, so use {least} or more",
                field.name,
            ),
            Rejection::NoInterrupt(field, package, why) => f.write_fmt(fmt!(
                "{} needs overflow interrupts, which package {package} does without: {why}",
                field.name
            )),
            Rejection::NoFilters(ref name, package, why) => f.write_fmt(fmt!(
                "{name} needs the PCI function with the filters of the box, which package \
                 {package} lacks: {why}"
            )),
            Rejection::NoFixed(fixed, package) => f.write_fmt(fmt!(
                "package {package} has no counter {}: {}",
                fixed.name,
                Absence::Unreachable
            )),
            Rejection::Group(ref fault) => fault.print(f),
        }
    }
}
