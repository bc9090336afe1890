// SPDX-License-Identifier: GPL-2.0

//! Checks of a box type's events: the fifth part of [`super::fault`].

use super::{
    fields::{
        tells_occupancies_apart,
        umask_bits,
        used_units, //
    },
    rules::{
        is_name,
        is_word,
        mask,
        only_if,
        same_text,
        same_word,
        within,
        Fault,
        Location, //
    }, //
};
use crate::uncore::table::box_type::*;

/// The first fault of the events.
pub(crate) const fn events(of: &BoxType) -> Option<Fault> {
    let count = of.events.len();
    first!(
        Location::of(of).must(
            count > 0 || of.counters.is_empty(),
            "must have events of its counters",
        ),
        Location::of(of).must(
            any_below!(i < count => matches!(of.events[i].class, Class::Occupancy))
                == tells_occupancies_apart(of),
            "must have occupancies exactly if it tells them apart",
        ),
        first_below!(i < count => event(of, i)),
        first_below!(i < count => subevents(of, &of.events[i])),
        first_below!(i < count => presets(of, &of.events[i])),
    )
}

const fn event(of: &BoxType, i: usize) -> Option<Fault> {
    let event = &of.events[i];
    let location = Location::of(of).at(event.name);
    let sum = event.max_increment;
    first!(
        location.must(is_name(event.name), "must have a lower-case name"),
        location.must(
            !any_below!(k < i => same_text(of.events[k].name, event.name)),
            "must have a name of its own",
        ),
        location.must(
            i == 0 || of.events[i - 1].select < event.select,
            "must have a greater event select than the event before it",
        ),
        location.must(
            within(event.select as u64, mask(of.control.select)),
            "must have an event select that fits its field",
        ),
        location.must(
            0 < event.counters && (event.counters as usize) < 1 << of.counters.len(),
            "must have counters, all of them the box's",
        ),
        location.must(
            !any_below!(k < of.counter_sets.len() => event.counters & of.counter_sets[k] == 0),
            "must have a counter in each counter set",
        ),
        location.must(
            0 < sum && sum <= of.max_increment,
            "must have a maximum increment, within the box's",
        ),
        location.must(
            has_units(of, event.filters as u32),
            "must have filters of the box",
        ),
        location.must(
            !has_enable_field(of, event.filters as u32),
            "must leave filters that have an enable field to the user",
        ),
        location.must(
            used_units(of, event).count_ones() as usize <= MAX_USED,
            "must use at most 6 filter units",
        ),
        location.must(
            has_copy(of, event),
            "must use a copy that its filter units have",
        ),
        needs(of, event),
    )
}

/// Returns `true` if the box has all these filter units.
const fn has_units(of: &BoxType, units: u32) -> bool {
    (units as u64) < 1 << of.filter_units.len()
}

/// Returns `true` if the copy that an event uses is one of each of its filter units with several,
/// and the first if it has no such unit.
const fn has_copy(of: &BoxType, event: &Event) -> bool {
    let (all, used) = (of.filter_units, used_units(of, event));
    let has_several = any_below!(i < all.len() => used & 1 << i != 0 && all[i].copies > 1);
    (has_several || event.copy == 0)
        && !any_below!(i < all.len() =>
            used & 1 << i != 0 && all[i].copies > 1 && event.copy >= all[i].copies)
}

/// Returns `true` if a field switches on one of these filter units.
const fn has_enable_field(of: &BoxType, units: u32) -> bool {
    any_below!(i < of.fields.len() =>
        matches!(of.fields[i].role, Role::FilterEnable(unit) if units & 1 << unit != 0))
}

const fn needs(of: &BoxType, event: &Event) -> Option<Fault> {
    let location = Location::of(of).at(event.name);
    match event.needs {
        Needs::Nothing => None,
        Needs::Source => location.must(
            event.counters == 1,
            "must be on counter 0 only, as others look for it there",
        ),
        Needs::SourceOnCounter0 => location.must(
            event.counters & 1 == 0
                && any_below!(i < of.events.len() => matches!(of.events[i].needs, Needs::Source)),
            "must leave counter 0 to an event that is a source",
        ),
    }
}

const fn subevents(of: &BoxType, event: &Event) -> Option<Fault> {
    let location = Location::of(of).at(event.name);
    let count = event.subevents.len();
    first!(
        location.must(
            matches!(event.umasks, Umasks::Zero) == (count == 0),
            "must have sub-events exactly if its umask is not always zero",
        ),
        location.must(
            count == 0 || event.unit.is_none(),
            "must leave its unit to its sub-events",
        ),
        location.must(
            adds_filters(event),
            "must have a sub-event with a filter for the umask bits that may be added",
        ),
        first_below!(k < count => subevent(of, event, k)),
    )
}

/// Returns `true` if the bits of [`Umasks::ListedWith`] are those of a sub-event with a filter.
const fn adds_filters(event: &Event) -> bool {
    let Umasks::ListedWith(added) = event.umasks else {
        return true;
    };
    let rows = event.subevents;
    added != 0 && any_below!(i < rows.len() => added & !rows[i].umask == 0 && rows[i].filters != 0)
}

const fn subevent(of: &BoxType, event: &Event, k: usize) -> Option<Fault> {
    let row = &event.subevents[k];
    let location = Location::of(of).at(event.name).row(row.name);
    let may_be_zero = matches!(event.umasks, Umasks::Listed);
    first!(
        location.must(
            is_bare(row)
                || (row.umask != 0 || may_be_zero)
                    && (matches!(row.naming, Naming::Whole) || is_word(row.name)),
            "must have a lower-case name and a umask, or neither, unless its event lists umasks",
        ),
        location.must(
            (row.umask as u64) < 1 << umask_bits(of),
            "must have a umask that fits its field",
        ),
        location.must(
            row.umask != 0 || may_be_zero || row.filters == 0 && row.excludes == 0 && !row.unusable,
            "must have no limits, as every umask contains it",
        ),
        location.must(
            !any_below!(j < k => same_text(event.subevents[j].name, row.name)),
            "must have a name of its own",
        ),
        location.must(
            has_units(of, row.filters as u32),
            "must have filters of the box",
        ),
        location.must(
            !has_enable_field(of, row.filters as u32),
            "must leave filters that have an enable field to the user",
        ),
        location.must(
            row.excludes == 0 || matches!(event.umasks, Umasks::Combined),
            "must be among sub-events that combine, to exclude any",
        ),
        location.must(
            row.excludes & row.umask == 0,
            "must exclude no bits of its own",
        ),
        location.must(
            !row.unusable || !of.unusable.is_empty(),
            "must have a reason to be unusable",
        ),
        location.must(
            k == 0 || may_follow(&event.subevents[k - 1], row),
            "must have a greater umask than the row before it, or be its other name",
        ),
    )
}

/// Returns `true` if the row is the event without a sub-event.
const fn is_bare(row: &SubEvent) -> bool {
    row.name.is_empty() && row.umask == 0
}

/// Returns `true` if the manual has the row's name.
const fn is_of_manual(row: &SubEvent) -> bool {
    matches!(row.naming, Naming::Manual)
}

/// Returns `true` if two rows are sorted by umask. Two rows with one umask are two names of one
/// sub-event, at least one of them from the lists.
const fn may_follow(before: &SubEvent, row: &SubEvent) -> bool {
    let is_alias = before.umask == row.umask
        && !(is_of_manual(before) && is_of_manual(row))
        && before.filters == row.filters
        && before.excludes == row.excludes
        && before.unusable == row.unusable;
    before.umask < row.umask || is_alias
}

const fn presets(of: &BoxType, event: &Event) -> Option<Fault> {
    first_below!(i < event.presets.len() => preset(of, event, &event.presets[i]))
}

const fn preset(of: &BoxType, event: &Event, preset: &Preset) -> Option<Fault> {
    let location = Location::of(of).at(event.name).row(preset.name);
    let units = preset_units(of, event, preset);
    first!(
        location.must(
            preset.config1 != 0
                || preset.config2 != 0
                || preset.config & filter_bits(of, units, Word::Config) != 0
                || threshold(of, preset) != 0
                || has_unit_of_zero(of, units)
                || is_second_name(of, event),
            "must have values",
        ),
        location.must(
            within(
                preset.config,
                umask_field(of)
                    | enable_fields(of)
                    | threshold_field(of)
                    | filter_bits(of, units, Word::Config),
            ) && has_row(of, event, preset),
            "must have the umask of a sub-event, if its event has any, enable fields, a \
             threshold and filters that its event needs",
        ),
        location.must(
            threshold(of, preset) <= event.max_increment as u64,
            "must have a threshold that its event can reach",
        ),
        location.must(
            within(preset.config1, filter_bits(of, units, Word::Config1))
                && within(preset.config2, filter_bits(of, units, Word::Config2)),
            "must have values of filters that its event needs",
        ),
        location.must(
            !any_below!(i < of.filter_units.len() => is_refused(of, units, preset, i)),
            "must have a value of each filter without which its event is refused",
        ),
    )
}

/// Returns `true` if the event itself has a file in `events/`, and a preset without values is a
/// second name of it.
const fn is_second_name(of: &BoxType, event: &Event) -> bool {
    let units = of.filter_units;
    let has_choice = any_below!(i < units.len() => event.filters & 1 << i != 0
        && matches!(units[i].when_zero, WhenZero::Refuse(_) | WhenZero::Enabled));
    event.subevents.is_empty() && !has_choice
}

/// Returns `true` if zero is a value of one of these filter units that a user has to choose.
const fn has_unit_of_zero(of: &BoxType, units: u32) -> bool {
    any_below!(i < of.filter_units.len() =>
        units & 1 << i != 0 && matches!(of.filter_units[i].when_zero, WhenZero::Ask(_)))
}

/// The bits of the umask, or of the field in its place.
const fn umask_field(of: &BoxType) -> u64 {
    union_below!(i < of.fields.len() => match of.fields[i].role {
        Role::Umask => mask(of.fields[i].bits),
        _ => 0,
    })
}

/// The bits of the fields that switch on filters.
const fn enable_fields(of: &BoxType) -> u64 {
    union_below!(i < of.fields.len() => match of.fields[i].role {
        Role::FilterEnable(_) => mask(of.fields[i].bits),
        _ => 0,
    })
}

/// The bits of the threshold.
const fn threshold_field(of: &BoxType) -> u64 {
    union_below!(i < of.fields.len() => match of.fields[i].role {
        Role::Threshold => mask(of.fields[i].bits),
        _ => 0,
    })
}

/// The threshold of the preset, whose bits are one range.
const fn threshold(of: &BoxType, preset: &Preset) -> u64 {
    match threshold_field(of) {
        0 => 0,
        bits => (preset.config & bits) >> bits.trailing_zeros(),
    }
}

/// Returns `true` if the preset has the umask of this sub-event.
const fn is_preset_of(of: &BoxType, row: &SubEvent, preset: &Preset) -> bool {
    let field = umask_field(of);
    (row.umask as u64) << field.trailing_zeros() == preset.config & field
}

/// Returns `true` if the umask of the preset is that of a sub-event, or zero without sub-events.
const fn has_row(of: &BoxType, event: &Event, preset: &Preset) -> bool {
    let rows = event.subevents;
    if rows.is_empty() {
        return preset.config & umask_field(of) == 0;
    }
    any_below!(i < rows.len() => !rows[i].unusable && is_preset_of(of, &rows[i], preset))
}

/// The filter units of the preset: those that its event and sub-event need, and those that it
/// switches on.
const fn preset_units(of: &BoxType, event: &Event, preset: &Preset) -> u32 {
    let rows = event.subevents;
    let enabled: u32 = union_below!(i < of.fields.len() => match of.fields[i].role {
        Role::FilterEnable(unit) if mask(of.fields[i].bits) & preset.config != 0 => 1 << unit,
        _ => 0,
    });
    let needed: u32 = union_below!(i < rows.len() =>
        if is_preset_of(of, &rows[i], preset) { rows[i].filters as u32 } else { 0 });
    event.filters as u32 | needed | enabled
}

/// The bits of a word that belong to these filter units.
const fn filter_bits(of: &BoxType, units: u32, word: Word) -> u64 {
    let all = of.filter_units;
    union_below!(i < all.len() =>
        only_if(units & 1 << i != 0 && same_word(all[i].word, word), all[i].mask))
}

/// Returns `true` if the event is refused because the preset leaves this filter unit at zero.
const fn is_refused(of: &BoxType, units: u32, preset: &Preset, i: usize) -> bool {
    let unit = &of.filter_units[i];
    let value = match unit.word {
        Word::Config => preset.config,
        Word::Config1 => preset.config1,
        Word::Config2 => preset.config2,
    };
    units & 1 << i != 0 && matches!(unit.when_zero, WhenZero::Refuse(_)) && value & unit.mask == 0
}
