// SPDX-License-Identifier: GPL-2.0

//! The box types, and what the current processor's description says of each.

use crate::formats::{select, Field};
use crate::platform::{Platform, Processor};
use std::fmt;
use uncore_catalogue::{BoxRow, Place, Places, What};

/// A box type that has rows in the catalogue and PMUs in the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BoxKind {
    /// System messages and locks.
    Ubox,
    /// A slice of the last-level cache.
    Cbox,
    /// A switch between two rings.
    Sbox,
    /// A home agent.
    Ha,
    /// A memory channel.
    Imc,
    /// The ring's interface to I/O; its two sets of counters see different
    /// traffic, so an instance is a set.
    Irp,
    /// Power control.
    Pcu,
    /// The link layer of a QPI port.
    Qpi,
    /// The ring's stop for PCIe.
    R2pcie,
    /// The ring's stop for a QPI link.
    R3qpi,
    /// Requests that leave the ring of a client for memory.
    Arb,
    /// A home agent with match registers.
    Bbox,
    /// Ports of a crossbar.
    Rbox,
    /// Power control without bands.
    Wbox,
    /// A memory controller whose events have sub-registers.
    Mbox,
}

/// Facts about a type on one processor.
#[derive(Debug)]
pub(crate) struct Facts {
    /// Name in the catalogue's first column.
    pub(crate) column: &'static str,
    /// The unit in a PMU's name.
    pub(crate) unit: &'static str,
    /// Each instance has a PMU of its own, with an index.
    pub(crate) indexed: bool,
    /// General counters of one instance.
    pub(crate) counters: u8,
    /// Their width in bits.
    pub(crate) width: u32,
    /// The largest increment of a cycle that a counter can add, at most 255.
    pub(crate) largest: u32,
    /// Each instance has a fixed counter, too.
    pub(crate) fixed: bool,
    /// Cycles of its clock per cycle of uclk, as a fraction.
    pub(crate) clock: (u64, u64),
    /// Device and function of each instance's registers, empty for MSRs.
    functions: Vec<&'static str>,
    /// Device and function of the registers that each instance has in a second function.
    seconds: Vec<&'static str>,
    /// Fields of its config words.
    pub(crate) fields: Vec<Field>,
    /// Fields that combine several of these and own no bit.
    pub(crate) views: Vec<Field>,
}

impl Facts {
    /// Returns the type of a row, and the facts about it on a processor.
    pub(crate) fn of(
        data: &'static uncore_catalogue::Facts,
        row: &'static BoxRow,
        processor: &str,
    ) -> (BoxKind, Self) {
        let functions = |places: &Places, times| {
            let name = |place: &Place| &*format!("{:02x}.{}", place.device, place.function).leak();
            let names: Vec<&str> = places.functions().iter().map(name).collect();
            names.repeat(times)
        };
        let fields = |view| {
            let of_row = data.fields.iter().filter(|field| field.kind == row.kind);
            let here = of_row.filter(|field| field.model.is_empty() || field.model == processor);
            let here = here.filter(|field| field.view == view);
            here.map(|field| (&*field.name, &*field.bits)).collect()
        };
        let facts = Self {
            column: &row.kind,
            unit: &row.unit,
            indexed: row.numbered,
            counters: row.counters / row.sets,
            width: row.sure,
            largest: row.largest,
            fixed: data
                .registers_of(&row.kind)
                .any(|register| register.what == What::FixedCtl),
            clock: match &*row.clock {
                "dclk" => (7, 18),
                "pclk" => (1, 3),
                "qfclk" => (5, 12),
                "quarter" => (5, 6),
                _ => (1, 1),
            },
            functions: functions(&row.at, row.sets.into()),
            seconds: functions(&row.second, 1),
            fields: fields(false),
            views: fields(true),
        };
        (BoxKind::named(&row.unit), facts)
    }
}

/// Returns device and function of the match and mask registers of each QPI port.
pub fn packet_functions() -> &'static [&'static str] {
    if BoxKind::Qpi.exists() {
        &BoxKind::Qpi.facts().seconds
    } else {
        &[]
    }
}

impl BoxKind {
    /// Returns the type of this unit. Panics if there is none.
    fn named(unit: &str) -> Self {
        const ALL: [BoxKind; 15] = [
            BoxKind::Ubox,
            BoxKind::Cbox,
            BoxKind::Sbox,
            BoxKind::Ha,
            BoxKind::Imc,
            BoxKind::Irp,
            BoxKind::Pcu,
            BoxKind::Qpi,
            BoxKind::R2pcie,
            BoxKind::R3qpi,
            BoxKind::Arb,
            BoxKind::Bbox,
            BoxKind::Rbox,
            BoxKind::Wbox,
            BoxKind::Mbox,
        ];
        let mut all = ALL.into_iter();
        let found = all.find(|kind| format!("{kind:?}").eq_ignore_ascii_case(unit));
        found.unwrap_or_else(|| panic!("no type of {unit}"))
    }

    /// Returns all types of the processor, in the manual's order.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        let processor = Processor::current();
        let lacks = processor.description().lacks;
        let all = processor.kinds().iter().map(|(kind, _)| *kind);
        all.filter(|kind| !lacks.contains(kind))
    }

    /// Returns true if the processor has boxes of the type.
    pub fn exists(self) -> bool {
        Self::all().any(|kind| kind == self)
    }

    /// Returns what the processor's description says of the type. Panics if it has no such boxes:
    /// then the calling test is wrong.
    pub(crate) fn facts(self) -> &'static Facts {
        let processor = Processor::current();
        let mut kinds = processor.kinds().iter();
        let found = kinds.find(|(kind, _)| *kind == self);
        let (_, facts) = found.unwrap_or_else(|| panic!("{processor:?} has no {self:?}"));
        facts
    }

    /// The type that the catalogue calls `column`.
    pub(crate) fn of_column(column: &str) -> Option<Self> {
        Self::all().find(|kind| kind.facts().column == column)
    }

    /// The name in the catalogue's first column.
    pub fn column(self) -> &'static str {
        self.facts().column
    }

    /// The unit in a PMU's name.
    pub fn unit(self) -> &'static str {
        self.facts().unit
    }

    /// General counters of one instance.
    pub fn counters(self) -> u8 {
        self.facts().counters
    }

    /// Returns true if the events have an extended select.
    pub fn has_extended_select(self) -> bool {
        select(self, true, 0) != select(self, false, 0)
    }

    /// Returns true if a box also has a fixed counter, named `clockticks`.
    pub fn has_fixed(self) -> bool {
        self.facts().fixed
    }

    /// Returns the width of the general counters in bits. Where the sources disagree
    /// (IRP, U-33), it is the width that a difference may rely on.
    pub fn width(self) -> u32 {
        self.facts().width
    }

    /// Returns the largest increment of a cycle that a general counter can add: the limit of
    /// events for which no increment is printed. Thresholds end at 255.
    pub fn largest_increment(self) -> u32 {
        self.facts().largest
    }

    /// Returns the cycles of its clock in `uclk` cycles of uclk, rounded down.
    pub fn cycles(self, uclk: u64) -> u64 {
        let (times, of) = self.facts().clock;
        uclk * times / of
    }

    /// Device and function, `DD.F`, of the registers of an instance, `None` if
    /// they are MSRs.
    pub fn function(self, instance: u8) -> Option<&'static str> {
        self.facts().functions.get(usize::from(instance)).copied()
    }

    /// Returns the name of a box in the driver's log and files.
    pub fn box_name(self, instance: u8) -> String {
        let unit = self.unit();
        if self.facts().indexed {
            format!("{unit}_{instance}")
        } else {
            unit.to_owned()
        }
    }

    /// Returns the name of one instance's PMU in the kernel's own driver.
    pub fn plain_pmu(self, instance: u8) -> String {
        format!("uncore_{}", self.box_name(instance))
    }

    /// Returns the name of perf for the PMUs of all instances.
    pub fn all_pmus(self) -> String {
        Platform::current().pmu(self.unit())
    }

    /// The name of the PMU of one instance.
    pub fn pmu(self, instance: u8) -> String {
        Platform::current().pmu(&self.box_name(instance))
    }
}

impl fmt::Display for BoxKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.unit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_rounded_down() {
        for (kind, cycles) in [
            (BoxKind::Ha, 1_000_000),
            (BoxKind::Imc, 388_888),
            (BoxKind::Qpi, 416_666),
            (BoxKind::Pcu, 333_333),
        ] {
            assert_eq!(kind.cycles(1_000_000), cycles, "{kind}");
        }
    }
}
