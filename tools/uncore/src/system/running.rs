// SPDX-License-Identifier: GPL-2.0

//! Programs that may have their hands on the counters.

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

/// Returns the running programs, as far as this user may see them.
pub(super) fn programs(root: &Root) -> Vec<Program> {
    let names = root.names("proc").unwrap_or_default();
    let pids = names.iter().filter_map(|name| name.parse().ok());
    let mut programs: Vec<Program> = pids.filter_map(|pid| program(root, pid)).collect();
    programs.sort_by_key(|program| program.pid);
    programs
}

fn program(root: &Root, pid: u32) -> Option<Program> {
    let name = root.optional(&format!("proc/{pid}/comm")).ok()??;
    let writes_msrs = writes_msrs(root, pid);
    let known =
        NAMES.contains(&name.as_str()) || FAMILIES.iter().any(|family| name.starts_with(family));
    (known || writes_msrs).then_some(Program {
        pid,
        name,
        writes_msrs,
    })
}

fn writes_msrs(root: &Root, pid: u32) -> bool {
    let open = root.names(&format!("proc/{pid}/fd")).unwrap_or_default();
    open.iter().any(|fd| {
        let target = root.link(&format!("proc/{pid}/fd/{fd}"));
        target.is_some_and(|target| target.starts_with("/dev/cpu") && target.ends_with("msr"))
            && is_for_writing(root, pid, fd)
    })
}

fn is_for_writing(root: &Root, pid: u32, fd: &str) -> bool {
    let info = root
        .optional(&format!("proc/{pid}/fdinfo/{fd}"))
        .ok()
        .flatten();
    let info = info.unwrap_or_default();
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
    flags.is_some_and(|flags| flags & 3 != 0)
}
