// SPDX-License-Identifier: GPL-2.0

//! Boxes that are PCI functions, and functions that hold filters of such boxes: they are bound by
//! device ID, come with a rescan and go with a removal, in any order.
//!
//! A function that goes takes its events with it: what they counted until then stands, they count
//! no more, and their running time stops. When it comes back they go on by themselves. With the
//! function that holds the filters of a box, it is the events that need those. Perf takes them off
//! before the registers are given up, so that an event has counted all the time it says it has.

use super::{
    absence::Absence,
    bus::{
        FilterRegisters,
        Registers, //
    },
    discovery::{
        Bus,
        Misplaced, //
    },
    machine::Machine,
    name::BoxName,
    package::Package,
    pmus::{
        Alarm,
        Pmus, //
    },
    seat::{
        Part,
        Seat, //
    }, //
};
use crate::linux::pci::{
    Address,
    ConfigSpace,
    Driver,
    Ecam,
    Function, //
};
use core::sync::atomic::{
    AtomicBool,
    Ordering, //
};
use kernel::{
    fmt,
    prelude::*,
    sync::Arc, //
};

mod rows;

pub(super) use self::rows::ids;
use self::rows::{
    rows,
    PartName,
    Row, //
};

/// The driver of the functions.
pub(super) struct Functions {
    machine: Arc<Machine>,
    pmus: Arc<Pmus>,
    alarm: Arc<Alarm>,
    ecam: Ecam,
    /// Whether what comes and goes is worth a line: not while loading and unloading.
    talks: AtomicBool,
}

impl Functions {
    /// A driver that does not talk yet.
    ///
    /// # Errors
    ///
    /// [`ENOMEM`].
    pub(super) fn new(
        machine: &Arc<Machine>,
        pmus: &Arc<Pmus>,
        alarm: &Arc<Alarm>,
    ) -> Result<Self> {
        Ok(Self {
            machine: machine.clone(),
            pmus: pmus.clone(),
            alarm: alarm.clone(),
            ecam: Ecam::new()?,
            talks: AtomicBool::new(false),
        })
    }

    /// Has it log what comes and goes, or not.
    pub(super) fn talk(&self, talks: bool) {
        self.talks.store(talks, Ordering::Relaxed);
    }

    /// The table's row of a function.
    fn row(&self, function: &Function) -> Result<Row, Unused> {
        let id = function.device_id();
        let mut rows = rows(self.machine.platform);
        rows.find(|row| row.device_id == id).ok_or(Unused::Unknown)
    }

    /// The seat of the box that a function is, or is a part of.
    fn seat(&self, function: &Function, name: &BoxName) -> Result<(&Package, &Seat), Unused> {
        let bus = function.address().into();
        let number = self.machine.buses.package(bus);
        let package = self.machine.package(number.map_err(Unused::Misplaced)?);
        let package = package.ok_or(Unused::Unknown)?;
        let mut seats = package.seats_of(name.kind);
        let seat = seats.find(|seat| seat.name.is(name));
        Ok((package, seat.ok_or(Unused::Unknown)?))
    }

    /// Has a function take its place.
    fn place(&self, function: Function) -> Result<(&Package, &Seat, Part), Unused> {
        let Row { name, part, .. } = self.row(&function)?;
        let (package, seat) = self.seat(&function, &name)?;
        check_others(seat, part, function.address())?;
        let space = ConfigSpace::new(function, &self.ecam);
        let placed = match part {
            Part::Box => seat.occupy(Registers::Pci(space)),
            Part::Filters => seat.attach_filters(space),
        };
        placed.map_err(|why| Unused::Absent(PartName { name, part }, why))?;
        Ok((package, seat, part))
    }

    /// Says what is odd about a function that is used all the same.
    fn check_place(&self, function: &Function) {
        let address = function.address();
        let Ok(row) = self.row(function) else {
            return;
        };
        if (row.device, row.function) != (address.device, address.function) {
            pr_notice!(
                "PCI function {} is {} by its ID, which was expected at {:02x}.{}\n",
                address,
                row.part_name(),
                row.device,
                row.function,
            );
        }
    }

    /// Says that a box or its filters have come or gone.
    fn say(&self, package: &Package, name: PartName, what: &str) {
        if self.talks.load(Ordering::Relaxed) {
            pr_info!("package {}: {name} {what}\n", package.number);
        }
    }
}

/// Whether what is on a seat already lets a function at this address be a part of the box.
fn check_others(seat: &Seat, part: Part, address: Address) -> Result<(), Unused> {
    let own = match seat.registers() {
        Some(Registers::Pci(function)) => Some(function.address()),
        Some(Registers::Msr { .. }) | None => None,
    };
    let filters = match seat.filters() {
        FilterRegisters::Pci(function) => Some(function.address()),
        FilterRegisters::Own | FilterRegisters::Missing(_) => None,
    };
    let (twin, other) = match part {
        Part::Box => (own, filters),
        Part::Filters => (filters, own),
    };
    let name = seat.name;
    match (twin, other) {
        (Some(twin), _) => Err(Unused::Twin(PartName { name, part }, twin)),
        (None, Some(other)) if Bus::from(other) != Bus::from(address) => {
            Err(Unused::OtherBus(name, other))
        }
        _ => Ok(()),
    }
}

impl Driver for Functions {
    fn probe(&self, function: Function) -> Result {
        let address = function.address();
        self.check_place(&function);
        match self.place(function) {
            Ok((package, seat, part)) => {
                let name = seat.name;
                self.say(package, PartName { name, part }, "has come");
                let _ = self.pmus.update(&self.machine, &self.alarm);
                Ok(())
            }
            Err(why) => {
                pr_warn!("PCI function {address} is not used: {why}\n");
                Err(ENODEV)
            }
        }
    }

    fn remove(&self, function: &Function) {
        let Ok(row) = self.row(function) else {
            return;
        };
        if let Ok((package, seat)) = self.seat(function, &row.name) {
            if seat.close(row.part) {
                self.pmus.evict(package, seat);
            }
            match row.part {
                Part::Box => seat.vacate(Absence::Removed),
                Part::Filters => seat.detach_filters(Absence::Removed),
            }
            self.say(package, row.part_name(), "has gone");
        }
    }
}

/// Why a function is not used.
enum Unused {
    /// No table has it.
    Unknown,
    /// Its bus belongs to no package.
    Misplaced(Misplaced),
    /// Another function is the same part.
    Twin(PartName, Address),
    /// The other part of the box is on another bus.
    OtherBus(BoxName, Address),
    /// It does not behave like what it should be.
    Absent(PartName, Absence),
}

impl fmt::Display for Unused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unused::Unknown => f.write_str("it is no box"),
            Unused::Misplaced(why) => fmt::Display::fmt(why, f),
            Unused::Twin(name, other) => f.write_fmt(fmt!("{other} is {name} already")),
            Unused::OtherBus(name, other) => f.write_fmt(fmt!(
                "it is not on the bus of {other}, the other function of {name}"
            )),
            Unused::Absent(name, why) => f.write_fmt(fmt!("as {name}, {why}")),
        }
    }
}
