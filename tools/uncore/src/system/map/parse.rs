// SPDX-License-Identifier: GPL-2.0

//! The map from the module's text, or from what sysfs has.

use super::super::System;
use super::{Filters, Map, Missing, Package, Placed};
use crate::error::Error;

/// Parses `topology` in debugfs.
pub(super) fn text(text: &str) -> Map {
    let mut map = Map::default();
    for line in text.lines() {
        match (line.strip_prefix("package "), line.strip_prefix("  ")) {
            (Some(head), _) => map.packages.extend(package(head)),
            (None, Some(rest)) => {
                let taken = map
                    .packages
                    .last_mut()
                    .and_then(|package| take(package, rest));
                if taken.is_none() {
                    map.remarks.push(line.trim().to_owned());
                }
            }
            (None, None) if line.trim().is_empty() => {}
            (None, None) => map.remarks.push(line.to_owned()),
        }
    }
    map
}

/// `0: physical 0 cpu 0 numa 0 bus 0000:7f node 0`, or `1: physical 1 offline`.
fn package(head: &str) -> Option<Package> {
    let (number, rest) = head.split_once(':')?;
    let mut package = Package {
        number: number.trim().to_owned(),
        ..Package::default()
    };
    let mut words = rest.split_whitespace();
    while let Some(name) = words.next() {
        let value = match name {
            "offline" => "yes",
            _ => words.next().unwrap_or_default(),
        };
        package.attributes.push((name.to_owned(), value.to_owned()));
    }
    Some(package)
}

/// A line about a box.
fn take(package: &mut Package, line: &str) -> Option<()> {
    let (name, rest) = line.trim().split_once(' ')?;
    if let Some(reason) = rest.strip_prefix("missing: ") {
        package.missing.push(Missing {
            boxes: name.to_owned(),
            reason: reason.to_owned(),
        });
        return Some(());
    }
    let (location, filters) = match rest.split_once(" filters: ") {
        Some((location, filters)) => (location, Some(place_of_filters(filters))),
        None => (rest, None),
    };
    package.boxes.push(Placed {
        name: name.to_owned(),
        location: location.trim().to_owned(),
        filters,
    });
    Some(())
}

fn place_of_filters(text: &str) -> Filters {
    match text.strip_prefix("missing: ") {
        Some(reason) => Filters::Missing(reason.to_owned()),
        None => Filters::At(text.to_owned()),
    }
}

/// Builds the map from `caps/` and `cpumask` of the PMUs.
pub(super) fn sysfs(system: &System, incomplete: String) -> Result<Map, Error> {
    let mut map = Map {
        incomplete: Some(incomplete),
        ..Map::default()
    };
    for pmu in &system.pmus {
        for (place, cpu) in pmu.cpus.iter().enumerate() {
            let package = at(&mut map, system, *cpu)?;
            let location = pmu.caps.location.get(place).cloned().unwrap_or_default();
            let filters = pmu.caps.filter_location.get(place);
            let filters = filters.filter(|filters| **filters != location);
            package.boxes.push(Placed {
                name: pmu.box_name(),
                location,
                filters: filters.map(|filters| match filters.as_str() {
                    "missing" => Filters::Missing("only debugfs tells why".to_owned()),
                    _ => Filters::At(filters.clone()),
                }),
            });
        }
    }
    map.packages
        .sort_by_key(|package| package.number.parse::<u32>().ok());
    Ok(map)
}

/// The package that this CPU counts for.
fn at<'a>(map: &'a mut Map, system: &System, cpu: u32) -> Result<&'a mut Package, Error> {
    let text = cpu.to_string();
    let is_it = |package: &Package| package.attribute("cpu") == Some(&text);
    let place = if let Some(place) = map.packages.iter().position(is_it) {
        place
    } else {
        let physical = system.package_of(cpu)?;
        let mut attributes = vec![("cpu".to_owned(), text.clone())];
        let nodes = system.cpus_of_nodes()?;
        let mut nodes = nodes.into_iter().filter(|(_, cpus)| cpus.contains(&cpu));
        attributes.extend(
            nodes
                .next()
                .map(|(node, _)| ("numa".to_owned(), node.to_string())),
        );
        map.packages.push(Package {
            number: physical.unwrap_or_else(|| format!("of CPU {cpu}")),
            attributes,
            ..Package::default()
        });
        map.packages.len() - 1
    };
    Ok(&mut map.packages[place])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_all_kinds_of_lines() {
        let map = text(concat!(
            "  early line\n",
            "package 0: physical 0 cpu 0 numa 0 bus 0000:7f node 0\n",
            "  cbox_0 msr:0xd00\n",
            "  qpi_0 0000:7f:08.2 filters: 0000:7f:08.6\n",
            "  qpi_1 0000:7f:09.2 filters: missing: its PCI function was removed\n",
            "  cbox_3-14 missing: the package has 3\n",
            "  odd\n",
            "package 1: physical 1 offline\n",
            "bus 0000:3f belongs to no package: no map\n",
        ));
        assert_eq!(
            map.remarks,
            [
                "early line",
                "odd",
                "bus 0000:3f belongs to no package: no map"
            ]
        );
        let [first, second] = map.packages.as_slice() else {
            panic!("{map:?}");
        };
        assert_eq!(first.attribute("bus"), Some("0000:7f"));
        assert_eq!(first.boxes[0].place(), ("MSR", "0xd00"));
        assert_eq!(first.boxes[1].place(), ("0000:7f", "08.2"));
        let removed = Filters::Missing("its PCI function was removed".to_owned());
        assert_eq!(first.boxes[2].filters, Some(removed));
        assert_eq!(first.missing[0].names().len(), 12);
        assert_eq!(map.absence("cbox_7"), Some("the package has 3"));
        assert_eq!(map.absence("cbox_2"), None);
        assert_eq!(second.attribute("offline"), Some("yes"));
    }
}
