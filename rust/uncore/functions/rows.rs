// SPDX-License-Identifier: GPL-2.0

//! The PCI functions that the tables of a platform name.

use super::super::{
    box_type::{
        Access,
        PciFunction,
        Platform, //
    },
    name::BoxName,
    seat::Part, //
};
use kernel::fmt;

#[cfg(KUNIT_SUITES)]
mod tests;

/// A PCI function, and what it is.
#[derive(Clone, Copy)]
pub(super) struct Row {
    /// Its device ID.
    pub(super) device_id: u16,
    /// Where it is expected.
    pub(super) device: u8,
    /// See `device`.
    pub(super) function: u8,
    /// The box that it is, or is a part of.
    pub(super) name: BoxName,
    /// Which part.
    pub(super) part: Part,
}

impl Row {
    /// What it is called.
    pub(super) fn part_name(&self) -> PartName {
        PartName {
            name: self.name,
            part: self.part,
        }
    }
}

/// What a part of a box is called: `link_0`, `the filter function of link_0`.
#[derive(Clone, Copy)]
pub(super) struct PartName {
    /// The box.
    pub(super) name: BoxName,
    /// Which part of it.
    pub(super) part: Part,
}

impl fmt::Display for PartName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.part == Part::Filters {
            f.write_str("the filter function of ")?;
        }
        fmt::Display::fmt(&self.name, f)
    }
}

/// The device IDs of all functions to bind.
pub(in super::super) fn ids(platform: &'static Platform) -> impl Iterator<Item = u16> {
    rows(platform).map(|row| row.device_id)
}

/// All functions to bind.
pub(super) fn rows(platform: &'static Platform) -> impl Iterator<Item = Row> {
    platform.box_types.iter().flat_map(|&kind| {
        let functions = match &kind.access {
            Access::Pci { functions } => *functions,
            Access::Msr { .. } => &[],
        };
        functions.iter().flat_map(move |row| {
            let index = row.index;
            parts(row, BoxName { kind, index })
        })
    })
}

/// The functions of a box.
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
