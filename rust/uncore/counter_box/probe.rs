// SPDX-License-Identifier: GPL-2.0

//! Probe of a box: tests that it answers, measures what the tables leave open, and resets it.
//!
//! At load, firmware, another tool or an earlier kernel may have left any value in the registers. A
//! box that a PCI ID or a count promises may be hidden. So the driver writes a control register and
//! a counter, reads them back, with nothing enabled, and restores them. Only a box whose control
//! register keeps what is written gets a PMU, or one whose counters always run and can be read. No
//! source promises that a counter can be written: one that refuses or ignores writes is only read, and
//! its box [cannot preset](Probed::presets) it. Bits that were not tried may read as anything. Filter
//! registers in a PCI function of their own are tested like them and left at 0.

use super::bus::{
    write_control,
    Bus,
    Unused, //
};
use crate::linux::clock;
use crate::uncore::{
    absence::MissingReason,
    request::{
        assign::{
            bit,
            MAX_FIXED, //
        },
        group::CounterIndex, //
    },
    table::{
        box_type::{
            Access,
            BoxType,
            Control,
            Counter,
            FilterRegister,
            Fixed,
            FixedControl, //
        },
        field::{
            low_half,
            mask,
            Words, //
        }, //
    }, //
};
use kernel::{
    prelude::*,
    time::{
        delay::fsleep,
        Delta, //
    }, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

/// Time after which a counter that has not counted is taken for stopped.
pub(crate) const COUNT_TIMEOUT_NS: u64 = 1_000_000;

/// Time between two looks at a counter.
pub(crate) const LOOK_NS: i64 = 20_000;

/// Test values: each bit is 0 in one and 1 in the other.
const PATTERNS: [u64; 2] = [0x5555_5555_5555_5555, 0xaaaa_aaaa_aaaa_aaaa];

/// Bits of control registers that are tested, unless they do more than choose what is counted: event
/// select and umask, which have no effect while the counter is disabled.
const TESTED: u32 = 0xffff;

/// The value that is read of a dword of configuration space that does not answer.
const ALL_ONES: u64 = 0xffff_ffff;

/// First offset of extended configuration space, which not every machine and kernel can access.
const EXTENDED: u16 = 0x100;

/// Measured widths of the fixed counters in bits; `None` where the table's width is right.
pub(crate) type FixedWidths = [Option<u8>; MAX_FIXED];

/// Findings of the probe about a box that answers.
#[derive(Clone, Copy)]
pub(crate) struct Probed {
    /// The type, or the first of its alternatives that answers.
    pub(crate) kind: &'static BoxType,
    /// Tells whether counters keep what is written.
    pub(crate) presets: bool,
}

/// Answer of a counter to writes, ordered from bad to good.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kept {
    /// It, or its control register, holds something else than before or what was written, or
    /// cannot be seen.
    Nothing,
    /// Its control register keeps what is written, and it refuses or ignores writes.
    Control,
    /// It keeps what is written.
    All,
}

/// Tests how the registers of a box answer to writes, and restores them.
///
/// # Errors
///
/// The reason why the box cannot be used.
pub(crate) fn probe<U: Unused>(
    registers: &U,
    kind: &'static BoxType,
) -> Result<Probed, MissingReason> {
    if kind.counters.is_empty() {
        return registers.access(|bus| test_readable(bus, kind));
    }
    let unreachable = |_| MissingReason::Unreachable;
    if kind.alternative.is_none() {
        // Where the table is certain, one counter stands for all.
        let first = kind.counters.get(..1).ok_or(MissingReason::Unseen)?;
        let kept = test_counters(registers, kind, first).map_err(unreachable)?;
        return found(kind, kept).ok_or(MissingReason::Silent);
    }
    let mut unwritable = None;
    for reading in kind.readings() {
        match test_counters(registers, reading, reading.counters).map_err(unreachable)? {
            Kept::Nothing => {}
            // The last width is the narrowest, in which all others wrap as well.
            Kept::Control if has_same_places(kind) => unwritable = found(reading, Kept::Control),
            Kept::Control => {}
            Kept::All => return found(reading, Kept::All).ok_or(MissingReason::Silent),
        }
    }
    unwritable.ok_or(MissingReason::Silent)
}

/// Returns what is found of a box of this type, if it keeps enough.
fn found(kind: &'static BoxType, kept: Kept) -> Option<Probed> {
    let presets = kept == Kept::All;
    (kept != Kept::Nothing).then_some(Probed { kind, presets })
}

/// Returns whether all alternatives have their counters where the type has them. Otherwise only a
/// write tells a counter from a place without one.
fn has_same_places(kind: &'static BoxType) -> bool {
    kind.readings().all(|other| {
        let mut pairs = kind.counters.iter().zip(other.counters);
        pairs.all(|(a, b)| a.counter == b.counter)
    })
}

/// Tests that a counter can be read, of a box whose counters all run always. Nothing is written.
fn test_readable<B: Bus>(bus: &B, kind: &'static BoxType) -> Result<Probed, MissingReason> {
    let mut counters = kind.fixed.iter();
    let answers = counters.any(|at| bus.read_counter(at.counter, at.bits()).is_ok());
    let found = Probed {
        kind,
        presets: false,
    };
    answers.then_some(found).ok_or(MissingReason::Unreachable)
}

/// Tests how counters of a box, and their control registers, answer to writes. Returns the worst.
fn test_counters<U: Unused>(registers: &U, kind: &BoxType, counters: &[Counter]) -> Result<Kept> {
    let mut worst = Kept::All;
    for at in counters {
        worst = worst.min(registers.access(|bus| test_counter_pair(bus, kind, at))?);
        if worst == Kept::Nothing {
            break;
        }
    }
    Ok(worst)
}

/// Tests how a counter and its control register answer to writes.
fn test_counter_pair<B: Bus>(bus: &B, kind: &BoxType, at: &Counter) -> Result<Kept> {
    let layout = &kind.control;
    let control = bus.read(at.control)?;
    // The counter is tested second: the test of the control register leaves it disabled.
    let kept = match test_control(bus, kind, at)? {
        true => test_counter(bus, kind, at)?,
        false => Kept::Nothing,
    };
    let control = control & layout.writable;
    if control != 0 {
        put_control(bus, layout, at.control, control)?;
    }
    Ok(kept)
}

/// Returns whether a control register keeps what is written. It is left at 0.
fn test_control<B: Bus>(bus: &B, kind: &BoxType, at: &Counter) -> Result<bool> {
    let layout = &kind.control;
    let tested = TESTED & layout.writable & !untested(layout);
    let mut kept = true;
    for pattern in PATTERNS {
        let value = low_half(pattern) & tested;
        put_control(bus, layout, at.control, value)?;
        kept &= bus.read(at.control)? & tested == value;
    }
    put_control(bus, layout, at.control, 0)?;
    Ok(kept)
}

/// Returns the bits of a control register that let the counter count or interrupt, that act, or that
/// the part may lack.
fn untested(layout: &Control) -> u32 {
    let [queue_reset, overflow_enable] =
        [layout.queue_reset, layout.overflow_enable].map(|bit| bit.unwrap_or(0));
    layout.enable | layout.acts | layout.uncertain | queue_reset | overflow_enable
}

/// Tests how a stopped counter answers to writes, and restores it.
fn test_counter<B: Bus>(bus: &B, kind: &BoxType, at: &Counter) -> Result<Kept> {
    let mask = mask(kind.width);
    let read = || bus.read_counter(at.counter, mask).map(|read| read & mask);
    let before = read()?;
    let (mut keeps, mut ignores) = (true, true);
    for pattern in PATTERNS.map(|pattern| pattern & mask) {
        // A counter that cannot be read either is unreachable.
        let refused = bus.write_counter(at.counter, mask, pattern).is_err();
        let now = read()?;
        keeps &= now == pattern && !refused;
        ignores &= now == before && bus.is_shown(at.counter, mask)?;
    }
    if ignores {
        return Ok(Kept::Control);
    }
    let before = kind
        .misread
        .map_or(before, |misread| misread.writable(before));
    bus.write_counter(at.counter, mask, before & mask)?;
    Ok(if keeps { Kept::All } else { Kept::Nothing })
}

/// Tests that the filter registers keep what is written, and leaves them at 0.
///
/// # Errors
///
/// The reason why the filter registers cannot be used.
pub(crate) fn probe_filters<B: Bus>(bus: &B, kind: &BoxType) -> Result<(), MissingReason> {
    let tested = kind.filters.iter().try_for_each(|filter| {
        test_filter(bus, filter).map_err(|reason| match reason {
            MissingReason::Silent | MissingReason::Unreachable
                if is_unreachable_extended(bus, filter) =>
            {
                MissingReason::NotExtended
            }
            _ => reason,
        })
    });
    // Registers that cannot be accessed need not be cleared: the first reason counts.
    let cleared = clear_filters(bus, kind, &Words::default());
    tested?;
    cleared.map_err(|_| MissingReason::Unreachable)
}

/// Tests that a filter register keeps what is written.
fn test_filter<B: Bus>(bus: &B, filter: &FilterRegister) -> Result<(), MissingReason> {
    for pattern in PATTERNS {
        let value = pattern & filter.writable;
        let read = bus
            .write_filter(filter.place, value)
            .and_then(|()| bus.read_filter(filter.place));
        match read {
            Ok(read) if read & filter.writable == value => {}
            Ok(_) => return Err(MissingReason::Silent),
            Err(_) => return Err(MissingReason::Unreachable),
        }
    }
    Ok(())
}

/// Returns whether a register is in extended configuration space and does not answer, though other
/// registers of its function may.
fn is_unreachable_extended<B: Bus>(bus: &B, filter: &FilterRegister) -> bool {
    let silent = match bus.read_filter(filter.place) {
        Ok(value) => matches!(value, 0 | ALL_ONES),
        // ENODEV means that the whole function is gone.
        Err(error) => error != ENODEV,
    };
    filter.place.offset() >= Some(EXTENDED) && silent
}

/// Resets the filter registers: no filter. A guard is off before the registers that it guards are
/// written. Those that the box lacks, or has not tried, are left as they are.
///
/// # Errors
///
/// The first error of the accesses; all registers are written if possible.
pub(crate) fn clear_filters<B: Bus>(bus: &B, kind: &BoxType, lacking: &Words) -> Result {
    let mut result = Ok(());
    for filter in kind.filters.iter().filter(|at| at.tried(lacking) != 0) {
        result = result.and(bus.write_filter(filter.place, 0));
    }
    result
}

/// Resets all other registers of the box, as [`reset_counters`] and [`reset_box`].
///
/// # Errors
///
/// The first error of the accesses; all registers are written if possible.
pub(crate) fn reset<B: Bus>(bus: &B, kind: &BoxType) -> Result {
    let counters = reset_counters(bus, kind);
    counters.and(reset_box(bus, kind))
}

/// Resets all counters, as [`reset_counter`].
///
/// # Errors
///
/// The first error of the accesses; all registers are written if possible.
pub(crate) fn reset_counters<B: Bus>(bus: &B, kind: &BoxType) -> Result {
    let counters = CounterIndex::all(kind).map(|counter| reset_counter(bus, kind, counter));
    counters.fold(Ok(()), Result::and)
}

/// Resets a counter with its control register: not enabled, 0 if it can be written. A counter that
/// always runs is not written.
///
/// # Errors
///
/// The first error of the accesses; all registers are written if possible.
pub(crate) fn reset_counter<B: Bus>(bus: &B, kind: &BoxType, counter: CounterIndex) -> Result {
    let at = match counter {
        CounterIndex::General(index) => {
            let at = kind.counters.get(usize::from(index));
            at.map(|at| (at.control, at.counter, mask(kind.width)))
        }
        CounterIndex::Fixed(index) => {
            let at = kind.fixed.get(usize::from(index));
            at.and_then(|at| Some((at.control.as_ref()?.offset, at.counter, at.bits())))
        }
    };
    let Some((control, counter, bits)) = at else {
        return Ok(());
    };
    let stopped = put_control(bus, &kind.control, control, 0);
    // A counter that refuses writes can still be read.
    let cleared = bus.write_counter(counter, bits, 0);
    stopped.and(cleared.or_else(|_| bus.read_counter(counter, bits).map(drop)))
}

/// Resets the status and the control of the box: no overflow, not frozen.
///
/// # Errors
///
/// The first error of the accesses; all registers are written if possible.
pub(crate) fn reset_box<B: Bus>(bus: &B, kind: &BoxType) -> Result {
    let mut result = Ok(());
    if let Some(status) = &kind.status {
        result = result.and(bus.write(status.offset, status.overflow));
    }
    if let Some(control) = &kind.box_control {
        for &step in Iterator::chain(control.reset.iter(), [&control.unfreeze]) {
            result = result.and(bus.write(control.offset, step));
        }
    }
    result
}

/// Writes a control register, as [`write_control`], where time does not matter.
#[inline(never)]
fn put_control<B: Bus>(bus: &B, layout: &Control, at: u16, value: u32) -> Result {
    write_control(bus, layout, at, value)
}

/// Returns whether a fixed counter counts, and leaves it stopped. No event has it. In process context:
/// this waits between any two accesses.
///
/// # Errors
///
/// Errors of the accesses.
pub(crate) fn counts(
    fixed: &Fixed,
    control: &FixedControl,
    write: impl Fn(u16, u32) -> Result,
    read: impl Fn(u16, u64) -> Result<u64>,
) -> Result<bool> {
    write(control.offset, control.enable)?;
    let start = read(fixed.counter, fixed.bits())?;
    let end = clock::monotonic_ns().saturating_add(COUNT_TIMEOUT_NS);
    let counts = loop {
        fsleep(Delta::from_nanos(LOOK_NS));
        let is_last = clock::monotonic_ns() >= end;
        let counts = read(fixed.counter, fixed.bits())? != start;
        if counts || is_last {
            break counts;
        }
    };
    write(control.offset, 0)?;
    Ok(counts)
}

/// Returns whether the box lacks its clock. The package counts, and the box was just reset. As
/// [`counts`].
///
/// # Errors
///
/// Errors of the accesses.
pub(crate) fn lacks_clock<U: Unused>(registers: &U, kind: &BoxType) -> Result<bool> {
    let clock = kind.fixed.first().filter(|_| kind.needs_clock);
    let control = clock.and_then(|fixed| Some((fixed, fixed.control.as_ref()?)));
    control.map_or(Ok(false), |(fixed, control)| {
        let write = |at, word| registers.access(|bus| bus.write(at, word));
        let read = |at, bits| registers.access(|bus| bus.read_counter(at, bits));
        counts(fixed, control, write, read).map(|counts| !counts)
    })
}

/// Returns the fixed counters that always run and cannot be read, as a bit mask. Such a counter can
/// be outside the box's own registers, and some machines lack it.
pub(crate) fn unreadable_fixed<B: Bus>(bus: &B, kind: &BoxType) -> u8 {
    let is_there = |at: &Fixed| match kind.access {
        Access::Pci(_) => counts_or_keeps(bus, at),
        Access::Msr { .. } | Access::Memory(_) => {
            bus.read_counter(at.counter, at.bits()).map(|_| true)
        }
    };
    (0..u8::MAX)
        .zip(kind.fixed)
        .filter(|(_, at)| at.control.is_none() && is_there(at) != Ok(true))
        .fold(0, |unreadable, (index, _)| unreadable | bit(index))
}

/// Returns whether a counter that always runs is a register: it has counted, or it keeps what is
/// written. Configuration space without a register reads 0.
fn counts_or_keeps<B: Bus>(bus: &B, at: &Fixed) -> Result<bool> {
    if bus.read_counter(at.counter, at.bits())? != 0 {
        return Ok(true);
    }
    bus.write_counter(at.counter, at.bits(), at.bits() >> 1)?;
    let kept = bus.read_counter(at.counter, at.bits())? != 0;
    bus.write_counter(at.counter, at.bits(), 0)?;
    Ok(kept)
}

/// Measures the widths of the fixed counters that the manual leaves open. The counters are stopped,
/// and are left at 0.
pub(crate) fn fixed_widths<B: Bus>(bus: &B, kind: &BoxType) -> FixedWidths {
    let mut widths = FixedWidths::default();
    for (fixed, width) in kind.fixed.iter().zip(&mut widths) {
        if fixed.max_width == fixed.width {
            continue;
        }
        let more = fixed.bits() & !mask(fixed.width);
        let keeps = |value| {
            let read = bus
                .write_counter(fixed.counter, fixed.bits(), value)
                .and_then(|()| bus.read_counter(fixed.counter, fixed.bits()));
            read.is_ok_and(|read| read & more == value & more)
        };
        // A counter that refuses the upper bits, or does not keep them, does not have them. They
        // can read as 1 then. The last value is 0.
        let (keeps_ones, keeps_zeros) = (keeps(fixed.bits()), keeps(0));
        if keeps_ones && keeps_zeros {
            *width = Some(fixed.max_width);
        }
    }
    widths
}
