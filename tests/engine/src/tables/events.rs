// SPDX-License-Identifier: GPL-2.0

//! The rules of a box type's events, sub-events and presets, and of the names in `events/`.

use super::{
    are_distinct,
    boxes::{bits_of, has_role, used_units},
    is_name, is_word, within, Faults,
};
use crate::uncore::table::{
    box_type::*,
    field::{index_bit, Words},
};

pub(super) fn check(of: &'static BoxType, faults: &mut Faults) {
    let has_events = !of.events.is_empty() || of.counters.is_empty();
    faults.whole(has_events, "have events of its counters");
    let tells = of.control.queue_reset.is_some()
        || has_role(of, |role| {
            matches!(role, Role::OccupancyEdge | Role::OccupancyInvert)
        });
    let has_occupancy = of
        .events
        .iter()
        .any(|event| event.class == Class::Occupancy);
    let holds = has_occupancy == tells;
    faults.whole(holds, "have occupancies exactly if it tells them apart");
    let names = of.events.iter().map(|event| event.name);
    faults.whole(are_distinct(names), "have a name of its own for each event");
    let is_sorted = of
        .events
        .windows(2)
        .all(|pair| pair[0].select < pair[1].select);
    faults.whole(is_sorted, "have events in the order of their selects");
    for event in of.events {
        one_event(of, event, faults);
        subevents(of, event, faults);
        for preset in event.presets.iter() {
            one_preset(of, event, preset, faults);
        }
    }
    whole_names(of, faults);
}

/// Returns whether the box has all these filter units, and no field switches any of them on.
fn has_units(of: &BoxType, units: u16) -> bool {
    let is_enabled =
        |role| matches!(role, Role::FilterEnable(unit) if u32::from(units) & index_bit(unit) != 0);
    u64::from(units) < 1 << of.filter_units.len() && !has_role(of, is_enabled)
}

fn one_event(of: &BoxType, event: &Event, faults: &mut Faults) {
    let mut must = |holds, what| faults.must(event.name, holds, what);
    must(is_name(event.name), "have a lower-case name");
    let holds = within(event.select, of.select_bits());
    must(holds, "have an event select that fits its field");
    let are_counters = event.counters != 0 && within(event.counters, of.counter_mask());
    must(are_counters, "have counters, all of them the box's");
    let in_each = of.counter_sets.iter().all(|set| event.counters & set != 0);
    must(in_each, "have a counter in each counter set");
    let is_increment = (1..=of.max_increment).contains(&event.max_increment);
    must(is_increment, "have a maximum increment, within the box's");
    let holds = has_units(of, event.filters);
    must(holds, "have filters of the box that no field enables");
    let used = used_units(of, event);
    let holds = used.count_ones() as usize <= MAX_USED;
    must(holds, "use at most 6 filter units");
    let units = (0..)
        .zip(of.filter_units)
        .filter(|(index, _)| used & index_bit(*index) != 0);
    let several: Vec<u8> = units
        .map(|(_, unit)| unit.copies)
        .filter(|&copies| copies > 1)
        .collect();
    let has_copy = several.iter().all(|&copies| event.copy < copies);
    let is_first = event.copy == 0 || !several.is_empty();
    let holds = has_copy && is_first;
    must(holds, "use a copy that its filter units have");
    match event.needs {
        Needs::Nothing => {}
        Needs::Source => must(
            event.counters == 1,
            "be on counter 0 only, as others look there",
        ),
        Needs::SourceOnCounter0 => {
            let has_source = of.events.iter().any(|event| event.needs == Needs::Source);
            let leaves = event.counters & 1 == 0;
            let holds = leaves && has_source;
            must(holds, "leave counter 0 to an event that is a source");
        }
    }
}

fn subevents(of: &BoxType, event: &Event, faults: &mut Faults) {
    let rows = event.subevents;
    let mut must = |holds, what| faults.must(event.name, holds, what);
    let has_rows = (event.umasks == Umasks::Zero) == rows.is_empty();
    must(has_rows, "have sub-events exactly if it has umasks");
    let holds = rows.is_empty() || event.unit.is_none();
    must(holds, "leave its unit to its sub-events");
    let holds = match event.umasks {
        Umasks::ListedWith(added) => {
            added != 0
                && rows
                    .iter()
                    .any(|row| within(added, row.umask) && row.filters != 0)
        }
        _ => true,
    };
    must(holds, "have a filter for the umask bits that are added");
    let names = rows.iter().map(|row| row.name);
    let holds = are_distinct(names);
    must(holds, "have a name of its own for each sub-event");
    for pair in rows.windows(2) {
        let at = [event.name, pair[1].name].join(".");
        let is_next = may_follow(&pair[0], &pair[1]);
        faults.must(at, is_next, "have a greater umask, or be another name");
    }
    for row in rows {
        subevent(of, event, row, faults);
    }
}

/// Returns whether two rows are sorted by umask. Two rows with one umask are two names of one
/// sub-event, at least one of them from the lists.
fn may_follow(before: &SubEvent, row: &SubEvent) -> bool {
    let terms = |row: &SubEvent| (row.umask, row.filters, row.excludes);
    let is_of_manual = |row: &SubEvent| row.naming == Naming::Manual;
    let is_alias = terms(before) == terms(row) && !(is_of_manual(before) && is_of_manual(row));
    before.umask < row.umask || is_alias
}

fn subevent(of: &BoxType, event: &Event, row: &SubEvent, faults: &mut Faults) {
    let at = [event.name, row.name].join(".");
    let mut must = |holds, what| faults.must(&at, holds, what);
    let may_be_zero = event.umasks == Umasks::Listed;
    let is_bare = row.name.is_empty() && row.umask == 0;
    let is_named = row.naming == Naming::Whole || is_word(row.name);
    let holds = is_bare || (row.umask != 0 || may_be_zero) && is_named;
    must(holds, "have a lower-case name and a umask, or neither");
    let width = bits_of(of, |role| role == Role::Umask).count_ones();
    let holds = u64::from(row.umask) < 1 << width;
    must(holds, "have a umask that fits its field");
    let is_limited = row.filters != 0 || row.excludes != 0;
    let may_be_limited = row.umask != 0 || may_be_zero;
    let holds = may_be_limited || !is_limited;
    must(holds, "have no limits, as every umask contains it");
    let holds = has_units(of, row.filters);
    must(holds, "have filters of the box that no field enables");
    let combines = event.umasks == Umasks::Combined;
    let holds = row.excludes == 0 || combines;
    must(holds, "be among sub-events that combine, to exclude any");
    must(row.excludes & row.umask == 0, "exclude no bits of its own");
}

fn one_preset(of: &'static BoxType, event: &Event, preset: &Preset, faults: &mut Faults) {
    let at = [event.name, preset.name].join(".");
    let mut must = |holds, what| faults.must(&at, holds, what);
    let words = Words {
        config: preset.config,
        config1: preset.config1,
        config2: preset.config2,
        ..Words::default()
    };
    let umask = of.value_of(Role::Umask, &words);
    let threshold = of.value_of(Role::Threshold, &words);
    let row = event
        .subevents
        .iter()
        .find(|row| u64::from(row.umask) == umask);
    let enabled = of.fields.iter().map(|field| match field.role {
        Role::FilterEnable(unit) if field.value(&words) != 0 => index_bit(unit),
        _ => 0,
    });
    let needed = event.filters | row.map_or(0, |row| row.filters);
    let used = enabled.fold(u32::from(needed), |all, unit| all | unit);
    let units = || {
        (0..)
            .zip(of.filter_units)
            .filter(|(unit, _)| used & index_bit(*unit) != 0)
    };
    let bits = |word| {
        let masks = units()
            .filter(|(_, unit)| unit.word == word)
            .map(|(_, unit)| unit.mask);
        masks.fold(0, |all, mask| all | mask)
    };
    // Zero is a value of some units, and a preset without values is another name of an event.
    let is_zero_a_value = units().any(|(_, unit)| matches!(unit.when_zero, WhenZero::Ask(_)));
    let leaves_choice =
        units().any(|(_, unit)| matches!(unit.when_zero, WhenZero::Refuse(_) | WhenZero::Enabled));
    let has_values = preset.config & bits(Word::Config) != 0
        || preset.config1 | preset.config2 | threshold != 0
        || is_zero_a_value
        || event.subevents.is_empty() && !leaves_choice;
    must(has_values, "have values");
    let of_config = bits_of(of, |role| {
        matches!(role, Role::Umask | Role::Threshold | Role::FilterEnable(_))
    });
    let is_allowed = within(preset.config, of_config | bits(Word::Config))
        && within(preset.config1, bits(Word::Config1))
        && within(preset.config2, bits(Word::Config2));
    must(is_allowed, "have only terms that its event takes");
    let is_usable = match row {
        Some(_) => (of.refuse)(event, &words).is_ok(),
        None => event.subevents.is_empty() && umask == 0,
    };
    must(is_usable, "have the umask of a sub-event, if there are any");
    let reachable = threshold <= event.max_increment.into();
    must(reachable, "have a threshold that its event can reach");
    let is_refused = units().any(|(_, unit)| {
        matches!(unit.when_zero, WhenZero::Refuse(_)) && words.get(unit.word) & unit.mask == 0
    });
    let holds = !is_refused;
    must(holds, "have a value of each filter that its event needs");
}

/// Checks the names of fixed counters, of whole rows and of presets: no other event has such a name.
fn whole_names(of: &BoxType, faults: &mut Faults) {
    let fixed = of.fixed.iter().map(|fixed| fixed.name.to_owned());
    let mut whole: Vec<String> = fixed.collect();
    let mut others = Vec::new();
    for event in of.events {
        others.push(event.name.to_owned());
        whole.extend(event.presets.iter().map(|preset| preset.name.to_owned()));
        for row in event.subevents {
            match row.naming {
                Naming::Whole => whole.push(row.name.to_owned()),
                _ if row.name.is_empty() => {}
                _ => others.push([event.name, row.name].join(".")),
            }
        }
    }
    for name in &whole {
        let has_form = name.split('.').all(is_word) && is_name(&name[..1]);
        let times = whole
            .iter()
            .chain(&others)
            .filter(|other| *other == name)
            .count();
        let holds = has_form && times == 1;
        faults.must(name, holds, "have a lower-case name that is no other's");
    }
}
