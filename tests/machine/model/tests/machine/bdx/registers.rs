// SPDX-License-Identifier: GPL-2.0

//! Every register of BDX: address, reset value, what is stored, which writes break a
//! rule. A row is typed from section 2 to 14 of the reference, and is the whole statement
//! about a register.

use uncore_machine::{Function, Rule};

use super::{usual, CHANNELS, LARGEST, LINKS};
use crate::bench::{uncore, Bench, IRP};
use crate::registers::{
    check_counter_config_on, check_counter_msr_on, check_on, status, stored, At, Bits,
};

fn check_msr(msr: u32, bits: Bits) {
    check_on(LARGEST, At::Msr(msr), bits);
}

fn check_config(at: Function, offset: u16, bits: Bits) {
    check_on(LARGEST, At::Config(at, offset), bits);
}

/// BOX_CTL of C-Box, S-Box and PCU: bits 17:16 must be 1, 8, 1 and 0 act, the rest is
/// reserved.
const MSR_BOX_CTL: Bits = Bits {
    reserved: !0x0003_0103,
    ..PCI_BOX_CTL
};

/// BOX_CTL of HA, iMC, IRP and QPI: the rest is ignored.
const PCI_BOX_CTL: Bits = Bits {
    one: 0x0003_0000,
    ..stored(0x0003_0000, 0)
};

/// CTL of HA, iMC, IRP, R2PCIe and R3QPI: thresh 31:24, invert, en, ov_en, edge_det,
/// umask, ev_sel; 21 and 16 must be 0.
const COMMON_CTL: Bits = stored(0xffd4_ffff, 1 << 21 | 1 << 16);

/// BOX_STATUS of C-Box, S-Box and PCU.
const MSR_STATUS: Bits = Bits {
    reserved: 0xffff_fff0,
    ..status(0xf, 0)
};

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
fn ubox_registers() {
    let control = Bits {
        reserved: 7 << 29 | 1 << 19,
        ..stored(0x1fd4_ffff, 1 << 21 | 1 << 16)
    };
    let fixed = Bits {
        reserved: 0x1ff << 23 | 0xf_ffff,
        ..stored(1 << 22 | 1 << 20, 1 << 21)
    };
    let status = Bits {
        reserved: !3,
        ..status(3, 0)
    };
    check_msr(0x703, fixed);
    check_msr(0x705, control);
    check_msr(0x706, control);
    check_msr(0x708, status);
    for counter in [0x704, 0x709, 0x70a] {
        check_counter_msr_on(LARGEST, counter, 48);
    }
    let mut bench = usual();
    assert_eq!(bench.read_faults(0, 0x707), Some(true), "no register");
}

/// Checks a block of MSRs: BOX_CTL, four controls, then from `status` on the status and
/// four counters.
fn check_block(base: u32, control: Bits, at_status: u32) {
    check_msr(base, MSR_BOX_CTL);
    check_msr(base + at_status, MSR_STATUS);
    for counter in 0..4 {
        check_msr(base + 1 + counter, control);
        check_counter_msr_on(LARGEST, base + at_status + 1 + counter, 48);
    }
}

/// CTL of C-Box and S-Box: with tid_en, without ov_en.
const CBOX_CTL: Bits = stored(0xffcc_ffff, 1 << 21 | 1 << 20 | 1 << 16);

#[test]
fn cbox_registers() {
    let filter0 = stored(0x7f << 17 | 0x3f, 0xff << 24 | 0x7ff << 6);
    let filter1 = Bits {
        reserved: 0xf << 16,
        ..stored(3 << 30 | 0x1ff << 20 | 0xffff, 1 << 29)
    };
    // First, tenth and last; the ones between follow the stride.
    for base in [0xe00, 0xea0, 0xf70] {
        check_block(base, CBOX_CTL, 7);
        check_msr(base + 5, filter0);
        check_msr(base + 6, filter1);
    }
}

/// A control register of S-Boxes must be written without `en` first; all other bits are
/// as those of the C-Box.
#[test]
fn sbox_registers() {
    for base in [0x720, 0x72a, 0x734, 0x73e] {
        let mut bench = usual();
        for counter in 0..4 {
            bench.wr(0, base + 1 + counter, 0xffff_ffff & !(1 << 22));
            assert_eq!(bench.rd(0, base + 1 + counter), 0xff8c_ffff);
            let zero = 1 << 21 | 1 << 20 | 1 << 16;
            assert_eq!(bench.broken(), [(Rule::MustBeZero, zero)]);
            check_counter_msr_on("platform=bdx", base + 6 + counter, 48);
        }
        check_msr(base + 5, MSR_STATUS);
    }
}

#[test]
fn pcu_registers() {
    let control = Bits {
        reserved: 1 << 19 | 1 << 16 | 0x3f00,
        ..stored(0xdff4_c0ff, 1 << 29)
    };
    check_block(0x710, control, 6);
    check_msr(0x715, stored(u32::MAX, 0));
    let mut bench = Bench::new(LARGEST);
    for msr in [0x3fc, 0x3fd] {
        bench.wr(1, msr, u64::MAX - 5);
        assert_eq!([bench.rd(1, msr), bench.rd(0, msr)], [u64::MAX - 5, 0]);
    }
}

fn check_pci_box(at: Function, box_ctl: Bits, ctl: Bits, box_status: Bits, lows: &[u16]) {
    check_config(at, 0xf4, box_ctl);
    check_config(at, 0xf8, box_status);
    for (low, counter) in lows.iter().zip(0_u16..) {
        check_config(at, 0xd8 + 4 * counter, ctl);
        check_counter_config_on(LARGEST, at, *low, 48);
    }
}

const COUNTERS: [u16; 4] = [0xa0, 0xa8, 0xb0, 0xb8];

#[test]
fn home_agent_registers() {
    for function in [1, 5] {
        let at = uncore(18, function);
        check_pci_box(at, PCI_BOX_CTL, COMMON_CTL, status(0xf, 1 << 4), &COUNTERS);
        check_config(at, 0x40, stored(0xffff_ffc0, 0));
        check_config(at, 0x44, stored(0x3fff, 0));
        check_config(at, 0x48, stored(0x3f, 0));
    }
}

#[test]
fn memory_controller_registers() {
    for (device, function) in CHANNELS {
        let at = uncore(device, function);
        let status = status(0x1f, 1 << 5);
        check_pci_box(at, PCI_BOX_CTL, COMMON_CTL, status, &COUNTERS);
        check_config(at, 0xf0, stored(1 << 23 | 1 << 22 | 1 << 20, 1 << 21));
        check_counter_config_on(LARGEST, at, 0xd0, 48);
    }
}

#[test]
fn irp_registers() {
    let lows = [0xa0, 0xb0, 0xb8, 0xc0];
    check_pci_box(IRP, PCI_BOX_CTL, COMMON_CTL, status(0xf, 0), &lows);
}

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
fn qpi_registers() {
    let first = stored(0x8003_fff8, 0x1fff << 18 | 7);
    let second = stored(0xf_000f, !0xf_000f);
    // The reset bit stays, so it is stored.
    let control = stored(0xfff6_ffff, 1 << 16);
    for device in [8, 9, 10] {
        let at = uncore(device, 2);
        check_pci_box(at, PCI_BOX_CTL, control, status(0xf, 1 << 4), &COUNTERS);
        for offset in [0xc8, 0xd0] {
            check_config(at, offset, stored(u32::MAX, 0));
        }
        for (offset, bits) in [
            (0x200, first),
            (0x204, second),
            (0x210, first),
            (0x214, second),
            (0x228, first),
            (0x22c, second),
            (0x238, first),
            (0x23c, second),
        ] {
            check_config(uncore(device, 6), offset, bits);
        }
    }
    let mut bench = Bench::new(LARGEST);
    for device in [8, 10] {
        assert_eq!(bench.cfg(uncore(device, 0), 0xd4), 0b101, "8 GT/s");
        bench.set(uncore(device, 0), 0xd4, 0x2);
        assert_eq!(bench.broken(), [(Rule::ReadOnly, 0x7)]);
    }
}

/// As for the S-Box, one write with `en` does not change the event select.
#[test]
fn ring_registers() {
    let r2pcie = [(16, 1, 4, status(0xf, 0))];
    let r3qpi = LINKS.map(|(device, function)| (device, function, 3, status(0x7, 1 << 3)));
    for (device, function, counters, box_status) in r2pcie.into_iter().chain(r3qpi) {
        let at = uncore(device, function);
        check_config(at, 0xf4, stored(0, 0));
        check_config(at, 0xf8, box_status);
        let mut bench = Bench::new(LARGEST);
        for counter in 0..counters {
            let offset = 0xd8 + 4 * counter;
            bench.set(at, offset, !(1 << 22));
            assert_eq!(bench.cfg(at, offset), 0xff94_ffff);
            assert_eq!(bench.broken(), [(Rule::MustBeZero, 1 << 21 | 1 << 16)]);
            check_counter_config_on(LARGEST, at, 0xa0 + 8 * counter, 48);
        }
    }
}
