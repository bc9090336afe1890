// SPDX-License-Identifier: GPL-2.0

//! Every named event, with the filters that it needs.

use crate::catalogue::second_names;
use crate::prelude::*;

/// Opcodes of home agent traffic that are frequent enough to show.
const HOME_OPCODES: [u8; 4] = [0x3f, 0x3a, 0x2c, 0x1e];

/// Message classes of packets, each with an opcode 0.
const CLASSES: [u64; 4] = [0xe, 0xc, 0x4, 0x3];
/// A value of each sub-register of an M-Box with which each of its events counts something.
const SUB_REGISTERS: u64 = 0x1100_0023_1a2c;

/// Filters for the rows that need one, different for each seed.
fn filter(kind: BoxKind, seed: usize) -> Filter {
    let config1 = match kind {
        // Of IPERF, or of each half of QLX.
        BoxKind::Rbox => 0x4545,
        // Any direction: an event has one.
        BoxKind::Bbox => CLASSES[seed % 4] << 44 | CLASSES[seed % 4] << 48 | LINES[seed % 8] >> 6,
        BoxKind::Mbox => SUB_REGISTERS,
        // One line of one home node.
        _ => (0x0001_0000_0040 >> 6) << 5 | 1,
    };
    Filter {
        opc: OPCODES[OPCODES.len() - 1 - seed % 8],
        nid: node(seed),
        address: LINES[seed % 8],
        home_opcode: HOME_OPCODES[seed % 4],
        // A frequency and a reason for a demotion.
        bands: [0x10, 20, 24, 28],
        config1,
        ..Filter::default()
    }
}

/// Returns every row on every box, but COUNTER0_OCCUPANCY, which needs a group.
pub fn rows(shape: &Shape) -> Vec<Probe> {
    let rows = Catalogue::get().rows().iter();
    let rows = rows.filter(|row: &&Row| !row.needs.occupancy).enumerate();
    let on_boxes = |(seed, row): (usize, &'static Row)| {
        (0..shape.most(row.kind))
            .filter_map(move |instance| Probe::of_row(row, instance, &filter(row.kind, seed / 4)))
    };
    let second = second_names().iter().flat_map(|&(kind, name, of)| {
        (0..shape.most(kind)).map(move |i| Probe::new(kind, i, of).asked_as(name))
    });
    rows.flat_map(on_boxes).chain(second).collect()
}

/// Returns `clockticks` of every fixed counter.
pub fn fixed(shape: &Shape) -> Vec<Probe> {
    let kinds = BoxKind::all().filter(|kind| kind.has_fixed());
    let on_boxes =
        |kind| (0..shape.most(kind)).map(move |instance| Probe::new(kind, instance, "clockticks"));
    kinds.flat_map(on_boxes).collect()
}
