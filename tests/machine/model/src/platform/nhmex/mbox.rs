// SPDX-License-Identifier: GPL-2.0

//! M-Box: two, six counters; nhmex 6, 7, 13 and 15.
//!
//! An event is inc_sel, or with flag_mode set_flag_sel; sub-registers choose what it counts.
//! Without wrap_mode a counter stops at its end.
//! SPEC: count_mode and storage_mode other than 0 count nothing here (nhmex 6).
//! SPEC: FVID and the timestamp have no effect; PLD counts retries if none of bits 18:16 is
//! set (nhmex 13).
//! SPEC: ALL of THERM_TRP and of BCMD_SCHEDQ is the sum of the others; command 0 of DRAM_CMD
//! is a command of its own (nhmex 11, 13).
//! SPEC: the sense of a mask bit is that of the B-Box; both PLD events look at the address
//! (nhmex 12, 15).

use super::{half, of_page, PLAIN_FIELDS};
use crate::boxes::prelude::*;
use crate::layout::Guard;

/// The words of the filter registers.
const MM_CFG: usize = 0;
const ADDR_MATCH: usize = 2;
const ADDR_MASK: usize = 4;
const DSP: usize = 5;
const ISS: usize = 6;
const MAP: usize = 7;
const MSC_THR: usize = 8;
const PGT: usize = 9;
const PLD: usize = 10;
const FVC: usize = 11;

/// The enable bit of the address match, in the upper word of MM_CFG.
const MM_EN: u32 = 1 << 31;

pub(super) fn layout(westmere: bool, usual: &BoxLayout) -> BoxLayout {
    let usual = BoxLayout {
        fields: Fields {
            coding: Coding::Either,
            enable: 1,
            overflow_enable: 1 << 1,
            wrap: 1 << 6,
            ..PLAIN_FIELDS
        },
        global_bits: |instance, _| half(instance > 0),
        guard: Some(Guard {
            word: MM_CFG + 1,
            enable: MM_EN,
            guarded: &[Register::Wide(ADDR_MATCH), Register::Filter(ADDR_MASK)],
            faults: false,
        }),
        ..*usual
    };
    BoxLayout {
        select: if westmere {
            |request| select(request, true)
        } else {
            |request| select(request, false)
        },
        ..of_page("MBOX", &usual)
    }
}

/// count_mode and storage_mode.
const MODES: u32 = 0x3c;

/// Codes of signals beside those of the events: thermal trips up and down by condition,
/// frame types, DRAM commands of both PLD events, and the FVC events.
const UP: u8 = 64;
const DOWN: u8 = 68;
const FRAMES: u8 = 72;
const COMMANDS: u8 = 80;
const OTHER_COMMANDS: u8 = 84;
const FVC_EVENTS: u8 = 88;
const FVC_COMMANDS: u8 = 89;
const FVC_RESPONSES: u8 = 90;

#[expect(
    clippy::cast_possible_truncation,
    reason = "no field is wider than 8 bits"
)]
fn select(request: &Request, westmere: bool) -> Selection {
    let mut selection = Selection::default();
    if request.control & MODES != 0 {
        return selection;
    }
    let EventSelect { ext, code } = request.select;
    let field = |word: usize, shift: u32, most: u32| (request.filters[word] >> shift & most) as u8;
    let has = |reading| request.readings.has(reading);
    let below = u32::from(has(Reading::PldBelow));
    let pld = |shift: u32, most: u32| field(PLD, shift - below, most);
    let split_of = westmere && !has(Reading::NoSubRegisters);
    // Positions behind FVID.
    let behind = |shift: u32| shift + u32::from(westmere);
    let command = if has(Reading::CommandBelow) {
        5
    } else {
        behind(5)
    };
    let split = |code: u8, value: u8| vec![(code + value / 8, value % 8)];
    let states = || (0..4).filter(|bit| field(DSP, 7, 0xf) >> bit & 1 == 1);
    let trips = |code: u8, shift: u32| {
        let code = code + field(MSC_THR, shift, 3);
        let dimm = field(MSC_THR, 4, 7);
        let dimms = match field(MSC_THR, 3, 1) {
            0 if !has(Reading::DimmAndOne) => dimm..dimm + 1,
            0 => dimm.saturating_sub(1)..dimm,
            _ => 0..8,
        };
        dimms.map(|dimm| (code, dimm)).collect()
    };
    let signals: Vec<(u8, u8)> = match (ext, code) {
        (_, 0x00) => states().map(|bit| (code, bit)).collect(),
        (false, 0x04) => trips(UP, 7),
        (false, 0x05) => trips(DOWN, 9),
        (false, 0x08) if split_of => vec![(code, field(ISS, 10, 1))],
        (false, 0x09) => match field(ISS, 0, 0xf) {
            kind @ (0..=3 | 8 | 0xc) => split(FRAMES, kind),
            _ => Vec::new(),
        },
        (false, 0x0a) if pld(8, 0x1f) == 0 && has(Reading::NoCommandZero) => Vec::new(),
        (false, 0x0a) => split(COMMANDS, pld(8, 0x1f)),
        (false, 0x0b) if pld(16, 7) == 0 => vec![(code, 3 * pld(7, 1))],
        (false, 0x0b) => {
            let command = split(OTHER_COMMANDS, pld(19, 0x1f));
            let sets = [command, vec![(code, 1)], vec![(code, 2)]];
            let chosen = (16..).zip(sets).filter(|(bit, _)| pld(*bit, 1) == 1);
            chosen.flat_map(|(_, set)| set).collect()
        }
        (false, 0x0d..=0x10) => {
            let own = behind(11 + 3 * u32::from(code - 0x0d));
            vec![match field(FVC, own, 7) {
                5 => (FVC_COMMANDS, field(FVC, behind(5), 7)),
                6 => (FVC_RESPONSES, field(FVC, behind(8), 7)),
                event => (FVC_EVENTS, event),
            }]
        }
        (false, 0x15) if split_of => vec![(code, field(PGT, 11, 1))],
        (false, 0x16) => vec![(code, field(PGT, 0, 1))],
        (true, 0x01) => match field(ISS, 4, 7) {
            mode @ 0..=3 => vec![(code, mode)],
            _ => Vec::new(),
        },
        (true, 0x05) => vec![(code, field(PGT, 6, 1))],
        (true, 0x06) => match field(MAP, command, 0xf) {
            command @ 0..=7 => vec![(code, command)],
            8 => (0..8).map(|command| (code, command)).collect(),
            _ => Vec::new(),
        },
        _ => {
            selection.signals = request.event.signals;
            Vec::new()
        }
    };
    selection.others = signals
        .into_iter()
        .map(|(code, number)| (EventSelect { ext, code }, number))
        .collect();
    if !ext && code == 0x0a && field(PLD, 0, 1) == 1 {
        let mode = field(ISS, 7, 7).into();
        selection.conditions.push(Condition::scheduling_mode(mode));
    }
    if !ext && matches!(code, 0x0a | 0x0b) {
        selection.conditions.extend(address(request));
    }
    selection
}

/// The condition of the address match, if it is enabled.
fn address(request: &Request) -> Option<Condition> {
    let filters = request.filters;
    let value = u64::from(filters[ADDR_MATCH + 1]) << 32 | u64::from(filters[ADDR_MATCH]);
    let shift = if request.readings.has(Reading::LineOfMatch) {
        6
    } else {
        0
    };
    let value = value << shift;
    let compares = request.readings.has(Reading::MaskCompares);
    let mask = filters[ADDR_MASK];
    let mask = if compares { mask } else { !mask };
    let mask = u64::from(mask & 0x07ff_ffff) << 6;
    let on = filters[MM_CFG + 1] & MM_EN != 0;
    on.then(|| Condition::address(value, mask)).flatten()
}
