// SPDX-License-Identifier: GPL-2.0

//! A PMU's files below `/sys/bus/event_source/devices`, printed from the tables the parser uses, and
//! the module's file `rejections` below `/sys/module`.
//!
//! ```text
//! format/FIELD               config:0-7                bits of a field
//! events/EVENT[.SUBEVENT]    event=0x34,umask=0x11     terms of a named event
//! events/PRESET              event=0x38,filter_a=0x1   event with values of its filters
//! events/….unit, ….scale     MiB, 6.103515625e-5       natural unit of an event
//! caps/counters              4                         general counters of a box
//! caps/width                 44                        bits of a general counter
//! caps/fixed_counters        0                         counters that count one event only
//! caps/overflow              pmi                       overflow mode; the reason if it is poll
//! caps/location              0000:7f:10.4,…            registers of the box, by package
//! caps/filters               state,opcode              filters that all counters of a box share
//! caps/filter_criteria       one                       filters in use at a time: one or several
//! caps/filter_location       0000:7f:08.6,…            filter registers, by package
//! cpumask                    0,8                       designated CPUs of packages with the box
//! identifier                 NAME-6-3e-4               platform, family, model, stepping
//! alias                      uncore_UNIT_0             name under the in-tree driver
//! ```
//!
//! A filter that an event requires is a parameter in its file (`filter_opc=?`), which perf asks the
//! user for. A required filter with a value that restricts nothing is left out: the parser fills in
//! that value, and perf would OR it to the value that the user sets.
//!
//! Nothing here knows [`UncorePmu`](super::UncorePmu): a file is printed for the name of a box and
//! the machine.

use self::event::{
    each_named,
    Index,
    Visit, //
};
use crate::{
    linux::{
        module_file::Show,
        sysfs::{
            Builder,
            Groups,
            Owner, //
        },
        topology,
        user::User, //
    },
    uncore::{
        counter_box::{
            bus::FilterLocation,
            uncore_box::UncoreBox, //
        },
        machine::{
            package::{
                designated_cpus,
                Package, //
            },
            Machine, //
        },
        options::Options,
        overflow_mode::Mode,
        request::name::{
            BoxName,
            FileName, //
        },
        table::{
            box_type::{
                BoxType,
                Unit, //
            }, //
        }, //
    }, //
};
use kernel::{
    fmt,
    prelude::*,
    sync::Arc, //
};

pub(crate) mod event;
#[cfg(KUNIT_SUITES)]
mod tests;

/// The content of a file.
///
/// There is one for each file of each box type, so it is small: indexes, not references.
#[derive(Clone, Copy)]
pub(crate) enum Attribute {
    /// Content that the tables of the box type give.
    Table(Fact),
    /// Content that depends on the machine and the boxes found.
    Live(Live),
}

/// The content of a file, as the tables of a box type give it.
#[derive(Clone, Copy)]
pub(crate) enum Fact {
    /// A file of `format/`: the index of the field.
    Format(u16),
    /// A file of `events/`: the terms of a named event.
    Event(Index),
    /// The `.unit` of a named event.
    Unit(Index),
    /// The `.scale` of a named event.
    Scale(Index),
    /// `caps/counters`.
    Counters,
    /// `caps/width`.
    Width,
    /// `caps/fixed_counters`.
    FixedCounters,
    /// `caps/filters`.
    Filters,
}

/// The content of a file, as the machine gives it.
#[derive(Clone, Copy)]
pub(crate) enum Live {
    /// `caps/overflow`.
    Overflow,
    /// `caps/frozen`.
    Frozen,
    /// `caps/location`.
    Location,
    /// `caps/filter_criteria`.
    FilterCriteria,
    /// `caps/filter_location`.
    FilterLocation,
    /// `cpumask`.
    Cpumask,
    /// `identifier`.
    Identifier,
    /// `alias`.
    Alias,
}

const _: () = assert!(size_of::<Attribute>() == 8);

/// A file by its name.
type Listed = (&'static str, Attribute);

/// The files of `caps/`, of which a box type has some.
#[rustfmt::skip] // In columns.
const CAPS: &[Listed] = &[
    ("counters",        Attribute::Table(Fact::Counters)),
    ("width",           Attribute::Table(Fact::Width)),
    ("fixed_counters",  Attribute::Table(Fact::FixedCounters)),
    ("overflow",        Attribute::Live(Live::Overflow)),
    ("frozen",          Attribute::Live(Live::Frozen)),
    ("location",        Attribute::Live(Live::Location)),
    ("filters",         Attribute::Table(Fact::Filters)),
    ("filter_criteria", Attribute::Live(Live::FilterCriteria)),
    ("filter_location", Attribute::Live(Live::FilterLocation)),
];

/// The files in the directory of the PMU, of which a box type has some.
#[rustfmt::skip] // In columns.
const OWN: &[Listed] = &[
    ("cpumask",         Attribute::Live(Live::Cpumask)),
    ("identifier",      Attribute::Live(Live::Identifier)),
    ("alias",           Attribute::Live(Live::Alias)),
];

/// Makes the files of a box type.
#[inline(never)]
pub(crate) fn files<T>(kind: &'static BoxType, options: &Options) -> Result<Arc<Groups<T>>>
where
    T: Owner<Attribute = Attribute>,
{
    let mut files = FileBuilder(Builder::new(Some(c"format"))?);
    files.formats(kind)?;
    files.0.group(Some(c"events"))?;
    each_named(kind, &mut files)?;
    files.0.group(Some(c"caps"))?;
    let has_alias = options.has_alias(kind);
    files.listed(CAPS, kind, has_alias)?;
    files.0.group(None)?;
    files.listed(OWN, kind, has_alias)?;
    files.0.finish()
}

/// The files of a box type while they are made.
struct FileBuilder<T: Owner>(Builder<T>);

impl<T: Owner<Attribute = Attribute>> FileBuilder<T> {
    /// Adds a file that is not one of the many with the terms of an event.
    #[inline(never)]
    fn file(&mut self, stem: &str, leaf: &str, end: &str, content: Attribute) -> Result {
        self.0.file(stem, leaf, end, content)
    }

    /// Adds the files of `format/`.
    #[inline(never)]
    fn formats(&mut self, kind: &'static BoxType) -> Result {
        (0..u16::MAX)
            .zip(kind.fields)
            .try_for_each(|(index, field)| {
                let content = Attribute::Table(Fact::Format(index));
                self.file(field.name, "", "", content)
            })
    }

    /// Adds the files of a list that a box type has.
    #[inline(never)]
    fn listed(&mut self, list: &'static [Listed], kind: &BoxType, has_alias: bool) -> Result {
        let wanted = |(_, content): &&Listed| match content {
            Attribute::Live(Live::Frozen) => kind.can_interrupt() || kind.box_control.is_some(),
            Attribute::Live(Live::Alias) => has_alias,
            Attribute::Table(Fact::Filters)
            | Attribute::Live(Live::FilterCriteria | Live::FilterLocation) => {
                !kind.filter_units.is_empty()
            }
            _ => true,
        };
        list.iter()
            .filter(wanted)
            .try_for_each(|&(name, content)| self.file(name, "", "", content))
    }

    /// Adds the files of the natural unit of a named event.
    #[inline(never)]
    fn unit(&mut self, stem: &str, leaf: &str, index: Index) -> Result {
        let files = [(".unit", Fact::Unit(index)), (".scale", Fact::Scale(index))];
        files
            .into_iter()
            .try_for_each(|(end, fact)| self.file(stem, leaf, end, Attribute::Table(fact)))
    }
}

impl<T: Owner<Attribute = Attribute>> Visit for FileBuilder<T> {
    /// Adds the files of a named event: its terms, its unit and scale.
    #[inline(always)]
    fn visit(&mut self, name: FileName, index: Index, unit: Option<Unit>) -> Result {
        self.0.file(name.stem, name.leaf, "", terms(index))?;
        match unit {
            Some(_) => self.unit(name.stem, name.leaf, index),
            None => Ok(()),
        }
    }
}

/// The file with the terms of a named event.
fn terms(index: Index) -> Attribute {
    Attribute::Table(Fact::Event(index))
}

/// Prints a file of the PMU of a box, newline included.
pub(crate) fn show(
    machine: &Machine,
    name: BoxName,
    attribute: Attribute,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    match attribute {
        Attribute::Table(fact) => show_fact(name.kind, fact, out)?,
        Attribute::Live(live) => show_live(machine, name, live, out)?,
    }
    out.write_str("\n")
}

/// Prints content from the tables.
fn show_fact(kind: &'static BoxType, fact: Fact, out: &mut dyn fmt::Write) -> fmt::Result {
    match fact {
        Fact::Format(index) => match kind.fields.get(usize::from(index)) {
            Some(field) => out.write_fmt(fmt!("{field}")),
            None => Ok(()),
        },
        Fact::Event(index) => match index.terms(kind) {
            Some(terms) => terms.show(kind, out),
            None => Ok(()),
        },
        Fact::Unit(index) => out.write_str(index.unit(kind).map_or("", Unit::name)),
        Fact::Scale(index) => out.write_str(index.unit(kind).map_or("", Unit::scale)),
        Fact::Counters => write!(out, "{}", kind.counters.len()),
        Fact::Width => write!(out, "{}", kind.width),
        Fact::FixedCounters => write!(out, "{}", kind.fixed.len()),
        Fact::Filters => {
            let mut separator = "";
            for unit in kind.filter_units {
                write!(out, "{separator}{}", unit.name)?;
                separator = ",";
            }
            Ok(())
        }
    }
}

/// Prints content from the machine.
fn show_live(
    machine: &Machine,
    name: BoxName,
    live: Live,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    match live {
        Live::Overflow => show_overflow(machine, name, out),
        Live::Frozen => show_each(machine, name, out, show_frozen),
        Live::Location => show_each(machine, name, out, show_location),
        Live::FilterCriteria => out.write_str(machine.criteria.for_type(name.kind).name()),
        Live::FilterLocation => show_each(machine, name, out, show_filter_location),
        Live::Cpumask => show_cpus(machine, name, out),
        Live::Identifier => show_identifier(machine, out),
        Live::Alias => out.write_fmt(fmt!("uncore_{name}")),
    }
}

/// Returns the packages that have a box, and their box.
fn present(
    machine: &Machine,
    name: BoxName,
) -> impl Iterator<Item = (&Package, &Arc<UncoreBox>)> + Clone {
    machine
        .boxes_named(name)
        .filter(|(_, uncore_box)| uncore_box.absence().is_none())
}

/// Prints the overflow mode: one for all packages, or one line for each if they differ.
fn show_overflow(machine: &Machine, name: BoxName, out: &mut dyn fmt::Write) -> fmt::Result {
    if !name.kind.can_interrupt() {
        return out.write_str("poll: the box has no overflow interrupt");
    }
    let modes =
        present(machine, name).map(|(package, _)| (package.number, package.overflow.mode()));
    let poll_reason = |mode| match mode {
        Mode::Interrupt(..) => None,
        Mode::Poll(reason) => Some(reason),
    };
    let first = modes.clone().next().and_then(|(_, mode)| poll_reason(mode));
    if modes.clone().all(|(_, mode)| poll_reason(mode) == first) {
        return match first {
            Some(reason) => out.write_fmt(fmt!("{}", Mode::Poll(reason))),
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

/// Prints something about each package that has the box.
#[inline(never)]
fn show_each(
    machine: &Machine,
    name: BoxName,
    out: &mut dyn fmt::Write,
    print: fn(&Package, &UncoreBox, &mut dyn fmt::Write) -> fmt::Result,
) -> fmt::Result {
    let mut separator = "";
    for (package, uncore_box) in present(machine, name) {
        out.write_str(separator)?;
        separator = ",";
        print(package, uncore_box, out)?;
    }
    Ok(())
}

/// Prints for which share of the last second, in percent, the box was frozen: by interrupts, and by
/// groups that start and stop. Tells whether groups may not freeze it now.
fn show_frozen(package: &Package, of: &UncoreBox, out: &mut dyn fmt::Write) -> fmt::Result {
    let (by_groups, has_left) = of.frozen();
    let permille = package.overflow.frozen_permille().saturating_add(by_groups);
    let (percent, tenth) = (permille / 10, permille % 10);
    let limited = if has_left { "" } else { " limited" };
    out.write_fmt(fmt!("{percent}.{tenth}{limited}"))
}

/// Prints the location of the box's registers.
fn show_location(_: &Package, of: &UncoreBox, out: &mut dyn fmt::Write) -> fmt::Result {
    match of.location() {
        Some(location) => out.write_fmt(fmt!("{location}")),
        None => Ok(()),
    }
}

/// Prints the location of the box's filter registers.
fn show_filter_location(
    package: &Package,
    of: &UncoreBox,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    match of.filters() {
        _ if of.filter_absence().is_some() => out.write_str("missing"),
        FilterLocation::Function(address) => out.write_fmt(fmt!("{address}")),
        _ => show_location(package, of, out),
    }
}

/// Prints the designated CPUs of the packages that have the box.
fn show_cpus(machine: &Machine, name: BoxName, out: &mut dyn fmt::Write) -> fmt::Result {
    let mut separator = "";
    for cpu in designated_cpus(present(machine, name)) {
        out.write_fmt(fmt!("{separator}{cpu}"))?;
        separator = ",";
    }
    Ok(())
}

/// Prints the processor that the event names are for.
fn show_identifier(machine: &Machine, out: &mut dyn fmt::Write) -> fmt::Result {
    let processor = topology::processor();
    write!(
        out,
        "{}-{:x}-{:x}-{:x}",
        machine.platform.name, processor.family, processor.model, processor.stepping,
    )
}

/// The content of `rejections`: the last refused requests of the user who reads it.
pub(crate) struct Rejections(pub(crate) Arc<Machine>);

impl Show for Rejections {
    fn show(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        for entry in self.0.refused.lock().last_of(User::current()) {
            out.write_fmt(fmt!("{entry}\n"))?;
        }
        Ok(())
    }
}
