// SPDX-License-Identifier: GPL-2.0

//! Whether PMUs count where they say: each CPU in a package of its own, PCI
//! functions near the CPU that counts them.

use std::collections::BTreeSet;

use super::bench::{name, Bench};
use super::ktap::Verdict;
use crate::error::Error;

pub(super) fn check(bench: &Bench) -> Result<Vec<Verdict>, Error> {
    Ok(vec![
        files(bench),
        cpus(bench)?,
        nodes(bench)?,
        maps(bench)?,
    ])
}

/// Whether all files of all PMUs make sense.
fn files(bench: &Bench) -> Verdict {
    let mut verdict = Verdict::new("files");
    for pmu in &bench.system.pmus {
        verdict.looked();
        let complete = pmu.kind.is_some() && !pmu.cpus.is_empty() && !pmu.events().is_empty();
        if !complete {
            verdict.fault(format!("{} has no type, CPU or event", pmu.name));
        }
    }
    for defect in bench.system.all_defects() {
        verdict.fault(defect.to_string());
    }
    verdict
}

/// Whether a PMU has one CPU in each package, and a place for each.
fn cpus(bench: &Bench) -> Result<Verdict, Error> {
    let mut verdict = Verdict::new("cpus");
    for pmu in &bench.system.pmus {
        let mut packages = BTreeSet::new();
        for cpu in &pmu.cpus {
            let file = format!("sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id");
            let package = bench.system.root.text(&file)?;
            verdict.expect(packages.insert(package.clone()), || {
                format!("{} has two CPUs in package {package}", pmu.name)
            });
        }
        let places = pmu.caps.location.len();
        verdict.expect(places == pmu.cpus.len(), || {
            format!(
                "{} has {} CPUs and {places} places",
                pmu.name,
                pmu.cpus.len()
            )
        });
    }
    Ok(verdict)
}

/// Whether PCI functions are on the node of the CPU that counts them.
fn nodes(bench: &Bench) -> Result<Verdict, Error> {
    let mut verdict = Verdict::new("nodes");
    verdict.skip("the system does not say which node a PCI function is on");
    let map = bench.system.map()?;
    for pmu in &bench.system.pmus {
        for (cpu, location) in pmu.cpus.iter().zip(&pmu.caps.location) {
            let package = map.package_on(*cpu);
            let of_cpu = package.and_then(|package| package.attribute("numa")?.parse::<i64>().ok());
            let (Some(of_cpu), Some(of_function)) = (of_cpu, node(bench, location)) else {
                continue;
            };
            verdict.expect(of_cpu == of_function, || {
                format!(
                    "{} on CPU {cpu} is {location} of node {of_function}, and the CPU of node {of_cpu}",
                    pmu.name
                )
            });
        }
    }
    Ok(verdict)
}

fn node(bench: &Bench, location: &str) -> Option<i64> {
    let file = format!("sys/bus/pci/devices/{location}/numa_node");
    let text = bench.system.root.optional(&file).ok()??;
    text.parse().ok().filter(|node| *node >= 0)
}

/// Whether the module's map has no package twice, and all boxes that count.
fn maps(bench: &Bench) -> Result<Verdict, Error> {
    let mut verdict = Verdict::new("map");
    let map = bench.system.map()?;
    let mut nodes = BTreeSet::new();
    for package in &map.packages {
        if let Some(node) = package.attribute("node") {
            verdict.expect(nodes.insert(node), || {
                format!("two packages are node {node}")
            });
        }
    }
    for (pmu, place) in bench.boxes() {
        let boxes = map.package_on(place.cpu).map(|package| &package.boxes);
        let known = boxes.is_some_and(|boxes| {
            let mut boxes = boxes.iter();
            boxes.any(|placed| placed.name == pmu.box_name())
        });
        verdict.expect(known, || format!("the map lacks {}", name(pmu, place)));
    }
    Ok(verdict)
}
