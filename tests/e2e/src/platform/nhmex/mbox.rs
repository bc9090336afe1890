// SPDX-License-Identifier: GPL-2.0

//! The M-Box of Nehalem-EX and Westmere-EX: nhmex.rst (sections 6, 7, 13 and 15) and traffic.rst.
//!
//! An event is `inc_sel`, or `set_flag_sel` with `flag_mode`, which is its extended select here.

use crate::catalogue::BoxKind;
use crate::expect::{EventSelect, Rule, Special, SubRegister};
use uncore_catalogue::Row;

/// Names of [DRV] for events of the manual.
pub(super) const SECOND_NAMES: &[(BoxKind, &str, &str)] = &[
    (BoxKind::Mbox, "bbox_cmds_read", "fvc_ev0.bbox_cmds.reads"),
    (BoxKind::Mbox, "bbox_cmds_write", "fvc_ev0.bbox_cmds.writes"),
];

/// Returns the row of an event whose user gives the sub-registers, if the event has any of these.
pub(super) fn without_sub_event(row: &Row, registers: &[SubRegister]) -> Option<Row> {
    let event = (row.ext == Some(true), row.code);
    let looks = registers.iter().filter(|it| it.events.contains(&event));
    let asked: Vec<&str> = looks.map(|register| register.asked(event)).collect();
    (!asked.is_empty()).then(|| Row {
        subevent: String::new(),
        filter: asked.join("+"),
        ..row.clone()
    })
}

const fn inc(code: u8) -> EventSelect {
    (false, code)
}

const fn flag(code: u8) -> EventSelect {
    (true, code)
}

const fn register(column: &'static str, field: &'static str) -> SubRegister {
    SubRegister {
        kind: BoxKind::Mbox,
        column,
        field,
        events: &[],
        bits: u32::MAX,
        own: &[],
    }
}

#[rustfmt::skip]
pub(super) const NEHALEM_REGISTERS: &[SubRegister] = &[
    DSP,
    MSC_THR,
    SubRegister { events: &[inc(0x09), inc(0x0a), flag(1)], ..ISS },
    PLD,
    SubRegister { bits: 0xff_ffff, ..FVC },
    SubRegister { events: &[inc(0x16), flag(5)], ..PGT },
    MAP,
];

/// Parts behind an FVID are a bit higher, and two events look at a register that look at none on
/// Nehalem-EX.
#[rustfmt::skip]
pub(super) const WESTMERE_REGISTERS: &[SubRegister] = &[
    DSP,
    MSC_THR,
    SubRegister { events: &[inc(0x08), inc(0x09), inc(0x0a), flag(1)], ..ISS },
    PLD,
    SubRegister { bits: 0x1ff_ffff, ..FVC },
    SubRegister { events: &[inc(0x15), inc(0x16), flag(5)], ..PGT },
    MAP,
];

const DSP: SubRegister = SubRegister {
    events: &[inc(0x00), flag(0)],
    ..register("DSP", "dsp")
};

const MSC_THR: SubRegister = SubRegister {
    events: &[inc(0x04), inc(0x05)],
    ..register("MSC_THR", "thr")
};

const ISS: SubRegister = register("ISS", "iss");

const PLD: SubRegister = SubRegister {
    events: &[inc(0x0a), inc(0x0b)],
    ..register("PLD", "pld")
};

const FVC: SubRegister = SubRegister {
    own: &["fvc_evnt0", "fvc_evnt1", "fvc_evnt2", "fvc_evnt3"],
    events: &[inc(0x0d), inc(0x0e), inc(0x0f), inc(0x10)],
    ..register("FVC", "fvc")
};

const PGT: SubRegister = register("PGT", "pgt");

const MAP: SubRegister = SubRegister {
    events: &[flag(6)],
    ..register("MAP", "map")
};

/// The two events of PLD.
pub(super) const COMMANDS: Special = Special {
    kind: BoxKind::Mbox,
    ext: false,
    codes: 0x0a..=0x0b,
    rule: Rule::Commands,
};
