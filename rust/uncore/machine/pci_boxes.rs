// SPDX-License-Identifier: GPL-2.0

//! Binds the PCI functions that are boxes, and those that hold the filters of a box.
//!
//! Functions are bound by device ID. They can be added (by a rescan of the bus) and removed in any
//! order.
//!
//! When a function is removed its events keep their counts and stop, and their running time stops.
//! When it is added again its events continue. Removing a filter function affects only the events
//! that use its filters. Perf deletes the events from the box before the registers are given up, so
//! their running time is exactly the time in which they counted.

use super::{
    discovery::{
        PciBus,
        UnmappedReason, //
    },
    package::Package,
    pci_table::{
        self,
        PartName,
        Row, //
    },
    Machine,
    PmuOwner, //
};
use crate::{
    linux::{
        atomic::{
            AtomicBool,
            Ordering, //
        },
        pci::{
            Address,
            ConfigSpace,
            Driver,
            Ecam,
            Function, //
        }, //
    },
    uncore::{
        absence::{
            MissingReason,
            Part, //
        },
        counter_box::{
            bus::{
                FunctionRegisters,
                Location,
                Registers, //
            },
            uncore_box::UncoreBox, //
        },
        error_work::ErrorWork,
        request::name::BoxName, //
    }, //
};
use kernel::{
    fmt,
    prelude::*,
    sync::Arc, //
};

/// The driver of the functions.
pub(crate) struct BoxDriver {
    machine: Arc<Machine>,
    owner: Arc<dyn PmuOwner>,
    errors: Arc<ErrorWork>,
    ecam: Ecam,
    /// Logs added and removed boxes; off while the module is loaded and unloaded.
    verbose: AtomicBool,
}

impl BoxDriver {
    /// Makes a driver that does not log added and removed boxes yet.
    ///
    /// # Errors
    ///
    /// [`ENOMEM`].
    #[link_section = ".init.text"]
    pub(crate) fn new(
        machine: &Arc<Machine>,
        owner: &Arc<dyn PmuOwner>,
        errors: &Arc<ErrorWork>,
    ) -> Result<Self> {
        Ok(Self {
            machine: machine.clone(),
            owner: owner.clone(),
            errors: errors.clone(),
            ecam: Ecam::new()?,
            verbose: AtomicBool::new(false),
        })
    }

    /// Switches the log of added and removed boxes on or off.
    pub(crate) fn set_verbose(&self, verbose: bool) {
        self.verbose.store(verbose, Ordering::Relaxed);
    }

    /// Returns the table's row of a function at an address.
    fn row(&self, function: &Function, address: Address) -> Option<Row> {
        let place = (address.device, address.function);
        pci_table::find(self.machine.platform, function.device_id(), place)
    }

    /// Returns the package of the function at an address, and the box with this name there.
    fn uncore_box(
        &self,
        address: Address,
        name: BoxName,
    ) -> Result<(&Package, &UncoreBox), UnboundReason> {
        let package = match self.machine.buses.package(address.into()) {
            Ok(number) => self.machine.package(number).ok_or(UnboundReason::Unknown)?,
            Err(reason) => return Err(UnboundReason::Unmapped(reason)),
        };
        let uncore_box = package.box_named(name).ok_or(UnboundReason::Unknown)?;
        Ok((package, uncore_box))
    }

    fn attach(
        &self,
        function: Function,
        address: Address,
    ) -> Result<(&Package, &UncoreBox, Part), UnboundReason> {
        let row = self.row(&function, address);
        let row = row.ok_or(UnboundReason::Unknown)?;
        check_location(address, &row);
        let Row { name, part, .. } = row;
        let (package, uncore_box) = self.uncore_box(address, name)?;
        check_other_functions(uncore_box, part, address)?;
        let space = ConfigSpace::new(function, &self.ecam);
        let attached = match part {
            Part::Box => Registers::of_function(FunctionRegisters::Config(space))
                .and_then(|registers| uncore_box.attach(registers, package.overflow.counts())),
            Part::Filters => uncore_box.attach_filters(space),
        };
        attached.map_err(|why| UnboundReason::Absent(PartName { name, part }, why))?;
        Ok((package, uncore_box, part))
    }

    /// Logs what happened to a box or its filter function.
    fn log(&self, package: &Package, name: PartName, what: &str) {
        if self.verbose.load(Ordering::Relaxed) {
            pr_info!("package {}: {name} {what}\n", package.number);
        }
    }
}

/// Logs a function whose device and function number differ from the tables; it is used.
fn check_location(address: Address, row: &Row) {
    if (row.device, row.function) != (address.device, address.function) {
        pr_notice!(
            "PCI function {} has the ID of {}, expected at {:02x}.{}\n",
            address,
            row.part_name(),
            row.device,
            row.function,
        );
    }
}

/// Checks a function against the other functions of the box: no other one is this part, and all
/// are on one bus.
fn check_other_functions(
    uncore_box: &UncoreBox,
    part: Part,
    address: Address,
) -> Result<(), UnboundReason> {
    let own = match uncore_box.location() {
        Some(Location::Config(function)) => Some(function),
        Some(Location::Msr { .. } | Location::Memory(_)) | None => None,
    };
    let filters = uncore_box.filters().function().copied();
    let (same_part, other_part) = match part {
        Part::Box => (own, filters),
        Part::Filters => (filters, own),
    };
    let name = uncore_box.name;
    match (same_part, other_part) {
        (Some(twin), _) => Err(UnboundReason::Twin(PartName { name, part }, twin)),
        (None, Some(other)) if PciBus::from(other) != PciBus::from(address) => {
            Err(UnboundReason::OtherBus(name, other))
        }
        _ => Ok(()),
    }
}

impl Driver for BoxDriver {
    fn probe(&self, function: Function) -> Result {
        let address = function.address();
        match self.attach(function, address) {
            Ok((package, uncore_box, part)) => {
                let name = uncore_box.name;
                self.log(package, PartName { name, part }, "added");
                let _ = self.owner.register_new(&self.machine, &self.errors);
                Ok(())
            }
            Err(reason) => {
                pr_warn!("PCI function {address} is not used: {reason}\n");
                Err(ENODEV)
            }
        }
    }

    fn remove(&self, function: &Function) {
        let address = function.address();
        let Some(row) = self.row(function, address) else {
            return;
        };
        if let Ok((package, uncore_box)) = self.uncore_box(address, row.name) {
            if uncore_box.close(row.part) {
                self.owner.reschedule_events(uncore_box);
            }
            match row.part {
                Part::Box => uncore_box.detach(MissingReason::Removed),
                Part::Filters => uncore_box.detach_filters(MissingReason::Removed),
            }
            self.log(package, row.part_name(), "removed");
        }
    }
}

/// The reason why a function is not used.
enum UnboundReason {
    /// No table has the function.
    Unknown,
    /// The bus of the function belongs to no package.
    Unmapped(UnmappedReason),
    /// Another function is this part of the box.
    Twin(PartName, Address),
    /// The other part of the box is on another bus.
    OtherBus(BoxName, Address),
    /// The function does not answer as the box or filter function should.
    Absent(PartName, MissingReason),
}

impl fmt::Display for UnboundReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnboundReason::Unknown => f.write_str("no box has its ID"),
            UnboundReason::Unmapped(reason) => fmt::Display::fmt(reason, f),
            UnboundReason::Twin(name, other) => {
                f.write_fmt(fmt!("{name} is already bound at {other}"))
            }
            UnboundReason::OtherBus(name, other) => f.write_fmt(fmt!(
                "{other}, the other function of {name}, is on another bus"
            )),
            UnboundReason::Absent(name, reason) => {
                f.write_fmt(fmt!("probe of {name} failed: {reason}"))
            }
        }
    }
}
