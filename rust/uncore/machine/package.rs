// SPDX-License-Identifier: GPL-2.0

//! A package: its boxes, its designated CPU, and its overflows.
//!
//! One CPU of each package is *designated*. All events of the package count there, whichever CPU of
//! the package the user asked for. It is a housekeeping CPU if one is online.

use crate::{
    linux::topology::{
        self,
        Cpu, //
    },
    uncore::{
        absence::MissingReason,
        counter_box::{
            counters::background::POLLS_PER_VERIFICATION,
            uncore_box::UncoreBox, //
        },
        cpu_cell::CpuCell,
        error_work::ErrorWork,
        options::Options,
        overflow::Overflow,
        request::name::BoxName,
        table::box_type::{
            Access,
            BoxType,
            Platform, //
        }, //
    }, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// A package of the machine.
pub(crate) struct Package {
    /// Logical package number, as the kernel counts packages.
    pub(crate) number: u32,
    /// All boxes that the tables allow, present or not, in the order of the tables.
    pub(crate) boxes: KVec<Arc<UncoreBox>>,
    pub(crate) overflow: Overflow,
    designated: CpuCell,
}

impl Package {
    /// Makes a package without a designated CPU, all its boxes absent.
    pub(crate) fn new(
        platform: &'static Platform,
        number: u32,
        options: &Options,
        errors: &Arc<ErrorWork>,
    ) -> Result<Self> {
        let count = platform.box_types.iter().map(|kind| kind.max_boxes());
        let count = count.fold(0, |sum: usize, count| sum.saturating_add(count.into()));
        let mut boxes = KVec::with_capacity(count, GFP_KERNEL)?;
        let mut turns = (0..POLLS_PER_VERIFICATION).cycle();
        for &kind in platform.box_types {
            for index in 0..kind.max_boxes() {
                let name = BoxName { kind, index };
                let uncore_box = Arc::pin_init(
                    UncoreBox::new(name, initial_absence(kind), *options, errors)?,
                    GFP_KERNEL,
                )?;
                uncore_box.look(|of| of.take_turn(turns.next().unwrap_or(0)));
                boxes.push_within_capacity(uncore_box)?;
            }
        }
        Ok(Self {
            number,
            overflow: Overflow::new(platform, number, &boxes, options)?,
            boxes,
            designated: CpuCell::new(),
        })
    }

    /// Returns the CPU that counts for the package; `None` while no CPU of the package is online.
    pub(crate) fn designated(&self) -> Option<Cpu> {
        self.designated.get()
    }

    /// Changes the designated CPU. The caller then moves the events to that CPU.
    pub(crate) fn designate(&self, cpu: Option<Cpu>) {
        self.designated.set(cpu);
    }

    /// Returns the hardware's number of the package; `None` if none of its CPUs is present.
    pub(crate) fn physical_number(&self) -> Option<u32> {
        topology::possible_cpus()
            .find(|cpu| cpu.logical_package() == Some(self.number))
            .and_then(Cpu::physical_package)
    }

    /// Returns an online CPU of the package other than `cpu`: a housekeeping CPU if there is one. It is
    /// the last of them, as a sleep takes CPUs offline in ascending order.
    pub(crate) fn sibling_of(&self, cpu: Cpu) -> Option<Cpu> {
        let is_sibling =
            |&other: &Cpu| other != cpu && other.logical_package() == Some(self.number);
        let siblings = || topology::online_cpus().filter(is_sibling);
        let housekeeping = siblings().filter(|sibling| sibling.is_housekeeping());
        housekeeping.last().or_else(|| siblings().last())
    }

    /// Detaches all boxes but those of PCI functions: stops their events, and resets their MSRs or unmaps
    /// their memory.
    ///
    /// Runs in process context on a CPU of the package.
    pub(crate) fn detach_boxes(&self) {
        for uncore_box in &self.boxes {
            if !matches!(uncore_box.name.kind.access, Access::Pci(_)) {
                uncore_box.detach(MissingReason::Offline);
            }
        }
    }

    /// Returns the boxes of a type, present or not, in index order.
    pub(crate) fn boxes_of(&self, kind: &'static BoxType) -> impl Iterator<Item = &Arc<UncoreBox>> {
        self.boxes
            .iter()
            .filter(move |uncore_box| core::ptr::eq(uncore_box.name.kind, kind))
    }

    /// Returns the box with a name, present or not.
    pub(crate) fn box_named(&self, name: BoxName) -> Option<&Arc<UncoreBox>> {
        let mut first = 0_usize;
        loop {
            // The boxes of a type follow each other.
            let kind = self.boxes.get(first)?.name.kind;
            if core::ptr::eq(kind, name.kind) {
                break;
            }
            first = first.saturating_add(kind.max_boxes().into());
        }
        let found = self.boxes.get(first.saturating_add(name.index.into()));
        found.filter(|uncore_box| uncore_box.name.is(&name))
    }
}

/// Returns why a box is absent before the driver has looked for it.
fn initial_absence(kind: &BoxType) -> MissingReason {
    match kind.access {
        Access::Msr { .. } | Access::Memory(_) => MissingReason::Offline,
        Access::Pci(_) => MissingReason::Unseen,
    }
}

/// Returns the designated CPUs of some packages in ascending order.
pub(crate) fn designated_cpus<'a, I>(boxes: I) -> impl Iterator<Item = Cpu> + use<'a, I>
where
    I: Iterator<Item = (&'a Package, &'a Arc<UncoreBox>)> + Clone,
{
    let cpus = boxes.filter_map(|(package, _)| package.designated());
    let mut last = None;
    core::iter::from_fn(move || {
        let next = cpus.clone().filter(|&cpu| Some(cpu) > last).min();
        last = next.or(last);
        next
    })
}
