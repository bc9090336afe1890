// SPDX-License-Identifier: GPL-2.0

//! Whether a box is really there, and bringing its registers to the state after a reset.
//!
//! At load firmware, another tool or an earlier kernel may have left anything in the registers,
//! and what an ID or a count promises may be hidden. So a control register and a counter are
//! written and read back, with nothing enabled, and restored; only a box that keeps what is
//! written gets a PMU.

use super::{
    absence::Absence,
    box_type::{
        BoxType,
        Counter, //
    },
    bus::Bus,
    count, //
};
use kernel::prelude::*;

#[cfg(KUNIT_SUITES)]
mod tests;

/// Every bit is once 0 and once 1.
const PATTERNS: [u64; 2] = [0x5555_5555_5555_5555, 0xaaaa_aaaa_aaaa_aaaa];

/// Bits of control registers that are tried: event select and umask, which do nothing while the
/// counter is not enabled.
const TRIED: u32 = 0xffff;

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
        let value = super::field::low_half(pattern) & tried;
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

/// Brings all registers of the box to the state after a reset: nothing enabled, no filters,
/// counters at 0, not frozen. A counter that always runs is left alone.
///
/// # Errors
///
/// Those of the accesses; the registers that can be written are.
pub(super) fn reset<B: Bus>(bus: &B, kind: &BoxType) -> Result {
    let mut result = Ok(());
    let mut and = |step: Result| {
        if result.is_ok() {
            result = step;
        }
    };
    let counters = || {
        let general = kind.counters.iter().map(|at| (at.control, at.counter));
        let fixed = kind.fixed.iter().filter_map(|at| {
            let control = at.control.as_ref()?;
            Some((control.offset, at.counter))
        });
        Iterator::chain(general, fixed)
    };
    for (control, _) in counters() {
        and(bus.write(control, 0));
    }
    for filter in kind.filters {
        and(bus.write(filter.offset, 0));
    }
    for (_, counter) in counters() {
        and(bus.write_counter(counter, 0));
    }
    if let Some(control) = &kind.box_control {
        and(bus.write(control.offset, control.reset));
        and(bus.write(control.offset, control.unfreeze));
    }
    result
}
