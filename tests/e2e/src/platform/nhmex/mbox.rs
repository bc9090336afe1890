// SPDX-License-Identifier: GPL-2.0

//! The M-Box of Nehalem-EX and Westmere-EX: nhmex.rst (sections 6, 7, 13 and 15) and traffic.rst.
//!
//! An event is `inc_sel`, or `set_flag_sel` with `flag_mode`, which is its extended select here.

use crate::catalogue::{BoxKind, Facts, UCLK};
use crate::expect::{EventSelect, Rule, Special, SubRegister};
use crate::formats::Field;
use uncore_catalogue::Row;

pub(super) const NEHALEM: (BoxKind, Facts) = mbox(&[VIEWS, NEHALEM_VIEWS]);
pub(super) const WESTMERE: (BoxKind, Facts) = mbox(&[VIEWS, WESTMERE_VIEWS]);

#[rustfmt::skip]
const fn mbox(views: &'static [&'static [Field]]) -> (BoxKind, Facts) {
    (BoxKind::Mbox, Facts { column: "MBOX", unit: "mbox", indexed: true, counters: 6, width: 48, largest: 255, fixed: false, clock: UCLK,
        functions: &[], fields: &[FIELDS], views })
}

const FIELDS: &[Field] = &[
    ("wrap_mode", "config:6"),
    ("flag_mode", "config:7"),
    ("inc_sel", "config:9-13"),
    ("set_flag_sel", "config:19-21"),
    ("dsp", "config1:0-31"),
    ("pld", "config1:32-63"),
    ("filter_match", "config2:0-33"),
    ("filter_mask", "config2:34-60"),
    ("filter_cfg_en", "config2:63"),
];

/// The other sub-registers, of which no event looks at two, and the parts of all.
const VIEWS: &[Field] = &[
    ("dsp_state", "config1:7-10"),
    ("fvc", "config1:0-31"),
    ("iss", "config1:0-31"),
    ("iss_frame", "config1:0-3"),
    ("iss_mode", "config1:4-6"),
    ("iss_cmd_mode", "config1:7-9"),
    ("map", "config1:0-31"),
    ("pgt", "config1:0-31"),
    ("pgt_event", "config1:0"),
    ("pgt_state", "config1:6"),
    ("pld_use_mode", "config1:32"),
    ("pld_one_fvid", "config1:39"),
    ("pld_cmd", "config1:40-44"),
    ("thr", "config1:0-31"),
    ("thr_all", "config1:3"),
    ("thr_dimm", "config1:4-6"),
    ("thr_up", "config1:7-8"),
    ("thr_dn", "config1:9-10"),
];

/// Parts whose places differ by model, and those that one model has.
const NEHALEM_VIEWS: &[Field] = &[
    ("fvc_fvid", "config1:0-4"),
    ("fvc_bcmd", "config1:5-7"),
    ("fvc_resp", "config1:8-10"),
    ("fvc_evnt0", "config1:11-13"),
    ("fvc_evnt1", "config1:14-16"),
    ("fvc_evnt2", "config1:17-19"),
    ("fvc_evnt3", "config1:20-22"),
    ("fvc_init_err", "config1:23"),
    ("map_fvid", "config1:0-4"),
    ("map_bcmd", "config1:5-8"),
];
const WESTMERE_VIEWS: &[Field] = &[
    ("fvc_fvid", "config1:0-5"),
    ("fvc_bcmd", "config1:6-8"),
    ("fvc_resp", "config1:9-11"),
    ("fvc_evnt0", "config1:12-14"),
    ("fvc_evnt1", "config1:15-17"),
    ("fvc_evnt2", "config1:18-20"),
    ("fvc_evnt3", "config1:21-23"),
    ("fvc_init_err", "config1:24"),
    ("iss_sched", "config1:10"),
    ("map_fvid", "config1:0-5"),
    ("map_bcmd", "config1:6-9"),
    ("pgt_event2", "config1:11"),
    ("pld_use_cmd", "config1:48"),
    ("pld_valid", "config1:49"),
    ("pld_no_nop", "config1:50"),
    ("pld_misc_cmd", "config1:51-55"),
];

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
