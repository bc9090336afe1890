// SPDX-License-Identifier: GPL-2.0

//! From `struct perf_event_attr` to a [`Request`], or to the reason why it is refused.
//!
//! ```text
//! Attr ---> check_manner ---> parse -------------------------------> Request
//!           no sampling,      bits, event, umask, counter set,
//!           no task           threshold, filters, interval
//! ```
//!
//! Pure functions of a box type's table and the user's words; no registers, no allocation. The
//! first check that fails gives the answer. The order of the checks is that of the variants of
//! [`RejectReason`]: [`check_manner`] has the variants up to [`RejectReason::Excluded`],
//! [`Parser::parse`](parser::Parser::parse) those from [`RejectReason::UnownedBits`] to
//! [`RejectReason::ShortInterval`], and
//! [`group::check`] has [`RejectReason::Group`]. The rest depends on the package and is checked in
//! [`super::pmu`].

pub(crate) mod assign;
pub(crate) mod compat;
pub(crate) mod filter_units;
pub(crate) mod filters;
pub(crate) mod group;
pub(crate) mod interval;
pub(crate) mod name;
pub(crate) mod parser;
pub(crate) mod reject;
#[cfg(KUNIT_SUITES)]
mod tests;
pub(crate) mod threshold;
pub(crate) mod umask;

use self::{
    filter_units::FilterUse,
    interval::Pace,
    name::{
        EventName,
        SelectName,
        SelectTerms, //
    },
    reject::RejectReason, //
};
use super::{
    overflow_mode::Interrupts,
    table::{
        box_type::*,
        field::Words, //
    }, //
};
use crate::linux::perf::{
    Attr,
    Exclude, //
};

/// A configuration that a box can count. Only [`parser`] makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    control: ControlWord,
    /// Bits to add to the control register in the write that starts the counter.
    queue_reset: u32,
    /// The counters that can count it.
    pub(crate) on: Counters,
    /// The filter units it uses, with their values.
    pub(crate) filters: FilterUse,
    /// The other event it depends on, if any.
    pub(crate) needs: Needs,
    /// Counts between two trace events; 0 for no trace events.
    pub(crate) interval: u64,
    /// The pace at which its counter must be read.
    pub(crate) pace: Pace,
    /// The user's `config`, without the interval.
    pub(crate) config: u64,
    /// Event select, bits in place: the key of the event's row.
    select: u64,
    umask: u8,
}

/// The value of an event control register, without its enable bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ControlWord(u32);

/// The counters that can count an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counters {
    /// General counters, as a bit mask.
    General(u8),
    /// The fixed one with this index.
    Fixed(u8),
}

impl Request {
    /// The value of a general counter's control register that counts this event.
    pub(crate) fn enabled(&self, kind: &BoxType) -> u32 {
        self.control.0 | kind.control.enable
    }

    /// Bits to add to the control register in the write that starts the counter.
    pub(crate) fn starting(&self) -> u32 {
        self.queue_reset
    }

    /// Returns the bit of the control register that enables the interrupt of its counter, if the
    /// counter is one that interrupts.
    #[inline]
    pub(crate) fn overflow_enable(&self, kind: &BoxType, interrupts: Interrupts) -> Option<u32> {
        let is_chosen = match interrupts {
            Interrupts::Off => false,
            Interrupts::OfIntervals => self.interval != 0,
            Interrupts::All => true,
        };
        if !is_chosen {
            return None;
        }
        match self.on {
            Counters::General(_) => kind.control.overflow_enable,
            Counters::Fixed(index) => kind.fixed.get(usize::from(index))?.overflow_enable(),
        }
    }

    /// Returns whether all CPUs of the package find one counter. An MSR without a control
    /// register may be one of a core.
    pub(crate) fn is_of_package(&self, kind: &BoxType) -> bool {
        let Counters::Fixed(index) = self.on else {
            return true;
        };
        let fixed = kind.fixed.get(usize::from(index));
        !matches!(kind.access, Access::Msr { .. })
            || fixed.is_some_and(|fixed| fixed.control.is_some())
    }

    /// The row of its event; `None` for a fixed counter.
    pub(crate) fn event(&self, kind: &BoxType) -> Option<&'static Event> {
        match self.on {
            Counters::General(_) => kind.event(self.select),
            Counters::Fixed(_) => None,
        }
    }

    /// The first field for which the user needs a privilege: of a filter that names an address, or
    /// the interval. A filter without a value names address 0, unless the table says otherwise.
    pub(crate) fn privileged_field(&self, kind: &BoxType) -> Option<&'static Field> {
        let names_address = |unit: u8, value: u64| {
            kind.filter_units
                .get(usize::from(unit))
                .is_some_and(|unit| unit.names_address && unit.names_none != Some(value))
        };
        let address = self
            .filters
            .iter()
            .find(|used| names_address(used.unit, used.value))
            .and_then(|used| kind.unit_fields(used.unit).next());
        match self.interval {
            0 => address,
            _ => address.or(kind.field(Role::Interval)),
        }
    }

    /// The name of its event; `None` for a fixed counter.
    pub(crate) fn name(&self, kind: &BoxType) -> Option<EventName> {
        Some(EventName {
            event: self.event(kind)?,
            field: kind.umask_name(),
            umask: self.umask,
        })
    }
}

/// Refuses what no uncore counter can do, from [`RejectReason::Sampling`] to
/// [`RejectReason::Excluded`].
pub(crate) fn check_manner(attr: &Attr) -> Result<(), RejectReason> {
    if attr.sampling || attr.precise_ip != 0 || attr.branches {
        return Err(RejectReason::Sampling);
    }
    if attr.task || attr.cpu.is_none() {
        return Err(RejectReason::Task);
    }
    match excluded(&attr.exclude) {
        Some(name) => Err(RejectReason::Excluded(name)),
        None => Ok(()),
    }
}

/// The name of the first `exclude_*` bit that is set.
fn excluded(exclude: &Exclude) -> Option<&'static str> {
    match exclude {
        Exclude { user: true, .. } => Some("exclude_user"),
        Exclude { kernel: true, .. } => Some("exclude_kernel"),
        Exclude {
            hypervisor: true, ..
        } => Some("exclude_hv"),
        Exclude { idle: true, .. } => Some("exclude_idle"),
        Exclude { host: true, .. } => Some("exclude_host"),
        Exclude { guest: true, .. } => Some("exclude_guest"),
        _ => None,
    }
}

/// The reason to refuse an event select that no event has.
fn unknown_event(kind: &BoxType, words: &Words) -> RejectReason {
    let (fields, select) = (kind.fields, kind.select(words));
    let there = kind.fixed_elsewhere;
    if let Some((kind, (_, fixed))) = there.and_then(|it| Some((it, it.fixed_by_select(select)?))) {
        return RejectReason::FixedElsewhere(fixed, kind);
    }
    RejectReason::UnknownEvent(SelectName(SelectTerms { fields, select }))
}

/// The bits that clear the queue of an occupancy event when it starts.
fn queue_reset(kind: &BoxType, event: &Event) -> u32 {
    match kind.control.queue_reset {
        Some(bits) if event.class == Class::Occupancy => bits,
        _ => 0,
    }
}
