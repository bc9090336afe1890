// SPDX-License-Identifier: GPL-2.0

//! The PCI functions that the tables of a platform name, and their names for the log.

use crate::uncore::{
    absence::Part,
    request::name::BoxName,
    table::box_type::{
        Access,
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
    let mut result = Ok(());
    first(platform, |id, _| {
        result = then(id);
        result.is_err()
    });
    result
}

/// Returns the function with a device ID. If it is at the place of another box of its type, it is
/// that box: sources can disagree about the IDs of boxes, but not about their places.
pub(crate) fn find(platform: &Platform, device_id: u16, place: (u8, u8)) -> Option<Row> {
    let row = first(platform, |id, _| id == device_id)?;
    if (row.device, row.function) == place {
        return Some(row);
    }
    let here = first(platform, |_, other| {
        other.part == row.part
            && core::ptr::eq(other.name.kind, row.name.kind)
            && (other.device, other.function) == place
    });
    Some(here.unwrap_or(row))
}

/// Returns the first function of the tables that is `wanted`, by its device ID or its row.
#[inline(always)]
fn first(platform: &Platform, mut wanted: impl FnMut(u16, &Row) -> bool) -> Option<Row> {
    for &kind in platform.box_types {
        let Access::Pci(functions) = kind.access else {
            continue;
        };
        for own in functions {
            let index = own.index;
            let row = |device, function, part| Row {
                device,
                function,
                name: BoxName { kind, index },
                part,
            };
            let of_box = row(own.device, own.function, Part::Box);
            if wanted(own.device_id, &of_box) {
                return Some(of_box);
            }
            if let Some(at) = own.filters {
                let of_filters = row(at.device, at.function, Part::Filters);
                if wanted(at.device_id, &of_filters) {
                    return Some(of_filters);
                }
            }
        }
    }
    None
}
