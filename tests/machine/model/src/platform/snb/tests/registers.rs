// SPDX-License-Identifier: GPL-2.0

//! The global registers of Sandy Bridge client, and what is beside its registers.

use uncore_machine::Rule;

use super::{usual, CONFIG, CONTROL, LARGEST, OVF_CTRL, STATUS};
use crate::registers::{check_on, stored, At, Bits};

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

/// The registers of other parts between them are not the machine's.
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
