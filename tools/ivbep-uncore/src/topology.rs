// SPDX-License-Identifier: GPL-2.0

//! `topology [--svg FILE]`: packages, NUMA nodes, buses and boxes.

mod picture;
mod printed;

use std::fs;
use std::path::Path;

use crate::error::Error;
use crate::system::{Map, Package, Placed};
pub use picture::picture;
pub use printed::text;

/// Draws the map into a file.
///
/// # Errors
///
/// If that cannot be written.
pub fn draw(map: &Map, file: &Path) -> Result<(), Error> {
    fs::write(file, picture(map)).map_err(|source| Error::Write {
        path: file.to_owned(),
        source,
    })
}

/// The boxes of a package, by the bus they are on, in the order they come.
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

/// `package 0`, and what is known of it.
fn title(package: &Package) -> (String, String) {
    let names = [
        ("physical", "socket "),
        ("numa", "NUMA node "),
        ("node", "UBox node "),
        ("cpu", "counts on CPU "),
    ];
    let known = names.iter().filter_map(|(name, words)| {
        let value = package.attribute(name)?;
        Some(format!("{words}{value}"))
    });
    let mut known: Vec<String> = known.collect();
    if package.attribute("offline").is_some() {
        known.push("no CPU online".to_owned());
    }
    (format!("package {}", package.number), known.join(", "))
}
