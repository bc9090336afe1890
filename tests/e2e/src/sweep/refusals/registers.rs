// SPDX-License-Identifier: GPL-2.0

//! Parts of the match and mask registers of a box on events that do not look at them.

use super::{good, rows, Refusal};
use crate::formats::{bits, fields};
use crate::prelude::*;
use std::collections::BTreeSet;

/// Returns each field of B-Box and R-Box with each event that does not look at it.
pub(super) fn refusals() -> Vec<Refusal> {
    let mut seen = BTreeSet::new();
    let of_event = |row: &&Row| seen.insert((row.kind, row.code));
    let is_of = |row: &&Row| matches!(row.kind, BoxKind::Bbox | BoxKind::Rbox);
    let events = rows().filter(is_of).filter(of_event);
    events.flat_map(of_row).collect()
}

fn of_row(row: &Row) -> Vec<Refusal> {
    let looked_at = looked_at(row);
    let all = fields(row.kind)
        .into_iter()
        .map(|field| (field.0, bits(field)));
    let with_field = |(name, (word, mask)): (&str, (usize, u64))| {
        let other = mask & !looked_at[word];
        let Words(mut words) = good(row);
        words[word] |= other & other.wrapping_neg();
        // Of an R-Box, bits have names in several registers.
        let name = if row.kind == BoxKind::Bbox { name } else { "" };
        let reason = [name, "is set, but"];
        (other != 0).then(|| Refusal::bad(&row.kind.box_name(0), Words(words), &reason))
    };
    all.filter_map(with_field).collect()
}

/// Returns the bits of the words that an event looks at.
fn looked_at(row: &Row) -> [u64; 3] {
    /// The bits of config that select an event.
    const SELECT: u64 = 0xff;
    match (row.kind, row.code % 6) {
        (BoxKind::Bbox, _) => [SELECT, row.needs.compared, row.needs.compared],
        (_, 0 | 1) => [SELECT, 0xffff_ffff, 0],
        (_, 2) => [SELECT, 0xff, 0],
        (_, 3) => [SELECT, 0xff00, 0],
        _ => [u64::MAX; 3],
    }
}
