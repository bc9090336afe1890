// SPDX-License-Identifier: GPL-2.0

//! Broadwell-EP/EX and Broadwell-DE: Documentation/hardware/bdx.rst (sections 2, 3, 8 and 10 to
//! 16) and traffic.rst.

pub(super) mod asked;
mod cases;

use super::Description;
use crate::catalogue::{BoxKind, Combine, Oddities, Pair, Umasks};
use crate::expect::{Link, Residency, Rule, Special};
use crate::fixture::probe::Probe;
use crate::sweep::refusals::listed::{Refused, TWO_FILTERS, XEON};
use crate::units::WithUnit;
use uncore_catalogue::{Platform as Counted, Row};

/// Events whose counters are fewer than listed, as on all that is like it.
pub(super) const PLACED: &[(BoxKind, &str, u8)] = &[
    // B-12.
    (BoxKind::Cbox, "RING_AD_USED", 0b0001),
    (BoxKind::Cbox, "RING_AK_USED", 0b0001),
    (BoxKind::Cbox, "RING_BL_USED", 0b0001),
    // U-32.
    (BoxKind::R2pcie, "RING_AD_USED", 0b1100),
    (BoxKind::R2pcie, "RING_AK_USED", 0b1100),
    (BoxKind::R2pcie, "RING_BL_USED", 0b1100),
    (BoxKind::R2pcie, "RING_IV_USED", 0b1100),
    (BoxKind::R3qpi, "RING_AD_USED", 0b0100),
    (BoxKind::R3qpi, "RING_AK_USED", 0b0100),
    (BoxKind::R3qpi, "RING_BL_USED", 0b0100),
    (BoxKind::R3qpi, "RING_IV_USED", 0b0100),
    // B-13, H-15.
    (BoxKind::Pcu, "POWER_STATE_OCCUPANCY", 0b1110),
    // It shows counter 0.
    (BoxKind::Cbox, "COUNTER0_OCCUPANCY", 0b1110),
];

pub(super) const DESCRIPTION: Description = Description {
    name: "bdx",
    packages: &[0, 1],
    cboxes_of_cores: false,
    sboxes: 4,
    lacks: &[],
    others: &[],
    rows: <[_]>::to_vec,
    oddities: Oddities {
        // B-19: it adds nothing, as printed.
        nameless: &[(BoxKind::Ha, "CONFLICT_CYCLES")],
        // Section 12.
        pairs: &[
            Pair {
                kind: BoxKind::Irp,
                event: "SNOOP_RESP",
                second: 0x70,
                alone: false,
            },
            Pair {
                kind: BoxKind::Irp,
                event: "TRANSACTIONS",
                second: 0x40,
                alone: true,
            },
        ],
        packets: PACKETS,
        // Section 17.
        second_names: &[(
            BoxKind::Pcu,
            "ufs_transitions_ring_gv",
            "ufs_transitions_no_change",
        )],
        // Section 11: RD_CAS_RANK* and WR_CAS_RANK*.
        numbered: &[(BoxKind::Imc, 0xb0..=0xbf)],
        placed: &[PLACED],
        joins: None,
    },
    umasks: UMASKS,
    special: SPECIAL,
    sub_registers: &[],
    with_unit: WithUnit {
        lines: &["cas_count", "llc_misses.mem_"],
        flits: &["txl_flits_g"],
        no_cycles: &["pkg_residency_"],
    },
    residency: &Residency::ALL,
    links: &[Link::Idle, Link::Retry],
    memory: &[],
    line_bits: 0x3fff_ffff_f000,
    core_slots: 24,
    uneven: &[("cbox-mask", "00000b:000003"), ("sboxes", "4:0")],
    refused: &[XEON, TWO_FILTERS, REFUSED, WITHOUT_INCREMENT],
    cases: cases::CASES,
    untested: &["cbox", "sbox", "ubox"],
    full_group: (
        BoxKind::Cbox,
        &[
            "tor_occupancy.all",
            "fast_asserted",
            "ring_iv_used.up",
            "clockticks",
        ],
    ),
    conflicting: super::conflicting,
    asked: &asked::ASKED,
    counted_as: Counted::Bdx,
    sample,
    libpfm4: None,
};

/// Broadwell-DE: one package, without S-Boxes and links (section 2).
pub(super) const DE: Description = Description {
    packages: &[0],
    sboxes: 0,
    lacks: &[BoxKind::Sbox, BoxKind::Qpi, BoxKind::R3qpi],
    rows: |rows| {
        let rows = rows.iter();
        let has = |row: &&Row| BoxKind::of_column(&row.kind).is_some();
        rows.filter(has).cloned().collect()
    },
    oddities: Oddities {
        packets: &[],
        ..DESCRIPTION.oddities
    },
    links: &[],
    uneven: &[],
    ..DESCRIPTION
};

/// Section 14.2; the last have a state of the data.
const PACKETS: &[(&str, u64, u64)] = &[
    ("DRS.AnyDataC", 0x1c00, 0x1f80),
    ("DRS.WbIData", 0x1c80, 0x1fe0),
    ("DRS.WbSData", 0x1ca0, 0x1fe0),
    ("DRS.WbEData", 0x1cc0, 0x1fe0),
    ("DRS.AnyResp", 0x1c00, 0x1e00),
    ("DRS.AnyResp9flits", 0x1c00, 0x1f00),
    ("DRS.AnyResp11flits", 0x1d00, 0x1f00),
    ("NCB.AnyResp", 0x1800, 0x1e00),
    ("NCB.AnyMsg9flits", 0x1800, 0x1f00),
    ("NCB.AnyMsg11flits", 0x1900, 0x1f00),
    ("NCB.AnyInt", 0x1900, 0x1f80),
    ("DRS.DataC_M", 0x8_0000_0000_1c00, 0xf_0000_0000_1fe0),
    ("DRS.DataC_E", 0x4_0000_0000_1c00, 0xf_0000_0000_1fe0),
    ("DRS.DataC_F", 0x1_0000_0000_1c00, 0xf_0000_0000_1fe0),
    ("DRS.DataC_E_Cmp", 0x4_0000_0000_1c40, 0xf_0000_0000_1fe0),
    ("DRS.DataC_F_Cmp", 0x1_0000_0000_1c40, 0xf_0000_0000_1fe0),
    (
        "DRS.DataC_E_FrcAckCnflt",
        0x4_0000_0000_1c20,
        0xf_0000_0000_1fe0,
    ),
    (
        "DRS.DataC_F_FrcAckCnflt",
        0x1_0000_0000_1c20,
        0xf_0000_0000_1fe0,
    ),
];

#[rustfmt::skip]
const SPECIAL: &[Special] = &[
    Special { kind: BoxKind::Cbox, ext: false, codes: 0x28..=0x2a, rule: Rule::Node },
    Special { kind: BoxKind::Cbox, ext: false, codes: 0x32..=0x33, rule: Rule::Node },
    Special { kind: BoxKind::Cbox, ext: false, codes: 0x34..=0x34, rule: Rule::LlcLookup },
    Special { kind: BoxKind::Cbox, ext: false, codes: 0x35..=0x36, rule: Rule::Tor },
    Special { kind: BoxKind::Cbox, ext: false, codes: 0x37..=0x37, rule: Rule::Node },
    Special { kind: BoxKind::Ha, ext: false, codes: 0x20..=0x20, rule: Rule::AddrOpcMatch },
    Special { kind: BoxKind::Qpi, ext: true, codes: 0x38..=0x38, rule: Rule::CtoCount },
    Special { kind: BoxKind::Pcu, ext: false, codes: 0x0b..=0x0e, rule: Rule::FreqBand },
];

#[rustfmt::skip]
const UMASKS: &[Umasks] = &[
    // Section 8.3: a kind of lookup, of a node or of all; listed requests.
    Umasks { kind: BoxKind::Cbox, codes: 0x34..=0x34, combine: Combine::Within(&[0x43, 0x45, 0x49, 0x51, 0x61]) },
    Umasks { kind: BoxKind::Cbox, codes: 0x35..=0x36, combine: Combine::Listed },
    // Section 8.4: rejected requests.
    Umasks { kind: BoxKind::Cbox, codes: 0x11..=0x11, combine: Combine::AllBut(0x02) },
    Umasks { kind: BoxKind::Cbox, codes: 0x13..=0x13, combine: Combine::AllBut(0x02) },
    // Section 12: MISC0 and MISC1.
    Umasks { kind: BoxKind::Irp, codes: 0x14..=0x14, combine: Combine::Within(&[0x03, 0x1c, 0xe0]) },
    Umasks { kind: BoxKind::Irp, codes: 0x15..=0x15, combine: Combine::Within(&[0x1f, 0xe0]) },
    // Section 15: one egress queue at a time.
    Umasks { kind: BoxKind::R2pcie, codes: 0x23..=0x23, combine: Combine::Listed },
];

/// An event of a box, with a filter where there is one.
fn sample(kind: BoxKind, instance: u8) -> Probe {
    match kind {
        BoxKind::Ubox => Probe::ubox("racu_requests"),
        BoxKind::Sbox => Probe::sbox(instance, "ring_bl_used.up"),
        BoxKind::Qpi => Probe::qpi(instance, "cto_count").packet("mc", 0xe, 0xf),
        _ => super::sample(kind, instance),
    }
}

/// It adds nothing, as printed.
const WITHOUT_INCREMENT: &[Refused] = &[("ha_0", "config=0xb", &["event", "0x0b"])];

/// Requests with an error of their own.
pub(super) const REFUSED: &[Refused] = &[
    // POWER_CKE_CYCLES takes an edge or an inversion, not both (B-20).
    ("imc_0", "config=0x1840183", &["edge or inv"]),
    ("imc_0", "config=0x8000ff", &["fixed"]),
    ("sbox_0", "config=0xff", &["0xff"]),
    // Retries of one node.
    ("cbox_0", "config=0x4028", &["filter_nid"]),
    ("cbox_0", "config=0x4029", &["filter_nid"]),
    ("cbox_0", "config=0x402a", &["filter_nid"]),
    ("cbox_0", "config=0x4032", &["filter_nid"]),
    ("cbox_0", "config=0xc033", &["filter_nid"]),
    // IRQ_REJ goes with no other queue.
    ("cbox_0", "config=0x311", &["umask", "0x03"]),
    ("cbox_0", "config=0x613", &["umask", "0x06"]),
    // SNOOP_RESP needs a result and a snoop, ORDERINGQ a transaction.
    ("irp", "config=0x817", &["umask", "0x20, 0x40 as well"]),
    ("irp", "config=0x4017", &["umask", "0x4, 0x8 as well"]),
    ("irp", "config=0x4016", &["umask", "0x40"]),
    // Groups of MISC0 and of MISC1.
    ("irp", "config=0x514", &["umask", "0x05"]),
    ("irp", "config=0x2114", &["umask", "0x21"]),
    ("irp", "config=0x8414", &["umask", "0x84"]),
    ("irp", "config=0x2115", &["umask", "0x21"]),
    ("irp", "config=0x9015", &["umask", "0x90"]),
    // One egress queue at a time.
    ("r2pcie", "config=0x323", &["umask", "0x03"]),
];
