// SPDX-License-Identifier: GPL-2.0

//! State before and after a storm: everything is restored, counts, and leaks no memory.

use super::{actors, BURST};
use uncore_e2e::fixture::{samples, switch, Session, Shape, Wanted};
use uncore_runner::{Config, Flavour, UNLOAD};

/// Kibibytes by which the least memory of two series of readings may differ.
const NOISE: u64 = 1024;

/// Number of readings that are enough to detect a growth.
const LOOKS: usize = 8;

/// Command that loads the driver.
pub(super) const LOAD: &str = "load-module /lib/modules/uncore_rs.ko";

/// Removes the delay of five seconds from test suspensions, and forgets earlier leaks.
pub(super) fn prepare(session: &mut Session) {
    session.ok("echo 0 > /sys/module/suspend/parameters/pm_test_delay");
    session.forget_leaks();
}

/// Restores everything, and returns the error if that fails. The driver is loaded anew,
/// because it looks for broken boxes only then.
pub(super) fn restore(session: &mut Session) -> Option<String> {
    let mut commands: Vec<String> = actors::heals()
        .map(|mend| format!("machine {mend}"))
        .collect();
    commands.push("echo none > /sys/power/pm_test".to_owned());
    commands.extend((1..4).map(|cpu| switch(cpu, true)));
    commands.push("echo 1 > /sys/bus/pci/rescan".to_owned());
    commands.push(format!("{{ [ ! -e /sys/module/uncore_rs ] || {UNLOAD}; }}"));
    commands.push(LOAD.to_owned());
    let output = session.run(&commands.join(" && "));
    (output.status != 0).then(|| format!("not put back: {}", output.stderr))
}

/// Returns the driver's last refusals for another reason than a missing box, if the
/// driver is loaded. perf does not name the reason.
pub(super) fn refusals(session: &mut Session) -> Vec<String> {
    let refused = session.run("cat /sys/kernel/debug/uncore_rs/rejections");
    let others = refused
        .stdout
        .lines()
        .filter(|line| !line.contains("ENODEV"));
    others.map(|line| format!("refused: {line}")).collect()
}

/// Returns the wrong counts of all boxes.
pub(super) fn miscounts(session: &mut Session) -> Vec<String> {
    let packages = Shape::of(&Config::default()).packages();
    session.mismatches(BURST, &packages, &Wanted::all(samples()))
}

/// Returns the kernel's own memory in KiB, without caches and without stacks: the kernel
/// keeps additional workers for a while.
pub(super) fn memory(session: &mut Session) -> u64 {
    let sum = session.ok("echo 2 > /proc/sys/vm/drop_caches; \
         awk '/^(Slab|Percpu|VmallocUsed):/ { sum += $2 } /^KernelStack:/ { sum -= $2 } \
         END { print sum }' /proc/meminfo");
    let number = sum.trim().parse();
    number.unwrap_or_else(|_| panic!("`{sum}` is no number"))
}

/// Returns the least memory in the second and in the last quarter of the readings.
/// One-time allocations are done before the second quarter. Temporary memory is absent
/// from some readings, and a leak is in all of them.
pub(super) fn quarters(memory: &[u64]) -> Option<(u64, u64)> {
    let quarter = memory.len() / 4;
    let second = memory.get(quarter..2 * quarter)?;
    let last = memory.get(memory.len() - quarter..)?;
    Some((*second.iter().min()?, *last.iter().min()?))
}

/// Returns a description of the growth, if the readings are enough to detect one. The
/// debug kernel is left out: it keeps freed memory for a while, to detect a use after free.
pub(super) fn growth(memory: &[u64]) -> Option<String> {
    let (settled, last) = quarters(memory).filter(|_| memory.len() >= LOOKS)?;
    let grown = last > settled + NOISE && Config::default().flavour != Flavour::Debug;
    grown.then(|| format!("memory grew: {memory:?} KiB"))
}

/// Returns the findings of the leak detector, if the kernel has one.
pub(super) fn lost(session: &mut Session) -> Option<String> {
    Some(session.leaks()).filter(|lost| !lost.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_may_grow_at_first_and_for_a_while() {
        let looks = |last| [1000, 8000, 9000, 9500, 12000, 9100, last, 12000];
        assert_eq!(quarters(&looks(9900)), Some((9000, 9900)));
        assert_eq!(growth(&looks(9000 + NOISE)), None);
        assert!(growth(&looks(9001 + NOISE)).is_some());
        assert_eq!(growth(&[1000, 9000]), None, "too few");
        assert_eq!(quarters(&[1000]), None);
    }
}
