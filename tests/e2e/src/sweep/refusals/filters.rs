// SPDX-License-Identifier: GPL-2.0

//! Filters on events that take none.

use super::{good, rows, Refusal};
use crate::expect::SubRegister;
use crate::formats::{bits, fields};
use crate::prelude::*;

/// A filter field: its word, a value in its place, and the rows that take it.
struct FilterField {
    kind: BoxKind,
    name: &'static str,
    word: usize,
    value: u64,
    takes: fn(&Row) -> bool,
}

const fn field(
    kind: BoxKind,
    name: &'static str,
    (word, value): (usize, u64),
    takes: fn(&Row) -> bool,
) -> FilterField {
    FilterField {
        kind,
        name,
        word,
        value,
        takes,
    }
}

fn takes_opcode(row: &Row) -> bool {
    row.needs.opc || row.needs.preset.opc.is_some()
}

/// TO_R_PROG_EV, of all packets or of some.
fn takes_system(row: &Row) -> bool {
    row.needs.system || row.needs.preset.mask != 0
}

/// Returns true if the event looks at a sub-register of which this is true.
fn looks(row: &Row, is_one: fn(&str) -> bool) -> bool {
    let mut registers = SubRegister::of(row.kind, &Setting::row(row));
    registers.any(|register| is_one(register.field))
}

fn counts_messages(row: &Row) -> bool {
    row.code == 0x42 || row.code == 0x41 && row.umask & 0x05 != 0
}

fn counts_packets(row: &Row) -> bool {
    (row.ext, row.code) == (Some(true), 0x38)
}

#[rustfmt::skip]
const FIELDS: [FilterField; 42] = [
    field(BoxKind::Ubox, "filter_tid", (1, 1), counts_messages),
    field(BoxKind::Ubox, "filter_cid", (1, 1 << 1), counts_messages),
    field(BoxKind::Cbox, "tid", (1, 3), |row| row.needs.preset.tid.is_some()),
    field(BoxKind::Cbox, "filter_state", (1, 1 << 17), |row| row.needs.state),
    field(BoxKind::Cbox, "filter_nid", (1, 1 << 32), |row| row.needs.nid),
    field(BoxKind::Cbox, "filter_opc", (1, 0x182 << 52), takes_opcode),
    field(BoxKind::Cbox, "filter_nc", (1, 1 << 62), takes_opcode),
    field(BoxKind::Cbox, "filter_isoc", (1, 1 << 63), takes_opcode),
    field(BoxKind::Cbox, "filter_link", (1, 1 << 6), |row| takes_opcode(row) && (row.code, row.umask) == (0x35, 0x01)),
    field(BoxKind::Cbox, "filter_c6", (1, 1 << 61), takes_opcode),
    field(BoxKind::Ha, "filter_addr", (1, 0x40), |row| row.needs.address),
    field(BoxKind::Ha, "filter_opc", (2, 0x01), |row| row.needs.home_opcode),
    field(BoxKind::Pcu, "filter_band0", (1, 0x14), |row| row.needs.band == Some(0)),
    field(BoxKind::Pcu, "filter_band1", (1, 0x14 << 8), |row| row.needs.band == Some(1)),
    field(BoxKind::Pcu, "filter_band2", (1, 0x14 << 16), |row| row.needs.band == Some(2)),
    field(BoxKind::Pcu, "filter_band3", (1, 0x14 << 24), |row| row.needs.band == Some(3)),
    field(BoxKind::Qpi, "match_vnw", (1, 1 << 3), counts_packets),
    field(BoxKind::Qpi, "match_opc", (1, 1 << 5), counts_packets),
    field(BoxKind::Qpi, "match_mc", (1, 0xe << 9), counts_packets),
    field(BoxKind::Qpi, "match_dnid", (1, 1 << 13), counts_packets),
    field(BoxKind::Qpi, "match_rnid4", (1, 1 << 31), counts_packets),
    field(BoxKind::Qpi, "match_rnid30", (1, 1 << 32), counts_packets),
    field(BoxKind::Qpi, "match_rds", (1, 1 << 48), counts_packets),
    field(BoxKind::Qpi, "mask_vnw", (2, 1 << 3), counts_packets),
    field(BoxKind::Qpi, "mask_opc", (2, 1 << 5), counts_packets),
    field(BoxKind::Qpi, "mask_mc", (2, 0xf << 9), counts_packets),
    field(BoxKind::Qpi, "mask_dnid", (2, 1 << 13), counts_packets),
    field(BoxKind::Qpi, "mask_rnid4", (2, 1 << 31), counts_packets),
    field(BoxKind::Qpi, "mask_rnid30", (2, 1 << 32), counts_packets),
    field(BoxKind::Qpi, "mask_rds", (2, 1 << 48), counts_packets),
    field(BoxKind::Sbox, "match_hnid", (1, 1), takes_system),
    field(BoxKind::Sbox, "match_addr", (1, 1 << 5), takes_system),
    field(BoxKind::Sbox, "match_mc", (1, 1 << 43), takes_system),
    field(BoxKind::Sbox, "match_opc", (1, 1 << 48), takes_system),
    field(BoxKind::Sbox, "match_resp", (1, 1 << 59), takes_system),
    field(BoxKind::Sbox, "mask_hnid", (2, 1), takes_system),
    field(BoxKind::Sbox, "mask_addr", (2, 1 << 1), takes_system),
    field(BoxKind::Mbox, "dsp", (1, 1), |row| looks(row, |field| field != "pld")),
    field(BoxKind::Mbox, "pld", (1, 1 << 32), |row| looks(row, |field| field == "pld")),
    field(BoxKind::Mbox, "filter_match", (2, 1), |row| looks(row, |field| field == "pld")),
    field(BoxKind::Mbox, "filter_mask", (2, 1 << 34), |row| looks(row, |field| field == "pld")),
    field(BoxKind::Mbox, "filter_cfg_en", (2, 1 << 63), |row| looks(row, |field| field == "pld")),
];

/// Returns true if the bits belong to a field of the platform: others are in `reserved.rs`.
fn owns(field: &FilterField) -> bool {
    let mut all = fields(field.kind).into_iter().map(bits);
    all.any(|(word, mask)| word == field.word && mask & field.value != 0)
}

/// Returns each field with each row that does not take it.
pub(super) fn refusals() -> Vec<Refusal> {
    let with_row = |field: &'static FilterField| {
        let rows = rows().filter(|row| row.kind == field.kind && !(field.takes)(row));
        rows.map(|row| {
            let Words(mut words) = good(row);
            words[field.word] |= field.value;
            Refusal::bad(&field.kind.box_name(0), Words(words), &[field.name])
        })
    };
    let is_there = |field: &&FilterField| field.kind.exists() && owns(field);
    FIELDS.iter().filter(is_there).flat_map(with_row).collect()
}
