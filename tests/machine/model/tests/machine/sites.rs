// SPDX-License-Identifier: GPL-2.0

//! The addresses of the boxes and the programming of a [`Setting`]:
//! Documentation/hardware/ivbep.rst sections 1 and 7.

use crate::bench::{uncore, uncore1, Bench, IRP};
use uncore_definition::Setting;

/// The address of a kind of box, and the cycles of uclk in one cycle of its clock.
pub(crate) struct Site {
    pub(crate) kind: &'static str,
    pub(crate) counters: usize,
    pub(crate) instances: u64,
    /// uclk cycles = own * numerator / denominator, rounded up.
    pub(crate) ratio: (u64, u64),
}

/// One site per box type, in the order of Documentation/hardware/ivbep.rst section
/// 7, C-Box first.
pub(crate) const SITES: [Site; 9] = [
    site("CBO", 4, 4, (1, 1)),
    site("UBOX", 2, 1, (1, 1)),
    site("iMC", 4, 8, (18, 7)),
    site("HA", 4, 2, (1, 1)),
    site("IRP", 4, 1, (1, 1)),
    site("PCU", 4, 1, (3, 1)),
    site("QPI", 4, 2, (12, 5)),
    site("R2PCIe", 4, 1, (1, 1)),
    site("R3QPI", 3, 2, (1, 1)),
];

const fn site(kind: &'static str, counters: usize, instances: u64, ratio: (u64, u64)) -> Site {
    Site {
        kind,
        counters,
        instances,
        ratio,
    }
}

/// The site of a setting's box.
pub(crate) fn site_of(setting: &Setting) -> &'static Site {
    let found = SITES.iter().find(|site| site.kind == setting.kind);
    found.expect("a known kind")
}

/// The control register's value for a setting.
fn control(s: &Setting) -> u64 {
    let bit = |set: bool, at: u32| u64::from(set) << at;
    let flags = bit(s.edge, 18) | bit(s.tid_en, 19) | bit(s.ext, 21) | bit(true, 22);
    let flags = flags | bit(s.occ_invert, 30) | bit(s.occ_edge, 31);
    s.thresh << 24 | flags | u64::from(s.umask) << 8 | u64::from(s.code)
}

/// Programs a setting and gives a way to read its counter.
pub(crate) fn program(bench: &mut Bench, s: &Setting) {
    let package = s.package as u8;
    let control = control(s);
    match s.kind {
        "CBO" => {
            let base = 0xd00 + 0x20 * s.instance as u32;
            bench.wr(package, base + 0x14, s.filters[0]);
            bench.wr(package, base + 0x1a, s.filters[1]);
            if s.counter != 0 {
                let (code, umask, tid_en) = s.counter0;
                let first = u64::from(umask) << 8 | u64::from(code) | u64::from(tid_en) << 19;
                bench.wr(package, base + 0x10, first);
            }
            bench.wr(package, base + 0x10 + s.counter as u32, control);
        }
        "UBOX" => bench.wr(package, 0xc10 + s.counter as u32, control),
        "PCU" => {
            bench.wr(package, 0xc34, s.filters[0]);
            bench.wr(package, 0xc30 + s.counter as u32, control);
        }
        _ => {
            program_matches(bench, s);
            bench.set(function(s), 0xd8 + 4 * s.counter as u16, control as u32);
        }
    }
}

/// The match registers of home agents and QPI ports.
fn program_matches(bench: &mut Bench, s: &Setting) {
    let at = function(s);
    let (at, offsets): (_, &[u16]) = match s.kind {
        "HA" => (at, &[0x40, 0x44, 0x48]),
        "QPI" => {
            let at = uncore_machine::Function { function: 6, ..at };
            (at, &[0x228, 0x22c, 0x238, 0x23c])
        }
        _ => return,
    };
    for (offset, value) in offsets.iter().zip(s.filters) {
        bench.set(at, *offset, value as u32);
    }
}

/// Reads the counter of a setting.
pub(crate) fn read(bench: &mut Bench, s: &Setting) -> u64 {
    let package = s.package as u8;
    match s.kind {
        "CBO" => bench.rd(package, 0xd16 + 0x20 * s.instance as u32 + s.counter as u32),
        "UBOX" => bench.rd(package, 0xc16 + s.counter as u32),
        "PCU" => bench.rd(package, 0xc36 + s.counter as u32),
        "IRP" => bench.cfg_counter(function(s), [0xa0, 0xb0, 0xb8, 0xc0][s.counter]),
        _ => bench.cfg_counter(function(s), 0xa0 + 8 * s.counter as u16),
    }
}

fn function(s: &Setting) -> uncore_machine::Function {
    let (device, function) = match (s.kind, s.instance) {
        ("HA", 0) => (14, 1),
        ("HA", _) => (28, 1),
        ("QPI", 0) => (8, 2),
        ("QPI", _) => (9, 2),
        ("R2PCIe", _) => (19, 1),
        ("R3QPI", 0) => (19, 5),
        ("R3QPI", _) => (19, 6),
        ("iMC", channel) => {
            let device = if channel < 4 { 16 } else { 30 };
            (device, [4, 5, 0, 1][channel as usize % 4])
        }
        _ => {
            let bus = if s.package == 0 { 0x00 } else { 0x80 };
            return uncore_machine::Function { bus, ..IRP };
        }
    };
    if s.package == 0 {
        uncore(device, function)
    } else {
        uncore1(device, function)
    }
}

/// Own cycles to a burst that gives at least as many.
pub(crate) fn uclk(s: &Setting, own: u64) -> u64 {
    let (numerator, denominator) = site_of(s).ratio;
    (own * numerator).div_ceil(denominator)
}
