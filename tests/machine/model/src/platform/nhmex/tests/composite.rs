// SPDX-License-Identifier: GPL-2.0

//! B-Box, M-Box and R-Box, whose registers beside the control say what counts.

use std::collections::BTreeMap;

use uncore_catalogue::{rows_of, Row};
use uncore_definition::{on, rate};
use uncore_machine::Rule;

use super::{control, nehalem, CONTROL, EN_ALL, NEHALEM, WESTMERE};
use crate::bench::Bench;

const BBOXES: [u32; 2] = [0xc20, 0xc60];
const MBOXES: [u32; 2] = [0xca0, 0xce0];
const RBOXES: [u32; 2] = [0xe00, 0xe20];

/// MM_CFG of the M-Boxes; ADDR_MATCH and ADDR_MASK are behind it.
const M_MM_CFG: [u32; 2] = [0xe54, 0xe5c];
/// MATCH of the B-Boxes; MASK is behind it.
const B_MATCH: [u32; 2] = [0xe45, 0xe4d];

/// wrap_mode of the M-Box.
const WRAP: u64 = 1 << 6;

const ROUNDS: u64 = 1 << 17;

/// Lets one counter count for [`ROUNDS`], and returns what it has sum.
fn count(bench: &mut Bench, base: u32, counter: u32, value: u64) -> u64 {
    bench.wr(0, control(base, counter), value);
    bench.wr(0, base, 1 << counter);
    bench.wr(0, CONTROL, EN_ALL);
    bench.machine.burst(ROUNDS * 32);
    let sum = bench.rd(0, control(base, counter) + 1);
    bench.wr(0, CONTROL, 0);
    bench.wr(0, control(base, counter) + 1, 0);
    bench.wr(0, control(base, counter), 0);
    sum
}

/// The count of a signal of traffic.rst whose values are at most 1.
fn of_signal(event: u64, signal: u64, instance: u64) -> u64 {
    3 * on(ROUNDS, rate(event, signal, instance, 0))
}

/// The values of a filter: `PLD=0x100+ISS=0x0`.
fn values(row: &Row) -> Vec<(&str, u64)> {
    let words = row
        .filter
        .split('+')
        .filter_map(|word| word.split_once('='));
    let number = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16);
    words
        .map(|(name, value)| (name, number(value).expect("a number")))
        .collect()
}

fn rows(options: &str, kind: &str) -> Vec<&'static Row> {
    let all = if options == NEHALEM {
        rows_of("nhmex")
    } else {
        rows_of("wsmex")
    };
    all.iter().filter(|row| row.kind == kind).collect()
}

/// Checks that only rows of one group count the same.
fn are_apart(counts: &[(String, String, u64)]) {
    let mut groups = BTreeMap::new();
    for (name, group, sum) in counts {
        assert!(*sum > 0, "{name}");
        let known = groups.entry(*sum).or_insert(group);
        assert_eq!(*known, group, "{name} counts {sum}");
    }
}

#[test]
fn rows_of_the_b_box() {
    for options in [NEHALEM, WESTMERE] {
        for row in rows(options, "BBOX") {
            let mut bench = Bench::new(options);
            // Everything passes.
            bench.wr(0, B_MATCH[1] + 1, (1 << 60) - 1);
            let counter = row.counters.trailing_zeros();
            let value = 1 | u64::from(row.code) << 1;
            let sum = count(&mut bench, BBOXES[1], counter, value);
            let event = u64::from(counter) * 32 + u64::from(row.code);
            assert_eq!(sum, of_signal(event, 8, 1), "{}", row.event);
            bench.assert_clean();
        }
    }
}

/// The share of each field, by both senses of a mask bit.
#[test]
fn match_registers_of_the_b_box() {
    const ALL: u64 = (1 << 60) - 1;
    // Counter, code, MATCH, the field that is compared, share of the packets.
    for (counter, code, value, field, share) in [
        (1, 1, 0xe << 44, 0xf_u64 << 44, (65..=82).sum()),
        (1, 2, 0x0 << 48, 0xf << 48, (1..=15).sum()),
        (1, 3, 0xf << 52, 0xf << 52, 15 + 44 + 64),
        (1, 4, 0xf << 56, 0xf << 56, 15 + 44 + 64),
        (1, 5, 0x3 << 44, 0xf << 44 | 0xf << 52, 37),
        (1, 6, 0x3 << 48, 0xf << 48 | 0xf << 56, 37),
    ] {
        for (option, mask) in [("", ALL & !field), (",reading=X-3:b", field)] {
            let mut bench = Bench::new(&format!("{NEHALEM}{option}"));
            bench.wr(0, B_MATCH[0], value);
            bench.wr(0, B_MATCH[0] + 1, mask);
            let part = count(&mut bench, BBOXES[0], counter, 1 | code << 1);
            let whole = of_signal(u64::from(counter) * 32 + code, 8, 0);
            let wanted = whole * share / 3403;
            assert!(
                part.abs_diff(wanted) * 100 <= whole,
                "{code} {part} {wanted}"
            );
            assert!(part > 0 && part < whole);
        }
    }
    let mut bench = nehalem();
    bench.wr(0, B_MATCH[0], 1);
    bench.wr(0, B_MATCH[0] + 1, 0);
    let part = count(&mut bench, BBOXES[0], 2, 1 | 4 << 1);
    let whole = of_signal(2 * 32 + 4, 8, 0);
    assert!(
        part.abs_diff(whole / 37) * 100 <= whole && part > 0,
        "line 0x40"
    );
}

/// Programs the sub-registers of a row, and gives the control value.
fn program_m(bench: &mut Bench, row: &Row) -> u64 {
    for (name, value) in values(row) {
        let at = match name {
            "DSP" => 5,
            "ISS" => 6,
            "MAP" => 7,
            "MSC_THR" => 8,
            "PGT" => 9,
            "PLD" => 10,
            _ => 11,
        };
        bench.wr(0, MBOXES[0] + at, value);
    }
    let code = u64::from(row.code);
    let select = if row.ext == Some(true) {
        code << 19 | 1 << 7
    } else {
        code << 9
    };
    1 | WRAP | select
}

/// Each row counts; rows differ but for those that mean the same.
#[test]
fn rows_of_the_m_box() {
    for options in [NEHALEM, WESTMERE] {
        let mut counts = Vec::new();
        for row in rows(options, "MBOX") {
            let mut bench = Bench::new(options);
            let value = program_m(&mut bench, row);
            let sum = count(&mut bench, MBOXES[0], 5, value);
            bench.assert_clean();
            let name = format!("{}.{}", row.event, row.subevent);
            let group = match (&*row.event, &*row.filter) {
                ("DRAM_CMD", filter) if filter.starts_with("PLD=0x0+") => "DRAM_CMD.ALL".into(),
                (event, _) if event.starts_with("FVC_EV") => row.subevent.clone(),
                _ => name.clone(),
            };
            if row.event == "CYCLES" {
                assert_eq!(sum, ROUNDS * 32);
            } else {
                counts.push((name, group, sum));
            }
        }
        are_apart(&counts);
    }
}

/// Numbers of signals, worked out by hand from traffic.rst.
#[test]
fn signals_of_the_m_box() {
    // Row of the catalogue, event, signal.
    for (event, subevent, code, signal) in [
        ("FVC_EV2", "BBOX_CMDS.WRITES", 89, 1),
        ("FVC_EV0", "BBOX_RSP.COR", 90, 2),
        ("DRAM_CMD", "CAS_WR_OPN", 80, 4),
        ("FRM_TYPE", "1CMD", 73, 4),
        ("THERM_TRP_DN", "DIMM2.GT_LO", 69, 2),
        ("CYCLES_PGT_STATE", "OPEN", 256 + 5, 1),
        ("BCMD_SCHEDQ_OCCUPANCY", "V2V", 256 + 6, 4),
        ("PAGE_HIT", "", 0x14, 8),
    ] {
        for options in [NEHALEM, WESTMERE] {
            let rows = rows(options, "MBOX");
            let row = rows
                .iter()
                .find(|row| (&*row.event, &*row.subevent) == (event, subevent));
            let mut bench = Bench::new(options);
            let value = program_m(&mut bench, row.expect("a row"));
            let sum = count(&mut bench, MBOXES[0], 0, value);
            assert_eq!(sum, of_signal(code, signal, 0), "{event}.{subevent}");
        }
    }
}

/// Without wrap_mode a counter stops at its end.
#[test]
fn end_of_a_counter() {
    const TOP: u64 = (1 << 48) - 1;
    for (wrap, stops) in [(0, true), (WRAP, false)] {
        let mut bench = nehalem();
        bench.wr(0, control(MBOXES[1], 2) + 1, TOP - 10);
        bench.wr(0, control(MBOXES[1], 2), 1 | 0x1b << 9 | wrap);
        bench.wr(0, MBOXES[1], 1 << 2);
        bench.wr(0, CONTROL, EN_ALL);
        bench.machine.burst(1000);
        assert_eq!(bench.rd(0, control(MBOXES[1], 2) + 1) == TOP, stops);
    }
}

/// DRAM_CMD of one address; the mask by both senses; off, the registers do nothing.
#[test]
fn address_match_of_the_m_box() {
    const ALL: u64 = (1 << 27) - 1;
    for (option, mask) in [("", 0), (",reading=X-3:b", ALL)] {
        let mut bench = Bench::new(&format!("{NEHALEM}{option}"));
        bench.wr(0, MBOXES[0] + 10, 3 << 8);
        bench.wr(0, M_MM_CFG[0] + 1, 0x8000_0000);
        bench.wr(0, M_MM_CFG[0] + 2, mask);
        let control = 1 | WRAP | 0x0a << 9;
        let whole = count(&mut bench, MBOXES[0], 0, control);
        assert_eq!(whole, of_signal(80, 3, 0));
        bench.wr(0, M_MM_CFG[0], 1 << 63);
        let part = count(&mut bench, MBOXES[0], 0, control);
        assert!(
            part.abs_diff(whole * 2 / 37) * 100 <= whole && part > 0,
            "{part}"
        );
    }
}

/// Each row on each port of both sides, by both partners.
#[test]
fn rows_of_the_r_box() {
    let mut counts = Vec::new();
    for port in 0..8_u32 {
        let upper = port / 4;
        for row in rows(NEHALEM, "RBOX") {
            let mut bench = nehalem();
            let registers = values(row);
            let set = 0xe60 + 4 * port + 0x10 * upper;
            for (name, value) in &registers {
                match *name {
                    "IPERF" => {
                        bench.wr(0, 0xe04 + port, *value);
                        bench.wr(0, 0xe24 + port, *value);
                    }
                    "QLX" => bench.wr(0, 0xe0c + port % 4 + 0x20 * upper, value << 8 | value),
                    name => {
                        let names = ["MM_CFG", "MATCH", "MASK"];
                        let at = names.iter().position(|known| *known == name);
                        let at = at.expect("a register of a set") as u32;
                        bench.wr(0, set + at, *value);
                        bench.wr(0, set + 0x10 + at, *value);
                    }
                }
            }
            let base = RBOXES[upper as usize];
            let select = u64::from(6 * (port % 4)) + u64::from(row.code);
            let one = count(&mut bench, base, 7, 1 | select << 1);
            let other = count(&mut bench, base, 0, 1 | (select + 1) << 1);
            bench.assert_clean();
            let name = format!("{}.{} port {port}", row.event, row.subevent);
            assert_eq!(one, other, "{name}");
            if row.code == 4 {
                assert!(one > 0, "{name}");
            } else {
                counts.push((name.clone(), name, one));
            }
        }
    }
    are_apart(&counts);
}

#[test]
fn signals_of_the_r_box() {
    // IPERF, events with their signals, of port 6: the third of the second side.
    for (value, signals) in [
        (1 << 31, vec![(128 + 3, 7)]),
        (0xc4, vec![(128 + 40, 2), (128 + 41, 2), (128 + 42, 2)]),
        (0x0022_0000, vec![(128 + 5, 0)]),
        (0x0010_0000, vec![(128 + 4, 7)]),
    ] {
        let mut bench = nehalem();
        bench.wr(0, 0xe0a, value);
        let sum = count(&mut bench, RBOXES[1], 3, 1 | 12 << 1);
        let expected = signals
            .iter()
            .map(|(event, signal)| of_signal(*event, *signal, 1));
        assert_eq!(sum, expected.sum::<u64>(), "{value:#x}");
    }
}

/// Bit 63 of MM_CFG disables a set, bit 21 enables it; the data state is compared.
#[test]
fn match_sets_of_the_r_box() {
    let sum = |mm_cfg: u64, value: u64, mask: u64| {
        let mut bench = nehalem();
        bench.wr(0, 0xe60, mm_cfg);
        bench.wr(0, 0xe61, value);
        bench.wr(0, 0xe62, mask);
        count(&mut bench, RBOXES[0], 0, 1 | 4 << 1)
    };
    let whole = sum(0x21_0000, 0, 0);
    assert_eq!(whole, of_signal(28, 1, 0));
    let part = sum(0x21_0000, 0x8_0000_0000_1c00, 0xf_0000_0000_1fe0);
    assert!(part.abs_diff(whole * 65 / 3403) * 100 <= whole && part > 0);
    assert_eq!(sum(1 << 63 | 0x21_0000, 0, 0), 0);
    assert_eq!(sum(0x01_0000, 0, 0), 0);
    let flits = sum(0x31_0000, 0, 0);
    assert_eq!(flits, of_signal(30, 0, 0));
}

/// An event select that no port has.
#[test]
fn beyond_the_ports() {
    let mut bench = nehalem();
    assert_eq!(count(&mut bench, RBOXES[0], 0, 1 | 24 << 1), 0);
    assert_eq!(bench.broken(), [(Rule::UnknownEvent, 24)]);
}
