// SPDX-License-Identifier: GPL-2.0

//! Time on a package: from the first wrap to the freeze and the PMI.
//!
//! Documentation/hardware/ivbep.rst section 5. When a box sends a message it
//! freezes in that very cycle. The UBox sets the box's bit in GLOBAL_STATUS,
//! sends the PMI to pmi_core_sel and freezes the package; the other boxes stop
//! some uclk cycles later (or when time stops, whichever is first) and may send
//! messages of their own until then. Only software ends a freeze, so a span of time
//! has at most one freeze. The first message of each box is therefore enough. Where an
//! overflow need not freeze (section 5 of a client's page), each counter sends
//! its first message, and all go on.
//!
//! A message may be held up (the command `late-message`). Its box stops at once, but
//! the UBox acts only when the message arrives.

use crate::package::Package;
use crate::readings::Reading;
use crate::span::Span;
use crate::step::Step;
use crate::Pmi;

/// Cycles of uclk from a message to the freeze of the other boxes. The manual gives
/// no number for this delay; this one is the model's choice.
pub(crate) const FREEZE_DELAY: u64 = 16;

/// A PMI of the UBox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Raised {
    pub(crate) pmi: Pmi,
    /// The uclk cycles that have passed since.
    pub(crate) ago: u64,
}

/// The message of one box, in terms of the package.
#[derive(Debug, Clone, Copy)]
struct Alarm {
    index: usize,
    uclk: u64,
    cycle: u64,
    bits: u64,
    held: Option<Step>,
}

/// A message that has been sent and is held up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Held {
    step: Step,
    bits: u64,
}

/// The result of a span of time.
#[derive(Debug, Default)]
pub(crate) struct Passed {
    pub(crate) raised: Vec<Raised>,
    /// The uclk cycle in which time stopped.
    pub(crate) end: u64,
}

impl Package {
    /// Lets a span of time pass, with all its effects.
    pub(crate) fn pass(&mut self, span: Span) -> Passed {
        self.note_orphans();
        let flows = self.flows && matches!(span, Span::Endless(_));
        self.boxes.iter_mut().for_each(|pmon| pmon.flows = flows);
        let mut passed = Passed::default();
        if self.global.frozen {
            self.count_on(span);
        } else {
            let alarms = self.alarms(span);
            passed.end = self.stop_of(span, &alarms);
            let sent = self.accept(&alarms, passed.end);
            self.count_until(span, passed.end, &sent);
            passed.raised = self.raise(span, passed.end, &sent);
        }
        for pmon in &mut self.boxes {
            pmon.flows = self.flows;
        }
        if let Span::Endless(now) = span {
            for pmon in &mut self.boxes {
                pmon.run_freely(pmon.settled, now);
                pmon.settled = now;
            }
            self.note_freeze(passed.end);
        } else {
            self.note_freeze(self.now);
        }
        passed
    }

    /// The messages of the boxes in order of time: those that find their bits clear. A
    /// freeze stops a box with its first message.
    fn alarms(&self, span: Span) -> Vec<Alarm> {
        let mut alarms = Vec::new();
        for (index, pmon) in self.boxes.iter().enumerate() {
            let (from, to) = (span.first_cycle(pmon), span.cycle_at(pmon, span.end()));
            let messages = pmon.messages(from, to, self.global.status);
            let first_only = self.global.freezes() && self.skid() == 0;
            let wanted = if first_only { 1 } else { usize::MAX };
            alarms.extend(messages.into_iter().take(wanted).map(|message| Alarm {
                index,
                uclk: span.uclk_at(pmon, message.cycle),
                cycle: message.cycle,
                bits: message.bits,
                held: pmon.held,
            }));
        }
        alarms.sort_by_key(|alarm| alarm.uclk);
        alarms
    }

    /// Returns the moment at which all boxes have stopped.
    fn stop_of(&self, span: Span, alarms: &[Alarm]) -> u64 {
        let first = alarms.iter().find(|alarm| alarm.held.is_none());
        let first = first.filter(|_| self.global.freezes());
        first.map_or(span.end(), |first| {
            first.uclk.saturating_add(self.freeze_delay).min(span.end())
        })
    }

    /// Returns the messages that are sent until all boxes have stopped. A message
    /// that arrives and finds its bit clear sets the bit and freezes the package.
    fn accept(&mut self, alarms: &[Alarm], end: u64) -> Vec<Alarm> {
        let every = self.readings.has(Reading::EveryOverflow);
        let mut sent = Vec::new();
        for alarm in alarms.iter().filter(|alarm| alarm.uclk <= end) {
            if let Some(step) = alarm.held {
                let bits = alarm.bits;
                self.held.push(Held { step, bits });
            } else if alarm.bits & !self.global.status != 0 || every {
                self.global.overflow(alarm.bits);
            } else {
                continue;
            }
            sent.push(*alarm);
        }
        sent
    }

    /// Cycles of uclk for which a box counts on after its own message.
    fn skid(&self) -> u64 {
        let skids = self.readings.has(Reading::Skid);
        let usual = if skids { self.freeze_delay / 2 } else { 0 };
        self.own_delay.unwrap_or(usual)
    }

    /// Counts in every box, up to its own message or else up to `end`.
    fn count_until(&mut self, span: Span, end: u64, sent: &[Alarm]) {
        let stops = self.global.freezes();
        let skid = self.skid();
        for (index, pmon) in self.boxes.iter_mut().enumerate() {
            let own = sent.iter().find(|alarm| alarm.index == index);
            let stop = match own.filter(|_| stops) {
                _ if pmon.ignores_freeze() => span.cycle_at(pmon, span.end()),
                Some(alarm) => {
                    let last = alarm.uclk.saturating_add(skid).min(span.end());
                    span.cycle_at(pmon, last).max(alarm.cycle)
                }
                None => span.cycle_at(pmon, end),
            };
            pmon.count(span.first_cycle(pmon), stop);
            if let (Span::Through(_), false) = (span, pmon.stopped) {
                pmon.seen = stop;
            }
            if own.is_some_and(|alarm| alarm.held.is_some()) {
                pmon.stopped = stops;
                pmon.held = None;
            }
            pmon.deadline = None;
        }
    }

    /// Counts in the boxes that ignore the freeze; their messages are lost.
    fn count_on(&mut self, span: Span) {
        let boxes = self.boxes.iter_mut();
        for pmon in boxes.filter(|pmon| pmon.outlasts_freeze()) {
            pmon.count(span.first_cycle(pmon), span.cycle_at(pmon, span.end()));
        }
    }

    /// Returns the PMIs of the messages that have arrived. A plain burst goes on to
    /// its end, although all counters have stopped.
    fn raise(&self, span: Span, end: u64, sent: &[Alarm]) -> Vec<Raised> {
        let now = match span {
            Span::Burst(_) | Span::Endless(_) => span.end(),
            Span::Through(_) => end,
        };
        let arrived = sent.iter().filter(|alarm| alarm.held.is_none());
        arrived
            .filter_map(|alarm| self.pmi(now - alarm.uclk))
            .collect()
    }

    fn pmi(&self, ago: u64) -> Option<Raised> {
        let pmi = Pmi {
            package: self.number,
            cores: self.recipients(),
            wake: self.global.wk_on_pmi() || self.readings.has(Reading::NeverAsleep),
            first_thread: self.readings.has(Reading::FirstThreadOnly),
        };
        (self.global.pmi_core_sel() != 0).then_some(Raised { pmi, ago })
    }

    /// The cores that a PMI goes to, a bit for each.
    fn recipients(&self) -> u32 {
        let selected = self.global.pmi_core_sel();
        if self.global.wk_on_pmi() && self.readings.has(Reading::WakesAll) {
            return (1 << self.cores) - 1;
        }
        let first_fused = self.readings.has(Reading::FirstSlotFused);
        let has_spare = u32::from(self.cores) < self.global.core_slots();
        let gap = u32::from(first_fused && has_spare);
        self.core_map.cores(selected >> gap)
    }

    /// Handles a step of the software: messages that were held up until this step
    /// arrive. `core` is the one that unmasks, if any.
    pub(crate) fn step(&mut self, step: Step, core: Option<u8>) -> Vec<Raised> {
        let recipients = self.recipients();
        let theirs = core.is_none_or(|core| recipients >> core & 1 == 1);
        let mut raised = Vec::new();
        for held in std::mem::take(&mut self.held) {
            if held.step != step || !theirs {
                self.held.push(held);
            } else if held.bits & !self.global.status != 0 {
                self.settle_all();
                self.global.overflow(held.bits);
                self.note_freeze(self.now);
                self.forget_deadlines();
                raised.extend(self.pmi(0));
            }
        }
        raised
    }
}
