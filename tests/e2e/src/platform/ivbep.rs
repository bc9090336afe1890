// SPDX-License-Identifier: GPL-2.0

//! Ivy Bridge-EP/EX: Documentation/hardware/ivbep.rst (sections 1, 7 and 12) and
//! traffic.rst.

use super::Description;
use crate::catalogue::{BoxKind, Combine, Facts, Oddities, Pair, Umasks, DCLK, PCLK, UCLK};
use crate::expect::{Rule, Special};
use crate::formats::{
    Field, EDGE, EVENT, EXTENDED_EVENT, INTERVAL, NARROW_THRESH, PACKET_MATCH, PACKET_VIEWS, PLAIN,
    THRESH, UMASK,
};
use crate::units::WithUnit;

pub(super) const DESCRIPTION: Description = Description {
    name: "ivbep",
    processor: "6-3e-4",
    packages: &[0, 1],
    cboxes_of_cores: false,
    sboxes: 0,
    kinds: KINDS,
    lacks: &[],
    others: &[],
    packet_functions: &["08.6", "09.6", "18.6"],
    rows: uncore_catalogue::rows,
    metrics: uncore_catalogue::metrics,
    oddities: Oddities {
        nameless: &[],
        // U-30.
        pairs: &[Pair {
            kind: BoxKind::Irp,
            event: "TRANSACTIONS",
            second: 0x08,
            alone: true,
        }],
        packets: &[],
        second_names: &[],
        numbered: &[],
        placed: &[
            (BoxKind::R2pcie, "RING_", 0b1100),
            (BoxKind::R3qpi, "RING_", 0b0100),
            (BoxKind::Pcu, "POWER_STATE_OCCUPANCY", 0b1110),
        ],
    },
    umasks: UMASKS,
    special: SPECIAL,
    sub_registers: &[],
    with_unit: WithUnit {
        lines: &["cas_count"],
        flits: &["rxl_flits_g", "txl_flits_g"],
        no_cycles: &[],
    },
    links: &[],
    memory: &[],
    line_bits: 0x3fff_ffff_ffc0,
    core_slots: 15,
    uneven: &[("cboxes", "3:2")],
};

/// Cycles of a QPI port's clock per cycle of uclk.
const QFCLK: (u64, u64) = (5, 12);

#[rustfmt::skip]
const KINDS: &[(BoxKind, Facts)] = &[
    (BoxKind::Ubox, Facts { column: "UBOX", unit: "ubox", indexed: false, counters: 2, width: 44, largest: 31, fixed: true, clock: UCLK,
        functions: &[], fields: &[&[EVENT, UMASK, EDGE, NARROW_THRESH, INTERVAL]], views: &[] }),
    (BoxKind::Cbox, Facts { column: "CBO", unit: "cbox", indexed: true, counters: 4, width: 44, largest: 20, fixed: false, clock: UCLK,
        functions: &[], fields: &[&PLAIN, CBOX], views: &[] }),
    (BoxKind::Ha, Facts { column: "HA", unit: "ha", indexed: true, counters: 4, width: 48, largest: 255, fixed: false, clock: UCLK,
        functions: &["0e.1", "1c.1"], fields: &[&PLAIN, &[INTERVAL], HA], views: &[] }),
    (BoxKind::Imc, Facts { column: "iMC", unit: "imc", indexed: true, counters: 4, width: 48, largest: 255, fixed: true, clock: DCLK,
        functions: &["10.4", "10.5", "10.0", "10.1", "1e.4", "1e.5", "1e.0", "1e.1"],
        fields: &[&PLAIN, &[INTERVAL]], views: &[] }),
    (BoxKind::Irp, Facts { column: "IRP", unit: "irp", indexed: false, counters: 2, width: 44, largest: 255, fixed: false, clock: UCLK,
        functions: &["05.6", "05.6"], fields: &[&PLAIN, &[("set", "config:32")]], views: &[] }),
    (BoxKind::Pcu, Facts { column: "PCU", unit: "pcu", indexed: false, counters: 4, width: 48, largest: 15, fixed: false, clock: PCLK,
        functions: &[], fields: &[&[EXTENDED_EVENT, EDGE, NARROW_THRESH, INTERVAL], PCU], views: &[] }),
    (BoxKind::Qpi, Facts { column: "QPI", unit: "qpi", indexed: true, counters: 4, width: 48, largest: 255, fixed: false, clock: QFCLK,
        functions: &["08.2", "09.2", "18.2"],
        fields: &[&[EXTENDED_EVENT, UMASK, EDGE, THRESH, INTERVAL], PACKET_MATCH], views: &[PACKET_VIEWS] }),
    (BoxKind::R2pcie, Facts { column: "R2PCIe", unit: "r2pcie", indexed: false, counters: 4, width: 44, largest: 31, fixed: false, clock: UCLK,
        functions: &["13.1"], fields: &[&PLAIN, &[INTERVAL]], views: &[] }),
    (BoxKind::R3qpi, Facts { column: "R3QPI", unit: "r3qpi", indexed: true, counters: 3, width: 44, largest: 255, fixed: false, clock: UCLK,
        functions: &["13.5", "13.6", "12.5"], fields: &[&PLAIN, &[INTERVAL]], views: &[] }),
];

const CBOX: &[Field] = &[
    ("tid_en", "config:19"),
    ("filter_tid", "config1:0-4"),
    ("filter_state", "config1:17-22"),
    ("filter_nid", "config1:32-47"),
    ("filter_opc", "config1:52-60"),
    ("filter_nc", "config1:62"),
    ("filter_isoc", "config1:63"),
];

const HA: &[Field] = &[
    ("filter_addr", "config1:0-45"),
    ("filter_opc", "config2:0-5"),
];

const PCU: &[Field] = &[
    ("occ_sel", "config:14-15"),
    ("occ_invert", "config:30"),
    ("occ_edge", "config:31"),
    ("filter_band0", "config1:0-7"),
    ("filter_band1", "config1:8-15"),
    ("filter_band2", "config1:16-23"),
    ("filter_band3", "config1:24-31"),
];

#[rustfmt::skip]
const SPECIAL: &[Special] = &[
    Special { kind: BoxKind::Cbox, ext: false, codes: 0x34..=0x34, rule: Rule::LlcLookup },
    Special { kind: BoxKind::Cbox, ext: false, codes: 0x35..=0x36, rule: Rule::Tor },
    Special { kind: BoxKind::Cbox, ext: false, codes: 0x37..=0x37, rule: Rule::Node },
    Special { kind: BoxKind::Ha, ext: false, codes: 0x20..=0x20, rule: Rule::AddrOpcMatch },
    Special { kind: BoxKind::Qpi, ext: true, codes: 0x38..=0x38, rule: Rule::CtoCount },
    Special { kind: BoxKind::Pcu, ext: false, codes: 0x0b..=0x0e, rule: Rule::FreqBand },
    Special { kind: BoxKind::Pcu, ext: false, codes: 0x1e..=0x25, rule: Rule::Demotions },
    Special { kind: BoxKind::Pcu, ext: false, codes: 0x40..=0x46, rule: Rule::Demotions },
];

#[rustfmt::skip]
const UMASKS: &[Umasks] = &[
    // A kind of lookup, of a node or of all.
    Umasks { kind: BoxKind::Cbox, codes: 0x34..=0x34, combine: Combine::Within(&[0x43, 0x45, 0x49, 0x51]) },
    Umasks { kind: BoxKind::Cbox, codes: 0x35..=0x36, combine: Combine::Listed },
    Umasks { kind: BoxKind::Cbox, codes: 0x11..=0x11, combine: Combine::AllBut(0x02) },
    Umasks { kind: BoxKind::Cbox, codes: 0x13..=0x13, combine: Combine::AllBut(0x02) },
];
