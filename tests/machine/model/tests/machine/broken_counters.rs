// SPDX-License-Identifier: GPL-2.0

//! Planted defects of counters and registers: width, enable, freeze, reset, reads
//! and writes that go wrong, and accesses that reach another package.

use crate::bench::{uncore, uncore1, Bench, IMC};

const EN: u32 = 1 << 22;
const OV_EN: u32 = 1 << 20;
const RST: u32 = 1 << 17;

/// A bench with a defect.
fn with(defect: &str) -> Bench {
    let mut bench = Bench::usual();
    bench.command(&format!("defect {defect}"));
    bench
}

/// Results with the defect and, on the same machine, without it.
fn with_and_without<T>(defect: &str, test: impl Fn(&mut Bench) -> T) -> [T; 2] {
    let mut bench = with(defect);
    let broken = test(&mut bench);
    bench.command("clear-defects");
    [broken, test(&mut bench)]
}

#[test]
fn a_narrow_counter_wraps_early() {
    let answers = with_and_without("narrow cbox 20", |bench| {
        bench.wr(0, 0xd10, (EN | RST).into());
        bench.command("burst 3000000");
        let counted = bench.rd(0, 0xd16);
        bench.wr(0, 0xd16, 0x123_4567_89ab);
        (counted, bench.rd(0, 0xd16))
    });
    let narrow = (3_000_000 % (1 << 20), 0x7_89ab);
    assert_eq!(answers, [narrow, (3_000_000, 0x123_4567_89ab)]);
}

#[test]
fn bits_are_lost_at_once_and_stay_lost() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xd16, 0xfff_ffff_ffff);
    bench.command("defect narrow cbox 40");
    assert_eq!(bench.rd(0, 0xd16), 0xff_ffff_ffff);
    bench.command("clear-defects");
    assert_eq!(bench.rd(0, 0xd16), 0xff_ffff_ffff);
}

#[test]
fn a_narrow_counter_overflows_where_it_wraps() {
    let mut bench = with("narrow imc 32");
    bench.set(IMC, 0xd8, EN | OV_EN);
    bench.set_counter(IMC, 0xa0, 0xffff_ffff_ffff - 99);
    assert_eq!(bench.cfg_counter(IMC, 0xa0), 0xffff_ffff - 99);
    bench.command("burst 1000");
    assert_eq!(bench.cfg_counter(IMC, 0xa0), 0);
    assert_eq!(bench.cfg(IMC, 0xf8), 2);
    bench.assert_clean();
}

#[test]
fn a_saturating_counter_neither_wraps_nor_interrupts() {
    let answers = with_and_without("saturate imc", |bench| {
        bench.set(IMC, 0xf8, 0x1f);
        bench.wr(0, 0xc01, 0x07ff_ffff);
        bench.wr(0, 0xc00, 1 << 29);
        bench.set(IMC, 0xd8, EN | OV_EN);
        bench.set_counter(IMC, 0xa0, 0xffff_ffff_ffff - 99);
        bench.command("burst 1000");
        (bench.cfg_counter(IMC, 0xa0), bench.cfg(IMC, 0xf8))
    });
    assert_eq!(answers, [(0xffff_ffff_ffff, 0), (0, 2)]);
}

#[test]
fn freezes_may_do_nothing() {
    let answers = with_and_without("ignore cbox freeze", |bench| {
        bench.wr(0, 0xd16, 0);
        bench.wr(0, 0xd10, EN.into());
        bench.wr(0, 0xd04, 0x30100);
        bench.command("burst 1000");
        let own = bench.rd(0, 0xd16);
        bench.wr(0, 0xd04, 0x30000);
        bench.wr(0, 0xc00, 1 << 31);
        bench.command("burst 1000");
        let software = bench.rd(0, 0xd16);
        bench.wr(0, 0xc00, 1 << 29);
        bench.wr(0, 0xc08, (EN | OV_EN).into());
        bench.command("preload 0 ubox fixed 0xffffffffff9c");
        bench.command("burst 1000");
        let overflow = bench.rd(0, 0xd16);
        bench.wr(0, 0xc01, 1);
        bench.wr(0, 0xc00, 1 << 29);
        [own, software, overflow]
    });
    assert_eq!(answers, [[1000, 2000, 3000], [0, 0, 116]]);
}

#[test]
fn time_passes_in_a_box_that_does_not_freeze() {
    let mut bench = with("ignore cbox freeze");
    bench.command("free-run on");
    bench.wr(0, 0xd10, EN.into());
    bench.wr(0, 0xc00, 1 << 31);
    bench.machine.advance(500);
    assert_eq!(bench.rd(0, 0xd16), 500);
    bench.machine.advance(500);
    assert_eq!(bench.rd(0, 0xd16), 1000);
}

#[test]
fn written_values_may_be_lost() {
    let answers = with_and_without("ignore imc value", |bench| {
        bench.command("preload 0 imc_0 0 5");
        bench.set_counter(IMC, 0xa0, 0x1234_5678_9abc);
        bench.cfg_counter(IMC, 0xa0)
    });
    assert_eq!(answers, [5, 0x1234_5678_9abc]);
    let answers = with_and_without("ignore pcu value", |bench| {
        bench.command("poke-msr 0 0xc36 5");
        bench.wr(0, 0xc36, 9);
        bench.rd(0, 0xc36)
    });
    assert_eq!(answers, [5, 9]);
}

#[test]
fn upper_halves_are_torn_now_and_then() {
    let answers = with_and_without("torn imc 1/3", |bench| {
        bench.set_counter(IMC, 0xa0, 0xffff_0000_0001);
        bench.set_counter(IMC, 0xa8, 0x0001_0000_0001);
        let reads = [(); 6].map(|()| bench.cfg_counter(IMC, 0xa0));
        bench.command("peek-config 7f:10.4 0xa4");
        (reads, [(); 3].map(|()| bench.cfg(IMC, 0xac)))
    });
    let (whole, torn) = (0xffff_0000_0001, 1);
    let broken = ([whole, whole, torn, whole, whole, torn], [1, 1, 2]);
    assert_eq!(answers, [broken, ([whole; 6], [1; 3])]);
}

#[test]
fn bits_flip_now_and_then() {
    let answers = with_and_without("flip cbox 33 1/2", |bench| {
        bench.wr(0, 0xd16, 7);
        let reads = [(); 4].map(|()| bench.rd(0, 0xd16));
        assert_eq!(bench.command("peek-msr 0 0xd16"), "0x7");
        reads
    });
    let flipped = 1 << 33 | 7;
    assert_eq!(answers, [[7, flipped, 7, flipped], [7; 4]]);
}

/// Two equal reads of the upper half, before and after the lower one, do not
/// exclude tearing.
#[test]
fn tearing_may_last() {
    let mut bench = with("torn imc 2/6");
    let halves = [(); 12].map(|()| bench.cfg(IMC, 0xa4));
    assert_eq!(halves, [0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1]);
}

#[test]
fn bits_flip_in_either_half() {
    let mut bench = with("flip imc 31 1/2");
    let reads = [(); 4].map(|()| bench.cfg_counter(IMC, 0xa0));
    assert_eq!(reads, [0, 1 << 31, 0, 1 << 31]);
    let mut bench = with("flip imc 32 1/1");
    assert_eq!(bench.cfg_counter(IMC, 0xd0), 1 << 32);
}

#[test]
fn bits_of_controls_read_as_they_are_not() {
    let answers = with_and_without("reads cbox 22 0", |bench| {
        bench.wr(0, 0xd10, 0x40_0000);
        assert_eq!(bench.command("peek-msr 0 0xd10"), "0x400000");
        bench.command("burst 100");
        (bench.rd(0, 0xd10), bench.rd(0, 0xd16))
    });
    assert_eq!(answers, [(0, 100), (0x40_0000, 200)]);
    let mut bench = with("reads pcu 40 1");
    assert_eq!(bench.rd(0, 0xc30), 1 << 40);
    let mut bench = with("reads imc 31 1");
    assert_eq!(bench.cfg(IMC, 0xd8), 1 << 31);
    // The fixed counter's control register, and none of another box.
    assert_eq!(bench.cfg(IMC, 0xf0), 1 << 31);
    assert_eq!(bench.rd(0, 0xd10), 0);
}

#[test]
fn controls_land_on_the_next_counter() {
    let mut bench = with("next cbox control");
    bench.wr(0, 0xd10, 0x140_0000);
    bench.wr(0, 0xd13, 0x240_0000);
    let controls = [0, 1, 2, 3].map(|n| bench.rd(0, 0xd10 + n));
    assert_eq!(controls, [0x240_0000, 0x140_0000, 0, 0]);
    bench.command("poke-msr 0 0xd12 0x3400000");
    assert_eq!(
        bench.rd(0, 0xd12),
        0x340_0000,
        "a poke goes where it should"
    );
    bench.command("clear-defects");
    bench.wr(0, 0xd10, 0);
    assert_eq!(bench.rd(0, 0xd10), 0);
    bench.assert_clean();
}

/// An event for counter 0 only, on counter 1, is not the software's mistake.
#[test]
fn rules_are_judged_by_what_was_asked() {
    let mut bench = with("next cbox control");
    bench.wr(0, 0xd10, 0x40_0111);
    bench.assert_clean();
    bench.wr(0, 0xd13, 0x40_0111);
    assert_eq!(bench.broken().len(), 1);
}

#[test]
fn values_land_on_the_next_counter() {
    let mut bench = with("next imc value");
    bench.set_counter(IMC, 0xa0, 0x1234_5678_9abc);
    bench.set_counter(IMC, 0xb8, 0x1_0000_0002);
    bench.set_counter(IMC, 0xd0, 5);
    let values = [0xa0, 0xa8, 0xb0, 0xb8, 0xd0].map(|at| bench.cfg_counter(IMC, at));
    assert_eq!(values, [0x1_0000_0002, 0x1234_5678_9abc, 0, 0, 5]);
}

#[test]
fn swapped_packages_give_each_others_names() {
    let mut bench = Bench::new("packages=2,nodes=2:5,gidnidmap=fac68a:fac68d");
    let names = |bench: &mut Bench| {
        [uncore(11, 0), uncore1(11, 0)].map(|at| [0x40, 0x54].map(|offset| bench.cfg(at, offset)))
    };
    let [one, other] = names(&mut bench);
    assert_ne!(one, other);
    for _ in 0..2 {
        bench.command("defect swap-nodes 0 1");
        assert_eq!(names(&mut bench), [other, one], "none is in force twice");
    }
    assert_eq!(bench.cfg(uncore1(11, 0), 0), 0x0e1e_8086);
    bench.command("clear-defects");
    assert_eq!(names(&mut bench), [one, other]);
}

#[test]
fn accesses_reach_another_package() {
    let mut bench = with("misroute 0 1");
    bench.wr(0, 0xd10, EN.into());
    bench.command("burst 1000");
    assert_eq!([bench.rd(0, 0xd16), bench.rd(1, 0xd16)], [1000, 1000]);
    assert_eq!(bench.command("peek-msr 0 0xd10"), "0x0");
    bench.command("clear-defects");
    assert_eq!([bench.rd(0, 0xd16), bench.rd(1, 0xd16)], [0, 1000]);
}

#[test]
fn refusals_name_the_word() {
    for (line, text) in REFUSALS {
        let answer = Bench::usual().machine.command(&format!("defect {line}"));
        assert_eq!(answer.expect_err(line).to_string(), text, "{line}");
    }
}

/// Defects that are refused, and the words: one for each reason.
#[rustfmt::skip]
const REFUSALS: [(&str, &str); 18] = [
    ("", "defect: a defect is missing"),
    ("none", "'none' is not a defect"),
    ("event cha 1 2", "the machine has no box type 'cha'"),
    ("event cbox 0x135 1", "'0x135' is not an event select of that box type"),
    ("event qpi 0x200 1", "'0x200' is not an event select of that box type"),
    ("umask imc 0x100", "'0x100' is not an umask"),
    ("ignore cbox ext", "'ext' is not a field or a filter of that box type"),
    ("ignore imc nid", "'nid' is not a field or a filter of that box type"),
    ("rate ubox 2 1/2", "the machine has no counter '2'"),
    ("rate ubox 1 2/0", "'2/0' is not a ratio, as in 3/4"),
    ("clock imc 0/1", "'0/1' is not a ratio, as in 3/4"),
    ("narrow cbox 44", "'44' is not a smaller number of bits"),
    ("torn cbox 1/2", "'cbox' is not a box type with counters in two halves"),
    ("flip ubox 44 1/2", "'44' is not a bit of its counters"),
    ("reads imc 32 1", "'32' is not a bit of its control registers"),
    ("next imc filter", "'filter' is not control or value"),
    ("saturate imc 0 0", "'0' is one word too many"),
    ("misroute 2 0", "the machine has no package '2'"),
];
