// SPDX-License-Identifier: GPL-2.0

//! The module, its PMUs, its files, how it notices overflows, and who writes its registers.

use super::{Check, Patient};
use crate::error::Error;
use crate::system::{Overflow, MODULE};
use crate::table::counted;

const OVERFLOW: &str = "overflow";

pub(super) fn loaded(patient: &Patient<'_>, blocked: Option<&str>) -> Check {
    const NAME: &str = "module";
    let host = &patient.host;
    if patient.is_module_loaded() {
        return match host.state.as_deref() {
            None | Some("live") => Check::pass(NAME, parameters(patient)),
            Some(state) => Check::failure(
                NAME,
                format!("{MODULE} is not ready, but {state:?}"),
                "wait; if it stays so, dmesg has the reason",
            ),
        };
    }
    let finding = format!("{MODULE} is not loaded");
    match (blocked, host.installed) {
        (Some(check), _) => {
            Check::failure(NAME, finding, format!("see to the {check} first, above"))
        }
        (None, true) => Check::failure(
            NAME,
            format!("{finding}, though it is installed"),
            format!("`modprobe {MODULE}`; if that fails, `dmesg | grep {MODULE}` has the reason"),
        ),
        (None, false) => Check::failure(
            NAME,
            finding,
            format!(
                "`make modules modules_install KDIR=/lib/modules/$(uname -r)/build`, then \
                 `modprobe {MODULE}`; if that fails, `dmesg | grep {MODULE}` has the reason"
            ),
        ),
    }
}

fn parameters(patient: &Patient<'_>) -> String {
    let names = format!("sys/module/{MODULE}/parameters");
    let names = patient.system.root.names(&names).unwrap_or_default();
    let value = |name: &String| Some(format!("{name}={}", patient.system.parameter(name)?));
    let parameters: Vec<String> = names.iter().filter_map(value).collect();
    if parameters.is_empty() {
        format!("{MODULE} is loaded")
    } else {
        format!("{MODULE} is loaded with {}", parameters.join(", "))
    }
}

pub(super) fn pmus(patient: &Patient<'_>) -> Check {
    const NAME: &str = "PMUs";
    let pmus = &patient.system.pmus;
    let events: usize = pmus.iter().map(|pmu| pmu.events().len()).sum();
    let idle: Vec<&str> = pmus
        .iter()
        .filter(|pmu| pmu.cpus.is_empty())
        .map(|pmu| pmu.name.as_str())
        .collect();
    if pmus.is_empty() {
        return Check::failure(
            NAME,
            format!("{MODULE} is loaded and has found no box"),
            format!(
                "`dmesg | grep {MODULE}` says what it looked for; firmware may hide the uncore"
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
        counted(patient.system.units().len(), "kind", "kinds"),
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
            "see below for the reasons, and bring back CPUs that are offline",
        )
    }
}

/// Whether the module's files make sense.
pub(super) fn files(patient: &Patient<'_>) -> Check {
    const NAME: &str = "files";
    let mut defects = patient.system.all_defects();
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
            "use the ivbep-uncore that came with the module, and report this if it did",
        );
    }
    let file = format!("sys/kernel/debug/{MODULE}/topology");
    let Err(error) = patient.system.root.text(&file) else {
        return Check::pass(NAME, "sysfs and debugfs can be read and make sense");
    };
    let why = match error {
        Error::Read { source, .. } => source.to_string(),
        other => other.to_string(),
    };
    Check::warning(
        NAME,
        format!(
            "/{file} cannot be read ({why}): why boxes are missing and events refused is not known"
        ),
        "run this as root, with debugfs mounted: `mount -t debugfs none /sys/kernel/debug`",
    )
}

/// How overflows are noticed.
pub(super) fn overflow(patient: &Patient<'_>) -> Vec<Check> {
    let Ok(packages) = patient.system.overflows() else {
        return modes(patient);
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
    how.chain(tallies)
        .chain(packages.iter().filter_map(tampered))
        .collect()
}

/// Events that have ended because their registers were changed.
fn tampered(package: &Overflow) -> Option<Check> {
    let ended = package.tally("tampered");
    (ended > 0).then(|| {
        Check::warning(
            "registers",
            format!(
                "package {}: {} ended because somebody else wrote their registers",
                package.package,
                counted(
                    usize::try_from(ended).unwrap_or(usize::MAX),
                    "event",
                    "events"
                ),
            ),
            format!(
                "`dmesg | grep {MODULE}` names the events and registers; stop other programs that \
                 count the uncore"
            ),
        )
    })
}

/// What went wrong since the module was loaded.
fn tallies(package: &Overflow) -> Option<Check> {
    let number = &package.package;
    let lost = package.tally("caught_by_watchdog");
    let throttled = package.tally("throttled");
    if lost > 0 {
        return Some(Check::warning(
            OVERFLOW,
            format!("package {number}: {lost} overflows were noticed without their interrupt"),
            "counts are right, but intervals were late; overflow=poll does without interrupts",
        ));
    }
    (throttled > 0).then(|| {
        Check::warning(
            OVERFLOW,
            format!("package {number}: its counters had to rest {throttled} times"),
            "there were too many interrupts: take longer intervals",
        )
    })
}

/// As `caps/overflow` has it, where debugfs cannot be read.
fn modes(patient: &Patient<'_>) -> Vec<Check> {
    let mut modes: Vec<&str> = Vec::new();
    let caps = patient.system.pmus.iter().map(|pmu| &pmu.caps);
    let all = caps.filter_map(|caps| caps.overflow.as_deref());
    for line in all.flat_map(str::lines) {
        if !modes.contains(&line) {
            modes.push(line);
        }
    }
    modes.into_iter().map(|text| mode(text, text)).collect()
}

fn mode(finding: &str, mode: &str) -> Check {
    let by_design = [
        "the box has no overflow interrupt",
        "chosen with overflow=poll",
    ];
    let is_meant = by_design.iter().any(|reason| mode.contains(reason));
    if is_meant || !mode.contains("poll: ") {
        return Check::pass(OVERFLOW, finding);
    }
    Check::warning(
        OVERFLOW,
        finding,
        "nothing, unless you need interval=, which is refused while counters are polled; dmesg \
         says how the trial of interrupts went",
    )
}
