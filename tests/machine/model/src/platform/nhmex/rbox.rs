// SPDX-License-Identifier: GPL-2.0

//! R-Box: left and right, eight counters each; nhmex 7, 12, 14 and 15.
//!
//! The event select names a port of the side and one of its six registers or halves of
//! registers: IPERF 0 and 1, the halves of QLX, match sets 1 and 2. The register says what
//! counts. Ports have traffic of their own, the two partners of a port share it.
//! SPEC: bits 23:22 of IPERF do nothing (nhmex 14).
//! SPEC: the match sets are the targets of event selects 4 and 5 of a port; RNID is never
//! compared (nhmex 11, 12).

use super::{half, of_page, PLAIN_FIELDS};
use crate::boxes::packet;
use crate::boxes::prelude::*;

/// Words of the filter registers for each port: IPERF 0 and 1, QLX, and two sets of MM_CFG,
/// MATCH and MASK.
const WORDS: usize = 15;
const QLX: usize = 2;
const XBR: usize = 3;

pub(super) fn layout(usual: &BoxLayout) -> BoxLayout {
    BoxLayout {
        fields: Fields {
            coding: Coding::Short,
            enable: 1,
            overflow_enable: 1 << 6,
            ..PLAIN_FIELDS
        },
        global_bits: |instance, _| half(instance > 0),
        select,
        ..of_page("RBOX", usual)
    }
}

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
