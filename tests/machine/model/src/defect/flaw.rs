// SPDX-License-Identifier: GPL-2.0

//! The flaws of one box, and their effects on its registers and its counting.
//!
//! Most flaws replace the control register that the software has written by another
//! one ([`Flaws::control`]). A sound box has no flaws: every function here then
//! returns its argument unchanged.

use std::ops::Range;

use crate::layout::{BoxLayout, Register, FIXED, INVERT};
use crate::pmon::PmonBox;
use crate::program::{EDGE_DET, OCC_EDGE_DET, OCC_INVERT};
use crate::traffic::EventSelect;

/// A possible flaw of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// One event select counts another; the extra bit is bit 8.
    Event { select: u16, counts: u16 },
    /// The umask is always this one.
    Umask(u8),
    /// A field of the control registers, or something written, has no effect.
    Ignores(Field),
    /// The filter on this attribute of transactions lets everything pass.
    Passes(&'static str),
    /// A counter counts this part of its events only.
    Rate(usize, Ratio),
    /// The clock runs at this part of its rate.
    Clock(Ratio),
    /// The counters have this many bits.
    Narrow(u32),
    /// The counters stop at their largest value.
    Saturates,
    /// This part of the reads of the upper half of a counter is one too high.
    Torn(Ratio),
    /// This part of the reads of a counter has this bit flipped.
    Flip(u32, Ratio),
    /// Reads of a control register of a counter find this bit 1, or 0.
    Reads(u32, bool),
    /// Writes of these registers of a counter reach those of the next one.
    Next(Target),
}

/// A field or a write that a box ignores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    /// `ev_sel_ext`.
    Ext,
    Thresh,
    /// `edge_det` and `occ_edge_det`.
    Edge,
    /// `invert` and `occ_invert`.
    Invert,
    /// The freeze of the box and of the package.
    Freeze,
    /// Values written to counters.
    Value,
}

/// A register that each counter has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Control,
    Value,
}

/// A part of a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ratio {
    pub(super) numerator: u32,
    /// The divisor, never 0.
    pub(super) denominator: u32,
}

impl Ratio {
    /// Returns this part of a count, rounded down.
    pub(crate) fn of(self, count: u128) -> u128 {
        count * u128::from(self.numerator) / u128::from(self.denominator)
    }

    /// The least count of which this part is `part`; the ratio is not 0.
    fn whole(self, part: u128) -> u128 {
        (part * u128::from(self.denominator)).div_ceil(u128::from(self.numerator))
    }

    /// Tells if item n of a series (from 1) is in this part: the last ones of each
    /// `denominator` items are.
    fn picks(self, n: u64) -> bool {
        let place = (n - 1) % u64::from(self.denominator);
        place + u64::from(self.numerator) >= u64::from(self.denominator)
    }
}

/// All flaws of a box, the oldest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Flaws(Vec<Flaw>);

impl FromIterator<Flaw> for Flaws {
    fn from_iter<T: IntoIterator<Item = Flaw>>(flaws: T) -> Self {
        Self(flaws.into_iter().collect())
    }
}

impl Flaws {
    fn has(&self, flaw: Flaw) -> bool {
        self.0.contains(&flaw)
    }

    /// The youngest flaw of a kind.
    fn youngest<T>(&self, kind: impl Fn(&Flaw) -> Option<T>) -> Option<T> {
        self.0.iter().rev().find_map(kind)
    }

    pub(crate) fn ignores(&self, field: Field) -> bool {
        self.has(Flaw::Ignores(field))
    }

    pub(crate) fn saturates(&self) -> bool {
        self.has(Flaw::Saturates)
    }

    /// Returns the control register that a counter obeys.
    pub(crate) fn control(&self, layout: &BoxLayout, index: usize, written: u32) -> u32 {
        let taken = |control: u32, flaw: &Flaw| match *flaw {
            Flaw::Event { select, counts } if select_of(layout, index, control) == select => {
                with_select(layout, control, counts)
            }
            Flaw::Umask(umask) => control & !0xff00 | u32::from(umask) << 8,
            Flaw::Ignores(Field::Ext) => control & !layout.fields.coding.ext(),
            Flaw::Ignores(Field::Thresh) => control & !(layout.fields.thresh << 24),
            Flaw::Ignores(Field::Edge) if layout.fields.has_occupancy => {
                control & !(EDGE_DET | OCC_EDGE_DET)
            }
            Flaw::Ignores(Field::Edge) => control & !EDGE_DET,
            Flaw::Ignores(Field::Invert) => control & !invert_bits(layout),
            _ => control,
        };
        self.0.iter().fold(written, taken)
    }

    /// The attributes whose filters let everything pass.
    pub(crate) fn passed(&self) -> Vec<&'static str> {
        let passed = self.0.iter().filter_map(|flaw| match flaw {
            Flaw::Passes(attribute) => Some(*attribute),
            _ => None,
        });
        passed.collect()
    }

    /// Returns the part of its events that a counter counts, if not all of them.
    pub(crate) fn rate(&self, counter: usize) -> Option<Ratio> {
        self.youngest(|flaw| match *flaw {
            Flaw::Rate(slow, ratio) if slow == counter => Some(ratio),
            _ => None,
        })
    }

    fn clock(&self) -> Option<Ratio> {
        self.youngest(|flaw| match *flaw {
            Flaw::Clock(ratio) => Some(ratio),
            _ => None,
        })
    }

    /// The width of a counter that should have `width` bits.
    pub(crate) fn width(&self, width: u32) -> u32 {
        let narrow = self.youngest(|flaw| match *flaw {
            Flaw::Narrow(bits) => Some(bits),
            _ => None,
        });
        narrow.map_or(width, |bits| bits.min(width))
    }

    /// The counter that a write to a register of one reaches.
    pub(crate) fn reached(&self, target: Target, counter: usize, layout: &BoxLayout) -> usize {
        if counter != FIXED && self.has(Flaw::Next(target)) {
            (counter + 1) % layout.counters
        } else {
            counter
        }
    }

    /// Returns the result of the n-th read of these bits of a counter that hold
    /// `value`.
    fn misread(&self, bits: &Range<u32>, value: u64, n: u64) -> u64 {
        let read = |value, flaw: &Flaw| match *flaw {
            Flaw::Torn(part) if bits.start == 32 && part.picks(n) => value + 1,
            Flaw::Flip(bit, part) if bits.contains(&bit) && part.picks(n) => {
                value ^ 1 << (bit - bits.start)
            }
            _ => value,
        };
        self.0.iter().fold(value, read) & ((1 << bits.len()) - 1)
    }

    /// Returns what a read of a control register finds that holds `value`.
    fn control_read(&self, value: u64) -> u64 {
        self.0.iter().fold(value, |value, flaw| match *flaw {
            Flaw::Reads(bit, true) => value | 1 << bit,
            Flaw::Reads(bit, false) => value & !(1 << bit),
            _ => value,
        })
    }
}

/// The bits of a control register that invert.
fn invert_bits(layout: &BoxLayout) -> u32 {
    let bits = [
        (layout.fields.has_invert, INVERT),
        (layout.fields.has_occupancy, OCC_INVERT),
    ];
    let there = bits.into_iter().filter(|(exists, _)| *exists);
    there.fold(0, |mask, (_, bit)| mask | bit)
}

fn select_of(layout: &BoxLayout, index: usize, control: u32) -> u16 {
    let select = layout.fields.coding.select(index, control);
    u16::from(select.ext) << 8 | u16::from(select.code)
}

fn with_select(layout: &BoxLayout, control: u32, select: u16) -> u32 {
    let [code, ext] = select.to_le_bytes();
    let ext = ext != 0;
    layout
        .fields
        .coding
        .with(control, EventSelect { ext, code })
}

impl PmonBox {
    /// Replaces the flaws of the box by these.
    pub(crate) fn suffer(&mut self, flaws: Flaws) {
        self.flaws = flaws;
        self.deadline = None;
        self.counters
            .iter_mut()
            .for_each(|counter| counter.reads = [0; 2]);
        self.forget_waves();
        self.trim();
    }

    /// Loses the bits its counters have not.
    pub(crate) fn trim(&mut self) {
        for index in 0..self.counters.len() {
            self.counters[index].value &= self.mask(index);
        }
    }

    /// Returns the value that the software reads.
    pub(crate) fn read_out(&mut self, register: Register) -> u64 {
        let value = self.read(register);
        let width = |index| self.sound_width(index);
        let (index, bits) = match register {
            Register::Counter(index) => (index, 0..width(index)),
            Register::CounterLow(index) => (index, 0..32),
            Register::CounterHigh(index) => (index, 32..width(index)),
            Register::Control(_) => {
                return self.flaws.control_read(self.shown(register, value));
            }
            Register::BoxControl | Register::Status | Register::Filter(_) => {
                return self.shown(register, value);
            }
            Register::Wide(_) | Register::FreeRunning(_) | Register::StatusClear => return value,
        };
        let reads = &mut self.counters[index].reads[usize::from(bits.start > 0)];
        *reads += 1;
        let value = self.flaws.misread(&bits, value, *reads);
        let value = value | self.ones_above(register, bits.end - bits.start);
        if self.layout.quirks.reads_high && value & 0xff_ffff <= 1 {
            return (value + 0x100_0000) & self.counter_mask(index);
        }
        value
    }

    /// Returns the increment of a counter in the cycles `from..to` of the axis.
    pub(crate) fn gain(&self, index: usize, from: u64, to: u64) -> u128 {
        let wave = self.wave(index);
        match self.flaws.rate(index) {
            None => wave.between(from, to),
            Some(rate) => rate.of(wave.between(0, to)) - rate.of(wave.between(0, from)),
        }
    }

    /// The cycles of its clock in the first `uclk` cycles of an axis.
    pub(crate) fn cycles(&self, uclk: u64) -> u64 {
        if !self.clocked {
            return 0;
        }
        let cycles = self.layout.clock.cycles(uclk);
        let slow = |ratio: Ratio| u64::try_from(ratio.of(cycles.into())).unwrap_or(u64::MAX);
        self.flaws.clock().map_or(cycles, slow)
    }

    /// Returns the first uclk cycle at whose end this many cycles of the box have
    /// passed.
    pub(crate) fn uclk_at(&self, cycles: u64) -> u64 {
        let whole = |ratio: Ratio| u64::try_from(ratio.whole(cycles.into())).unwrap_or(u64::MAX);
        let cycles = self.flaws.clock().map_or(cycles, whole);
        self.layout.clock.uclk_at(cycles)
    }
}
