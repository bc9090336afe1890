// SPDX-License-Identifier: GPL-2.0

//! The step `interrupt PACKAGE BITS WHAT`: an overflow under some conditions, and its result as a
//! number.
//!
//! ```text
//! usual       PMIs are enabled, and wake cores
//! asleep      PMIs wake no core
//! disabled    IA32_DEBUGCTL does not enable PMIs of the uncore
//! masked      LVTPC drops PMIs until a moment after the overflow
//!
//! bits 15:0   cores that were interrupted at once
//! bits 31:16  all cores that were interrupted
//! bits 47:32  number of NMIs
//! bit  48     IA32_DEBUGCTL has the bit
//! ```

use super::register::number;
use crate::uncore::overflow::trial::{
    Conditions,
    Interrupted, //
};

/// Parses the conditions.
pub(super) fn parse(bits: &str, what: &str) -> Option<Conditions> {
    let usual = Conditions {
        bits: number(bits)?.try_into().ok()?,
        wakes: true,
        enabled: true,
        masked: false,
    };
    match what {
        "usual" => Some(usual),
        "asleep" => Some(Conditions {
            wakes: false,
            ..usual
        }),
        "disabled" => Some(Conditions {
            enabled: false,
            ..usual
        }),
        "masked" => Some(Conditions {
            masked: true,
            ..usual
        }),
        _ => None,
    }
}

/// Returns the result as a number.
pub(super) fn value(interrupted: &Interrupted) -> u64 {
    let field = |value: u64, low: u32| (value & 0xffff).checked_shl(low).unwrap_or(0);
    field(interrupted.at_once.0, 0)
        | field(interrupted.all.0, 16)
        | field(interrupted.nmis.into(), 32)
        | u64::from(interrupted.has_enable) << 48
}
