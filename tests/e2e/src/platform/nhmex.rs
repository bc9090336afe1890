// SPDX-License-Identifier: GPL-2.0

//! Nehalem-EX and Westmere-EX: Documentation/hardware/nhmex.rst (sections 2, 6, 9 and 12) and
//! traffic.rst.

mod asked;
mod bbox;
mod cases;
mod mbox;
mod rbox;

use super::Description;
use crate::catalogue::{BoxKind, Combine, Oddities, Umasks};
use crate::expect::{Rule, Special, SubRegister};
use crate::fixture::probe::Probe;
use crate::sweep::refusals::listed::Refused;
use crate::units::WithUnit;
use uncore_catalogue::Platform as Counted;
use uncore_catalogue::Row;

pub(super) const DESCRIPTION: Description = Description {
    name: "nhmex",
    packages: &[0, 1],
    cboxes_of_cores: true,
    sboxes: 2,
    lacks: &[],
    others: &[],
    rows: |all| rows(all, mbox::NEHALEM_REGISTERS),
    oddities: Oddities {
        nameless: &[],
        pairs: &[],
        packets: &[],
        second_names: mbox::SECOND_NAMES,
        numbered: &[],
        placed: &[],
        joins: None,
    },
    umasks: UMASKS,
    special: SPECIAL,
    sub_registers: &[mbox::NEHALEM_REGISTERS, &rbox::SUB_REGISTERS],
    with_unit: WithUnit {
        lines: &[],
        flits: &[],
        no_cycles: &[],
    },
    residency: &[],
    links: &[],
    memory: &[],
    line_bits: 0,
    core_slots: 8,
    uneven: &[("cores", "2:1"), ("cboxes", "2:1")],
    refused: &[REFUSED],
    cases: cases::CASES,
    untested: &[
        "bbox",
        "bbox.equal",
        "cbox",
        "mbox",
        "nodes",
        "rbox",
        "rbox.equal",
        "sbox",
        "ubox",
        "ubox.equal",
        "wbox",
    ],
    full_group: (
        BoxKind::Bbox,
        &["tf_all", "imt_inserts_all", "imt_ne_cycles", "imt_full"],
    ),
    conflicting: || {
        let modes = ["dram_cmd.ras", "dram_cmd.pre"].map(|name| Probe::mbox(0, name));
        vec![modes]
    },
    asked: &asked::ASKED,
    counted_as: Counted::Nhmex,
    sample,
    libpfm4: None,
};

/// Westmere-EX: two more C-Boxes, and events and sub-registers of its own (sections 11 and 13).
pub(super) const WESTMERE: Description = Description {
    counted_as: Counted::Wsmex,
    rows: |all| rows(all, mbox::WESTMERE_REGISTERS),
    sub_registers: &[mbox::WESTMERE_REGISTERS, &rbox::SUB_REGISTERS],
    ..DESCRIPTION
};

/// Returns the rows, a name for all packets of an S-Box, and names for events of
/// an M-Box whose user says what counts.
fn rows(of_model: &[Row], registers: &[SubRegister]) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut before = "";
    for row in of_model {
        let is_first = row.event != before;
        before = &row.event;
        match &*row.kind {
            "SBO" if row.event == "TO_R_PROG_EV" => rows.push(any_packet(row)),
            "RBOX" => {
                if rows.iter().all(|row: &Row| row.kind != "RBOX") {
                    rows.extend(rbox::others(row));
                }
                rows.extend(rbox::of_ports(row));
                continue;
            }
            "MBOX" if is_first => rows.extend(mbox::without_sub_event(row, registers)),
            _ => {}
        }
        rows.push(row.clone());
    }
    rows
}

fn any_packet(row: &Row) -> Row {
    Row {
        subevent: "ANY".to_owned(),
        filter: "MASK=0x7fffffffff".to_owned(),
        ..row.clone()
    }
}

#[rustfmt::skip]
const SPECIAL: &[Special] = &[
    bbox::MATCHES,
    Special { kind: BoxKind::Sbox, ext: false, codes: 0x00..=0x00, rule: Rule::SystemPackets },
    mbox::COMMANDS,
    rbox::packets(0),
    rbox::packets(1),
    rbox::packets(2),
    rbox::packets(3),
];

/// Section 9: one bit of CYCLES_FULL at a time.
#[rustfmt::skip]
const UMASKS: &[Umasks] = &[
    Umasks { kind: BoxKind::Sbox, codes: 0x03..=0x03, combine: Combine::Listed },
    Umasks { kind: BoxKind::Sbox, codes: 0x0e..=0x0e, combine: Combine::Listed },
    Umasks { kind: BoxKind::Sbox, codes: 0x11..=0x11, combine: Combine::Listed },
    Umasks { kind: BoxKind::Sbox, codes: 0x14..=0x14, combine: Combine::Listed },
];

/// An event of a box, with a filter where there is one.
fn sample(kind: BoxKind, instance: u8) -> Probe {
    let name = match kind {
        BoxKind::Ubox => "u2r_requests",
        BoxKind::Cbox => "llc_hits.all",
        BoxKind::Sbox => "pkts_sent_hom.all",
        BoxKind::Wbox => "c_cycles_turbo.all",
        BoxKind::Rbox => "port0_flits_sent",
        BoxKind::Bbox => "imt_inserts_rd",
        _ => "fvc_ev0.bbox_cmds.reads",
    };
    Probe::new(kind, instance, name)
}

/// Requests with an error of their own.
const REFUSED: &[Refused] = &[
    ("wbox", "config=0x1ff", &["fixed"]),
    ("wbox", "config=0x10000ff", &["fixed"]),
    ("wbox", "config=0x8400ff", &["fixed"]),
    // The clock is the W-Box'.
    ("cbox_0", "config=0xff", &["0xff"]),
    ("sbox_0", "config=0xff", &["0xff"]),
    // Codes with bit 8 are others than without.
    ("ubox", "config=0xdf", &["event"]),
    ("ubox", "config=0x150", &["event"]),
    // Two queues are not full at once.
    ("sbox_0", "config=0x30e", &["umask", "0x03"]),
    // No bit forwards an overflow, and none enables the counter by itself.
    ("cbox_0", "config=0x100f15", &["0x100000"]),
    ("cbox_0", "config=0x400f15", &["0x400000"]),
    // An event is of one field, and of those that the manual has.
    ("mbox_0", "config=0x80000", &["event"]),
    ("mbox_0", "config=0x280", &["event"]),
    ("mbox_0", "config=0x80200", &["event"]),
    // No state of a queue is chosen.
    ("mbox_0", "config=0x0", &["dsp"]),
    ("mbox_0", "config=0x80", &["dsp"]),
    // An address without the match.
    ("mbox_0", "config=0x1400 config2=0x1", &["filter_cfg_en"]),
    (
        "mbox_0",
        "config=0x1600 config2=0x400000000",
        &["filter_cfg_en"],
    ),
    // It would clear the entries of a queue.
    ("sbox_0", "config=0x20331", &["0x20000"]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;
    use crate::platform::{Platform, Processor};

    #[test]
    fn rows_of_each_type_are_those_of_the_page() {
        let counts = || {
            let count = |kind| Catalogue::get().of(kind).count();
            BoxKind::all().map(count).collect::<Vec<_>>()
        };
        // One row more is for all packets of an S-Box, and 15 for values of sub-registers. Rows of
        // the R-Box are for four ports; 30 are for their registers and have names of the kernel.
        assert_eq!(
            Platform::Nhmex.on(counts),
            [13, 132, 50, 175 + 1, 55, 199 + 15, 4 * 121 + 30]
        );
        // Two more events of the M-Box have a sub-register.
        assert_eq!(
            Processor::Wsmex.on(counts),
            [16, 152, 50, 209 + 1, 55, 225 + 17, 4 * 121 + 30]
        );
    }
}
