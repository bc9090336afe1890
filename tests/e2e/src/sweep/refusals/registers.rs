// SPDX-License-Identifier: GPL-2.0

//! Parts of the match and mask registers of Nehalem-EX on events that do not look at them.

use super::{good, rows, Refusal};
use crate::formats::{bits, fields, Field};
use crate::prelude::*;

/// Returns each field of the B-Box with each row that does not have it.
pub(super) fn refusals() -> Vec<Refusal> {
    if !BoxKind::Bbox.exists() {
        return Vec::new();
    }
    let unit = BoxKind::Bbox.box_name(0);
    let of_field = |field: Field| {
        let (word, mask) = bits(field);
        let lowest = mask & mask.wrapping_neg();
        let others = rows().filter(move |row| {
            row.kind == BoxKind::Bbox && word != 0 && row.needs.compared & mask == 0
        });
        let unit = &unit;
        others.map(move |row| {
            let Words(mut words) = good(row);
            words[word] |= lowest;
            Refusal::bad(unit, Words(words), &[field.0])
        })
    };
    fields(BoxKind::Bbox)
        .into_iter()
        .flat_map(of_field)
        .collect()
}
