// SPDX-License-Identifier: GPL-2.0

//! The global registers of BDX, and the registers on which the sources disagree.

use uncore_machine::Rule;

use super::{usual, LARGEST};
use crate::bench::{uncore, Bench, IRP};
use crate::registers::{check_counter_config_on, check_on, stored, At, Bits};

fn check_msr(msr: u32, bits: Bits) {
    check_on(LARGEST, At::Msr(msr), bits);
}

#[test]
fn global_registers() {
    let control = Bits {
        reserved: 0x1ff << 18,
        ..stored(1 << 30 | 0x3_ffff, 3 << 27)
    };
    let config = Bits {
        reserved: !0x1f,
        reset: 18,
        ..stored(0x1f, 0)
    };
    check_msr(0x700, control);
    check_msr(0x702, config);
}

#[test]
fn global_status_is_wider_than_32_bits() {
    const BITS: u64 = 0b111 | 0x1ff << 21 | 0b11 << 34;
    let mut bench = usual();
    assert_eq!(bench.rd(0, 0x701), 0);
    for bit in 0..64 {
        bench.command(&format!("poke-msr 0 0x701 {}", u64::MAX));
        assert_eq!(bench.rd(0, 0x701), BITS);
        bench.wr(0, 0x701, 1 << bit);
        assert_eq!(bench.rd(0, 0x701), BITS & !(1 << bit));
        let broken = bench.broken();
        if BITS >> bit & 1 == 1 {
            assert_eq!(broken, [], "bit {bit}");
        } else {
            assert_eq!(broken, [(Rule::Reserved, 1 << bit)]);
        }
    }
}

#[test]
fn no_register_between() {
    let mut bench = usual();
    assert_eq!(bench.read_faults(0, 0x707), Some(true), "no register");
}

const COUNTERS: [u16; 4] = [0xa0, 0xa8, 0xb0, 0xb8];

#[test]
fn irp_registers_as_the_kernel_has_them() {
    for low in COUNTERS {
        check_counter_config_on("platform=bdx,reading=B-2:b", IRP, low, 48);
    }
}

/// Software may try where the counters are.
#[test]
fn irp_registers_of_the_other_source_keep_nothing() {
    for (options, other) in [
        ("platform=bdx", [0xa8, 0xac]),
        ("platform=bdx,reading=B-2:b", [0xc0, 0xc4]),
    ] {
        let mut bench = Bench::new(options);
        for offset in other {
            bench.set(IRP, offset, 0x5555);
            assert_eq!(bench.cfg(IRP, offset), 0);
        }
        bench.assert_clean();
        bench.set(IRP, 0xc8, 1);
        assert_eq!(bench.broken(), [(Rule::Undocumented, 0)]);
    }
}

#[test]
fn rates_of_links() {
    let mut bench = Bench::new(LARGEST);
    for device in [8, 10] {
        assert_eq!(bench.cfg(uncore(device, 0), 0xd4), 0b101, "8 GT/s");
        bench.set(uncore(device, 0), 0xd4, 0x2);
        assert_eq!(bench.broken(), [(Rule::ReadOnly, 0x7)]);
    }
}
