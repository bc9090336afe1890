// SPDX-License-Identifier: GPL-2.0

//! Every event of the manual on every counter: the model's count is that of the definition where the
//! event can count, and 0 elsewhere.

use uncore_machine::Rule;

use crate::bench::Bench;
use crate::sites::{program, read, site_of, uclk, SITES};
use uncore_catalogue::{rows, Row};
use uncore_definition::{count, Setting, PLAIN};

/// Cycles of the box's clock: 128 rounds and a part of one.
const OWN: u64 = 128 * 32 + 21;

/// Filters that let something of everything pass.
fn open(kind: &str) -> [u64; 4] {
    match kind {
        "CBO" => [0x3f << 17, 0x1c8 << 20 | 0xffff, 0, 0],
        "HA" => [0xffff_ffc0, 0x3fff, 0x32, 0],
        "PCU" => [0x1414_1410, 0, 0, 0],
        _ => [0; 4],
    }
}

fn setting(kind: &'static str, row: &Row, counter: usize) -> Setting {
    Setting {
        kind,
        counter,
        ext: row.ext == Some(true),
        code: row.code,
        umask: row.umask,
        filters: open(kind),
        counter0: (0x36, 0x08, false),
        ..PLAIN
    }
}

/// Returns the count of a setting in [`OWN`] cycles, and the rules it breaks.
fn outcome(setting: &Setting) -> (u64, Vec<Rule>) {
    let mut bench = Bench::usual();
    program(&mut bench, setting);
    let uclk = uclk(setting, OWN);
    bench.machine.burst(uclk);
    let broken = bench.broken().into_iter().map(|(rule, _)| rule);
    (read(&mut bench, setting), broken.collect())
}

#[test]
fn each_sub_event_counts_where_its_row_says() {
    let mut silent = Vec::new();
    let manual = rows().iter().filter(|row| row.source != "json");
    for row in manual.filter(|row| row.event != "MESSAGE") {
        let site = SITES.iter().find(|site| site.kind == row.kind);
        let kind = site.expect("a site of each kind").kind;
        for counter in 0..site_of(&setting(kind, row, 0)).counters {
            let setting = setting(kind, row, counter);
            let (counted, broken) = outcome(&setting);
            let numbered = if kind == "IRP" { counter % 2 } else { counter };
            if row.allows(numbered) {
                assert_eq!(broken, [], "{setting:?}");
                assert_eq!(counted, count(rows(), &setting, OWN), "{setting:?}");
                silent.extend((counted == 0).then_some(&*row.event));
            } else {
                assert_eq!(broken.first(), Some(&Rule::WrongCounter), "{setting:?}");
                assert_eq!(counted, 0, "{setting:?}");
            }
        }
    }
    // Where several conditions meet, so short a burst may have nothing.
    silent.retain(|name| !["TOR_INSERTS", "TOR_OCCUPANCY", "ADDR_OPC_MATCH"].contains(name));
    assert_eq!(silent, [""; 0], "every other sub-event has traffic");
}
