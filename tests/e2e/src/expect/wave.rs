// SPDX-License-Identifier: GPL-2.0

//! Waveforms: rounds of 32 cycles, blocks of 4, and the counts that a block adds
//! (traffic.rst, "Waveforms" and "Counting").

use super::transaction::{passes, passing, Condition};
use super::Site;
use crate::catalogue::BoxKind;

const ROUND: u64 = 32;
const BLOCK: u64 = 4;

/// Number that the ids of instance 16 and those after it have more than those of instance 0.
const LATER: u64 = 589_824;

/// One signal of one event of one box, known by its rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signal {
    rate: u64,
    /// Cycle of its block within the round.
    block_start: u64,
}

/// Returns the origin of a signal as event select and package: a QPI port receives what
/// the other end sends (traffic.rst, "QPI: the two ends of a link").
fn origin(site: Site, select: u16, signal: u8) -> (u16, u8) {
    match (site.kind, select, signal) {
        (BoxKind::Qpi, 0x001, 1 | 2) => (0x000, site.peer),
        (BoxKind::Qpi, 0x102, 0..=4) => (0x100, site.peer),
        (BoxKind::Qpi, 0x103, 0..=4) => (0x101, site.peer),
        _ => (select, site.package),
    }
}

impl Signal {
    /// Returns signal 0 to 7 of an umask bit, or signal 8 of an umask of zero.
    pub(super) fn new(site: Site, select: u16, signal: u8) -> Self {
        let (select, package) = origin(site, select, signal);
        let unit = (u64::from(select) * 9 + u64::from(signal)) * 128;
        let (later, instance) = (site.instance / 16, site.instance % 16);
        let id = unit + u64::from(instance) * 8 + u64::from(package) + u64::from(later) * LATER;
        Self {
            rate: (1 << 20) + id * 726_541 % (1 << 20),
            block_start: u64::from(signal % 8) * BLOCK,
        }
    }

    /// K of the definition.
    #[cfg(test)]
    pub(super) fn rate(self) -> u64 {
        self.rate
    }

    /// Blocks that are on before round `round`: `on(r)` of the definition.
    pub(super) fn blocks(self, round: u64) -> u64 {
        let product = u128::from(round) * u128::from(self.rate);
        u64::try_from(product >> 21).expect("on(r) is below r")
    }

    /// Returns the count that the first `cycles` add to a counter.
    pub(super) fn count(self, gain: Gain, conditions: &[Condition], cycles: u64) -> u64 {
        let (whole, begun) = self.passing_blocks(conditions, cycles);
        whole * gain.of_block() + begun.map_or(0, |shown| gain.of_start(shown))
    }

    /// Blocks whose cycle `step` lies within the first `cycles`.
    pub(super) fn reaching(self, step: u64, conditions: &[Condition], cycles: u64) -> u64 {
        let (whole, begun) = self.passing_blocks(conditions, cycles);
        whole + begun.map_or(0, |shown| u64::from(shown > step))
    }

    /// Returns the number of blocks in whole rounds that are on and pass. If the block of
    /// the last round is on and passes, also returns the number of its cycles that are
    /// counted.
    fn passing_blocks(self, conditions: &[Condition], cycles: u64) -> (u64, Option<u64>) {
        let (round, into) = (cycles / ROUND, cycles % ROUND);
        let blocks = self.blocks(round);
        let on = self.blocks(round + 1) > blocks && passes(blocks, conditions);
        let shown = into.saturating_sub(self.block_start).min(BLOCK);
        (passing(blocks, conditions), on.then_some(shown))
    }
}

/// Counts of the four cycles of a block, after threshold and edge detector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gain([u64; 4]);

impl Gain {
    pub(super) fn new(max_inc: u32, thresh: u8, edge: bool) -> Self {
        let values = values(max_inc);
        let limit = u64::from(thresh);
        if edge {
            return Self([u64::from(values[0] >= limit.max(1)), 0, 0, 0]);
        }
        Self(values.map(|value| match limit {
            0 => value,
            _ => u64::from(value >= limit),
        }))
    }

    fn of_block(self) -> u64 {
        self.of_start(BLOCK)
    }

    fn of_start(self, cycles: u64) -> u64 {
        let cycles = usize::try_from(cycles).expect("at most four");
        self.0[..cycles].iter().sum()
    }
}

/// Returns the values in the four cycles of a block, in falling order.
fn values(max_inc: u32) -> [u64; 4] {
    let top = u64::from(max_inc);
    if top > 1 {
        [top, top.div_ceil(2), 1, 0]
    } else {
        [1, 1, 1, 0]
    }
}

/// Returns the number of a block's values that are at least `thresh`.
pub(super) fn steps_at_least(max_inc: u32, thresh: u8) -> u64 {
    let values = values(max_inc).into_iter();
    values.filter(|&value| value >= u64::from(thresh)).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_adds_what_the_table_says() {
        for (max_inc, thresh, edge, adds) in [
            (1, 0, false, 3),
            (1, 1, false, 3),
            (1, 2, false, 0),
            (1, 1, true, 1),
            (1, 2, true, 0),
            (2, 0, false, 4),
            (2, 2, false, 1),
            (4, 0, false, 7),
            (4, 1, false, 3),
            (4, 2, false, 2),
            (4, 3, false, 1),
            (4, 5, false, 0),
            (20, 0, false, 31),
            (20, 10, false, 2),
            (20, 11, false, 1),
            (20, 20, true, 1),
            (20, 21, true, 0),
            (255, 255, false, 1),
        ] {
            let gain = Gain::new(max_inc, thresh, edge);
            assert_eq!(gain.of_block(), adds, "{max_inc} {thresh} {edge}");
        }
    }

    #[test]
    fn values_at_least_a_threshold_come_first() {
        for (max_inc, thresh, steps) in [(8, 1, 3), (8, 4, 2), (8, 5, 1), (8, 8, 1), (8, 9, 0)] {
            assert_eq!(steps_at_least(max_inc, thresh), steps, "{max_inc} {thresh}");
        }
    }
}
