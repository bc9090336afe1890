// SPDX-License-Identifier: GPL-2.0

//! Planted defects: the errors of a wrong driver or of broken hardware.
//!
//! Takes the defects that `defect/words.rs` has parsed and gives every box its
//! flaws (`defect/flaw.rs`), which the box itself applies. Defects on the way to a
//! package, outside of all boxes, are handled here. The list with all arguments:
//! Documentation/development/machine.rst, "Defects".
//!
//! Violations are judged as if the machine were sound: they are mistakes of the
//! software. Accesses that fail are in `faults.rs`, lost interrupts in
//! `interrupts.rs`.

mod flaw;
mod words;

use crate::boxes::{CPUNODEID, GIDNIDMAP};
use crate::layout::BoxLayout;
use crate::machine::Machine;
use crate::{Cpu, Function};

pub(crate) use flaw::{Field, Flaw, Flaws, Target};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Defect {
    /// A defect in the boxes of one type, of one package or of all.
    Boxes {
        kind: &'static str,
        package: Option<u8>,
        flaw: Flaw,
    },
    /// Two packages give each other's node ID and map of node IDs.
    SwapNodes(u8, u8),
    /// MSR accesses of the first package reach the second.
    Misroute(u8, u8),
}

impl Defect {
    /// The packages it names.
    fn packages(&self) -> impl Iterator<Item = u8> {
        let [one, other] = match *self {
            Self::Boxes { package, .. } => [package, None],
            Self::SwapNodes(one, other) | Self::Misroute(one, other) => [Some(one), Some(other)],
        };
        one.into_iter().chain(other)
    }
}

/// The defects in force, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Defects(Vec<Defect>);

impl Defects {
    /// The flaws of the boxes of a type in a package.
    fn flaws(&self, number: u8, layout: &BoxLayout) -> Flaws {
        let flaws = self.0.iter().filter_map(|defect| match defect {
            Defect::Boxes {
                kind,
                package,
                flaw,
            } if *kind == layout.name && package.is_none_or(|package| package == number) => {
                Some(*flaw)
            }
            _ => None,
        });
        flaws.collect()
    }

    /// The processor whose uncore answers an MSR access.
    pub(crate) fn routed(&self, cpu: Cpu) -> Cpu {
        let mut routes = self.0.iter().rev();
        let reached = routes.find_map(|defect| match *defect {
            Defect::Misroute(from, to) if from == cpu.package => Some(to),
            _ => None,
        });
        let package = reached.unwrap_or(cpu.package);
        Cpu { package, ..cpu }
    }

    /// The package whose node IDs a package gives.
    fn named_as(&self, package: u8) -> u8 {
        self.0.iter().fold(package, |named, defect| match *defect {
            Defect::SwapNodes(one, other) if named == one => other,
            Defect::SwapNodes(one, other) if named == other => one,
            _ => named,
        })
    }
}

impl Machine {
    /// The first package a defect names that the machine has not.
    pub(crate) fn lacks_package_of(&self, defect: &Defect) -> Option<u8> {
        let mut packages = defect.packages();
        packages.find(|package| usize::from(*package) >= self.packages.len())
    }

    /// Brings a defect in force; one that is already becomes the youngest.
    pub(crate) fn plant(&mut self, defect: Defect) {
        self.defects.0.retain(|known| *known != defect);
        self.defects.0.push(defect);
        self.tell_boxes();
    }

    /// The machine is sound again.
    pub(crate) fn clear_defects(&mut self) {
        self.defects = Defects::default();
        self.tell_boxes();
    }

    fn tell_boxes(&mut self) {
        for package in &mut self.packages {
            package.settle_all();
            for pmon in &mut package.boxes {
                pmon.suffer(self.defects.flaws(package.number, pmon.layout));
            }
        }
    }

    /// The function whose register a read of configuration space gives.
    pub(crate) fn answering(&self, at: Function, offset: u16) -> Function {
        let is_name = matches!(offset & !3, CPUNODEID | GIDNIDMAP);
        let pci = self.topology.platform.description().pci.as_ref();
        let names = pci.is_some_and(|pci| is_name && (at.device, at.function) == pci.discovery);
        let package = self.package_of_uncore_bus(at.bus).filter(|_| names);
        let other = package.and_then(|package| {
            let other = usize::from(self.defects.named_as(package));
            self.topology().packages[other].buses
        });
        other.map_or(at, |buses| Function {
            bus: buses.uncore,
            ..at
        })
    }
}
