// SPDX-License-Identifier: GPL-2.0

//! Whether a box is really there, and bringing its registers to the state after a reset.
//!
//! At load firmware, another tool or an earlier kernel may have left anything in the registers,
//! and what an ID or a count promises may be hidden. So a control register and a counter are
//! written and read back, with nothing enabled, and restored; only a box that keeps what is
//! written gets a PMU. The same with filter registers in a function of their own, which are left
//! at 0.

use super::{
    absence::Absence,
    box_type::{
        BoxType,
        Counter,
        FilterRegister, //
    },
    bus::Bus,
    count,
    field::low_half, //
};
use kernel::prelude::*;

#[cfg(KUNIT_SUITES)]
mod tests;

/// Every bit is once 0 and once 1.
const PATTERNS: [u64; 2] = [0x5555_5555_5555_5555, 0xaaaa_aaaa_aaaa_aaaa];

/// Bits of control registers that are tried: event select and umask, which do nothing while the
/// counter is not enabled.
const TRIED: u32 = 0xffff;

/// Registers from here on are in extended configuration space, which not every machine and kernel
/// can access.
const EXTENDED: u16 = 0x100;

/// Whether the box keeps what is written. Leaves it as it was.
pub(super) fn probe<B: Bus>(bus: &B, kind: &BoxType) -> Result<(), Absence> {
    let counter = kind.counters.first().ok_or(Absence::Unseen)?;
    match keeps(bus, kind, counter) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Absence::Silent),
        Err(_) => Err(Absence::Unreachable),
    }
}

/// Tries a counter and its control register.
fn keeps<B: Bus>(bus: &B, kind: &BoxType, at: &Counter) -> Result<bool> {
    let control = bus.read(at.control)?;
    let kept = keeps_control(bus, kind, at)?;
    // The control register now has the counter disabled.
    let kept = kept && keeps_counter(bus, kind, at)?;
    bus.write(at.control, control & kind.control.writable)?;
    Ok(kept)
}

fn keeps_control<B: Bus>(bus: &B, kind: &BoxType, at: &Counter) -> Result<bool> {
    let tried = TRIED & kind.control.writable;
    let mut kept = true;
    for pattern in PATTERNS {
        let value = low_half(pattern) & tried;
        bus.write(at.control, value)?;
        kept &= bus.read(at.control)? == value;
    }
    bus.write(at.control, 0)?;
    Ok(kept)
}

fn keeps_counter<B: Bus>(bus: &B, kind: &BoxType, at: &Counter) -> Result<bool> {
    let mask = count::mask(kind.width);
    let before = bus.read_counter(at.counter)?;
    let mut kept = true;
    for pattern in PATTERNS {
        bus.write_counter(at.counter, pattern & mask)?;
        kept &= bus.read_counter(at.counter)? & mask == pattern & mask;
    }
    bus.write_counter(at.counter, before & mask)?;
    Ok(kept)
}

/// Whether the filter registers keep what is written. Leaves them at 0.
pub(super) fn probe_filters<B: Bus>(bus: &B, kind: &BoxType) -> Result<(), Absence> {
    let kept = kind.filters.iter().try_for_each(|filter| {
        let kept = keeps_filter(bus, filter);
        kept.map_err(|absence| match absence {
            Absence::Silent | Absence::Unreachable if is_cut_off(bus, filter) => {
                Absence::NotExtended
            }
            _ => absence,
        })
    });
    // What cannot be reached has nothing to be put back.
    let cleared = clear_filters(bus, kind);
    kept?;
    cleared.map_err(|_| Absence::Unreachable)
}

fn keeps_filter<B: Bus>(bus: &B, filter: &FilterRegister) -> Result<(), Absence> {
    for pattern in PATTERNS {
        let value = low_half(pattern) & filter.writable;
        let kept = bus
            .write_filter(filter.offset, value)
            .and_then(|()| bus.read_filter(filter.offset));
        match kept {
            Ok(kept) if kept & filter.writable == value => {}
            Ok(_) => return Err(Absence::Silent),
            Err(_) => return Err(Absence::Unreachable),
        }
    }
    Ok(())
}

/// Whether a register is out of reach while others of its function may be in reach.
fn is_cut_off<B: Bus>(bus: &B, filter: &FilterRegister) -> bool {
    let silent = match bus.read_filter(filter.offset) {
        Ok(value) => matches!(value, 0 | u32::MAX),
        // Of a function that is gone.
        Err(error) => error != ENODEV,
    };
    filter.offset >= EXTENDED && silent
}

/// Brings the filter registers to the state after a reset: no filter.
///
/// # Errors
///
/// Those of the accesses; the registers that can be written are.
pub(super) fn clear_filters<B: Bus>(bus: &B, kind: &BoxType) -> Result {
    let registers = kind.filters.iter();
    all(registers.map(|filter| bus.write_filter(filter.offset, 0)))
}

/// Brings all other registers of the box to the state after a reset: nothing enabled, counters at
/// 0, not frozen. A counter that always runs is left alone.
///
/// # Errors
///
/// Those of the accesses; the registers that can be written are.
pub(super) fn reset<B: Bus>(bus: &B, kind: &BoxType) -> Result {
    let counters = || {
        let general = kind.counters.iter().map(|at| (at.control, at.counter));
        let fixed = kind.fixed.iter().filter_map(|at| {
            let control = at.control.as_ref()?;
            Some((control.offset, at.counter))
        });
        Iterator::chain(general, fixed)
    };
    let stopped = all(counters().map(|(control, _)| bus.write(control, 0)));
    let cleared = all(counters().map(|(_, counter)| bus.write_counter(counter, 0)));
    let freed = kind.box_control.as_ref().map_or(Ok(()), |control| {
        let steps = [control.reset, control.unfreeze];
        all(steps
            .into_iter()
            .map(|step| bus.write(control.offset, step)))
    });
    stopped.and(cleared).and(freed)
}

/// Takes every step, and gives the first error.
fn all(steps: impl Iterator<Item = Result>) -> Result {
    steps.fold(Ok(()), Result::and)
}
