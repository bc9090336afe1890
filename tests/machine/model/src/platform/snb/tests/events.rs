// SPDX-License-Identifier: GPL-2.0

//! Every row of the catalogue, on every counter; umasks, CMASK and inversion.

use std::collections::BTreeSet;

use uncore_catalogue::{rows_of, Row};
use uncore_definition::{count, Platform, Setting, PLAIN};
use uncore_machine::Rule;

use super::sites::{program, read};
use super::usual;

/// Cycles of a burst: many rounds and a part of one.
const CYCLES: u64 = 4096 * 32 + 21;

/// Box type, name, code, umask, CMASK, first and last counter.
type Line = (&'static str, &'static str, u8, u8, u64, (usize, usize));

/// The rows of section 6 of the reference.
#[rustfmt::skip]
const ROWS: [Line; 47] = [
    ("CBO", "XSNP_RESPONSE.MISS_EXTERNAL", 0x22, 0x21, 0, (0, 1)),
    ("CBO", "XSNP_RESPONSE.MISS_XCORE", 0x22, 0x41, 0, (0, 1)),
    ("CBO", "XSNP_RESPONSE.MISS_EVICTION", 0x22, 0x81, 0, (0, 1)),
    ("CBO", "XSNP_RESPONSE.INVAL_EXTERNAL", 0x22, 0x22, 0, (0, 1)),
    ("CBO", "XSNP_RESPONSE.INVAL_XCORE", 0x22, 0x42, 0, (0, 1)),
    ("CBO", "XSNP_RESPONSE.INVAL_EVICTION", 0x22, 0x82, 0, (0, 1)),
    ("CBO", "XSNP_RESPONSE.HIT_EXTERNAL", 0x22, 0x24, 0, (0, 1)),
    ("CBO", "XSNP_RESPONSE.HIT_XCORE", 0x22, 0x44, 0, (0, 1)),
    ("CBO", "XSNP_RESPONSE.HIT_EVICTION", 0x22, 0x84, 0, (0, 1)),
    ("CBO", "XSNP_RESPONSE.HITM_EXTERNAL", 0x22, 0x28, 0, (0, 1)),
    ("CBO", "XSNP_RESPONSE.HITM_XCORE", 0x22, 0x48, 0, (0, 1)),
    ("CBO", "XSNP_RESPONSE.HITM_EVICTION", 0x22, 0x88, 0, (0, 1)),
    ("CBO", "XSNP_RESPONSE.INVAL_M_EXTERNAL", 0x22, 0x30, 0, (0, 1)),
    ("CBO", "XSNP_RESPONSE.INVAL_M_XCORE", 0x22, 0x50, 0, (0, 1)),
    ("CBO", "XSNP_RESPONSE.INVAL_M_EVICTION", 0x22, 0x90, 0, (0, 1)),
    ("CBO", "CACHE_LOOKUP.READ_M", 0x34, 0x11, 0, (0, 1)),
    ("CBO", "CACHE_LOOKUP.READ_E", 0x34, 0x12, 0, (0, 1)),
    ("CBO", "CACHE_LOOKUP.READ_S", 0x34, 0x14, 0, (0, 1)),
    ("CBO", "CACHE_LOOKUP.READ_ES", 0x34, 0x16, 0, (0, 1)),
    ("CBO", "CACHE_LOOKUP.READ_I", 0x34, 0x18, 0, (0, 1)),
    ("CBO", "CACHE_LOOKUP.READ_MESI", 0x34, 0x1f, 0, (0, 1)),
    ("CBO", "CACHE_LOOKUP.WRITE_M", 0x34, 0x21, 0, (0, 1)),
    ("CBO", "CACHE_LOOKUP.WRITE_E", 0x34, 0x22, 0, (0, 1)),
    ("CBO", "CACHE_LOOKUP.WRITE_S", 0x34, 0x24, 0, (0, 1)),
    ("CBO", "CACHE_LOOKUP.WRITE_ES", 0x34, 0x26, 0, (0, 1)),
    ("CBO", "CACHE_LOOKUP.WRITE_I", 0x34, 0x28, 0, (0, 1)),
    ("CBO", "CACHE_LOOKUP.WRITE_MESI", 0x34, 0x2f, 0, (0, 1)),
    ("CBO", "CACHE_LOOKUP.EXTSNP_M", 0x34, 0x41, 0, (0, 1)),
    ("CBO", "CACHE_LOOKUP.EXTSNP_E", 0x34, 0x42, 0, (0, 1)),
    ("CBO", "CACHE_LOOKUP.EXTSNP_S", 0x34, 0x44, 0, (0, 1)),
    ("CBO", "CACHE_LOOKUP.EXTSNP_ES", 0x34, 0x46, 0, (0, 1)),
    ("CBO", "CACHE_LOOKUP.EXTSNP_I", 0x34, 0x48, 0, (0, 1)),
    ("CBO", "CACHE_LOOKUP.EXTSNP_MESI", 0x34, 0x4f, 0, (0, 1)),
    ("CBO", "CACHE_LOOKUP.ANY_M", 0x34, 0x81, 0, (0, 1)),
    ("CBO", "CACHE_LOOKUP.ANY_E", 0x34, 0x82, 0, (0, 1)),
    ("CBO", "CACHE_LOOKUP.ANY_S", 0x34, 0x84, 0, (0, 1)),
    ("CBO", "CACHE_LOOKUP.ANY_ES", 0x34, 0x86, 0, (0, 1)),
    ("CBO", "CACHE_LOOKUP.ANY_I", 0x34, 0x88, 0, (0, 1)),
    ("CBO", "CACHE_LOOKUP.ANY_MESI", 0x34, 0x8f, 0, (0, 1)),
    ("ARB", "TRK_OCCUPANCY.ALL", 0x80, 0x01, 0, (0, 0)),
    ("ARB", "TRK_OCCUPANCY.CYCLES_WITH_ANY_REQUEST", 0x80, 0x01, 1, (0, 0)),
    ("ARB", "TRK_OCCUPANCY.CYCLES_OVER_HALF_FULL", 0x80, 0x01, 10, (0, 0)),
    ("ARB", "TRK_REQUESTS.ALL", 0x81, 0x01, 0, (0, 1)),
    ("ARB", "TRK_REQUESTS.WRITES", 0x81, 0x20, 0, (0, 1)),
    ("ARB", "TRK_REQUESTS.EVICTIONS", 0x81, 0x80, 0, (0, 1)),
    ("ARB", "COH_TRK_OCCUPANCY.ALL", 0x83, 0x01, 0, (0, 0)),
    ("ARB", "COH_TRK_REQUESTS.ALL", 0x84, 0x01, 0, (0, 1)),
];

fn name(row: &Row) -> String {
    format!("{}.{}", row.event, row.subevent)
}

#[test]
fn the_catalogue_has_these_rows() {
    for (row, (kind, wanted, code, umask, cmask, (first, last))) in rows_of("snb").iter().zip(ROWS)
    {
        assert_eq!((row.kind.as_str(), name(row).as_str()), (kind, wanted));
        assert_eq!((row.code, row.umask, row.ext), (code, umask, Some(false)));
        let filter = match cmask {
            0 => String::new(),
            cmask => format!("cmask={cmask}"),
        };
        assert_eq!(row.filter, filter, "{wanted}");
        let counters: Vec<usize> = (0..8).filter(|k| row.allows(*k)).collect();
        assert_eq!(counters, (first..=last).collect::<Vec<_>>(), "{wanted}");
    }
    assert_eq!(rows_of("snb").len(), ROWS.len());
}

fn setting(kind: &'static str, code: u8, umask: u8) -> Setting {
    Setting {
        platform: Platform::Snb,
        kind,
        peer: 0,
        code,
        umask,
        ..PLAIN
    }
}

/// Returns the count of a setting and the rules it breaks.
fn outcome(setting: &Setting) -> (u64, Vec<(Rule, u64)>) {
    let mut bench = usual();
    program(&mut bench, setting);
    bench.machine.burst(CYCLES);
    (read(&mut bench, setting), bench.broken())
}

/// Returns the count of a setting, which is that of the definition.
fn counted(setting: &Setting) -> u64 {
    let (counted, broken) = outcome(setting);
    assert_eq!(broken, [], "{setting:?}");
    assert_eq!(
        counted,
        count(rows_of("snb"), setting, CYCLES),
        "{setting:?}"
    );
    counted
}

#[test]
fn each_row_counts_where_it_says() {
    for (kind, name, code, umask, thresh, (_, last)) in ROWS {
        for (counter, instance) in [(0, 0), (1, 0), (0, 3), (1, 2)] {
            let setting = Setting {
                counter,
                instance: if kind == "CBO" { instance } else { 0 },
                thresh,
                ..setting(kind, code, umask)
            };
            if counter <= last {
                assert!(counted(&setting) > 0, "{name}");
            } else {
                let wrong = vec![(Rule::WrongCounter, u64::from(code))];
                assert_eq!(outcome(&setting), (0, wrong), "{name}");
            }
        }
    }
}

/// The examples of traffic.rst, worked out by hand.
#[test]
fn the_worked_examples() {
    let lookups = Setting {
        instance: 2,
        ..setting("CBO", 0x34, 0x16)
    };
    let occupancy = setting("ARB", 0x80, 0x01);
    let half_full = Setting {
        thresh: 10,
        ..occupancy.clone()
    };
    for (setting, expected) in [(lookups, 31_290), (occupancy, 885_484), (half_full, 57_128)] {
        let mut bench = usual();
        program(&mut bench, &setting);
        bench.machine.burst(1_000_000);
        assert_eq!(read(&mut bench, &setting), expected, "{setting:?}");
    }
}

#[test]
fn every_row_has_a_count_of_its_own() {
    let mut seen = BTreeSet::new();
    for (kind, name, code, umask, thresh, _) in ROWS {
        for instance in 0..if kind == "CBO" { 4 } else { 1 } {
            let mut bench = usual();
            let setting = Setting {
                instance,
                thresh,
                ..setting(kind, code, umask)
            };
            program(&mut bench, &setting);
            bench.machine.burst(1 << 26);
            assert!(seen.insert(read(&mut bench, &setting)), "{name}");
        }
    }
}

/// The halves of the umask of both C-Box events: what of a response or state, and of whom.
#[test]
fn an_umask_without_one_of_its_halves_counts_nothing() {
    for (code, found, wholes) in [
        (0x22, 0x1f, [0x21, 0x50, 0x88]),
        (0x34, 0x0f, [0x11, 0x46, 0x8f]),
    ] {
        for whole in wholes {
            assert!(counted(&setting("CBO", code, whole)) > 0);
            for half in [whole & !found, whole & found] {
                let refused = vec![(Rule::UnknownUmask, u64::from(half))];
                assert_eq!(outcome(&setting("CBO", code, half)), (0, refused));
            }
        }
        let refused = vec![(Rule::UnknownUmask, 0)];
        assert_eq!(outcome(&setting("CBO", code, 0)), (0, refused));
    }
}

#[test]
fn the_halves_of_an_umask_combine() {
    let lookups = |umask| counted(&setting("CBO", 0x34, umask));
    let states = [0x11, 0x16, 0x18].map(lookups);
    assert_eq!(states.iter().sum::<u64>(), lookups(0x1f));
    assert_eq!(lookups(0x1f) + lookups(0x2f), lookups(0x3f));
    assert_eq!(lookups(0x12) + lookups(0x14), lookups(0x16));
    let responses = |umask| counted(&setting("CBO", 0x22, umask));
    let answers = [0x41, 0x42, 0x44, 0x48, 0x50].map(responses);
    assert_eq!(answers.iter().sum::<u64>(), responses(0x5f));
    assert_eq!(responses(0x24) + responses(0x84), responses(0xa4));
}

/// Bits that no row has.
#[test]
fn umasks_that_mean_nothing() {
    for (kind, code, umask) in [
        ("CBO", 0x22, 0x1f),
        ("ARB", 0x80, 0x02),
        ("ARB", 0x81, 0x40),
        ("ARB", 0x84, 0x00),
    ] {
        let refused = vec![(Rule::UnknownUmask, u64::from(umask))];
        assert_eq!(outcome(&setting(kind, code, umask)), (0, refused));
    }
    for (kind, code) in [("CBO", 0x1f), ("CBO", 0x80), ("ARB", 0x22), ("ARB", 0xff)] {
        let refused = vec![(Rule::UnknownEvent, u64::from(code))];
        assert_eq!(outcome(&setting(kind, code, 0x01)), (0, refused));
    }
}

#[test]
fn cmask_edge_and_inversion() {
    let with = |thresh, edge, invert| {
        counted(&Setting {
            thresh,
            edge,
            invert,
            ..setting("ARB", 0x80, 0x01)
        })
    };
    let above = with(10, false, false);
    assert_eq!(with(10, false, true), CYCLES - above);
    assert!(with(1, false, false) > above && above > with(20, false, false));
    assert_eq!(with(21, false, false), 0);
    let starts = with(1, true, false);
    assert!(starts > 0 && starts < with(1, false, false));
    assert_eq!(with(0, true, false), starts, "no rule asks for a CMASK");
    assert_eq!(with(0, false, true), with(0, false, false));
}
