// SPDX-License-Identifier: GPL-2.0

//! The addresses of the boxes of BDX and the programming of a [`Setting`].

use uncore_definition::Setting;
use uncore_machine::Function;

use super::{CHANNELS, ENABLES, LINKS};
use crate::bench::{uncore, uncore1, Bench, IRP};

/// First MSR of a box: of control registers, of counters, of filters, and BOX_CTL.
struct Msrs {
    control: u32,
    counter: u32,
    filter: u32,
    box_control: Option<u32>,
}

/// The MSRs of a setting's box, if it has any.
fn msrs(s: &Setting) -> Option<Msrs> {
    let instance = s.instance as u32;
    let block = |base: u32, counter: u32| Msrs {
        control: base + 1,
        counter: base + counter,
        filter: base + 5,
        box_control: Some(base),
    };
    Some(match s.kind {
        "UBOX" => Msrs {
            control: 0x705,
            counter: 0x709,
            filter: 0,
            box_control: None,
        },
        "CBO" => block(0xe00 + 0x10 * instance, 8),
        "SBO" => block(0x720 + 0xa * instance, 6),
        "PCU" => block(0x710, 7),
        _ => return None,
    })
}

/// Counters of a box type.
pub(super) fn counters(kind: &str) -> usize {
    match kind {
        "UBOX" => 2,
        "R3QPI" => 3,
        _ => 4,
    }
}

/// The cycles of uclk in which a box sees at least `own` cycles.
pub(super) fn uclk(kind: &str, own: u64) -> u64 {
    match kind {
        "iMC" => (own * 18).div_ceil(7),
        "QPI" => (own * 6).div_ceil(5),
        "PCU" => own * 3,
        _ => own,
    }
}

/// The control register's value for a setting, without its enable bit.
fn control(s: &Setting) -> u64 {
    let bit = |set: bool, at: u32| u64::from(set) << at;
    let flags = bit(s.edge, 18) | bit(s.tid_en, 19) | bit(s.ext, 21) | bit(s.invert, 23);
    let flags = flags | bit(s.occ_invert, 30) | bit(s.occ_edge, 31);
    s.thresh << 24 | flags | u64::from(s.umask) << 8 | u64::from(s.code)
}

/// Programs a setting, each control register twice.
pub(super) fn program(bench: &mut Bench, s: &Setting) {
    const EN: u64 = 1 << 22;
    let (package, value, counter) = (s.package as u8, control(s), s.counter as u32);
    if let Some(msrs) = msrs(s) {
        if let Some(at) = msrs.box_control {
            bench.wr(package, at, ENABLES.into());
        }
        if matches!(s.kind, "CBO" | "PCU") {
            bench.wr(package, msrs.filter, s.filters[0]);
        }
        if s.kind == "CBO" {
            bench.wr(package, msrs.filter + 1, s.filters[1]);
            if s.counter != 0 {
                let (code, umask, tid_en) = s.counter0;
                let first = u64::from(umask) << 8 | u64::from(code) | u64::from(tid_en) << 19;
                bench.wr(package, msrs.control, first);
            }
        }
        bench.wr(package, msrs.control + counter, value);
        bench.wr(package, msrs.control + counter, value | EN);
        return;
    }
    let at = function(s);
    bench.set(at, 0xf4, ENABLES);
    let (matches, offsets): (_, &[u16]) = match s.kind {
        "HA" => (at, &[0x40, 0x44, 0x48]),
        "QPI" => (
            Function { function: 6, ..at },
            &[0x228, 0x22c, 0x238, 0x23c],
        ),
        _ => (at, &[]),
    };
    for (offset, filter) in offsets.iter().zip(s.filters) {
        bench.set(matches, *offset, filter as u32);
    }
    let offset = 0xd8 + 4 * counter as u16;
    bench.set(at, offset, value as u32);
    bench.set(at, offset, (value | EN) as u32);
}

/// Reads the counter of a setting.
pub(super) fn read(bench: &mut Bench, s: &Setting) -> u64 {
    match msrs(s) {
        Some(msrs) => bench.rd(s.package as u8, msrs.counter + s.counter as u32),
        None if s.kind == "IRP" => {
            bench.cfg_counter(function(s), [0xa0, 0xb0, 0xb8, 0xc0][s.counter])
        }
        None => bench.cfg_counter(function(s), 0xa0 + 8 * s.counter as u16),
    }
}

fn function(s: &Setting) -> Function {
    let instance = s.instance as usize;
    let (device, function) = match s.kind {
        "HA" => [(18, 1), (18, 5)][instance],
        "QPI" => [(8, 2), (9, 2), (10, 2)][instance],
        "R2PCIe" => (16, 1),
        "R3QPI" => LINKS[instance],
        "iMC" => CHANNELS[instance],
        _ => {
            let bus = if s.package == 0 { 0x00 } else { 0x80 };
            return Function { bus, ..IRP };
        }
    };
    match s.package {
        0 => uncore(device, function),
        _ => uncore1(device, function),
    }
}
