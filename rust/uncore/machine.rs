// SPDX-License-Identifier: GPL-2.0

//! The machine as the driver sees it: packages, their buses and boxes, and the requests refused.
//!
//! Boxes behind MSRs come and go with the CPUs of their package, see [`Machine::bring_up`]; those
//! behind PCI functions with the functions, see [`super::functions`].

use super::{
    absence::Absence,
    box_type::{
        Access,
        BoxType,
        GlobalMsrs,
        MsrBoxes,
        Platform, //
    },
    bus::Registers,
    discovery::{
        self,
        Buses,
        Kernel, //
    },
    field::{
        gather,
        Words, //
    },
    name::BoxName,
    package::Package,
    pmus::Alarm,
    reject::{
        log::{
            Entry,
            Ring, //
        },
        Rejection, //
    },
    seat::Seat,
    Options, //
};
use crate::linux::{
    clock,
    context::IrqsOff,
    msr, pci, smp,
    topology::{
        self,
        Cpu, //
    },
};
use kernel::{
    new_mutex,
    prelude::*,
    sync::{
        Arc,
        Mutex, //
    },
};

/// The machine.
#[pin_data]
pub(super) struct Machine {
    /// The tables it is driven by.
    pub(super) platform: &'static Platform,
    /// Which package a PCI bus belongs to.
    pub(super) buses: Buses,
    /// By the kernel's number.
    pub(super) packages: KVec<Package>,
    /// What was refused, for debugfs.
    #[pin]
    pub(super) refused: Mutex<Ring>,
}

impl Machine {
    /// Finds out which package each bus belongs to. No box is there yet.
    pub(super) fn new(
        platform: &'static Platform,
        options: &Options,
        alarm: &Arc<Alarm>,
    ) -> Result<Arc<Self>> {
        let mut packages = KVec::new();
        for number in 0..topology::max_packages() {
            packages.push(Package::new(platform, number, options, alarm)?, GFP_KERNEL)?;
        }
        let buses = find_buses(platform)?;
        let refused = Ring::new()?;
        let machine = pin_init!(Self {
            platform,
            buses,
            packages,
            refused <- new_mutex!(refused),
        });
        Arc::pin_init(machine, GFP_KERNEL)
    }

    /// A package by the kernel's number.
    pub(super) fn package(&self, number: u32) -> Option<&Package> {
        self.packages.get(usize::try_from(number).ok()?)
    }

    /// Whether some package has this box.
    pub(super) fn has(&self, name: &BoxName) -> bool {
        let mut seats = self.packages.iter().flat_map(|package| &package.seats);
        seats.any(|seat| seat.name.is(name) && seat.absence().is_none())
    }

    /// Notes a request that is refused, and gives the errno.
    pub(super) fn refuse(&self, name: BoxName, words: Words, rejection: Rejection) -> Error {
        let entry = Entry {
            ns: clock::uptime_ns(),
            name,
            words,
            rejection,
            times: 1,
        };
        self.refused.lock().push(entry);
        rejection.errno().0
    }

    /// Prepares what all boxes of a package share: counters are not frozen, and how their overflows
    /// are noticed is found out. For the first CPU of the package, in process context, before it
    /// counts.
    pub(super) fn prepare(&self, package: &Package, cpu: Cpu) {
        if let Some(global) = &self.platform.global {
            let released = smp::on_cpu(cpu, |here| release(here, global));
            if released.and_then(|result| result).is_err() {
                pr_warn!(
                    "package {}: its global registers cannot be reached\n",
                    package.number,
                );
            }
        }
        package.overflow.establish(cpu);
    }

    /// Looks for the boxes of a package that are reached by MSR. For a CPU of the package, in
    /// process context.
    pub(super) fn bring_up(&self, package: &Package, cpu: Cpu) {
        for &kind in self.platform.box_types {
            if let Access::Msr { count, .. } = &kind.access {
                let count = self.count(package, cpu, kind, count);
                for seat in package.seats_of(kind) {
                    seat_msr_box(seat, count);
                }
            }
        }
    }

    /// Takes the boxes of a package away that are reached by MSR. For a CPU of the package.
    pub(super) fn take_down(&self, package: &Package) {
        let kinds = self.platform.box_types.iter();
        for &kind in kinds.filter(|kind| matches!(kind.access, Access::Msr { .. })) {
            for seat in package.seats_of(kind) {
                seat.vacate(Absence::Offline);
            }
        }
    }

    /// How many boxes of an MSR type a package has.
    fn count(&self, package: &Package, cpu: Cpu, kind: &'static BoxType, boxes: &MsrBoxes) -> u8 {
        let first_id = match *boxes {
            MsrBoxes::Fixed(count) => return count,
            MsrBoxes::PerFunction { first_id } => first_id,
        };
        let of_package = |function: pci::Function| {
            self.buses.package(function.address().into()) == Ok(package.number)
        };
        let count = discovery::consecutive(kind.max_boxes, |index| {
            pci::functions(first_id.saturating_add(u16::from(index))).any(of_package)
        });
        if count > 0 {
            return count;
        }
        let count = self.count_by_register(cpu).min(kind.max_boxes);
        pr_info!(
            "package {}: no PCI function stands for a {}, a register says there are {}\n",
            package.number,
            kind.name,
            count,
        );
        count
    }

    /// The number of boxes that the global register gives, 0 if it cannot be read.
    fn count_by_register(&self, cpu: Cpu) -> u8 {
        let Some(global) = &self.platform.global else {
            return 0;
        };
        let read = smp::on_cpu(cpu, |here| msr::read(here, global.config));
        let value = read.and_then(|value| value).unwrap_or(0);
        u8::try_from(gather(&[global.box_count], value)).unwrap_or(u8::MAX)
    }
}

/// Puts a box on its seat that is reached by MSR, if it is one of the first `count`. Why it is not
/// there is kept on the seat.
fn seat_msr_box(seat: &Seat, count: u8) {
    let index = seat.name.index;
    let kind = seat.name.kind;
    let Access::Msr { base, stride, .. } = kind.access else {
        return;
    };
    if index < count {
        let base = base.saturating_add(stride.saturating_mul(u32::from(index)));
        let name = match (base, kind.counters.first()) {
            // Offsets are MSR numbers.
            (0, Some(counter)) => u32::from(counter.control),
            _ => base,
        };
        let _ = seat.occupy(Registers::Msr { base, name });
    } else {
        seat.explain(Absence::BeyondCount(count));
    }
}

/// Ends a global freeze and forgets overflows that another tool, or firmware, has left behind.
fn release(here: &IrqsOff, global: &GlobalMsrs) -> Result {
    let overflowed = msr::read(here, global.status)?;
    if overflowed != 0 {
        msr::write(here, global.status, overflowed)?;
    }
    msr::write(here, global.control, u64::from(global.unfreeze))
}

/// Maps the buses, and says which of them make no sense.
fn find_buses(platform: &'static Platform) -> Result<Buses> {
    let table = &platform.discovery;
    let logical = |wanted: &dyn Fn(Cpu) -> bool| {
        let mut cpus = topology::possible_cpus();
        cpus.find(|&cpu| wanted(cpu) && cpu.logical_package().is_some())?
            .logical_package()
    };
    let kernel = Kernel {
        package: |group| logical(&|cpu| cpu.physical_package() == group),
        package_of_node: |node| logical(&|cpu| cpu.node() == Some(node)),
        nodes: topology::possible_nodes(),
    };
    let locators = discovery::locators(table)?;
    let buses = discovery::map(table, &locators, &kernel)?;
    for (bus, why) in buses.misplaced() {
        pr_warn!("PCI bus {bus} belongs to no package: {why}\n");
    }
    Ok(buses)
}
