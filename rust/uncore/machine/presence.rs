// SPDX-License-Identifier: GPL-2.0

//! Which boxes with MSRs a package has.
//!
//! A table lists what tells that, in order. The first that is there decides. It is behind the trait
//! [`Evidence`] so that KUnit decides without hardware.

use super::discovery::Buses;
use crate::{
    linux::{
        msr,
        pci,
        smp,
        topology::{
            self,
            Cpu, //
        }, //
    },
    uncore::{
        absence::MissingReason,
        table::{
            box_type::*,
            field::{
                gather,
                index_bit,
                low_half,
                mask, //
            }, //
        }, //
    }, //
};
use kernel::prelude::*;

#[cfg(KUNIT_SUITES)]
mod tests;

/// The boxes of a type that a package has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Boxes {
    /// Bit mask of their indexes.
    present: u32,
    /// The reason why the package lacks the others.
    others: MissingReason,
}

impl Boxes {
    /// The first `count` boxes.
    fn first(count: u8) -> Self {
        Self {
            present: low_half(mask(count)),
            others: MissingReason::BeyondCount(count),
        }
    }

    /// The boxes whose functions there are. Indexes can have gaps.
    fn with_functions(present: u32) -> Self {
        let first = Self::first(u8::try_from(present.count_ones()).unwrap_or(u8::MAX));
        if present == first.present {
            return first;
        }
        Self {
            present,
            others: MissingReason::Unseen,
        }
    }

    /// Returns the reason why the package lacks a box, if it does.
    pub(crate) fn absence(&self, index: u8) -> Option<MissingReason> {
        (self.present & index_bit(index) == 0).then_some(self.others)
    }
}

/// Registers and numbers of a package that tell which boxes it has.
pub(crate) trait Evidence {
    /// Returns the number of PCI functions of the package with this device ID.
    fn functions(&self, device_id: u16) -> usize;

    /// Reads a dword of the configuration space of the package's function with this device ID.
    fn read_config(&self, device_id: u16, offset: u16) -> Option<u32>;

    /// Reads an MSR of the package.
    fn read_msr(&self, number: u32) -> Option<u64>;

    /// Returns the number of cores of a package.
    fn cores(&self) -> u32;
}

impl Presence {
    /// Returns which of `most` boxes the package has; `None` if this does not tell.
    fn boxes<E: Evidence>(&self, most: u8, package: &E) -> Option<Boxes> {
        let first = |count| Boxes::first(u8::try_from(count).unwrap_or(u8::MAX).min(most));
        match *self {
            Presence::All => Some(Boxes::first(most)),
            Presence::Functions { first_id } => {
                let has =
                    |index: &u8| package.functions(first_id.saturating_add(u16::from(*index))) != 0;
                let present = (0..most)
                    .filter(has)
                    .fold(0, |all, index| all | index_bit(index));
                (present != 0).then(|| Boxes::with_functions(present))
            }
            Presence::EqualFunctions { device_id } => {
                let count = package.functions(device_id);
                (count != 0).then(|| Boxes::first(u8::try_from(count).unwrap_or(most).min(most)))
            }
            Presence::Fuses {
                device_id,
                offset,
                bits,
                choices,
            } => {
                let fuses = gather(&[bits], package.read_config(device_id, offset)?.into());
                let present = match choices {
                    // Every part has one of the boxes.
                    None => Some(low_half(fuses)).filter(|&mask| mask != 0)?,
                    Some(choices) => *choices.get(usize::try_from(fuses).ok()?)?,
                };
                Some(Boxes {
                    present,
                    others: MissingReason::FusedOff,
                })
            }
            Presence::Mask { device_id, offset } => {
                let present = package.read_config(device_id, offset)?;
                let has_each = present.count_ones() >= package.cores();
                let others = MissingReason::FusedOff;
                (has_each && u64::from(present) <= mask(most)).then_some(Boxes { present, others })
            }
            Presence::Register { msr, bits } => {
                Some(first(gather(&[bits], package.read_msr(msr)?)))
            }
            Presence::Cores => Some(first(package.cores().into())),
            Presence::CoresUpTo { msr, bits } => {
                let limit = package.read_msr(msr).map(|value| gather(&[bits], value));
                let limit = limit.filter(|&limit| limit != 0).unwrap_or(u64::MAX);
                Some(first(limit.min(package.cores().into())))
            }
        }
    }

    /// Returns its name for the log.
    fn name(&self) -> &'static str {
        match self {
            Presence::All => "table",
            Presence::Functions { .. } | Presence::EqualFunctions { .. } => "PCI function",
            Presence::Fuses { .. } | Presence::Mask { .. } => "register with fuses",
            Presence::Register { .. } => "count in a register",
            Presence::Cores | Presence::CoresUpTo { .. } => "count of cores",
        }
    }
}

/// The evidence of the hardware, for a CPU of the package.
pub(crate) struct Hardware<'a> {
    pub(crate) buses: &'a Buses,
    /// Logical number of the package.
    pub(crate) package: u32,
    pub(crate) cpu: Cpu,
}

impl Hardware<'_> {
    /// Returns the PCI functions of the package with this device ID.
    fn all(&self, device_id: u16) -> impl Iterator<Item = pci::Function> + '_ {
        pci::functions(device_id).filter(|function| {
            let bus = function.address().into();
            self.buses.package(bus) == Ok(self.package)
        })
    }
}

impl Evidence for Hardware<'_> {
    fn functions(&self, device_id: u16) -> usize {
        self.all(device_id).count()
    }

    fn read_config(&self, device_id: u16, offset: u16) -> Option<u32> {
        self.all(device_id).next()?.read(offset).ok()
    }

    fn read_msr(&self, number: u32) -> Option<u64> {
        smp::on_cpu(self.cpu, |here| msr::read(here, number))
            .and_then(|value| value)
            .ok()
    }

    fn cores(&self) -> u32 {
        topology::cores_per_package()
    }
}

/// Returns which boxes of a type a package has. Logs it if the first of `present` does not tell.
pub(crate) fn find<E: Evidence>(
    number: u32,
    kind: &BoxType,
    present: &[Presence],
    package: &E,
) -> Boxes {
    let tell = |at: &Presence| at.boxes(kind.max_boxes(), package);
    let (Some(first), Some((used, boxes))) = (
        present.first(),
        present.iter().find_map(|at| Some((at, tell(at)?))),
    ) else {
        return Boxes::first(0);
    };
    if !core::ptr::eq(first, used) {
        let (first, used, unit) = (first.name(), used.name(), kind.name);
        let count = boxes.present.count_ones();
        pr_info!(
            "package {number}: no {first} of a {unit} found; number of boxes taken from the {used}: \
             {count}\n"
        );
    }
    boxes
}
