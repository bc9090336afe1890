// SPDX-License-Identifier: GPL-2.0

//! The effects of time on one box: counting, wrapping and sending messages.
//!
//! All cycles here are of the box's own clock. Documentation/hardware/ivbep.rst
//! section 5: a carry out of the counter's width wraps it and sets its bit in
//! `BOX_STATUS`, whatever ov_en says (SPEC: U-10, probable); with ov_en a message
//! goes to the UBox, unless that bit or the box's bit in `GLOBAL_STATUS` has not
//! been cleared since the last time.

use crate::pmon::PmonBox;
use crate::readings::Reading;
use crate::traffic::first_reaching;

/// A message of a box to the UBox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Message {
    /// The number of cycles with which the counter has wrapped.
    pub(crate) cycle: u64,
    /// The bits of `GLOBAL_STATUS` it sets.
    pub(crate) bits: u64,
}

impl PmonBox {
    /// Counts the cycles `from..to` of the axis.
    pub(crate) fn count(&mut self, from: u64, to: u64) {
        for index in self.layout.counter_indexes() {
            if self.runs(index) {
                let added = self.gain(index, from, to);
                self.add(index, added);
            }
        }
        if from < to {
            self.change_frequency();
        }
    }

    fn add(&mut self, index: usize, added: u128) {
        let (mask, wraps) = (self.mask(index), added >= self.room(index));
        if wraps && self.saturates(index) {
            self.counters[index].value = mask;
            return;
        }
        if wraps && self.shows_overflow(index) {
            self.status |= self.status_bit(index);
        }
        let counter = &mut self.counters[index];
        let sum = (u128::from(counter.value) + added) & u128::from(mask);
        counter.value = u64::try_from(sum).unwrap_or(mask);
    }

    /// Tells if a counter stops at its largest value.
    fn saturates(&self, index: usize) -> bool {
        let wrap = self.layout.fields.wrap;
        self.flaws.saturates() || wrap != 0 && self.counters[index].control & wrap == 0
    }

    /// Returns the increment that makes a counter wrap.
    fn room(&self, index: usize) -> u128 {
        (1 << self.width(index)) - u128::from(self.counters[index].value)
    }

    /// The first message of each counter in the cycles `from..to`, if nothing freezes, in
    /// order of time; counters that wrap in the same cycle send one message.
    pub(crate) fn messages(&self, from: u64, to: u64, global: u64) -> Vec<Message> {
        let mut messages: Vec<Message> = Vec::new();
        for index in self.layout.counter_indexes() {
            let Some(bits) = self.message_bits(index, global) else {
                continue;
            };
            let gained = |at| self.gain(index, from, at);
            let Some(cycle) = first_reaching(from, to, self.room(index), gained) else {
                continue;
            };
            match messages.iter_mut().find(|known| known.cycle == cycle) {
                Some(known) => known.bits |= bits,
                None => messages.push(Message { cycle, bits }),
            }
        }
        messages.sort_by_key(|message| message.cycle);
        messages
    }

    /// The bits of `GLOBAL_STATUS` that an overflow of a counter would set now;
    /// `None` if it would send no message.
    fn message_bits(&self, index: usize, global: u64) -> Option<u64> {
        let enabled = self.has_overflow_enabled(index);
        let pending = self.status & self.status_bit(index) != 0;
        let silent = pending || self.flaws.saturates() || self.is_mute();
        if !enabled || silent || !self.runs(index) {
            return None;
        }
        let bits = self.global_bits(index);
        let acts = bits & !global != 0 || self.readings.has(Reading::EveryOverflow);
        acts.then_some(bits)
    }
}
