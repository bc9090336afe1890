// SPDX-License-Identifier: GPL-2.0

//! What boxes a package has, as people read it: neighbours that are alike in one word.
//!
//! `cbox_0-7` stands for eight seats with the same answer to why they are empty. For the log at
//! load and debugfs' `topology`.

use super::{
    absence::Absence,
    bus::FilterRegisters,
    machine::Machine,
    name::BoxName,
    package::Package,
    seat::Seat, //
};
use kernel::{
    fmt,
    prelude::*, //
};

/// Seats in a row that are alike.
#[derive(Clone, Copy)]
pub(super) struct Run {
    first: BoxName,
    last: u8,
    /// Why there are no boxes on them, if so.
    pub(super) absence: Option<Absence>,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.first, f)?;
        if self.last > self.first.index {
            write!(f, "-{}", self.last)?;
        }
        Ok(())
    }
}

/// All seats of a package, row by row.
pub(super) fn runs(package: &Package) -> impl Iterator<Item = Run> + '_ {
    let mut seats = package.seats.iter().map(|seat| Run {
        first: seat.name,
        last: seat.name.index,
        absence: seat.absence(),
    });
    let mut next = seats.next();
    core::iter::from_fn(move || {
        let mut run = next.take()?;
        for seat in seats.by_ref() {
            let same_kind = core::ptr::eq(seat.first.kind, run.first.kind);
            if !same_kind || seat.absence != run.absence {
                next = Some(seat);
                break;
            }
            run.last = seat.last;
        }
        Some(run)
    })
}

/// Says what was found at load, in few lines per package, and of what is missing, why.
pub(super) fn report(machine: &Machine) {
    for package in &machine.packages {
        let number = package.number;
        match machine.buses.bus_of(number) {
            Some(at) => pr_info!("package {number} on bus {}: {}\n", at.bus, Present(package)),
            None => pr_warn!(
                "package {}: {}; no bus has a locator (8086:{:04x}) of it\n",
                number,
                Present(package),
                machine.platform.discovery.device_id,
            ),
        }
        for run in runs(package) {
            if let Some(absence) = run.absence {
                pr_info!("package {number} lacks {run}: {absence}\n");
            }
        }
        for seat in package.seats.iter().filter(|seat| seat.absence().is_none()) {
            let fixed = (0..).zip(seat.name.kind.fixed);
            for (_, lacking) in fixed.filter(|&(index, _)| seat.lacks_fixed(index)) {
                pr_info!(
                    "package {} lacks the counter {} of {}: {}\n",
                    number,
                    lacking.name,
                    seat.name,
                    Absence::Unreachable,
                );
            }
            if let Some(absence) = seat.filter_absence() {
                pr_info!(
                    "package {} lacks the filter function of {}: {}\n",
                    number,
                    seat.name,
                    absence,
                );
            }
        }
    }
}

/// Where the filters of a box are, for the end of its line in `topology`.
///
/// ` filters: 0000:7f:08.6`, ` filters: missing: its PCI function was removed`, or nothing of a box
/// whose filters are among its other registers.
pub(super) struct Filters<'a>(pub(super) &'a Seat);

impl fmt::Display for Filters<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.filters(), self.0.filter_absence()) {
            (FilterRegisters::Own, _) => Ok(()),
            (_, Some(absence)) => f.write_fmt(fmt!(" filters: missing: {absence}")),
            (FilterRegisters::Pci(function), None) => {
                f.write_fmt(fmt!(" filters: {}", function.address()))
            }
            (FilterRegisters::Missing(_), None) => Ok(()),
        }
    }
}

/// The boxes that a package has: `ubox, cbox_0-7`.
struct Present<'a>(&'a Package);

impl fmt::Display for Present<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for run in runs(self.0).filter(|run| run.absence.is_none()) {
            f.write_str(separator)?;
            fmt::Display::fmt(&run, f)?;
            separator = ", ";
        }
        if separator.is_empty() {
            f.write_str("no boxes")?;
        }
        Ok(())
    }
}
