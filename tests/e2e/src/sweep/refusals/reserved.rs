// SPDX-License-Identifier: GPL-2.0

//! Bits of the config words that no field owns.

use super::{good, rows, Refusal};
use crate::formats::{bits, fields};
use crate::prelude::*;

pub(super) fn refusals() -> Vec<Refusal> {
    BoxKind::all().flat_map(of_kind).collect()
}

fn of_kind(kind: BoxKind) -> Vec<Refusal> {
    let plain = |needs: &Needs| *needs == Needs::default();
    let row = rows().find(|row| row.kind == kind && !row.is_clock() && plain(&row.needs));
    let request = good(row.expect("an event without needs"));
    let mut owned = [0; 3];
    for field in fields(kind) {
        let (word, mask) = bits(field);
        owned[word] |= mask;
    }
    let mut refusals = Vec::new();
    for (word, name) in ["config", "config1", "config2"].into_iter().enumerate() {
        let free = (0..64).map(|bit| 1_u64 << bit);
        for bit in free.filter(|bit| owned[word] & bit == 0) {
            let Words(mut words) = request;
            words[word] |= bit;
            let reason = [name, &format!("{bit:#x}")];
            refusals.push(Refusal::bad(&kind.box_name(0), Words(words), &reason));
        }
    }
    refusals
}
