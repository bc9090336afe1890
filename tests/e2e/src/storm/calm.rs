// SPDX-License-Identifier: GPL-2.0

//! Before and after a storm: everything is put back, counts, and holds no memory.

use super::{actors, BURST};
use crate::fixture::{samples, switch, Session, Shape, Wanted};
use crate::{Config, UNLOAD};

/// Kibibytes by which the least of the kernel's memory may differ between some looks and
/// others.
const NOISE: u64 = 1024;

/// Looks that tell whether it grows.
const LOOKS: usize = 8;

/// The driver, as it is loaded.
pub(super) const LOAD: &str = "load-module /lib/modules/ivbep_uncore.ko";

/// A suspension that is a test waits for five seconds if it is not told otherwise.
pub(super) fn prepare(session: &mut Session) {
    session.ok("echo 0 > /sys/module/suspend/parameters/pm_test_delay");
    session.forget_leaks();
}

/// Puts everything back. What broke is only found again when the driver is loaded anew.
/// What cannot be done.
pub(super) fn restore(session: &mut Session) -> Option<String> {
    let mut commands: Vec<String> = actors::mends()
        .map(|mend| format!("machine {mend}"))
        .collect();
    commands.push("echo none > /sys/power/pm_test".to_owned());
    commands.extend((1..4).map(|cpu| switch(cpu, true)));
    commands.push("echo 1 > /sys/bus/pci/rescan".to_owned());
    commands.push(format!(
        "{{ [ ! -e /sys/module/ivbep_uncore ] || {UNLOAD}; }}"
    ));
    commands.push(LOAD.to_owned());
    let output = session.run(&commands.join(" && "));
    (output.status != 0).then(|| format!("not put back: {}", output.stderr))
}

/// What the driver has refused last, if it is there, for another reason than that a box
/// is away. perf does not tell which it was.
pub(super) fn refusals(session: &mut Session) -> Vec<String> {
    let refused = session.run("cat /sys/kernel/debug/ivbep_uncore/rejections");
    let others = refused
        .stdout
        .lines()
        .filter(|line| !line.contains("ENODEV"));
    others.map(|line| format!("refused: {line}")).collect()
}

/// What every box counts wrong.
pub(super) fn miscounts(session: &mut Session) -> Vec<String> {
    let packages = Shape::of(&Config::default()).packages();
    session.mismatches(BURST, &packages, &Wanted::all(samples()))
}

/// The kernel's own memory in KiB, without what it can give back, and without stacks: it
/// keeps more and more workers for a while.
pub(super) fn memory(session: &mut Session) -> u64 {
    let sum = session.ok("echo 2 > /proc/sys/vm/drop_caches; \
         awk '/^(Slab|Percpu|VmallocUsed):/ { sum += $2 } /^KernelStack:/ { sum -= $2 } \
         END { print sum }' /proc/meminfo");
    let number = sum.trim().parse();
    number.unwrap_or_else(|_| panic!("`{sum}` is no number"))
}

/// The least in the second quarter of the looks, when what is needed once is there, and in
/// the last: what comes and goes is not there at some look, what is lost at all of them.
pub(super) fn quarters(memory: &[u64]) -> Option<(u64, u64)> {
    let quarter = memory.len() / 4;
    let second = memory.get(quarter..2 * quarter)?;
    let last = memory.get(memory.len() - quarter..)?;
    Some((*second.iter().min()?, *last.iter().min()?))
}

/// Memory that is lost by the looks, if they are enough to tell. The debug kernel keeps
/// notes of what it has freed.
pub(super) fn growth(memory: &[u64]) -> Option<String> {
    let (settled, last) = quarters(memory).filter(|_| memory.len() >= LOOKS)?;
    let grown = last > settled + NOISE && Config::default().flavour.frees_at_once();
    grown.then(|| format!("memory grew: {memory:?} KiB"))
}

/// What the leak detector finds, if there is one.
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
