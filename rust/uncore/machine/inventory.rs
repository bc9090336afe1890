// SPDX-License-Identifier: GPL-2.0

//! Lists the present and missing boxes of a package, for the log at load and debugfs' `topology`.
//!
//! Neighbours that are alike are one entry: `cbox_0-7` stands for eight boxes that are all present,
//! or all missing for one reason.

use super::{
    package::Package,
    Machine, //
};
use crate::uncore::{
    absence::MissingReason,
    counter_box::{
        bus::FilterLocation,
        uncore_box::UncoreBox, //
    },
    request::name::BoxName, //
};
use kernel::{
    fmt,
    prelude::*,
    sync::Arc, //
};

/// Boxes with consecutive indexes that are alike.
#[derive(Clone, Copy)]
pub(crate) struct Range {
    first: BoxName,
    last: u8,
    /// The reason why the boxes are missing; `None` if they are present.
    pub(crate) absence: Option<MissingReason>,
}

impl Range {
    /// The range of one box.
    fn of(uncore_box: &UncoreBox) -> Self {
        Self {
            first: uncore_box.name,
            last: uncore_box.name.index,
            absence: uncore_box.absence(),
        }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.first, f)?;
        if self.last > self.first.index {
            write!(f, "-{}", self.last)?;
        }
        Ok(())
    }
}

/// Returns all boxes of a package as ranges.
pub(crate) fn ranges(package: &Package) -> Ranges<'_> {
    Ranges(&package.boxes)
}

/// The ranges of [`ranges`]: those of boxes in consecutive order.
pub(crate) struct Ranges<'a>(&'a [Arc<UncoreBox>]);

impl Iterator for Ranges<'_> {
    type Item = Range;

    #[inline(never)]
    fn next(&mut self) -> Option<Range> {
        let (first, mut rest) = self.0.split_first()?;
        let mut range = Range::of(first);
        while let Some((next, others)) = rest.split_first() {
            let same_kind = core::ptr::eq(next.name.kind, range.first.kind);
            if !same_kind || next.absence() != range.absence {
                break;
            }
            range.last = next.name.index;
            rest = others;
        }
        self.0 = rest;
        Some(range)
    }
}

/// Logs the boxes found at load, and each missing box or part of a box with the reason.
///
/// # Errors
///
/// [`ENOMEM`].
#[link_section = ".init.text"]
pub(crate) fn report(machine: &Machine) -> Result {
    for package in &machine.packages {
        // The kernel prints a line twice, to know its length first.
        let mut all = KVec::with_capacity(package.boxes.len(), GFP_KERNEL)?;
        for range in ranges(package) {
            all.push_within_capacity(range)?;
        }
        log_present(machine, package, &all);
        for range in &all {
            if let Some(absence) = range.absence {
                log_missing(package, fmt!("{range}"), absence);
            }
        }
        for uncore_box in &package.boxes {
            if uncore_box.absence().is_none() {
                log_missing_parts(package, uncore_box);
            }
        }
    }
    Ok(())
}

/// Logs the boxes of a package and the bus of its locator.
fn log_present(machine: &Machine, package: &Package, all: &[Range]) {
    let number = package.number;
    let present = Present(all);
    match (machine.buses.bus_of(number), &machine.platform.discovery) {
        (Some(at), _) => pr_info!("package {number} on bus {}: {present}\n", at.bus),
        (None, Some(table)) => pr_warn!(
            "package {number}: {present}; its bus is unknown: no locator (8086:{:04x})\n",
            table.device_id
        ),
        (None, None) => pr_info!("package {number}: {present}\n"),
    }
}

/// Logs the counters and the filter function that a present box lacks.
fn log_missing_parts(package: &Package, uncore_box: &UncoreBox) {
    let name = uncore_box.name;
    for (index, counter) in (0..u8::MAX).zip(name.kind.fixed) {
        if uncore_box.look(|of| of.lacks_fixed(index)) {
            log_missing(
                package,
                fmt!("the counter {} of {name}", counter.name),
                MissingReason::Unreachable,
            );
        }
    }
    if let Some(absence) = uncore_box.filter_absence() {
        log_missing(package, fmt!("the filter function of {name}"), absence);
    }
}

/// Logs something that a package lacks.
fn log_missing(package: &Package, missing: fmt::Arguments<'_>, absence: MissingReason) {
    let number = package.number;
    pr_info!("package {number}: missing {missing}: {absence}\n");
}

/// The location of a box's filters, for the end of its line in `topology`.
///
/// ` filters: 0000:7f:08.6`, ` filters: missing: its PCI function was removed`, or nothing for a box
/// whose filters are among its other registers.
pub(crate) struct Filters<'a>(pub(crate) &'a UncoreBox);

impl fmt::Display for Filters<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.filters() {
            FilterLocation::Own => Ok(()),
            FilterLocation::Function(address) => f.write_fmt(fmt!(" filters: {address}")),
            FilterLocation::Failed(_) => {
                f.write_fmt(fmt!(" filters: missing: {}", MissingReason::Failed))
            }
            FilterLocation::Missing(reason) => f.write_fmt(fmt!(" filters: missing: {reason}")),
        }
    }
}

/// The boxes that a package has, of all its ranges: `ubox, cbox_0-7`.
struct Present<'a>(&'a [Range]);

impl fmt::Display for Present<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for range in self.0.iter().filter(|range| range.absence.is_none()) {
            f.write_str(separator)?;
            fmt::Display::fmt(range, f)?;
            separator = ", ";
        }
        if separator.is_empty() {
            f.write_str("no boxes")?;
        }
        Ok(())
    }
}
