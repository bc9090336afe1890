// SPDX-License-Identifier: GPL-2.0

//! B-Box: a code of one counter, with match and mask of the fields in the event's name
//! (sections 7, 12 and 15).

use super::{joined, masked, registers, Composed, Event, Taste, Words};
use crate::fuzz::rng::Rng;
use uncore_catalogue::Row;

/// Event select and counter; fields of match and mask.
pub(super) const OWNED: Words = [SELECT, FIELDS, FIELDS];

const SELECT: u64 = 0xfe;
const FIELDS: u64 = (1 << 60) - 1;

/// Bits of a field of both registers.
fn bits(field: &str) -> u64 {
    match field {
        "MATCH.opc_out" => 0xf << 56,
        "MATCH.opc_in" => 0xf << 52,
        "MATCH.msg_out" => 0xf << 48,
        "MATCH.msg_in" => 0xf << 44,
        "MATCH.addr" => (1 << 44) - 1,
        _ => panic!("{field}"),
    }
}

pub(super) fn event(words: &Words) -> Option<Event> {
    let (code, counter) = (words[0] >> 1 & 0x1f, words[0] >> 6 & 0x3);
    let counters = 1 << counter;
    let is_it = |row: &&Row| (u64::from(row.code), row.counters) == (code, counters);
    let row = Composed::Bbox.rows().into_iter().find(is_it)?;
    let fields = registers(row).map(|(field, _)| (field, [0, bits(field), bits(field)]));
    let fields: Vec<(&'static str, Words)> = fields.collect();
    let uses = fields
        .iter()
        .fold([SELECT, 0, 0], |uses, (_, mask)| joined(&uses, mask));
    let shares = fields
        .iter()
        .map(|(field, mask)| ((*field, 0), masked(words, mask)));
    Some(Event {
        counters,
        uses,
        needs: [0; 3],
        useless: false,
        shares: shares.collect(),
    })
}

pub(super) fn words(rng: &mut Rng, taste: &Taste, row: &Row) -> Words {
    let select = u64::from(row.code) << 1 | u64::from(row.counters.trailing_zeros()) << 6;
    let fields = registers(row).fold(0, |all, (field, _)| all | bits(field));
    let value = taste.value(rng);
    [select, value & fields, value.rotate_left(7) & fields]
}
