// SPDX-License-Identifier: GPL-2.0

//! The machine as a recording describes it.

use uncore_metrics::recording;

use super::{Filters, Map, Package, System};
use crate::error::Error;

impl System {
    /// Describes the machine, of which counting starts now.
    pub fn machine(&self) -> Result<recording::Machine, Error> {
        let map = self.map()?;
        let machine = recording::Machine {
            platform: self.platform()?.name.to_owned(),
            version: crate::version::VERSION.to_owned(),
            start: 0,
            packages: map.packages.iter().filter_map(package).collect(),
            notes: notes(&map),
        };
        Ok(machine.started_now())
    }
}

/// Describes a package; `None` if it has no number.
fn package(package: &Package) -> Option<recording::Package> {
    let boxes = package.boxes.iter();
    Some(recording::Package {
        number: package.physical()?,
        boxes: boxes.map(|placed| placed.name.clone()).collect(),
        missing: package.missing.clone(),
    })
}

/// Returns what the map says besides its boxes.
fn notes(map: &Map) -> Vec<String> {
    let unknown = map.incomplete.iter();
    let unknown = unknown.map(|why| format!("missing boxes are not known: {why}"));
    let without_filters = map.packages.iter().flat_map(|package| {
        let boxes = package.boxes.iter();
        boxes.filter_map(|placed| match &placed.filters {
            Some(Filters::Missing(why)) => Some(format!(
                "package {} has no filters of {}: {why}",
                package.number, placed.name
            )),
            _ => None,
        })
    });
    let remarks = map.remarks.iter().cloned();
    unknown.chain(without_filters).chain(remarks).collect()
}
