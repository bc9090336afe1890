// SPDX-License-Identifier: GPL-2.0

//! Rows of the catalogue that registers beside the control register make: the M-Box and the R-Box of
//! Nehalem-EX and Westmere-EX, and with them the B-Box. What each counts is worked out here from the
//! row and from Documentation/development/traffic.rst ("NHMEX").
//!
//! Events that compare addresses and packets are left out: see `names.rs`.

use super::{names::words, *};
use crate::sweep::attributes;
use uncore_catalogue::{nhmex_rows, wsmex_rows, Row};
use uncore_definition::{
    mbox::{signals, Signal},
    rate, rbox,
};

/// A burst in which a signal is on exactly K times.
const BURST: u64 = 1 << 26;

/// A model: the options of its machine, its rows, and the lowest bit of a field that lies one bit
/// higher on Westmere-EX.
struct Model {
    machine: &'static str,
    rows: fn() -> &'static [Row],
    higher: u32,
}

const MODELS: [Model; 2] = [
    Model {
        machine: "platform=nhmex,packages=2,cores=2",
        rows: nhmex_rows,
        higher: 0,
    },
    Model {
        machine: "platform=wsmex,packages=2,cores=2",
        rows: wsmex_rows,
        higher: 1,
    },
];

/// Returns the value of a register in `filter`, such as `PLD=0x201+ISS=0x80`.
fn register(row: &Row, name: &str) -> u64 {
    let mut all = row.filter.split('+');
    let value = all.find_map(|one| one.strip_prefix(name)?.strip_prefix("=0x"));
    value.map_or(0, |digits| u64::from_str_radix(digits, 16).expect("hex"))
}

/// Returns bits of a value.
fn bits(value: u64, low: u32, count: u32) -> u64 {
    value >> low & ((1 << count) - 1)
}

/// Returns the signals of a row of the M-Box.
fn of_mbox(row: &Row, higher: u32) -> Vec<Signal> {
    let event = u64::from(row.code) + if row.ext == Some(true) { 256 } else { 0 };
    let names = ["DSP", "MSC_THR", "ISS", "FVC", "PGT", "MAP"];
    let other = names.map(|name| register(row, name)).iter().sum();
    signals(event, other, register(row, "PLD"), higher)
}

/// Returns the signals of a row of the R-Box, for a port of the side. A row has one register.
fn of_rbox(row: &Row, port: u8) -> Vec<Signal> {
    let value = register(row, "IPERF") | register(row, "QLX");
    rbox::signals(6 * port + row.code, [value, 0, 0, 0])
}

/// Returns what one block adds: the largest `max_inc` of the rows of the event tells.
fn of_a_block(rows: &[Row], row: &Row) -> u64 {
    let is_same = |other: &&Row| {
        let counters = row.kind != "BBOX" || other.counters == row.counters;
        (&other.kind, other.code, other.ext) == (&row.kind, row.code, row.ext) && counters
    };
    let peaks = rows
        .iter()
        .filter(is_same)
        .filter_map(|other| other.max_inc);
    match u64::from(peaks.max().unwrap_or(1)) {
        0 | 1 => 3,
        peak => peak + peak.div_ceil(2) + 1,
    }
}

/// Returns the blocks of a signal in the burst, of one mode if that is asked.
fn blocks((code, number): Signal, instance: u64, package: u64, mode: Option<u64>) -> u64 {
    let rate = rate(code, number, instance, package);
    let Some(mode) = mode else {
        return rate;
    };
    let first = mode * (mode + 1) / 2;
    let slots = first..first + mode + 1;
    let of_rest = (0..rate % 10).filter(|slot| slots.contains(slot)).count();
    rate / 10 * (mode + 1) + u64::try_from(of_rest).expect("at most 10")
}

#[test]
fn every_row_of_the_sub_registers_counts_exactly() {
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for Model {
        machine,
        rows,
        higher,
    } in MODELS
    {
        let rows = rows();
        with_driver(machine, "auto", |host| {
            let mut check = |unit: &str, name: &str, row: &Row, signals: &[Signal], of: u64| {
                let (pmu, cpu) = (format!("nhmex_uncore_{unit}_{of}"), 2 * of);
                let (words, asks) = words(&pmu, name);
                assert!(!asks, "{name}");
                let cpu = u32::try_from(cpu).expect("0 or 2");
                let mode = register(row, "PLD") & 1 == 1 && row.code == 0x0a;
                let mode = mode.then(|| bits(register(row, "ISS"), 7, 3));
                let blocks: u64 = signals.iter().map(|&one| blocks(one, of, of, mode)).sum();
                let expected = blocks * of_a_block(rows, row);
                match known(&pmu).open(&attributes(words, cpu), None) {
                    Ok(event) => {
                        host.command(&format!("burst {BURST}"));
                        let seen = event.read();
                        if seen != expected {
                            wrong.push(format!("{pmu} {name}: {seen}, not {expected}"));
                        }
                    }
                    Err(error) => wrong.push(format!("{pmu} {name}: {error:?}")),
                }
                compared += 1;
            };
            for row in rows {
                let mut name = row.event.to_lowercase();
                if !row.subevent.is_empty() {
                    name = format!("{name}.{}", row.subevent.to_lowercase());
                }
                for of in [0, 1] {
                    match &*row.kind {
                        "BBOX" if row.filter.is_empty() => {
                            let counter = u64::from(row.counters.trailing_zeros());
                            let signal = (u64::from(row.code) + 32 * counter, 8);
                            check("bbox", &name, row, &[signal], of);
                        }
                        "MBOX" if row.event == "CYCLES" => {}
                        "MBOX" => check("mbox", &name, row, &of_mbox(row, higher), of),
                        "RBOX" if row.code < 4 => {
                            for port in 0..4 {
                                let name = format!("port{port}_{name}");
                                check("rbox", &name, row, &of_rbox(row, port), of);
                            }
                        }
                        _ => {}
                    }
                }
            }
            assert_eq!(host.command("violations"), "");
        });
    }
    assert!(
        wrong.is_empty(),
        "{} of {compared}: {wrong:#?}",
        wrong.len()
    );
    // On two boxes; the rows of the R-Box on each of four ports.
    assert_eq!(compared, 2748);
}
