// SPDX-License-Identifier: GPL-2.0

//! The increment of a counter in a span of cycles, in closed form.
//!
//! Definition: Documentation/development/traffic.rst, "Waveforms" and
//! "Counting". A signal is on in round r (of 32 cycles) if `on(r + 1) > on(r)`
//! with `on(r) = floor(r * K / 2^21)`. By hand, for signal 0 of event 0x35 on
//! C-Box 2 of package 1: id = (53 * 9 + 0) * 128 + 2 * 8 + 1 = 61073,
//! K = 2^20 + (61073 * 726541 mod 2^20) = 1,545,053; in 1,000,000 cycles it has
//! floor(31250 * K / 2^21) = 23,023 on-blocks, each adding 3 with max_inc 1.
//!
//! `invert`, for which IVB-EP has the PCU's occ_invert only (Documentation/hardware/ivbep.rst
//! section 7.6), counts the cycles (or with edge the starts of phases) in which the value is below
//! thresh: "PCU occupancies".

use uncore_catalogue::Weights;
use uncore_definition::server::{Flow, Place};

use crate::clock::Clock;
use crate::filter::Filter;

/// Cycles of a round.
const ROUND: u64 = 32;

/// Cycles of a block.
const BLOCK: usize = 4;

/// The number of the signal that carries an umask of zero.
pub(crate) const UMASK_ZERO: u8 = 8;

/// The box instance of a signal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source {
    /// Physical package number.
    pub(crate) package: u8,
    /// The package at the other end of the QPI links.
    pub(crate) peer: u8,
    /// Index of the box within its type.
    pub(crate) instance: u8,
    /// Its place in the flows of the traffic *server*.
    pub(crate) share: (u8, u8),
    /// Lines that the cores of a package read in 10,000 cycles of uclk at full load.
    pub(crate) lines: u16,
}

impl Source {
    /// Returns its place in the flows.
    pub(crate) fn place(self) -> Place {
        Place {
            package: self.package.into(),
            peer: self.peer.into(),
            share: (self.share.0.into(), self.share.1.into()),
            lines: self.lines.into(),
        }
    }

    /// Returns the same instance at the other end of the links.
    pub(crate) fn other_end(self) -> Self {
        Self {
            package: self.peer,
            peer: self.package,
            ..self
        }
    }
}

/// An event select with its extra bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct EventSelect {
    /// `ev_sel_ext`, false where the box has none.
    pub(crate) ext: bool,
    /// `ev_sel`.
    pub(crate) code: u8,
}

/// One signal: the bit of an event's umask in one box.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signal {
    progress: Progress,
    /// Cycles of a round.
    round: u64,
    first_cycle: u64,
}

/// How many of the first rounds a signal is on.
#[derive(Debug, Clone, Copy)]
enum Progress {
    /// By its rate K, as in a burst.
    Rate(u64),
    /// By the flows, which have so many ticks in a round.
    Flow(Flow, u64),
}

/// K of a signal.
fn rate(source: Source, event: EventSelect, number: u8) -> u64 {
    let code = u64::from(event.ext) * 256 + u64::from(event.code);
    let (sixteens, instance) = (source.instance / 16, source.instance % 16);
    let unit = (u64::from(sixteens) * 512 + code) * 9 + u64::from(number);
    let id = unit * 128 + u64::from(instance) * 8 + u64::from(source.package);
    (1 << 20) + id * 726_541 % (1 << 20)
}

impl Signal {
    pub(crate) fn new(source: Source, event: EventSelect, number: u8) -> Self {
        let block = if number == UMASK_ZERO { 0 } else { number };
        Self {
            progress: Progress::Rate(rate(source, event, number)),
            round: ROUND,
            first_cycle: u64::from(block) * BLOCK as u64,
        }
    }

    /// A signal of the traffic *server*, whose blocks have no gaps between them; with these weights
    /// one of them adds `gain`.
    pub(crate) fn of_flow(
        source: Source,
        (event, number): (EventSelect, u8),
        weights: Option<Weights>,
        gain: u32,
        clock: Clock,
    ) -> Self {
        let ticks = clock.ticks() * BLOCK as u64;
        let flow = match weights {
            Some(weights) => Flow::of(weights, source.place(), gain.into()),
            None => Flow::usual(rate(source, event, number), source.place(), ticks),
        };
        Self {
            progress: Progress::Flow(flow, ticks),
            round: BLOCK as u64,
            first_cycle: 0,
        }
    }

    /// Rounds before `round` in which the signal is on.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "rate < 2^21, so the result is at most round"
    )]
    fn on_before(self, round: u64) -> u64 {
        match self.progress {
            Progress::Rate(rate) => ((u128::from(round) * u128::from(rate)) >> 21) as u64,
            Progress::Flow(flow, ticks) => flow.on(round * ticks),
        }
    }

    /// Cycles of the signal's block in the round of cycle `at` that lie before
    /// it, and the transaction of that block; `None` if the block is off or ahead.
    fn open_block(self, at: u64) -> Option<(usize, u64)> {
        let (round, cycle) = (at / self.round, at % self.round);
        let done = cycle.saturating_sub(self.first_cycle).min(BLOCK as u64);
        let transaction = self.on_before(round);
        let on = self.on_before(round + 1) > transaction;
        (done > 0 && on).then_some((usize::try_from(done).unwrap_or(BLOCK), transaction))
    }
}

/// The processing of a cycle's values by a counter
/// (Documentation/hardware/ivbep.rst section 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// `max_inc` of the event, at least 1.
    pub(crate) peak: u32,
    /// Threshold, 0 for none.
    pub(crate) thresh: u32,
    /// Count 0 to 1 transitions.
    pub(crate) edge: bool,
    /// Compare for less than the threshold; without threshold it has no effect.
    pub(crate) invert: bool,
    /// The block is one of the traffic *server*.
    pub(crate) flows: bool,
}

impl Shape {
    /// The values of an on-block.
    fn values(self) -> [u32; BLOCK] {
        match self.peak {
            0 | 1 => [1, 1, 1, 0],
            peak if self.flows => [peak, peak, 1, 0],
            peak => [peak, peak.div_ceil(2), 1, 0],
        }
    }

    /// The sum of the values of an on-block.
    pub(crate) fn gain(self) -> u32 {
        self.values().into_iter().sum()
    }

    fn inverted(self) -> bool {
        self.invert && self.thresh > 0
    }

    /// A value after threshold and inversion.
    fn compared(self, value: u32) -> u32 {
        match self.thresh {
            0 => value,
            thresh => u32::from((value >= thresh) != self.invert),
        }
    }

    /// Returns sums: element k is the count that the first k cycles of an on-block
    /// add, compared with the same cycles of an off-block.
    fn sums(self) -> [i64; BLOCK + 1] {
        let idle = self.compared(0);
        let (mut sums, mut before) = ([0; BLOCK + 1], idle);
        for (k, value) in self.values().into_iter().enumerate() {
            let value = self.compared(value);
            let gain = if self.edge {
                i64::from(value > 0 && before == 0)
            } else {
                i64::from(value) - i64::from(idle)
            };
            sums[k + 1] = sums[k] + gain;
            before = value;
        }
        sums
    }
}

/// The input of one programmed counter.
#[derive(Debug)]
pub(crate) enum Waveform {
    /// No input.
    Silent,
    /// A clock event.
    Clock(Shape),
    /// Signals of an event.
    Blocks(Blocks),
}

impl Waveform {
    /// Returns the increment of the counter between the cycles `from` and `to` of
    /// the axis.
    pub(crate) fn between(&self, from: u64, to: u64) -> u128 {
        match self {
            Self::Silent => 0,
            Self::Clock(shape) if shape.compared(1) == 0 => 0,
            Self::Clock(shape) if shape.edge => u128::from(from == 0 && to > 0),
            Self::Clock(_) => u128::from(to - from),
            Self::Blocks(blocks) => blocks.between(from, to),
        }
    }
}

/// The first cycle count after `from`, up to `to`, with which at least `wanted` has
/// been gained since `from`.
pub(crate) fn first_reaching(
    from: u64,
    to: u64,
    wanted: u128,
    gained: impl Fn(u64) -> u128,
) -> Option<u64> {
    if gained(to) < wanted {
        return None;
    }
    let (mut short, mut enough) = (from, to);
    while enough - short > 1 {
        let middle = short + (enough - short) / 2;
        if gained(middle) < wanted {
            short = middle;
        } else {
            enough = middle;
        }
    }
    Some(enough)
}

/// The selected signals of one event, their shape and filter.
#[derive(Debug)]
pub(crate) struct Blocks {
    signals: Vec<Signal>,
    sums: [i64; BLOCK + 1],
    /// Increment in each cycle outside all blocks.
    idle: u32,
    /// Additional increment in the very first cycle: an inverted value starts high.
    start: u32,
    filter: Option<Filter>,
}

impl Blocks {
    pub(crate) fn new(signals: Vec<Signal>, shape: Shape, filter: Option<Filter>) -> Self {
        let high = u32::from(shape.inverted());
        Self {
            signals,
            sums: shape.sums(),
            idle: if shape.edge { 0 } else { high },
            start: if shape.edge { high } else { 0 },
            filter,
        }
    }

    fn between(&self, from: u64, to: u64) -> u128 {
        let start = self.start * u32::from(from == 0 && to > 0);
        let idle = i128::from(self.idle) * i128::from(to - from);
        let blocks = self
            .signals
            .iter()
            .map(|&s| self.signal_between(s, from, to));
        let total = i128::from(start) + idle + blocks.sum::<i128>();
        u128::try_from(total).unwrap_or_default()
    }

    fn signal_between(&self, signal: Signal, from: u64, to: u64) -> i128 {
        let first = signal.on_before(from / signal.round);
        let end = signal.on_before(to / signal.round);
        let blocks = match &self.filter {
            None => end - first,
            Some(filter) => filter.passing(first, end),
        };
        let whole = i128::from(blocks) * i128::from(self.sums[BLOCK]);
        whole + self.open_part(signal, to) - self.open_part(signal, from)
    }

    /// Returns the increment so far of the round in progress at cycle `at`.
    fn open_part(&self, signal: Signal, at: u64) -> i128 {
        let passes = |m| self.filter.as_ref().is_none_or(|f| f.passes(m));
        match signal.open_block(at) {
            Some((done, transaction)) if passes(transaction) => i128::from(self.sums[done]),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_24_instances_has_rates_of_its_own() {
        let mut rates = std::collections::HashSet::new();
        for code in 0..=u8::MAX {
            for (instance, package, number) in
                (0..24).flat_map(|i| (0..8).flat_map(move |p| (0..9).map(move |n| (i, p, n))))
            {
                let source = Source {
                    package,
                    peer: package,
                    instance,
                    share: (1, 1),
                    lines: 0,
                };
                let event = EventSelect { ext: false, code };
                let rate = rate(source, event, number);
                assert!(rates.insert(rate), "code {code:#x} instance {instance}");
            }
        }
    }
}
