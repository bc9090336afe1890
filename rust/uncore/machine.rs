// SPDX-License-Identifier: GPL-2.0

//! The machine as the driver sees it: packages, their buses and boxes, and the refused requests.
//!
//! A box with MSRs is present while a CPU of its package is online: [`hotplug`] asks [`msr_boxes`]
//! to add and remove it. So is a box with registers in memory, by [`memory_boxes`].
//! A box that is a PCI function is present while the function is bound: [`pci_boxes`] does that.
//!
//! ```text
//! detect      chooses the platform, or refuses to load
//! discovery   maps PCI buses to packages
//! package     boxes, designated CPU and overflows of one package
//! hotplug     tells packages of their CPUs, moves events between CPUs
//! presence    what tells which boxes with MSRs a package has
//! msr_boxes   adds and removes boxes with MSRs
//! memory_boxes  maps, adds and removes boxes with registers in memory
//! pci_table   the PCI functions of the tables
//! pci_boxes   PCI driver that adds and removes boxes and filter functions
//! power       sleep, hibernation and shutdown
//! inventory   lists present and missing boxes for the log and debugfs
//! ```

pub(crate) mod detect;
pub(crate) mod discovery;
pub(crate) mod hotplug;
pub(crate) mod inventory;
pub(crate) mod memory_boxes;
pub(crate) mod msr_boxes;
pub(crate) mod package;
pub(crate) mod pci_boxes;
pub(crate) mod pci_table;
pub(crate) mod power;
pub(crate) mod presence;

use self::{
    discovery::Buses,
    package::Package, //
};
use super::{
    counter_box::uncore_box::UncoreBox,
    error_work::ErrorWork,
    options::{
        Criteria,
        Names,
        Options, //
    },
    request::{
        name::BoxName,
        reject::{
            log::{
                Entry,
                Log, //
            },
            RejectReason, //
        }, //
    },
    table::{
        box_type::*,
        field::Words, //
    }, //
};
use crate::linux::{
    clock,
    topology::{
        self,
        Cpu, //
    },
    user::User, //
};
use kernel::{
    new_mutex,
    prelude::*,
    sync::{
        Arc,
        Mutex, //
    }, //
};

/// The owner of the PMUs, told of added and removed boxes and CPUs.
pub(crate) trait PmuOwner: Send + Sync {
    /// Registers PMUs for boxes that were added.
    ///
    /// # Errors
    ///
    /// The first error, if no PMU is registered. One PMU that cannot be registered keeps no other
    /// away.
    fn register_new(&self, machine: &Arc<Machine>, errors: &Arc<ErrorWork>) -> Result;

    /// Moves all events from a CPU to another of its package.
    fn migrate_events(&self, from: Cpu, to: Cpu);

    /// Takes the events off a box that cannot stay there.
    fn reschedule_events(&self, uncore_box: &UncoreBox);
}

#[pin_data]
pub(crate) struct Machine {
    /// Tables of the platform.
    pub(crate) platform: &'static Platform,
    /// Packages of the PCI buses.
    pub(crate) buses: Buses,
    /// Packages, indexed by logical package number.
    pub(crate) packages: KVec<Package>,
    /// Kind of names of the PMUs, and so the tools that they serve.
    pub(crate) names: Names,
    /// Filters that a box uses at a time, where that is uncertain.
    pub(crate) criteria: Criteria,
    /// Log of refused requests.
    #[pin]
    pub(crate) refused: Mutex<Log>,
}

impl Machine {
    /// Maps the PCI buses to packages. All boxes are absent at first.
    pub(crate) fn new(
        platform: &'static Platform,
        options: &Options,
        errors: &Arc<ErrorWork>,
    ) -> Result<Arc<Self>> {
        let mut packages = KVec::new();
        for number in 0..topology::max_packages() {
            let package = Package::new(platform, number, options, errors)?;
            packages.push(package, GFP_KERNEL)?;
        }
        let buses = discovery::find(platform)?;
        let refused = Log::new()?;
        let machine = pin_init!(Self {
            platform,
            buses,
            packages,
            names: options.names,
            criteria: options.filters,
            refused <- new_mutex!(refused),
        });
        Arc::pin_init(machine, GFP_KERNEL)
    }

    /// Returns a package by its logical number.
    pub(crate) fn package(&self, number: u32) -> Option<&Package> {
        self.packages.get(usize::try_from(number).ok()?)
    }

    /// Returns the package of a CPU.
    pub(crate) fn package_of(&self, cpu: Cpu) -> Option<&Package> {
        self.package(cpu.logical_package()?)
    }

    /// Returns the boxes with a name, present or not, with their packages.
    pub(crate) fn boxes_named(
        &self,
        name: BoxName,
    ) -> impl Iterator<Item = (&Package, &Arc<UncoreBox>)> + Clone {
        self.packages
            .iter()
            .filter_map(move |package| Some((package, package.box_named(name)?)))
    }

    /// Returns the names of all boxes, present or not, by their position in a package.
    pub(crate) fn names(&self) -> impl Iterator<Item = BoxName> + '_ {
        let boxes = self
            .packages
            .iter()
            .take(1)
            .flat_map(|package| &package.boxes);
        boxes.map(|uncore_box| uncore_box.name)
    }

    /// Returns the boxes at a position, which is one for all packages.
    pub(crate) fn boxes_at(&self, position: usize) -> impl Iterator<Item = &Arc<UncoreBox>> {
        let packages = self.packages.iter();
        packages.filter_map(move |package| package.boxes.get(position))
    }

    /// Returns whether some package has the box at this position.
    pub(crate) fn has(&self, position: usize) -> bool {
        self.boxes_at(position)
            .any(|uncore_box| uncore_box.absence().is_none())
    }

    /// Logs a refused request of the current task and returns its errno.
    #[cold]
    #[inline(never)]
    pub(crate) fn refuse(&self, name: BoxName, words: Words, rejection: RejectReason) -> Error {
        let entry = Entry {
            ns: clock::uptime_ns(),
            user: User::current(),
            name,
            words,
            rejection,
            times: 1,
        };
        self.refused.lock().push(entry);
        rejection.errno().0
    }
}
