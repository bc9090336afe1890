// SPDX-License-Identifier: GPL-2.0

//! A PMU's files below `/sys/bus/event_source/devices`, printed from the tables the parser uses.
//!
//! ```text
//! format/FIELD               config:0-7                where a field is
//! events/EVENT[.SUBEVENT]    event=0x34,umask=0x11     what a named event stands for
//! events/….unit, ….scale     MiB, 6.103515625e-5       its natural unit
//! caps/counters              4                         general counters of a box
//! caps/width                 44                        their bits
//! caps/fixed_counters        0                         counters that count one thing only
//! caps/overflow              poll                      how wraps are noticed
//! caps/location              0000:7f:10.4,…            the box's registers in each package
//! cpumask                    0,8                       designated CPUs of packages with the box
//! identifier                 NAME-6-3e-4               platform, family, model, stepping
//! ```
//!
//! A filter that an event cannot do without is in its string as a parameter (`filter_opc=?`) that
//! perf asks the user for. One that has a value which restricts nothing is not: the parser fills
//! that value in, and perf would OR it to what the user sets.

use super::{
    assign::bits,
    box_type::{
        BoxType,
        Event,
        Fixed,
        Missing,
        Role,
        SubEvent,
        Unit, //
    },
    field::gather,
    pmu::UncorePmu, //
};
use crate::linux::{
    sysfs::{
        Builder,
        Groups, //
    },
    topology, //
};
use kernel::{
    fmt,
    prelude::*,
    sync::Arc, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

/// What a file is about.
#[derive(Clone, Copy)]
pub(super) enum Attribute {
    /// A file of `format/`: the index of the field.
    Format(usize),
    /// A file of `events/`.
    Event(&'static Event, Option<&'static SubEvent>),
    /// A file of `events/`: a fixed counter.
    Fixed(&'static Fixed),
    /// A text as it is: `.unit` and `.scale`.
    Text(&'static str),
    /// `caps/counters`.
    Counters,
    /// `caps/width`.
    Width,
    /// `caps/fixed_counters`.
    FixedCounters,
    /// `caps/location`.
    Location,
    /// `cpumask`.
    Cpumask,
    /// `identifier`.
    Identifier,
}

/// Makes the files of a box type.
pub(super) fn files(kind: &'static BoxType) -> Result<Arc<Groups<UncorePmu>>> {
    let mut files = Builder::new();
    files.group(Some(c"format"))?;
    for (index, field) in kind.fields.iter().enumerate() {
        files.file(fmt!("{}", field.name), Attribute::Format(index))?;
    }
    files.group(Some(c"events"))?;
    for event in kind.events {
        add_event(&mut files, event)?;
    }
    for fixed in kind.fixed {
        let name = fmt!("{}", fixed.name);
        add_named(&mut files, name, Attribute::Fixed(fixed), fixed.unit)?;
    }
    files.group(Some(c"caps"))?;
    files.file(fmt!("counters"), Attribute::Counters)?;
    files.file(fmt!("width"), Attribute::Width)?;
    files.file(fmt!("fixed_counters"), Attribute::FixedCounters)?;
    files.file(fmt!("overflow"), Attribute::Text("poll"))?;
    files.file(fmt!("location"), Attribute::Location)?;
    files.group(None)?;
    files.file(fmt!("cpumask"), Attribute::Cpumask)?;
    files.file(fmt!("identifier"), Attribute::Identifier)?;
    files.finish()
}

/// The files of an event and its sub-events.
fn add_event(files: &mut Builder<UncorePmu>, event: &'static Event) -> Result {
    if event.subevents.is_empty() {
        let whole = Attribute::Event(event, None);
        return add_named(files, fmt!("{}", event.name), whole, event.unit);
    }
    for row in event.subevents.iter().filter(|row| row.unusable.is_none()) {
        let part = Attribute::Event(event, Some(row));
        add_named(files, fmt!("{}.{}", event.name, row.name), part, row.unit)?;
        if let Some(name) = row.also {
            add_named(files, fmt!("{name}"), part, row.unit)?;
        }
    }
    Ok(())
}

/// A file of `events/` with those of its unit.
fn add_named(
    files: &mut Builder<UncorePmu>,
    name: fmt::Arguments<'_>,
    attribute: Attribute,
    unit: Option<Unit>,
) -> Result {
    files.file(name, attribute)?;
    if let Some(unit) = unit {
        files.file(fmt!("{name}.unit"), Attribute::Text(unit.name))?;
        files.file(fmt!("{name}.scale"), Attribute::Text(unit.scale))?;
    }
    Ok(())
}

/// Prints a file.
pub(super) fn show(
    pmu: &UncorePmu,
    attribute: &Attribute,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    let kind = pmu.name.kind;
    match *attribute {
        Attribute::Location => show_locations(pmu, out)?,
        Attribute::Cpumask => show_cpus(pmu, out)?,
        Attribute::Identifier => show_identifier(pmu, out)?,
        _ => show_fact(kind, attribute, out)?,
    }
    out.write_str("\n")
}

/// Prints what the tables say.
fn show_fact(
    kind: &'static BoxType,
    attribute: &Attribute,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    match *attribute {
        Attribute::Format(index) => match kind.fields.get(index) {
            Some(field) => out.write_fmt(fmt!("{field}")),
            None => Ok(()),
        },
        Attribute::Event(event, row) => show_event(kind, event, row, out),
        Attribute::Fixed(fixed) => show_select(kind, u64::from(fixed.select), out),
        Attribute::Text(text) => out.write_str(text),
        Attribute::Counters => write!(out, "{}", kind.counters.len()),
        Attribute::Width => write!(out, "{}", kind.width),
        Attribute::FixedCounters => write!(out, "{}", kind.fixed.len()),
        Attribute::Location | Attribute::Cpumask | Attribute::Identifier => Ok(()),
    }
}

/// `event=0x34`.
fn show_select(kind: &BoxType, select: u64, out: &mut dyn fmt::Write) -> fmt::Result {
    let name = kind.field(Role::Select).map_or("event", |field| field.name);
    write!(out, "{name}={:#04x}", gather(kind.control.select, select))
}

/// The whole string of an event: select, umask and the filters to ask for.
fn show_event(
    kind: &'static BoxType,
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
        if let Some(Missing::Refuse(name)) = table.map(|table| table.missing) {
            write!(out, ",{name}=?")?;
        }
    }
    Ok(())
}

/// The designated CPUs of the packages that have the box.
fn show_cpus(pmu: &UncorePmu, out: &mut dyn fmt::Write) -> fmt::Result {
    let mut separator = "";
    for cpu in super::package::ascending(pmu.places()) {
        out.write_fmt(fmt!("{separator}{cpu}"))?;
        separator = ",";
    }
    Ok(())
}

/// Where the box's registers are, package by package.
fn show_locations(pmu: &UncorePmu, out: &mut dyn fmt::Write) -> fmt::Result {
    let mut separator = "";
    let present = pmu.places().filter(|(_, seat)| seat.absence().is_none());
    for registers in present.filter_map(|(_, seat)| seat.registers()) {
        out.write_fmt(fmt!("{separator}{registers}"))?;
        separator = ",";
    }
    Ok(())
}

/// Which machine the event names are for.
fn show_identifier(pmu: &UncorePmu, out: &mut dyn fmt::Write) -> fmt::Result {
    let processor = topology::processor();
    write!(
        out,
        "{}-{:x}-{:x}-{:x}",
        pmu.machine.platform.name, processor.family, processor.model, processor.stepping,
    )
}
