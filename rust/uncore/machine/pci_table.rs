// SPDX-License-Identifier: GPL-2.0

//! The PCI functions that the tables of a platform name, and their names for the log.

use crate::uncore::{
    counter_box::uncore_box::Part,
    request::name::BoxName,
    table::box_type::{
        Access,
        BoxType,
        PciFunction,
        Platform, //
    }, //
};
use kernel::{
    fmt,
    prelude::*, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

/// A PCI function of a box.
#[derive(Clone, Copy)]
pub(crate) struct Row {
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

/// Calls `then` for the device IDs of all functions to bind.
pub(crate) fn each_id(platform: &Platform, then: &mut dyn FnMut(u16) -> Result) -> Result {
    rows(platform).try_for_each(|(id, _)| then(id))
}

/// Returns the function with a device ID. If it is at the place of another box of its type, it is
/// that box: sources can disagree about the IDs of boxes, but not about their places.
pub(crate) fn find(platform: &Platform, device_id: u16, place: (u8, u8)) -> Option<Row> {
    let row = rows(platform).find(|(id, _)| *id == device_id)?.1;
    if (row.device, row.function) == place {
        return Some(row);
    }
    let mut others = rows(platform).map(|(_, other)| other);
    let here = others.find(|other| {
        other.part == row.part
            && core::ptr::eq(other.name.kind, row.name.kind)
            && (other.device, other.function) == place
    });
    Some(here.unwrap_or(row))
}

/// Returns all functions of the tables with their device IDs.
fn rows(platform: &Platform) -> impl Iterator<Item = (u16, Row)> + '_ {
    tables(platform).flat_map(|(kind, functions)| {
        functions.iter().flat_map(move |own| {
            let name = BoxName {
                kind,
                index: own.index,
            };
            let row = |device, function, part| Row {
                device,
                function,
                name,
                part,
            };
            let filters = own.filters.map(|filters| {
                let row = row(filters.device, filters.function, Part::Filters);
                (filters.device_id, row)
            });
            let own = (own.device_id, row(own.device, own.function, Part::Box));
            Iterator::chain(core::iter::once(own), filters)
        })
    })
}

/// Returns the box types that are PCI functions, with their functions.
fn tables(
    platform: &Platform,
) -> impl Iterator<Item = (&'static BoxType, &'static [PciFunction])> + '_ {
    platform
        .box_types
        .iter()
        .filter_map(|kind| match kind.access {
            Access::Pci(functions) => Some((*kind, functions)),
            Access::Msr { .. } | Access::Memory(_) => None,
        })
}
