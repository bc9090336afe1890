// SPDX-License-Identifier: GPL-2.0

//! S-Box: two, four counters; nhmex 1, 9 and 12.
//!
//! TO_R_PROG_EV counts packets that the match registers choose. They cannot be written while
//! MM_CFG is set, and it counts nothing while MM_CFG is 0.
//! SPEC: the layout of MATCH is a reconstruction; by the other reading a field is compared
//! as a whole, so that 0 does not switch it off: a reading.
//! SPEC: bit 0 of MASK takes the home node out of the comparison: a reading.
//! SPEC: reset_occ_cnt is bit 17; the traffic has no occupancy counters, so it is accepted,
//! no more (nhmex 6).

use super::super::prelude::*;
use super::{box_control, registers, status, stored, CONTROL, USUAL_EX};
use crate::bits::low_half;
use crate::layout::Guard;
use crate::transaction::Choice;

/// The words of the filter registers.
const MM_CFG: usize = 0;
const MATCH: usize = 2;
const MASK: usize = 4;

/// `mm_en`, in the upper word of MM_CFG.
const MM_EN: u32 = 1 << 31;

pub(in super::super::super) const NEHALEM: BoxLayout = BoxLayout {
    other: Some((Reading::WholeFields, &WHOLE)),
    ..BY_CHOICE
};

pub(in super::super::super) const WESTMERE: BoxLayout = BoxLayout {
    catalogue: Catalogue::wsmex,
    other: Some((
        Reading::WholeFields,
        &BoxLayout {
            catalogue: Catalogue::wsmex,
            ..WHOLE
        },
    )),
    ..BY_CHOICE
};

const WHOLE: BoxLayout = BoxLayout {
    select: |request| select(request, true),
    ..BY_CHOICE
};

const BY_CHOICE: BoxLayout = BoxLayout {
    name: "sbox",
    kind: BoxType::Sbox,
    access: Access::Lists {
        lists: &[&all(0xc40, 0xe48), &all(0xcc0, 0xe58)],
        present: Present::Two,
    },
    control: Word {
        wo: 1 << 17,
        ..CONTROL
    },
    box_control: Some(box_control(4)),
    status: Some(status(4)),
    global_bits: |instance, _| super::half(instance > 0),
    filters: &[
        stored("MM_CFG", 0),
        stored("MM_CFG", MM_EN),
        stored("MATCH", u32::MAX),
        stored("MATCH", u32::MAX),
        stored("MASK", u32::MAX),
        stored("MASK", 0x7f),
    ],
    guard: Some(Guard {
        word: MM_CFG + 1,
        enable: MM_EN,
        guarded: &[Register::Wide(MATCH), Register::Wide(MASK)],
        faults: true,
    }),
    select: |request| select(request, false),
    ..USUAL_EX
};

const fn all(base: u32, filters: u32) -> [(u32, Register); 14] {
    let more = [
        (filters, Register::Wide(MM_CFG)),
        (filters + 1, Register::Wide(MATCH)),
        (filters + 2, Register::Wide(MASK)),
    ];
    registers(base, 4, &more)
}

const TO_R_PROG_EV: u8 = 0x00;

/// The home node, as in MATCH.
const NODE: u32 = 0x1f;

/// The address of a line, as in MATCH.
const LINE: u64 = (1 << 38) - 1;

fn select(request: &Request, whole: bool) -> Selection {
    let mut selection = select_by_umask(request);
    if request.select.code != TO_R_PROG_EV {
        return selection;
    }
    let filters = request.filters;
    if filters[MM_CFG + 1] & MM_EN == 0 {
        selection.signals = 0;
        return selection;
    }
    let word = |at: usize| u64::from(filters[at + 1]) << 32 | u64::from(filters[at]);
    let (value, mask) = (word(MATCH), word(MASK));
    let field = |shift: u32, bits: u32| low_half(value >> shift) & ((1 << bits) - 1);
    let choice = |shift, bits| Choice {
        field: field(shift, bits),
        whole,
    };
    let conditions = &mut selection.conditions;
    conditions.extend(Condition::packet_response(choice(59, 5)));
    conditions.extend(Condition::packet_opcode(choice(48, 11)));
    conditions.extend(Condition::packet_class(choice(43, 5)));
    let compared = !(mask >> 1) & LINE;
    conditions.extend(Condition::address((value >> 5 & LINE) << 6, compared << 6));
    let bits = match mask & 1 {
        0 => NODE,
        _ if request.readings.has(Reading::NodeAlways) => NODE,
        _ if request.readings.has(Reading::NodeByBit) => NODE & !1,
        _ => 0,
    };
    if bits != 0 {
        conditions.push(Condition::home_node(field(0, 5), bits));
    }
    selection
}
