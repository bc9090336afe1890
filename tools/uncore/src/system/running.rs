// SPDX-License-Identifier: GPL-2.0

//! Programs that may have their hands on the counters.

use std::fmt;
use std::path::{Path, PathBuf};

use super::{Driver, MODULE};
use crate::root::Root;

/// A running program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Process ID.
    pub pid: u32,
    /// Name of the program.
    pub name: String,
    /// True if it has an MSR device open for writing; false if only its name is known.
    pub writes_msrs: bool,
}

/// Programs known to program uncore counters themselves.
const NAMES: [&str; 5] = [
    "pcm",
    "likwid-accessD",
    "likwid-perfctr",
    "corefreqd",
    "emon",
];

/// Prefixes of other names.
const FAMILIES: [&str; 3] = ["pcm-", "pcm.", "likwid-"];

/// Link of an open event.
const EVENT: &str = "anon_inode:[perf_event]";

/// Returns the programs that have events of the module open, or of any other PMU beside them, as far
/// as this user may see: who is not root sees the exporters only.
pub(super) fn counting(root: &Root) -> Vec<Program> {
    let events = Driver::read(root, MODULE).and_then(|driver| driver.events);
    if events.is_none_or(|events| events == 0) {
        return Vec::new();
    }
    let own = std::process::id();
    let names = root.names("proc").unwrap_or_default();
    let pids = names.iter().filter_map(|name| name.parse().ok());
    let others = pids.filter(|pid| !root.is_live() || *pid != own);
    let programs = others.filter_map(|pid| {
        let of_process = |name: &str| root.text(&format!("proc/{pid}/{name}")).ok();
        let exports = runs_export(&of_process("cmdline").unwrap_or_default());
        let name = if exports {
            "uncore export".to_owned()
        } else {
            of_process("comm")?
        };
        let has_events = || open_files(root, pid).any(|(_, target)| target.as_os_str() == EVENT);
        (exports || has_events()).then_some(Program {
            pid,
            name,
            writes_msrs: false,
        })
    });
    let mut programs: Vec<Program> = programs.collect();
    programs.sort_by_key(|program| program.pid);
    programs
}

/// Says which programs count, after a semicolon; nothing if none is known.
pub(crate) fn holders(root: &Root) -> String {
    let programs = counting(root);
    let names: Vec<String> = programs.iter().map(ToString::to_string).collect();
    if names.is_empty() {
        return String::new();
    }
    format!("; programs with events: {}", names.join(", "))
}

/// Returns whether the words of a command line are those of an exporter, other than its child.
pub(crate) fn runs_export(words: &str) -> bool {
    let mut words = words.split('\0');
    let program = words.next().map(Path::new).and_then(Path::file_name);
    let words: Vec<&str> = words.collect();
    program.is_some_and(|name| name == "uncore")
        && words.contains(&"export")
        && !words.contains(&"--answer")
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (process {})", self.name, self.pid)
    }
}

/// Returns the running programs that are known to program the counters, as far as this user may
/// see them.
pub(super) fn programs(root: &Root) -> Vec<Program> {
    let names = root.names("proc").unwrap_or_default();
    let pids = names.iter().filter_map(|name| name.parse().ok());
    let mut programs: Vec<Program> = pids.filter_map(|pid| program(root, pid)).collect();
    programs.sort_by_key(|program| program.pid);
    programs
}

fn program(root: &Root, pid: u32) -> Option<Program> {
    let name = root.text(&format!("proc/{pid}/comm")).ok()?;
    let writes_msrs = writes_msrs(root, pid);
    let known =
        NAMES.contains(&name.as_str()) || FAMILIES.iter().any(|family| name.starts_with(family));
    (known || writes_msrs).then_some(Program {
        pid,
        name,
        writes_msrs,
    })
}

/// Returns the other programs that have a device of MSRs open.
pub(crate) fn msr_holders(root: &Root) -> Vec<Program> {
    let own = std::process::id();
    let names = root.names("proc").unwrap_or_default();
    let pids = names.iter().filter_map(|name| name.parse().ok());
    let holders = pids.filter(|&pid| pid != own && msrs(root, pid).next().is_some());
    let holders = holders.map(|pid| Program {
        pid,
        name: root.text(&format!("proc/{pid}/comm")).unwrap_or_default(),
        writes_msrs: writes_msrs(root, pid),
    });
    holders.collect()
}

fn writes_msrs(root: &Root, pid: u32) -> bool {
    msrs(root, pid).any(|fd| is_for_writing(root, pid, &fd))
}

/// Returns the numbers of the files of a process that are devices of MSRs.
fn msrs(root: &Root, pid: u32) -> impl Iterator<Item = String> + '_ {
    let files = open_files(root, pid);
    let msrs = files.filter(|(_, at)| at.starts_with("/dev/cpu") && at.ends_with("msr"));
    msrs.map(|(fd, _)| fd)
}

/// The open files of a process by their numbers, as far as this user may see.
fn open_files(root: &Root, pid: u32) -> impl Iterator<Item = (String, PathBuf)> + '_ {
    let fds = root.names(&format!("proc/{pid}/fd")).unwrap_or_default();
    fds.into_iter().filter_map(move |fd| {
        let target = root.link(&format!("proc/{pid}/fd/{fd}"))?;
        Some((fd, target))
    })
}

fn is_for_writing(root: &Root, pid: u32, fd: &str) -> bool {
    let info = root
        .text(&format!("proc/{pid}/fdinfo/{fd}"))
        .unwrap_or_default();
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
    flags.is_some_and(|flags| flags & 3 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exporter_is_told_from_other_programs() {
        for (words, expected) in [
            ("/usr/bin/uncore\0export\0--listen\0[::1]:1\0", true),
            ("uncore\0--root\0/\0export", true),
            ("uncore\0export\0--answer\0", false),
            ("uncore\0stat\0", false),
            ("vim\0uncore\0export\0", false),
            ("", false),
        ] {
            assert_eq!(runs_export(words), expected, "{words}");
        }
    }
}
