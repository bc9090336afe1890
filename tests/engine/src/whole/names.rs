// SPDX-License-Identifier: GPL-2.0

//! Every name in `events/`, of every platform, as perf would use it.

use super::*;
use crate::{
    linux::perf::{self, Known},
    uncore::{pmu::UncorePmu, table::field::mask},
};
use kernel::str::CStr;
use std::sync::Arc;

/// A machine of each platform, with the first word of its PMUs.
const MACHINES: [(&str, &str); 5] = [
    ("ivbep", "packages=1,cores=2,part=ex"),
    ("bdx", "platform=bdx,packages=1,cores=2,part=ex"),
    ("snb", "platform=snb,cores=2"),
    ("nhmex", "platform=nhmex,packages=1,cores=2"),
    ("nhmex", "platform=wsmex,packages=1,cores=2"),
];

/// The event that shows what another one counts, and is nothing without it.
const NEEDS_ANOTHER: &str = "counter0_occupancy";

/// A request that traffic.rst has none of.
const WITHOUT_TRAFFIC: &str = "llc_misses.mmio_write";

/// A value for a field that the user must give.
const ANY: u64 = 1;

/// Returns the content of a file of a PMU.
fn content(pmu: &Known<UncorePmu>, group: &CStr, name: &str) -> Option<String> {
    let text = pmu.show(Some(group), name)?;
    Some(text.trim_end().to_owned())
}

/// Sets a field by its file in `format/`, as perf does.
fn set(words: &mut ConfigWords, format: &str, mut value: u64) {
    let (word, ranges) = format.split_once(':').expect("config:0-7,21");
    for range in ranges.split(',') {
        let (low, high) = range.split_once('-').unwrap_or((range, range));
        let number = |text: &str| text.parse::<u8>().expect("a bit");
        let (low, high) = (number(low), number(high));
        let bits = mask(high - low + 1);
        *match word {
            "config" => &mut words.config,
            "config1" => &mut words.config1,
            _ => &mut words.config2,
        } |= (value & bits) << low;
        value = value.checked_shr((high - low + 1).into()).unwrap_or(0);
    }
}

/// Returns the PMU of a name.
pub(super) fn find(name: &str) -> Option<Arc<Known<UncorePmu>>> {
    perf::find(name)
}

/// Returns the words of an event, and whether the user must give some of their bits.
pub(super) fn words(pmu: &Known<UncorePmu>, name: &str) -> (ConfigWords, bool) {
    let (mut words, mut asks) = (ConfigWords::default(), false);
    for term in content(pmu, c"events", name).expect(name).split(',') {
        let (field, value) = term.split_once('=').unwrap_or((term, "1"));
        let format = content(pmu, c"format", field).unwrap_or_else(|| panic!("{name}: {field}"));
        asks |= value == "?";
        let value = match value.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).expect(term),
            None => value.parse().unwrap_or(ANY),
        };
        set(&mut words, &format, value);
    }
    (words, asks)
}

/// Each name can be opened, breaks no rule of the hardware and, if the user has nothing to add,
/// counts something.
#[test]
fn every_name_counts() {
    const BURST: u64 = 1 << 22;
    let mut wrong = Vec::new();
    for (prefix, machine) in MACHINES {
        with_driver(machine, "auto", |host| {
            assert_eq!(host.command("violations"), "", "{machine}");
            let listed = debugfs("events");
            for line in listed.lines() {
                let mut line = line.split(' ');
                let (unit, name) = (line.next().expect("a unit"), line.next().expect("a name"));
                if name == NEEDS_ANOTHER {
                    continue;
                }
                let of = |unit: &str| find(&format!("{prefix}_uncore_{unit}"));
                let Some(pmu) = of(unit).or_else(|| of(&format!("{unit}_0"))) else {
                    wrong.push(format!("{machine} {unit} is missing"));
                    continue;
                };
                let (words, asks) = words(&pmu, name);
                let attr = Attr {
                    words,
                    ..attr(0, 0)
                };
                match pmu.open(&attr, None) {
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
