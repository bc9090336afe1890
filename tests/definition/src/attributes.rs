// SPDX-License-Identifier: GPL-2.0

//! "Transactions and filters" of traffic.rst, word by word: the attributes of a
//! transaction and whether it passes the filters of its box.
//!
//! Typed from the page and from the manual's tables 2-18, 2-44, 2-123, 2-216
//! and 2-217.

use crate::{mbox, Platform, Setting};

/// The entry a number belongs to if entry i of a list owns i + 1 numbers.
pub fn slot_owner(slot: u64) -> u64 {
    let mut owners = (0..slot).filter(|i| slot < (i + 1) * (i + 2) / 2);
    owners.next().unwrap_or(slot)
}

/// Returns the entry of a list, if the list is long enough.
fn entry<T: Copy>(list: &[T], index: u64) -> Option<T> {
    list.get(usize::try_from(index).ok()?).copied()
}

/// The list's entry; numbers left over belong to the last.
fn owned<T: Copy>(list: &[T], slot: u64) -> T {
    entry(list, slot_owner(slot)).unwrap_or(list[list.len() - 1])
}

/// T2-18, with 0x195 from a metric.
const OPCODES: [u64; 21] = [
    0x180, 0x181, 0x182, 0x187, 0x18C, 0x18D, 0x190, 0x191, 0x192, 0x193, 0x194, 0x195, 0x19C,
    0x19D, 0x19E, 0x1C4, 0x1C5, 0x1C8, 0x1E4, 0x1E5, 0x1E6,
];

/// Message classes and the opcodes they have.
const CLASSES: [(u64, &[u64]); 7] = [
    (0x0, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15]),
    (0x1, &[0, 1, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14]),
    (0x2, &[0, 1, 4, 5, 8, 9, 10, 11, 12]),
    (0x3, &[0, 1, 2, 4, 5, 8, 10, 15]),
    (0x4, &[0, 1, 3, 4, 5, 7, 9, 11, 12, 13]),
    (0xC, &[0, 1, 8, 9, 10, 11, 12, 13, 14, 15]),
    (0xE, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11]),
];

/// The data states of DRS opcodes 0, 1 and 2: M, E, F, I, or E, F, I.
const STATES: [&[u64]; 3] = [&[8, 4, 1, 0], &[4, 1, 0], &[4, 1, 0]];

/// The list of messages: class, opcode, data state.
pub fn messages() -> Vec<(u64, u64, u64)> {
    let mut all = Vec::new();
    for (class, opcodes) in CLASSES {
        for opcode in opcodes {
            let states = match class {
                0xE => entry(&STATES, *opcode).unwrap_or(&[0]),
                _ => &[0],
            };
            all.extend(states.iter().map(|state| (class, *opcode, *state)));
        }
    }
    all
}

/// Packet m of a QPI port as MATCH0 and MATCH1 see it.
pub fn packet(m: u64) -> (u64, u64) {
    let (class, opcode, state) = owned(&messages(), m % 3403);
    let network = owned(&[0, 1, 2, 3], m % 11);
    let node = owned(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 31], m % 67);
    (
        node << 13 | class << 9 | opcode << 5 | network << 3,
        state << 16,
    )
}

/// Transaction m of a home agent: address, and class and opcode.
pub fn home(m: u64) -> (u64, u64) {
    const LINES: [u64; 8] = [
        0x0040,
        0x8000_0000,
        0xFFFF_FFC0,
        0x0001_0000_0000,
        0x0001_0000_0040,
        0x1234_5678_9A80,
        0x2000_0000_0000,
        0x3FFF_FFFF_FFC0,
    ];
    let (class, opcode, _) = owned(&messages()[..44], m % 990);
    (owned(&LINES, m % 37), class << 4 | opcode)
}

/// Tells if transaction m passes the conditions of an event.
pub(crate) fn passes(s: &Setting, code: u8, umask: u8, tid_en: bool, m: u64) -> bool {
    let bdx = s.platform == Platform::Bdx;
    match s.kind {
        "BBOX" => passes_bbox(s, m),
        "MBOX" => mbox::passes(u64::from(s.ext) * 256 + u64::from(code), s.filters, m),
        "RBOX" if code % 6 >= 4 => passes_rbox(s, m),
        "SBO" if s.platform != Platform::Bdx && code == 0x00 => passes_sbox(s, m),
        _ if s.platform.has_sub_registers() => true,
        _ if s.platform.is_client() => passes_umask(s.kind, code, umask, m),
        "CBO" => passes_cbox(s, code, umask, tid_en, m),
        "QPI" if s.ext && code == 0x38 => passes_qpi(s, m),
        "HA" if code == 0x20 => passes_home(s, umask, m),
        "PCU" if !s.ext => passes_pcu(s, code, m),
        "UBOX" if bdx && (code == 0x42 || code == 0x41 && umask & 5 != 0) => {
            let thread = s.filters[0] & 0x3F;
            thread == 0 || slot_owner(m % 2081).min(63) == thread
        }
        "IRP" if bdx && code == 0x16 && umask & 0x40 != 0 => m % 7 <= 1,
        "IRP" if bdx && code == 0x17 => {
            let bit = match m % 11 {
                0 => 4,
                1 | 2 => 5,
                _ => 6,
            };
            umask >> bit & 1 == 1
        }
        "IRP" if !bdx && code == 0x15 && umask & 8 != 0 => m % 7 <= 1,
        _ => true,
    }
}

/// A client has no filters; bits of the umask ask for an attribute.
fn passes_umask(kind: &str, code: u8, umask: u8, m: u64) -> bool {
    let wanted = match (kind, code) {
        ("CBO", 0x22) => match m % 15 {
            0 => 0x1,
            1 | 2 => 0x2,
            3..=5 => 0x4,
            6..=9 => 0x8,
            _ => 0x10,
        },
        ("CBO", 0x34) => match m % 10 {
            0 => 0x1,
            1 | 2 => 0x2,
            3..=5 => 0x4,
            _ => 0x8,
        },
        _ => return true,
    };
    umask & wanted != 0
}

fn passes_cbox(s: &Setting, code: u8, umask: u8, tid_en: bool, m: u64) -> bool {
    let [filter0, filter1, ..] = s.filters;
    let umask_bit = |bit: u8| umask >> bit & 1 == 1;
    let bdx = s.platform == Platform::Bdx;
    let state = match m % if bdx { 37 } else { 21 } {
        0 => 17,
        1..=2 => 18,
        3..=5 => 19,
        6..=9 => 20,
        10..=14 => 21,
        15..=20 => 22,
        _ => 23,
    };
    let opc = match m % 235 {
        slot @ 0..=230 => owned(&OPCODES, slot),
        _ => 0x1FF,
    };
    let (tid, tids) = if bdx {
        (slot_owner(m % 2081).min(63), 0x3F)
    } else {
        (slot_owner(m % 529).min(31), 0x1F)
    };
    let tor = matches!(code, 0x35 | 0x36);
    let node_event =
        tor || matches!(code, 0x34 | 0x37) || bdx && matches!(code, 0x28..=0x2A | 0x32 | 0x33);
    let opcode_passes = opc == filter1 >> 20 & 0x1FF
        && (filter1 >> 30 & 1 == 0 || m % 13 <= 1)
        && (filter1 >> 31 & 1 == 0 || m % 19 <= 2);
    (code != 0x34 || filter0 >> state & 1 == 1)
        && (!(node_event && umask_bit(6)) || filter1 >> slot_owner(m % 136) & 1 == 1)
        && (!(tor && umask_bit(0)) || opcode_passes)
        && (!(tor && umask_bit(1)) || m % 29 <= 6)
        && (!(tor && umask_bit(5)) || m % 31 <= 10)
        && (!(tor && umask_bit(7)) || m % 31 > 10)
        && (!tid_en || tid == filter0 & tids)
}

fn passes_qpi(s: &Setting, m: u64) -> bool {
    let [match0, match1, mask0, mask1] = s.filters;
    let (p0, p1) = packet(m);
    let (low, high) = (mask0 & 0x3_FFFF, mask1 & 0xF_0000);
    p0 & low == match0 & low && p1 & high == match1 & high
}

/// Packets of a match set have the words of QPI. RNID and the bits without a name are never compared.
fn passes_rbox(s: &Setting, m: u64) -> bool {
    let [value, mask, ..] = s.filters;
    let (low, high) = packet(m);
    ((low | high << 32) ^ value) & mask & 0x000F_0000_0003_FFF8 == 0
}

/// A packet that TO_R_PROG_EV of an S-Box lets through: one of the choices of each field that has
/// any, of a line and a home node.
fn passes_sbox(s: &Setting, m: u64) -> bool {
    let [value, mask, ..] = s.filters;
    let chosen = |first: u32, choices: u64, slot: u64| {
        let field = value >> first & ((1 << choices) - 1);
        field == 0 || field >> slot_owner(slot).min(choices - 1) & 1 == 1
    };
    let line = (home(m).0 >> 6 ^ value >> 5) & ((1 << 38) - 1) & !(mask >> 1) == 0;
    let node = mask & 1 == 1 || value & 0x1F == owned(&[0, 1, 8, 31], m % 11);
    line && node && chosen(59, 5, m % 17) && chosen(48, 11, m % 67) && chosen(43, 5, m % 16)
}

/// The fields of a B-Box' registers that an event looks at follow from its name.
fn passes_bbox(s: &Setting, m: u64) -> bool {
    let [value, mask, ..] = s.filters;
    let (packet, (address, _)) = (packet(m).0, home(m));
    let is = |first: u32, width: u32, own: u64| {
        let bits = ((1 << width) - 1) << first;
        (value ^ own << first) & bits & !mask == 0
    };
    let class = |first| is(first, 4, packet >> 9 & 0xF);
    let opcode = |first| is(first, 4, packet >> 5 & 0xF);
    let line = || is(0, 44, address >> 6);
    match (s.counter, s.code) {
        (0, 1) => class(44) && line(),
        (0, 2) => opcode(52) && line(),
        (0, 3) => class(44) && opcode(52) && line(),
        (1, 1) => class(44),
        (1, 2) => class(48),
        (1, 3) => opcode(52),
        (1, 4) => opcode(56),
        (1, 5) => class(44) && opcode(52),
        (1, 6) => class(48) && opcode(56),
        (2, 4) => line(),
        _ => true,
    }
}

fn passes_home(s: &Setting, umask: u8, m: u64) -> bool {
    let [low, high, opcode, _] = s.filters;
    let (address, opc) = home(m);
    let compared = if s.platform == Platform::Bdx {
        0xFFFF_F000
    } else {
        0xFFFF_FFC0
    };
    let line = address >> 32 == high & 0x3FFF && address & compared == low & compared;
    (umask & 1 == 0 || line) && (umask & 0b1_1110 == 0 || opc == opcode & 0x3F)
}

fn passes_pcu(s: &Setting, code: u8, m: u64) -> bool {
    let byte = |b: u8| s.filters[0] >> (8 * b) & 0xFF;
    match code {
        0x0B..=0x0E => 12 + m % 23 >= byte(code - 0x0B),
        0x1E..=0x25 | 0x40..=0x46 if s.platform == Platform::Ivbep => {
            let reasons = [0x01, 0x02, 0x03, 0x10, 0x40, 0x80, 0xFF];
            owned(&reasons, m % 28) == byte(0)
        }
        _ => true,
    }
}
