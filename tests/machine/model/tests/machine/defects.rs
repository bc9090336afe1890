// SPDX-License-Identifier: GPL-2.0

//! Planted defects of counting: each changes only the counts it is for, and without
//! it the machine counts as before.

use crate::bench::{uncore, Bench, IMC};
use uncore_definition::{on, rate};

const EN: u32 = 1 << 22;
const EXT: u32 = 1 << 21;
const TID_EN: u32 = 1 << 19;
const EDGE: u32 = 1 << 18;
const RST: u32 = 1 << 17;
const INVERT: u32 = 1 << 30;

/// Whole rounds of every clock.
const UCLK: u64 = 1_152_000;
const ROUNDS: u64 = UCLK / 32;

/// The programming of a counter, filters first.
#[derive(Debug, Clone, Copy)]
enum Job {
    /// C-Box 0: FILTER0, FILTER1, CTL0.
    Cbox(u32, u32, u32),
    /// BOX_FILTER, CTL0.
    Pcu(u32, u32),
    /// Channel 0.
    Imc(u32),
    /// Agent 0: ADDRMATCH0, OPCODEMATCH, CTL0.
    Ha(u32, u32, u32),
    /// Port 0: MATCH0, MASK0, CTL0.
    Qpi(u32, u32, u32),
}

impl Job {
    /// Returns the count of counter 0 in a burst, from 0.
    fn count(self, bench: &mut Bench) -> u64 {
        let (at, control) = match self {
            Self::Cbox(filter0, filter1, control) => {
                bench.wr(0, 0xd14, filter0.into());
                bench.wr(0, 0xd1a, filter1.into());
                return msr_count(bench, 0xd10, control);
            }
            Self::Pcu(filter, control) => {
                bench.wr(0, 0xc34, filter.into());
                return msr_count(bench, 0xc30, control);
            }
            Self::Imc(control) => (IMC, control),
            Self::Ha(address, opc, control) => {
                bench.set(uncore(14, 1), 0x40, address);
                bench.set(uncore(14, 1), 0x48, opc);
                (uncore(14, 1), control)
            }
            Self::Qpi(value, mask, control) => {
                bench.set(uncore(8, 6), 0x228, value);
                bench.set(uncore(8, 6), 0x238, mask);
                (uncore(8, 2), control)
            }
        };
        bench.set(at, 0xd8, EN | RST | control);
        bench.machine.burst(UCLK);
        bench.cfg_counter(at, 0xa0)
    }
}

fn msr_count(bench: &mut Bench, control_msr: u32, control: u32) -> u64 {
    bench.wr(0, control_msr, (EN | RST | control).into());
    bench.machine.burst(UCLK);
    bench.rd(0, control_msr + 6)
}

/// Defect, programming, and the programming that counts the same in a sound
/// machine.
const MISTAKEN: [(&str, Job, Job); 17] = [
    ("event imc 0x04 0x01", Job::Imc(0x0304), Job::Imc(0x0301)),
    (
        "event qpi 0x100 0",
        Job::Qpi(0, 0, EXT | 0x0200),
        Job::Qpi(0, 0, 0x0200),
    ),
    ("umask imc 0x08", Job::Imc(0x0304), Job::Imc(0x0804)),
    ("umask pcu 0x80", Job::Pcu(0, 0x4080), Job::Pcu(0, 0x8080)),
    (
        "ignore qpi ext",
        Job::Qpi(0, 0, EXT | 0x0200),
        Job::Qpi(0, 0, 0x0200),
    ),
    (
        "ignore pcu ext",
        Job::Pcu(0x40, EXT | 0x21),
        Job::Pcu(0x40, 0x21),
    ),
    (
        "ignore imc thresh",
        Job::Imc(0x0183 | 8 << 24),
        Job::Imc(0x0183),
    ),
    (
        "ignore pcu thresh",
        Job::Pcu(0, 0x4080 | 4 << 24),
        Job::Pcu(0, 0x4080),
    ),
    (
        "ignore imc edge",
        Job::Imc(0x0304 | 1 << 24 | EDGE),
        Job::Imc(0x0304 | 1 << 24),
    ),
    (
        "ignore pcu edge",
        Job::Pcu(0, 0x4080 | 4 << 24 | 1 << 31),
        Job::Pcu(0, 0x4080 | 4 << 24),
    ),
    (
        "ignore pcu invert",
        Job::Pcu(0, 0x4080 | 4 << 24 | INVERT),
        Job::Pcu(0, 0x4080 | 4 << 24),
    ),
    (
        "ignore cbox state",
        Job::Cbox(1 << 20, 0, 0x0334),
        Job::Cbox(0x3f << 17, 0, 0x0334),
    ),
    (
        "ignore cbox nid",
        Job::Cbox(0, 1 << 3, 0x4835),
        Job::Cbox(0, 0xffff, 0x4835),
    ),
    (
        "ignore cbox tid",
        Job::Cbox(9, 0, TID_EN | 0x0835),
        Job::Cbox(0, 0, 0x0835),
    ),
    (
        "ignore cbox isoc",
        Job::Cbox(0, 1 << 31 | 0x182 << 20, 0x0135),
        Job::Cbox(0, 0x182 << 20, 0x0135),
    ),
    (
        "ignore qpi message",
        Job::Qpi(0x1C00, 0x1FE0, EXT | 0x38),
        Job::Qpi(0, 0, EXT | 0x38),
    ),
    (
        "ignore pcu frequency",
        Job::Pcu(0x1E, 0x0B),
        Job::Pcu(0, 0x0B),
    ),
];

/// Three counts: of a sound machine, with the defect, without it again.
fn with_and_without(defect: &str, job: Job) -> (u64, u64) {
    let sound = job.count(&mut Bench::usual());
    let mut bench = Bench::usual();
    bench.command(&format!("defect {defect}"));
    let broken = job.count(&mut bench);
    bench.command("clear-defects");
    assert_eq!(job.count(&mut bench), sound, "{defect}: cleared");
    bench.assert_clean();
    (sound, broken)
}

#[test]
fn one_thing_is_taken_for_another() {
    for (defect, job, like) in MISTAKEN {
        let (sound, broken) = with_and_without(defect, job);
        let like = like.count(&mut Bench::usual());
        assert_eq!(broken, like, "{defect}");
        assert_ne!(broken, sound, "{defect}");
    }
}

#[test]
fn matches_that_let_everything_pass() {
    let blocks = |code, signal| on(ROUNDS, rate(code, signal, 0, 0));
    let requests = Job::Cbox(0, 0x1c8 << 20, 0x0135);
    let (_, broken) = with_and_without("ignore cbox opc", requests);
    assert_eq!(broken, 3 * blocks(0x35, 0));
    let rings: u64 = (2..5).map(|ring| blocks(0x20, ring)).sum();
    let line = Job::Ha(0x40, 0, 0x0120);
    assert_eq!(with_and_without("ignore ha line", line).1, 3 * rings);
    let message = Job::Ha(0, 0x3f, 0x0220);
    assert_eq!(with_and_without("ignore ha opc", message).1, 3 * rings);
    let demotions = Job::Pcu(0x80, 0x1e);
    let (_, broken) = with_and_without("ignore pcu reason", demotions);
    assert_eq!(broken, 3 * on(UCLK / 96, rate(0x1e, 8, 0, 0)));
}

/// Defect, and the part of the count that is left.
const RATES: [(&str, u64, u64); 5] = [
    ("rate imc 0 0/1", 0, 1),
    ("rate imc 0 2/1", 2, 1),
    ("rate imc 0 1/2", 1, 2),
    ("rate imc 1 0/1", 1, 1),
    ("rate imc fixed 1/2", 1, 1),
];

#[test]
fn counters_count_a_part() {
    for (defect, numerator, denominator) in RATES {
        let (sound, broken) = with_and_without(defect, Job::Imc(0x0304));
        assert_eq!(broken, sound * numerator / denominator, "{defect}");
    }
    let mut bench = Bench::usual();
    bench.command("defect rate ubox fixed 1/2");
    bench.wr(0, 0xc08, EN.into());
    bench.wr(0, 0xd10, EN.into());
    bench.command("burst 1001");
    assert_eq!([bench.rd(0, 0xc09), bench.rd(0, 0xd16)], [500, 1001]);
}

#[test]
fn no_part_is_lost_between_reads() {
    let mut bench = Bench::usual();
    bench.command("defect rate cbox 0 3/7");
    bench.command("free-run on");
    bench.wr(0, 0xd10, EN.into());
    for _ in 0..1000 {
        bench.machine.advance(5);
        bench.rd(0, 0xd16);
    }
    assert_eq!(bench.rd(0, 0xd16), 5000 * 3 / 7);
}

#[test]
fn a_slow_clock_slows_the_whole_box() {
    let ticks = with_and_without("clock imc 3/4", Job::Imc(0));
    assert_eq!(ticks, (UCLK * 7 / 18, UCLK * 7 / 18 * 3 / 4));
    let (sound, broken) = with_and_without("clock imc 3/4", Job::Imc(0x0304));
    assert!(broken.abs_diff(sound * 3 / 4) < 8, "{broken} of {sound}");
    let (sound, other) = with_and_without("clock imc 3/4", Job::Cbox(0, 0, 0));
    assert_eq!(sound, other);
}

/// A slow clock wraps later, and the others stop only then.
#[test]
fn a_late_overflow_stops_the_others_late() {
    for defect in ["clock ubox 1/2", "rate ubox fixed 1/2"] {
        let mut bench = Bench::usual();
        bench.command(&format!("defect {defect}"));
        bench.wr(0, 0xc08, (EN | 1 << 20).into());
        bench.wr(0, 0xd10, EN.into());
        bench.command("preload 0 ubox fixed 0xffffffffff9c");
        bench.command("burst 100000");
        assert_eq!([bench.rd(0, 0xc09), bench.rd(0, 0xd16)], [0, 216]);
        assert_eq!(bench.rd(0, 0xc01), 1);
    }
}

#[test]
fn a_package_may_be_the_only_one() {
    let mut bench = Bench::usual();
    bench.command("defect rate cbox 0 0/1 1");
    bench.command("defect rate cbox 0 2/1 0");
    bench.command("defect rate pcu 0 0/1");
    for package in [0, 1] {
        bench.wr(package, 0xd10, EN.into());
        bench.wr(package, 0xc30, EN.into());
    }
    bench.command("burst 300");
    let counts = [0, 1].map(|package| (bench.rd(package, 0xd16), bench.rd(package, 0xc36)));
    assert_eq!(counts, [(600, 0), (0, 0)]);
}

#[test]
fn several_are_in_force_together() {
    let mut bench = Bench::usual();
    bench.command("defect rate imc 0 1/2");
    bench.command("defect umask imc 0x08");
    bench.command("defect  event  imc 0x04 0x01 ");
    let like = Job::Imc(0x0801).count(&mut Bench::usual());
    assert_eq!(Job::Imc(0x0304).count(&mut bench), like / 2);
}
