// SPDX-License-Identifier: GPL-2.0

//! A span of time as each box sees it, in cycles of its own clock.
//!
//! The kinds of traffic: Documentation/development/traffic.rst, "Time".

use crate::pmon::PmonBox;

/// A span of time. Its uclk cycles are those of an axis that starts with the span,
/// except on the endless one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Span {
    /// A burst of this many cycles, an axis of its own.
    Burst(u64),
    /// The endless axis, from where each box left off up to this cycle.
    Endless(u64),
    /// The part that each box has not yet counted of a burst-through of this many
    /// cycles.
    Through(u64),
}

impl Span {
    /// Its last uclk cycle, if nothing freezes.
    pub(crate) fn end(self) -> u64 {
        match self {
            Self::Burst(uclk) | Self::Endless(uclk) | Self::Through(uclk) => uclk,
        }
    }

    /// The first cycle that a box sees.
    pub(crate) fn first_cycle(self, pmon: &PmonBox) -> u64 {
        match self {
            Self::Burst(_) => 0,
            Self::Endless(_) => pmon.cycles(pmon.settled),
            Self::Through(_) => pmon.seen,
        }
    }

    /// The cycle that a box has reached by the end of a uclk cycle.
    pub(crate) fn cycle_at(self, pmon: &PmonBox, uclk: u64) -> u64 {
        match self {
            Self::Burst(_) | Self::Endless(_) => pmon.cycles(uclk),
            Self::Through(whole) => {
                let reached = pmon.seen.saturating_add(pmon.cycles(uclk));
                reached.min(pmon.cycles(whole))
            }
        }
    }

    /// The uclk cycle by whose end a box has reached a cycle.
    pub(crate) fn uclk_at(self, pmon: &PmonBox, cycle: u64) -> u64 {
        match self {
            Self::Burst(_) | Self::Endless(_) => pmon.uclk_at(cycle),
            Self::Through(_) => pmon.uclk_at(cycle.saturating_sub(pmon.seen)),
        }
    }
}
