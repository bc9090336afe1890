// SPDX-License-Identifier: GPL-2.0

//! Reasons to refuse a request, each with its errno and its sentence.
//!
//! A sentence names the part of the request that is wrong and, if this does not follow from it,
//! what to do instead. An errno is chosen by what perf does with it:
//!
//! | errno | reasons | why |
//! |---|---|---|
//! | `EACCES` | a privilege that is missing | perf names `perf_event_paranoid` and `CAP_PERFMON` |
//! | `EOPNOTSUPP` | sampling | perf explains it, and names `perf stat` |
//! | `ENODEV` | hardware that is missing: the CPU, the box, the function with its filters, a bit of a register, or a counter | nothing is wrong with the request, and perf prints "No such device"; older perfs then stop, which they do not on `EINVAL`: a sum over boxes would be short of one |
//! | `EINVAL` | everything else | perf breaks up a weak group (as every metric has) on that errno, and gives up on `ENOSPC` and `EBUSY` |

use self::faults::{
    FilterFault,
    GroupFault,
    ThresholdFault,
    UmaskFault, //
};
use super::{
    interval::TooShort,
    name::{
        EventName,
        SelectName, //
    }, //
};
use crate::{
    linux::{
        errno::eopnotsupp,
        topology::Cpu, //
    },
    uncore::{
        absence::MissingReason,
        frozen::MOST_PER_SECOND,
        overflow_mode::PollReason,
        table::box_type::{
            BoxType,
            Event,
            Field,
            Fixed,
            Role, //
        }, //
    }, //
};
use kernel::{
    fmt,
    prelude::*, //
};

pub(crate) mod faults;
pub(crate) mod log;

#[cfg(KUNIT_SUITES)]
pub(crate) mod tests;

/// A reason to refuse a request.
///
/// The variants are in the order of the checks. If several reasons apply, the first one is the
/// answer.
#[derive(Clone, Copy)]
pub(crate) enum RejectReason {
    /// A period, a frequency, a precise instruction pointer or branches.
    Sampling,
    /// A task to follow, or no CPU to count for.
    Task,
    /// An `exclude_*` bit, by its name, of a user who may not count. Perf sets `exclude_kernel` by
    /// itself when it was told that the user may not count what the kernel does.
    MayNotCount(&'static str),
    /// An `exclude_*` bit, by its name.
    Excluded(&'static str),
    /// A CPU that is not present, so that its package is unknown.
    AbsentCpu(Cpu),
    /// The package of the CPU, by its number, has no such box.
    NoBox(u32, MissingReason),
    /// Bits of a word that belong to no field.
    UnownedBits(&'static str, u64),
    /// A field that the fixed counter does not take.
    FixedOnly(&'static Fixed, &'static Field),
    /// The fixed counter that the in-tree driver has here is one of this other box type.
    FixedElsewhere(&'static Fixed, &'static BoxType),
    /// No event has this select.
    UnknownEvent(SelectName),
    Umask(EventName, UmaskFault),
    /// The event with these fields is odd, for this reason.
    Odd(EventName, &'static str),
    /// The box has no counter set with the first number; the second is how many it has.
    NoSet(&'static Field, u64, usize),
    /// A fault of the threshold or of a field that needs one.
    Threshold(&'static Event, ThresholdFault),
    Filter(EventName, FilterFault),
    /// An interval below the shortest one of the event.
    ShortInterval(TooShort),
    /// A field that only users with `CAP_PERFMON` may use. It comes before all that depends on the
    /// package, so that a user without it makes the driver do nothing to the hardware.
    NotPermitted(&'static Field),
    /// The event uses filters, and the package lacks the function that holds them.
    NoFilters(EventName, u32, MissingReason),
    /// The box of the package lacks these bits of the field.
    NoBits(&'static Field, u64, u32),
    /// This fixed counter cannot be read in the package.
    NoFixed(&'static Fixed, u32),
    /// A fault of the group that the event is to join.
    Group(GroupFault),
    /// An interval, of a box of the package whose counters cannot be written.
    NoPreset(&'static Field, u32),
    /// An interval, in a package whose counters do not interrupt.
    NoInterrupt(&'static Field, u32, PollReason),
}

impl RejectReason {
    /// The errno that `perf_event_open` fails with, and its name.
    pub(crate) fn errno(&self) -> (Error, &'static str) {
        match self {
            RejectReason::Sampling => (eopnotsupp(), "EOPNOTSUPP"),
            RejectReason::MayNotCount(_) | RejectReason::NotPermitted(_) => (EACCES, "EACCES"),
            RejectReason::NoInterrupt(.., PollReason::Untested) => (EAGAIN, "EAGAIN"),
            RejectReason::AbsentCpu(_)
            | RejectReason::NoBox(..)
            | RejectReason::NoFilters(..)
            | RejectReason::NoBits(..)
            | RejectReason::NoFixed(..) => (ENODEV, "ENODEV"),
            _ => (EINVAL, "EINVAL"),
        }
    }

    /// The name of what was refused if perf also tries it by itself, for each event: older ones before
    /// they open it, newer ones when it was refused, to see why.
    pub(crate) fn perf_attempt(&self) -> Option<&'static str> {
        match *self {
            RejectReason::Task => Some("a task"),
            RejectReason::Excluded(name @ "exclude_guest") => Some(name),
            _ => None,
        }
    }
}

impl fmt::Display for RejectReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            RejectReason::Sampling => f.write_str(
                "sampling (a period, a frequency, :p or branches) is not possible, the uncore can \
                 only count: use perf stat (and the field interval, where there is one, for a \
                 tracepoint after each N counts)",
            ),
            RejectReason::Task => f.write_str(
                "the uncore counts for a whole package and cannot follow a task: use -a or -C \
                 (perf tries this by itself, too, to see why an event was refused)",
            ),
            RejectReason::MayNotCount(name) => write!(
                f,
                "this user may not count, as perf_event_paranoid is 2 or more and CAP_PERFMON is \
                 missing, or by a security module ({name} is set, which perf then does by itself)",
            ),
            RejectReason::Excluded(name) => {
                write!(
                    f,
                    "{name} is set, but the uncore does not know in which mode a core causes traffic",
                )?;
                match self.perf_attempt() {
                    Some(_) => f.write_str(" (older perfs try this by themselves, too)"),
                    None => Ok(()),
                }
            }
            RejectReason::AbsentCpu(cpu) => f.write_fmt(fmt!(
                "CPU {cpu} is not present, so that its package is unknown"
            )),
            RejectReason::NoBox(package, why) => {
                f.write_fmt(fmt!("package {package} has no such box: {why}"))
            }
            RejectReason::UnownedBits(word, bits) => {
                write!(f, "{word} has bits that belong to no field ({bits:#x})")
            }
            RejectReason::FixedOnly(fixed, field) => write!(
                f,
                "{} is a fixed counter, which takes no other field, and {} is set",
                fixed.name, field.name,
            ),
            RejectReason::FixedElsewhere(fixed, kind) => write!(
                f,
                "{0} is an event of {1}, as it counts once for the package: use {1}/{0}/",
                fixed.name, kind.name,
            ),
            RejectReason::UnknownEvent(select) => f.write_fmt(fmt!("there is no event {select}")),
            RejectReason::Umask(ref name, ref fault) => fault.print(f, name),
            RejectReason::Odd(ref name, why) => f.write_fmt(fmt!("{name} is refused: {why}")),
            RejectReason::NoSet(field, set, count) => write!(
                f,
                "{} {set} does not exist: the counters of the box are in {count} sets, from 0 on",
                field.name,
            ),
            RejectReason::Threshold(event, ref fault) => fault.print(f, event),
            RejectReason::Filter(ref name, ref fault) => fault.print(f, name),
            RejectReason::ShortInterval(TooShort {
                field,
                interval,
                shortest,
            }) => write!(
                f,
                "{} {interval} is too short: at its fastest the event would interrupt more often \
                 than {MOST_PER_SECOND} times a second, so use {shortest} or more",
                field.name,
            ),
            RejectReason::NotPermitted(field) => write!(
                f,
                "{} needs root or CAP_PERFMON, whatever perf_event_paranoid is: {}",
                field.name,
                match field.role {
                    Role::Interval => "each interval freezes the counters of all users",
                    _ => "it shows when other users access an address",
                },
            ),
            RejectReason::NoFilters(ref name, package, why) => f.write_fmt(fmt!(
                "{name} needs the PCI function with the filters of the box, which package \
                 {package} lacks: {why}"
            )),
            RejectReason::NoBits(field, bits, package) => write!(
                f,
                "{} has bits that the box lacks in package {package} ({bits:#x}): it does not keep \
                 them",
                field.name,
            ),
            RejectReason::NoFixed(fixed, package) => f.write_fmt(fmt!(
                "package {package} has no counter {}: {}",
                fixed.name,
                MissingReason::Unreachable
            )),
            RejectReason::Group(ref fault) => fault.print(f),
            RejectReason::NoPreset(field, package) => write!(
                f,
                "{} needs counters that can be written, and those of the box in package {package} do \
                 not keep what is written",
                field.name,
            ),
            RejectReason::NoInterrupt(field, package, why @ PollReason::Untested) => {
                f.write_fmt(fmt!(
                    "{} needs overflow interrupts: in package {package} {why}",
                    field.name
                ))
            }
            RejectReason::NoInterrupt(field, package, why) => f.write_fmt(fmt!(
                "{} needs overflow interrupts, which package {package} does without: {why}",
                field.name
            )),
        }
    }
}
