// SPDX-License-Identifier: GPL-2.0

//! Registers by the names that the survey uses, and the bits of each that it may write.
//!
//! | name | register |
//! |---|---|
//! | `ctl0`, `ctl1` | event control register of a counter |
//! | `ctr0`, `ctr1` | counter |
//! | `fixed_ctl`, `fixed_ctr` | those of the first fixed counter; `fixed_ctr1` is the second |
//! | `box_ctl`, `box_status` | box control and box status |
//! | `filter0`, `filter1` | filter registers, in the order of the table |
//! | `ctl`, `status` of `global` | registers that act on the whole package |
//!
//! Others, and further bits of these, are in [`Platform::surveyed`].

use crate::{
    linux::{
        context::IrqsOff,
        msr, //
    },
    uncore::{
        counter_box::bus::Bus,
        table::{
            box_type::*,
            field::{
                low_half,
                mask, //
            }, //
        }, //
    }, //
};
use kernel::prelude::*;

/// All bits of a register.
const WHOLE: u64 = u64::MAX;

/// Place of a register of a box.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum At {
    /// A control register; all 64 bits if it is an MSR.
    Word(u16),
    /// A counter with these bits.
    Counter(u16, u64),
    /// A filter register.
    Filter(Place),
}

impl At {
    /// Reads the register, with the bits above those that it has.
    pub(super) fn read<B: Bus>(self, bus: &B) -> Result<u64> {
        match self {
            At::Word(at) if bus.msr(at).is_some() => bus.read_counter(at, WHOLE),
            At::Word(at) => bus.read(at).map(u64::from),
            At::Counter(at, bits) => bus.read_counter(at, bits),
            At::Filter(place) => bus.read_filter(place),
        }
    }

    /// Writes the register.
    pub(super) fn write<B: Bus>(self, bus: &B, value: u64) -> Result {
        match self {
            At::Word(at) if bus.msr(at).is_some() => bus.write_counter(at, WHOLE, value),
            At::Word(at) => bus.write(at, low_half(value)),
            At::Counter(at, bits) => bus.write_counter(at, bits, value),
            At::Filter(place) => bus.write_filter(place, value),
        }
    }
}

/// A register of a box.
#[derive(Clone, Copy)]
pub(super) struct Register {
    pub(super) at: At,
    /// Bits that may be written 1.
    pub(super) bits: u64,
    /// Those of them in a control register that the tables do not know.
    pub(super) added: u64,
    /// The box keeps it: it is written with its value from before when the survey ends.
    pub(super) kept: bool,
    /// Its bits are cleared by writing 1, and the driver does not clear them.
    pub(super) clears: bool,
}

impl Register {
    /// A register that the box keeps.
    fn kept(at: At, bits: u64) -> Self {
        Self {
            at,
            bits,
            added: 0,
            kept: true,
            clears: false,
        }
    }
}

/// Returns the register of a box with a name; `None` if there is none.
pub(super) fn find(
    kind: &'static BoxType,
    surveyed: &'static [Surveyed],
    name: &str,
) -> Option<Register> {
    let added = added_bits(surveyed, kind.name, name);
    let mut known = None;
    each_register(kind, &mut |family, index, register| {
        if is_named(name, family, index) {
            known = Some(register);
        }
    });
    if let Some(mut register) = known {
        register.bits |= added;
        match &mut register.at {
            // A counter may have more bits than the table says.
            At::Counter(_, bits) => *bits |= added,
            At::Word(_) => register.added = added,
            At::Filter(_) => {}
        }
        return Some(register);
    }
    let other = surveyed
        .iter()
        .find(|row| row.unit == kind.name && row.register == name)?;
    Some(Register {
        at: At::Word(other.place?),
        bits: other.bits,
        added: 0,
        kept: false,
        clears: other.bits != 0,
    })
}

/// Returns the bits that the survey may write besides those of the tables.
fn added_bits(surveyed: &[Surveyed], unit: &str, name: &str) -> u64 {
    let family = family_of(name);
    surveyed
        .iter()
        .filter(|row| row.unit == unit && (row.register == name || row.register == family))
        .fold(0, |bits, row| bits | row.bits)
}

/// Returns a name without the number at its end.
fn family_of(name: &str) -> &str {
    name.trim_end_matches(|end: char| end.is_ascii_digit())
}

/// Returns whether a name is that of a family with a number. The first fixed counter needs none.
fn is_named(name: &str, family: &str, index: Option<usize>) -> bool {
    let Some(number) = name.strip_prefix(family) else {
        return false;
    };
    match index {
        None => number.is_empty(),
        Some(0) if family.starts_with("fixed") => number.is_empty(),
        Some(index) => decimal(number) == Some(index),
    }
}

/// Gives a visitor the registers of a box that the driver uses: name, number, register. Filters
/// come first: a counter that runs needs them.
fn each_register(
    kind: &'static BoxType,
    visit: &mut dyn FnMut(&'static str, Option<usize>, Register),
) {
    for (index, filter) in kind.filters.iter().enumerate() {
        let register = Register::kept(At::Filter(filter.place), filter.writable);
        visit("filter", Some(index), register);
    }
    for (index, at) in kind.counters.iter().enumerate() {
        let register = counter(at.counter, mask(kind.width), true);
        visit("ctr", Some(index), register);
    }
    for (index, at) in kind.fixed.iter().enumerate() {
        let register = counter(at.counter, at.bits(), at.control.is_some());
        visit("fixed_ctr", Some(index), register);
    }
    for (index, at) in kind.counters.iter().enumerate() {
        let bits = control_bits(&kind.control).into();
        let register = Register::kept(At::Word(at.control), bits);
        visit("ctl", Some(index), register);
    }
    for (index, at) in kind.fixed.iter().enumerate() {
        if let Some(control) = &at.control {
            let bits = (control.writable | control.acts).into();
            let register = Register::kept(At::Word(control.offset), bits);
            visit("fixed_ctl", Some(index), register);
        }
    }
    if let Some(control) = &kind.box_control {
        let resets = control.reset.iter().fold(0, |bits, step| bits | step);
        let bits = resets | control.freeze | control.unfreeze;
        visit("box_ctl", None, unkept(control.offset, bits));
    }
    if let Some(status) = &kind.status {
        let register = unkept(status.offset, status.overflow);
        visit("box_status", None, register);
    }
}

/// A counter. One that cannot be stopped cannot be written.
fn counter(offset: u16, bits: u64, has_control: bool) -> Register {
    Register {
        kept: has_control,
        ..Register::kept(
            At::Counter(offset, bits),
            if has_control { bits } else { 0 },
        )
    }
}

/// A register that a reset of the box brings back.
fn unkept(offset: u16, bits: u32) -> Register {
    Register {
        kept: false,
        ..Register::kept(At::Word(offset), bits.into())
    }
}

/// All bits of an event control register that have a meaning.
fn control_bits(control: &Control) -> u32 {
    let queue_reset = control.queue_reset.unwrap_or(0);
    control.writable | control.enable | control.acts | queue_reset
}

/// A register that acts on a whole package.
#[derive(Clone, Copy)]
pub(super) struct GlobalRegister {
    msr: u32,
    /// Bits that may be written 1.
    pub(super) bits: u64,
    /// Bits that are a command to let the counters run.
    pub(super) command: u64,
}

impl GlobalRegister {
    /// Returns the register with a name; `None` if there is none.
    pub(super) fn find(platform: &'static Platform, name: &str) -> Option<Self> {
        match name {
            "ctl" => Self::control(platform),
            "status" => Self::status(platform),
            _ => {
                let mut rows = platform.surveyed.iter();
                let row = rows.find(|row| row.unit == GLOBAL && row.register == name)?;
                Some(Self {
                    msr: row.place?.into(),
                    bits: row.bits,
                    command: 0,
                })
            }
        }
    }

    /// Returns the global control.
    pub(super) fn control(platform: &Platform) -> Option<Self> {
        let global = platform.global.as_ref()?;
        let (run, command) = match global.run {
            Run::Command(bits) => (bits, bits),
            Run::Level(bits) => (bits, 0),
        };
        Some(Self {
            msr: global.control,
            bits: u64::from(run) | added_bits(platform.surveyed, GLOBAL, "ctl"),
            command: command.into(),
        })
    }

    /// Returns the overflow status, if the platform has one that the driver uses.
    pub(super) fn status(platform: &Platform) -> Option<Self> {
        let interrupt = platform.interrupt()?;
        let boxes = platform.box_types.iter();
        let bits = boxes.flat_map(|kind| kind.global_status);
        let bits = bits.fold(0, |all, bits| all | bits);
        Some(Self {
            msr: interrupt.status,
            bits: bits | added_bits(platform.surveyed, GLOBAL, "status"),
            command: 0,
        })
    }

    /// Reads the register, on a CPU of the package.
    pub(super) fn read(&self, here: &IrqsOff) -> Result<u64> {
        msr::read(here, self.msr)
    }

    /// Writes the register, on a CPU of the package.
    pub(super) fn write(&self, here: &IrqsOff, value: u64) -> Result {
        msr::write(here, self.msr, value)
    }
}

/// Returns the registers of a box to read before the survey writes one, each with room for its value.
pub(super) fn kept(kind: &'static BoxType, has_filters: bool) -> Result<KVec<(At, u64)>> {
    let (mut values, mut pushed) = (KVec::new(), Ok(()));
    each_register(kind, &mut |_, _, register| {
        let is_filter = matches!(register.at, At::Filter(_));
        if pushed.is_ok() && register.kept && (has_filters || !is_filter) {
            pushed = values.push((register.at, 0), GFP_KERNEL);
        }
    });
    pushed?;
    Ok(values)
}

/// Returns whether a word is the name of a box: `cbox_3`, `ubox`.
pub(super) fn is_box(word: &str, kind: &BoxType, index: u8) -> bool {
    let Some(rest) = word.strip_prefix(kind.name) else {
        return false;
    };
    match rest.strip_prefix('_') {
        Some(number) => kind.numbered && decimal(number) == Some(index),
        None => !kind.numbered && rest.is_empty(),
    }
}

/// Words of a line, without the blanks.
pub(super) fn words(line: &str) -> [Option<&str>; 5] {
    let (mut words, mut five) = (line.split_ascii_whitespace(), [None; 5]);
    five.fill_with(|| words.next());
    five
}

/// Parses a number: decimal, or hexadecimal with `0x`.
pub(super) fn number(word: &str) -> Option<u64> {
    match word.strip_prefix("0x") {
        Some(digits) => parse(digits, 16),
        None => parse(word, 10),
    }
}

/// Parses a decimal number.
pub(super) fn decimal<N: TryFrom<u64>>(word: &str) -> Option<N> {
    parse(word, 10)?.try_into().ok()
}

#[inline(never)]
fn parse(digits: &str, radix: u32) -> Option<u64> {
    u64::from_str_radix(digits, radix).ok()
}
