// SPDX-License-Identifier: GPL-2.0

//! Checks of the user's permissions, of other programs that use the counters, and of
//! perf.

use super::{Check, Target};
use crate::counting::{self, RESTRICTED};
use crate::survey::JOURNAL;
use crate::system::Program;

const CAP_SYS_ADMIN: u32 = 21;
const CAP_PERFMON: u32 = 38;

/// Modules of other tools that program uncore counters.
const MODULES: [&str; 4] = ["corefreqk", "sep5", "socperf3", "pax"];

/// First version of perf that reads the file `alias`.
const HEEDS_ALIAS: (u32, u32) = (7, 3);

pub(super) fn permissions(target: &Target<'_>) -> Check {
    const NAME: &str = "permissions";
    let host = &target.host;
    if host.is_capable(CAP_SYS_ADMIN) {
        return Check::pass(NAME, "this process has CAP_SYS_ADMIN");
    }
    let strict = host.paranoid.filter(|level| *level >= RESTRICTED);
    match (host.is_capable(CAP_PERFMON), strict, host.paranoid) {
        (true, Some(level), _) if !target.system.root.is_live() || !counting::is_allowed() => {
            Check::failure(
                NAME,
                format!(
                    "kernel.perf_event_paranoid is {level}, at which Debian's kernels let nobody count \
                     without CAP_SYS_ADMIN; this process has CAP_PERFMON only"
                ),
                "run as root, or with CAP_SYS_ADMIN; other kernels, and all at level 2, let \
                 CAP_PERFMON count",
            )
        }
        (true, ..) => Check::pass(NAME, "this process has CAP_PERFMON"),
        (false, _, Some(level @ ..=0)) => Check::pass(
            NAME,
            format!(
                "kernel.perf_event_paranoid is {level}: every user may count, but not with an interval or \
                 an address"
            ),
        ),
        (false, strict, Some(level)) => Check::failure(
            NAME,
            format!(
                "kernel.perf_event_paranoid is {level}, and above 0 a process needs CAP_PERFMON or \
                 CAP_SYS_ADMIN to count for whole packages: this one has neither"
            ),
            match strict {
                Some(_) => {
                    "run as root; or `sysctl kernel.perf_event_paranoid=0`; CAP_PERFMON is not \
                     enough at this level of Debian's kernels"
                }
                None => {
                    "run as root; or `sysctl kernel.perf_event_paranoid=0`; or give the program \
                     the capability: `setcap cap_perfmon=ep $(command -v perf)`"
                }
            },
        ),
        (false, _, None) => Check::warning(
            NAME,
            "proc/sys/kernel/perf_event_paranoid does not say who may count",
            "run as root",
        ),
    }
}

/// Names what a survey has left.
pub(super) fn survey(target: &Target<'_>) -> Option<Check> {
    let root = &target.system.root;
    root.has(JOURNAL).then(|| {
        Check::warning(
            "survey",
            format!(
                "a survey runs, or ended before it had restored the registers of {}",
                root.path(JOURNAL).display()
            ),
            "if none runs, `uncore survey --restore` as root",
        )
    })
}

pub(super) fn programs(target: &Target<'_>) -> Check {
    const NAME: &str = "other programs";
    let modules = MODULES.iter().filter(|name| target.host.has_module(name));
    let modules = modules.map(|name| format!("module {name}"));
    let programs = target.host.programs.iter().map(|program| {
        let how = if program.writes_msrs {
            " has MSRs open for writing"
        } else {
            ""
        };
        format!("{program}{how}")
    });
    let found: Vec<String> = modules.chain(programs).collect();
    let counting: Vec<String> = target
        .host
        .counting
        .iter()
        .map(Program::to_string)
        .collect();
    match (found.is_empty(), target.host.is_capable(CAP_SYS_ADMIN)) {
        (true, _) if !counting.is_empty() => Check::pass(
            NAME,
            format!(
                "these count, and what they hold is not there for others: {}",
                counting.join(", ")
            ),
        ),
        (true, true) => Check::pass(NAME, "no program is known to use the counters"),
        (true, false) => Check::pass(
            NAME,
            "no program that this user can see is known to use the counters",
        ),
        (false, _) => Check::warning(
            NAME,
            format!(
                "these may program the counters themselves: {}",
                found.join(", ")
            ),
            "end them while you count: they and the module change the same registers",
        ),
    }
}

pub(super) fn perf(target: &Target<'_>) -> Check {
    const NAME: &str = "perf";
    let Some(text) = target.perf else {
        let what = if target.system.root.is_live() {
            "perf is not on PATH; uncore works without it"
        } else {
            "not checked: this is a recorded system"
        };
        return Check::pass(NAME, what);
    };
    let platform = target.system.platform().ok();
    if platform.is_some_and(|platform| !platform.has_events_in_perf) {
        let finding = format!(
            "{text} has no events of this processor built in: those of the module are the only list"
        );
        return Check::pass(NAME, finding);
    }
    let has_alias = target.system.pmus.iter().any(|pmu| pmu.alias.is_some());
    match version(text) {
        Some(version) if version < HEEDS_ALIAS && has_alias => Check::pass(
            NAME,
            format!(
                "{text} shows the module's events; for perf's built-in metrics, load the module \
                 with names=compat"
            ),
        ),
        _ => Check::pass(NAME, text),
    }
}

/// Returns the first two numbers in the text.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split(|letter: char| !letter.is_ascii_digit());
    let mut next = || numbers.find(|part| !part.is_empty())?.parse().ok();
    next().zip(next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_versions() {
        assert_eq!(version("perf version 6.12.1"), Some((6, 12)));
        assert_eq!(version("perf version 7.3.g0123"), Some((7, 3)));
        assert_eq!(version("perf"), None);
    }
}
