// SPDX-License-Identifier: GPL-2.0

//! The map as text.

use std::fmt::Write as _;

use super::{by_bus, title};
use crate::system::{Filters, Map, Placed};

/// Boxes of one line.
const PER_LINE: usize = 4;

/// The map as text.
pub fn text(map: &Map) -> String {
    let mut out = String::new();
    for package in &map.packages {
        let (name, known) = title(package);
        let _ = writeln!(out, "{name}: {known}");
        for (bus, boxes) in by_bus(package) {
            let name = if bus == "MSR" {
                bus.to_owned()
            } else {
                format!("bus {bus}")
            };
            let cells: Vec<String> = boxes.iter().map(|placed| cell(placed)).collect();
            let width = cells.iter().map(String::len).max().unwrap_or(0);
            for (place, row) in cells.chunks(PER_LINE).enumerate() {
                let name = if place == 0 { name.as_str() } else { "" };
                let row: Vec<String> = row.iter().map(|cell| format!("{cell:width$}")).collect();
                let _ = writeln!(
                    out,
                    "{}",
                    format!("  {name:12}{}", row.join("  ")).trim_end()
                );
            }
        }
        for placed in &package.boxes {
            if let Some(Filters::Missing(reason)) = &placed.filters {
                let _ = writeln!(out, "  missing     filters of {}: {reason}", placed.name);
            }
        }
        for missing in &package.missing {
            let _ = writeln!(out, "  missing     {}: {}", missing.boxes, missing.reason);
        }
    }
    for remark in &map.remarks {
        let _ = writeln!(out, "{remark}");
    }
    out
}

fn cell(placed: &Placed) -> String {
    let (_, place) = placed.place();
    match &placed.filters {
        Some(Filters::At(filters)) => {
            let function = filters
                .rsplit_once(':')
                .map_or(filters.as_str(), |(_, place)| place);
            format!("{} {place}+{function}", placed.name)
        }
        _ => format!("{} {place}", placed.name),
    }
}
