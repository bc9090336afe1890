// SPDX-License-Identifier: GPL-2.0

//! Time on a package: from the first wrap to the freeze and the PMI.
//!
//! Spec section 5. When a box sends a message it freezes in that very cycle. The
//! UBox sets the box's bit in GLOBAL_STATUS, sends the PMI to pmi_core_sel and
//! freezes the package; the other boxes stop [`FREEZE_DELAY`] uclk cycles later
//! (or when time stops, whichever is first) and may send messages of their own
//! until then. Nothing thaws by itself, so a span of time has at most one freeze
//! and everything is found by asking each box for its first message.

use crate::package::Package;
use crate::pmon::PmonBox;
use crate::Pmi;

/// Cycles of uclk from a message to the freeze of the other boxes. The manual
/// speaks of a delay without a number; this one is the machine's.
pub(crate) const FREEZE_DELAY: u64 = 16;

/// Longest time the endless axis is searched ahead for a message, in uclk cycles.
const HORIZON: u64 = 1 << 56;

/// Where on which axis a span of time starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A burst: cycle 0 of an axis of its own.
    Burst,
    /// The endless axis, where each box left off.
    Endless,
}

impl Origin {
    /// The first cycle of the span in the box's clock.
    fn cycle(self, pmon: &PmonBox) -> u64 {
        match self {
            Self::Burst => 0,
            Self::Endless => pmon.layout.clock.cycles(pmon.settled),
        }
    }
}

/// A PMI and the uclk cycle (of the axis of its span) in which it was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Raised {
    pub(crate) pmi: Pmi,
    pub(crate) at: u64,
}

/// The message of one box, in terms of the package.
#[derive(Debug, Clone, Copy)]
struct Alarm {
    index: usize,
    uclk: u64,
    cycle: u64,
    bits: u32,
}

impl Package {
    /// Lets time pass up to uclk cycle `to` of the axis, with all that follows.
    pub(crate) fn pass(&mut self, origin: Origin, to: u64) -> Vec<Raised> {
        self.note_orphans();
        if self.global.frozen {
            self.mark_settled(origin);
            return Vec::new();
        }
        let alarms = self.alarms(origin, to);
        let freeze = alarms
            .first()
            .map(|first| first.uclk.saturating_add(FREEZE_DELAY));
        let end = freeze.map_or(to, |freeze| freeze.min(to));
        let sent = self.accept(&alarms, end);
        self.count_until(origin, end, &sent);
        self.mark_settled(origin);
        sent.iter().filter_map(|alarm| self.pmi(alarm)).collect()
    }

    /// The first message of each box, in order of time.
    fn alarms(&self, origin: Origin, to: u64) -> Vec<Alarm> {
        let mut alarms = Vec::new();
        for (index, pmon) in self.boxes.iter().enumerate() {
            let clock = pmon.layout.clock;
            let from = origin.cycle(pmon);
            let message = pmon.first_message(from, clock.cycles(to), self.global.status);
            alarms.extend(message.map(|message| Alarm {
                index,
                uclk: clock.uclk_at(message.cycle),
                cycle: message.cycle,
                bits: message.bits,
            }));
        }
        alarms.sort_by_key(|alarm| alarm.uclk);
        alarms
    }

    /// The messages that come before everything stands still and find their bit
    /// clear; they set it and freeze the package.
    fn accept(&mut self, alarms: &[Alarm], end: u64) -> Vec<Alarm> {
        let mut sent = Vec::new();
        for alarm in alarms.iter().filter(|alarm| alarm.uclk <= end) {
            if alarm.bits & !self.global.status != 0 {
                self.global.status |= alarm.bits;
                self.global.frozen = true;
                sent.push(*alarm);
            }
        }
        sent
    }

    /// Counts in every box, up to its own message or else up to `end`.
    fn count_until(&mut self, origin: Origin, end: u64, sent: &[Alarm]) {
        for (index, pmon) in self.boxes.iter_mut().enumerate() {
            let own = sent.iter().find(|alarm| alarm.index == index);
            let stop = match own {
                Some(alarm) => alarm.cycle,
                None => pmon.layout.clock.cycles(end),
            };
            pmon.count(origin.cycle(pmon), stop);
            pmon.deadline = None;
        }
    }

    fn pmi(&self, alarm: &Alarm) -> Option<Raised> {
        let selected = self.global.pmi_core_sel();
        let pmi = Pmi {
            package: self.number,
            cores: self.core_map.cores(selected),
            wake: self.global.wk_on_pmi(),
        };
        let at = alarm.uclk;
        (selected != 0).then_some(Raised { pmi, at })
    }

    fn mark_settled(&mut self, origin: Origin) {
        if origin == Origin::Endless {
            let now = self.now;
            self.boxes.iter_mut().for_each(|pmon| pmon.settled = now);
        }
    }

    /// Brings one box up to date on the endless axis. Its next message is not
    /// due: `advance` stops at each.
    pub(crate) fn settle(&mut self, index: usize) {
        let pmon = &mut self.boxes[index];
        if pmon.settled == self.now {
            return;
        }
        if !self.global.frozen {
            let from = Origin::Endless.cycle(pmon);
            pmon.count(from, pmon.layout.clock.cycles(self.now));
        }
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
        self.pass(Origin::Endless, self.now)
    }

    /// Lets a burst pass, beside the endless axis.
    pub(crate) fn burst(&mut self, uclk: u64) -> Vec<Raised> {
        self.settle_all();
        self.residency.burst(uclk);
        self.pass(Origin::Burst, uclk)
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

fn deadline_of(pmon: &mut PmonBox, global: u32) -> u64 {
    if let Some(known) = pmon.deadline {
        return known;
    }
    let clock = pmon.layout.clock;
    let end = pmon.settled.saturating_add(HORIZON);
    let from = clock.cycles(pmon.settled);
    let message = pmon.first_message(from, clock.cycles(end), global);
    let deadline = message.map_or(end, |message| clock.uclk_at(message.cycle));
    *pmon.deadline.insert(deadline)
}
