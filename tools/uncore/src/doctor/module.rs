// SPDX-License-Identifier: GPL-2.0

//! Checks of the module, its PMUs, its files, its overflow detection, and registers
//! that another program changed.

use std::collections::BTreeSet;

use super::{Check, Target};
use crate::boot::why_not;
use crate::doubts;
use crate::error::Error;
use crate::system::{self, Kernel, Overflow, MODULE};
use crate::table::counted;

const OVERFLOW: &str = "overflow";
const INSTALLED: &str = "installed";

pub(super) fn loaded(target: &Target<'_>, blocked: Option<&str>) -> Check {
    const NAME: &str = "module";
    let host = &target.host;
    if target.is_module_loaded() {
        return match host.state.as_deref() {
            None | Some("live") => Check::pass(NAME, parameters(target)),
            Some(state) => Check::failure(
                NAME,
                format!("{MODULE} is not ready: its state is {state:?}"),
                "wait; if the state stays, `dmesg` shows the reason",
            ),
        };
    }
    let finding = format!("{MODULE} is not loaded");
    let enabled = why_not(&target.system.root, host);
    if let (None, Some(why)) = (blocked, enabled) {
        let finding = format!("{finding}: {}", why.reason);
        return Check::failure(NAME, finding, why.remedy.unwrap_or_default());
    }
    match (blocked, host.installed) {
        (Some(check), _) => Check::failure(
            NAME,
            finding,
            format!("fix the check \"{check}\" above first"),
        ),
        (None, true) => Check::failure(
            NAME,
            format!("{finding}, though it is installed"),
            format!("`modprobe {MODULE}`; if that fails, `dmesg | grep {MODULE}` shows the reason"),
        ),
        (None, false) => not_installed(target, &finding),
    }
}

/// Says why the running kernel has no module.
fn not_installed(target: &Target<'_>, finding: &str) -> Check {
    const LOAD: &str = "`uncore enable` loads it, now and at each boot";
    let release = target.host.release.clone().unwrap_or_default();
    let kernel = Kernel::read(&target.system.root, release);
    let (reason, remedy) = match kernel.module {
        Ok(_) => (String::new(), None),
        Err(absence) => (absence.reason, absence.remedy),
    };
    let remedy = remedy.map_or_else(
        || "boot another kernel".to_owned(),
        |remedy| format!("{remedy}; {LOAD}"),
    );
    let finding = format!(
        "{finding}: Linux {} has no module: {reason}",
        kernel.release
    );
    Check::failure("module", finding, remedy)
}

fn parameters(target: &Target<'_>) -> String {
    let root = &target.system.root;
    let directory = format!("sys/module/{MODULE}/parameters");
    let names = root.names(&directory).unwrap_or_default();
    let text = |name: &String| root.text(&format!("{directory}/{name}")).ok();
    let value = |name: &String| Some(format!("{name}={}", text(name)?));
    let parameters: Vec<String> = names.iter().filter_map(value).collect();
    if parameters.is_empty() {
        format!("{MODULE} is loaded")
    } else {
        format!("{MODULE} is loaded with {}", parameters.join(", "))
    }
}

pub(super) fn pmus(target: &Target<'_>) -> Check {
    const NAME: &str = "PMUs";
    let pmus = &target.system.pmus;
    let events: usize = pmus.iter().map(|pmu| pmu.events().len()).sum();
    let idle: Vec<&str> = pmus
        .iter()
        .filter(|pmu| pmu.cpus.is_empty())
        .map(|pmu| pmu.name.as_str())
        .collect();
    if pmus.is_empty() {
        return Check::failure(
            NAME,
            format!("{MODULE} is loaded but found no box"),
            format!(
                "`dmesg | grep {MODULE}` shows what the module looked for; firmware may hide the uncore"
            ),
        );
    }
    if events == 0 {
        return Check::failure(
            NAME,
            format!("{} without any event", counted(pmus.len(), "PMU", "PMUs")),
            format!("load the module again: `modprobe -r {MODULE}; modprobe {MODULE}`"),
        );
    }
    let finding = format!(
        "{} of {} with {events} events, called {}",
        counted(pmus.len(), "PMU", "PMUs"),
        counted(target.system.units().len(), "kind", "kinds"),
        pmus.iter()
            .map(|pmu| pmu.name.as_str())
            .min()
            .unwrap_or_default()
    );
    if idle.is_empty() {
        Check::pass(NAME, format!("{finding} and so on"))
    } else {
        Check::warning(
            NAME,
            format!("no package has a box for {} now", idle.join(", ")),
            "see the reasons below, and bring offline CPUs online",
        )
    }
}

/// Checks that the module's files are valid.
pub(super) fn files(target: &Target<'_>) -> Check {
    const NAME: &str = "files";
    let mut defects = target.system.all_defects();
    if let Some(defect) = defects.next() {
        let more = defects.count();
        let more = if more == 0 {
            String::new()
        } else {
            format!(" (and {more} more)")
        };
        return Check::failure(
            NAME,
            format!("{defect}{more}"),
            "use the command uncore of the module's version; if it is, please report this",
        );
    }
    let file = format!("sys/kernel/debug/{MODULE}/topology");
    let Err(error) = target.system.root.text(&file) else {
        return Check::pass(NAME, "all files in sysfs and debugfs are valid");
    };
    let why = match error {
        Error::Read { source, .. } => source.to_string(),
        other => other.to_string(),
    };
    Check::warning(
        NAME,
        format!(
            "/{file} cannot be read ({why}): the reasons for missing boxes and refused events are \
             not known"
        ),
        "run this as root, with debugfs mounted: `mount -t debugfs none /sys/kernel/debug`",
    )
}

/// Tells how many events may count something else than the module takes them for.
pub(super) fn doubts(target: &Target<'_>) -> Result<Option<Check>, Error> {
    let pmus = &target.system.pmus;
    let Some(first) = pmus.first() else {
        return Ok(None);
    };
    let all = doubts::doubts(first.platform)?;
    let mut names = BTreeSet::new();
    let mut points = BTreeSet::new();
    for pmu in pmus {
        for event in pmu.events() {
            for doubt in all.iter().filter(|doubt| doubt.is_about(pmu, event)) {
                names.insert((&pmu.unit, &event.name));
                points.insert(&doubt.point);
            }
        }
    }
    Ok((!names.is_empty()).then(|| {
        Check::pass(
            "meanings",
            format!(
                "{} may count something else than their names say, which nobody could try \
                 ({}): `uncore list {}` names them, `uncore explain EVENT` tells what and how \
                 to settle it",
                counted(names.len(), "event", "events"),
                counted(points.len(), "point", "points"),
                doubts::MARK,
            ),
        )
    }))
}

/// Shows how overflows are detected.
pub(super) fn overflow(target: &Target<'_>) -> Vec<Check> {
    let Ok(packages) = target.system.overflows() else {
        return modes(target);
    };
    let mut modes: Vec<(&str, Vec<&str>)> = Vec::new();
    for package in &packages {
        match modes.iter_mut().find(|(mode, _)| *mode == package.mode) {
            Some((_, alike)) => alike.push(&package.package),
            None => modes.push((&package.mode, vec![&package.package])),
        }
    }
    let how = modes
        .iter()
        .map(|(text, packages)| match packages.as_slice() {
            [only] => mode(&format!("package {only}: {text}"), text),
            all => mode(&format!("packages {}: {text}", all.join(", ")), text),
        });
    let tallies = packages.iter().filter_map(tallies);
    how.chain(no_intervals(target))
        .chain(tallies)
        .chain(packages.iter().filter_map(lost))
        .chain(packages.iter().filter_map(tampered))
        .collect()
}

/// Tells that no box of this part has an overflow interrupt, if so.
fn no_intervals(target: &Target<'_>) -> Option<Check> {
    let pmus = &target.system.pmus;
    let has_intervals = pmus.iter().any(|pmu| pmu.format("interval").is_some());
    (!has_intervals && !pmus.is_empty()).then(|| {
        Check::pass(
            OVERFLOW,
            "no counter of this part interrupts: the module finds overflows by polling, and there \
             is no interval=",
        )
    })
}

/// Warns of counters that stood still, because the package or another program cleared their enable
/// bit.
fn lost(package: &Overflow) -> Option<Check> {
    let times = package.tally("level_lost");
    (times > 0).then(|| {
        Check::warning(
            "enable bit",
            format!(
                "package {}: the counters stood still {} until the module enabled them again, \
                 after a sleep of the package or because another program stopped them; registers \
                 of {} were cleared with it",
                package.package,
                counted(times, "time", "times"),
                counted(package.tally("cleared"), "event", "events"),
            ),
            "nothing, if no other program counts the uncore and a tenth of a second after each \
             sleep of the package may be missing; if not, stop the other program, or keep the \
             package awake while you count: hold /dev/cpu_dma_latency open",
        )
    })
}

/// Warns of events that ended, or may be wrong, because another program changed their registers.
fn tampered(package: &Overflow) -> Option<Check> {
    let events = package.tally("tampered");
    (events > 0).then(|| {
        Check::warning(
            "registers",
            format!(
                "package {}: another program wrote registers of {}, which ended, or may be wrong \
                 with tamper=warn",
                package.package,
                counted(events, "event", "events"),
            ),
            format!(
                "`dmesg | grep {MODULE}` names the events and registers; stop other programs that \
                 count the uncore"
            ),
        )
    })
}

/// Warns of interrupts that failed since the module was loaded.
fn tallies(package: &Overflow) -> Option<Check> {
    let number = &package.package;
    let lost = package.tally("caught_by_timer");
    let paused = package.tally("paused");
    let frozen = package.tally("frozen_permille");
    if lost > 0 {
        return Some(Check::warning(
            OVERFLOW,
            format!("package {number}: {lost} overflows were detected without an interrupt"),
            "counts are right, but intervals ended late; overflow=poll uses no interrupts",
        ));
    }
    if paused > 0 {
        return Some(Check::warning(
            OVERFLOW,
            format!("package {number}: interrupts were paused {paused} times"),
            "use longer intervals: interrupts froze the counters for too long, or were too many",
        ));
    }
    (frozen > 0).then(|| {
        Check::warning(
            OVERFLOW,
            format!(
                "package {number}: interrupts froze all counters for {}.{} % of the last second",
                frozen / 10,
                frozen % 10
            ),
            "use longer intervals, or none: counts of all users are too low by this share",
        )
    })
}

/// Shows `caps/overflow` where debugfs cannot be read.
fn modes(target: &Target<'_>) -> Vec<Check> {
    let mut modes: Vec<&str> = Vec::new();
    let caps = target.system.pmus.iter().map(|pmu| &pmu.caps);
    let all = caps.filter_map(|caps| caps.overflow.as_deref());
    for line in all.flat_map(str::lines) {
        if !modes.contains(&line) {
            modes.push(line);
        }
    }
    let modes = modes.into_iter().map(|text| mode(text, text));
    modes.chain(no_intervals(target)).collect()
}

fn mode(finding: &str, mode: &str) -> Check {
    if !system::lacks_interrupts(mode) {
        return Check::pass(OVERFLOW, finding);
    }
    Check::warning(
        OVERFLOW,
        finding,
        "nothing, unless you need interval=, which is refused while counters are polled; `dmesg` \
         shows why there are no interrupts",
    )
}

/// Tells which of the installed kernels have the module, and why others lack it.
pub(super) fn installed(target: &Target<'_>) -> Vec<Check> {
    match Kernel::all(&target.system.root) {
        Ok(kernels) => kernels
            .iter()
            .map(|kernel| installed_for(target, kernel))
            .collect(),
        Err(error) => vec![Check::warning(
            INSTALLED,
            error.to_string(),
            "run this as root",
        )],
    }
}

fn installed_for(target: &Target<'_>, kernel: &Kernel) -> Check {
    let release = &kernel.release;
    let is_running = target.host.release.as_ref() == Some(release);
    match &kernel.module {
        Ok(_) => Check::pass(INSTALLED, format!("Linux {release} has the module")),
        Err(_) if is_running && target.is_module_loaded() => Check::pass(
            INSTALLED,
            format!("Linux {release} has the module loaded, but not installed"),
        ),
        Err(absence) => {
            let finding = format!("Linux {release} has no module: {}", absence.reason);
            match &absence.remedy {
                Some(remedy) => Check::warning(INSTALLED, finding, remedy),
                None => Check::pass(INSTALLED, finding),
            }
        }
    }
}
