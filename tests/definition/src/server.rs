// SPDX-License-Identifier: GPL-2.0

//! "Server" of traffic.rst: how far the flows of a machine are, in closed form. The model of the
//! machine counts by it, too.

use uncore_catalogue::Weights;

/// The load of a package in each phase, in percent; package p is in phase 3p when time begins.
pub const LOAD: [u64; 8] = [80, 100, 55, 30, 15, 5, 45, 65];
/// Cycles of uclk in a phase: three seconds.
const PHASE: u64 = 3 * 2_400_000_000;
/// Of ten lines that cores read, those that are in the memory of the other package.
const REMOTE: u64 = 3;
/// The unit of time is a part of a cycle of uclk in which each clock has a whole number of them.
pub const TICKS: u64 = 35;

/// The place of a box in the flows.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Its package.
    pub package: u64,
    /// The package at the other end of its links, or its own.
    pub peer: u64,
    /// Its shares of what the boxes of its type in the package have together, and theirs.
    pub share: (u64, u64),
    /// Lines that the cores of a package read in 10,000 cycles of uclk at full load.
    pub lines: u64,
}

/// The progress of one signal: `floor((own * A + peer * B + time * t) / per)`.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    of: [u64; 2],
    own: i128,
    peer: i128,
    time: i128,
    per: i128,
}

/// Load times time of a package in the first `ticks`.
pub fn load(package: u64, ticks: u64) -> i128 {
    let phase = PHASE * TICKS;
    let (whole, rest) = (ticks / phase, ticks % phase);
    let start = usize::try_from(package * 3 % 8).unwrap_or(0);
    let loads = (0..=whole % 8).zip(LOAD.iter().cycle().skip(start));
    let sum = whole / 8 * LOAD.iter().sum::<u64>();
    let (within, now) = loads.fold((sum, 0), |(sum, before), (_, load)| (sum + before, *load));
    i128::from(within) * i128::from(phase) + i128::from(now * rest)
}

impl Flow {
    /// A signal with weights, one block (or step) of which adds `gain` counts.
    pub fn of(weights: Weights, place: Place, gain: u64) -> Self {
        let Place { package, peer, .. } = place;
        let Weights {
            local,
            out,
            into,
            time,
        } = weights;
        let [local, out, into, time] = [local, out, into, time].map(i128::from);
        let [share, of, lines, gain] =
            [place.share.0, place.share.1, place.lines, gain].map(i128::from);
        // Alone, a package has all lines in its own memory.
        let remote = i128::from(if peer == package { 0 } else { REMOTE });
        Self {
            of: [package, peer],
            own: (local * (10 - remote) + out * remote) * lines * share,
            peer: into * remote * lines * share,
            time: time * of * 10 * 100 * 10_000,
            per: i128::from(TICKS) * 1000 * of * 10 * 100 * 10_000 * gain,
        }
    }

    /// A signal without weights, by its rate K of a burst; a block of it takes so many ticks.
    pub fn usual(rate: u64, place: Place, block: u64) -> Self {
        let rate = i128::from(rate);
        Self {
            of: [place.package, place.peer],
            own: rate * 15,
            peer: 0,
            time: rate * 100,
            per: ((1600 * 8) << 21) * i128::from(block),
        }
    }

    /// Returns how many blocks of the first `ticks` are on.
    pub fn on(&self, ticks: u64) -> u64 {
        let [own, peer] = self.of.map(|package| load(package, ticks));
        let sum = self.own * own + self.peer * peer + self.time * i128::from(ticks);
        u64::try_from(sum / self.per).unwrap_or_default()
    }
}
