// SPDX-License-Identifier: GPL-2.0

//! Generator of good events: a row of the catalogue with the filters it needs, sometimes
//! with a threshold, an edge or a thread. A case has few values for each filter, so that
//! events agree as often as they do not.

use crate::fuzz::attr::{Attr, CONFIG, CONFIG1, CONFIG2};
use crate::fuzz::composed;
use crate::fuzz::env::{Env, Events};
use crate::fuzz::operation::Target;
use crate::rng::Rng;
use uncore_e2e::formats::field;
use uncore_e2e::prelude::*;

/// Software events that can always be counted: page faults, context switches, migrations,
/// and the dummy event.
const SOFTWARE: [u64; 4] = [2, 3, 4, 9];

/// The filter values of a case.
pub(super) struct Taste {
    filters: [Filter; 2],
    composed: composed::Taste,
}

impl Taste {
    pub(super) fn new(rng: &mut Rng) -> Self {
        Self {
            filters: [filter(rng), filter(rng)],
            composed: composed::Taste::new(rng),
        }
    }
}

/// Returns values for every filter that all events can match.
fn filter(rng: &mut Rng) -> Filter {
    let narrow = |number: u64| u8::try_from(number).unwrap_or(1);
    Filter {
        state: narrow(rng.below(1 << width(BoxKind::Cbox, "filter_state"))),
        nid: u16::try_from(rng.between(1, 0xffff)).unwrap_or(1),
        opc: u16::try_from(rng.between(0x180, 0x1ff)).unwrap_or(0x182),
        address: rng.below(1 << 46),
        home_opcode: narrow(rng.below(64)),
        config1: rng.number() & rng.number(),
        config2: rng.below(1 << 39),
        bands: std::array::from_fn(|_| narrow(rng.between(1, 0xff))),
        tid: Some(narrow(rng.below(1 << width(BoxKind::Cbox, "filter_tid")))),
        nc: rng.chance(20),
        isoc: rng.chance(20),
        ..Filter::default()
    }
}

/// Generates an attribute for a target.
pub(super) fn attr(rng: &mut Rng, env: &Env, taste: &Taste, target: Target) -> Attr {
    let mut attr = Attr::new();
    let [config, config1, config2] = match target {
        Target::Ours(pmu) => match env.pmus[pmu].events {
            Events::Listed(kind, _) => listed(rng, env, taste, kind),
            Events::Composed(composed) => composed.words(rng, &taste.composed),
            Events::Memory => [rng.pick(MemoryCounter::all()).code, 0, 0],
        },
        Target::Software | Target::Nobody => [*rng.pick(&SOFTWARE), 0, 0],
    };
    attr.set(CONFIG, config);
    attr.set(CONFIG1, config1);
    attr.set(CONFIG2, config2);
    attr
}

fn listed(rng: &mut Rng, env: &Env, taste: &Taste, kind: BoxKind) -> [u64; 3] {
    if kind.has_fixed() && rng.chance(15) {
        return [0xff, 0, 0];
    }
    let running = env.running(kind);
    if !running.is_empty() && rng.chance(8) {
        return [*rng.pick(&running), 0, 0];
    }
    let row = row(rng, kind);
    let mut words = of_row(rng, taste, row);
    if kind == BoxKind::Irp && rng.chance(50) {
        words[0] |= 1 << 32;
    }
    if kind == BoxKind::Cbox && rng.chance(15) {
        let tid = rng.pick(&taste.filters).tid.unwrap_or(0);
        words[0] |= 1 << 19;
        words[1] |= u64::from(tid);
    }
    words[0] |= gates(rng, row);
    words
}

/// Chooses a row of a type of box, rows with filters more often than their share.
fn row(rng: &mut Rng, kind: BoxKind) -> &'static Row {
    let rows: Vec<&Row> = Catalogue::get().of(kind).collect();
    let needy = rows.iter().filter(|row| row.needs != Needs::default());
    let needy: Vec<&Row> = needy.copied().collect();
    let all = needy.is_empty() || rng.chance(70);
    let rows = if all { rows } else { needy };
    rows[rng.index(rows.len())]
}

/// Returns the row's own words if it has a name, otherwise just its codes.
fn of_row(rng: &mut Rng, taste: &Taste, row: &Row) -> [u64; 3] {
    let filter = rng.pick(&taste.filters);
    let Some(probe) = Probe::of_row(row, 0, filter) else {
        return [u64::from(row.code) | u64::from(row.umask) << 8, 0, 0];
    };
    let Words(mut words) = probe.words();
    if row.needs.opc {
        words[1] |= u64::from(filter.nc) << 62 | u64::from(filter.isoc) << 63;
    }
    if row.needs.state {
        words[1] = words[1] & !bits(row.kind, "filter_state") | u64::from(filter.state) << 17;
    }
    if row.needs.packet.is_some() && rng.chance(20) {
        words[1] |= 0x1f << 13;
        words[2] |= 0x1f << 13;
    }
    words
}

/// Returns a threshold that the event can reach, and bits that need a threshold.
fn gates(rng: &mut Rng, row: &Row) -> u64 {
    if !rng.chance(30) {
        return 0;
    }
    let largest = match width(row.kind, "thresh") {
        8.. => 255,
        _ => 15,
    };
    let reach = u64::from(row.max_inc.unwrap_or(1).clamp(1, largest));
    let occupancy = row.kind == BoxKind::Pcu && row.code & 0x80 != 0;
    let bits = |name| bits(row.kind, name);
    let gates = if occupancy {
        let (edge, invert) = (bits("occ_edge"), bits("occ_invert"));
        [0, edge, invert, edge | invert]
    } else {
        let (edge, invert) = (bits("edge"), bits("inv"));
        [0, invert, edge, edge | invert]
    };
    rng.between(1, reach) << 24 | *rng.pick(&gates)
}

/// Returns the bits of a field in its word, none if the box has no such field.
fn bits(kind: BoxKind, name: &str) -> u64 {
    let (_, bits) = field(kind, name).unwrap_or_default();
    bits
}

fn width(kind: BoxKind, name: &str) -> u32 {
    bits(kind, name).count_ones()
}
