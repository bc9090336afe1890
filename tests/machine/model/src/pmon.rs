// SPDX-License-Identifier: GPL-2.0

//! One box: its registers and what reading and writing them does.
//!
//! The engine behind every box type; what differs comes from [`BoxLayout`]
//! (spec sections 6.1, 6.2, 7). Time is in `counting.rs`. Nothing here knows of
//! other boxes: the global freeze and messages are the package's business.
//!
//! SPEC: rst_ctrs and rst_ctrl include the fixed counter and its control ("all
//! counters of the box"); filters and BOX_STATUS survive both.

use std::sync::OnceLock;

use crate::bits::low_half;
use crate::boxes::{FRZ, RST, RST_CTRL, RST_CTRS};
use crate::layout::{BoxLayout, Register, EN, FILTERS, FIXED};
use crate::program::Program;
use crate::register::Write;
use crate::step::Step;
use crate::traffic::{Source, Waveform};
use crate::violation::{Finding, Rule};

/// A counter with its control register.
#[derive(Debug)]
pub(crate) struct Counter {
    pub(crate) value: u64,
    pub(crate) control: u32,
    /// What it sees as programmed now, once it is worked out.
    wave: OnceLock<Waveform>,
}

impl Counter {
    fn at_reset() -> Self {
        Self {
            value: 0,
            control: 0,
            wave: OnceLock::new(),
        }
    }
}

/// The state of a box.
#[derive(Debug)]
pub(crate) struct PmonBox {
    pub(crate) layout: &'static BoxLayout,
    pub(crate) source: Source,
    pub(crate) counters: [Counter; FIXED + 1],
    pub(crate) status: u32,
    box_control: u32,
    filters: [u32; FILTERS],
    /// Frozen by its own `BOX_CTL.frz`.
    pub(crate) frozen: bool,
    /// Stopped by its own overflow until the package is unfrozen; the package's
    /// freeze says the same unless the message is held up.
    pub(crate) stopped: bool,
    /// The step of the software that its next message waits for.
    pub(crate) held: Option<Step>,
    /// The cycles of its clock that it has seen of a burst-through.
    pub(crate) seen: u64,
    /// Bit k: counter k shows counter 0's occupancy and there is none.
    pub(crate) orphans: u32,
    /// The uclk cycle of the endless axis up to which it has counted.
    pub(crate) settled: u64,
    /// When its next message is due on the endless axis, if worked out.
    pub(crate) deadline: Option<u64>,
}

impl PmonBox {
    pub(crate) fn at_reset(layout: &'static BoxLayout, source: Source) -> Self {
        Self {
            layout,
            source,
            counters: std::array::from_fn(|_| Counter::at_reset()),
            status: 0,
            box_control: 0,
            filters: [0; FILTERS],
            frozen: false,
            stopped: false,
            held: None,
            seen: 0,
            orphans: 0,
            settled: 0,
            deadline: None,
        }
    }

    /// The PMU's name of this box.
    pub(crate) fn name(&self) -> String {
        self.layout.box_name(self.source.instance)
    }

    /// What a read gives; 64 bits for whole counters, else 32.
    pub(crate) fn read(&self, register: Register) -> u64 {
        match register {
            Register::BoxControl => self.box_control.into(),
            Register::Status => self.status.into(),
            Register::Control(index) => self.counters[index].control.into(),
            Register::Counter(index) => self.counters[index].value,
            Register::CounterLow(index) => self.counters[index].value & 0xffff_ffff,
            Register::CounterHigh(index) => self.counters[index].value >> 32,
            Register::Filter(index) => self.filters[index].into(),
        }
    }

    /// Writes a 32-bit register and gives the rules that the write breaks.
    pub(crate) fn write(&mut self, register: Register, write: Write) -> Vec<Finding> {
        self.deadline = None;
        let Some(word) = self.layout.word(register) else {
            return self.write_half(register, write);
        };
        let stored = word.store(low_half(self.read(register)), write);
        let mut findings = word.judge(write);
        match register {
            Register::BoxControl => self.control_box(stored, write),
            Register::Status => self.status = stored,
            Register::Control(index) => {
                self.control(index, stored, write);
                findings.extend(self.program().judge(index));
            }
            Register::Filter(index) => self.filter(index, stored),
            Register::Counter(_) | Register::CounterLow(_) | Register::CounterHigh(_) => {}
        }
        findings
    }

    /// Writes a whole counter.
    pub(crate) fn write_counter(&mut self, index: usize, value: u64) -> Vec<Finding> {
        self.deadline = None;
        let mask = self.layout.counter_mask(index);
        self.counters[index].value = value & mask;
        match value & !mask {
            0 => Vec::new(),
            above => vec![Finding::new(Rule::CounterWidth, above)],
        }
    }

    /// Puts every counter at a distance from its overflow.
    pub(crate) fn preload(&mut self, distance: u64) {
        for index in self.layout.counter_indexes() {
            let mask = self.layout.counter_mask(index);
            self.write_counter(index, mask - (distance - 1));
        }
    }

    /// Puts a value in a register with none of a write's rules; a status
    /// register takes the value as it is.
    pub(crate) fn poke(&mut self, register: Register, value: u64) {
        self.deadline = None;
        match (register, self.layout.status) {
            (Register::Status, Some(word)) => self.status = low_half(value) & word.w1c,
            (Register::Counter(index), _) => drop(self.write_counter(index, value)),
            _ => drop(self.write(register, Write::whole(low_half(value)))),
        }
    }

    /// Writes one dword of a counter.
    fn write_half(&mut self, register: Register, write: Write) -> Vec<Finding> {
        let (index, shift) = match register {
            Register::CounterLow(index) => (index, 0),
            Register::CounterHigh(index) => (index, 32),
            _ => return Vec::new(),
        };
        let old = self.counters[index].value;
        let half = write.over(low_half(old >> shift));
        let value = (old & !(0xffff_ffff << shift)) | (u64::from(half) << shift);
        self.write_counter(index, value)
    }

    fn control_box(&mut self, stored: u32, write: Write) {
        self.box_control = stored;
        if write.lanes & FRZ != 0 {
            self.frozen = write.ones(FRZ) != 0;
        }
        if write.ones(RST_CTRS) != 0 {
            self.counters
                .iter_mut()
                .for_each(|counter| counter.value = 0);
        }
        if write.ones(RST_CTRL) != 0 {
            self.counters
                .iter_mut()
                .for_each(|counter| counter.control = 0);
            self.reprogram();
        }
    }

    fn control(&mut self, index: usize, stored: u32, write: Write) {
        let rst = match self.layout.fixed {
            Some(fixed) if index == FIXED => fixed.rst,
            _ => RST,
        };
        if write.ones(rst) != 0 {
            self.counters[index].value = 0;
        }
        if self.counters[index].control != stored {
            self.counters[index].control = stored;
            self.reprogram();
        }
    }

    fn filter(&mut self, index: usize, stored: u32) {
        if self.filters[index] != stored {
            self.filters[index] = stored;
            self.reprogram();
        }
    }

    fn program(&self) -> Program {
        Program {
            layout: self.layout,
            source: self.source,
            controls: std::array::from_fn(|index| self.counters[index].control),
            filters: self.filters,
        }
    }

    /// What a counter sees must be worked out again.
    fn reprogram(&mut self) {
        let program = self.program();
        self.orphans = 0;
        for index in self.layout.counter_indexes() {
            self.counters[index].wave = OnceLock::new();
            self.orphans |= u32::from(program.lacks_occupancy(index)) << index;
        }
    }

    /// What a counter sees.
    pub(crate) fn wave(&self, index: usize) -> &Waveform {
        let wave = &self.counters[index].wave;
        wave.get_or_init(|| self.program().waveform(index))
    }

    /// Whether a counter counts while the package is not frozen.
    pub(crate) fn runs(&self, index: usize) -> bool {
        !self.frozen && !self.stopped && self.counters[index].control & EN != 0
    }

    /// Registers that differ from reset, with their values.
    pub(crate) fn differences(&self) -> impl Iterator<Item = (Register, u64)> + '_ {
        let companion = self.layout.companion.iter();
        let registers = companion.flat_map(|companion| companion.registers);
        let registers = self.layout.registers.iter().chain(registers);
        let registers = registers.map(|(_, register)| *register);
        let values = registers.map(|register| (register, self.read(register)));
        values.filter(|(_, value)| *value != 0)
    }
}
