// SPDX-License-Identifier: GPL-2.0

//! Running exporters, whose events keep a module from being unloaded.

use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{kill_process, Pid, Signal};

use crate::export::{RELEASE, RESUME};
use crate::root::Root;
use crate::system::{runs_export, Driver, MODULE};

/// Time for exporters to let go.
const PATIENCE: Duration = Duration::from_secs(5);
/// Time between two looks whether they have.
const TICK: Duration = Duration::from_millis(20);

/// Exporters that have let go of the counters. They take them again when this is dropped, unless
/// [`Exporters::leave`] is called.
#[derive(Debug, Default)]
pub(super) struct Exporters(Vec<Pid>);

impl Exporters {
    /// Makes the exporters of a running system let go, and waits until they have.
    pub(super) fn release(root: &Root) -> Self {
        if !root.is_live() {
            return Self::default();
        }
        let names = root.names("proc").unwrap_or_default();
        let pids = names.iter().filter_map(|name| name.parse().ok());
        let pids = pids.filter(|pid| is_exporter(root, *pid));
        let mut pids: Vec<Pid> = pids.filter_map(Pid::from_raw).collect();
        pids.retain(|pid| kill_process(*pid, RELEASE).is_ok());
        let end = Instant::now() + PATIENCE;
        let is_used = || {
            let events = Driver::read(root, MODULE).and_then(|driver| driver.events);
            events.is_some_and(|events| events > 0)
        };
        while !pids.is_empty() && is_used() && Instant::now() < end {
            thread::sleep(TICK);
        }
        Self(pids)
    }

    /// Lets them wait until the module is loaded again.
    pub(super) fn leave(mut self) {
        self.0.clear();
    }
}

impl Drop for Exporters {
    fn drop(&mut self) {
        for pid in &self.0 {
            let _ = kill_process(*pid, RESUME);
        }
    }
}

/// Returns whether a process is an exporter, and catches the signal that makes it let go: it would
/// end otherwise.
fn is_exporter(root: &Root, pid: i32) -> bool {
    let maybe = |name: &str| root.text(&format!("proc/{pid}/{name}")).ok();
    let words = maybe("cmdline").unwrap_or_default();
    let status = maybe("status").unwrap_or_default();
    runs_export(&words) && catches(&status, RELEASE)
}

fn catches(status: &str, signal: Signal) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let place = u32::try_from(signal.as_raw() - 1).ok();
    let bit = place.and_then(|place| 1_u64.checked_shl(place));
    mask.zip(bit).is_some_and(|(mask, bit)| mask & bit != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_catches_the_signal_gets_it() {
        for (mask, expected) in [
            ("0000000000000200", true),
            ("0000000000000a00", true),
            ("0000000000000800", false),
            ("x", false),
        ] {
            let status = format!("Name:\tuncore\nSigCgt:\t{mask}\n");
            assert_eq!(catches(&status, RELEASE), expected, "{mask}");
        }
        assert!(!catches("", RELEASE));
    }
}
