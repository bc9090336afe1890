// SPDX-License-Identifier: GPL-2.0

//! Computes the counts of Documentation/development/traffic.rst sentence by
//! sentence and cycle by cycle: slow, obvious, and independent of the model of the
//! machine, which is compared with this code. Filters are in `attributes.rs`.

pub mod attributes;
pub mod mbox;
pub mod rbox;
pub mod server;

use std::collections::BTreeMap;

use attributes::passes;
use uncore_catalogue::Row;
pub use uncore_catalogue::{Platform, Setting, PLAIN};

/// Tells if the events of a platform have no special cases.
fn is_plain(platform: Platform) -> bool {
    platform.is_client() || platform.has_sub_registers()
}

/// Returns if edges count, and if the comparison is inverted.
fn occupancy(s: &Setting) -> (bool, bool) {
    let occupancy = s.kind == "PCU" && s.code >= 0x80;
    let edge = s.edge || occupancy && s.occ_edge;
    let invert = s.invert || occupancy && s.occ_invert;
    (edge, invert && s.thresh > 0)
}

/// Returns the cycles of a box's clock in `uclk` cycles of uclk.
pub fn cycles(platform: Platform, kind: &str, uclk: u64) -> u64 {
    match (kind, platform) {
        ("iMC", _) => uclk * 7 / 18,
        ("QPI", Platform::Ivbep) => uclk * 5 / 12,
        ("QPI", _) => uclk * 5 / 6,
        ("PCU", _) => uclk / 3,
        _ => uclk,
    }
}

/// Umask bits that are qualifiers.
fn qualifiers(platform: Platform, kind: &str, code: u8) -> u8 {
    match (kind, code) {
        ("IRP", 0x16) if platform == Platform::Bdx => 1 << 6,
        ("IRP", 0x17) if platform == Platform::Bdx => 1 << 4 | 1 << 5 | 1 << 6,
        ("IRP", _) if platform == Platform::Bdx => 0,
        ("CBO", 0x22) if platform.is_client() => 0b1_1111,
        ("CBO", 0x34) if platform.is_client() => 0b1111,
        (_, _) if is_plain(platform) => 0,
        ("CBO", 0x34) => 1 << 0 | 1 << 6,
        ("CBO", 0x37) => 1 << 6,
        ("CBO", 0x35 | 0x36) => 1 << 1 | 1 << 5 | 1 << 6 | 1 << 7,
        ("HA", 0x20) => 1 << 0 | 1 << 1,
        ("IRP", 0x15) => 1 << 3,
        _ => 0,
    }
}

/// The signals an umask selects.
fn selected((platform, kind): (Platform, &str), code: u8, umask: u8, signals: &[u8]) -> Vec<u8> {
    let bdx = platform == Platform::Bdx;
    let mut chosen: Vec<u8> = match umask {
        0 => vec![8],
        _ => (0..8).filter(|bit| umask >> bit & 1 == 1).collect(),
    };
    if is_plain(platform) {
        chosen.retain(|signal| signals.contains(signal));
        return chosen;
    }
    if (kind, code) == ("CBO", 0x34) {
        if umask & 1 == 0 {
            return Vec::new();
        }
        let (types, all) = if bdx {
            (0b11_1110, vec![1, 2, 3, 4, 5])
        } else {
            (0b1_1110, vec![1, 2, 3, 4])
        };
        if umask & types == 0 {
            chosen = all;
        }
    }
    let victims = if bdx { 0b101_1111 } else { 0b100_1111 };
    if (kind, code) == ("CBO", 0x37) && umask & victims == 0b100_0000 {
        chosen = vec![0, 1, 2, 3];
    }
    if (kind, code) == ("HA", 0x20) && umask & 0b1_1100 == 0 && umask & 0b11 != 0 {
        chosen = vec![2, 3, 4];
    }
    if (kind, code) == ("IRP", 0x15) && !bdx && umask & 0b1111 == 0b1000 {
        chosen = vec![0, 1, 2];
    }
    if (kind, code) == ("UBOX", 0x41) && !bdx {
        chosen.retain(|signal| *signal != 0 && *signal != 2);
    }
    chosen.retain(|signal| signals.contains(signal));
    chosen
}

/// The rows of one event select, combined.
struct Event {
    clock: bool,
    peak: u64,
    signals: Vec<u8>,
}

fn event(
    rows: &[Row],
    (platform, kind): (Platform, &str),
    ext: bool,
    code: u8,
    counter: Option<usize>,
) -> Option<Event> {
    let here = |row: &&Row| row.kind == kind && row.code == code && row.has_ext(ext);
    // Each counter of the B-Box has events of its own.
    let own = |row: &&Row| kind != "BBOX" || counter.is_none_or(|counter| row.allows(counter));
    let here: Vec<&Row> = rows.iter().filter(here).filter(own).collect();
    let allowed = here
        .iter()
        .any(|row| counter.is_none_or(|counter| row.allows(counter)));
    if !allowed {
        return None;
    }
    let peaks = here.iter().map(|row| u64::from(row.max_inc.unwrap_or(1)));
    let mut signals = Vec::new();
    for row in &here {
        match row.umask {
            0 => signals.push(8),
            umask => {
                let bits = umask & !qualifiers(platform, kind, code);
                signals.extend((0..8).filter(|bit| bits >> bit & 1 == 1));
            }
        }
    }
    if !is_plain(platform) && (kind, code) == ("HA", 0x20) {
        // One for each ring.
        signals = vec![2, 3, 4];
    }
    Some(Event {
        clock: here.iter().any(|row| row.is_clock()),
        peak: peaks.max().unwrap_or(1).clamp(1, 255),
        signals,
    })
}

/// The progress of one signal: its rate, and the number of its on-blocks so far.
struct Wave {
    rate: u64,
    block: u64,
    transactions: u64,
    on: bool,
    lets_through: bool,
}

/// Returns the increment of the counter in the first `cycles` cycles of an axis.
pub fn count(rows: &[Row], s: &Setting, cycles: u64) -> u64 {
    *counts(rows, s, &[cycles]).last().expect("one moment")
}

/// Returns the increment of the counter up to several moments, in ascending order.
pub fn counts(rows: &[Row], s: &Setting, moments: &[u64]) -> Vec<u64> {
    let numbered = if s.kind == "IRP" {
        s.counter % 2
    } else {
        s.counter
    };
    let (mut code, mut umask, mut tid_en) = (s.code, s.umask, s.tid_en);
    // A row of the R-Box is for each port and for both of a pair of registers.
    let listed = if s.kind == "RBOX" {
        (code % 6) & !1
    } else {
        code
    };
    let Some(mut chosen) = event(rows, (s.platform, s.kind), s.ext, listed, Some(numbered)) else {
        return vec![0; moments.len()];
    };
    if !is_plain(s.platform) && (s.kind, s.code) == ("CBO", 0x1F) {
        (code, umask, tid_en) = s.counter0;
        if !matches!(code, 0x11 | 0x36) {
            return vec![0; moments.len()];
        }
        chosen = event(rows, (s.platform, "CBO"), false, code, None).expect("an occupancy event");
    }
    let set = if s.kind == "IRP" {
        s.counter as u64 / 2
    } else {
        0
    };
    let mut waves: Vec<Wave> = match s.kind {
        "MBOX" | "RBOX" => {
            let event = u64::from(s.ext) * 256 + u64::from(code);
            let signals = match s.kind {
                "MBOX" => {
                    let higher = s.platform.wider_fvid();
                    mbox::signals(event, s.filters[0], s.filters[1], higher)
                }
                _ => rbox::signals(code, s.filters),
            };
            let wave =
                |(event, signal)| Wave::new(rate(event, signal, s.instance, s.package), signal);
            signals.into_iter().map(wave).collect()
        }
        _ => selected((s.platform, s.kind), code, umask, &chosen.signals)
            .into_iter()
            .map(u64::from)
            .map(|signal| Wave::new(rate_of(s, code, signal, s.instance + set), signal))
            .collect(),
    };
    let peak = s.max_inc.map_or(chosen.peak, u64::from);
    let mut totals = BTreeMap::new();
    let (mut total, mut before) = (0, 0);
    for cycle in 0..*moments.last().expect("a moment") {
        if moments.contains(&cycle) {
            totals.insert(cycle, total);
        }
        let value = if chosen.clock {
            1
        } else {
            let parts = waves
                .iter_mut()
                .map(|wave| wave.value(cycle, peak, |m| passes(s, code, umask, tid_en, m)));
            parts.sum()
        };
        let (edge, inverted) = occupancy(s);
        let thresh = if edge { s.thresh.max(1) } else { s.thresh };
        let value = match thresh {
            0 => value,
            thresh if inverted => u64::from(value < thresh),
            thresh => u64::from(value >= thresh),
        };
        total += if edge {
            u64::from(value != 0 && before == 0)
        } else {
            value
        };
        before = value;
    }
    moments
        .iter()
        .map(|moment| totals.get(moment).copied().unwrap_or(total))
        .collect()
}

/// K of a signal of a setting.
fn rate_of(s: &Setting, code: u8, signal: u64, instance: u64) -> u64 {
    let event = u64::from(s.ext) * 256 + u64::from(code);
    if s.kind == "BBOX" {
        return rate(event + 32 * s.counter as u64, signal, instance, s.package);
    }
    let sent = match (s.kind, event, signal) {
        ("QPI", 0x001, 1..=2) => 0x000,
        ("QPI", 0x102, 0..=4) => 0x100,
        ("QPI", 0x103, 0..=4) => 0x101,
        _ => return rate(event, signal, instance, s.package),
    };
    rate(sent, signal, instance, s.peer)
}

/// K of a signal; `event` is `ext * 256 + code`.
pub fn rate(event: u64, signal: u64, instance: u64, package: u64) -> u64 {
    let later = if instance < 16 { 0 } else { 589_824 };
    let id = (event * 9 + signal) * 128 + instance % 16 * 8 + package + later;
    (1 << 20) + id * 726_541 % (1 << 20)
}

/// `on(r)` for a rate.
pub fn on(rounds: u64, rate: u64) -> u64 {
    (rounds * rate) >> 21
}

impl Wave {
    fn new(rate: u64, signal: u64) -> Self {
        Self {
            rate,
            block: if signal == 8 { 0 } else { signal },
            transactions: 0,
            on: false,
            lets_through: false,
        }
    }

    fn value(&mut self, cycle: u64, peak: u64, passes: impl Fn(u64) -> bool) -> u64 {
        let (round, cycle) = (cycle / 32, cycle % 32);
        if cycle == 0 {
            self.transactions += u64::from(self.on);
            self.on = on(round + 1, self.rate) > on(round, self.rate);
            self.lets_through = passes(self.transactions);
        }
        if cycle / 4 != self.block || !self.on || !self.lets_through {
            return 0;
        }
        let values = match peak {
            1 => [1, 1, 1, 0],
            peak => [peak, peak.div_ceil(2), 1, 0],
        };
        values[(cycle % 4) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uncore_catalogue::rows;

    /// The page's own examples: setting, cycles of the box's clock, count.
    #[test]
    fn the_worked_examples() {
        let miss_opcode = Setting {
            kind: "CBO",
            package: 1,
            peer: 0,
            instance: 2,
            code: 0x35,
            umask: 0x03,
            filters: [0, 0x182 << 20, 0, 0],
            ..PLAIN
        };
        let packets = Setting {
            kind: "QPI",
            instance: 1,
            ext: true,
            code: 0x38,
            filters: [0x1C00, 0x8_0000, 0x1FE0, 0xF_0000],
            ..PLAIN
        };
        let line = Setting {
            kind: "HA",
            code: 0x20,
            umask: 0x01,
            filters: [0, 1, 0, 0],
            ..PLAIN
        };
        let band = Setting {
            kind: "PCU",
            package: 1,
            peer: 0,
            code: 0x0C,
            filters: [0x1E00, 0, 0, 0],
            ..PLAIN
        };
        let occupancy = Setting {
            kind: "PCU",
            code: 0x80,
            umask: 0x40,
            thresh: 5,
            ..PLAIN
        };
        let [mut inverted, mut edge, mut falling] = std::array::from_fn(|_| occupancy.clone());
        inverted.occ_invert = true;
        edge.occ_edge = true;
        (falling.occ_invert, falling.occ_edge) = (true, true);
        for (setting, cycles, expected) in [
            (miss_opcode, 1_000_000, 222),
            (packets, 416_666, 520),
            (line, 1_000_000, 23_184),
            (band, 333_333, 5_520),
            (occupancy, 333_333, 10_221),
            (inverted, 333_333, 323_112),
            (falling, 333_333, 10_222),
            (edge, 333_333, 10_221),
        ] {
            assert_eq!(count(rows(), &setting, cycles), expected, "{setting:?}");
        }
    }
}
