// SPDX-License-Identifier: GPL-2.0

//! Every register of Sandy Bridge client: address, reset value, what is stored, which
//! writes break a rule. A row is typed from sections 1 to 3 of the reference.

use uncore_machine::Rule;

use super::{usual, CONFIG, CONTROL, FIXED_CTR, FIXED_CTRL, LARGEST, OVF_CTRL, STATUS};
use crate::registers::{check_counter_msr_on, check_on, stored, At, Bits};

fn check_msr(msr: u32, bits: Bits) {
    check_on(LARGEST, At::Msr(msr), bits);
}

#[test]
fn global_control() {
    let control = Bits {
        reserved: 0x1fff_fff0,
        ..stored(7 << 29 | 0xf, 0)
    };
    check_msr(CONTROL, control);
    let mut bench = usual();
    bench.wr(0, CONTROL, 1 << 32);
    assert_eq!(bench.broken(), [(Rule::HighHalf, 1 << 32)]);
    assert_eq!(bench.rd(0, CONTROL), 0);
}

#[test]
fn global_status() {
    const BITS: u64 = 0b1011;
    for register in [STATUS, OVF_CTRL] {
        let mut bench = usual();
        assert_eq!(bench.rd(0, register), 0);
        for bit in 0..64 {
            bench.command(&format!("poke-msr 0 {STATUS} {}", u64::MAX));
            assert_eq!(bench.rd(0, STATUS), BITS);
            bench.wr(0, register, 1 << bit);
            let cleared = if register == OVF_CTRL { 1 << bit } else { 0 };
            assert_eq!(bench.rd(0, STATUS), BITS & !cleared);
            let broken = bench.broken();
            if BITS >> bit & 1 == 1 {
                assert_eq!(broken, [], "bit {bit}");
            } else {
                assert_eq!(broken, [(Rule::Reserved, 1 << bit)]);
            }
        }
        assert_eq!(bench.rd(0, OVF_CTRL), 0, "it keeps nothing");
    }
}

#[test]
fn number_of_c_boxes() {
    let mut bench = usual();
    assert_eq!(bench.rd(0, CONFIG), 5);
    bench.wr(0, CONFIG, 3);
    assert_eq!(bench.broken(), [(Rule::ReadOnly, 0xf)]);
    assert_eq!(bench.rd(0, CONFIG), 5);
}

#[test]
fn fixed_counter() {
    let control = Bits {
        reserved: !(1 << 22 | 1 << 20),
        ..stored(1 << 22 | 1 << 20, 0)
    };
    check_msr(FIXED_CTRL, control);
    check_counter_msr_on(LARGEST, FIXED_CTR, 48);
}

/// CMASK 28:24, INV, EN, OVF_EN, E, UMASK, event select.
const EVENT_SELECT: Bits = Bits {
    reserved: 7 << 29 | 1 << 21 | 1 << 19 | 3 << 16,
    ..stored(0x1f << 24 | 0b11 << 22 | 1 << 20 | 1 << 18 | 0xffff, 0)
};

#[test]
fn arb() {
    for counter in [0x3b0, 0x3b1] {
        check_counter_msr_on(LARGEST, counter, 44);
    }
    for control in [0x3b2, 0x3b3] {
        check_msr(control, EVENT_SELECT);
    }
}

#[test]
fn c_boxes() {
    for n in 0..4 {
        for k in 0..2 {
            check_msr(0x700 + 0x10 * n + k, EVENT_SELECT);
            check_counter_msr_on(LARGEST, 0x706 + 0x10 * n + k, 44);
        }
    }
}

/// Registers of one source only answer; what no source has faults.
#[test]
fn other_registers_of_c_boxes() {
    let mut bench = usual();
    for offset in 0..0x10 {
        let documented = matches!(offset, 0 | 1 | 6 | 7);
        let listed = matches!(offset, 2 | 3 | 5 | 8 | 9);
        let msr = 0x710 + offset;
        assert_eq!(bench.read_faults(0, msr), Some(!documented && !listed));
        assert_eq!(bench.write_faults(0, msr), Some(!documented && !listed));
        let accesses = if documented { 0 } else { 2 };
        let broken = vec![(Rule::Undocumented, 0); accesses];
        assert_eq!(bench.broken(), broken, "{msr:#x}");
        if listed {
            bench.wr(0, msr, 0xff);
            assert_eq!(bench.rd(0, msr), 0, "it does nothing");
            bench.broken();
        }
    }
}

/// The registers of Nehalem and of other parts between them are not the machine's.
#[test]
fn neighbours() {
    let mut bench = usual();
    for msr in [0x390, 0x397, 0x3af, 0x3b4, 0x6ff, 0xc00] {
        assert_eq!(bench.read_faults(0, msr), None, "{msr:#x}");
    }
}

/// No bit of an event select resets its counter.
#[test]
fn a_reserved_bit_resets_nothing() {
    let mut bench = usual();
    bench.wr(0, 0x706, 77);
    bench.wr(0, 0x700, 1 << 17);
    assert_eq!(bench.rd(0, 0x706), 77);
    assert_eq!(bench.broken(), [(Rule::Reserved, 1 << 17)]);
}
