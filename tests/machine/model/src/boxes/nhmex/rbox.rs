// SPDX-License-Identifier: GPL-2.0

//! R-Box: left and right, eight counters each; nhmex 7, 12, 14 and 15.
//!
//! The event select names a port of the side and one of its six registers or halves of
//! registers: IPERF 0 and 1, the halves of QLX, match sets 1 and 2. The register says what
//! counts. Ports have traffic of their own, the two partners of a port share it.
//! SPEC: bits 23:22 of IPERF do nothing (nhmex 14).
//! SPEC: the match sets are the targets of event selects 4 and 5 of a port; RNID is never
//! compared (nhmex 11, 12).

use super::super::prelude::*;
use super::super::qpi::packet;
use super::{box_control, registers, status, stored, USUAL_EX};

/// Words of the filter registers for each port: IPERF 0 and 1, QLX, and two sets of MM_CFG,
/// MATCH and MASK.
const WORDS: usize = 15;
const QLX: usize = 2;
const XBR: usize = 3;

pub(in super::super::super) const NEHALEM: BoxLayout = BoxLayout {
    name: "rbox",
    kind: BoxType::Rbox,
    access: Access::Lists {
        lists: &[&all(0xe00, 0), &all(0xe20, 4)],
        present: Present::Two,
    },
    counters: 8,
    counters_per_set: 8,
    control: stored("CTL", 0x7f),
    fields: Fields {
        coding: Coding::Short,
        enable: 1,
        overflow_enable: 1 << 6,
        ..super::PLAIN_FIELDS
    },
    box_control: Some(box_control(8)),
    status: Some(status(8)),
    global_bits: |instance, _| super::half(instance > 0),
    filters: &words(),
    select,
    ..USUAL_EX
};

pub(in super::super::super) const WESTMERE: BoxLayout = BoxLayout {
    catalogue: Catalogue::wsmex,
    ..NEHALEM
};

/// The registers of the side whose first port this is.
#[expect(clippy::cast_possible_truncation, reason = "all are small")]
const fn all(base: u32, first: u32) -> [(u32, Register); 3 + 16 + 36] {
    let mut more = [(0, Register::BoxControl); 36];
    let mut i = 0;
    while i < 4 {
        let (port, at, word) = (first + i as u32, i * 9, i * WORDS);
        let upper = if port < 4 { 0 } else { 1 };
        more[at] = (0xe04 + port, Register::Filter(word));
        more[at + 1] = (0xe24 + port, Register::Filter(word + 1));
        let qlx = 0xe0c + port % 4 + 0x20 * upper;
        more[at + 2] = (qlx, Register::Filter(word + QLX));
        let mut set = 0;
        while set < 2 {
            let address = 0xe60 + 4 * port + 0x10 * (upper + set as u32);
            let mut k = 0;
            while k < 3 {
                let word = word + XBR + 6 * set + 2 * k;
                more[at + 3 + 3 * set + k] = (address + k as u32, Register::Wide(word));
                k += 1;
            }
            set += 1;
        }
        i += 1;
    }
    registers(base, 8, &more)
}

const fn words() -> [Word; 4 * WORDS] {
    const PORT: [Word; WORDS] = [
        stored("IPERF_CFG0", u32::MAX),
        stored("IPERF_CFG1", u32::MAX),
        stored("QLX_CFG", 0xffff),
        stored("XBR_SET1_MM_CFG", 0x003f_ffff),
        stored("XBR_SET1_MM_CFG", 1 << 31),
        stored("XBR_SET1_MATCH", u32::MAX),
        XBR_HIGH,
        stored("XBR_SET1_MASK", u32::MAX),
        XBR_HIGH,
        stored("XBR_SET2_MM_CFG", 0x003f_ffff),
        stored("XBR_SET2_MM_CFG", 1 << 31),
        stored("XBR_SET2_MATCH", u32::MAX),
        XBR_HIGH,
        stored("XBR_SET2_MASK", u32::MAX),
        XBR_HIGH,
    ];
    let mut all = [PORT[0]; 4 * WORDS];
    let mut i = 0;
    while i < all.len() {
        all[i] = PORT[i % WORDS];
        i += 1;
    }
    all
}

/// Bits 63:32 of MATCH and MASK: 63:52 and 47:36 must be 0.
const XBR_HIGH: Word = Word {
    rw: 0x000f_000f,
    zero: 0xfff0_fff0,
    ..Word::named("XBR_MATCH")
};

/// Codes of the signals of a port.
const OCCUPANCY: u8 = 4;
const INSERTS: u8 = 5;
const QUEUES: u8 = 6;
const PACKETS: u8 = 28;
const FLITS: u8 = 30;
const RECEIVED: u8 = 40;

fn select(request: &Request) -> Selection {
    let (port, register) = (request.select.code / 6, request.select.code % 6);
    let mut selection = Selection::default();
    if port > 3 {
        return selection;
    }
    let words = &request.filters[usize::from(port) * WORDS..][..WORDS];
    let signals = match register {
        0 | 1 => iperf(words[usize::from(register)]),
        2 => queue(words[QLX]).into_iter().collect(),
        3 => queue(words[QLX] >> 8).into_iter().collect(),
        _ => {
            let set = &words[XBR + 6 * usize::from(register - 4)..][..6];
            let mut registers = [0; FILTERS];
            registers[..4].copy_from_slice(&[set[2], set[3], set[4], set[5]]);
            selection.conditions = packet(registers, request.readings);
            packets(set[0], set[1]).into_iter().collect()
        }
    };
    let of_port = |(code, number)| {
        let code = port * 64 + code;
        (EventSelect { ext: false, code }, number)
    };
    selection.others = signals.into_iter().map(of_port).collect();
    selection
}

/// The signals of an IPERF register, each a code and a number.
fn iperf(value: u32) -> Vec<(u8, u8)> {
    let bits = (8..=16).chain(24..32).filter(|bit| value >> bit & 1 == 1);
    let mut signals: Vec<(u8, u8)> = bits.map(|bit: u8| (bit / 8, bit % 8)).collect();
    let networks = match value >> 6 & 3 {
        3 => 0..3,
        1 => 1..2,
        2 => 2..3,
        _ => 0..1,
    };
    let classes = (0..6).filter(|class| value >> class & 1 == 1);
    signals.extend(classes.flat_map(|class: u8| {
        let networks = networks.clone();
        networks.map(move |network| (RECEIVED + network, class))
    }));
    let code = if value >> 21 & 1 == 0 {
        OCCUPANCY
    } else {
        INSERTS
    };
    let queue = (value >> 17 & 0xf) as u8;
    signals.extend((1..=8).contains(&queue).then(|| (code, queue - 1)));
    signals
}

/// The signal of half a QLX register.
fn queue(value: u32) -> Option<(u8, u8)> {
    let (event, class) = ((value & 0xf) as u8, (value >> 4 & 7) as u8);
    let network = (value >> 7 & 1) as u8;
    (event <= 10).then_some((QUEUES + event + 11 * network, class))
}

/// The signal of a match set with this MM_CFG.
fn packets(low: u32, high: u32) -> Option<(u8, u8)> {
    let flit = (low >> 16 & 0xf) as u8;
    let on = high >> 31 == 0 && low >> 21 & 1 == 1;
    let signal = if low >> 20 & 1 == 1 {
        (FLITS, 0)
    } else {
        (PACKETS + flit / 8, flit % 8)
    };
    on.then_some(signal)
}
