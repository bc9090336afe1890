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

use super::{half, of_page};
use crate::bits::low_half;
use crate::boxes::prelude::*;
use crate::layout::Guard;
use crate::transaction::Choice;

/// The words of the filter registers.
const MM_CFG: usize = 0;
const MATCH: usize = 2;
const MASK: usize = 4;

/// `mm_en`, in the upper word of MM_CFG.
const MM_EN: u32 = 1 << 31;

pub(super) fn layout(usual: &BoxLayout) -> BoxLayout {
    BoxLayout {
        global_bits: |instance, _| half(instance > 0),
        guard: Some(Guard {
            word: MM_CFG + 1,
            enable: MM_EN,
            guarded: &[Register::Wide(MATCH), Register::Wide(MASK)],
            faults: true,
        }),
        select,
        ..of_page("SBO", usual)
    }
}

const TO_R_PROG_EV: u8 = 0x00;

/// The home node, as in MATCH.
const NODE: u32 = 0x1f;

/// The address of a line, as in MATCH.
const LINE: u64 = (1 << 38) - 1;

fn select(request: &Request) -> Selection {
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
        whole: request.readings.has(Reading::WholeFields),
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
