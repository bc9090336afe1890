// SPDX-License-Identifier: GPL-2.0

//! B-Box: two, four counters, each with events of its own; nhmex 7, 12 and 15.
//!
//! One pair of match registers for all events that match; no enable bit.
//! SPEC: a mask bit of 1 ignores, or compares: a reading.
//! SPEC: an event looks at the fields that its name tells (nhmex 12).

use super::{half, of_page, PLAIN_FIELDS};
use crate::boxes::prelude::*;
use crate::transaction::Match;

/// The words of the filter registers.
const MATCH: usize = 0;
const MASK: usize = 2;

pub(super) fn layout(usual: &BoxLayout) -> BoxLayout {
    let usual = BoxLayout {
        fields: Fields {
            coding: Coding::OfCounter,
            enable: 1,
            ..PLAIN_FIELDS
        },
        global_bits: |instance, _| half(instance > 0),
        ..*usual
    };
    BoxLayout {
        select,
        ..of_page("BBOX", &usual)
    }
}

/// Address, incoming and outgoing message class, incoming and outgoing opcode.
const ADDR: u64 = (1 << 44) - 1;
const MSG_IN: u64 = 0xf << 44;
const MSG_OUT: u64 = 0xf << 48;
const OPC_IN: u64 = 0xf << 52;
const OPC_OUT: u64 = 0xf << 56;

/// The fields that an event looks at.
fn fields(code: u8) -> u64 {
    match (code >> 5, code & 0x1f) {
        (0, 1) => MSG_IN | ADDR,
        (0, 2) => OPC_IN | ADDR,
        (0, 3) => MSG_IN | OPC_IN | ADDR,
        (1, 1) => MSG_IN,
        (1, 2) => MSG_OUT,
        (1, 3) => OPC_IN,
        (1, 4) => OPC_OUT,
        (1, 5) => MSG_IN | OPC_IN,
        (1, 6) => MSG_OUT | OPC_OUT,
        (2, 4) => ADDR,
        _ => 0,
    }
}

fn select(request: &Request) -> Selection {
    let mut selection = select_by_umask(request);
    let filters = request.filters;
    let word = |at: usize| u64::from(filters[at + 1]) << 32 | u64::from(filters[at]);
    let value = word(MATCH);
    let compares = request.readings.has(Reading::MaskCompares);
    let mask = if compares { word(MASK) } else { !word(MASK) };
    let mask = mask & fields(request.select.code);
    // An event has one direction: the other fields of the mask are 0.
    let (msg, opc) = if mask & (MSG_OUT | OPC_OUT) != 0 {
        (48, 56)
    } else {
        (44, 52)
    };
    let nibble = |word: u64, shift: u32| (word >> shift & 0xf) as u32;
    let message = |word| nibble(word, msg) << 9 | nibble(word, opc) << 5;
    let message = Match {
        value: message(value),
        mask: message(mask),
    };
    let conditions = &mut selection.conditions;
    if !message.is_open() {
        let state = Match { value: 0, mask: 0 };
        conditions.push(Condition::message(message, state));
    }
    let line = |word: u64| (word & ADDR) << 6;
    conditions.extend(Condition::address(line(value), line(mask)));
    selection
}
