// SPDX-License-Identifier: GPL-2.0

//! Haswell-EP/EX: Documentation/hardware/hsx.rst, as differences from Broadwell.

mod cases;

use super::{bdx, Asked, Description, Known};
use crate::catalogue::{BoxKind, Oddities};
use crate::expect::{Rule, Special};
use crate::sweep::refusals::listed::{Refused, TWO_FILTERS, XEON};
use crate::units::WithUnit;

pub(super) const DESCRIPTION: Description = Description {
    name: "hsx",
    oddities: Oddities {
        // Section 11: the fixed counter has the name, and event 0x00 another one.
        nameless: &[(BoxKind::Imc, "CLOCKTICKS")],
        // Section 17 has one name.
        second_names: &[],
        placed: &[
            bdx::PLACED,
            &[
                // H-16.
                (BoxKind::Cbox, "FAST_ASSERTED", 0b0001),
                // H-17.
                (BoxKind::R3qpi, "CLOCKTICKS", 0b011),
            ],
        ],
        ..bdx::DESCRIPTION.oddities
    },
    special: SPECIAL,
    with_unit: WithUnit {
        // Of none: two sources have two clocks (H-14).
        no_cycles: &[""],
        ..bdx::DESCRIPTION.with_unit
    },
    // H-25.
    residency: &[],
    core_slots: 18,
    uneven: &[("cbox-mask", "00000b:000003"), ("sboxes", "4:2")],
    refused: &[XEON, TWO_FILTERS, bdx::REFUSED, REFUSED],
    cases: cases::CASES,
    full_group: (
        BoxKind::Cbox,
        &[
            "tor_occupancy.all",
            "llc_victims.m_state",
            "ring_iv_used.up",
            "clockticks",
        ],
    ),
    asked: &ASKED,
    libpfm4: Some(("hswep", 1040)),
    ..bdx::DESCRIPTION
};

#[rustfmt::skip]
const SPECIAL: &[Special] = &[
    Special { kind: BoxKind::Ubox, ext: false, codes: 0x41..=0x42, rule: Rule::Messages },
    Special { kind: BoxKind::Cbox, ext: false, codes: 0x28..=0x2a, rule: Rule::Node },
    Special { kind: BoxKind::Cbox, ext: false, codes: 0x32..=0x33, rule: Rule::Node },
    Special { kind: BoxKind::Cbox, ext: false, codes: 0x34..=0x34, rule: Rule::LlcLookup },
    Special { kind: BoxKind::Cbox, ext: false, codes: 0x35..=0x36, rule: Rule::Tor },
    Special { kind: BoxKind::Cbox, ext: false, codes: 0x37..=0x37, rule: Rule::Node },
    Special { kind: BoxKind::Ha, ext: false, codes: 0x20..=0x20, rule: Rule::AddrOpcMatch },
    Special { kind: BoxKind::Qpi, ext: true, codes: 0x38..=0x38, rule: Rule::CtoCount },
    Special { kind: BoxKind::Pcu, ext: false, codes: 0x0b..=0x0e, rule: Rule::FreqBand },
];

/// Requests with an error of their own.
const REFUSED: &[Refused] = &[
    // Events of Broadwell that no source of this part has (H-21).
    ("pcu", "config=0x75", &["0x75"]),
    ("sbox_0", "config=0x107", &["0x07"]),
    // The filter of the UBox is for messages.
    ("ubox", "config=0x145 config1=1", &["filter_tid"]),
    ("ubox", "config=0x241 config1=2", &["filter_cid"]),
    // A link is one of TOR_INSERTS.OPCODE, c6 one of an opcode (H-13).
    (
        "cbox_0",
        "config=0x335 config1=0x1820000000000040",
        &["filter_link"],
    ),
    (
        "cbox_0",
        "config=0x835 config1=0x2000000000000000",
        &["filter_c6"],
    ),
];

/// Requests of single end-to-end tests.
const ASKED: Asked = Asked {
    known: Known {
        // H-8.
        machine: &[("reading", "H-8:b")],
        // It limits none of these to the counters that can count them (H-18, H-19).
        misplaced: &[
            (BoxKind::Ha, &[0x0b, 0x61, 0x62, 0x64, 0x65]),
            (BoxKind::R3qpi, &[0x2a, 0x2b]),
        ],
        ..bdx::asked::ASKED.known
    },
    ..bdx::asked::ASKED
};
