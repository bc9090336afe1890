// SPDX-License-Identifier: GPL-2.0

//! From the words of `struct perf_event_attr` to a request that counts what it says.
//!
//! Takes a box type's table and the user's words, gives a [`Request`]; pure, no allocation. Reasons
//! to refuse are looked for in this order, and the first one found is the answer:
//!
//!  1. sampling, by period, frequency, precise instruction pointer or branches;
//!  2. a task to follow, or no CPU to count for;
//!  3. an `exclude_*` bit;
//!  4. no such box in the package (by [`super::pmu`]);
//!  5. bits that belong to no field;
//!  6. another field besides the event select of a fixed counter;
//!  7. an event select that no event has;
//!  8. a umask that the event does not take;
//!  9. a sub-event that could only count nothing;
//! 10. a counter set that the box lacks;
//! 11. a field about occupancies that does not fit the event, or the other way round;
//! 12. edge detection or inversion without a threshold;
//! 13. a threshold above what the event adds in a clock, so that it would count nothing;
//! 14. a filter without the field that switches it on;
//! 15. a filter that the event does not use, or that its mask leaves out in part;
//! 16. no value for a filter that the event needs;
//! 17. a value of a filter that nothing matches;
//! 18. an interval so short that it would interrupt too often;
//! 19. an interval in a package that does without interrupts (by [`super::pmu`]);
//! 20. a filter of the event in a function that is missing (by [`super::pmu`]);
//! 21. a counter of its own that cannot be read (by [`super::pmu`]);
//! 22. to 25. what is wrong with the group, by [`super::group`].

use super::{
    box_type::{
        BoxType,
        Event,
        Field,
        Needs,
        Role,
        Word, //
    },
    field::{
        low_half,
        Words, //
    },
    filter::FilterUse,
    name::EventName,
    reject::Rejection, //
};
use crate::linux::perf::{
    Attr,
    Exclude, //
};

mod filters;
mod interval;
#[cfg(KUNIT_SUITES)]
mod tests;
mod threshold;
mod umask;

/// Something a box can count, made only by [`parse`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Request {
    control: ControlWord,
    /// What the write that starts it sets besides, once.
    queue_reset: u32,
    /// Which counters can count it.
    pub(super) on: Counters,
    /// What it wants of the filters.
    pub(super) filters: FilterUse,
    /// What it depends on.
    pub(super) needs: Needs,
    /// After how many counts its user wants to hear of it; 0 if never.
    pub(super) interval: u64,
    /// Most it can add in a clock.
    pub(super) increment: u16,
    /// The user's `config`, without the interval.
    pub(super) config: u64,
    /// Event select, to find its row again.
    select: u64,
    umask: u8,
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

    /// What the write with which it starts to count sets besides.
    pub(super) fn starting(&self) -> u32 {
        self.queue_reset
    }

    /// The row of its event; none for a fixed counter.
    pub(super) fn event(&self, kind: &BoxType) -> Option<&'static Event> {
        match self.on {
            Counters::General(_) => kind.event(self.select),
            Counters::Fixed(_) => None,
        }
    }

    /// What its event is called; none for a fixed counter.
    pub(super) fn name(&self, kind: &BoxType) -> Option<EventName> {
        Some(EventName {
            event: self.event(kind)?,
            field: kind.umask_name(),
            umask: self.umask,
        })
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
    if attr.sampling || attr.precise_ip != 0 || attr.branches {
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

/// Makes a request of what the user wrote, or says what is wrong with it: reasons 5 to 18.
pub(super) fn parse(kind: &BoxType, words: &Words) -> Result<Request, Rejection> {
    check_owners(kind, words)?;
    let select = kind.select(words);
    if let Some(fixed) = parse_fixed(kind, words, select) {
        return fixed;
    }
    let event = kind
        .event(select)
        .ok_or_else(|| unknown_event(kind, words))?;
    let name = EventName {
        event,
        field: kind.umask_name(),
        umask: umask_of(kind, words),
    };
    let needed = umask::check(&name).map_err(|fault| Rejection::Umask(name, fault))?;
    let counters = counters_of(kind, words, event)?;
    threshold::check(kind, words, event).map_err(|fault| Rejection::Threshold(event, fault))?;
    let filters = filters::parse(kind, words, event.filters | needed)
        .map_err(|fault| Rejection::Filter(name, fault))?;
    let increment = match kind.value_of(Role::Threshold, words) {
        0 => event.max_increment,
        _ => 1,
    };
    Ok(Request {
        // All bits of `config` have an owner, and those in a control register are writable.
        control: ControlWord(low_half(words.config) & kind.control.writable),
        queue_reset: queue_reset(kind, event),
        on: Counters::General(counters),
        filters,
        needs: event.needs,
        interval: interval::parse(kind, words, increment)?,
        increment,
        config: words.config & !mask_of_role(kind, Role::Interval),
        select,
        umask: name.umask,
    })
}

/// Reason 5.
fn check_owners(kind: &BoxType, words: &Words) -> Result<(), Rejection> {
    let given = [
        (words.config, "config", Some(Word::Config)),
        (words.config1, "config1", Some(Word::Config1)),
        (words.config2, "config2", Some(Word::Config2)),
        (words.config3, "config3", None),
        (words.config4, "config4", None),
    ];
    for (bits, name, word) in given {
        if bits == 0 {
            continue;
        }
        let unowned = bits & !word.map_or(0, |word| kind.owned_bits(word));
        if unowned != 0 {
            return Err(Rejection::UnownedBits(name, unowned));
        }
    }
    Ok(())
}

/// A fixed counter, if one is meant; reason 6.
fn parse_fixed(kind: &BoxType, words: &Words, select: u64) -> Option<Result<Request, Rejection>> {
    let (index, fixed) = kind.fixed_by_select(select)?;
    let takes = |role| match role {
        Role::Select | Role::View => true,
        Role::Interval => fixed.overflow_enable().is_some(),
        _ => false,
    };
    let mut others = kind.fields.iter().filter(|field| !takes(field.role));
    if let Some(field) = others.find(|field| field.value(words) != 0) {
        return Some(Err(Rejection::FixedOnly(fixed, field)));
    }
    let request = |interval| Request {
        control: ControlWord(0),
        queue_reset: 0,
        on: Counters::Fixed(index),
        filters: FilterUse::default(),
        needs: Needs::Nothing,
        interval,
        increment: 1,
        config: words.config & !mask_of_role(kind, Role::Interval),
        select,
        umask: 0,
    };
    Some(interval::parse(kind, words, 1).map(request))
}

/// The bits of the field with this role.
fn mask_of_role(kind: &BoxType, role: Role) -> u64 {
    kind.field(role).map_or(0, Field::mask)
}

/// Reason 7.
fn unknown_event(kind: &BoxType, words: &Words) -> Rejection {
    Rejection::UnknownEvent(kind.value_of(Role::Select, words))
}

fn umask_of(kind: &BoxType, words: &Words) -> u8 {
    let value = kind.value_of(Role::Umask, words);
    u8::try_from(value).unwrap_or(u8::MAX)
}

/// The general counters that can count an event, in the set that is chosen; reason 10.
fn counters_of(kind: &BoxType, words: &Words, event: &Event) -> Result<u8, Rejection> {
    let able = event.counters & kind.counter_mask();
    let Some(field) = kind.field(Role::CounterSet) else {
        return Ok(able);
    };
    let chosen = field.value(words);
    let sets = kind.counter_sets;
    let set = usize::try_from(chosen).ok().and_then(|set| sets.get(set));
    let set = set.ok_or(Rejection::NoSet(field, chosen, sets.len()))?;
    Ok(able & set)
}

/// The bits that clear the queue an event looks at, when it starts.
fn queue_reset(kind: &BoxType, event: &Event) -> u32 {
    match kind.control.queue_reset {
        Some(bits) if event.occupancy => bits,
        _ => 0,
    }
}
