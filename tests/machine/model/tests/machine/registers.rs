// SPDX-License-Identifier: GPL-2.0

//! Every register of each platform's `registers.csv`: address, reset value, which bits are stored,
//! which clear on a 1, which read 0, and which writes break a rule; and the global registers.

use uncore_catalogue::{self as data, BoxRow, Facts, Place, Places, Register, What};
use uncore_machine::{Function, Rule, Topology};

use crate::bench::{uncore, uncore1, Bench};

/// Returns the options of the largest machine of a platform, and its cores.
fn largest(platform: &str) -> (String, u8) {
    let part = if Facts::of(platform)
        .boxes
        .iter()
        .any(|row| row.kind == "QPI")
    {
        ",part=ex"
    } else {
        ""
    };
    let options = |cores| (format!("platform={platform},cores={cores}{part}"), cores);
    let mut all = (1..=24).rev().map(options);
    let found = all.find(|(options, _)| Topology::parse(options).is_ok());
    found.expect("a number of cores")
}

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

impl Bits {
    fn of(register: &Register) -> Self {
        let Register {
            rw,
            w1c,
            zero,
            one,
            reserved,
            ..
        } = register;
        let [rw, w1c, zero, one, reserved] =
            [rw, w1c, zero, one, reserved].map(|bits| *bits as u32);
        let reset = 0;
        Self {
            rw,
            w1c,
            zero,
            one,
            reserved,
            reset,
        }
    }
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

/// Checks a register of a machine with these options.
pub(crate) fn check_on(options: &str, at: At, bits: Bits) {
    check_without(options, at, bits, 0);
}

/// Checks a register without setting some of its bits.
fn check_without(options: &str, at: At, bits: Bits, unset: u32) {
    let mut bench = Bench::new(options);
    let name = at.describe();
    assert_eq!(at.read(&mut bench), bits.reset, "{name} after reset");
    bench.assert_clean();
    let single = (0..32).map(|bit| 1 << bit);
    for value in [0, u32::MAX, bits.rw, !bits.rw].into_iter().chain(single) {
        let value = value & !unset;
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
    for (msr, bits) in [(0xc00, control), (0xc01, status), (0xc06, config)] {
        check_on(&largest("ivbep").0, At::Msr(msr), bits);
    }
}

/// The function of a box of package 0.
fn function(place: &Place) -> Function {
    let at = uncore(place.device, place.function);
    let bus = if place.io { 0 } else { at.bus };
    Function { bus, ..at }
}

/// Checks the register of a counter, or one that is not the counters'.
fn check_register(options: &str, row: &BoxRow, register: &Register, instance: u8, counter: u8) {
    let place = register.place(row, instance, counter);
    let width = if register.what == What::Ctr {
        row.width
    } else {
        48
    };
    match (register.what, place) {
        (What::Clear | What::Silent | What::Other, _) => {}
        // The W-Box reads 0 wrong; see its own tests.
        (What::Ctr | What::FixedCtr, _) if row.kind == "WBOX" => {}
        (What::Ctr | What::FixedCtr, data::At::Msr(msr)) => {
            check_counter_msr_on(options, msr, width);
        }
        (What::Ctr | What::FixedCtr, data::At::Config(at, offset)) => {
            check_counter_config_on(options, function(at), offset as u16, width);
        }
        (_, data::At::Msr(msr)) if register.size == Some(64) => {
            let mut bench = Bench::new(options);
            bench.wr(0, msr, u64::MAX);
            assert_eq!(bench.rd(0, msr), register.rw, "{options} {register:?}");
            let zero = (register.zero != 0).then_some((Rule::MustBeZero, register.zero));
            assert_eq!(
                bench.broken(),
                Vec::from_iter(zero),
                "{options} {register:?}"
            );
        }
        // A status that nothing clears; see its own tests.
        (What::Status, _) if register.ro != 0 => {}
        (what, place) => {
            let at = match place {
                data::At::Msr(msr) => At::Msr(msr),
                data::At::Config(at, offset) => At::Config(function(at), offset as u16),
            };
            // `en` of control registers that are written twice, and reset in steps: see `bdx::quirks`.
            let unset = match (options.contains("bdx"), &*row.unit, what) {
                (true, "sbox" | "r2pcie" | "r3qpi", What::Ctl) => 1 << 22,
                (true, "sbox", What::Box) => 0b11,
                _ => 0,
            };
            check_without(options, at, Bits::of(register), unset);
        }
    }
}

#[test]
fn registers_are_those_of_the_data() {
    for facts in Facts::all() {
        let (options, most) = largest(facts.name);
        for row in &facts.boxes {
            let boxes = match &row.at {
                Places::Functions(all) => all.len() as u8,
                _ => match &*row.present {
                    "cboxes" => most,
                    "sboxes" => 4,
                    "two" => 2,
                    _ => 1,
                },
            };
            for register in facts.registers_of(&row.kind) {
                let counters = match register.what {
                    What::Ctl | What::Ctr => row.counters,
                    _ => 1,
                };
                for instance in 0..boxes {
                    for counter in 0..counters {
                        check_register(&options, row, register, instance, counter);
                    }
                }
            }
        }
    }
}

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
fn residency_counters_have_64_bits() {
    for options in ["", "platform=bdx"] {
        for msr in [0x3fc, 0x3fd] {
            let mut bench = Bench::new(options);
            bench.wr(1, msr, u64::MAX - 5);
            assert_eq!([bench.rd(1, msr), bench.rd(0, msr)], [u64::MAX - 5, 0]);
            bench.assert_clean();
        }
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
