// SPDX-License-Identifier: GPL-2.0

//! Every register of the tables of Documentation/hardware/ivbep.rst: address,
//! reset value, which bits are stored, which clear on a 1, which read 0, and
//! which writes break a rule.
//!
//! A row is typed from the table its heading names. All checks of a row follow
//! from it, so a row is the whole statement about a register.

use uncore_machine::{Function, Rule};

use crate::bench::{uncore, uncore1, Bench, CHANNELS, IRP};

/// A register's bits as the spec classes them; bits in no class are ignored.
#[derive(Clone, Copy)]
pub(crate) struct Bits {
    /// Stored.
    pub(crate) rw: u32,
    /// Write 1 to clear.
    pub(crate) w1c: u32,
    /// "0!".
    pub(crate) zero: u32,
    /// "1!" (stored, too).
    pub(crate) one: u32,
    /// Reserved.
    pub(crate) reserved: u32,
    /// Value after reset.
    pub(crate) reset: u32,
}

/// The address of a register.
#[derive(Clone, Copy)]
pub(crate) enum At {
    Msr(u32),
    Config(Function, u16),
}

impl At {
    fn read(self, bench: &mut Bench) -> u32 {
        match self {
            Self::Msr(msr) => u32::try_from(bench.rd(0, msr)).expect("32 bits"),
            Self::Config(at, offset) => bench.cfg(at, offset),
        }
    }

    fn write(self, bench: &mut Bench, value: u32) {
        match self {
            Self::Msr(msr) => bench.wr(0, msr, value.into()),
            Self::Config(at, offset) => bench.set(at, offset, value),
        }
    }

    fn poke(self, bench: &mut Bench, value: u32) {
        match self {
            Self::Msr(msr) => bench.command(&format!("poke-msr 0 {msr} {value}")),
            Self::Config(at, offset) => {
                bench.command(&format!("poke-config {at} {offset:#x} {value}"))
            }
        };
    }

    fn describe(self) -> String {
        match self {
            Self::Msr(msr) => format!("MSR {msr:#x}"),
            Self::Config(at, offset) => format!("{at} {offset:#x}"),
        }
    }
}

/// The rules about bits that a write of `value` breaks, by the table.
fn expected(bits: Bits, value: u32) -> Vec<(Rule, u64)> {
    let rules = [
        (Rule::MustBeZero, value & bits.zero),
        (Rule::MustBeOne, !value & bits.one),
        (Rule::Reserved, value & bits.reserved),
    ];
    let broken = rules.into_iter().filter(|(_, bits)| *bits != 0);
    broken.map(|(rule, bits)| (rule, u64::from(bits))).collect()
}

/// The rules about bits only: an all-ones control register also selects an
/// event that does not exist.
fn broken_bits(bench: &mut Bench) -> Vec<(Rule, u64)> {
    let mut broken = bench.broken();
    broken.retain(|(rule, _)| matches!(rule, Rule::MustBeZero | Rule::MustBeOne | Rule::Reserved));
    broken
}

fn check(at: At, bits: Bits) {
    check_on("cores=15,part=ex", at, bits);
}

/// Checks a register of a machine with these options.
pub(crate) fn check_on(options: &str, at: At, bits: Bits) {
    let mut bench = Bench::new(options);
    let name = at.describe();
    assert_eq!(at.read(&mut bench), bits.reset, "{name} after reset");
    bench.assert_clean();
    let single = (0..32).map(|bit| 1 << bit);
    for value in [0, u32::MAX, bits.rw, !bits.rw].into_iter().chain(single) {
        at.poke(&mut bench, bits.w1c);
        at.write(&mut bench, value);
        let stored = value & bits.rw | bits.w1c & !value;
        assert_eq!(
            broken_bits(&mut bench),
            expected(bits, value),
            "{name} <- {value:#x}"
        );
        assert_eq!(at.read(&mut bench), stored, "{name} <- {value:#x}");
    }
}

fn check_msrs(rows: &[(u32, Bits)]) {
    for (msr, bits) in rows {
        check(At::Msr(*msr), *bits);
    }
}

fn check_config(at: Function, rows: &[(u16, Bits)]) {
    for (offset, bits) in rows {
        check(At::Config(at, *offset), *bits);
    }
}

/// A counter MSR: bits above the width are refused and not stored.
fn check_counter_msr(msr: u32, width: u32) {
    check_counter_msr_on("cores=15", msr, width);
}

/// Checks a counter of a machine with these options.
pub(crate) fn check_counter_msr_on(options: &str, msr: u32, width: u32) {
    let mut bench = Bench::new(options);
    let mask = (1_u64 << width) - 1;
    assert_eq!(bench.rd(0, msr), 0);
    bench.wr(0, msr, mask);
    assert_eq!(bench.rd(0, msr), mask, "{msr:#x}");
    assert_eq!(bench.broken(), [], "{msr:#x}");
    bench.wr(0, msr, u64::MAX);
    assert_eq!(bench.rd(0, msr), mask, "{msr:#x}");
    assert_eq!(bench.broken(), [(Rule::CounterWidth, !mask)], "{msr:#x}");
    bench.wr(0, msr, 0x0123_4567_89ab);
    assert_eq!(bench.rd(0, msr), 0x0123_4567_89ab & mask, "{msr:#x}");
}

/// A counter of two dwords in configuration space.
fn check_counter_config(at: Function, low: u16, width: u32) {
    check_counter_config_on("cores=4,part=ex", at, low, width);
}

/// Checks a counter of a machine with these options.
pub(crate) fn check_counter_config_on(options: &str, at: Function, low: u16, width: u32) {
    let mut bench = Bench::new(options);
    let high_mask = (1_u32 << (width - 32)) - 1;
    assert_eq!(bench.cfg_counter(at, low), 0);
    bench.set(at, low, 0xdead_beef);
    assert_eq!(bench.cfg_counter(at, low), 0xdead_beef, "{at} {low:#x}");
    bench.set(at, low + 4, high_mask);
    assert_eq!(bench.cfg(at, low), 0xdead_beef, "{at} {low:#x}");
    assert_eq!(bench.cfg(at, low + 4), high_mask, "{at} {low:#x}");
    assert_eq!(bench.broken(), [], "{at} {low:#x}");
    bench.set(at, low + 4, u32::MAX);
    assert_eq!(bench.cfg(at, low + 4), high_mask, "{at} {low:#x}");
    let above = u64::from(!high_mask) << 32;
    assert_eq!(
        bench.broken(),
        [(Rule::CounterWidth, above)],
        "{at} {low:#x}"
    );
}

#[test]
fn global_registers_t2_2_to_t2_4() {
    let control = Bits {
        reserved: 0x07ff_8000,
        ..stored(0x4000_7fff, 0x1800_0000)
    };
    let status = Bits {
        reserved: 0xf800_0000,
        ..status(0x07ff_ffff, 0)
    };
    let config = Bits {
        reserved: 0xffff_fff0,
        reset: 8,
        ..stored(0xf, 0)
    };
    check_msrs(&[(0xc00, control), (0xc01, status), (0xc06, config)]);
}

#[test]
fn ubox_registers_t2_5_to_t2_9() {
    // Section 6.1: OK 0x1F56FFFF (with rst 17 WO), 0! 23, 21, 16, rsv 31:29, 19.
    let control = Bits {
        reserved: 0xe000_0000 | 1 << 19,
        ..stored(0x1f54_ffff, 1 << 23 | 1 << 21 | 1 << 16)
    };
    // OK 0x00500000, 0! 21, rsv 31:23 and 19:0.
    let fixed = Bits {
        reserved: 0xff80_0000 | 0x000f_ffff,
        ..stored(0x0050_0000, 1 << 21)
    };
    let status = Bits {
        reserved: 0xffff_fffc,
        ..status(0x3, 0)
    };
    check_msrs(&[
        (0xc08, fixed),
        (0xc10, control),
        (0xc11, control),
        (0xc15, status),
    ]);
    check_counter_msr(0xc16, 44);
    check_counter_msr(0xc17, 44);
    check_counter_msr(0xc09, 48);
}

/// The table of section 7.2: BOX_CTL, first CTL, FILTER0, first CTR, FILTER1.
const CBOXES: [(u32, u32, u32, u32, u32); 15] = [
    (0xd04, 0xd10, 0xd14, 0xd16, 0xd1a),
    (0xd24, 0xd30, 0xd34, 0xd36, 0xd3a),
    (0xd44, 0xd50, 0xd54, 0xd56, 0xd5a),
    (0xd64, 0xd70, 0xd74, 0xd76, 0xd7a),
    (0xd84, 0xd90, 0xd94, 0xd96, 0xd9a),
    (0xda4, 0xdb0, 0xdb4, 0xdb6, 0xdba),
    (0xdc4, 0xdd0, 0xdd4, 0xdd6, 0xdda),
    (0xde4, 0xdf0, 0xdf4, 0xdf6, 0xdfa),
    (0xe04, 0xe10, 0xe14, 0xe16, 0xe1a),
    (0xe24, 0xe30, 0xe34, 0xe36, 0xe3a),
    (0xe44, 0xe50, 0xe54, 0xe56, 0xe5a),
    (0xe64, 0xe70, 0xe74, 0xe76, 0xe7a),
    (0xe84, 0xe90, 0xe94, 0xe96, 0xe9a),
    (0xea4, 0xeb0, 0xeb4, 0xeb6, 0xeba),
    (0xec4, 0xed0, 0xed4, 0xed6, 0xeda),
];

#[test]
fn cbox_registers_t2_12_to_t2_17() {
    // CTL: OK 0xFF4EFFFF (with rst 17 WO), 0! 23, 21, 20, 16.
    let control = stored(0xff4c_ffff, 1 << 23 | 1 << 21 | 1 << 20 | 1 << 16);
    // FILTER0: 0! 31:23 and 16:5, state 22:17, tid 4:0.
    let filter0 = stored(0x3f << 17 | 0x1f, 0x1ff << 23 | 0xfff << 5);
    // FILTER1: isoc 31, nc 30, 0! 29, opc 28:20, rsv 19:16 (U-5), nid 15:0.
    let filter1 = Bits {
        reserved: 0xf << 16,
        ..stored(1 << 31 | 1 << 30 | 0x1ff << 20 | 0xffff, 1 << 29)
    };
    for (box_ctl, ctl, first, ctr, second) in CBOXES {
        check_msrs(&[(box_ctl, MSR_BOX_CTL), (first, filter0), (second, filter1)]);
        for counter in 0..4 {
            check(At::Msr(ctl + counter), control);
            check_counter_msr(ctr + counter, 44);
        }
    }
}

#[test]
fn pcu_registers_t2_119_to_t2_125() {
    // CTL: OK 0xDF76C0FF (with rst 17 WO), 0! 29, 23, rsv 19, 16, 13:8.
    let control = Bits {
        reserved: 1 << 19 | 1 << 16 | 0x3f00,
        ..stored(0xdf74_c0ff, 1 << 29 | 1 << 23)
    };
    let status = Bits {
        reserved: 0xffff_fff0,
        ..status(0xf, 0)
    };
    check_msrs(&[
        (0xc24, MSR_BOX_CTL),
        (0xc34, stored(u32::MAX, 0)),
        (0xc35, status),
    ]);
    for counter in 0..4 {
        check(At::Msr(0xc30 + counter), control);
        check_counter_msr(0xc36 + counter, 48);
    }
    check_counter_msr_64(0x3fc);
    check_counter_msr_64(0x3fd);
}

fn check_counter_msr_64(msr: u32) {
    let mut bench = Bench::usual();
    bench.wr(1, msr, u64::MAX - 5);
    assert_eq!(bench.rd(1, msr), u64::MAX - 5);
    assert_eq!(bench.rd(0, msr), 0);
    bench.assert_clean();
}

/// BOX_CTL of C-Box and PCU: OK 0x00030103, 17:16 must be 1, the rest reserved.
const MSR_BOX_CTL: Bits = Bits {
    reserved: !0x0003_0103,
    ..PCI_BOX_CTL
};

/// BOX_CTL of HA, iMC, IRP and QPI: OK 0x00030103, 17:16 must be 1, rest ignored.
const PCI_BOX_CTL: Bits = Bits {
    one: 0x0003_0000,
    ..stored(0x0003_0000, 0)
};

/// BOX_CTL of R2PCIe and R3QPI: OK 0x00000103, rest ignored.
const RING_BOX_CTL: Bits = stored(0, 0);

/// CTL of iMC, R2PCIe and R3QPI: OK 0xFF56FFFF, 0! 23, 21, 16, 19 ignored.
const COMMON_CTL: Bits = stored(0xff54_ffff, 1 << 23 | 1 << 21 | 1 << 16);

pub(crate) const fn status(w1c: u32, zero: u32) -> Bits {
    Bits {
        w1c,
        ..stored(0, zero)
    }
}

/// A register that stores bits, with the ones that must be 0.
pub(crate) const fn stored(rw: u32, zero: u32) -> Bits {
    Bits {
        rw,
        w1c: 0,
        zero,
        one: 0,
        reserved: 0,
        reset: 0,
    }
}

const COUNTERS: [u16; 4] = [0xa0, 0xa8, 0xb0, 0xb8];

fn check_counters(at: Function, lows: &[u16], width: u32) {
    for low in lows {
        check_counter_config(at, *low, width);
    }
}

fn check_pci_box(at: Function, box_ctl: Bits, ctl: Bits, box_status: Bits, counters: usize) {
    check_config(at, &[(0xf4, box_ctl), (0xf8, box_status)]);
    for counter in 0..counters {
        check(At::Config(at, 0xd8 + 4 * counter as u16), ctl);
    }
}

#[test]
fn imc_registers_t2_72_to_t2_76() {
    // FIXED_CTL: OK 0x00580000 (with rst 19 WO), 0! 23, 21, rest ignored.
    let fixed = stored(0x0050_0000, 1 << 23 | 1 << 21);
    for (device, function) in CHANNELS {
        let at = uncore(device, function);
        check_pci_box(at, PCI_BOX_CTL, COMMON_CTL, status(0x1f, 1 << 5), 4);
        check(At::Config(at, 0xf0), fixed);
        for low in COUNTERS.into_iter().chain([0xd0]) {
            check_counter_config(at, low, 48);
        }
    }
}

#[test]
fn home_agent_registers_t2_37_to_t2_43() {
    // CTL: OK 0xFF57FFFF (with rst 17 and q_occ_rst 16 WO), 0! 23, 21.
    let control = stored(0xff54_ffff, 1 << 23 | 1 << 21);
    for device in [14, 28] {
        let at = uncore(device, 1);
        check_pci_box(at, PCI_BOX_CTL, control, status(0xf, 1 << 4), 4);
        let matches = [(0x40, 0xffff_ffc0), (0x44, 0x3fff), (0x48, 0x3f)];
        check_config(at, &matches.map(|(offset, rw)| (offset, stored(rw, 0))));
        check_counters(at, &COUNTERS, 48);
    }
}

#[test]
fn irp_registers_t2_106_to_t2_109() {
    // CTL: OK 0xFF46FFFF (with rst 17 WO), 0! 23, 21, 20, 16.
    let control = stored(0xff44_ffff, 1 << 23 | 1 << 21 | 1 << 20 | 1 << 16);
    check_pci_box(IRP, PCI_BOX_CTL, control, status(0xf, 0), 4);
    for low in [0xa0, 0xb0, 0xb8, 0xc0] {
        check_counter_config(IRP, low, 48);
    }
}

#[test]
fn qpi_registers_t2_129_to_t2_138() {
    // CTL: OK 0xFF76FFFF (with rst 17 WO), 0! 23, 16.
    let control = stored(0xff74_ffff, 1 << 23 | 1 << 16);
    // MATCH0, MASK0: 31, 17:13, 12:9, 8:5, 4:3; 0! 30:18 and 2:0.
    let first = stored(
        1 << 31 | 0x1f << 13 | 0xf << 9 | 0xf << 5 | 3 << 3,
        0x1fff << 18 | 7,
    );
    // MATCH1, MASK1: 19:16, 3:0; 0! the rest.
    let second = stored(0xf << 16 | 0xf, !(0xf << 16 | 0xf));
    for device in [8, 9, 24] {
        let at = uncore(device, 2);
        check_pci_box(at, PCI_BOX_CTL, control, status(0xf, 1 << 4), 4);
        check_counters(at, &COUNTERS, 48);
        let rows = [
            (0x228, first),
            (0x22c, second),
            (0x238, first),
            (0x23c, second),
        ];
        check_config(uncore(device, 6), &rows);
    }
}

#[test]
fn qpi_rate_status_t2_138() {
    let mut bench = Bench::new("part=ex");
    for device in [8, 24] {
        // 101b: 8 GT/s, the rate of the machine's links.
        assert_eq!(bench.cfg(uncore(device, 0), 0xd4), 0b101);
        bench.set(uncore(device, 0), 0xd4, 0x7);
        assert_eq!(bench.cfg(uncore(device, 0), 0xd4), 0b101);
        assert_eq!(bench.broken(), [(Rule::ReadOnly, 0x17)]);
    }
}

#[test]
fn ring_registers_t2_173_to_t2_176_and_t2_190_to_t2_193() {
    let r2 = uncore(19, 1);
    check_pci_box(r2, RING_BOX_CTL, COMMON_CTL, status(0xf, 0), 4);
    check_counters(r2, &COUNTERS, 44);
    for at in [uncore(19, 5), uncore(19, 6), uncore(18, 5)] {
        check_pci_box(at, RING_BOX_CTL, COMMON_CTL, status(0x7, 1 << 3), 3);
        check_counters(at, &COUNTERS[..3], 44);
    }
}

#[test]
fn num_c_can_be_chosen() {
    let mut bench = Bench::new("packages=2,cores=6:4,numc=6:4");
    assert_eq!([bench.rd(0, 0xc06), bench.rd(1, 0xc06)], [6, 4]);
    bench.wr(0, 0xc06, 3);
    assert_eq!([bench.rd(0, 0xc06), bench.rd(1, 0xc06)], [3, 4]);
}

#[test]
fn packages_have_registers_of_their_own() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xd14, 0x11);
    bench.set(uncore(16, 4), 0xd8, 0x0104);
    assert_eq!(bench.rd(1, 0xd14), 0);
    assert_eq!(bench.cfg(uncore1(16, 4), 0xd8), 0);
    assert_eq!(bench.cfg(uncore(16, 5), 0xd8), 0);
    assert_eq!(bench.rd(0, 0xd34), 0);
}
