// SPDX-License-Identifier: GPL-2.0

//! Test that each CPU of a PMU is in a package of its own, and its PCI functions are on a
//! node of that package.

use std::collections::BTreeSet;

use super::fixture::{name, Fixture};
use super::ktap::Verdict;
use crate::error::Error;

pub(super) fn check(fixture: &Fixture) -> Result<Vec<Verdict>, Error> {
    Ok(vec![
        files(fixture),
        cpus(fixture)?,
        nodes(fixture)?,
        maps(fixture)?,
    ])
}

/// Tests that all files of all PMUs are valid.
fn files(fixture: &Fixture) -> Verdict {
    let mut verdict = Verdict::new("files");
    for pmu in &fixture.system.pmus {
        verdict.looked();
        let complete = pmu.kind.is_some() && !pmu.cpus.is_empty() && !pmu.events().is_empty();
        if !complete {
            verdict.fault(format!("{} has no type, CPU or event", pmu.name));
        }
    }
    for defect in fixture.system.all_defects() {
        verdict.fault(defect.to_string());
    }
    verdict
}

/// Tests that a PMU has one CPU in each package, and a location for each.
fn cpus(fixture: &Fixture) -> Result<Verdict, Error> {
    let mut verdict = Verdict::new("cpus");
    for pmu in &fixture.system.pmus {
        let mut packages = BTreeSet::new();
        for cpu in &pmu.cpus {
            let file = format!("sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id");
            let package = fixture.system.root.text(&file)?;
            verdict.expect(packages.insert(package.clone()), || {
                format!("{} has two CPUs in package {package}", pmu.name)
            });
        }
        let places = pmu.caps.location.len();
        verdict.expect(places == pmu.cpus.len(), || {
            format!(
                "{} has {} CPUs and {places} locations",
                pmu.name,
                pmu.cpus.len()
            )
        });
    }
    Ok(verdict)
}

/// Tests that PCI functions are on a node of the package of the CPU that counts for them.
fn nodes(fixture: &Fixture) -> Result<Verdict, Error> {
    let mut verdict = Verdict::new("nodes");
    verdict.skip("the system does not show the node of a PCI function");
    let nodes = fixture.system.numa_nodes()?;
    for pmu in &fixture.system.pmus {
        for (cpu, location) in pmu.cpus.iter().zip(&pmu.caps.location) {
            let package = fixture.system.package_of(*cpu)?;
            let of_package = package.and_then(|package| nodes.get(&package));
            let (Some(of_package), Some(of_function)) = (of_package, node(fixture, location))
            else {
                continue;
            };
            verdict.expect(of_package.contains(&of_function), || {
                format!(
                    "{} on CPU {cpu} is {location} of node {of_function}, and the CPU of a package \
                     with the nodes {of_package:?}",
                    pmu.name
                )
            });
        }
    }
    Ok(verdict)
}

/// Returns the NUMA node of a PCI function, if firmware tells it.
fn node(fixture: &Fixture, location: &str) -> Option<u32> {
    let file = format!("sys/bus/pci/devices/{location}/numa_node");
    fixture.system.root.text(&file).ok()?.parse().ok()
}

/// Tests that the module's map has each package once, and all boxes that count.
fn maps(fixture: &Fixture) -> Result<Verdict, Error> {
    let mut verdict = Verdict::new("map");
    let map = fixture.system.map()?;
    let mut nodes = BTreeSet::new();
    for package in &map.packages {
        if let Some(node) = package.attribute("node") {
            verdict.expect(nodes.insert(node), || {
                format!("two packages have node {node}")
            });
        }
    }
    for (pmu, place) in fixture.boxes() {
        let boxes = map.package_on(place.cpu).map(|package| &package.boxes);
        let known = boxes.is_some_and(|boxes| {
            let mut boxes = boxes.iter();
            boxes.any(|placed| placed.name == pmu.box_name())
        });
        verdict.expect(known, || format!("the map lacks {}", name(pmu, place)));
    }
    Ok(verdict)
}
