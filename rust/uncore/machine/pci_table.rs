// SPDX-License-Identifier: GPL-2.0

//! The PCI functions that the tables of a platform name, and their names for the log.

use crate::uncore::{
    counter_box::uncore_box::Part,
    request::name::BoxName,
    table::box_type::{
        Access,
        PciFunction,
        Platform, //
    }, //
};
use kernel::fmt;

#[cfg(KUNIT_SUITES)]
mod tests;

/// A PCI function of a box.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    pub(crate) device_id: u16,
    /// Expected device number.
    pub(crate) device: u8,
    /// Expected function number.
    pub(crate) function: u8,
    /// Box of the function.
    pub(crate) name: BoxName,
    /// Part of the box that the function is.
    pub(crate) part: Part,
}

impl Row {
    /// Returns the name of the part for the log.
    pub(crate) fn part_name(&self) -> PartName {
        PartName {
            name: self.name,
            part: self.part,
        }
    }
}

/// The name of a part of a box: `link_0`, `the filter function of link_0`.
#[derive(Clone, Copy)]
pub(crate) struct PartName {
    pub(crate) name: BoxName,
    pub(crate) part: Part,
}

impl fmt::Display for PartName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.part == Part::Filters {
            f.write_str("the filter function of ")?;
        }
        fmt::Display::fmt(&self.name, f)
    }
}

/// Returns the device IDs of all functions to bind.
pub(crate) fn ids(platform: &'static Platform) -> impl Iterator<Item = u16> {
    rows(platform).map(|row| row.device_id)
}

/// Returns all functions to bind.
pub(crate) fn rows(platform: &'static Platform) -> impl Iterator<Item = Row> {
    platform.box_types.iter().flat_map(|&kind| {
        let functions = match &kind.access {
            Access::Pci(functions) => *functions,
            Access::Msr { .. } | Access::Memory(_) => &[],
        };
        functions.iter().flat_map(move |row| {
            let index = row.index;
            parts(row, BoxName { kind, index })
        })
    })
}

fn parts(row: &'static PciFunction, name: BoxName) -> impl Iterator<Item = Row> {
    let own = Row {
        device_id: row.device_id,
        device: row.device,
        function: row.function,
        name,
        part: Part::Box,
    };
    let filters = row.filters.map(|filters| Row {
        device_id: filters.device_id,
        device: filters.device,
        function: filters.function,
        name,
        part: Part::Filters,
    });
    Iterator::chain(Some(own).into_iter(), filters)
}
