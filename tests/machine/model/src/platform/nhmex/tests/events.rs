// SPDX-License-Identifier: GPL-2.0

//! Every row of U-Box, C-Box, S-Box and W-Box on every counter; thresholds, edges, inversion.

use uncore_catalogue::{rows_of, Row};
use uncore_definition::{count, Platform, Setting, PLAIN};
use uncore_machine::Rule;

use super::{
    control, nehalem, CBOXES, CONTROL, EN, EN_ALL, FIXED_CTL, FIXED_CTR, NEHALEM, SBOXES, U_EN,
    WBOX, WESTMERE,
};
use crate::bench::Bench;

/// Cycles of a burst: many rounds and a part of one.
const CYCLES: u64 = 4096 * 32 + 21;

/// First address and number of counters of a box.
fn place(kind: &str, instance: u64) -> (u32, u32) {
    match kind {
        "UBOX" => (0xc00, 1),
        "CBO" => (CBOXES[instance as usize], 6),
        "SBO" => (SBOXES[instance as usize], 4),
        _ => (WBOX, 4),
    }
}

fn program(bench: &mut Bench, s: &Setting) {
    let (base, counters) = place(s.kind, s.instance);
    let bit = |set: bool, at: u32| u64::from(set) << at;
    let flags = bit(s.edge, 18) | bit(s.invert, 23) | bit(s.ext, 8);
    let value = s.thresh << 24 | flags | u64::from(s.umask) << 8 | u64::from(s.code);
    bench.wr(0, control(base, s.counter as u32), value | EN);
    if s.kind != "UBOX" {
        bench.wr(0, base, (1 << counters) - 1);
    }
    bench.wr(0, CONTROL, EN_ALL | U_EN);
}

fn read(bench: &mut Bench, s: &Setting) -> u64 {
    let (base, _) = place(s.kind, s.instance);
    bench.rd(0, control(base, s.counter as u32) + 1)
}

fn outcome(options: &str, setting: &Setting) -> (u64, Vec<(Rule, u64)>) {
    let mut bench = Bench::new(options);
    program(&mut bench, setting);
    bench.machine.burst(CYCLES);
    (read(&mut bench, setting), bench.broken())
}

/// Box type, and the instance that a test takes on Nehalem-EX and Westmere-EX.
const BOXES: [(&str, u64, u64); 4] = [("UBOX", 0, 0), ("CBO", 5, 9), ("SBO", 1, 0), ("WBOX", 0, 0)];

fn setting(row: &Row, kind: &'static str, instance: u64, counter: usize) -> Setting {
    Setting {
        platform: Platform::Nhmex,
        kind,
        instance,
        counter,
        ext: row.ext == Some(true),
        code: row.code,
        umask: row.umask,
        ..PLAIN
    }
}

fn each_row_counts(options: &str, rows: &[Row], westmere: bool) -> usize {
    let mut checked = 0;
    for (kind, nehalem, on_westmere) in BOXES {
        let instance = if westmere { on_westmere } else { nehalem };
        for row in rows.iter().filter(|row| row.kind == kind) {
            if (kind, row.code) == ("SBO", 0x00) {
                continue;
            }
            let counters = place(kind, instance).1 as usize;
            for counter in [0, counters - 1] {
                let setting = setting(row, kind, instance, counter);
                let (counted, broken) = outcome(options, &setting);
                let name = format!("{kind} {}.{} {counter}", row.event, row.subevent);
                assert_eq!(broken, [], "{name}");
                assert_eq!(counted, count(rows, &setting, CYCLES), "{name}");
                assert!(counted > 0, "{name}");
                checked += 1;
            }
        }
    }
    checked
}

/// 16, 156, 274 and 55 rows, of which some are of the other model; not TO_R_PROG_EV.
#[test]
fn each_row_of_nehalem() {
    let rows = 13 + (128 + 4) + (110 + 65 - 1) + 55;
    assert_eq!(each_row_counts(NEHALEM, rows_of("nhmex"), false), 2 * rows);
}

#[test]
fn each_row_of_westmere() {
    let rows = 16 + (128 + 24) + (110 + 99 - 1) + 55;
    assert_eq!(each_row_counts(WESTMERE, rows_of("wsmex"), true), 2 * rows);
}

/// LLC_MISSES with thresholds, edges and inversion, and an occupancy that passes 8.
#[test]
fn shapes() {
    for (kind, code, umask) in [
        ("CBO", 0x14, 0x07),
        ("CBO", 0x18, 0x01),
        ("SBO", 0x31, 0x01),
    ] {
        for (thresh, edge, invert) in [
            (0, true, false),
            (1, false, false),
            (4, false, true),
            (4, true, true),
            (8, true, false),
            (255, false, false),
        ] {
            let row = rows_of("nhmex")
                .iter()
                .find(|row| row.kind == kind && row.code == code);
            let setting = Setting {
                umask,
                thresh,
                edge,
                invert,
                ..setting(row.expect("an event"), kind, 1, 2)
            };
            let (counted, _) = outcome(NEHALEM, &setting);
            assert_eq!(
                counted,
                count(rows_of("nhmex"), &setting, CYCLES),
                "{setting:?}"
            );
        }
    }
}

#[test]
fn no_core_counts_nothing() {
    let row = rows_of("nhmex")
        .iter()
        .find(|row| row.kind == "WBOX" && row.code == 0x04);
    let setting = Setting {
        umask: 0,
        ..setting(row.expect("an event"), "WBOX", 0, 0)
    };
    // The counter is 0, and reads 0x1000000 too high.
    let broken = vec![(Rule::UnknownUmask, 0)];
    assert_eq!(outcome(NEHALEM, &setting), (0x100_0000, broken));
}

/// Codes of nine bits; by the other reading bit 8 is ignored, and the event is the same.
#[test]
fn long_codes() {
    for code in [0x1df, 0x1e4, 0x1e5, 0x1e6] {
        let counted = |option: &str, code: u64| {
            let mut bench = Bench::new(&format!("{NEHALEM}{option}"));
            bench.wr(0, 0xc10, EN | code);
            bench.wr(0, CONTROL, EN_ALL | U_EN);
            bench.machine.burst(CYCLES);
            (
                bench.rd(0, 0xc11),
                bench.rd(0, 0xc10) & 0x1ff,
                bench.broken(),
            )
        };
        let (long, stored, broken) = counted("", code);
        assert!(long > 0 && stored == code && broken.is_empty());
        assert_eq!(counted("", code), (long, code, vec![]));
        let low = code & 0xff;
        assert_eq!(counted(",reading=X-4:b", code), (long, low, vec![]));
        assert_eq!(counted("", low), (0, low, vec![(Rule::UnknownEvent, low)]));
    }
}

/// Events of one model only.
#[test]
fn other_models() {
    for (options, known) in [(NEHALEM, false), (WESTMERE, true)] {
        let mut bench = Bench::new(options);
        bench.wr(0, 0xc10, EN | 0x05);
        assert_eq!(bench.broken().is_empty(), known);
    }
}

#[test]
fn fixed_counter() {
    let mut bench = nehalem();
    bench.wr(0, FIXED_CTL, 1);
    bench.wr(0, CONTROL, EN_ALL);
    bench.machine.burst(1000);
    bench.wr(0, WBOX, 1 << 31);
    bench.machine.burst(1234);
    assert_eq!(bench.rd(0, FIXED_CTR), 1234);
    assert_eq!(bench.rd(1, FIXED_CTR), 0x100_0000, "it reads 0 too high");
    bench.assert_clean();
}

/// Section 8: a value that ends in 0 or 1.
#[test]
fn what_the_w_box_reads() {
    let mut bench = nehalem();
    for counter in [control(WBOX, 0) + 1, control(WBOX, 3) + 1, FIXED_CTR] {
        for (value, read) in [
            (0, 0x100_0000),
            (1, 0x100_0001),
            (2, 2),
            (0xff_ffff, 0xff_ffff),
            (0x12_3400_0001, 0x12_3500_0001),
            (0xffff_ff00_0000, 0),
        ] {
            bench.wr(0, counter, value);
            assert_eq!(bench.rd(0, counter), read, "{counter:#x}");
        }
    }
    bench.wr(0, control(CBOXES[0], 0) + 1, 1);
    assert_eq!(
        bench.rd(0, control(CBOXES[0], 0) + 1),
        1,
        "other boxes read right"
    );
}
