// SPDX-License-Identifier: GPL-2.0

//! A PMU's files below `/sys/bus/event_source/devices`, printed from the tables the parser uses.
//!
//! ```text
//! format/FIELD               config:0-7                where a field is
//! events/EVENT[.SUBEVENT]    event=0x34,umask=0x11     what a named event stands for
//! events/PRESET              event=0x38,filter_a=0x1   an event with values of its filters
//! events/….unit, ….scale     MiB, 6.103515625e-5       its natural unit
//! caps/counters              4                         general counters of a box
//! caps/width                 44                        their bits
//! caps/fixed_counters        0                         counters that count one thing only
//! caps/overflow              pmi                       how overflows are noticed, and why not
//!                                                      by interrupt
//! caps/location              0000:7f:10.4,…            the box's registers in each package
//! caps/filters               state,opcode              what filters all counters of a box share
//! caps/filter_location       0000:7f:08.6,…            their registers in each of these packages
//! cpumask                    0,8                       designated CPUs of packages with the box
//! identifier                 NAME-6-3e-4               platform, family, model, stepping
//! alias                      uncore_UNIT_0             the in-tree driver's name of it
//! ```
//!
//! A filter that an event cannot do without is in its string as a parameter (`filter_opc=?`) that
//! perf asks the user for. One that has a value which restricts nothing is not: the parser fills
//! that value in, and perf would OR it to what the user sets.

use super::{
    box_type::{
        BoxType,
        Event,
        Fixed,
        Preset,
        SubEvent, //
    },
    bus::FilterRegisters,
    overflow::Mode,
    pmu::UncorePmu,
    table::check::can_interrupt,
    Options, //
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

mod event;
#[cfg(KUNIT_SUITES)]
pub(super) mod tests;

use self::event::Named;
pub(super) use self::event::{
    named,
    Resources, //
};

/// What a file is about.
#[derive(Clone, Copy)]
pub(super) enum Attribute {
    /// A file of `format/`: the index of the field.
    Format(usize),
    /// A file of `events/`: an event, or a sub-event of it.
    Event(&'static Event, Option<&'static SubEvent>),
    /// A file of `events/`: an event with values of its filters.
    Preset(&'static Event, &'static Preset),
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
    /// `caps/overflow`.
    Overflow,
    /// `caps/location`.
    Location,
    /// `caps/filters`.
    Filters,
    /// `caps/filter_location`.
    FilterLocation,
    /// `cpumask`.
    Cpumask,
    /// `identifier`.
    Identifier,
    /// `alias`.
    Alias,
}

/// Makes the files of a box type.
pub(super) fn files(kind: &'static BoxType, options: &Options) -> Result<Arc<Groups<UncorePmu>>> {
    let mut files = Builder::new();
    files.group(Some(c"format"))?;
    for (index, field) in kind.fields.iter().enumerate() {
        files.file(fmt!("{}", field.name), Attribute::Format(index))?;
    }
    files.group(Some(c"events"))?;
    for named in event::named(kind) {
        add_named(&mut files, &named)?;
    }
    files.group(Some(c"caps"))?;
    add_caps(&mut files, kind)?;
    files.group(None)?;
    files.file(fmt!("cpumask"), Attribute::Cpumask)?;
    files.file(fmt!("identifier"), Attribute::Identifier)?;
    if options.has_alias(kind) {
        files.file(fmt!("alias"), Attribute::Alias)?;
    }
    files.finish()
}

/// A file of `events/` with those of its unit.
fn add_named(files: &mut Builder<UncorePmu>, named: &Named) -> Result {
    let name = named.name;
    files.file(fmt!("{name}"), named.attribute)?;
    if let Some(unit) = named.unit {
        files.file(fmt!("{name}.unit"), Attribute::Text(unit.name))?;
        files.file(fmt!("{name}.scale"), Attribute::Text(unit.scale))?;
    }
    Ok(())
}

/// The files of `caps/`.
fn add_caps(files: &mut Builder<UncorePmu>, kind: &'static BoxType) -> Result {
    files.file(fmt!("counters"), Attribute::Counters)?;
    files.file(fmt!("width"), Attribute::Width)?;
    files.file(fmt!("fixed_counters"), Attribute::FixedCounters)?;
    files.file(fmt!("overflow"), Attribute::Overflow)?;
    files.file(fmt!("location"), Attribute::Location)?;
    if !kind.filter_units.is_empty() {
        files.file(fmt!("filters"), Attribute::Filters)?;
        files.file(fmt!("filter_location"), Attribute::FilterLocation)?;
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
        Attribute::Overflow => show_overflow(pmu, out)?,
        Attribute::Location => show_locations(pmu, out)?,
        Attribute::FilterLocation => show_filter_locations(pmu, out)?,
        Attribute::Cpumask => show_cpus(pmu, out)?,
        Attribute::Identifier => show_identifier(pmu, out)?,
        Attribute::Alias => out.write_fmt(fmt!("uncore_{}", pmu.name))?,
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
        Attribute::Event(event, row) => event::show(kind, event, row, out),
        Attribute::Preset(event, preset) => event::show_preset(kind, event, preset, out),
        Attribute::Fixed(fixed) => event::show_select(kind, u64::from(fixed.select), out),
        Attribute::Text(text) => out.write_str(text),
        Attribute::Counters => write!(out, "{}", kind.counters.len()),
        Attribute::Width => write!(out, "{}", kind.width),
        Attribute::FixedCounters => write!(out, "{}", kind.fixed.len()),
        Attribute::Filters => {
            let mut separator = "";
            for unit in kind.filter_units {
                write!(out, "{separator}{}", unit.name)?;
                separator = ",";
            }
            Ok(())
        }
        Attribute::Overflow
        | Attribute::Location
        | Attribute::FilterLocation
        | Attribute::Cpumask
        | Attribute::Identifier
        | Attribute::Alias => Ok(()),
    }
}

/// How overflows of the box are noticed, package by package if there are differences.
fn show_overflow(pmu: &UncorePmu, out: &mut dyn fmt::Write) -> fmt::Result {
    if !can_interrupt(pmu.name.kind) {
        return out.write_str("poll: the box has no overflow interrupt");
    }
    let present = pmu.places().filter(|(_, seat)| seat.absence().is_none());
    let modes = present.map(|(package, _)| (package.number, package.overflow.mode()));
    let kind = |mode| match mode {
        Mode::Interrupt(..) => None,
        Mode::Poll(why) => Some(why),
    };
    let first = modes.clone().next().map(|(_, mode)| kind(mode));
    if modes.clone().all(|(_, mode)| Some(kind(mode)) == first) {
        return match first.flatten() {
            Some(why) => out.write_fmt(fmt!("{}", Mode::Poll(why))),
            None => out.write_str("pmi"),
        };
    }
    let mut separator = "";
    for (package, mode) in modes {
        out.write_fmt(fmt!("{separator}package {package}: {mode}"))?;
        separator = "\n";
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

/// Where the filter registers of these boxes are.
fn show_filter_locations(pmu: &UncorePmu, out: &mut dyn fmt::Write) -> fmt::Result {
    let mut separator = "";
    let present = pmu.places().filter(|(_, seat)| seat.absence().is_none());
    for (_, seat) in present {
        out.write_str(separator)?;
        separator = ",";
        match (seat.filters(), seat.registers()) {
            _ if seat.filter_absence().is_some() => out.write_str("missing")?,
            (FilterRegisters::Pci(function), _) => out.write_fmt(fmt!("{}", function.address()))?,
            (_, Some(registers)) => out.write_fmt(fmt!("{registers}"))?,
            (_, None) => {}
        }
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
