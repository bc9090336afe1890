// SPDX-License-Identifier: GPL-2.0

//! Every name in `events/`, of every platform, as perf would use it.

use super::*;
use crate::{
    computer::{attributes, processors},
    linux::perf,
    sweep::{file, of_file},
    uncore::pmu::UncorePmu,
};
use uncore_e2e::{
    formats::{bits, deposit},
    prelude::{Platform, Processor, Words},
};

/// Returns a machine of each processor with the first word of its PMUs: one package, of the larger
/// part.
pub(super) fn machines() -> impl Iterator<Item = (&'static str, String)> {
    each_machine()
        .map(|(processor, machine)| (processor.on(|| Platform::current().name()), machine))
}

fn each_machine() -> impl Iterator<Item = (Processor, String)> {
    processors().map(|processor| {
        let is_large = processor.on(Platform::has_large_part);
        let part = if is_large { ",part=ex" } else { "" };
        let machine = format!("platform={},packages=1,cores=2{part}", processor.name());
        (processor, machine)
    })
}

/// The event that shows what another one counts, and is nothing without it.
const NEEDS_ANOTHER: &str = "counter0_occupancy";

/// A request that traffic.rst has none of.
const WITHOUT_TRAFFIC: &str = "llc_misses.mmio_write";

/// A value for a field that the user must give.
const ANY: u64 = 1;

/// Returns the words of an event, and whether the user must give some of their bits.
pub(super) fn words(pmu: &str, name: &str) -> (Words, bool) {
    let mut asks = false;
    let place = |field: &str| bits((field, &file(pmu, c"format", field)));
    let words = of_file(pmu, name, place, |_, mask| {
        asks = true;
        deposit(mask, ANY)
    });
    (words, asks)
}

/// perf has wrong codes for these boxes.
#[test]
fn all_boxes_but_those_that_perf_has_wrong_have_an_alias() {
    for (processor, machine) in each_machine() {
        let kinds = processor.on(|| Platform::asked().without_alias);
        let wrong = kinds.iter().map(|kind| processor.on(|| kind.unit()));
        let wrong: Vec<_> = wrong.collect();
        let prefix = processor.on(|| Platform::current().name());
        with_driver(&machine, "auto", |_| {
            let topology = debugfs("topology");
            let present = topology.lines().filter(|line| !line.contains("missing:"));
            let boxes = present.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
            for unit in boxes {
                let is_wrong = wrong.iter().any(|kind| unit.starts_with(kind));
                let alias = known(&format!("{prefix}_uncore_{unit}")).show(None, "alias");
                let right = (!is_wrong).then(|| format!("uncore_{unit}\n"));
                assert_eq!(alias, right, "{machine}");
            }
        });
    }
}

/// Each name can be opened, breaks no rule of the hardware and, if the user has nothing to add,
/// counts something.
#[test]
fn every_name_counts() {
    const BURST: u64 = 1 << 22;
    let mut wrong = Vec::new();
    for (prefix, machine) in machines() {
        with_driver(&machine, "auto", |host| {
            assert_eq!(host.command("violations"), "", "{machine}");
            let listed = debugfs("events");
            for line in listed.lines() {
                let mut line = line.split(' ');
                let (unit, name) = (line.next().expect("a unit"), line.next().expect("a name"));
                if name == NEEDS_ANOTHER {
                    continue;
                }
                let pmus = [unit, &format!("{unit}_0")].map(|it| format!("{prefix}_uncore_{it}"));
                let is_there = |pmu: &&String| perf::find::<UncorePmu>(pmu).is_some();
                let Some(pmu) = pmus.iter().find(is_there) else {
                    wrong.push(format!("{machine} {unit} is missing"));
                    continue;
                };
                let (words, asks) = words(pmu, name);
                match known(pmu).open(&attributes(words, 0), None) {
                    Ok(event) => {
                        host.command(&format!("burst {BURST}"));
                        if event.read() == 0 && !asks && name != WITHOUT_TRAFFIC {
                            wrong.push(format!("{machine} {unit} {name} counts nothing"));
                        }
                    }
                    Err(_) if asks => {}
                    Err(error) => wrong.push(format!("{machine} {unit} {name}: {error:?}")),
                }
                let broken = host.command("violations");
                if !broken.is_empty() {
                    wrong.push(format!("{machine} {unit} {name}: {broken}"));
                    host.command("clear-violations");
                }
            }
        });
    }
    assert!(wrong.is_empty(), "{}: {wrong:#?}", wrong.len());
}
