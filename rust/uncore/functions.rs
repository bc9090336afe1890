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
        Platform, //
    },
    bus::Registers,
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
    Driver,
    Function, //
};
use core::sync::atomic::{
    AtomicBool,
    Ordering, //
};
use kernel::{
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
    fn seat(&self, function: &Function) -> Option<(&Package, &Seat)> {
        let name = box_of(self.machine.platform, function)?;
        let bus = function.address().into();
        let package = self
            .machine
            .package(self.machine.buses.package(bus).ok()?)?;
        let mut seats = package.seats_of(name.kind);
        let seat = seats.find(|seat| seat.name.is(&name))?;
        Some((package, seat))
    }

    /// Puts a box on its seat.
    fn seat_box(&self, function: Function) -> Result {
        let address = function.address();
        let Some((package, seat)) = self.seat(&function) else {
            if let Err(why) = self.machine.buses.package(address.into()) {
                pr_warn!("PCI function {address} is not used: {why}\n");
            }
            return Err(ENODEV);
        };
        if let Some(Registers::Pci(other)) = seat.registers() {
            let other = other.address();
            pr_warn!(
                "PCI function {address} is not used: {other} is {} as well\n",
                seat.name
            );
            return Err(ENODEV);
        }
        seat.occupy(Registers::Pci(function)).map_err(|why| {
            pr_warn!(
                "PCI function {address} is not used as {}: {why}\n",
                seat.name
            );
            ENODEV
        })?;
        if self.talks.load(Ordering::Relaxed) {
            pr_info!("package {}: {} has come\n", package.number, seat.name);
        }
        Ok(())
    }
}

impl Driver for Functions {
    fn probe(&self, function: Function) -> Result {
        self.seat_box(function)?;
        self.pmus.update(&self.machine, &self.alarm)
    }

    fn remove(&self, function: &Function) {
        let Some((package, seat)) = self.seat(function) else {
            return;
        };
        seat.vacate(Absence::Removed);
        self.pmus.evict(package, seat);
        if self.talks.load(Ordering::Relaxed) {
            pr_info!("package {}: {} has gone\n", package.number, seat.name);
        }
    }
}

/// The device IDs of all boxes.
pub(super) fn ids(platform: &'static Platform) -> impl Iterator<Item = u16> {
    boxes(platform).map(|(id, _)| id)
}

/// Which box a function is.
fn box_of(platform: &'static Platform, function: &Function) -> Option<BoxName> {
    let mut all = boxes(platform);
    let (_, name) = all.find(|(id, _)| *id == function.device_id())?;
    Some(name)
}

/// All boxes that are functions, with their device IDs.
fn boxes(platform: &'static Platform) -> impl Iterator<Item = (u16, BoxName)> {
    platform.box_types.iter().flat_map(|&kind| {
        let functions = match &kind.access {
            Access::Pci { functions } => *functions,
            Access::Msr { .. } => &[],
        };
        functions.iter().map(move |function| {
            let index = function.index;
            (function.device_id, BoxName { kind, index })
        })
    })
}
