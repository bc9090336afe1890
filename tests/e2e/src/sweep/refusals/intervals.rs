// SPDX-License-Identifier: GPL-2.0

//! Intervals: too short ones, and any interval while overflows are polled, as on a
//! machine without traffic while the driver is loaded.

use super::{good, rows, Refusal};
use crate::formats::field;
use crate::prelude::*;

pub(super) fn refusals() -> Vec<Refusal> {
    let of_kind = |kind| Some(of_kind(kind, field(kind, "interval")?));
    BoxKind::all().filter_map(of_kind).flatten().collect()
}

fn of_kind(kind: BoxKind, (_, bits): (usize, u64)) -> Vec<Refusal> {
    let longest = bits >> bits.trailing_zeros();
    let intervals: [(u64, &[&str]); 3] = [
        (1, &["interval 1 ", "short"]),
        (1000, &["interval 1000 ", "short"]),
        (longest, &["interval", "interrupts", "package 0"]),
    ];
    let row = rows().find(|row| row.kind == kind && row.needs == Needs::default());
    let Words([config, config1, config2]) = good(row.expect("an event without needs"));
    let refusal = |(interval, reason): (u64, &[&str])| {
        let words = Words([config | interval << bits.trailing_zeros(), config1, config2]);
        Refusal::bad(&kind.box_name(0), words, reason)
    };
    intervals.map(refusal).into()
}
