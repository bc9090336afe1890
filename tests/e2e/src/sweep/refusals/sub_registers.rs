// SPDX-License-Identifier: GPL-2.0

//! Bits of a sub-register that it does not have, or that other events have to themselves.

use super::{good, rows, Refusal};
use crate::expect::SubRegister;
use crate::prelude::*;

pub(super) fn refusals() -> Vec<Refusal> {
    let whole = rows().filter(|row| row.needs.asked != [None; 2]);
    whole.flat_map(of_row).collect()
}

fn of_row(row: &Row) -> Vec<Refusal> {
    let event = (row.ext == Some(true), row.code);
    let registers: Vec<_> = SubRegister::of(row.kind, &Setting::row(row)).collect();
    let used = registers.iter().fold(0, |all, it| all | it.used(event));
    let whole = registers.iter().fold(0, |all, it| all | it.place());
    let free = (0..64).map(|bit| 1 << bit);
    let free = free.filter(|bit| whole & !used & bit != 0);
    let with_bit = |bit: u64| {
        let Words([config, config1, config2]) = good(row);
        let words = Words([config, config1 | bit, config2]);
        Refusal::bad(&row.kind.box_name(0), words, &["does not use"])
    };
    free.map(with_bit).collect()
}
