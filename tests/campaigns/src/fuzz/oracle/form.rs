// SPDX-License-Identifier: GPL-2.0

//! Demands of perf on any attribute: the rules of perf_event_open(2), and those that only
//! the kernel's own checks have.

use super::reason::Reason;
use crate::fuzz::attr::{flag, format, sample, Attr};
use crate::fuzz::attr::{Field, FIRST_SIZE};
use crate::fuzz::attr::{
    AUX_ACTION, AUX_SAMPLE_SIZE, BRANCHES, CLOCK, KERNEL_REGISTERS, MAX_STACK, PERIOD, READ_FORMAT,
    RESERVED2, RESERVED3, SAMPLE_TYPE, SIZE, USER_REGISTERS, USER_STACK,
};

const PAGE: u32 = 4096;

/// Branch sample bits that select a privilege. `BRANCHES` are all bits.
const PRIVILEGES: u64 = 0x7;
const ALL_BRANCHES: u64 = (1 << 20) - 1;

/// Registers of a 64 bit processor, without DS, ES, FS and GS.
const REGISTERS: u64 = 0x00ff_0fff;
/// Further registers, which only some PMUs have.
const EXTENDED_REGISTERS: u64 = !0 << 32;

/// The highest frequency. The other limit is the deepest call chain.
const FASTEST: u64 = 100_000;
const DEEPEST: u64 = 127;

/// CLOCK_MONOTONIC and CLOCK_MONOTONIC_RAW.
const CLOCKS: [u64; 2] = [1, 4];

/// Returns the reasons to refuse the attribute for any event.
pub(super) fn objections(attr: &Attr) -> Vec<Reason> {
    let size = attr.taken();
    if !(FIRST_SIZE..=PAGE).contains(&size) || size > SIZE && attr.has_tail() {
        return vec![Reason::Size];
    }
    let sampled = attr.get(SAMPLE_TYPE);
    let deep = sampled & sample::CALLCHAIN != 0 && attr.get(MAX_STACK) > DEEPEST;
    let malformed = reserved(attr) || samples(attr, sampled) || flags(attr, sampled);
    let wrong = [
        (malformed || period(attr) || clock(attr), Reason::Attribute),
        (deep, Reason::Stack),
        (auxiliary(attr), Reason::Auxiliary),
        (
            attr.get(AUX_SAMPLE_SIZE) != 0 || attr.get(AUX_ACTION) & 0b110 != 0,
            Reason::Attribute,
        ),
    ];
    let wrong = wrong.into_iter().filter(|(wrong, _)| *wrong);
    wrong.map(|(_, reason)| reason).collect()
}

fn reserved(attr: &Attr) -> bool {
    attr.has(flag::RESERVED)
        || attr.get(RESERVED2) != 0
        || attr.get(RESERVED3) != 0
        || attr.get(SAMPLE_TYPE) & !sample::ALL != 0
        || attr.get(READ_FORMAT) & !format::ALL != 0
}

fn samples(attr: &Attr, sampled: u64) -> bool {
    let has = |bits| sampled & bits != 0;
    let branches = attr.get(BRANCHES);
    let stack = attr.get(USER_STACK);
    has(sample::BRANCHES) && (branches & !ALL_BRANCHES != 0 || branches & !PRIVILEGES == 0)
        || has(sample::USER_REGISTERS) && !registers(attr, USER_REGISTERS)
        || has(sample::KERNEL_REGISTERS) && !registers(attr, KERNEL_REGISTERS)
        || has(sample::USER_STACK) && (stack >= 0xffff || stack % 8 != 0)
        || has(sample::WEIGHT) && has(sample::WEIGHTS)
        || has(sample::CGROUP)
}

fn registers(attr: &Attr, field: Field) -> bool {
    let registers = attr.get(field);
    registers != 0 && registers & !(REGISTERS | EXTENDED_REGISTERS) == 0
}

fn flags(attr: &Attr, sampled: u64) -> bool {
    let inherits = attr.has(flag::INHERIT);
    attr.has(flag::INHERIT_THREAD) && !inherits
        || attr.has(flag::REMOVE_ON_EXEC) && attr.has(flag::ENABLE_ON_EXEC)
        // A signal needs a task, and an uncore event has none.
        || attr.has(flag::SIGTRAP)
        || inherits && sampled & sample::READ != 0 && sampled & sample::TID == 0
}

fn period(attr: &Attr) -> bool {
    let period = attr.get(PERIOD);
    if attr.has(flag::FREQ) {
        period > FASTEST
    } else {
        period >> 63 != 0
    }
}

fn clock(attr: &Attr) -> bool {
    attr.has(flag::USE_CLOCK) && !CLOCKS.contains(&attr.get(CLOCK))
}

fn auxiliary(attr: &Attr) -> bool {
    attr.has(flag::AUX_OUTPUT)
        || attr.get(AUX_ACTION) & 0b001 != 0
        || (attr.get(USER_REGISTERS) | attr.get(KERNEL_REGISTERS)) & EXTENDED_REGISTERS != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::attr::CONFIG;

    fn with(fields: &[(Field, u64)]) -> Vec<Reason> {
        let mut attr = Attr::new();
        for &(field, value) in fields {
            attr.set(field, value);
        }
        objections(&attr)
    }

    #[test]
    fn what_perf_asks_for_is_right() {
        let asked = with(&[(CONFIG, 0x134), (READ_FORMAT, 0xf), (SAMPLE_TYPE, 1 << 16)]);
        assert_eq!(asked, []);
    }

    #[test]
    fn wrong_attributes_are_named() {
        for (field, value) in [
            (READ_FORMAT, 0x20),
            (SAMPLE_TYPE, 1 << 25),
            (SAMPLE_TYPE, sample::USER_REGISTERS),
            (PERIOD, 1 << 63),
            (RESERVED2, 1),
            (AUX_SAMPLE_SIZE, 1),
        ] {
            assert_eq!(with(&[(field, value)]), [Reason::Attribute], "{field:?}");
        }
        assert_eq!(with(&[(AUX_ACTION, 1)]), [Reason::Auxiliary]);
        let deep = [(SAMPLE_TYPE, sample::CALLCHAIN), (MAX_STACK, 128)];
        assert_eq!(with(&deep), [Reason::Stack]);
    }

    #[test]
    fn sizes_are_those_of_perf() {
        for (size, right) in [
            (0, true),
            (64, true),
            (63, false),
            (200, true),
            (4097, false),
        ] {
            let mut attr = Attr::new();
            attr.size = size;
            assert_eq!(objections(&attr).is_empty(), right, "{size}");
        }
    }
}
