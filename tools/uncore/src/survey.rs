// SPDX-License-Identifier: GPL-2.0

//! `survey [--dry-run] [--interrupts] [--point POINT] [-o FILE]`: the readings of the hardware
//! reference that hold on this machine, by experiments with the registers of the counters.
//!
//! `uncore-survey` has the experiments. The module runs their steps behind a file in debugfs, and
//! restores all registers when the file is closed.

mod live;
mod report;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use uncore_survey::{layout, points, survey, touched, Dry, Point, Site};

use crate::cli::Survey;
use crate::counting::CpuPin;
use crate::error::Error;
use crate::outcome::Outcome;
use crate::system::{numbers, Host, Placed, System};
use live::Live;

/// Directory of the PCI functions.
const DEVICES: &str = "sys/bus/pci/devices";

/// Surveys the machine, or tells what that would touch. Fails if the module cannot do it now, or the
/// file cannot be written.
pub fn run(root: &Path, arguments: &Survey) -> Result<Outcome, Error> {
    let system = System::with_pmus(root)?;
    let platform = surveyed(&system)?;
    let points = points(platform);
    for name in &arguments.points {
        if !points.iter().any(|point| point.name == name) {
            return Err(Error::UnknownPoint(name.clone()));
        }
    }
    let names = &arguments.points;
    let asked = |point: &Point| names.is_empty() || names.iter().any(|name| point.name == name);
    let site = site(&system, platform)?;
    let text = if arguments.dry_run {
        let asked = points.iter().filter(|point| asked(point));
        let touched = asked.map(|point| Ok((point, touched(point, &site)?)));
        let touched: std::io::Result<Vec<(&Point, Dry)>> = touched.collect();
        report::dry(&touched.map_err(Error::Survey)?)
    } else {
        if !system.root.is_live() {
            return Err(Error::NotLive(system.root.path("")));
        }
        // Overflows interrupt the last core, which must have nothing to do meanwhile.
        let _pin = site.cores.first().map(|&first| CpuPin::to(first));
        let mut live = Live::open(system.root.clone())?;
        let found = survey(&mut live, platform, &site, arguments.interrupts, asked)
            .map_err(Error::Survey)?;
        drop(live);
        report::text(&system, &found)?
    };
    match &arguments.output {
        Some(file) => {
            fs::write(file, &text).map_err(Error::writing(file))?;
            Ok(Outcome::default())
        }
        None => Ok(Outcome::said(text)),
    }
}

/// Processors that the survey knows by another name than the module's: Westmere-EX.
const WESTMERE: (u32, &str) = (47, "wsmex");

/// Returns the survey's name of the platform.
fn surveyed(system: &System) -> Result<&'static str, Error> {
    let (model, name) = WESTMERE;
    let host = Host::read(system)?;
    let is_westmere = host.cpu.model.is_some_and(|(_, found)| found == model);
    Ok(if is_westmere {
        name
    } else {
        system.platform()?.name
    })
}

/// Returns the package to survey: the one with most boxes of those that have a CPU.
fn site(system: &System, platform: &str) -> Result<Site, Error> {
    let map = system.map()?;
    let packages = map.packages.iter();
    let with_cpu = packages.filter(|package| package.attribute("cpu").is_some());
    let package = with_cpu.rev().max_by_key(|package| package.boxes.len());
    let package = package.ok_or_else(|| Error::NoPmus(system.root.path("sys")))?;
    let physical = package.attribute("physical").unwrap_or(&package.number);
    let boxes = || package.boxes.iter();
    let place = |placed: &Placed| (placed.name.clone(), placed.location.clone());
    let cores = cores(system, physical)?;
    let most = cores.values().map(Vec::len).max().unwrap_or(0);
    let threads = cores
        .values()
        .all(|cpus| cpus.len() == most)
        .then_some(most);
    Ok(Site {
        platform: platform.to_owned(),
        package: package.number.clone(),
        boxes: boxes().map(|placed| placed.name.clone()).collect(),
        locations: boxes().map(place).collect(),
        cores: cores
            .values()
            .filter_map(|cpus| cpus.first().copied())
            .collect(),
        core_ids: cores.keys().copied().collect(),
        threads: threads
            .and_then(|threads| threads.try_into().ok())
            .unwrap_or(0),
        layout: layout(platform),
        functions: functions(system, boxes())?,
    })
}

/// Returns the online CPUs of each core of a package, by its physical number.
fn cores(system: &System, physical: &str) -> Result<BTreeMap<u32, Vec<u32>>, Error> {
    const CPUS: &str = "sys/devices/system/cpu";
    let online = system.root.optional(&format!("{CPUS}/online"))?;
    let online = online.and_then(|list| numbers(&list)).unwrap_or_default();
    let mut cores: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for cpu in online {
        if system.package_of(cpu)?.as_deref() != Some(physical) {
            continue;
        }
        let path = format!("{CPUS}/cpu{cpu}/topology/core_id");
        let core = system.root.optional(&path)?;
        if let Some(core) = core.and_then(|core| core.parse().ok()) {
            cores.entry(core).or_default().push(cpu);
        }
    }
    Ok(cores)
}

/// Returns the device IDs of the functions on the bus of some boxes, by place. The IRP is on another
/// bus.
fn functions<'a>(
    system: &System,
    boxes: impl Iterator<Item = &'a Placed>,
) -> Result<BTreeMap<String, u16>, Error> {
    let here = boxes.filter(|placed| placed.name != "irp");
    let buses = here.filter_map(|placed| placed.location.rsplit_once(':'));
    let buses: BTreeSet<&str> = buses.map(|(bus, _)| bus).collect();
    let mut functions = BTreeMap::new();
    if buses.is_empty() {
        return Ok(functions);
    }
    for name in system.root.names(DEVICES)? {
        let Some((_, place)) = name.rsplit_once(':').filter(|(bus, _)| buses.contains(bus)) else {
            continue;
        };
        let id = system.root.optional(&format!("{DEVICES}/{name}/device"))?;
        let id = id.and_then(|id| u16::from_str_radix(id.trim_start_matches("0x"), 16).ok());
        functions.extend(id.map(|id| (place.to_owned(), id)));
    }
    Ok(functions)
}
