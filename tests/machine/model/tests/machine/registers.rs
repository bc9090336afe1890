// SPDX-License-Identifier: GPL-2.0

//! Every register of each platform's `registers.csv`: address, reset value, which bits are stored,
//! which clear on a 1, which read 0, and which writes break a rule; the global registers; every
//! function of `boxes.csv`.

use uncore_catalogue::{self as data, BoxRow, Facts, Place, Places, Register, What};
use uncore_machine::{Function, Rule, Topology};

use crate::bench::{uncore, Bench};

/// Returns the options of the largest machine of a platform, and its cores.
fn largest(platform: &str) -> (String, u8) {
    let mut kinds = Facts::of(platform).boxes.iter();
    let of_ex = |row: &BoxRow| row.at.functions().iter().any(|place| place.needs == "ex");
    let part = if kinds.any(of_ex) { ",part=ex" } else { "" };
    let options = |cores| (format!("platform={platform},cores={cores}{part}"), cores);
    let mut all = (1..=24).rev().map(options);
    let found = all.find(|(options, _)| Topology::parse(options).is_ok());
    found.expect("a number of cores")
}

/// A register's bits as the spec classes them; bits in no class are ignored.
#[derive(Clone, Copy, Default)]
struct Bits {
    /// Stored.
    rw: u32,
    /// Write 1 to clear.
    w1c: u32,
    /// "0!".
    zero: u32,
    /// "1!" (stored, too).
    one: u32,
    reserved: u32,
    /// Value after reset.
    reset: u32,
}

impl Bits {
    fn of(register: &Register) -> Self {
        Self {
            rw: register.rw as u32,
            w1c: register.w1c as u32,
            zero: register.zero as u32,
            one: register.one as u32,
            reserved: register.reserved as u32,
            reset: 0,
        }
    }
}

/// The address of a register in package 0.
#[derive(Debug, Clone, Copy)]
pub(crate) enum At {
    Msr(u32),
    Config(Function, u16),
}

impl At {
    /// The address of a register of a box, or of one of its counters.
    pub(crate) fn of(register: &Register, row: &BoxRow, instance: u8, counter: u8) -> Self {
        match register.place(row, instance, counter) {
            data::At::Msr(msr) => Self::Msr(msr),
            data::At::Config(at, offset) => Self::Config(function(at), offset as u16),
        }
    }

    fn read(self, bench: &mut Bench) -> u32 {
        match self {
            Self::Msr(msr) => u32::try_from(bench.rd(0, msr)).expect("32 bits"),
            Self::Config(at, offset) => bench.cfg(at, offset),
        }
    }

    /// Reads a counter.
    pub(crate) fn count(self, bench: &mut Bench) -> u64 {
        match self {
            Self::Msr(msr) => bench.rd(0, msr),
            Self::Config(at, offset) => bench.cfg_counter(at, offset),
        }
    }

    pub(crate) fn write(self, bench: &mut Bench, value: u32) {
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

/// Checks a register without setting some of its bits. An all-ones control register also selects an
/// event that does not exist: only rules about bits matter.
fn check(options: &str, at: At, bits: Bits, unset: u32) {
    let mut bench = Bench::new(options);
    assert_eq!(at.read(&mut bench), bits.reset, "{at:x?} after reset");
    bench.assert_clean();
    let single = (0..32).map(|bit| 1 << bit);
    for value in [0, u32::MAX, bits.rw, !bits.rw].into_iter().chain(single) {
        let value = value & !unset;
        at.poke(&mut bench, bits.w1c);
        at.write(&mut bench, value);
        let stored = value & bits.rw | bits.w1c & !value;
        let mut broken = bench.broken();
        broken.retain(|(rule, _)| {
            matches!(rule, Rule::MustBeZero | Rule::MustBeOne | Rule::Reserved)
        });
        assert_eq!(broken, expected(bits, value), "{at:x?} <- {value:#x}");
        assert_eq!(at.read(&mut bench), stored, "{at:x?} <- {value:#x}");
    }
}

fn check_counter(options: &str, at: At, width: u32) {
    let mut bench = Bench::new(options);
    let mask = (1_u64 << width) - 1;
    let broken = match at {
        At::Msr(msr) => {
            bench.wr(0, msr, mask);
            assert_eq!(
                (bench.rd(0, msr), bench.broken()),
                (mask, vec![]),
                "{at:x?}"
            );
            bench.wr(0, msr, u64::MAX);
            !mask
        }
        At::Config(function, low) => {
            bench.set(function, low, 0xdead_beef);
            assert_eq!(at.count(&mut bench), 0xdead_beef, "{at:x?}");
            bench.set(function, low + 4, (mask >> 32) as u32);
            bench.assert_clean();
            bench.set(function, low, u32::MAX);
            bench.set(function, low + 4, u32::MAX);
            !mask & 0xffff_ffff_0000_0000
        }
    };
    assert_eq!(at.count(&mut bench), mask, "{at:x?}");
    assert_eq!(bench.broken(), [(Rule::CounterWidth, broken)], "{at:x?}");
}

/// The function of a box of package 0.
fn function(place: &Place) -> Function {
    let at = uncore(place.device, place.function);
    let bus = if place.io { 0 } else { at.bus };
    Function { bus, ..at }
}

/// Checks the register of a counter, or one that is not the counters'.
fn check_register(options: &str, row: &BoxRow, register: &Register, instance: u8, counter: u8) {
    let at = At::of(register, row, instance, counter);
    match (register.what, at) {
        (What::Clear | What::Silent | What::Other, _) => {}
        // The W-Box reads 0 wrong; see its own tests.
        (What::Ctr | What::FixedCtr, _) if row.kind == "WBOX" => {}
        (What::Ctr, _) => check_counter(options, at, row.width),
        (What::FixedCtr, _) => check_counter(options, at, 48),
        (_, At::Msr(msr)) if register.size == Some(64) => {
            let mut bench = Bench::new(options);
            bench.wr(0, msr, u64::MAX);
            assert_eq!(bench.rd(0, msr), register.rw, "{options} {register:?}");
            let zero = (register.zero != 0).then_some((Rule::MustBeZero, register.zero));
            assert_eq!(bench.broken(), Vec::from_iter(zero), "{register:?}");
        }
        // A status that nothing clears; see its own tests.
        (What::Status, _) if register.ro != 0 => {}
        (what, at) => {
            // `en` of control registers that are written twice, and reset in steps: see `bdx`.
            let topology = Topology::parse(options).expect("right");
            let unset = match (topology.packages[0].sboxes > 0, &*row.unit, what) {
                (true, "sbox" | "r2pcie" | "r3qpi", What::Ctl) => 1 << 22,
                (true, "sbox", What::Box) => 0b11,
                _ => 0,
            };
            check(options, at, Bits::of(register), unset);
        }
    }
}

#[test]
fn registers_are_those_of_the_data() {
    for facts in Facts::all() {
        let (options, most) = largest(facts.name);
        for row in &facts.boxes {
            let boxes = match (&row.at, &*row.present) {
                (Places::Functions(all), _) => all.len() as u8,
                (_, "cboxes") => most,
                (_, "sboxes") => 4,
                (_, "two") => 2,
                _ => 1,
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

/// Checks that each function answers with its ID, if no package lacks it, and can be hidden.
pub(crate) fn check_functions(options: &str, platform: &str, lacks: &[&str]) {
    let mut bench = Bench::new(options);
    let rows = Facts::of(platform).boxes.iter();
    let places = rows.flat_map(|row| [row.at.functions(), row.second.functions()].concat());
    for place in places {
        let at = function(&place);
        let id = bench.machine.config_read(at, 0, 4);
        let own = u32::from(place.id) << 16 | 0x8086;
        let there = !lacks.contains(&&*place.needs);
        assert_eq!(id, there.then_some(own), "{options} {at}");
        if there {
            let first = Function { function: 0, ..at };
            assert_ne!(bench.cfg(first, 0), u32::MAX, "{at} is not found");
            bench.command(&format!("hide {at}"));
            assert_eq!([bench.cfg(at, 0), bench.cfg(at, 0xd4)], [u32::MAX; 2]);
            bench.command(&format!("show {at}"));
            assert_eq!(bench.cfg(at, 0), own);
        }
    }
    bench.assert_clean();
}

#[test]
fn functions_are_those_of_the_data() {
    check_functions("", "ivbep", &["ex"]);
    check_functions("part=ex", "ivbep", &[]);
    check_functions("platform=bdx", "bdx", &["ex"]);
    check_functions("platform=bdx,part=ex", "bdx", &[]);
    check_functions("platform=bdx,home-agents=1", "bdx", &["ex", "ha1"]);
}

/// Checks a global register that stores bits, must be written with some as 0, and has some that are
/// reserved.
pub(crate) fn check_global(options: &str, msr: u32, [rw, zero, reserved]: [u32; 3], reset: u32) {
    let bits = Bits {
        rw,
        zero,
        reserved,
        reset,
        ..Bits::default()
    };
    check(options, At::Msr(msr), bits, 0);
}

/// Checks a global status of 64 bits, and the register that clears it.
pub(crate) fn check_status(options: &str, status: u32, clear: u32, bits: u64) {
    let mut bench = Bench::new(options);
    assert_eq!(bench.rd(0, status), 0);
    for bit in (0..64).map(|bit| 1_u64 << bit) {
        bench.command(&format!("poke-msr 0 {status} {}", u64::MAX));
        assert_eq!(bench.rd(0, status), bits);
        bench.wr(0, clear, bit);
        assert_eq!(bench.rd(0, status), bits & !bit);
        let reserved = (bits & bit == 0).then_some((Rule::Reserved, bit));
        assert_eq!(bench.broken(), Vec::from_iter(reserved));
    }
}

#[test]
fn global_registers() {
    const EX: &str = "part=ex";
    const BDX: &str = "platform=bdx,cores=24";
    check_global(EX, 0xc00, [0x4000_7fff, 0x1800_0000, 0x07ff_8000], 0);
    check_global(EX, 0xc06, [0xf, 0, !0xf], 8);
    let status = Bits {
        w1c: 0x07ff_ffff,
        reserved: 0xf800_0000,
        ..Bits::default()
    };
    check(EX, At::Msr(0xc01), status, 0);
    check_global(BDX, 0x700, [0x4003_ffff, 0x1800_0000, 0x07fc_0000], 0);
    check_status(BDX, 0x701, 0x701, 0xc_3fe0_0007);
    check_global(BDX, 0x702, [0x1f, 0, !0x1f], 18);
}

/// Checks a register that only firmware sets: its value, and the bits that a write may not touch.
pub(crate) fn check_fixed(options: &str, at: At, value: u32, bits: u32) {
    let mut bench = Bench::new(options);
    assert_eq!(at.read(&mut bench), value, "{options} {at:x?}");
    at.write(&mut bench, !value & bits & 0x7);
    assert_eq!(at.read(&mut bench), value, "{options} {at:x?}");
    let broken = [(Rule::ReadOnly, bits.into())];
    assert_eq!(bench.broken(), broken, "{options} {at:x?}");
}

#[test]
fn registers_that_firmware_sets() {
    const ALL: u32 = u32::MAX;
    for (options, (device, function, offset), value, bits) in [
        ("part=ex", (8, 0, 0xd4), 0b101, 0x17),
        ("part=ex", (24, 0, 0xd4), 0b101, 0x17),
        ("nodes=1:0", (11, 0, 0x40), 1, ALL),
        ("nodes=1:0", (11, 0, 0x54), 0o76_543_201, ALL),
        ("platform=bdx,part=ex", (8, 0, 0xd4), 0b101, 0x7),
        ("platform=bdx,part=ex", (10, 0, 0xd4), 0b101, 0x7),
        ("platform=bdx,nodes=3:1", (16, 5, 0x40), 3, ALL),
        ("platform=bdx", (30, 3, 0x94), 1 << 6, ALL),
        ("platform=bdx,part=ex", (30, 3, 0x94), 2 << 6, ALL),
        ("platform=bdx,sboxes=0", (30, 3, 0x94), 0, ALL),
        ("platform=bdx,cores=4,cboxes=6", (30, 3, 0x98), 0x3f, ALL),
        (
            "platform=bdx,cbox-mask=f000f0",
            (30, 3, 0x98),
            0xf0_00f0,
            ALL,
        ),
    ] {
        check_fixed(
            options,
            At::Config(uncore(device, function), offset),
            value,
            bits,
        );
    }
}

/// Checks MSRs beside the registers: of others, or in a block of the uncore without a register.
pub(crate) fn check_others(options: &str, of_others: &[u32], faulting: &[u32]) {
    let mut bench = Bench::new(options);
    for msr in of_others {
        let answers = [bench.read_faults(0, *msr), bench.write_faults(0, *msr)];
        assert_eq!(answers, [None; 2], "{options} {msr:#x}");
    }
    for msr in faulting {
        let answers = [bench.read_faults(0, *msr), bench.write_faults(0, *msr)];
        assert_eq!(answers, [Some(true); 2], "{options} {msr:#x}");
        assert_eq!(bench.broken(), [(Rule::Undocumented, 0); 2], "{msr:#x}");
    }
    assert_eq!(bench.read_faults(8, 0xc00), None, "no such package");
}

#[test]
fn msrs_without_a_register() {
    check_others(
        "",
        &[
            0x10,
            0x38f,
            0x3fb,
            0x3fe,
            0xbff,
            0xc18,
            0xc23,
            0xc3a,
            0xcff,
            0xee0,
            0x8000_0c00,
        ],
        &[
            0xc02, 0xc07, 0xc0a, 0xc12, 0xc14, 0xc25, 0xc2f, 0xd00, 0xd05, 0xd1b, 0xd1f,
        ],
    );
    // 0xC8D to 0xC90 allocate the cache; 0xD04 is a C-Box of IVB-EP.
    let of_others = [
        0x6ff, 0x70b, 0x71b, 0x748, 0xc00, 0xc8d, 0xc90, 0xd04, 0xdff, 0xe0c, 0xe0f, 0xf80,
    ];
    check_others("platform=bdx", &of_others, &[0x707]);
}

/// Checks a register of each of so many boxes, of which package 1, or the only one, has some.
pub(crate) fn check_missing(options: &str, (msr, stride): (u32, u32), most: u32, there: u32) {
    let mut bench = Bench::new(options);
    let package = bench.machine.topology().packages.len().min(2) as u8 - 1;
    for n in 0..most {
        let faults = there >> n & 1 == 0;
        let msr = msr + stride * n;
        let answers = [
            bench.read_faults(package, msr),
            bench.write_faults(package, msr),
        ];
        assert_eq!(answers, [Some(faults); 2], "{options} {n}");
        let broken = [(Rule::NoSuchBox, 0); 2];
        assert_eq!(
            bench.broken(),
            broken[..2 * usize::from(faults)],
            "{options} {n}"
        );
    }
}

#[test]
fn msrs_of_missing_boxes() {
    check_missing("cores=4:2,cboxes=3:1", (0xd16, 0x20), 15, 0b1);
    check_missing("cores=4,cbox-mask=2d", (0xd10, 0x20), 15, 0x2d);
    check_missing(
        "platform=bdx,cores=8,cbox-mask=f:800001",
        (0xe08, 0x10),
        24,
        0x80_0001,
    );
    check_missing("platform=bdx,sboxes=4:0", (0x720, 0xa), 4, 0);
    check_missing(
        "platform=bdx-de,cores=6,cbox-mask=d7",
        (0xe08, 0x10),
        24,
        0xd7,
    );
    check_missing("platform=bdx-de", (0x720, 0xa), 4, 0);
    // The number of a box is that of its MSRs.
    let mut bench = Bench::new("platform=bdx,cores=8,cbox-mask=f0f");
    bench.command("preload 0 cbox_11 2 0x1234");
    assert_eq!(bench.rd(0, 0xeba), 0x1234);
    assert!(
        bench.machine.command("preload 0 cbox_4 2 1").is_err(),
        "fused off"
    );
}

#[test]
fn num_c_can_be_chosen() {
    let mut bench = Bench::new("packages=2,cores=6:4,numc=6:4");
    bench.wr(0, 0xc06, 3);
    assert_eq!([bench.rd(0, 0xc06), bench.rd(1, 0xc06)], [3, 4]);
}
