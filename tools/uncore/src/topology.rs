// SPDX-License-Identifier: GPL-2.0

//! `topology [--svg FILE [--replay FILE]]`: packages, NUMA nodes, buses and boxes.

mod picture;

use std::fmt::Write as _;
use std::path::Path;

use crate::cli::Topology;
use crate::error::Error;
use crate::mean::Run;
use crate::outcome::Outcome;
use crate::system::{Filters, Map, Package, Placed, System};
use crate::{drawing, replay, table};
pub(crate) use picture::of_loads;
pub use picture::picture;

/// Boxes of one line.
const PER_LINE: usize = 4;

/// Draws the machine of a recording, with the means of what its boxes did.
fn replayed(recording: &Path, file: &Path) -> Result<Outcome, Error> {
    let mut run = Run::default();
    let (machine, notes) = replay::each(recording, |interval| run.push(&interval))?;
    drawing::write(file, &of_loads(&machine, &run, &notes))?;
    Ok(Outcome::noted(notes))
}

/// Prints the map, or draws it into a file. Fails if the module has no PMUs, its map
/// cannot be read, or the file cannot be written.
pub fn run(root: &Path, arguments: &Topology) -> Result<Outcome, Error> {
    if let (Some(recording), Some(file)) = (&arguments.replay, &arguments.svg) {
        return replayed(recording, file);
    }
    let system = System::with_pmus(root)?;
    let map = system.map()?;
    let mut outcome = Outcome::default();
    match &arguments.svg {
        Some(file) => drawing::write(file, &picture(&map))?,
        None => outcome.text = text(&map),
    }
    let unknown = map.incomplete.iter();
    outcome
        .notes
        .extend(unknown.map(|why| format!("missing boxes are not known: {why}")));
    Ok(outcome.with_defects(&system))
}

/// Groups the boxes of a package by bus, in their order.
fn by_bus(package: &Package) -> Vec<(&str, Vec<&Placed>)> {
    let mut buses: Vec<(&str, Vec<&Placed>)> = Vec::new();
    for placed in &package.boxes {
        let (bus, _) = placed.place();
        match buses.iter_mut().find(|(known, _)| *known == bus) {
            Some((_, boxes)) => boxes.push(placed),
            None => buses.push((bus, vec![placed])),
        }
    }
    buses
}

/// Returns the title `package 0`, and its attributes as text.
fn title(package: &Package) -> (String, String) {
    let names = [
        ("physical", "socket "),
        ("numa", "NUMA node "),
        ("node", "UBox node "),
        ("cpu", "counts on CPU "),
    ];
    let known = names.iter().filter_map(|(name, words)| {
        let value = package.attribute(name)?;
        match (*name, package.numa_nodes.as_slice()) {
            ("numa", nodes @ [_, _, ..]) => Some(format!("NUMA nodes {}", table::ranges(nodes))),
            _ => Some(format!("{words}{value}")),
        }
    });
    let mut known: Vec<String> = known.collect();
    if package.attribute("offline").is_some() {
        known.push("no CPU online".to_owned());
    }
    (format!("package {}", package.number), known.join(", "))
}

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
        Some(Filters::At(filters)) => format!("{} {place}+{}", placed.name, function(filters)),
        _ => format!("{} {place}", placed.name),
    }
}

/// Returns the place of filters on their bus.
fn function(filters: &str) -> &str {
    filters.rsplit_once(':').map_or(filters, |(_, place)| place)
}
