// SPDX-License-Identifier: GPL-2.0

//! `survey [--dry-run] [--restore] [--point POINT] [-o FILE]`: the readings of the hardware
//! reference that hold on this machine, by experiments with the registers of the counters.
//!
//! `uncore-survey` has the experiments, the registers and the way to restore them. The module is not
//! needed.

mod journal;
mod live;
mod report;

use std::fs;
use std::path::Path;

use uncore_survey::{points, restore_journal, survey, touched};
use uncore_survey::{Dry, Machine, Point, Session, Site};

use crate::cli::Survey;
use crate::counting::CpuPin;
use crate::error::Error;
use crate::outcome::Outcome;
use crate::system::{msr_holders, Driver, Host, System, IN_TREE, MODULE};
use journal::Journal;
pub(crate) use journal::JOURNAL;
use live::Live;

/// Parameter of the kernel's module of MSRs.
const ALLOW_WRITES: &str = "sys/module/msr/parameters/allow_writes";

/// Surveys the machine, or tells what that would touch, or restores what a survey has left. Fails if
/// that cannot be done now, or the file cannot be written.
pub fn run(root: &Path, arguments: &Survey) -> Result<Outcome, Error> {
    let system = System::read(root)?;
    let host = Host::read(&system)?;
    let processor = processor(&host);
    let known =
        processor.and_then(|processor| Some((processor, uncore_survey::processor(processor)?)));
    let Some((processor, name)) = known else {
        return Err(unknown());
    };
    let points = points(name);
    for name in &arguments.points {
        if !points.iter().any(|point| point.name == name) {
            return Err(Error::UnknownPoint(name.clone()));
        }
    }
    if !arguments.dry_run && !system.root.is_live() {
        return Err(Error::NotLive(system.root.path("")));
    }
    if arguments.restore {
        return restore(&system, &host, processor);
    }
    let names = &arguments.points;
    let asked = |point: &Point| names.is_empty() || names.iter().any(|name| point.name == name);
    let text = if arguments.dry_run {
        let cores = live::places(&system)?
            .iter()
            .map(|place| place.cpu)
            .collect();
        let site = Site::of_tables(processor, cores).unwrap_or_default();
        let asked = points.iter().filter(|point| asked(point));
        let touched = asked.map(|point| Ok((point, touched(point, &site)?)));
        let touched: std::io::Result<Vec<(&Point, Dry)>> = touched.collect();
        report::dry(&touched.map_err(Error::Survey)?)
    } else {
        check(&system, &host)?;
        if journal::left(&system.root)?.is_some() {
            return Err(obstacle(
                "a survey has not restored the registers",
                "`uncore survey --restore` does so",
            ));
        }
        surveyed(&system, processor, asked)?
    };
    match &arguments.output {
        Some(file) => {
            fs::write(file, &text).map_err(Error::writing(file))?;
            Ok(Outcome::default())
        }
        None => Ok(Outcome::said(text)),
    }
}

/// Returns family and model of a processor of Intel's.
fn processor(host: &Host) -> Option<(u8, u8)> {
    let (family, model) = host
        .cpu
        .model
        .filter(|_| host.cpu.vendor == "GenuineIntel")?;
    Some((family.try_into().ok()?, model.try_into().ok()?))
}

/// Runs the experiments, and returns the report.
fn surveyed(
    system: &System,
    processor: (u8, u8),
    asked: impl Fn(&Point) -> bool,
) -> Result<String, Error> {
    let machine = find(system, processor)?;
    let enabled = machine.enabled();
    if let Some(first) = enabled.first() {
        return Err(obstacle(
            &format!(
                "counters are enabled: those of {first}, and of {} boxes in all",
                enabled.len()
            ),
            "end perf, pcm and other programs that count; if none runs, one has left them so, and \
             `modprobe intel_uncore` and `modprobe -r intel_uncore`, or a boot, reset them",
        ));
    }
    let site = machine.site().unwrap_or_default();
    // The first core is awake then, and its MSRs need no interrupt of another CPU.
    let _pin = site.cores.first().map(|&first| CpuPin::to(first));
    let mut journal = Journal::new(&system.root)?;
    let mut session = Session::new(&machine, &mut journal);
    let found = survey(&mut session, machine.name, &site, asked);
    let changed = session.end().map_err(Error::Survey)?;
    journal.remove()?;
    // One that ended early has steps behind it that nobody has compared.
    let found = match (found, changed) {
        (Ok(_), Some(changed)) => Err(std::io::Error::other(changed)),
        (found, _) => found,
    };
    report::text(system, &machine, &found.map_err(Error::SurveyEnded)?)
}

/// Restores what a survey has left.
fn restore(system: &System, host: &Host, processor: (u8, u8)) -> Result<Outcome, Error> {
    let Some(journal) = journal::left(&system.root)? else {
        return Ok(Outcome::said(
            "no survey has left registers to be restored\n",
        ));
    };
    check(system, host)?;
    let machine = find(system, processor)?;
    restore_journal(&machine, &journal).map_err(Error::Survey)?;
    let path = system.root.path(JOURNAL);
    fs::remove_file(&path).map_err(Error::writing(&path))?;
    Ok(Outcome::said("all registers are restored\n"))
}

/// Finds the boxes of the machine.
fn find(system: &System, processor: (u8, u8)) -> Result<Machine, Error> {
    let machine = Machine::new(Box::new(Live::new(system, processor)?));
    let machine = machine.ok_or_else(unknown)?;
    match machine.take_forbidden() {
        Some(error) => Err(Error::Survey(error)),
        None => Ok(machine),
    }
}

/// Checks that user space may access the registers, and that nobody else does.
fn check(system: &System, host: &Host) -> Result<(), Error> {
    const CAP_SYS_RAWIO: u32 = 17;
    let root = &system.root;
    if !host.is_capable(CAP_SYS_RAWIO) {
        return Err(obstacle(
            "this user may not access registers",
            "run it as root",
        ));
    }
    if let Some(level) = host.lockdown.as_deref().filter(|&level| level != "none") {
        return Err(obstacle(
            &format!("the kernel is locked down ({level}), and lets nobody write registers"),
            "boot without lockdown= and with Secure Boot off",
        ));
    }
    if !root.has("dev/cpu/0/msr") {
        return Err(obstacle(
            "there is no /dev/cpu/0/msr",
            "`modprobe msr` makes it",
        ));
    }
    if root.optional(ALLOW_WRITES)?.as_deref() == Some("off") {
        return Err(obstacle(
            "the kernel's module msr lets nobody write (msr.allow_writes=off)",
            &format!("`echo on > /{ALLOW_WRITES}` for the time of the survey"),
        ));
    }
    if let Some(holder) = msr_holders(root).first() {
        return Err(obstacle(
            &format!("{holder} has a device of MSRs open"),
            "end it, and try again",
        ));
    }
    for driver in [MODULE, IN_TREE] {
        let events = Driver::read(root, driver).and_then(|driver| driver.events);
        if let Some(events) = events.filter(|&events| events > 0) {
            return Err(obstacle(
                &format!("{events} events of {driver} are open"),
                "end perf, uncore export and other programs that count, then try again",
            ));
        }
    }
    Ok(())
}

fn unknown() -> Error {
    obstacle(
        "the survey does not know this processor",
        "run it on one that the module supports: README.md lists them",
    )
}

fn obstacle(finding: &str, remedy: &str) -> Error {
    Error::Obstacle {
        finding: finding.to_owned(),
        remedy: remedy.to_owned(),
    }
}
