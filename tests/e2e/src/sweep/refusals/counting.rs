// SPDX-License-Identifier: GPL-2.0

//! Edges without a threshold, and thresholds that an event cannot reach.

use super::{good, rows, Refusal};
use crate::formats::field;
use crate::prelude::*;
use std::collections::BTreeMap;

const EDGE: u64 = 1 << 18;
/// The lowest bit of the threshold.
const THRESH_AT: u32 = 24;
const INVERT: u64 = 1 << 23;
const OCC_INVERT: u64 = 1 << 30;
const OCC_EDGE: u64 = 1 << 31;

pub(super) fn refusals() -> Vec<Refusal> {
    let mut refusals = Vec::new();
    for row in one_of_each_event() {
        if field(row.kind, "thresh").is_none() {
            continue;
        }
        refusals.push(edge_alone(row));
        if field(row.kind, "inv").is_some() {
            refusals.extend(inverted(row));
        }
        refusals.extend(out_of_reach(row));
        if row.kind == BoxKind::Pcu {
            refusals.extend(occupancy_fields(row));
        }
    }
    refusals
}

/// The first row of each event select.
fn one_of_each_event() -> impl Iterator<Item = &'static Row> {
    let mut events = BTreeMap::new();
    for row in rows() {
        events.entry((row.kind, row.ext, row.code)).or_insert(row);
    }
    events.into_values()
}

fn is_occupancy(row: &Row) -> bool {
    row.kind == BoxKind::Pcu && row.code & 0x80 != 0
}

/// Returns the refusal of the row's good request with more bits in config.
fn bad(row: &Row, bits: u64, reason: &[&str]) -> Refusal {
    let Words([config, config1, config2]) = good(row);
    let words = Words([config | bits, config1, config2]);
    Refusal::bad(&row.kind.box_name(0), words, reason)
}

/// Returns the refusals of an inversion without a threshold; occupancies of the PCU have
/// one of their own.
fn inverted(row: &Row) -> Vec<Refusal> {
    if is_occupancy(row) {
        return vec![bad(row, INVERT | 1 << THRESH_AT, &["inv"])];
    }
    let reason = ["inv", "thresh"];
    vec![
        bad(row, INVERT, &reason),
        bad(row, INVERT | EDGE, &["thresh"]),
    ]
}

fn edge_alone(row: &Row) -> Refusal {
    if is_occupancy(row) {
        bad(row, EDGE, &["occ_edge"])
    } else {
        bad(row, EDGE, &["edge", "thresh"])
    }
}

/// Returns the refusal of a threshold one above the event's largest increment, where that
/// is printed and the field can hold it. For the PCU's occupancies the list gives at most
/// 8, but a part has more cores: what the box can add is the limit.
fn out_of_reach(row: &Row) -> Option<Refusal> {
    let mut rows = Catalogue::get().of(row.kind);
    let same = |other: &Row| (other.ext, other.code) == (row.ext, row.code);
    let printed = rows.any(|other| same(other) && other.printed_max.is_some());
    let facts = Catalogue::get().facts(row.kind, row.ext?, row.code)?;
    let (_, limit) = field(row.kind, "thresh").expect("a threshold");
    let limit = limit >> THRESH_AT;
    let largest = match row.kind {
        BoxKind::Pcu if facts.max_inc > 1 => row.kind.largest_increment(),
        _ => facts.max_inc,
    };
    let thresh = u64::from(largest) + 1;
    let number = thresh.to_string();
    let possible = printed && thresh <= limit;
    possible.then(|| bad(row, thresh << THRESH_AT, &["thresh", &number]))
}

/// Returns the refusals of the PCU's own fields: on occupancies they need a threshold, on
/// other events they have no meaning; `edge` has none on occupancies.
fn occupancy_fields(row: &Row) -> Vec<Refusal> {
    const THRESH: u64 = 1 << THRESH_AT;
    let (invert, edge) = (["occ_invert"], ["occ_edge"]);
    if is_occupancy(row) {
        return vec![
            bad(row, OCC_INVERT, &["occ_invert", "thresh"]),
            bad(row, OCC_EDGE, &["occ_edge", "thresh"]),
            bad(row, OCC_INVERT | OCC_EDGE, &["thresh"]),
            bad(row, EDGE | THRESH, &edge),
            bad(row, EDGE | OCC_INVERT | THRESH, &edge),
        ];
    }
    vec![
        bad(row, OCC_INVERT | THRESH, &invert),
        bad(row, OCC_EDGE | THRESH, &edge),
        bad(row, OCC_INVERT, &invert),
        bad(row, OCC_EDGE, &edge),
    ]
}
