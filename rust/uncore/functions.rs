// SPDX-License-Identifier: GPL-2.0

//! Boxes that are PCI functions: they are bound by device ID, come with a rescan and go with a
//! removal.
//!
//! A function that goes takes its events with it: what they counted until then stands, they count
//! no more, and their running time stops. When it comes back they go on by themselves.

use super::{
    absence::Absence,
    box_type::{
        Access,
        PciFunction,
        Platform, //
    },
    bus::Registers,
    discovery::Misplaced,
    machine::Machine,
    name::BoxName,
    package::Package,
    pmus::{
        Alarm,
        Pmus, //
    },
    seat::Seat, //
};
use crate::linux::pci::{
    Address,
    Driver,
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

/// The driver of the functions.
pub(super) struct Functions {
    machine: Arc<Machine>,
    pmus: Arc<Pmus>,
    alarm: Arc<Alarm>,
    /// Whether what comes and goes is worth a line: not while loading and unloading.
    talks: AtomicBool,
}

impl Functions {
    /// A driver that does not talk yet.
    pub(super) fn new(machine: &Arc<Machine>, pmus: &Arc<Pmus>, alarm: &Arc<Alarm>) -> Self {
        Self {
            machine: machine.clone(),
            pmus: pmus.clone(),
            alarm: alarm.clone(),
            talks: AtomicBool::new(false),
        }
    }

    /// Has it log what comes and goes, or not.
    pub(super) fn talk(&self, talks: bool) {
        self.talks.store(talks, Ordering::Relaxed);
    }

    /// The seat a function is to take, or has.
    fn seat(&self, function: &Function) -> Result<(&Package, &Seat), Unused> {
        let (_, name) = self.row(function).ok_or(Unused::Unknown)?;
        let bus = function.address().into();
        let number = self.machine.buses.package(bus);
        let package = self.machine.package(number.map_err(Unused::Misplaced)?);
        let package = package.ok_or(Unused::Unknown)?;
        let mut seats = package.seats_of(name.kind);
        let seat = seats.find(|seat| seat.name.is(&name));
        Ok((package, seat.ok_or(Unused::Unknown)?))
    }

    /// Puts a box on its seat.
    fn seat_box(&self, function: Function) -> Result<(&Package, &Seat), Unused> {
        let (package, seat) = self.seat(&function)?;
        if let Some(Registers::Pci(other)) = seat.registers() {
            return Err(Unused::Twin(seat.name, other.address()));
        }
        let occupied = seat.occupy(Registers::Pci(function));
        occupied.map_err(|absence| Unused::Absent(seat.name, absence))?;
        Ok((package, seat))
    }

    /// The table's row of a function, and which box that is.
    fn row(&self, function: &Function) -> Option<(&'static PciFunction, BoxName)> {
        let id = function.device_id();
        boxes(self.machine.platform).find(|(row, _)| row.device_id == id)
    }

    /// Says what is odd about a function that is used all the same.
    fn check_place(&self, function: &Function) {
        let address = function.address();
        let Some((row, name)) = self.row(function) else {
            return;
        };
        if (row.device, row.function) != (address.device, address.function) {
            pr_notice!(
                "PCI function {} is {} by its ID, which was expected at {:02x}.{}\n",
                address,
                name,
                row.device,
                row.function,
            );
        }
    }

    /// Says that a box has come or gone.
    fn say(&self, package: &Package, seat: &Seat, what: &str) {
        if self.talks.load(Ordering::Relaxed) {
            pr_info!("package {}: {} {what}\n", package.number, seat.name);
        }
    }
}

impl Driver for Functions {
    fn probe(&self, function: Function) -> Result {
        let address = function.address();
        self.check_place(&function);
        match self.seat_box(function) {
            Ok((package, seat)) => {
                self.say(package, seat, "has come");
                self.pmus.update_or_say(&self.machine, &self.alarm);
                Ok(())
            }
            Err(why) => {
                pr_warn!("PCI function {address} is not used: {why}\n");
                Err(ENODEV)
            }
        }
    }

    fn remove(&self, function: &Function) {
        if let Ok((package, seat)) = self.seat(function) {
            seat.vacate(Absence::Removed);
            self.pmus.evict(package, seat);
            self.say(package, seat, "has gone");
        }
    }
}

/// Why a function is not used.
enum Unused {
    /// No table has it.
    Unknown,
    /// Its bus belongs to no package.
    Misplaced(Misplaced),
    /// Another function is the same box.
    Twin(BoxName, Address),
    /// It does not behave like the box it should be.
    Absent(BoxName, Absence),
}

impl fmt::Display for Unused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unused::Unknown => f.write_str("it is no box"),
            Unused::Misplaced(why) => fmt::Display::fmt(why, f),
            Unused::Twin(name, other) => f.write_fmt(fmt!("{other} is {name} already")),
            Unused::Absent(name, why) => f.write_fmt(fmt!("as {name}, {why}")),
        }
    }
}

/// The device IDs of all boxes.
pub(super) fn ids(platform: &'static Platform) -> impl Iterator<Item = u16> {
    boxes(platform).map(|(row, _)| row.device_id)
}

/// All boxes that are functions.
fn boxes(platform: &'static Platform) -> impl Iterator<Item = (&'static PciFunction, BoxName)> {
    platform.box_types.iter().flat_map(|&kind| {
        let rows = match &kind.access {
            Access::Pci { functions } => *functions,
            Access::Msr { .. } => &[],
        };
        rows.iter().map(move |row| {
            let index = row.index;
            (row, BoxName { kind, index })
        })
    })
}
