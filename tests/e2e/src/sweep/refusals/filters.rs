// SPDX-License-Identifier: GPL-2.0

//! Filters on events that take none.

use super::{good, rows, Refusal};
use crate::expect::SubRegister;
use crate::formats::{self, deposit, value};
use crate::prelude::*;

/// A filter field: a value of it, and the rows that take it.
struct FilterField {
    kind: BoxKind,
    name: &'static str,
    value: u64,
    takes: fn(&Row) -> bool,
}

const fn field(
    kind: BoxKind,
    name: &'static str,
    value: u64,
    takes: fn(&Row) -> bool,
) -> FilterField {
    FilterField {
        kind,
        name,
        value,
        takes,
    }
}

fn takes_opcode(row: &Row) -> bool {
    let preset = row.needs.preset;
    let words = [0, preset.config1, preset.config2];
    row.needs.opc || value(row.kind, "filter_opc", &words) != 0
}

/// TO_R_PROG_EV, of all packets or of some.
fn takes_system(row: &Row) -> bool {
    row.needs.system || row.needs.preset.config2 != 0
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
    field(BoxKind::Ubox, "filter_tid", 1, counts_messages),
    field(BoxKind::Ubox, "filter_cid", 1, counts_messages),
    field(BoxKind::Cbox, "filter_tid", 3, |row| row.needs.preset.tid_en),
    field(BoxKind::Cbox, "filter_state", 1, |row| row.needs.state),
    field(BoxKind::Cbox, "filter_nid", 1, |row| row.needs.nid),
    field(BoxKind::Cbox, "filter_opc", 0x182, takes_opcode),
    field(BoxKind::Cbox, "filter_nc", 1, takes_opcode),
    field(BoxKind::Cbox, "filter_isoc", 1, takes_opcode),
    field(BoxKind::Cbox, "filter_link", 1, |row| takes_opcode(row) && (row.code, row.umask) == (0x35, 0x01)),
    field(BoxKind::Cbox, "filter_c6", 1, takes_opcode),
    field(BoxKind::Ha, "filter_addr", 1, |row| row.needs.address),
    field(BoxKind::Ha, "filter_opc", 0x01, |row| row.needs.home_opcode),
    field(BoxKind::Pcu, "filter_band0", 0x14, |row| row.needs.band == Some(0)),
    field(BoxKind::Pcu, "filter_band1", 0x14, |row| row.needs.band == Some(1)),
    field(BoxKind::Pcu, "filter_band2", 0x14, |row| row.needs.band == Some(2)),
    field(BoxKind::Pcu, "filter_band3", 0x14, |row| row.needs.band == Some(3)),
    field(BoxKind::Qpi, "match_vnw", 1, counts_packets),
    field(BoxKind::Qpi, "match_opc", 1, counts_packets),
    field(BoxKind::Qpi, "match_mc", 0xe, counts_packets),
    field(BoxKind::Qpi, "match_dnid", 1, counts_packets),
    field(BoxKind::Qpi, "match_rnid4", 1, counts_packets),
    field(BoxKind::Qpi, "match_rnid30", 1, counts_packets),
    field(BoxKind::Qpi, "match_rds", 1, counts_packets),
    field(BoxKind::Qpi, "mask_vnw", 1, counts_packets),
    field(BoxKind::Qpi, "mask_opc", 1, counts_packets),
    field(BoxKind::Qpi, "mask_mc", 0xf, counts_packets),
    field(BoxKind::Qpi, "mask_dnid", 1, counts_packets),
    field(BoxKind::Qpi, "mask_rnid4", 1, counts_packets),
    field(BoxKind::Qpi, "mask_rnid30", 1, counts_packets),
    field(BoxKind::Qpi, "mask_rds", 1, counts_packets),
    field(BoxKind::Sbox, "match_hnid", 1, takes_system),
    field(BoxKind::Sbox, "match_addr", 1, takes_system),
    field(BoxKind::Sbox, "match_mc", 1, takes_system),
    field(BoxKind::Sbox, "match_opc", 1, takes_system),
    field(BoxKind::Sbox, "match_resp", 1, takes_system),
    field(BoxKind::Sbox, "mask_hnid", 1, takes_system),
    field(BoxKind::Sbox, "mask_addr", 1, takes_system),
    field(BoxKind::Mbox, "dsp", 1, |row| looks(row, |field| field != "pld")),
    field(BoxKind::Mbox, "pld", 1, |row| looks(row, |field| field == "pld")),
    field(BoxKind::Mbox, "filter_match", 1, |row| looks(row, |field| field == "pld")),
    field(BoxKind::Mbox, "filter_mask", 1, |row| looks(row, |field| field == "pld")),
    field(BoxKind::Mbox, "filter_cfg_en", 1, |row| looks(row, |field| field == "pld")),
];

/// Returns each field of the platform with each row that does not take it: bits of other platforms'
/// fields are in `reserved.rs`.
pub(super) fn refusals() -> Vec<Refusal> {
    let with_row = |field: &'static FilterField, (word, bits)| {
        let rows = rows().filter(|row| row.kind == field.kind && !(field.takes)(row));
        rows.map(move |row| {
            let Words(mut words) = good(row);
            words[word] |= deposit(bits, field.value);
            let reason = match (field.kind, field.name) {
                // Of filter_tid or of tid_en, which is not set.
                (BoxKind::Cbox, "filter_tid") => "tid",
                (_, name) => name,
            };
            Refusal::bad(&field.kind.box_name(0), Words(words), &[reason])
        })
    };
    let there = FIELDS.iter().filter(|field| field.kind.exists());
    let placed = there.filter_map(|it| Some((it, formats::field(it.kind, it.name)?)));
    placed.flat_map(|(it, place)| with_row(it, place)).collect()
}
