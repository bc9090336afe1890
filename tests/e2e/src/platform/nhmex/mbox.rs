// SPDX-License-Identifier: GPL-2.0

//! The M-Box of Nehalem-EX and Westmere-EX: nhmex.rst (sections 6, 7, 13 and 15) and traffic.rst.
//!
//! An event is `inc_sel`, or `set_flag_sel` with `flag_mode`, which is its extended select here.

use crate::catalogue::{BoxKind, Facts, UCLK};
use crate::expect::{Chosen, EventSelect, Number, Part, Rule, Special, SubRegister, NONE};
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

const EMPTY: SubRegister = SubRegister {
    kind: BoxKind::Mbox,
    column: "",
    field: "",
    events: &[],
    bits: u32::MAX,
    own: &[],
    chosen: &[],
};

/// Signals that any value of a register stands for.
const fn always(event: EventSelect, select: (u16, Part), number: Number) -> Chosen {
    when((0, 0), event, select, number)
}

/// Signals that a value stands for whose bits `mask` are `wanted`.
const fn when(
    (mask, wanted): (u32, u32),
    event: EventSelect,
    select: (u16, Part),
    number: Number,
) -> Chosen {
    Chosen {
        event,
        when: (mask, wanted),
        select,
        number,
    }
}

/// The states of queues, a bit of DSP each.
const fn states(event: EventSelect, select: u16) -> [Chosen; 4] {
    const fn state(event: EventSelect, select: u16, bit: u8) -> Chosen {
        let mask = 0x80 << bit;
        when((mask, mask), event, (select, NONE), Number::Is(bit))
    }
    [
        state(event, select, 0),
        state(event, select, 1),
        state(event, select, 2),
        state(event, select, 3),
    ]
}

/// The condition of MSC_THR at this bit, of one DIMM or of all.
const fn trips(event: EventSelect, select: u16, first: u32) -> [Chosen; 2] {
    let select = (select, (first, 2));
    let all = 1 << 3;
    [
        when((all, 0), event, select, Number::Of((4, 3))),
        when((all, all), event, select, Number::All),
    ]
}

/// A frame type; others are illegal.
const fn frame(kind: u32) -> Chosen {
    when((0xf, kind), inc(0x09), (72, (3, 1)), Number::Of((0, 3)))
}

/// The field evnt at this bit of ZDP_CTL_FVC. Two of its values lead to another field, which is
/// `behind` bits higher than on Nehalem-EX.
const fn fvc(event: EventSelect, behind: u32, at: u32) -> [Chosen; 5] {
    [
        when((4 << at, 0), event, (88, NONE), Number::Of((at, 3))),
        when((7 << at, 4 << at), event, (88, NONE), Number::Is(4)),
        when(
            (7 << at, 5 << at),
            event,
            (89, NONE),
            Number::Of((5 + behind, 3)),
        ),
        when(
            (7 << at, 6 << at),
            event,
            (90, NONE),
            Number::Of((8 + behind, 3)),
        ),
        when((7 << at, 7 << at), event, (88, NONE), Number::Is(7)),
    ]
}

/// Bits of PLD of which each lets inc_sel 0x0B count something, and that of one FVID, which
/// matters if all of them are 0.
const COMMAND: u32 = 1 << 16;
const VALID: u32 = 1 << 17;
const NO_NOP: u32 = 1 << 18;
const RETRIES: u32 = COMMAND | VALID | NO_NOP | FVID;
const FVID: u32 = 1 << 7;

#[rustfmt::skip]
pub(super) const NEHALEM_REGISTERS: &[SubRegister] = &[
    DSP,
    MSC_THR,
    SubRegister { events: &[inc(0x09), inc(0x0a), flag(1)],
        chosen: &[FRAMES, MODES], ..ISS },
    PLD,
    SubRegister { bits: 0xff_ffff,
        chosen: &[&fvc(inc(0x0d), 0, 11), &fvc(inc(0x0e), 0, 14), &fvc(inc(0x0f), 0, 17), &fvc(inc(0x10), 0, 20)], ..FVC },
    SubRegister { events: &[inc(0x16), flag(5)],
        chosen: &[PAGES], ..PGT },
    SubRegister { chosen: &[&commands(5)], ..MAP },
];

/// Parts behind an FVID are a bit higher, and two events look at a register that look at none on
/// Nehalem-EX.
#[rustfmt::skip]
pub(super) const WESTMERE_REGISTERS: &[SubRegister] = &[
    DSP,
    MSC_THR,
    SubRegister { events: &[inc(0x08), inc(0x09), inc(0x0a), flag(1)],
        chosen: &[&[always(inc(0x08), (0x08, NONE), Number::Of((10, 1)))], FRAMES, MODES], ..ISS },
    PLD,
    SubRegister { bits: 0x1ff_ffff,
        chosen: &[&fvc(inc(0x0d), 1, 12), &fvc(inc(0x0e), 1, 15), &fvc(inc(0x0f), 1, 18), &fvc(inc(0x10), 1, 21)], ..FVC },
    SubRegister { events: &[inc(0x15), inc(0x16), flag(5)],
        chosen: &[&[always(inc(0x15), (0x15, NONE), Number::Of((11, 1)))], PAGES], ..PGT },
    SubRegister { chosen: &[&commands(6)], ..MAP },
];

#[rustfmt::skip]
const DSP: SubRegister = SubRegister { column: "DSP", field: "dsp", events: &[inc(0x00), flag(0)],
    chosen: &[&states(inc(0x00), 0), &states(flag(0), 256)], ..EMPTY };

#[rustfmt::skip]
const MSC_THR: SubRegister = SubRegister { column: "MSC_THR", field: "thr", events: &[inc(0x04), inc(0x05)],
    chosen: &[&trips(inc(0x04), 64, 7), &trips(inc(0x05), 68, 9)], ..EMPTY };

const ISS: SubRegister = SubRegister {
    column: "ISS",
    field: "iss",
    ..EMPTY
};

const FRAMES: &[Chosen] = &[frame(0), frame(1), frame(2), frame(3), frame(8), frame(0xc)];

/// Bits 9:7 are the mode of DRAM_CMD: see `Rule::Commands`.
const MODES: &[Chosen] = &[when((1 << 6, 0), flag(1), (257, NONE), Number::Of((4, 3)))];

#[rustfmt::skip]
const PLD: SubRegister = SubRegister { column: "PLD", field: "pld", events: &[inc(0x0a), inc(0x0b)],
    chosen: &[&[
        always(inc(0x0a), (80, (11, 2)), Number::Of((8, 3))),
        when((RETRIES, 0), inc(0x0b), (11, NONE), Number::Is(0)),
        when((RETRIES, FVID), inc(0x0b), (11, NONE), Number::Is(3)),
        when((COMMAND, COMMAND), inc(0x0b), (84, (22, 2)), Number::Of((19, 3))),
        when((VALID, VALID), inc(0x0b), (11, NONE), Number::Is(1)),
        when((NO_NOP, NO_NOP), inc(0x0b), (11, NONE), Number::Is(2)),
    ]], ..EMPTY };

const FVC: SubRegister = SubRegister {
    column: "FVC",
    field: "fvc",
    own: &["fvc_evnt0", "fvc_evnt1", "fvc_evnt2", "fvc_evnt3"],
    events: &[inc(0x0d), inc(0x0e), inc(0x0f), inc(0x10)],
    ..EMPTY
};

const PGT: SubRegister = SubRegister {
    column: "PGT",
    field: "pgt",
    ..EMPTY
};

const PAGES: &[Chosen] = &[
    always(inc(0x16), (0x16, NONE), Number::Of((0, 1))),
    always(flag(5), (261, NONE), Number::Of((6, 1))),
];

const MAP: SubRegister = SubRegister {
    column: "MAP",
    field: "map",
    events: &[flag(6)],
    ..EMPTY
};

/// The command of MAP at this bit: one of eight, or all of them.
const fn commands(at: u32) -> [Chosen; 2] {
    [
        when((8 << at, 0), flag(6), (262, NONE), Number::Of((at, 3))),
        when((0xf << at, 8 << at), flag(6), (262, NONE), Number::All),
    ]
}

/// DRAM commands of a mode, and those of addresses.
pub(super) const COMMANDS: Special = Special {
    kind: BoxKind::Mbox,
    ext: false,
    codes: 0x0a..=0x0b,
    rule: Rule::Commands,
    qualifiers: 0,
    implied: (0, 0),
    needed: 0,
};
