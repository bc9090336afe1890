// SPDX-License-Identifier: GPL-2.0

//! Generator of cases from a seed, a number and the machine only.
//!
//! Most events are rows of the catalogue with the filters they need, sometimes with a threshold, an
//! edge or a thread. A case has few values for each filter, so that events agree as often as they do
//! not. Some events are then changed in one or two places, which need not make them wrong. Some cases
//! put all events in a group of one box, so that it reaches its limits; the others use all boxes.

use super::{composed, reason::Reason, rng::Rng, Env, Events};
use crate::linux::perf::Attr;
use uncore_e2e::formats::{deposit, field};
use uncore_e2e::prelude::*;

/// Most events of a case: on any box, on one box, and on a memory controller, whose counters always
/// run.
const MOST: [u64; 3] = [6, 9, 16];

/// An event to open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    /// Index in [`Env::pmus`].
    pub(super) pmu: usize,
    pub(super) words: [u64; 5],
    pub(super) cpu: usize,
    /// Place of the leader in the case.
    pub(super) group: Option<usize>,
    pub(super) ask: Option<Ask>,
}

/// Sets an attribute that no event of an uncore PMU can have, for which it is refused.
pub(super) type Ask = (fn(&mut Attr), Reason);

const ASKS: [Ask; 13] = [
    (|attr| attr.sampling = true, Reason::Sampling),
    (|attr| attr.precise_ip = 1, Reason::Sampling),
    (|attr| attr.precise_ip = 2, Reason::Sampling),
    (|attr| attr.precise_ip = 3, Reason::Sampling),
    (|attr| attr.branches = true, Reason::Sampling),
    (|attr| attr.exclude.user = true, Reason::Exclusion),
    (|attr| attr.exclude.kernel = true, Reason::Exclusion),
    (|attr| attr.exclude.hypervisor = true, Reason::Exclusion),
    (|attr| attr.exclude.idle = true, Reason::Exclusion),
    (|attr| attr.exclude.host = true, Reason::Exclusion),
    (|attr| attr.exclude.guest = true, Reason::Exclusion),
    (|attr| attr.task = true, Reason::Task),
    (|attr| attr.cpu = None, Reason::Cpu),
];

/// Generates the events of a case.
pub(super) fn case(env: &Env, seed: u64, number: u64) -> Vec<Open> {
    let rng = &mut Rng::of_case(seed, number);
    let taste = Taste::new(rng);
    let crowd = rng
        .chance(50)
        .then(|| (some_pmu(rng, env), rng.index(env.packages.len())));
    let mut all: Vec<Open> = Vec::new();
    let most = match crowd.map(|(pmu, _)| env.pmus[pmu].1) {
        None => MOST[0],
        Some(Events::Memory) => MOST[2],
        Some(_) => MOST[1],
    };
    for _ in 0..rng.between(1, most) {
        let (mut pmu, mut cpu) = match crowd {
            Some(crowd) if rng.chance(90) => crowd,
            _ => (some_pmu(rng, env), rng.index(env.packages.len())),
        };
        let share = if crowd.is_some() { 90 } else { 30 };
        let leaders: Vec<usize> = (0..all.len())
            .filter(|&place| all[place].group.is_none())
            .collect();
        let mut group = None;
        if !leaders.is_empty() && rng.chance(share) {
            let leader = if rng.chance(80) {
                leaders[0]
            } else {
                *rng.pick(&leaders)
            };
            group = Some(leader);
            pmu = all[leader].pmu;
            cpu = if rng.chance(95) { all[leader].cpu } else { cpu };
        }
        let mut open = Open {
            pmu,
            words: words(rng, env, &taste, pmu),
            cpu,
            group,
            ask: None,
        };
        // Limits of groups need good events.
        if rng.chance(if crowd.is_some() { 10 } else { 50 }) {
            for _ in 0..rng.between(1, 2) {
                match rng.below(100) {
                    0..80 => change(rng, &mut open.words),
                    80..88 => open.words = std::array::from_fn(|_| rng.number() & rng.number()),
                    _ => open.ask = Some(*rng.pick(&ASKS)),
                }
            }
        }
        all.push(open);
    }
    all
}

/// Chooses a type of box first; otherwise one event in three would be of a memory channel.
fn some_pmu(rng: &mut Rng, env: &Env) -> usize {
    let kind = |index: usize| match env.pmus[index].1 {
        Events::Listed(kind, _) => Events::Listed(kind, 0),
        other => other,
    };
    let mut types: Vec<Vec<usize>> = Vec::new();
    for index in 0..env.pmus.len() {
        match types.iter_mut().find(|of| kind(of[0]) == kind(index)) {
            Some(of) => of.push(index),
            None => types.push(vec![index]),
        }
    }
    let of_type = rng.pick(&types);
    *rng.pick(of_type)
}

/// Changes event, umask, filters or thresholds.
fn change(rng: &mut Rng, words: &mut [u64; 5]) {
    let mut put = |word: usize, mask: u64, value: u64| {
        words[word] = words[word] & !mask | value & mask;
    };
    match rng.below(13) {
        0..4 => put(*rng.pick(&[0, 0, 1, 2]), 1 << rng.below(32), rng.number()),
        4 => {
            let bit = 1 << rng.below(64);
            put(rng.index(5), bit, bit);
        }
        5 => put(0, 0xff, rng.number()),
        6 | 7 => put(0, 0xff00, rng.number()),
        8 => put(0, 0xff << 24, rng.number()),
        9 => put(*rng.pick(&[1, 2]), !0, 0),
        10 => put(1, 0xff << (8 * rng.below(8)), rng.number()),
        // The upper bits of an opcode.
        11 => {
            let opcode = bits(BoxKind::Cbox, "filter_opc");
            put(1, opcode & !(opcode >> 2), rng.number());
        }
        _ => put(0, 0xffff_ffff << 32, rng.number() << 32),
    }
}

/// The filter values of a case.
struct Taste {
    filters: [(Filter, OfCbox); 2],
    composed: composed::Taste,
}

impl Taste {
    fn new(rng: &mut Rng) -> Self {
        Self {
            filters: [filter(rng), filter(rng)],
            composed: composed::Taste::new(rng),
        }
    }
}

/// Values of filters that an event of a C-Box may have besides.
struct OfCbox {
    state: u64,
    tid: u64,
    nc: bool,
    isoc: bool,
}

/// Returns values for every filter that all events can match.
fn filter(rng: &mut Rng) -> (Filter, OfCbox) {
    let narrow = |number: u64| u8::try_from(number).unwrap_or(1);
    let filter = Filter {
        nid: u16::try_from(rng.between(1, 0xffff)).unwrap_or(1),
        opc: u16::try_from(rng.between(0x180, 0x1ff)).unwrap_or(0x182),
        address: rng.below(1 << 46),
        home_opcode: narrow(rng.below(64)),
        config1: rng.number() & rng.number(),
        config2: rng.below(1 << 39),
        bands: std::array::from_fn(|_| narrow(rng.between(1, 0xff))),
    };
    let of_cbox = OfCbox {
        state: rng.below(1 << width(BoxKind::Cbox, "filter_state")),
        tid: rng.below(1 << width(BoxKind::Cbox, "filter_tid")),
        nc: rng.chance(20),
        isoc: rng.chance(20),
    };
    (filter, of_cbox)
}

/// Generates the config words of a good event.
fn words(rng: &mut Rng, env: &Env, taste: &Taste, pmu: usize) -> [u64; 5] {
    let [config, config1, config2] = match env.pmus[pmu].1 {
        Events::Listed(kind, _) => listed(rng, env, taste, kind),
        Events::Composed(composed) => composed.words(rng, &taste.composed),
        Events::Memory => [rng.pick(MemoryCounter::all()).code, 0, 0],
    };
    [config, config1, config2, 0, 0]
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
        let (_, OfCbox { tid, .. }) = rng.pick(&taste.filters);
        words[0] |= 1 << 19;
        words[1] |= tid;
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
    let (filter, of_cbox) = rng.pick(&taste.filters);
    let Some(probe) = Probe::of_row(row, 0, filter) else {
        return [u64::from(row.code) | u64::from(row.umask) << 8, 0, 0];
    };
    let Words(mut words) = probe.words();
    if row.needs.opc {
        words[1] |= deposit(bits(row.kind, "filter_nc"), of_cbox.nc.into())
            | deposit(bits(row.kind, "filter_isoc"), of_cbox.isoc.into());
    }
    if row.needs.state {
        let states = bits(row.kind, "filter_state");
        words[1] = words[1] & !states | deposit(states, of_cbox.state);
    }
    if row.kind == BoxKind::Qpi && row.needs.preset.config2 != 0 && rng.chance(20) {
        words[1] |= 0x1f << 13;
        words[2] |= 0x1f << 13;
    }
    words
}

/// Returns a threshold that the event can pass, and bits that need a threshold.
fn gates(rng: &mut Rng, row: &Row) -> u64 {
    if !rng.chance(30) {
        return 0;
    }
    let largest = match width(row.kind, "thresh") {
        8.. => 255,
        _ => 15,
    };
    let reach = u64::from(row.max_inc.unwrap_or(1)).clamp(1, largest);
    let occupancy = row.kind == BoxKind::Pcu && row.code & 0x80 != 0;
    let bits = |name| bits(row.kind, name);
    let (edge, invert) = match occupancy {
        true => (bits("occ_edge"), bits("occ_invert")),
        false => (bits("edge"), bits("inv")),
    };
    // Below a threshold out of reach each cycle counts.
    let gate = *rng.pick(&[0, edge, invert, edge | invert]);
    let most = if gate & invert == 0 { reach } else { largest };
    rng.between(1, most) << 24 | gate
}

/// Returns the bits of a field in its word, none if the box has no such field.
fn bits(kind: BoxKind, name: &str) -> u64 {
    let (_, bits) = field(kind, name).unwrap_or_default();
    bits
}

fn width(kind: BoxKind, name: &str) -> u32 {
    bits(kind, name).count_ones()
}
