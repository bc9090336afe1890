// SPDX-License-Identifier: GPL-2.0

//! Packets of a B-Box: each field of match and mask, alone and with others.
//! traffic.rst has the packets.

use crate::prelude::*;

/// The lowest bits of the fields, a direction apart.
const CLASS: u32 = 44;
const OPCODE: u32 = 52;
const OUT: u32 = 4;

/// All bits of match and mask.
const ALL: u64 = (1 << 60) - 1;

/// A nibble that is compared as a whole.
const NIBBLE: u64 = 0xf;

/// Returns an event with each setting, on a machine where a bit of the mask ignores.
pub(super) fn settings() -> Vec<Probe> {
    all(Sense::Ignores)
}

/// Returns the same on a machine where a bit of the mask compares.
pub(super) fn where_masks_compare() -> Vec<Probe> {
    all(Sense::Compares)
}

/// Effect of a bit of the mask that is 1.
#[derive(Clone, Copy)]
enum Sense {
    Ignores,
    Compares,
}

impl Sense {
    /// Returns an event that compares these bits with those of a value.
    fn packets(self, name: &str, value: u64, compared: u64) -> Probe {
        let probe = Probe::new(BoxKind::Bbox, 0, name);
        match self {
            Self::Ignores => probe.home(value, ALL & !compared),
            Self::Compares => probe.home(value, compared).mask_compares(),
        }
    }
}

fn all(sense: Sense) -> Vec<Probe> {
    [of_one_field(sense), lines(sense), several(sense)].concat()
}

/// Classes and opcodes of both directions: values as a whole, and each bit alone.
fn of_one_field(sense: Sense) -> Vec<Probe> {
    let fields = [
        ("msg_in_match", CLASS, [0, 1, 4, 0xc, 0xe, 0xd]),
        ("msg_out_match", CLASS + OUT, [0, 2, 3, 0xc, 0xe, 5]),
        ("opcode_in_match", OPCODE, [0, 3, 8, 0xb, 0xd, 0xf]),
        ("opcode_out_match", OPCODE + OUT, [1, 2, 4, 7, 0xa, 0xf]),
    ];
    let of_field = |(name, first, values): (&'static str, u32, [u64; 6])| {
        let whole = values.into_iter().map(|value| (value, NIBBLE));
        let bits = (0..4).map(|bit| (1 << bit, 1 << bit));
        let any = [(0, 0), (NIBBLE, 0)];
        let settings = whole.chain(bits).chain(any);
        settings.map(move |(value, mask)| sense.packets(name, value << first, mask << first))
    };
    fields.into_iter().flat_map(of_field).collect()
}

/// Each line, a page of several, single bits of the address, all.
fn lines(sense: Sense) -> Vec<Probe> {
    const ADDR: u64 = (1 << CLASS) - 1;
    let whole = LINES.map(|line| (line >> 6, ADDR));
    let others = [
        (0, ADDR),
        (LINES[3] >> 6, ADDR & !0x3f),
        (LINES[7] >> 6, 1 << 39),
        (LINES[5] >> 6, 1),
        (0, 1 << 43),
        (1 << 43, 1 << 43),
        (0, 0),
    ];
    let settings = whole.into_iter().chain(others);
    let settings = settings.map(|(line, mask)| sense.packets("addr_in_match", line, mask));
    settings.collect()
}

/// Several fields at once, all compared or only some.
fn several(sense: Sense) -> Vec<Probe> {
    let data = 0xe << CLASS | LINES[7] >> 6;
    let sent = 0x3 << (CLASS + OUT) | 0xf << (OPCODE + OUT);
    let settings = [
        ("msg_addr_in_match", data, ALL),
        ("msg_addr_in_match", data, NIBBLE << CLASS),
        ("opcode_addr_in_match", 0xb << OPCODE | LINES[6] >> 6, ALL),
        (
            "opcode_addr_in_match",
            0x1 << OPCODE | LINES[4] >> 6,
            1 << OPCODE | 1,
        ),
        ("msg_opcode_addr_in_match", data | 0xb << OPCODE, ALL),
        (
            "msg_opcode_addr_in_match",
            data | 0x8 << OPCODE,
            ALL & !(0x7 << OPCODE),
        ),
        ("msg_opcode_addr_in_match", data, 0),
        ("msg_opcode_in_match", 0xe << CLASS | 0x7 << OPCODE, ALL),
        (
            "msg_opcode_in_match",
            0xc << CLASS | 0xc << OPCODE,
            ALL & !(0x3 << OPCODE),
        ),
        ("msg_opcode_out_match", sent, ALL),
        ("msg_opcode_out_match", sent, NIBBLE << (CLASS + OUT)),
    ];
    let settings = settings.map(|(name, value, mask)| sense.packets(name, value, mask));
    settings.into()
}
