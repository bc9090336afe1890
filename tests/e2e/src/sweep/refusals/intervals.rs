// SPDX-License-Identifier: GPL-2.0

//! Intervals: too short ones, and any interval while overflows are polled, as on a
//! machine without traffic while the driver is loaded.

use super::{good, rows, Refusal};
use crate::formats::{fields, INTERVAL};
use crate::prelude::*;

const ROWS: [(u64, &[&str]); 3] = [
    (1, &["interval 1 ", "short"]),
    (1000, &["interval 1000 ", "short"]),
    (u32::MAX as u64, &["interval", "interrupts", "package 0"]),
];

pub(super) fn refusals() -> Vec<Refusal> {
    let kinds = BoxKind::all();
    let able = kinds.filter(|&kind| fields(kind).contains(&INTERVAL));
    able.flat_map(of_kind).collect()
}

fn of_kind(kind: BoxKind) -> Vec<Refusal> {
    let row = rows().find(|row| row.kind == kind && row.needs == Needs::default());
    let Words([config, config1, config2]) = good(row.expect("an event without needs"));
    let refusal = |(interval, reason): (u64, &[&str])| {
        let words = Words([config | interval << 32, config1, config2]);
        Refusal::bad(&kind.box_name(0), words, reason)
    };
    ROWS.map(refusal).into()
}
