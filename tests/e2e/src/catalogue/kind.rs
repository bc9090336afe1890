// SPDX-License-Identifier: GPL-2.0

//! The nine box types: one line of facts for each.

use std::fmt;

/// A box type that has rows in the catalogue and PMUs in the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BoxKind {
    /// System messages and locks.
    Ubox,
    /// A slice of the last-level cache.
    Cbox,
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
}

/// Facts about a type, from Documentation/hardware/ivbep.rst, sections 1 and 7, and
/// traffic.rst.
struct Facts {
    /// Name in the catalogue's first column.
    column: &'static str,
    /// The unit in a PMU's name.
    unit: &'static str,
    /// Each instance has a PMU of its own, with an index.
    indexed: bool,
    /// General counters of one instance.
    counters: u8,
    /// Their width in bits.
    width: u32,
    /// Each instance has a fixed counter, too.
    fixed: bool,
    /// Cycles of its clock per cycle of uclk, as a fraction.
    clock: (u64, u64),
    /// Device and function of each instance's registers, empty for MSRs.
    functions: &'static [&'static str],
}

const UCLK: (u64, u64) = (1, 1);
const DCLK: (u64, u64) = (7, 18);
const QFCLK: (u64, u64) = (5, 12);
const PCLK: (u64, u64) = (1, 3);

#[rustfmt::skip]
const FACTS: [Facts; 9] = [
    Facts { column: "UBOX", unit: "ubox", indexed: false, counters: 2, width: 44, fixed: true, clock: UCLK, functions: &[] },
    Facts { column: "CBO", unit: "cbox", indexed: true, counters: 4, width: 44, fixed: false, clock: UCLK, functions: &[] },
    Facts { column: "HA", unit: "ha", indexed: true, counters: 4, width: 48, fixed: false, clock: UCLK,
            functions: &["0e.1", "1c.1"] },
    Facts { column: "iMC", unit: "imc", indexed: true, counters: 4, width: 48, fixed: true, clock: DCLK,
            functions: &["10.4", "10.5", "10.0", "10.1", "1e.4", "1e.5", "1e.0", "1e.1"] },
    Facts { column: "IRP", unit: "irp", indexed: false, counters: 2, width: 44, fixed: false, clock: UCLK,
            functions: &["05.6", "05.6"] },
    Facts { column: "PCU", unit: "pcu", indexed: false, counters: 4, width: 48, fixed: false, clock: PCLK, functions: &[] },
    Facts { column: "QPI", unit: "qpi", indexed: true, counters: 4, width: 48, fixed: false, clock: QFCLK,
            functions: &["08.2", "09.2", "18.2"] },
    Facts { column: "R2PCIe", unit: "r2pcie", indexed: false, counters: 4, width: 44, fixed: false, clock: UCLK,
            functions: &["13.1"] },
    Facts { column: "R3QPI", unit: "r3qpi", indexed: true, counters: 3, width: 44, fixed: false, clock: UCLK,
            functions: &["13.5", "13.6", "12.5"] },
];

/// Device and function of the match and mask registers of each QPI port.
pub const QPI_FILTER_FUNCTIONS: [&str; 3] = ["08.6", "09.6", "18.6"];

impl BoxKind {
    /// All types, in the manual's order.
    pub const ALL: [Self; 9] = [
        Self::Ubox,
        Self::Cbox,
        Self::Ha,
        Self::Imc,
        Self::Irp,
        Self::Pcu,
        Self::Qpi,
        Self::R2pcie,
        Self::R3qpi,
    ];

    fn facts(self) -> &'static Facts {
        &FACTS[self as usize]
    }

    /// The type that the catalogue calls `column`.
    pub(super) fn of_column(column: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|kind| kind.facts().column == column)
    }

    /// The name in the catalogue's first column.
    #[cfg(test)]
    pub(crate) fn column(self) -> &'static str {
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

    /// Returns true if a box also has a fixed counter, named `clockticks`.
    pub fn has_fixed(self) -> bool {
        self.facts().fixed
    }

    /// Returns the width of the general counters in bits. Where the sources disagree
    /// (IRP, U-33), it is the width that a difference may rely on.
    pub fn width(self) -> u32 {
        self.facts().width
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

    /// The name of the PMU of one instance.
    pub fn pmu(self, instance: u8) -> String {
        format!("ivbep_{}", self.plain_pmu(instance))
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
    fn each_type_has_its_own_line() {
        for kind in BoxKind::ALL {
            assert_eq!(kind.unit(), format!("{kind:?}").to_lowercase());
            assert_eq!(BoxKind::of_column(kind.facts().column), Some(kind));
        }
        assert_eq!(BoxKind::of_column("core"), None);
    }

    #[test]
    fn only_types_with_several_boxes_have_an_index() {
        assert_eq!(BoxKind::Cbox.pmu(14), "ivbep_uncore_cbox_14");
        assert_eq!(BoxKind::R3qpi.plain_pmu(2), "uncore_r3qpi_2");
        assert_eq!(BoxKind::Pcu.pmu(0), "ivbep_uncore_pcu");
        assert_eq!(
            BoxKind::Irp.pmu(0),
            BoxKind::Irp.pmu(1),
            "two sets of one box"
        );
    }

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
