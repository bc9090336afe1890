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
    for (_, functions) in tables(platform) {
        for function in functions {
            then(function.device_id)?;
            if let Some(filters) = &function.filters {
                then(filters.device_id)?;
            }
        }
    }
    Ok(())
}

/// Returns the first function with a device ID.
pub(crate) fn find(platform: &Platform, device_id: u16) -> Option<Row> {
    for (kind, functions) in tables(platform) {
        for own in functions {
            let name = BoxName {
                kind,
                index: own.index,
            };
            if own.device_id == device_id {
                return Some(Row {
                    device: own.device,
                    function: own.function,
                    name,
                    part: Part::Box,
                });
            }
            match own.filters {
                Some(filters) if filters.device_id == device_id => {
                    return Some(Row {
                        device: filters.device,
                        function: filters.function,
                        name,
                        part: Part::Filters,
                    });
                }
                _ => {}
            }
        }
    }
    None
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
