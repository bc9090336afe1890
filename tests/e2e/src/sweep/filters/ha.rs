// SPDX-License-Identifier: GPL-2.0

//! The address and opcode match of the home agent.

use crate::prelude::*;

/// Opcodes of the classes HOM0, HOM1, NDR and SNP that occur.
const CLASSES: [(u8, &[u8]); 4] = [
    (0, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15]),
    (1, &[0, 1, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14]),
    (2, &[0, 1, 4, 5, 8, 9, 10, 11, 12]),
    (3, &[0, 1, 2, 4, 5, 8, 10, 15]),
];

pub(super) fn settings() -> Vec<Probe> {
    if !Catalogue::get().has(BoxKind::Ha, "addr_opc_match.addr") {
        return both();
    }
    [lines(), opcodes(), rings(), both()].concat()
}

/// A line has 64 bytes: the bits below do not matter. An address that differs
/// from a line's in one bit is another line, which does not occur. Where a home agent
/// compares pages, the same is true of pages of 4 KiB.
fn lines() -> Vec<Probe> {
    let addr = |address| Probe::ha(0, "addr_opc_match.addr").address(address);
    let within = LINES.map(|line| line | 0x3f);
    let beside = [0, 0x80, 0x1_0000_0080, 0x2000_0000_0040, 0x1fff_ffff_ffc0];
    let pages = [0x1000, 0x1_0000_1fc0, 0x2000_0000_1000, 0x3fff_ffff_efc0];
    let addresses = LINES.into_iter().chain(within).chain(beside).chain(pages);
    addresses.map(addr).collect()
}

fn opcodes() -> Vec<Probe> {
    let opc = |value| Probe::ha(0, "addr_opc_match.opc").home_opcode(value);
    let of_class = |(class, opcodes): (u8, &'static [u8])| {
        opcodes.iter().map(move |opcode| class << 4 | opcode)
    };
    let occurring = CLASSES.into_iter().flat_map(of_class);
    let absent = [0x0b, 0x12, 0x2f, 0x33];
    occurring.chain(absent).map(opc).collect()
}

fn rings() -> Vec<Probe> {
    let names = ["ad", "bl", "ak"].map(|ring| format!("addr_opc_match.{ring}"));
    let of_name =
        |name: &String| [0x00, 0x1e, 0x2c, 0x3f].map(|opc| Probe::ha(0, name).home_opcode(opc));
    names.iter().flat_map(of_name).collect()
}

fn both() -> Vec<Probe> {
    let filt = |address, opcode| {
        let probe = Probe::ha(0, "addr_opc_match.filt");
        probe.address(address).home_opcode(opcode)
    };
    let lines = [LINES[3], LINES[5], LINES[7]];
    let of_line = |line| [0x0e, 0x1d, 0x3f].map(|opcode| filt(line, opcode));
    let mut settings: Vec<Probe> = lines.into_iter().flat_map(of_line).collect();
    settings.push(filt(0x80, 0x3f));
    settings.push(filt(LINES[7], 0x33));
    settings
}
