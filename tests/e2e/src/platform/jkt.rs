// SPDX-License-Identifier: GPL-2.0

//! Sandy Bridge-EP: Documentation/hardware/jkt.rst, as differences from Ivy Bridge-EP.

mod cases;

use super::{ivbep, Asked, Description, Known};
use crate::catalogue::{BoxKind, Combine, Oddities, Umasks};
use crate::expect::LINES;
use crate::fixture::probe::Probe;
use crate::sweep::refusals::listed::{Refused, XEON};

pub(super) const DESCRIPTION: Description = Description {
    name: "jkt",
    oddities: Oddities {
        pairs: &[],
        // J-19.
        placed: &[&[
            (BoxKind::R2pcie, "RING_", 0b1100),
            (BoxKind::R3qpi, "RING_", 0b0100),
        ]],
        joins: Some((BoxKind::Pcu, 1 << 7)),
        ..ivbep::DESCRIPTION.oddities
    },
    umasks: UMASKS,
    core_slots: 8,
    // J-10.
    refused: &[XEON, ivbep::FILTERED_BY_UBOX, REFUSED],
    cases: cases::CASES,
    // Nothing interrupts.
    untested: &["ubox", "cbox", "ha", "imc", "pcu", "qpi", "r2pcie", "r3qpi"],
    full_group: (
        BoxKind::Cbox,
        &[
            "tor_occupancy.all",
            "llc_victims.m_state",
            "ring_ad_used.up_even",
            "clockticks",
        ],
    ),
    conflicting,
    asked: &ASKED,
    sample,
    libpfm4: Some(("snbep", 380)),
    ..ivbep::DESCRIPTION
};

#[rustfmt::skip]
const UMASKS: &[Umasks] = &[
    Umasks { kind: BoxKind::Cbox, codes: 0x34..=0x34, combine: Combine::Within(&[0x43, 0x45, 0x49, 0x51]) },
    Umasks { kind: BoxKind::Cbox, codes: 0x35..=0x36, combine: Combine::Listed },
];

fn opcode(opc: u16) -> Probe {
    Probe::cbox(0, "tor_inserts.opcode").opc(opc)
}

/// A transaction of the home agent; one event compares both (section 7.3).
fn transaction(address: u64, opcode: u8) -> Probe {
    let event = Probe::ha(0, "addr_opc_match.filt");
    event.address(address).home_opcode(opcode)
}

/// Pairs that cannot count at the same time.
fn conflicting() -> Vec<[Probe; 2]> {
    let state = Probe::cbox(0, "llc_lookup.data_read").state(0x01);
    vec![
        [opcode(0x182), opcode(0x1e6)],
        [transaction(LINES[6], 0x3f), transaction(LINES[7], 0x3f)],
        [transaction(LINES[7], 0x3f), transaction(LINES[7], 0x0e)],
        // Of which a C-Box may compare one (U-21).
        [state, opcode(0x182)],
    ]
}

/// An event of a box, with a filter where there is one.
fn sample(kind: BoxKind, instance: u8) -> Probe {
    let event = |name| Probe::new(kind, instance, name);
    match kind {
        BoxKind::Ubox => event("lock_cycles"),
        // LLC_LOOKUP.ANY is no source's for certain (J-16).
        BoxKind::Cbox => event("llc_lookup.data_read"),
        BoxKind::Ha => event("addr_opc_match.filt")
            .address(LINES[7])
            .home_opcode(0x3f),
        BoxKind::Qpi => event("cto_count").packet("mc", 0xe, 0xf),
        BoxKind::R2pcie => event("rxr_cycles_ne.drs"),
        BoxKind::R3qpi => event("ring_bl_used.cw_even"),
        _ => super::sample(kind, instance),
    }
}

/// Requests with an error of their own.
const REFUSED: &[Refused] = &[
    ("pcu", "config=0x1e", &["filter_band0"]),
    ("pcu", "config=0x25", &["filter_band0"]),
    // No source has the TOR tell local from remote requests.
    (
        "cbox_0",
        "config=0xa136 config1=0xc1000000",
        &["umask", "0xa1"],
    ),
    (
        "cbox_0",
        "config=0x4135 config1=0xc1000000",
        &["filter_nid"],
    ),
    ("cbox_0", "config=0x4135 config1=0x400", &["filter_opc"]),
    (
        "cbox_0",
        "config=0x135 config1=0x41000000",
        &["filter_opc", "0x180"],
    ),
];

/// Requests of single end-to-end tests.
const ASKED: Asked = Asked {
    missing: &[
        ("cbox_0/tor_inserts.miss_opcode", "filter_opc"),
        ("ha/addr_opc_match.filt,filter_opc=1", "filter_addr"),
    ],
    right_names: 350,
    pair: || ["cas_count.rd", "cas_count.wr"].map(|name| Probe::imc(3, name)),
    known: Known {
        // J-12, J-13.
        misplaced: &[
            (BoxKind::Cbox, &[0x03, 0x06, 0x14]),
            (BoxKind::R2pcie, &[0x23, 0x24, 0x25]),
        ],
        settings: || {
            let cbox = |name| Probe::cbox(0, name);
            let packets = || Probe::qpi(0, "cto_count");
            vec![
                opcode(0x182),
                cbox("tor_inserts.miss_opcode").opc(0x19e),
                cbox("tor_inserts.nid_opcode").opc(0x1e6).nid(0x80),
                cbox("llc_lookup.data_read").state(0x1f),
                cbox("llc_lookup.nid").state(0x11).nid(0xf0),
                cbox("rxr_inserts.irq").tid(31),
                cbox("tor_occupancy.all").thresh(10),
                cbox("tor_occupancy.all").thresh(10).invert(),
                cbox("tor_occupancy.all").thresh(1).edge(),
                Probe::ubox("event_msg.doorbell_rcvd").thresh(1).edge(),
                Probe::ha(0, "requests.reads").thresh(1).edge().invert(),
                Probe::imc(0, "power_cke_cycles.rank0").thresh(8),
                Probe::imc(0, "cas_count.rd").thresh(1).invert(),
                Probe::pcu("power_state_occupancy.cores_c0").thresh(5),
                Probe::pcu("freq_band2_cycles").band(2, 30),
                packets(),
                packets().packet("mc", 0xe, 0xf),
                packets().packet("dnid", 31, 0x1f).thresh(2),
                Probe::r2pcie("ring_ad_used.cw_even").thresh(1).invert(),
                Probe::r3qpi(0, "rxr_occupancy.hom").thresh(16),
            ]
        },
        ..ivbep::asked::ASKED.known
    },
    ..ivbep::asked::ASKED
};
