// SPDX-License-Identifier: GPL-2.0

//! The three kinds of traffic on a package: bursts, bursts-through that wait while
//! the package is frozen, and the endless axis of the free-running mode.
//!
//! The events within a span of time are in `overflow.rs`.

use crate::overflow::{Passed, Raised};
use crate::package::Package;
use crate::pmon::PmonBox;
use crate::span::Span;

/// Longest time the endless axis is searched ahead for a message, in uclk cycles.
const HORIZON: u64 = 1 << 56;

impl Package {
    /// Brings one box up to date on the endless axis. Its next message is not
    /// due: `advance` stops at each.
    pub(crate) fn settle(&mut self, index: usize) {
        let span = Span::Endless(self.now);
        let pmon = &mut self.boxes[index];
        if pmon.settled == self.now {
            return;
        }
        if !self.global.frozen || pmon.outlasts_freeze() {
            pmon.count(span.first_cycle(pmon), span.cycle_at(pmon, self.now));
        }
        pmon.run_freely(pmon.settled, self.now);
        pmon.settled = self.now;
        self.note_orphans();
    }

    /// Brings all boxes up to date.
    pub(crate) fn settle_all(&mut self) {
        (0..self.boxes.len()).for_each(|index| self.settle(index));
    }

    /// Moves the endless axis.
    pub(crate) fn advance(&mut self, uclk: u64) -> Vec<Raised> {
        self.now = self.now.saturating_add(uclk);
        if self.now < self.deadline() {
            return Vec::new();
        }
        self.pass(Span::Endless(self.now)).raised
    }

    /// Lets a burst pass, beside the endless axis.
    pub(crate) fn burst(&mut self, uclk: u64) -> Vec<Raised> {
        self.settle_all();
        self.run_freely(uclk);
        self.pass(Span::Burst(uclk)).raised
    }

    /// Starts a burst-through; [`Package::go_on`] lets it pass.
    pub(crate) fn start_through(&mut self, uclk: u64) {
        self.run_freely(uclk);
        self.through = uclk;
        self.boxes.iter_mut().for_each(|pmon| pmon.seen = 0);
    }

    /// Lets a burst pass for all that no freeze stops.
    fn run_freely(&mut self, uclk: u64) {
        self.residency.burst(uclk);
        self.memory.iter_mut().for_each(|all| all.burst(uclk));
        let boxes = self.boxes.iter_mut();
        boxes.for_each(|pmon| pmon.run_freely(0, uclk));
    }

    /// Lets the burst-through pass up to its end or the next freeze.
    pub(crate) fn go_on(&mut self) -> Passed {
        if self.through == 0 || self.global.frozen {
            return Passed::default();
        }
        self.settle_all();
        let passed = self.pass(Span::Through(self.through));
        if self.through_left() == 0 {
            self.through = 0;
        }
        passed
    }

    /// The uclk cycles that a burst-through still needs to reach its end in the
    /// last of the boxes.
    pub(crate) fn through_left(&self) -> u64 {
        let left = |pmon: &PmonBox| {
            let whole = pmon.cycles(self.through);
            pmon.uclk_at(whole.saturating_sub(pmon.seen))
        };
        self.boxes.iter().map(left).max().unwrap_or(0)
    }

    /// Notes that the package was frozen at this cycle of the endless axis, or is
    /// not frozen any more.
    pub(crate) fn note_freeze(&mut self, at: u64) {
        let frozen = self.global.frozen;
        for pmon in &mut self.boxes {
            pmon.released &= frozen && pmon.package_frozen;
            pmon.package_frozen = frozen;
        }
        if frozen {
            self.frozen_since.get_or_insert(at);
        } else if let Some(since) = self.frozen_since.take() {
            self.frozen_before += self.now - since;
        }
    }

    /// The cycles of the endless axis in which the package was frozen.
    pub(crate) fn frozen_for(&self) -> u64 {
        self.frozen_before + self.frozen_since.map_or(0, |since| self.now - since)
    }

    /// No message is due before this cycle of the endless axis.
    fn deadline(&mut self) -> u64 {
        if self.global.frozen {
            return u64::MAX;
        }
        let status = self.global.status;
        let boxes = self.boxes.iter_mut();
        boxes
            .map(|pmon| deadline_of(pmon, status))
            .min()
            .unwrap_or(u64::MAX)
    }

    /// Forgets the deadlines, after a change that concerns every box.
    pub(crate) fn forget_deadlines(&mut self) {
        self.boxes.iter_mut().for_each(|pmon| pmon.deadline = None);
    }
}

fn deadline_of(pmon: &mut PmonBox, global: u64) -> u64 {
    if let Some(known) = pmon.deadline {
        return known;
    }
    let end = pmon.settled.saturating_add(HORIZON);
    let from = pmon.cycles(pmon.settled);
    let messages = pmon.messages(from, pmon.cycles(end), global);
    let first = messages.first();
    let deadline = first.map_or(end, |message| pmon.uclk_at(message.cycle));
    *pmon.deadline.insert(deadline)
}
