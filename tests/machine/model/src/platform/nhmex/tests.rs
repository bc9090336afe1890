// SPDX-License-Identifier: GPL-2.0

//! The model of Nehalem-EX and Westmere-EX against Documentation/hardware/nhmex.rst.

use uncore_machine::Rule;

use crate::bench::{pmi, Bench, EN};
use crate::readings::cases::{some, ONES};
use crate::readings::Case;
use crate::registers::{check_global, check_missing, check_others, check_status, At};
use crate::violations::each_breaks;

/// Two packages of eight cores.
const NEHALEM: &str = "platform=nhmex,cores=8";

/// U_MSR_PMON_GLOBAL_CTL, its status, and the register that clears it.
const CONTROL: u32 = 0xc00;
const STATUS: u32 = 0xc01;
const CLEAR: u32 = 0xc02;

/// en_all.
const EN_ALL: u64 = 1 << 28;
/// rst_all.
const RST_ALL: u64 = 1 << 29;
/// frz_all.
const FRZ_ALL: u64 = 1 << 31;
/// The enable bit of the U-Box in the global control.
const U_EN: u64 = 1;

/// pmi_en of boxes U, C, S and W.
const PMI_EN: u64 = 1 << 20;

/// First address of each C-Box.
const CBOXES: [u32; 10] = [
    0xd00, 0xd80, 0xd40, 0xdc0, 0xd20, 0xda0, 0xd60, 0xde0, 0xf40, 0xfc0,
];
const SBOXES: [u32; 2] = [0xc40, 0xcc0];
const WBOX: u32 = 0xc80;

/// The fixed counter and its control.
const FIXED_CTR: u32 = 0x394;

/// The control register of a counter; the counter is behind it.
fn control(base: u32, counter: u32) -> u32 {
    base + 0x10 + 2 * counter
}

fn nehalem() -> Bench {
    Bench::new(NEHALEM)
}

/// Global registers, and C-Boxes, which are not there for other cores; 8 and 9 are on Westmere-EX only.
#[test]
fn registers() {
    check_global(NEHALEM, CONTROL, [0xb000_001f, 0, 0x4fff_ffe0], 0);
    check_status(NEHALEM, STATUS, CLEAR, 0xf);
    check_others(NEHALEM, &[0x391], &[0xc03, CBOXES[8]]);
    check_missing(
        "platform=nhmex,cores=3",
        (CBOXES[0], CBOXES[1] - CBOXES[0]),
        2,
        0b11,
    );
    check_missing(
        "platform=nhmex,cores=3",
        (CBOXES[2], CBOXES[3] - CBOXES[2]),
        2,
        0b01,
    );
    check_missing(
        "platform=wsmex,cores=9",
        (CBOXES[8], CBOXES[9] - CBOXES[8]),
        2,
        0b01,
    );
    // An event select that no port has, an event of the other model, and no core.
    each_breaks(
        NEHALEM,
        At::Msr(0xe10),
        1,
        Rule::UnknownEvent,
        &[(24 << 1, 24)],
    );
    each_breaks(
        NEHALEM,
        At::Msr(0xc10),
        EN as u32,
        Rule::UnknownEvent,
        &[(0x05, 0x05)],
    );
    each_breaks(
        NEHALEM,
        At::Msr(control(WBOX, 0)),
        EN as u32,
        Rule::UnknownUmask,
        &[(0x04, 0)],
    );
    let mut bench = nehalem();
    bench.wr(0, control(CBOXES[0], 0), 1 << 62);
    assert_eq!(bench.broken(), [(Rule::HighHalf, 1 << 62)]);
}

/// First address of each box and its counters.
fn boxes() -> Vec<(u32, u32)> {
    let cboxes = CBOXES[..8].iter().map(|base| (*base, 6));
    let sboxes = SBOXES.iter().map(|base| (*base, 4));
    cboxes.chain(sboxes).chain([(WBOX, 4)]).collect()
}

#[test]
fn statuses() {
    for (base, counters) in boxes() {
        let fixed = if base == WBOX { 1 << 31 } else { 0 };
        let all: u64 = ((1 << counters) - 1) | fixed;
        let mut bench = nehalem();
        bench.command(&format!("poke-msr 0 {} 0xffffffff", base + 1));
        assert_eq!(bench.rd(0, base + 1), all);
        bench.wr(0, base + 1, 0);
        assert_eq!(bench.broken(), [(Rule::ReadOnly, all)]);
        bench.wr(0, base + 2, 0b100);
        assert_eq!(bench.rd(0, base + 1), all & !0b100);
        bench.wr(0, base + 2, all);
        assert_eq!(bench.rd(0, base + 1), 0);
        bench.assert_clean();
    }
}

const MM_CFG: [u32; 2] = [0xe48, 0xe58];
const MM_EN: u64 = 1 << 63;

#[test]
fn a_write_while_it_is_on_faults() {
    let mut bench = nehalem();
    for mm_cfg in MM_CFG {
        bench.wr(0, mm_cfg, MM_EN);
        for register in [mm_cfg + 1, mm_cfg + 2] {
            assert!(bench.write_of_faults(0, register, 5));
            assert_eq!(bench.broken(), [(Rule::Guarded, 0)]);
            assert_eq!(bench.rd(0, register), 0);
        }
        bench.wr(0, mm_cfg, 0);
        bench.wr(0, mm_cfg + 1, 5);
        assert_eq!(bench.rd(0, mm_cfg + 1), 5);
    }
    bench.assert_clean();
}

const MBOXES: [u32; 2] = [0xca0, 0xce0];
/// wrap_mode of the M-Box.
const WRAP: u64 = 1 << 6;

/// Without wrap_mode a counter stops at its end.
#[test]
fn end_of_a_counter() {
    for (wrap, stops) in [(0, true), (WRAP, false)] {
        let mut bench = nehalem();
        bench.wr(0, control(MBOXES[1], 2) + 1, ONES - 10);
        bench.wr(0, control(MBOXES[1], 2), 1 | 0x1b << 9 | wrap);
        bench.wr(0, MBOXES[1], 1 << 2);
        bench.wr(0, CONTROL, EN_ALL);
        bench.machine.burst(1000);
        assert_eq!(bench.rd(0, control(MBOXES[1], 2) + 1) == ONES, stops);
    }
}

/// Section 8: a value that ends in 0 or 1.
#[test]
fn what_the_w_box_reads() {
    let mut bench = nehalem();
    for counter in [control(WBOX, 0) + 1, control(WBOX, 3) + 1, FIXED_CTR] {
        for (value, read) in [
            (0, 0x100_0000),
            (1, 0x100_0001),
            (2, 2),
            (0xff_ffff, 0xff_ffff),
            (0x12_3400_0001, 0x12_3500_0001),
            (0xffff_ff00_0000, 0),
        ] {
            bench.wr(0, counter, value);
            assert_eq!(bench.rd(0, counter), read, "{counter:#x}");
        }
    }
    bench.wr(0, control(CBOXES[0], 0) + 1, 1);
    assert_eq!(
        bench.rd(0, control(CBOXES[0], 0) + 1),
        1,
        "other boxes read right"
    );
}

/// Box, its control, an event of it, its bit in the global status.
const PLACES: [(u32, u64, u64); 5] = [
    (CBOXES[0], 0x0715, 1 << 3),
    (CBOXES[7], 0x0715, 1 << 2),
    (SBOXES[0], 0x0f40, 1 << 3),
    (SBOXES[1], 0x0f40, 1 << 2),
    (WBOX, 0xff04, 1 << 1),
];

/// Every one of the three enable bits is needed.
#[test]
fn three_levels() {
    for (base, event, _) in PLACES {
        for missing in 0..4 {
            let mut bench = nehalem();
            bench.wr(
                0,
                control(base, 1),
                event | if missing == 1 { 0 } else { EN },
            );
            bench.wr(0, base, if missing == 2 { 0b1101 } else { 0b0010 });
            bench.wr(0, CONTROL, if missing == 3 { U_EN } else { EN_ALL });
            bench.machine.burst(10_000);
            let counter = bench.rd(0, control(base, 1) + 1);
            let idle = if base == WBOX { 0x100_0000 } else { 0 };
            assert_eq!(counter != idle, missing == 0, "{base:#x} {missing}");
            bench.assert_clean();
        }
    }
}

fn running(base: u32, event: u64) -> Bench {
    let mut bench = nehalem();
    bench.wr(0, control(base, 0), EN | PMI_EN | event);
    bench.wr(0, base, 1);
    bench.wr(0, CONTROL, EN_ALL | 3 << 1);
    bench
}

#[test]
fn freeze_reset_and_loss() {
    let counter = control(CBOXES[0], 0) + 1;
    let mut bench = running(CBOXES[0], 0x0715);
    bench.machine.burst(1000);
    let sum = bench.rd(0, counter);
    bench.wr(0, CONTROL, EN_ALL | FRZ_ALL);
    bench.machine.burst(1000);
    assert_eq!(bench.rd(0, counter), sum, "frozen");
    bench.wr(0, CONTROL, EN_ALL);
    bench.command("lose-enable 0");
    bench.machine.burst(1000);
    assert_eq!(bench.rd(0, counter), sum, "lost");
    assert_eq!(bench.rd(0, CONTROL), 0);
    bench.wr(0, CONTROL, EN_ALL | RST_ALL);
    bench.machine.burst(1000);
    assert_eq!(bench.rd(0, counter), 0, "held at 0");
    assert_eq!(bench.rd(0, control(CBOXES[0], 0)), EN | PMI_EN | 0x0715);
    bench.wr(0, CONTROL, EN_ALL);
    bench.machine.burst(1000);
    assert_eq!(bench.rd(0, counter), sum, "as from the beginning");
    bench.machine.lose_power();
    for register in [CONTROL, CBOXES[0], counter - 1, counter] {
        assert_eq!(bench.rd(0, register), 0);
    }
    bench.assert_clean();
}

/// An overflow with a PMI sets the status of the box and the summary, stops the package and
/// interrupts one core; the summary goes with the status.
#[test]
fn overflow() {
    for (base, event, bit) in PLACES {
        let mut bench = running(base, event);
        bench.wr(0, control(base, 0) + 1, ONES - 9);
        bench.machine.burst(100_000);
        assert_eq!(bench.rd(0, base + 1), 1, "{base:#x}");
        assert_eq!(bench.rd(0, STATUS), bit);
        assert_eq!(bench.rd(0, CONTROL), 3 << 1);
        assert_eq!(bench.machine.take_interrupts(), [pmi(0, 1 << 3)]);
        bench.wr(0, base + 2, 0b10);
        assert_eq!((bench.rd(0, base + 1), bench.rd(0, STATUS)), (1, bit));
        bench.wr(0, base + 2, 0b01);
        assert_eq!((bench.rd(0, base + 1), bench.rd(0, STATUS)), (0, 0));
        assert_eq!(bench.rd(0, base + 2), 0);
        bench.assert_clean();
    }
}

/// Without pmi_en the counter goes on, and only the status of the box tells.
#[test]
fn overflow_without_a_pmi() {
    let mut bench = running(CBOXES[3], 0x0715);
    bench.wr(0, control(CBOXES[3], 0), EN | 0x0715);
    bench.wr(0, control(CBOXES[3], 0) + 1, ONES - 9);
    bench.machine.burst(100_000);
    assert_eq!((bench.rd(0, CBOXES[3] + 1), bench.rd(0, STATUS)), (1, 0));
    assert!(bench.rd(0, control(CBOXES[3], 0) + 1) > 1000);
    assert_eq!(bench.rd(0, CONTROL), EN_ALL | 3 << 1);
}

/// GLOBAL_STATUS after a counter of each S-Box has overflowed.
fn status_of_sboxes(bench: &mut Bench) -> Vec<u64> {
    SBOXES
        .map(|base| {
            bench.wr(0, base + 0x10, EN | PMI_EN | 0x0f40);
            bench.wr(0, base + 0x11, ONES);
            bench.wr(0, base, 1);
            bench.wr(0, CONTROL, EN_ALL);
            bench.machine.burst(10_000);
            let status = bench.rd(0, STATUS);
            bench.wr(0, base + 0x10, 0);
            bench.wr(0, base + 2, 1);
            status
        })
        .to_vec()
}

pub(crate) const CASES: &[Case] = &[
    Case {
        reading: "X-9:b",
        options: NEHALEM,
        act: status_of_sboxes,
        first: &[1 << 3, 1 << 2],
        other: &[1 << 2, 1 << 3],
    },
    Case {
        reading: "X-22:b",
        options: NEHALEM,
        act: |bench| {
            bench.wr(0, 0xc10, EN | 0xf9);
            bench.wr(0, CONTROL, EN_ALL | 1);
            bench.machine.burst(10_000);
            vec![bench.rd(0, CONTROL), some(bench.rd(0, 0xc11))]
        },
        first: &[EN_ALL | 1, 1],
        other: &[EN_ALL, 1],
    },
];
