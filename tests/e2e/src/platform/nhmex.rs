// SPDX-License-Identifier: GPL-2.0

//! Nehalem-EX and Westmere-EX: Documentation/hardware/nhmex.rst (sections 2, 6, 9 and 12) and
//! traffic.rst.

mod bbox;
mod mbox;
mod rbox;

use super::Description;
use crate::catalogue::{BoxKind, Combine, Oddities, Umasks};
use crate::expect::{Rule, Special, SubRegister};
use crate::units::WithUnit;
use std::sync::OnceLock;
use uncore_catalogue::Row;

pub(super) const DESCRIPTION: Description = Description {
    name: "nhmex",
    processor: "6-2e-6",
    packages: &[0, 1],
    cboxes_of_cores: true,
    sboxes: 2,
    lacks: &[],
    others: &[],
    rows: nehalem_rows,
    metrics: || &[],
    oddities: Oddities {
        nameless: &[],
        pairs: &[],
        packets: &[],
        second_names: mbox::SECOND_NAMES,
        numbered: &[],
        placed: &[],
    },
    umasks: UMASKS,
    special: SPECIAL,
    sub_registers: &[mbox::NEHALEM_REGISTERS, &rbox::SUB_REGISTERS],
    with_unit: WithUnit {
        lines: &[],
        flits: &[],
        no_cycles: &[],
    },
    links: &[],
    memory: &[],
    line_bits: 0,
    core_slots: 8,
    uneven: &[("cores", "2:1"), ("cboxes", "2:1")],
};

/// Westmere-EX: two more C-Boxes, and events and sub-registers of its own (sections 11 and 13).
pub(super) const WESTMERE: Description = Description {
    processor: "6-2f-2",
    rows: westmere_rows,
    sub_registers: &[mbox::WESTMERE_REGISTERS, &rbox::SUB_REGISTERS],
    ..DESCRIPTION
};

fn nehalem_rows() -> &'static [Row] {
    static ROWS: OnceLock<Vec<Row>> = OnceLock::new();
    ROWS.get_or_init(|| rows(uncore_catalogue::rows_of("nhmex"), mbox::NEHALEM_REGISTERS))
}

fn westmere_rows() -> &'static [Row] {
    static ROWS: OnceLock<Vec<Row>> = OnceLock::new();
    ROWS.get_or_init(|| rows(uncore_catalogue::rows_of("wsmex"), mbox::WESTMERE_REGISTERS))
}

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
