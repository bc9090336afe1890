// SPDX-License-Identifier: GPL-2.0

//! The files of `events/`: names, and terms as perf reads them, `event=0x34,umask=0x41,filter_nid=?`.

use crate::uncore::{
    request::{
        assign::bits,
        filter_units::unit_bit,
        filters::used_units,
        name::{
            RowName,
            SelectTerms, //
        }, //
    },
    table::{
        box_type::*,
        field::Words, //
    }, //
};
use kernel::fmt;

/// A file of `events/`.
#[derive(Clone, Copy)]
pub(crate) struct Named {
    /// Name of the file.
    pub(crate) name: Name,
    /// Content of the file.
    pub(crate) terms: Terms,
    /// Natural unit of the event, which has files of its own.
    pub(crate) unit: Option<&'static Unit>,
}

/// The terms that a named event stands for.
#[derive(Clone, Copy)]
pub(crate) enum Terms {
    Event(&'static Event, Option<&'static SubEvent>),
    /// An event with values of its threshold and filters.
    Preset(&'static Event, &'static Preset),
    /// A fixed counter.
    Fixed(&'static Fixed),
}

impl Terms {
    /// Prints the terms, separated by commas.
    pub(crate) fn show(&self, kind: &BoxType, out: &mut dyn fmt::Write) -> fmt::Result {
        match *self {
            Terms::Event(event, row) => show_event(kind, event, row, out),
            Terms::Preset(event, preset) => show_preset(kind, event, preset, out),
            Terms::Fixed(fixed) => show_select(kind, u64::from(fixed.select), out),
        }
    }
}

/// The name of a file of `events/`.
#[derive(Clone, Copy)]
pub(crate) enum Name {
    /// A name as it is in the table.
    Whole(&'static str),
    /// The name of a sub-event.
    Row(RowName),
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name::Whole(name) => f.write_str(name),
            Name::Row(name) => fmt::Display::fmt(name, f),
        }
    }
}

/// The counters and filters that an event can use: ` counters=0,1 filters=nid`.
pub(crate) struct Resources {
    /// Box type of the event.
    pub(crate) kind: &'static BoxType,
    /// The event.
    pub(crate) terms: Terms,
}

impl fmt::Display for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (event, own) = match self.terms {
            Terms::Event(event, row) => (event, row.map_or(0, |row| row.filters)),
            Terms::Preset(event, preset) => (event, preset_filters(self.kind, event, preset)),
            Terms::Fixed(_) => return f.write_str(" counters=fixed"),
        };
        f.write_str(" counters=")?;
        let mut separator = "";
        for counter in bits(event.counters) {
            write!(f, "{separator}{counter}")?;
            separator = ",";
        }
        let mut separator = " filters=";
        for unit in bits(event.filters | own) {
            if let Some(unit) = self.kind.filter_units.get(usize::from(unit)) {
                write!(f, "{separator}{}", unit.name)?;
                separator = ",";
            }
        }
        Ok(())
    }
}

/// Returns all files of `events/` except those of units (`.unit`, `.scale`).
pub(crate) fn named(kind: &'static BoxType) -> impl Iterator<Item = Named> {
    let fixed = kind.fixed.iter().map(|fixed| Named {
        name: Name::Whole(fixed.name),
        terms: Terms::Fixed(fixed),
        unit: fixed.unit,
    });
    kind.events.iter().flat_map(of_event).chain(fixed)
}

/// Returns the files of an event: its own if it has no sub-events, its sub-events, its presets.
fn of_event(event: &'static Event) -> impl Iterator<Item = Named> {
    let plain = event.subevents.is_empty().then_some(event);
    let rows = event.subevents.iter().filter(|row| row.unusable.is_none());
    let presets = event.presets.iter().map(move |preset| Named {
        name: Name::Whole(preset.name),
        terms: Terms::Preset(event, preset),
        unit: event.unit,
    });
    plain
        .into_iter()
        .flat_map(of_plain_event)
        .chain(rows.flat_map(move |row| of_row(event, row)))
        .chain(presets)
}

/// Returns the files of an event without sub-events, one for each of its names.
fn of_plain_event(event: &'static Event) -> impl Iterator<Item = Named> {
    Iterator::chain(Some(event.name).into_iter(), event.also.copied()).map(move |name| Named {
        name: Name::Whole(name),
        terms: Terms::Event(event, None),
        unit: event.unit,
    })
}

/// Returns the files of a sub-event, one for each of its names.
fn of_row(event: &'static Event, row: &'static SubEvent) -> impl Iterator<Item = Named> {
    let own = Name::Row(RowName { event, row });
    Iterator::chain(Some(own).into_iter(), row.also.copied().map(Name::Whole)).map(move |name| {
        Named {
            name,
            terms: Terms::Event(event, Some(row)),
            unit: row.unit,
        }
    })
}

/// Prints the terms of an event: select, umask, and a parameter for each filter it requires.
fn show_event(
    kind: &BoxType,
    event: &Event,
    row: Option<&SubEvent>,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    show_select(kind, u64::from(event.select), out)?;
    let (umask, filters) = row.map_or((0, 0), |row| (row.umask, row.filters));
    if let (Some(field), 1..) = (kind.field(Role::Umask), umask) {
        write!(out, ",{}={umask:#04x}", field.name)?;
    }
    for unit in bits(event.filters | filters) {
        let table = kind.filter_units.get(usize::from(unit));
        if let Some(WhenZero::Refuse(name) | WhenZero::Ask(name)) = table.map(|unit| unit.when_zero)
        {
            write!(out, ",{name}=?")?;
        }
    }
    Ok(())
}

/// Returns the words of a preset, without the event select.
fn preset_words(preset: &Preset) -> Words {
    Words {
        config: preset.config,
        config1: preset.config1,
        config2: preset.config2,
        ..Words::default()
    }
}

/// Returns the filter units of a preset, besides those that its event always needs.
fn preset_filters(kind: &BoxType, event: &Event, preset: &Preset) -> u32 {
    let words = preset_words(preset);
    let umask = kind.value_of(Role::Umask, &words);
    let mut rows = event.subevents.iter();
    let row = rows.find(|row| u64::from(row.umask) == umask);
    used_units(kind, &words, row.map_or(0, |row| row.filters))
}

/// Prints the terms of a preset: select, and each field of umask, threshold and filters that is not
/// 0.
fn show_preset(
    kind: &BoxType,
    event: &Event,
    preset: &Preset,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    show_select(kind, u64::from(event.select), out)?;
    let words = preset_words(preset);
    let units = event.filters | preset_filters(kind, event, preset);
    for field in kind.fields {
        let value = field.value(&words);
        let is_preset = match field.role {
            Role::Umask | Role::Threshold | Role::FilterEnable(_) => true,
            Role::Filter(unit) => units & unit_bit(unit) != 0,
            _ => false,
        };
        if is_preset && value != 0 {
            write!(out, ",{}={value:#x}", field.name)?;
        }
    }
    Ok(())
}

/// Prints the event select: `event=0x34`.
fn show_select(kind: &BoxType, select: u64, out: &mut dyn fmt::Write) -> fmt::Result {
    let fields = kind.fields;
    SelectTerms { fields, select }.show(out)
}
