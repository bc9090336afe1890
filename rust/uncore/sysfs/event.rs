// SPDX-License-Identifier: GPL-2.0

//! Named events, and what each stands for, as perf reads it: `event=0x34,umask=0x41,filter_nid=?`.

use super::{
    super::{
        assign::bits,
        box_type::{
            BoxType,
            Event,
            Missing,
            Preset,
            Role,
            SubEvent,
            Unit, //
        },
        field::{
            gather,
            Words, //
        },
        name::RowName, //
    },
    Attribute, //
};
use kernel::fmt;

/// A file of `events/`.
#[derive(Clone, Copy)]
pub(in super::super) struct Named {
    /// Its name.
    pub(in super::super) name: Name,
    /// What it says.
    pub(in super::super) attribute: Attribute,
    /// Natural unit.
    pub(in super::super) unit: Option<Unit>,
}

/// The name of a file of `events/`.
#[derive(Clone, Copy)]
pub(in super::super) enum Name {
    /// As it is in the table.
    Whole(&'static str),
    /// That of a sub-event.
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

/// What a named event can use: ` counters=0,1 filters=nid`.
pub(in super::super) struct Resources {
    /// The box type it is of.
    pub(in super::super) kind: &'static BoxType,
    /// The event.
    pub(in super::super) named: Named,
}

impl fmt::Display for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (event, own) = match self.named.attribute {
            Attribute::Event(event, row) => (event, row.map_or(0, |row| row.filters)),
            Attribute::Preset(event, _) => (event, 0),
            _ => return f.write_str(" counters=fixed"),
        };
        f.write_str(" counters=")?;
        for (place, counter) in bits(event.counters).enumerate() {
            let separator = if place == 0 { "" } else { "," };
            write!(f, "{separator}{counter}")?;
        }
        let units = bits(event.filters | own);
        let units = units.filter_map(|unit| self.kind.filter_units.get(usize::from(unit)));
        for (place, unit) in units.enumerate() {
            let head = if place == 0 { " filters=" } else { "," };
            write!(f, "{head}{}", unit.name)?;
        }
        Ok(())
    }
}

/// All files of `events/`, but for those of units.
pub(in super::super) fn named(kind: &'static BoxType) -> impl Iterator<Item = Named> {
    let events = kind.events.iter().flat_map(|event| {
        let own = event.subevents.is_empty().then_some(event);
        let own = own.into_iter().flat_map(of_event);
        let rows = event.subevents.iter();
        let rows = rows.filter(|row| row.unusable.is_none());
        let rows = rows.flat_map(move |row| of_row(event, row));
        let presets = event.presets.iter().map(move |preset| Named {
            name: Name::Whole(preset.name),
            attribute: Attribute::Preset(event, preset),
            unit: event.unit,
        });
        own.chain(rows).chain(presets)
    });
    events.chain(kind.fixed.iter().map(|fixed| Named {
        name: Name::Whole(fixed.name),
        attribute: Attribute::Fixed(fixed),
        unit: fixed.unit,
    }))
}

/// An event without sub-events, by all its names.
fn of_event(event: &'static Event) -> impl Iterator<Item = Named> {
    let names = Iterator::chain(Some(event.name).into_iter(), event.also);
    names.map(move |name| Named {
        name: Name::Whole(name),
        attribute: Attribute::Event(event, None),
        unit: event.unit,
    })
}

/// A sub-event, by all its names.
fn of_row(event: &'static Event, row: &'static SubEvent) -> impl Iterator<Item = Named> {
    let own = Name::Row(RowName { event, row });
    let names = Iterator::chain(Some(own).into_iter(), row.also.map(Name::Whole));
    names.map(move |name| Named {
        name,
        attribute: Attribute::Event(event, Some(row)),
        unit: row.unit,
    })
}

/// The whole string of an event: select, umask and the filters to ask for.
pub(super) fn show(
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
        if let Some(Missing::Refuse(name) | Missing::Ask(name)) = table.map(|unit| unit.missing) {
            write!(out, ",{name}=?")?;
        }
    }
    Ok(())
}

/// The whole string of a preset: select, and each filter field that is not 0.
pub(super) fn show_preset(
    kind: &BoxType,
    event: &Event,
    preset: &Preset,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    show_select(kind, u64::from(event.select), out)?;
    let words = Words {
        config1: preset.config1,
        config2: preset.config2,
        ..Words::default()
    };
    let filters = kind.fields.iter();
    for field in filters.filter(|field| matches!(field.role, Role::Filter(_))) {
        let value = field.value(&words);
        if value != 0 {
            write!(out, ",{}={value:#x}", field.name)?;
        }
    }
    Ok(())
}

/// `event=0x34`.
pub(super) fn show_select(kind: &BoxType, select: u64, out: &mut dyn fmt::Write) -> fmt::Result {
    let name = kind.field(Role::Select).map_or("event", |field| field.name);
    write!(out, "{name}={:#04x}", gather(kind.control.select, select))
}
