// SPDX-License-Identifier: GPL-2.0

//! Checks of a box type's events and of its fixed counter: the third part of [`super::fault`].

use super::bit_of;
use super::first;
use super::has_register;
use super::is_name;
use super::is_width;
use super::mask;
use super::same_text;
use super::within;
use super::Fault;
use super::Place;
use crate::uncore::box_type::BoxType;
use crate::uncore::box_type::Event;
use crate::uncore::box_type::Fixed;
use crate::uncore::box_type::Needs;
use crate::uncore::box_type::SubEvent;
use crate::uncore::box_type::Umasks;

/// The first fault of the fixed counter.
pub(super) const fn fixed(of: &BoxType) -> Option<Fault> {
    match &of.fixed {
        Some(fixed) => fixed_counter(of, fixed),
        None => None,
    }
}

const fn fixed_counter(of: &BoxType, fixed: &Fixed) -> Option<Fault> {
    let place = Place::of(of).at(fixed.name);
    let select = fixed.select as u32;
    let own = fixed.enable | bit_of(fixed.overflow_enable) | bit_of(fixed.reset);
    let count = of.counters.len();
    first(&[
        place.must(is_name(fixed.name), "must have a lower-case name"),
        place.must(
            !any_below!(i < of.events.len() => shows(&of.events[i], fixed.name)),
            "must have a name that is no event's",
        ),
        place.must(
            within(select as u64, mask(of.control.select))
                && !any_below!(i < of.events.len() => of.events[i].select == select),
            "must have an event select that is no event's",
        ),
        place.must(
            fixed.enable.is_power_of_two() && within(own as u64, fixed.writable as u64),
            "must have its enable and reset bits among the writable ones",
        ),
        place.must(is_width(fixed.width), "must have 1 to 63 bits"),
        place.must(
            !has_register(of, fixed.control, count) && !has_register(of, fixed.counter, count),
            "must have registers of its own",
        ),
    ])
}

/// The first fault of the events.
pub(super) const fn events(of: &BoxType) -> Option<Fault> {
    let count = of.events.len();
    first(&[
        Place::of(of).must(count > 0, "must have events"),
        first_below!(i < count => event(of, i)),
        first_below!(i < count => subevents(of, i)),
    ])
}

const fn event(of: &BoxType, i: usize) -> Option<Fault> {
    let event = &of.events[i];
    let place = Place::of(of).at(event.name);
    let sum = event.max_increment;
    first(&[
        place.must(is_name(event.name), "must have a lower-case name"),
        place.must(
            !any_below!(k < i => same_text(of.events[k].name, event.name)),
            "must have a name of its own",
        ),
        place.must(
            i == 0 || of.events[i - 1].select < event.select,
            "must have a greater event select than the event before it",
        ),
        place.must(
            within(event.select as u64, mask(of.control.select)),
            "must have an event select that fits its field",
        ),
        place.must(
            0 < event.counters && (event.counters as usize) < 1 << of.counters.len(),
            "must have counters, all of them the box's",
        ),
        place.must(
            0 < sum && sum <= of.max_increment,
            "must have a maximum increment, within the box's",
        ),
        place.must(has_units(of, event.filters), "must have filters of the box"),
        place.must(!event.source.is_empty(), "must have a source"),
        needs(of, event),
    ])
}

/// Whether a set of filter units is the box's.
const fn has_units(of: &BoxType, units: u8) -> bool {
    (units as usize) < 1 << of.filter_units.len()
}

const fn needs(of: &BoxType, event: &Event) -> Option<Fault> {
    let place = Place::of(of).at(event.name);
    match event.needs {
        Needs::Nothing => None,
        Needs::Source => place.must(
            event.counters == 1,
            "must be on counter 0 only, as others look for it there",
        ),
        Needs::SourceOnCounter0 => place.must(
            event.counters & 1 == 0
                && any_below!(i < of.events.len() => matches!(of.events[i].needs, Needs::Source)),
            "must leave counter 0 to an event that is a source",
        ),
    }
}

/// Whether `events/` has the name because of this event, leaving out names with a dot.
const fn shows(event: &Event, name: &str) -> bool {
    same_text(event.name, name)
        || any_below!(i < event.subevents.len() => is_also(&event.subevents[i], name))
}

const fn is_also(row: &SubEvent, name: &str) -> bool {
    matches!(row.also, Some(also) if same_text(also, name))
}

const fn subevents(of: &BoxType, i: usize) -> Option<Fault> {
    let event = &of.events[i];
    let place = Place::of(of).at(event.name);
    let count = event.subevents.len();
    first(&[
        place.must(
            matches!(event.umasks, Umasks::Zero) == (count == 0),
            "must have sub-events exactly if its umask is not always zero",
        ),
        place.must(
            event.unit.is_none() || count == 0,
            "must leave the unit to its sub-events",
        ),
        place.must(
            adds_filters(event),
            "must have a sub-event with a filter for the umask bits that may be added",
        ),
        first_below!(k < count => subevent(of, i, k)),
    ])
}

/// Whether the bits of [`Umasks::ListedWith`] are those of a sub-event with a filter.
const fn adds_filters(event: &Event) -> bool {
    let Umasks::ListedWith(added) = event.umasks else {
        return true;
    };
    let rows = event.subevents;
    added != 0 && any_below!(i < rows.len() => added & !rows[i].umask == 0 && rows[i].filters != 0)
}

const fn subevent(of: &BoxType, i: usize, k: usize) -> Option<Fault> {
    let event = &of.events[i];
    let row = &event.subevents[k];
    let place = Place::of(of).at(event.name).row(row.name);
    first(&[
        place.must(is_name(row.name), "must have a lower-case name"),
        place.must(
            !any_below!(j < k => same_text(event.subevents[j].name, row.name)),
            "must have a name of its own",
        ),
        place.must(row.umask != 0, "must have a umask"),
        place.must(has_units(of, row.filters), "must have filters of the box"),
        place.must(
            !row.exclusive || matches!(event.umasks, Umasks::Combined),
            "must be among sub-events that combine, to be exclusive",
        ),
        place.must(
            has_own_second_name(of, i, k),
            "must have a second name that is no other's",
        ),
        place.must(
            !matches!(row.unusable, Some(reason) if reason.is_empty()),
            "must have a reason to be unusable",
        ),
        place.must(
            k == 0 || may_follow(&event.subevents[k - 1], row),
            "must have a greater umask than the row before it, or be its other name",
        ),
    ])
}

/// Whether no event, and no row before this one, shows its second name.
const fn has_own_second_name(of: &BoxType, i: usize, k: usize) -> bool {
    let Some(name) = of.events[i].subevents[k].also else {
        return true;
    };
    let events = of.events;
    is_name(name)
        && !any_below!(e < events.len() => same_text(events[e].name, name))
        && !any_below!(e < i => shows(&events[e], name))
        && !any_below!(j < k => is_also(&events[i].subevents[j], name))
}

/// Sorted by umask. Two rows with the same umask are one thing under two names, of which the
/// lists gave at least one.
const fn may_follow(before: &SubEvent, row: &SubEvent) -> bool {
    let is_alias = before.umask == row.umask
        && (before.lists || row.lists)
        && before.filters == row.filters
        && before.exclusive == row.exclusive
        && before.unusable.is_some() == row.unusable.is_some();
    before.umask < row.umask || is_alias
}
