// SPDX-License-Identifier: GPL-2.0

//! The picture of the map: the boxes of each bus, and where they are.

use super::super::{by_bus, title};
use super::{Cell, Frame, Picture, Row};
use crate::system::{Filters, Map, Missing, Package, Placed};

/// The map as SVG.
pub fn picture(map: &Map) -> String {
    let picture = Picture {
        heading: "boxes of the uncore, by package and bus".to_owned(),
        frames: map.packages.iter().map(frame).collect(),
        notes: map.remarks.clone(),
    };
    picture.draw()
}

fn frame(package: &Package) -> Frame {
    let (name, known) = title(package);
    let absent = |missing: &Missing| format!("no {}: {}", missing.boxes, missing.reason);
    let row = |(bus, boxes): (&str, Vec<&Placed>)| Row {
        label: match bus {
            "MSR" => "MSRs".to_owned(),
            _ => format!("bus {bus}"),
        },
        cells: boxes.into_iter().map(cell).collect(),
    };
    Frame {
        name,
        known,
        rows: by_bus(package).into_iter().map(row).collect(),
        missing: package.missing.iter().map(absent).collect(),
    }
}

fn cell(placed: &Placed) -> Cell {
    let (_, location) = placed.place();
    let line = match &placed.filters {
        None => location.to_owned(),
        Some(Filters::At(filters)) => {
            let function = filters
                .rsplit_once(':')
                .map_or(filters.as_str(), |(_, at)| at);
            format!("{location}, filters {function}")
        }
        Some(Filters::Missing(_)) => format!("{location}, no filters"),
    };
    Cell {
        name: placed.name.clone(),
        lines: vec![line],
        used: None,
        is_lacking: matches!(placed.filters, Some(Filters::Missing(_))),
    }
}
