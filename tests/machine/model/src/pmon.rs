// SPDX-License-Identifier: GPL-2.0

//! One box: its registers and the effects of reading and writing them.
//!
//! The engine behind every box type; the differences come from [`BoxLayout`]
//! (Documentation/hardware/ivbep.rst sections 6.1, 6.2, 7). Time is in
//! `counting.rs`. Every box is independent of the others: the package handles the
//! global freeze and messages.
//!
//! SPEC: U-70, rst_ctrs and rst_ctrl include the fixed counter and its control
//! ("all counters of the box"); filters and BOX_STATUS survive both.

use std::sync::OnceLock;

use crate::bits::low_half;
use crate::boxes::{FREEZE_ENABLE, FRZ, OVERFLOW_ENABLE, RST, RST_CTRL, RST_CTRS};
use crate::defect::{Field, Flaws, Target};
use crate::layout::{BoxLayout, Register, FILTERS, FIXED, FREE_RUNNING};
use crate::program::Program;
use crate::readings::{Reading, Readings};
use crate::register::Write;
use crate::step::Step;
use crate::traffic::{Source, Waveform};
use crate::violation::{Finding, Rule};

/// A counter with its control register.
#[derive(Debug)]
pub(crate) struct Counter {
    pub(crate) value: u64,
    pub(crate) control: u32,
    /// Number of reads by the software: of the whole or the lower half, of the
    /// upper half.
    pub(crate) reads: [u64; 2],
    /// The waveforms of a burst and of the flows as programmed now, once they are worked out.
    waves: [OnceLock<Waveform>; 2],
}

impl Counter {
    fn at_reset() -> Self {
        Self {
            value: 0,
            control: 0,
            reads: [0; 2],
            waves: Default::default(),
        }
    }
}

/// The effect of writes to a locked box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lock {
    /// They are ignored.
    Ignores,
    /// They raise #GP.
    Faults,
}

/// The state of a box.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug)]
pub(crate) struct PmonBox {
    pub(crate) layout: &'static BoxLayout,
    pub(crate) source: Source,
    pub(crate) counters: [Counter; FIXED + 1],
    pub(crate) status: u32,
    box_control: u32,
    /// What `BOX_CTL` was last written with.
    asked_of_box: u32,
    filters: [u32; FILTERS],
    /// The filters that act, where they do so later than they are written.
    pub(crate) latched: [u32; FILTERS],
    /// The control registers that act, where they do so later than they are written.
    latched_controls: [u32; FIXED + 1],
    /// Bit k: counter k shows the occupancy of a queue that has not been reset since.
    unreset: u32,
    free_running: [u32; FREE_RUNNING],
    /// Its clock runs.
    pub(crate) clocked: bool,
    /// Its traffic is *server* now.
    pub(crate) flows: bool,
    /// The effect of writes by software, if firmware has locked the box.
    pub(crate) lock: Option<Lock>,
    /// The global control does not enable it.
    pub(crate) deselected: bool,
    /// Frozen by its own `BOX_CTL.frz`.
    pub(crate) frozen: bool,
    /// Frozen with the package.
    pub(crate) package_frozen: bool,
    /// Released by its own `BOX_CTL.frz` since the package froze, where that ends both.
    pub(crate) released: bool,
    /// Stopped by its own overflow until the package is unfrozen. The package is
    /// frozen, too, unless the message is held up.
    pub(crate) stopped: bool,
    /// The step of the software that its next message waits for.
    pub(crate) held: Option<Step>,
    /// Cycles of its clock in a burst-through that it has counted.
    pub(crate) seen: u64,
    /// Bit k: counter k shows counter 0's occupancy and there is none.
    pub(crate) orphans: u32,
    /// The uclk cycle of the endless axis up to which it has counted.
    pub(crate) settled: u64,
    /// Time of its next message on the endless axis, if worked out.
    pub(crate) deadline: Option<u64>,
    /// The planted flaws.
    pub(crate) flaws: Flaws,
    /// The points with another reading than the first.
    pub(crate) readings: Readings,
}

impl PmonBox {
    pub(crate) fn at_reset(layout: &'static BoxLayout, source: Source, readings: Readings) -> Self {
        Self {
            layout,
            source,
            counters: std::array::from_fn(|_| Counter::at_reset()),
            status: 0,
            box_control: 0,
            asked_of_box: 0,
            filters: [0; FILTERS],
            latched: [0; FILTERS],
            latched_controls: [0; FIXED + 1],
            unreset: 0,
            free_running: [0; FREE_RUNNING],
            clocked: true,
            flows: false,
            lock: None,
            deselected: false,
            frozen: false,
            package_frozen: false,
            released: false,
            stopped: false,
            held: None,
            seen: 0,
            orphans: 0,
            settled: 0,
            deadline: None,
            flaws: Flaws::default(),
            readings,
        }
    }

    /// Puts all registers at their reset values in this cycle of the endless axis.
    pub(crate) fn reset(&mut self, now: u64) {
        let flaws = std::mem::take(&mut self.flaws);
        *self = Self {
            settled: now,
            flaws,
            clocked: self.clocked,
            flows: self.flows,
            lock: self.lock,
            deselected: self.deselected,
            ..Self::at_reset(self.layout, self.source, self.readings)
        };
    }

    /// The PMU's name of this box.
    pub(crate) fn name(&self) -> String {
        self.layout.box_name(self.source.instance)
    }

    /// Returns the value of a register: 64 bits for whole counters, else 32.
    pub(crate) fn read(&self, register: Register) -> u64 {
        match register {
            Register::BoxControl => self.box_control.into(),
            Register::Status => self.status.into(),
            Register::Control(index) => self.counters[index].control.into(),
            Register::Counter(index) => self.counters[index].value,
            Register::CounterLow(index) => self.counters[index].value & 0xffff_ffff,
            Register::CounterHigh(index) => self.counters[index].value >> 32,
            Register::Filter(index) => self.filters[index].into(),
            Register::Wide(index) => {
                u64::from(self.filters[index + 1]) << 32 | u64::from(self.filters[index])
            }
            Register::FreeRunning(index) => self.free_running[index].into(),
            Register::StatusClear => 0,
        }
    }

    /// Writes a 32-bit register and gives the rules that the write breaks.
    pub(crate) fn write(&mut self, register: Register, write: Write) -> Vec<Finding> {
        self.deadline = None;
        let Some(word) = self.word(register) else {
            return self.write_half(register, write);
        };
        let stored = word.store(low_half(self.read(register)), write);
        let mut findings = self.permitted(register, word).judge(write);
        if register == Register::BoxControl && self.is_reset_step(write) {
            findings.retain(|finding| finding.rule != Rule::MustBeOne);
        }
        match register {
            Register::BoxControl => self.control_box(stored, write),
            Register::Status => self.status = stored,
            Register::StatusClear => self.status &= !write.ones(word.wo),
            Register::Control(index) => {
                let reached = self.flaws.reached(Target::Control, index, self.layout);
                let taken = self.taken_of(reached, stored);
                self.control(reached, taken, write);
                findings.extend(self.asked(index, stored).judge(index));
                findings.extend(self.judge_quirks(stored, taken));
            }
            Register::Filter(index) => self.filter(index, stored),
            Register::FreeRunning(index) => self.free_running[index] = stored,
            Register::Counter(_)
            | Register::CounterLow(_)
            | Register::CounterHigh(_)
            | Register::Wide(_) => {}
        }
        findings
    }

    /// Writes a register of 64 bits and gives the rules that the write breaks.
    pub(crate) fn write_wide(&mut self, index: usize, value: u64) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (index, shift) in [(index, 0), (index + 1, 32)] {
            let write = Write::whole(low_half(value >> shift));
            let half = self.write(Register::Filter(index), write).into_iter();
            findings.extend(half.map(|finding| Finding {
                bits: finding.bits << shift,
                ..finding
            }));
        }
        findings
    }

    /// The software writes a whole counter.
    pub(crate) fn write_value(&mut self, index: usize, value: u64) -> Vec<Finding> {
        let reached = self.flaws.reached(Target::Value, index, self.layout);
        if !self.flaws.ignores(Field::Value) && !self.is_held(reached) {
            self.set_counter(reached, value);
        }
        // By any reading of its width.
        let width = self.layout.width_of(index).max(self.sound_width(index));
        match value >> width << width {
            0 => Vec::new(),
            above => vec![Finding::new(Rule::CounterWidth, above)],
        }
    }

    /// Puts a value in a counter.
    pub(crate) fn set_counter(&mut self, index: usize, value: u64) {
        self.deadline = None;
        self.counters[index].value = value & self.mask(index);
    }

    /// Puts every counter at a distance from its overflow.
    pub(crate) fn preload(&mut self, distance: u64) {
        for index in self.layout.counter_indexes() {
            let mask = self.counter_mask(index);
            self.set_counter(index, mask - (distance - 1));
        }
    }

    /// Puts a value in a register without the rules of a write and without flaws; a
    /// status register takes the value as it is.
    pub(crate) fn poke(&mut self, register: Register, value: u64) {
        self.deadline = None;
        let flaws = std::mem::take(&mut self.flaws);
        match (register, self.word(Register::Status)) {
            (Register::Status, Some(word)) => self.status = low_half(value) & (word.w1c | word.ro),
            (Register::Counter(index), _) => self.set_counter(index, value),
            (Register::Wide(index), _) => drop(self.write_wide(index, value)),
            _ => drop(self.write(register, Write::whole(low_half(value)))),
        }
        self.flaws = flaws;
        self.trim();
    }

    /// Writes one dword of a counter.
    fn write_half(&mut self, register: Register, write: Write) -> Vec<Finding> {
        let (index, shift) = match register {
            Register::CounterLow(index) => (index, 0),
            Register::CounterHigh(index) => (index, 32),
            _ => return Vec::new(),
        };
        let reached = self.flaws.reached(Target::Value, index, self.layout);
        let old = self.counters[reached].value;
        let half = write.over(low_half(old >> shift));
        let value = (old & !(0xffff_ffff << shift)) | (u64::from(half) << shift);
        self.write_value(index, value)
    }

    /// Tells if a write of `BOX_CTL` is a step of a reset that sets one bit after the
    /// other, so that the bits that must be 1 may come later.
    fn is_reset_step(&self, write: Write) -> bool {
        self.layout.quirks.reset_in_steps && write.ones(RST_CTRL | RST_CTRS) != 0
    }

    /// The rule by which a write of a register faults.
    pub(crate) fn refuses(&self, register: Register, write: Write) -> Option<Rule> {
        const BOTH: u32 = RST_CTRL | RST_CTRS;
        let at_once = write.ones(BOTH) == BOTH && self.asked_of_box & BOTH == 0;
        let in_steps = self.is_reset_in_steps() && register == Register::BoxControl;
        if in_steps && at_once {
            return Some(Rule::ResetAtOnce);
        }
        let closed = self.layout.guard.is_some_and(|guard| guard.faults) || self.guard_faults();
        (closed && self.is_guarded(register)).then_some(Rule::Guarded)
    }

    /// Tells if a register must not be written now, as another one has enabled it.
    pub(crate) fn is_guarded(&self, register: Register) -> bool {
        self.layout.guard.is_some_and(|guard| {
            let closed = self.filters[guard.word] & guard.enable != 0;
            closed && guard.guarded.contains(&register)
        })
    }

    /// The control register after a write that would store `stored`.
    fn taken_of(&self, index: usize, stored: u32) -> u32 {
        const EV_SEL: u32 = 0xff;
        let old = self.counters[index].control;
        let enable = self.layout.enable_of(index);
        let repeated = stored & enable == 0 || old | enable == stored;
        if self.is_written_twice() && !repeated {
            stored & !EV_SEL | old & EV_SEL
        } else {
            stored
        }
    }

    /// The rules that a write of a control register breaks on this box type only.
    fn judge_quirks(&self, stored: u32, taken: u32) -> Vec<Finding> {
        let both = self.layout.fields.enable | RST;
        let held = self.reset_stays() && stored & both == both;
        let rules = [
            (
                stored != taken,
                Finding::new(Rule::WrittenOnce, stored & 0xff),
            ),
            (held, Finding::new(Rule::HeldInReset, 0_u32)),
        ];
        let broken = rules.into_iter().filter(|(broken, _)| *broken);
        broken.map(|(_, finding)| finding).collect()
    }

    /// Tells if a counter is held at 0 by its own reset bit.
    fn is_held(&self, index: usize) -> bool {
        self.reset_stays() && self.counters[index].control & RST != 0
    }

    /// Tells if a freeze has no effect on the box.
    pub(crate) fn ignores_freeze(&self) -> bool {
        self.flaws.ignores(Field::Freeze) || self.lacks(FREEZE_ENABLE)
    }

    /// Tells if the box counts although the package is frozen.
    pub(crate) fn outlasts_freeze(&self) -> bool {
        self.ignores_freeze() || self.released
    }

    /// Tells if the box sends no message.
    pub(crate) fn is_mute(&self) -> bool {
        self.lacks(OVERFLOW_ENABLE)
    }

    /// Tells if an enable bit of `BOX_CTL` is missing.
    fn lacks(&self, enable: u32) -> bool {
        self.has_box_enables() && self.box_control & enable == 0
    }

    /// Lets the free-running counters count, from one cycle of uclk to another of an
    /// axis (traffic.rst, "QPI: free-running counters").
    pub(crate) fn run_freely(&mut self, from: u64, to: u64) {
        if self.layout.free_running.is_empty() || self.stops_link_counters() {
            return;
        }
        let place = 8 * u128::from(self.source.instance) + u128::from(self.source.package) + 1;
        let (from, to) = (self.cycles(from).into(), self.cycles(to).into());
        for (value, share) in self.free_running.iter_mut().zip([512 + place, place]) {
            let part = |cycles: u128| cycles * share / 1024;
            *value = value.wrapping_add(((part(to) - part(from)) & 0xffff_ffff) as u32);
        }
    }

    fn control_box(&mut self, stored: u32, write: Write) {
        self.box_control = stored;
        if self.layout.quirks.counter_enables {
            return;
        }
        self.asked_of_box = write.over(self.asked_of_box);
        if write.lanes & FRZ != 0 {
            self.frozen = write.ones(FRZ) != 0;
            self.released = !self.frozen && self.readings.has(Reading::OneFreeze);
        }
        let acting = self.word(Register::BoxControl).map_or(0, |word| word.wo);
        if write.ones(RST_CTRS & acting) != 0 {
            for counter in self.reset_by_box() {
                self.counters[counter].value = 0;
            }
            if self.readings.has(Reading::LinkCountersReset) {
                self.free_running = [0; FREE_RUNNING];
            }
        }
        if write.ones(RST_CTRL & acting) != 0 {
            for counter in self.reset_by_box() {
                self.counters[counter].control = 0;
            }
            if self.readings.has(Reading::FiltersReset) {
                self.filters = [0; FILTERS];
            }
            self.reprogram();
        }
    }

    /// The counters that the resets of the box reach.
    fn reset_by_box(&self) -> std::ops::Range<usize> {
        let fixed_stays = self.readings.has(Reading::FixedSurvivesReset);
        0..if fixed_stays { FIXED } else { FIXED + 1 }
    }

    fn control(&mut self, index: usize, stored: u32, write: Write) {
        let rst = match self.layout.fixed {
            Some(fixed) if index == FIXED => fixed.rst,
            _ => {
                let word = self.word(Register::Control(index));
                word.map_or(0, |word| RST & (word.wo | word.rw))
            }
        };
        if write.ones(rst) != 0 {
            self.counters[index].value = 0;
        }
        self.note_queue(index, stored, write);
        let latches = self.latches_at_control();
        if self.counters[index].control != stored || latches {
            self.counters[index].control = stored;
            if latches {
                self.latched = self.filters;
            }
            self.reprogram();
        }
    }

    /// Notes whether the queue of an occupancy is reset with a write of the control register.
    fn note_queue(&mut self, index: usize, stored: u32, write: Write) {
        /// `q_occ_rst` of the home agent.
        const QUEUE_RESET: u32 = 1 << 16;
        const EV_SEL: u32 = 0xff;
        let other = (self.counters[index].control ^ stored) & EV_SEL != 0;
        if other {
            self.unreset |= 1 << index;
        }
        if write.ones(QUEUE_RESET) != 0 {
            self.unreset &= !(1 << index);
            self.counters[index].waves = Default::default();
        }
    }

    fn filter(&mut self, index: usize, stored: u32) {
        if self.filters[index] != stored {
            self.filters[index] = stored;
            self.reprogram();
        }
    }

    fn program(&self) -> Program {
        let filters = if self.has_latch() {
            self.latched
        } else {
            self.filters
        };
        Program {
            layout: self.layout,
            source: self.source,
            controls: std::array::from_fn(|index| self.acting_control(index)),
            filters: self
                .layout
                .filters_as
                .map_or(filters, |places| places(filters)),
            passed: Vec::new(),
            flows: self.flows,
            max_inc: None,
            readings: self.readings,
        }
    }

    /// Returns the registers as the software has written them, but for this control
    /// register.
    fn asked(&self, index: usize, control: u32) -> Program {
        let mut program = self.program();
        program.controls = std::array::from_fn(|index| self.counters[index].control);
        program.controls[index] = control;
        program
    }

    /// The control register of a counter as it acts.
    fn acting_control(&self, index: usize) -> u32 {
        if self.latches_controls() {
            self.latched_controls[index]
        } else {
            self.counters[index].control
        }
    }

    /// Returns the registers as the box obeys them.
    fn taken(&self) -> Program {
        let mut program = self.program();
        for (index, control) in program.controls.iter_mut().enumerate() {
            *control = self.flaws.control(self.layout, index, *control);
        }
        program.passed = self.flaws.passed();
        program
    }

    /// Tells if the filters act as written.
    pub(crate) fn is_latched(&self) -> bool {
        let controls = self.counters.iter().map(|counter| counter.control);
        let same = !self.latches_controls() || controls.eq(self.latched_controls);
        self.latched == self.filters && same
    }

    /// The filters act as written from now on.
    pub(crate) fn latch(&mut self) {
        self.latched = self.filters;
        self.latched_controls = std::array::from_fn(|index| self.counters[index].control);
        self.deadline = None;
        self.reprogram();
    }

    /// Marks the waveforms of all counters as outdated.
    pub(crate) fn forget_waves(&mut self) {
        for counter in &mut self.counters {
            counter.waves = Default::default();
        }
    }

    /// The registers have changed.
    fn reprogram(&mut self) {
        self.forget_waves();
        let program = self.program();
        self.orphans = 0;
        for index in self.layout.counter_indexes() {
            self.orphans |= u32::from(program.lacks_occupancy(index)) << index;
        }
    }

    /// Returns the waveform of a counter.
    pub(crate) fn wave(&self, index: usize) -> &Waveform {
        let wave = &self.counters[index].waves[usize::from(self.flows)];
        wave.get_or_init(|| {
            let program = self.taken();
            if self.unreset >> index & 1 == 1 && program.shows_queue(index) {
                Waveform::Silent
            } else {
                program.waveform(index)
            }
        })
    }

    /// Tells if a counter counts while the package is not frozen.
    pub(crate) fn runs(&self, index: usize) -> bool {
        let stands = self.frozen || self.stopped;
        let control = self.acting_control(index);
        (!stands || self.ignores_freeze())
            && !self.deselected
            && !self.is_held(index)
            && self.is_enabled_by_box(index)
            && self.flaws.control(self.layout, index, control) & self.layout.enable_of(index) != 0
    }

    /// Tells if `BOX_CTL` lets a counter count.
    fn is_enabled_by_box(&self, index: usize) -> bool {
        let enable = if index == FIXED { 1 << 31 } else { 1 << index };
        !self.layout.quirks.counter_enables || self.box_control & enable != 0
    }

    /// The global control enables counters of the box, which has no `BOX_CTL` of its own.
    pub(crate) fn enable_counters(&mut self, mask: u32) {
        self.box_control = mask;
        self.deadline = None;
    }

    /// Puts every control register at 0, and leaves the counters.
    pub(crate) fn clear_controls(&mut self) {
        self.deadline = None;
        self.counters
            .iter_mut()
            .for_each(|counter| counter.control = 0);
        self.reprogram();
    }

    /// Puts every counter at 0, and leaves their controls.
    pub(crate) fn clear_counters(&mut self) {
        self.deadline = None;
        self.counters
            .iter_mut()
            .for_each(|counter| counter.value = 0);
    }

    /// Bits of a counter.
    pub(crate) fn width(&self, index: usize) -> u32 {
        self.flaws.width(self.sound_width(index))
    }

    /// The bits of a counter.
    pub(crate) fn mask(&self, index: usize) -> u64 {
        (1 << self.width(index)) - 1
    }

    /// Registers that differ from reset, with their values.
    pub(crate) fn differences(&self) -> impl Iterator<Item = (Register, u64)> + '_ {
        let companion = self.layout.companion.iter();
        let registers = companion.flat_map(|companion| companion.registers);
        let registers = self.layout.registers.iter().chain(registers);
        let registers = registers.map(|(_, register)| *register);
        let lists = self.layout.lists().get(usize::from(self.source.instance));
        let listed = lists.copied().into_iter().flatten();
        let registers = registers.chain(listed.map(|(_, register)| *register));
        let values = registers.map(|register| (register, self.read(register)));
        values.filter(|(_, value)| *value != 0)
    }
}
