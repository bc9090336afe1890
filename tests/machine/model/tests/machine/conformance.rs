// SPDX-License-Identifier: GPL-2.0

//! Every event of the manual, on every counter: the tables of
//! Documentation/hardware/ivbep.rst sections 7.1 to 7.9 (see `tables.rs`), the
//! constraints of section 9, the numbers of 14.

use std::collections::BTreeSet;

use uncore_machine::Rule;

use crate::bench::Bench;
use crate::sites::{program, read, site_of, uclk};
use crate::tables::{self, TABLES};
use uncore_catalogue::{rows, Row};
use uncore_definition::{count, Setting, PLAIN};

/// Cycles of the box's clock: 128 rounds and a part of one.
const OWN: u64 = 128 * 32 + 21;

/// All events with their box type.
fn events() -> impl Iterator<Item = (&'static str, &'static tables::Row)> {
    let all = TABLES.iter();
    all.flat_map(|(kind, rows)| rows.iter().map(|row| (*kind, row)))
}

/// The catalogue's rows of an event of the manual.
fn catalogued(kind: &str, event: &tables::Row) -> Vec<&'static Row> {
    let same = |row: &&Row| {
        row.kind == kind
            && row.source != "json"
            && row.event == event.name
            && row.code == event.code
            && row.ext == Some(event.ext)
    };
    rows().iter().filter(same).collect()
}

#[test]
fn the_catalogue_has_the_events_of_the_tables() {
    let mut known = 0;
    for (kind, event) in events() {
        let found = catalogued(kind, event);
        let umasks: BTreeSet<u8> = found.iter().map(|row| row.umask).collect();
        let name = event.name;
        assert_eq!(umasks, event.umasks.iter().copied().collect(), "{name}");
        assert_eq!(found.len(), event.umasks.len(), "{name}");
        for row in found {
            let (first, last) = event.counters;
            let allowed = (0..4).filter(|counter| row.allows(*counter));
            assert_eq!(
                allowed.collect::<Vec<_>>(),
                (first..=last).collect::<Vec<_>>()
            );
            assert_eq!(row.max_inc.map(u64::from), Some(event.max), "{name}");
            let cited = row.source.split("T2-").nth(1);
            let table = (event.table != 0).then(|| event.table.to_string());
            assert_eq!(cited, table.as_deref(), "{name}");
            known += 1;
        }
    }
    let manual = rows().iter().filter(|row| row.source != "json");
    let messages = manual.clone().filter(|row| row.event == "MESSAGE").count();
    assert_eq!((messages, known + messages), (18, manual.count()));
}

#[test]
fn no_table_of_sub_events_is_missing() {
    let tables: Vec<u16> = events()
        .map(|(_, event)| event.table)
        .filter(|table| *table != 0)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let expected = [
        10..=11,
        19..=36,
        44..=70,
        77..=104,
        110..=117,
        127..=127,
        139..=171,
        177..=188,
        194..=215,
    ];
    assert_eq!(tables, expected.into_iter().flatten().collect::<Vec<_>>());
}

#[test]
fn numbers_of_section_14() {
    for (kind, events, all, manual) in [
        ("UBOX", 4, 21, 8),
        ("CBO", 21, 157, 131),
        ("HA", 40, 199, 143),
        ("iMC", 45, 198, 198),
        ("IRP", 27, 38, 37),
        ("PCU", 67, 74, 69),
        ("QPI", 53, 201, 139),
        ("R2PCIe", 13, 61, 53),
        ("R3QPI", 28, 129, 127),
    ] {
        let table = TABLES.iter().find(|(known, _)| *known == kind);
        assert_eq!(table.expect("a table").1.len(), events, "{kind}");
        let here = rows().iter().filter(|row| row.kind == kind);
        assert_eq!(here.clone().count(), all, "{kind}");
        let here = here.filter(|row| row.source != "json");
        assert_eq!(here.count(), manual, "{kind}");
    }
}

/// Filters that let something of everything pass.
fn open(kind: &str) -> [u64; 4] {
    match kind {
        "CBO" => [0x3f << 17, 0x1c8 << 20 | 0xffff, 0, 0],
        "HA" => [0xffff_ffc0, 0x3fff, 0x32, 0],
        "PCU" => [0x1414_1410, 0, 0, 0],
        _ => [0; 4],
    }
}

fn setting(kind: &'static str, event: &tables::Row, umask: u8, counter: usize) -> Setting {
    Setting {
        kind,
        counter,
        ext: event.ext,
        code: event.code,
        umask,
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
fn each_sub_event_counts_where_its_table_says() {
    let mut silent = Vec::new();
    for (kind, event) in events() {
        for umask in event.umasks {
            for counter in 0..site_of(&setting(kind, event, *umask, 0)).counters {
                let setting = setting(kind, event, *umask, counter);
                let (counted, broken) = outcome(&setting);
                let numbered = if kind == "IRP" { counter % 2 } else { counter };
                let (first, last) = event.counters;
                if (first..=last).contains(&numbered) {
                    assert_eq!(broken, [], "{setting:?}");
                    assert_eq!(counted, count(rows(), &setting, OWN), "{setting:?}");
                    silent.extend((counted == 0).then_some(event.name));
                } else {
                    assert_eq!(broken.first(), Some(&Rule::WrongCounter), "{setting:?}");
                    assert_eq!(counted, 0, "{setting:?}");
                }
            }
        }
    }
    // Where several conditions meet, so short a burst may have nothing.
    silent.retain(|name| !["TOR_INSERTS", "TOR_OCCUPANCY", "ADDR_OPC_MATCH"].contains(name));
    assert_eq!(silent, [""; 0], "every other sub-event has traffic");
}

#[test]
fn constraints_of_section_9() {
    /// Counters by code; the last line is for all other codes.
    type Constraints = &'static [(&'static [u8], &'static [usize])];
    const CBO: Constraints = &[
        (&[0x11, 0x36], &[0]),
        (&[0x1f], &[1, 2, 3]),
        (&[0x1b, 0x1c, 0x1d, 0x1e], &[2, 3]),
        (&[0x00], &[0, 1, 2, 3]),
        (&[], &[0, 1]),
    ];
    const R2PCIE: Constraints = &[
        (&[0x12, 0x13, 0x23, 0x25], &[0]),
        (&[0x10, 0x11, 0x26, 0x28, 0x32, 0x33, 0x34], &[0, 1]),
        // The list's reading for the ring events 0x07 to 0x0A.
        (&[0x01, 0x07, 0x08, 0x09, 0x0a], &[0, 1, 2, 3]),
        (&[], &[]),
    ];
    const R3QPI: Constraints = &[
        (&[0x13], &[0]),
        (&[0x01, 0x07, 0x08, 0x09, 0x0a], &[0, 1, 2]),
        (&[], &[0, 1]),
    ];
    const ANY: Constraints = &[(&[], &[0, 1, 2, 3])];
    for row in rows() {
        let constraints = match row.kind.as_str() {
            "CBO" => CBO,
            "R2PCIe" => R2PCIE,
            "R3QPI" => R3QPI,
            _ => ANY,
        };
        let line = constraints
            .iter()
            .find(|(codes, _)| codes.contains(&row.code));
        let (_, allowed) = line.or(constraints.last()).expect("a line");
        let kind = TABLES.iter().find(|(kind, _)| *kind == row.kind);
        let (kind, _) = kind.expect("a known kind");
        let ext = row.ext == Some(true);
        let base = Setting {
            kind,
            ext,
            code: row.code,
            umask: row.umask,
            counter0: (0x36, 0x08, false),
            ..PLAIN
        };
        for counter in 0..site_of(&base).counters {
            let mut bench = Bench::usual();
            let setting = Setting {
                counter,
                ..base.clone()
            };
            program(&mut bench, &setting);
            let refused = bench
                .broken()
                .contains(&(Rule::WrongCounter, code(&setting)));
            assert_eq!(!refused, allowed.contains(&counter), "{setting:?}");
        }
    }
}

/// The event select as a violation shows it.
fn code(setting: &Setting) -> u64 {
    u64::from(setting.ext) << 21 | u64::from(setting.code)
}
