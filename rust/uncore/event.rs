// SPDX-License-Identifier: GPL-2.0

//! From the words of `struct perf_event_attr` to a request that counts what it says.
//!
//! Takes a box type's table and the user's words, gives a [`Request`]; pure, no allocation. Reasons
//! to refuse are looked for in this order, and the first one found is the answer:
//!
//!  1. sampling, by period, frequency or precise instruction pointer;
//!  2. a task to follow, or no CPU to count for;
//!  3. an `exclude_*` bit;
//!  4. no such box in the package (by [`super::pmu`]);
//!  5. bits that belong to no field;
//!  6. another field besides the event select of a fixed counter;
//!  7. an event select that no event has;
//!  8. a umask that the event does not take;
//!  9. a sub-event that could only count nothing;
//! 10. edge detection without a threshold;
//! 11. a threshold above what the event adds in a clock, so that it would count nothing;
//! 12. a filter without the field that switches it on;
//! 13. a filter that the event does not use;
//! 14. no value for a filter that the event needs;
//! 15. a value of a filter that nothing matches;
//! 16. to 19. what is wrong with the group, by [`super::group`].

use super::{
    assign::{
        bit,
        bits, //
    },
    box_type::{
        BoxType,
        Event,
        FilterUnit,
        Missing,
        Needs,
        Role,
        SubEvent,
        Umasks,
        Word, //
    },
    field::{
        low_half,
        Words, //
    },
    filter::FilterUse,
    reject::{
        FilterFault,
        Rejection,
        UmaskFault, //
    },
};
use crate::linux::perf::{
    Attr,
    Exclude, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

/// Something a box can count, made only by [`parse`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Request {
    control: ControlWord,
    /// Which counters can count it.
    pub(super) on: Counters,
    /// What it wants of the filters.
    pub(super) filters: FilterUse,
    /// What it depends on.
    pub(super) needs: Needs,
    /// Event select, to find its row again.
    select: u64,
}

/// The value of an event control register, without its enable bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ControlWord(u32);

/// Which counters can count an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counters {
    /// General counters, as a bit mask.
    General(u8),
    /// The fixed one with this index.
    Fixed(u8),
}

impl Request {
    /// What to write into the control register of a general counter to have it count this.
    pub(super) fn enabled(&self, kind: &BoxType) -> u32 {
        self.control.0 | kind.control.enable
    }

    /// The row of its event; none for a fixed counter.
    pub(super) fn event(&self, kind: &BoxType) -> Option<&'static Event> {
        match self.on {
            Counters::General(_) => kind.event(self.select),
            Counters::Fixed(_) => None,
        }
    }
}

/// The words of a request.
pub(super) fn words(attr: &Attr) -> Words {
    Words {
        config: attr.config,
        config1: attr.config1,
        config2: attr.config2,
        config3: attr.config3,
        config4: attr.config4,
    }
}

/// Refuses what no uncore counter can do: reasons 1 to 3.
pub(super) fn check_manner(attr: &Attr) -> Result<(), Rejection> {
    if attr.sampling || attr.precise_ip != 0 {
        return Err(Rejection::Sampling);
    }
    if attr.task || attr.cpu.is_none() {
        return Err(Rejection::Task);
    }
    match excluded(&attr.exclude) {
        Some(name) => Err(Rejection::Excluded(name)),
        None => Ok(()),
    }
}

/// The name of the first `exclude_*` bit that is set.
fn excluded(exclude: &Exclude) -> Option<&'static str> {
    let named = [
        (exclude.user, "exclude_user"),
        (exclude.kernel, "exclude_kernel"),
        (exclude.hypervisor, "exclude_hv"),
        (exclude.idle, "exclude_idle"),
        (exclude.host, "exclude_host"),
        (exclude.guest, "exclude_guest"),
    ];
    named.iter().find(|(set, _)| *set).map(|(_, name)| *name)
}

/// Makes a request of what the user wrote, or says what is wrong with it: reasons 5 to 15.
pub(super) fn parse(kind: &BoxType, words: &Words) -> Result<Request, Rejection> {
    check_owners(kind, words)?;
    let select = kind.select(words);
    if let Some(fixed) = parse_fixed(kind, words, select) {
        return fixed;
    }
    let event = kind
        .event(select)
        .ok_or_else(|| unknown_event(kind, words))?;
    let umask = umask_of(kind, words);
    let filters =
        check_umask(event, umask).map_err(|fault| Rejection::Umask(event, umask, fault))?;
    check_threshold(kind, words, event)?;
    let needed = event.filters | filters | enabled_units(kind, words);
    let filters = parse_filters(kind, words, needed)
        .map_err(|fault| Rejection::Filter(event, umask, fault))?;
    Ok(Request {
        // All bits of `config` have an owner, and all owners are writable.
        control: ControlWord(low_half(words.config) & kind.control.writable),
        on: Counters::General(event.counters & kind.counter_mask()),
        filters,
        needs: event.needs,
        select,
    })
}

/// Reason 5.
fn check_owners(kind: &BoxType, words: &Words) -> Result<(), Rejection> {
    let given = [
        (words.config, "config", kind.owned_bits(Word::Config)),
        (words.config1, "config1", kind.owned_bits(Word::Config1)),
        (words.config2, "config2", kind.owned_bits(Word::Config2)),
        (words.config3, "config3", 0),
        (words.config4, "config4", 0),
    ];
    let mut unowned = given
        .iter()
        .map(|(word, name, owned)| (name, word & !owned));
    match unowned.find(|(_, bits)| *bits != 0) {
        Some((name, bits)) => Err(Rejection::UnownedBits(name, bits)),
        None => Ok(()),
    }
}

/// A fixed counter, if one is meant; reason 6.
fn parse_fixed(kind: &BoxType, words: &Words, select: u64) -> Option<Result<Request, Rejection>> {
    let (index, fixed) = kind.fixed_by_select(select)?;
    let mut others = kind
        .fields
        .iter()
        .filter(|field| field.role != Role::Select);
    Some(match others.find(|field| field.value(words) != 0) {
        Some(field) => Err(Rejection::FixedOnly(fixed, field)),
        None => Ok(Request {
            control: ControlWord(0),
            on: Counters::Fixed(index),
            filters: FilterUse::default(),
            needs: Needs::Nothing,
            select,
        }),
    })
}

/// Reason 7.
fn unknown_event(kind: &BoxType, words: &Words) -> Rejection {
    Rejection::UnknownEvent(kind.value_of(Role::Select, words))
}

fn umask_of(kind: &BoxType, words: &Words) -> u8 {
    let value = kind.value_of(Role::Umask, words);
    u8::try_from(value).unwrap_or(u8::MAX)
}

/// The filter units a umask needs; reasons 8 and 9.
fn check_umask(event: &'static Event, umask: u8) -> Result<u8, UmaskFault> {
    match event.umasks {
        Umasks::Zero if umask == 0 => Ok(0),
        Umasks::Zero => Err(UmaskFault::NotTaken),
        _ if umask == 0 => Err(UmaskFault::Missing),
        Umasks::Combined => check_combined(event, umask),
        Umasks::Listed => check_listed(event, umask),
        Umasks::ListedWith(added) => check_listed_with(event, umask, added),
    }
}

/// Any sub-events together, as long as each of them combines.
fn check_combined(event: &'static Event, umask: u8) -> Result<u8, UmaskFault> {
    let contained = || {
        let rows = event.subevents.iter();
        rows.filter(|row| row.umask & umask == row.umask)
    };
    let covered = contained().fold(0, |covered, row| covered | row.umask);
    if umask & !covered != 0 {
        return Err(UmaskFault::UnknownBits(umask & !covered));
    }
    if let Some(row) = contained().find(|row| row.exclusive && row.umask != umask) {
        return Err(UmaskFault::Exclusive(row));
    }
    contained().try_fold(0, |filters, row| Ok(filters | usable(row)?))
}

/// One sub-event.
fn check_listed(event: &'static Event, umask: u8) -> Result<u8, UmaskFault> {
    row(event, umask).map_or(Err(UmaskFault::Unlisted), usable)
}

/// One sub-event, with or without the bits that may be added.
fn check_listed_with(event: &'static Event, umask: u8, added: u8) -> Result<u8, UmaskFault> {
    if row(event, umask).is_some() || umask & added == 0 {
        return check_listed(event, umask);
    }
    let filters = check_listed(event, umask & !added)?;
    let mut adding = event.subevents.iter().filter(|row| row.umask & added != 0);
    adding.try_fold(filters, |filters, row| Ok(filters | usable(row)?))
}

/// The sub-event with this umask.
fn row(event: &'static Event, umask: u8) -> Option<&'static SubEvent> {
    event.subevents.iter().find(|row| row.umask == umask)
}

/// The filter units of a sub-event; reason 9.
fn usable(row: &'static SubEvent) -> Result<u8, UmaskFault> {
    match row.unusable {
        Some(reason) => Err(UmaskFault::Unusable(row, reason)),
        None => Ok(row.filters),
    }
}

/// Reasons 10 and 11.
fn check_threshold(kind: &BoxType, words: &Words, event: &'static Event) -> Result<(), Rejection> {
    let Some(field) = kind.field(Role::Threshold) else {
        return Ok(());
    };
    let threshold = field.value(words);
    if let Some(edge) = kind.field(Role::Edge) {
        if threshold == 0 && edge.value(words) != 0 {
            return Err(Rejection::EdgeAlone(edge, field));
        }
    }
    if threshold > u64::from(event.max_increment) {
        return Err(Rejection::ThresholdTooHigh(event, field, threshold));
    }
    Ok(())
}

/// The filter units that are switched on by a field, as a bit mask.
fn enabled_units(kind: &BoxType, words: &Words) -> u8 {
    bits(u8::MAX)
        .filter(|&unit| kind.value_of(Role::FilterEnable(unit), words) != 0)
        .fold(0, |units, unit| units | bit(unit))
}

/// What the event wants of the filters; reasons 12 to 15.
fn parse_filters(kind: &BoxType, words: &Words, needed: u8) -> Result<FilterUse, FilterFault> {
    for unit in bits(!needed) {
        check_unused(kind, words, unit)?;
    }
    let mut filters = FilterUse::default();
    for (unit, table) in (0..).zip(kind.filter_units) {
        if needed & bit(unit) != 0 {
            filters.set(unit, filter_value(table, words)?);
        }
    }
    Ok(filters)
}

/// Reasons 12 and 13.
fn check_unused(kind: &BoxType, words: &Words, unit: u8) -> Result<(), FilterFault> {
    let mut fields = kind.unit_fields(unit);
    let Some(field) = fields.find(|field| field.value(words) != 0) else {
        return Ok(());
    };
    Err(match kind.field(Role::FilterEnable(unit)) {
        Some(enable) => FilterFault::NotEnabled(field, enable),
        None => FilterFault::NotTaken(field),
    })
}

/// The value of a unit the event needs; reasons 14 and 15.
fn filter_value(unit: &FilterUnit, words: &Words) -> Result<u64, FilterFault> {
    let value = match (words.get(unit.word) & unit.mask, unit.missing) {
        (0, Missing::Any(any)) => any,
        (0, Missing::Refuse(field)) => return Err(FilterFault::Missing(field)),
        (given, _) => given,
    };
    (unit.valid)(value).map_err(FilterFault::Invalid)?;
    Ok(value)
}
