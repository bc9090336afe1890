// SPDX-License-Identifier: GPL-2.0

//! The files of `events/`: names, and terms as perf reads them, `event=0x34,umask=0x41,filter_nid=?`.

use crate::uncore::{
    request::{
        assign::bits,
        filters::used_units,
        name::{
            FileName,
            RowName,
            SelectTerms, //
        }, //
    },
    table::{
        box_type::*,
        field::{
            index_bit,
            Words, //
        }, //
    }, //
};
use kernel::{
    fmt,
    prelude::*, //
};

/// A file of `events/`, besides those of its unit (`.unit`, `.scale`).
#[derive(Clone, Copy)]
pub(crate) struct Named {
    /// Name of the file.
    pub(crate) name: FileName,
    /// Index of the event.
    pub(crate) index: Index,
}

/// Index of a named event in the tables of its box type.
#[derive(Clone, Copy)]
pub(crate) enum Index {
    /// An event without sub-events.
    Event(u16),
    /// An event and the row of its sub-event.
    Row(u16, u16),
    /// An event and its preset.
    Preset(u16, u16),
    /// A fixed counter.
    Fixed(u16),
}

impl Index {
    /// Returns the terms of the event.
    pub(crate) fn terms(self, kind: &'static BoxType) -> Option<Terms> {
        let event = |index: u16| kind.events.get(usize::from(index));
        Some(match self {
            Index::Event(index) => Terms::Event(event(index)?, None),
            Index::Row(index, row) => {
                let event = event(index)?;
                Terms::Event(event, Some(event.subevents.get(usize::from(row))?))
            }
            Index::Preset(index, preset) => {
                let event = event(index)?;
                Terms::Preset(event, event.presets.get(usize::from(preset))?)
            }
            Index::Fixed(index) => Terms::Fixed(kind.fixed.get(usize::from(index))?),
        })
    }

    /// Returns the natural unit of the event.
    pub(crate) fn unit(self, kind: &'static BoxType) -> Option<Unit> {
        match self.terms(kind)? {
            Terms::Event(_, Some(row)) => row.unit,
            Terms::Event(event, None) | Terms::Preset(event, _) => event.unit,
            Terms::Fixed(fixed) => fixed.unit,
        }
    }
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
            Terms::Event(event, row) => (event, row.map_or(0, |row| row.filters.into())),
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
        for unit in bits(u32::from(event.filters) | own) {
            if let Some(unit) = self.kind.filter_units.get(usize::from(unit)) {
                write!(f, "{separator}{}", unit.name)?;
                separator = ",";
            }
        }
        Ok(())
    }
}

/// A visitor of the files of `events/`.
pub(crate) trait Visit {
    /// Takes a file other than those of units (`.unit`, `.scale`).
    fn visit(&mut self, name: FileName, index: Index, unit: Option<Unit>) -> Result;
}

impl<F: FnMut(&Named) -> Result> Visit for F {
    fn visit(&mut self, name: FileName, index: Index, _: Option<Unit>) -> Result {
        self(&Named { name, index })
    }
}

/// Gives a visitor all files of `events/` except those of units (`.unit`, `.scale`).
pub(crate) fn each_named<V: Visit>(kind: &'static BoxType, visitor: &mut V) -> Result {
    for (at, event) in (0..u16::MAX).zip(kind.events) {
        if event.subevents.is_empty() {
            let index = Index::Event(at);
            visit_whole(visitor, event.name, index, event.unit)?;
        } else {
            visit_rows(kind, visitor, at, event)?;
        }
        for (index, preset) in (0..u16::MAX).zip(*event.presets) {
            let index = Index::Preset(at, index);
            visit_whole(visitor, preset.name, index, event.unit)?;
        }
    }
    for (index, fixed) in (0..u16::MAX).zip(kind.fixed) {
        visit_whole(visitor, fixed.name, Index::Fixed(index), fixed.unit)?;
    }
    Ok(())
}

/// Gives a visitor the files of the sub-events of the event with this index.
#[inline(never)]
fn visit_rows<V: Visit>(kind: &BoxType, visitor: &mut V, at: u16, event: &'static Event) -> Result {
    for (index, row) in (0..u16::MAX).zip(event.subevents) {
        let mut words = Words::default();
        let umask = kind.field(Role::Umask).and_then(|field| field.bits.first());
        let low = umask.map_or(0, |bits| bits.low.into());
        words.config = u64::from(row.umask).checked_shl(low).unwrap_or(0);
        if (kind.refuse)(event, &words).is_ok() {
            let name = RowName { event, row }.file();
            visitor.visit(name, Index::Row(at, index), row.unit)?;
        }
    }
    Ok(())
}

/// Gives a visitor a file with a name that is whole in the table.
#[inline(never)]
fn visit_whole<V: Visit>(
    visitor: &mut V,
    name: &'static str,
    index: Index,
    unit: Option<Unit>,
) -> Result {
    visitor.visit(FileName::whole(name), index, unit)
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
    used_units(kind, &words, row.map_or(0, |row| row.filters.into()))
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
    let units = u32::from(event.filters) | preset_filters(kind, event, preset);
    for field in kind.fields {
        let value = field.value(&words);
        let is_preset = match field.role {
            Role::Umask | Role::Threshold | Role::FilterEnable(_) => true,
            Role::Filter(unit) => units & index_bit(unit) != 0,
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
