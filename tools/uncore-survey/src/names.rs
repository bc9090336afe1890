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
//! Others, and further bits of these, are in [`surveyed`](crate::platform::surveyed).

use kernel::error::Result;

use crate::platform::{surveyed, Surveyed, GLOBAL};
use crate::uncore::counter_box::bus::Bus;
use crate::uncore::table::box_type::{BoxType, Control, Place, Platform, Run};
use crate::uncore::table::field::{low_half, mask};

/// All bits of a register.
const WHOLE: u64 = u64::MAX;

/// Place of a register of a box.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum At {
    /// A control register; all 64 bits if it is an MSR.
    Word(u16),
    /// A counter with these bits.
    Counter(u16, u64),
    /// A filter register.
    Filter(Place),
}

impl At {
    /// Reads the register, with the bits above those that it has.
    pub(crate) fn read<B: Bus>(self, bus: &B) -> Result<u64> {
        match self {
            At::Word(at) if bus.msr(at).is_some() => bus.read_counter(at, WHOLE),
            At::Word(at) => bus.read(at).map(u64::from),
            At::Counter(at, bits) => bus.read_counter(at, bits),
            At::Filter(place) => bus.read_filter(place),
        }
    }

    /// Writes the register.
    pub(crate) fn write<B: Bus>(self, bus: &B, value: u64) -> Result {
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
pub(crate) struct Register {
    pub(crate) at: At,
    /// Bits that may be written 1.
    pub(crate) bits: u64,
    /// Those of them in a control register that the tables do not know.
    pub(crate) added: u64,
    /// Its family, as in `ctl`.
    pub(crate) family: &'static str,
}

impl Register {
    /// Returns whether its value tells what the box does: nothing but a write changes it.
    pub(crate) fn is_control(&self) -> bool {
        matches!(self.family, "ctl" | "fixed_ctl" | "filter")
    }
}

/// Returns the register of a box with a name; `None` if there is none.
pub(crate) fn find(kind: &'static BoxType, platform: &Platform, name: &str) -> Option<Register> {
    let rows = surveyed(platform.name);
    let added = added_bits(rows, kind.name, name);
    let known = all(kind).into_iter().find(|(known, _)| known == name);
    if let Some((_, mut register)) = known {
        register.bits |= added;
        match &mut register.at {
            // A counter may have more bits than the table says.
            At::Counter(_, bits) => *bits |= added,
            At::Word(_) => register.added = added,
            At::Filter(_) => {}
        }
        return Some(register);
    }
    let mut rows = rows.iter();
    let other = rows.find(|row| row.unit == kind.name && row.register == name)?;
    Some(Register {
        at: At::Word(other.place?),
        bits: other.bits,
        added: 0,
        family: other.register,
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

/// Returns the registers of a box that the driver uses, with their names. Filters come first: a
/// counter that runs needs them.
pub(crate) fn all(kind: &'static BoxType) -> Vec<(String, Register)> {
    let mut all = Vec::new();
    let mut add = |family, number: Option<usize>, at, bits| {
        let number = number.map(|number| number.to_string()).unwrap_or_default();
        let register = Register {
            at,
            bits,
            added: 0,
            family,
        };
        all.push((format!("{family}{number}"), register));
    };
    for (index, filter) in kind.filters.iter().enumerate() {
        add(
            "filter",
            Some(index),
            At::Filter(filter.place),
            filter.writable,
        );
    }
    let whole = mask(kind.width);
    for (index, at) in kind.counters.iter().enumerate() {
        add("ctr", Some(index), At::Counter(at.counter, whole), whole);
    }
    // The first fixed counter needs no number.
    let number = |index: usize| Some(index).filter(|&index| index > 0);
    for (index, at) in kind.fixed.iter().enumerate() {
        // One that cannot be stopped cannot be written.
        let bits = at.control.as_ref().map_or(0, |_| at.bits());
        add(
            "fixed_ctr",
            number(index),
            At::Counter(at.counter, at.bits()),
            bits,
        );
    }
    for (index, at) in kind.counters.iter().enumerate() {
        add(
            "ctl",
            Some(index),
            At::Word(at.control),
            control_bits(&kind.control).into(),
        );
    }
    for (index, at) in kind.fixed.iter().enumerate() {
        if let Some(control) = &at.control {
            let bits = control.writable | control.acts;
            add(
                "fixed_ctl",
                number(index),
                At::Word(control.offset),
                bits.into(),
            );
        }
    }
    if let Some(control) = &kind.box_control {
        let resets = control.reset.iter().fold(0, |bits, step| bits | step);
        let bits = resets | control.freeze | control.unfreeze;
        add("box_ctl", None, At::Word(control.offset), bits.into());
    }
    if let Some(status) = &kind.status {
        add(
            "box_status",
            None,
            At::Word(status.offset),
            status.overflow.into(),
        );
    }
    all
}

/// All bits of an event control register that have a meaning.
fn control_bits(control: &Control) -> u32 {
    let queue_reset = control.queue_reset.unwrap_or(0);
    control.writable | control.enable | control.acts | queue_reset
}

/// A register that acts on a whole package.
#[derive(Clone, Copy)]
pub(crate) struct GlobalRegister {
    pub(crate) msr: u32,
    /// Bits that may be written 1.
    pub(crate) bits: u64,
    /// Bits that are a command to let the counters run.
    pub(crate) command: u64,
}

impl GlobalRegister {
    /// Returns the register with a name; `None` if there is none.
    pub(crate) fn find(platform: &'static Platform, name: &str) -> Option<Self> {
        let rows = surveyed(platform.name);
        match name {
            "ctl" => {
                let global = platform.global.as_ref()?;
                let (run, command) = match global.run {
                    Run::Command(bits) => (bits, bits),
                    Run::Level(bits) => (bits, 0),
                };
                Some(Self {
                    msr: global.control,
                    bits: u64::from(run) | added_bits(rows, GLOBAL, "ctl"),
                    command: command.into(),
                })
            }
            "status" => {
                let interrupt = platform.interrupt()?;
                let boxes = platform.box_types.iter();
                let bits = boxes.flat_map(|kind| kind.global_status);
                Some(Self {
                    msr: interrupt.status,
                    bits: bits.fold(0, |all, bits| all | bits),
                    command: 0,
                })
            }
            _ => {
                let mut rows = rows.iter();
                let row = rows.find(|row| row.unit == GLOBAL && row.register == name)?;
                Some(Self {
                    msr: row.place?.into(),
                    bits: row.bits,
                    command: 0,
                })
            }
        }
    }
}
