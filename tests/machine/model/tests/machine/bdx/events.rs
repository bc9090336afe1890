// SPDX-License-Identifier: GPL-2.0

//! Every row of the catalogue, on every counter; filters, thresholds and inversion.

use std::collections::BTreeSet;

use uncore_catalogue::{bdx_rows, Row};
use uncore_definition::{count, Platform, Setting, PLAIN};
use uncore_machine::Rule;

use super::sites::{counters, program, read, uclk};
use crate::bench::Bench;

/// Cycles of the box's clock: 128 rounds and a part of one.
const OWN: u64 = 128 * 32 + 21;

/// The box types with the numbers of section 17: events, rows, rows of the lists only.
/// The two rows of fixed counters are not events.
const KINDS: [(&str, usize, usize, usize); 10] = [
    ("UBOX", 3, 16 - 1, 13 - 1),
    ("CBO", 28, 185, 41),
    ("SBO", 15, 88, 22),
    ("HA", 50, 230, 41),
    ("iMC", 43, 328 - 1, 4 - 1),
    ("IRP", 22, 56, 0),
    ("PCU", 62, 70, 6),
    ("QPI", 53, 151, 30),
    ("R2PCIe", 15, 62, 11),
    ("R3QPI", 30, 152, 13),
];

fn rows_of(kind: &str) -> impl Iterator<Item = &'static Row> + '_ {
    bdx_rows().iter().filter(move |row| row.kind == kind)
}

#[test]
fn numbers_of_section_17() {
    for (kind, events, rows, listed) in KINDS {
        assert_eq!(rows_of(kind).count(), rows, "{kind}");
        let only_listed = |row: &&Row| row.source == "json";
        assert_eq!(rows_of(kind).filter(only_listed).count(), listed, "{kind}");
        let manual = rows_of(kind).filter(|row| row.source != "json");
        let names: BTreeSet<&str> = manual.map(|row| row.event.as_str()).collect();
        assert_eq!(names.len(), events, "{kind}");
    }
}

/// Filters that let something of everything pass.
fn open(kind: &str) -> [u64; 4] {
    match kind {
        "CBO" => [0x7f << 17, 0x1c8 << 20 | 0xffff, 0, 0],
        "HA" => [0xffff_f000, 0x3fff, 0x32, 0],
        "PCU" => [0x1414_1410, 0, 0, 0],
        _ => [0; 4],
    }
}

/// A setting for a row, with the umasks that make it one which means something.
fn settings(kind: &'static str, row: &Row) -> Vec<Setting> {
    let with = match (kind, row.code, row.umask) {
        ("IRP", 0x17, 0x01..=0x08) => vec![0x10, 0x20, 0x40, 0x70],
        ("IRP", 0x17, _) => vec![0x01, 0x0f],
        ("IRP", 0x16, 0x40) => vec![0x01, 0x3f],
        _ => vec![0],
    };
    let with = with.into_iter();
    with.map(|umask| Setting {
        platform: Platform::Bdx,
        kind,
        ext: row.ext == Some(true),
        code: row.code,
        umask: row.umask | umask,
        filters: open(kind),
        counter0: (0x36, 0x08, false),
        ..PLAIN
    })
    .collect()
}

/// Returns the count of a setting in [`OWN`] cycles, and the rules it breaks.
fn outcome(setting: &Setting) -> (u64, Vec<Rule>) {
    let mut bench = Bench::new("platform=bdx,cores=24,packages=2,part=ex");
    program(&mut bench, setting);
    bench.machine.burst(uclk(setting.kind, OWN));
    let broken = bench.broken().into_iter().map(|(rule, _)| rule);
    (read(&mut bench, setting), broken.collect())
}

#[test]
fn each_row_counts_where_it_says() {
    let mut silent = Vec::new();
    for (kind, ..) in KINDS {
        for row in rows_of(kind) {
            for base in settings(kind, row) {
                for counter in 0..counters(kind) {
                    let setting = Setting {
                        counter,
                        ..base.clone()
                    };
                    let (counted, broken) = outcome(&setting);
                    let numbered = if kind == "IRP" { counter % 2 } else { counter };
                    if (kind, row.code, counter) == ("CBO", 0x1f, 0) {
                        assert_eq!(broken, [Rule::NoOccupancy], "itself is none");
                    } else if row.allows(numbered) {
                        assert_eq!(broken, [], "{setting:?}");
                        assert_eq!(counted, count(bdx_rows(), &setting, OWN), "{setting:?}");
                        silent.extend((counted == 0).then(|| row.event.clone()));
                    } else {
                        assert_eq!(broken, [Rule::WrongCounter], "{setting:?}");
                        assert_eq!(counted, 0, "{setting:?}");
                    }
                }
            }
        }
    }
    // Where several conditions meet, so short a burst may have nothing.
    silent.retain(|name| !name.starts_with("TOR_") && !name.starts_with("LLC_"));
    silent.retain(|name| name != "ADDR_OPC_MATCH");
    assert_eq!(silent, [""; 0], "every other sub-event has traffic");
}

#[test]
fn every_instance_has_traffic_of_its_own() {
    let mut seen = BTreeSet::new();
    let mut expected = 0;
    let event = |kind, code, umask, instances: u64| {
        let packages = (0..2).flat_map(move |package| (0..instances).map(move |i| (package, i)));
        packages.map(move |(package, instance)| Setting {
            platform: Platform::Bdx,
            kind,
            package,
            peer: 1 - package,
            instance,
            code,
            umask,
            ..PLAIN
        })
    };
    // Different events: counts of two box types must not be the same by chance.
    let all = event("CBO", 0x13, 0x01, 24)
        .chain(event("SBO", 0x02, 0x04, 4))
        .chain(event("R3QPI", 0x11, 0x08, 3));
    for setting in all {
        let mut bench = Bench::new("platform=bdx,cores=24,part=ex");
        program(&mut bench, &setting);
        bench.machine.burst(1 << 26);
        assert!(seen.insert(read(&mut bench, &setting)), "{setting:?}");
        bench.assert_clean();
        expected += 1;
    }
    assert_eq!(seen.len(), expected);
}

/// A C-Box event with these filters.
fn cbox(code: u8, umask: u8, filters: [u64; 2]) -> Setting {
    Setting {
        platform: Platform::Bdx,
        kind: "CBO",
        instance: 17,
        code,
        umask,
        filters: [filters[0], filters[1], 0, 0],
        ..PLAIN
    }
}

/// Compares a setting with its definition in a longer burst.
fn agrees(setting: &Setting) -> u64 {
    agrees_in(setting, 60_000)
}

fn agrees_in(setting: &Setting, own: u64) -> u64 {
    let mut bench = Bench::new("platform=bdx,cores=24,part=ex");
    program(&mut bench, setting);
    bench.machine.burst(uclk(setting.kind, own));
    let counted = read(&mut bench, setting);
    assert_eq!(counted, count(bdx_rows(), setting, own), "{setting:?}");
    bench.assert_clean();
    counted
}

#[test]
fn seven_states() {
    let one = |state: u64| agrees(&cbox(0x34, 0x11, [1 << (17 + state), 0]));
    let counts: Vec<u64> = (0..7).map(one).collect();
    assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
    let all = agrees(&cbox(0x34, 0x11, [0x7f << 17, 0]));
    assert_eq!(counts.iter().sum::<u64>(), all);
    assert_eq!(agrees(&cbox(0x34, 0x11, [0, 0])), 0, "no state");
}

#[test]
fn sixty_four_threads() {
    for tid in [0, 31, 32, 62, 63] {
        let by_thread = Setting {
            tid_en: true,
            ..cbox(0x13, 0x01, [tid, 0])
        };
        assert!(agrees_in(&by_thread, 200_000) > 0, "tid {tid:#x}");
    }
}

#[test]
fn nodes_of_retries() {
    for (code, umask) in [
        (0x28, 0x40),
        (0x29, 0x41),
        (0x2a, 0x40),
        (0x32, 0x40),
        (0x33, 0x60),
    ] {
        let nodes = |mask| agrees(&cbox(code, umask, [0, mask]));
        assert_eq!(nodes(0), 0);
        assert!(nodes(0x8000) > 0 && nodes(0x8000) < nodes(0xffff));
    }
    let credits = |mask| agrees(&cbox(0x33, 0x80, [0, mask]));
    assert_eq!(
        credits(0),
        credits(0xffff),
        "WB_CREDITS does not look at it"
    );
}

#[test]
fn a_page_of_addresses() {
    let line = |address: u64| {
        agrees(&Setting {
            platform: Platform::Bdx,
            kind: "HA",
            code: 0x20,
            umask: 0x01,
            filters: [address & 0xffff_ffc0, address >> 32, 0, 0],
            ..PLAIN
        })
    };
    assert!(line(0x1234_5678_9a80) > 0);
    assert_eq!(line(0x1234_5678_9a80), line(0x1234_5678_9000));
    assert_eq!(line(0x1234_5678_a000), 0);
}

#[test]
fn inversion_is_everywhere() {
    for (kind, code, umask, thresh) in [
        ("UBOX", 0x42, 0x08, 1),
        ("CBO", 0x11, 0x01, 10),
        ("SBO", 0x11, 0x01, 12),
        ("HA", 0x17, 0x01, 3),
        ("iMC", 0x83, 0x01, 8),
        ("IRP", 0x12, 0x01, 64),
        ("PCU", 0x80, 0x40, 5),
        ("QPI", 0x0b, 0x00, 100),
        ("R2PCIe", 0x13, 0x08, 12),
        ("R3QPI", 0x13, 0x01, 16),
    ] {
        let setting = |invert, edge| Setting {
            platform: Platform::Bdx,
            kind,
            code,
            umask,
            thresh,
            invert,
            edge,
            ..PLAIN
        };
        let above = agrees(&setting(false, false));
        assert_eq!(agrees(&setting(true, false)), 60_000 - above, "{kind}");
        let rises = agrees(&setting(false, true));
        assert!(rises > 0 && agrees(&setting(true, true)) > rises, "{kind}");
    }
}

#[test]
fn inversion_needs_a_threshold() {
    let setting = Setting {
        invert: true,
        ..cbox(0x13, 0x01, [0, 0])
    };
    let (_, broken) = outcome(&setting);
    assert_eq!(broken, [Rule::NoThreshold]);
}

#[test]
fn umasks_that_mean_nothing() {
    for (kind, code, umask) in [
        ("iMC", 0xb0, 0x15),
        ("iMC", 0xb4, 0x18),
        ("IRP", 0x14, 0x05),
        ("IRP", 0x14, 0x84),
        ("IRP", 0x15, 0x21),
        ("IRP", 0x16, 0x40),
        ("IRP", 0x17, 0x03),
        ("IRP", 0x17, 0x70),
        ("CBO", 0x13, 0x03),
        ("CBO", 0x35, 0x02),
        ("CBO", 0x34, 0x01),
        ("R2PCIe", 0x23, 0x03),
    ] {
        let setting = Setting {
            platform: Platform::Bdx,
            kind,
            code,
            umask,
            ..PLAIN
        };
        let (_, broken) = outcome(&setting);
        assert_eq!(broken, [Rule::UnknownUmask], "{kind} {code:#x} {umask:#x}");
    }
}

#[test]
fn constraints_of_the_sections() {
    /// Counters by code; the last line is for all other codes.
    type Constraints = &'static [(&'static [u8], &'static [usize])];
    const CBO: Constraints = &[
        (&[0x09], &[0, 1]),
        (&[0x11, 0x36, 0x3e], &[0]),
        (&[], &[0, 1, 2, 3]),
    ];
    const HA: Constraints = &[(&[0x0b], &[1]), (&[], &[0, 1, 2, 3])];
    const R2PCIE: Constraints = &[
        (&[0x10, 0x11, 0x26, 0x28, 0x2c, 0x2d], &[0, 1]),
        (&[0x13, 0x23, 0x25], &[0]),
        (&[], &[0, 1, 2, 3]),
    ];
    const R3QPI: Constraints = &[
        (&[0x01, 0x07, 0x08, 0x09, 0x0a, 0x0e], &[0, 1, 2]),
        (&[0x13], &[0]),
        (&[], &[0, 1]),
    ];
    const HALF: Constraints = &[(&[], &[0, 1])];
    const ANY: Constraints = &[(&[], &[0, 1, 2, 3])];
    for row in bdx_rows().iter().filter(|row| row.source != "json") {
        let constraints = match row.kind.as_str() {
            "UBOX" | "IRP" => HALF,
            "CBO" => CBO,
            "HA" => HA,
            "R2PCIe" => R2PCIE,
            "R3QPI" => R3QPI,
            _ => ANY,
        };
        let line = constraints
            .iter()
            .find(|(codes, _)| codes.contains(&row.code));
        let (_, allowed) = line.or(constraints.last()).expect("a line");
        let own = (0..8).filter(|counter| row.allows(*counter));
        assert_eq!(&own.collect::<Vec<_>>(), allowed, "{row:?}");
    }
}
