// SPDX-License-Identifier: GPL-2.0

//! Ivy Bridge-EP/EX: Documentation/hardware/ivbep.rst (sections 1, 7 and 12) and
//! traffic.rst.

pub(super) mod asked;
mod cases;

use super::Description;
use crate::catalogue::{BoxKind, Combine, Oddities, Pair, Umasks};
use crate::expect::{Residency, Rule, Special};
use crate::fixture::probe::Probe;
use crate::sweep::refusals::listed::{Refused, TWO_FILTERS, XEON};
use crate::units::WithUnit;
use uncore_catalogue::Platform as Counted;

pub(super) const DESCRIPTION: Description = Description {
    name: "ivbep",
    packages: &[0, 1],
    cboxes_of_cores: false,
    sboxes: 0,
    lacks: &[],
    others: &[],
    rows: <[_]>::to_vec,
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
        placed: &[&[
            (BoxKind::R2pcie, "RING_", 0b1100),
            (BoxKind::R3qpi, "RING_", 0b0100),
            (BoxKind::Pcu, "POWER_STATE_OCCUPANCY", 0b1110),
        ]],
        joins: None,
    },
    umasks: UMASKS,
    special: SPECIAL,
    sub_registers: &[],
    with_unit: WithUnit {
        lines: &["cas_count"],
        flits: &["rxl_flits_g", "txl_flits_g"],
        no_cycles: &[],
    },
    residency: &Residency::ALL,
    links: &[],
    memory: &[],
    line_bits: 0x3fff_ffff_ffc0,
    core_slots: 15,
    uneven: &[("cboxes", "3:2")],
    refused: &[XEON, TWO_FILTERS, FILTERED_BY_UBOX, REFUSED],
    cases: cases::CASES,
    untested: &["cbox", "irp"],
    full_group: (
        BoxKind::Cbox,
        &[
            "tor_occupancy.all",
            "llc_victims.m_state",
            "ring_ad_used.up",
            "clockticks",
        ],
    ),
    conflicting: super::conflicting,
    asked: &asked::ASKED,
    counted_as: Counted::Ivbep,
    sample,
    libpfm4: Some(("ivbep", 790)),
};

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

/// An event of a box, with a filter where there is one.
fn sample(kind: BoxKind, instance: u8) -> Probe {
    match kind {
        BoxKind::Ubox => Probe::ubox("lock_cycles"),
        BoxKind::Qpi => Probe::qpi(instance, "message.drs.anydatac"),
        _ => super::sample(kind, instance),
    }
}

/// Requests for events of the UBox that need a register that no public document describes.
pub(super) const FILTERED_BY_UBOX: &[Refused] = &[
    ("ubox", "config=0x141", &["filter"]),
    ("ubox", "config=0x441", &["filter"]),
    ("ubox", "config=0x341", &["filter"]),
];

/// Requests with an error of their own.
const REFUSED: &[Refused] = &[
    ("pcu", "config=0x1e", &["filter_band0"]),
    ("pcu", "config=0x46", &["filter_band0"]),
    // ORDERINGQ needs a transaction.
    ("irp", "config=0x815", &["umask", "0x08"]),
];
