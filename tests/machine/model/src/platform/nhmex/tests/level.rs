// SPDX-License-Identifier: GPL-2.0

//! What lets a counter count, and what an overflow does (nhmex 4, 5).

use uncore_machine::Pmi;

use super::{
    control, nehalem, CBOXES, CLEAR, CONTROL, EN, EN_ALL, FRZ_ALL, PMI_EN, RST_ALL, SBOXES, STATUS,
    U_EN, WBOX,
};
use crate::bench::Bench;

const TOP: u64 = (1 << 48) - 1;

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

#[test]
fn the_u_box_has_its_enable_bit_in_the_global_control() {
    for (value, counts) in [(EN_ALL, false), (U_EN, false), (EN_ALL | U_EN, true)] {
        let mut bench = nehalem();
        bench.wr(0, 0xc10, EN | 0xf9);
        bench.wr(0, CONTROL, value);
        bench.machine.burst(10_000);
        assert_eq!(bench.rd(0, 0xc11) > 0, counts, "{value:#x}");
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
        bench.wr(0, control(base, 0) + 1, TOP - 9);
        bench.machine.burst(100_000);
        assert_eq!(bench.rd(0, base + 1), 1, "{base:#x}");
        assert_eq!(bench.rd(0, STATUS), bit);
        assert_eq!(bench.rd(0, CONTROL), 3 << 1);
        let pmi = Pmi {
            package: 0,
            cores: 1 << 3,
            wake: false,
            first_thread: false,
        };
        assert_eq!(bench.machine.take_interrupts(), [pmi]);
        bench.wr(0, base + 2, 0b10);
        assert_eq!((bench.rd(0, base + 1), bench.rd(0, STATUS)), (1, bit));
        bench.wr(0, base + 2, 0b01);
        assert_eq!((bench.rd(0, base + 1), bench.rd(0, STATUS)), (0, 0));
        assert_eq!(bench.rd(0, base + 2), 0);
        bench.assert_clean();
    }
}

#[test]
fn overflow_of_the_u_box() {
    let mut bench = nehalem();
    bench.wr(0, 0xc10, EN | PMI_EN | 0xf9);
    bench.wr(0, 0xc11, TOP - 9);
    bench.wr(0, CONTROL, EN_ALL | U_EN);
    bench.machine.burst(100_000);
    assert_eq!(bench.rd(0, STATUS), 1);
    bench.wr(0, CLEAR, 1);
    assert_eq!(bench.rd(0, STATUS), 0);
}

/// Without pmi_en the counter goes on, and only the status of the box tells.
#[test]
fn overflow_without_a_pmi() {
    let mut bench = running(CBOXES[3], 0x0715);
    bench.wr(0, control(CBOXES[3], 0), EN | 0x0715);
    bench.wr(0, control(CBOXES[3], 0) + 1, TOP - 9);
    bench.machine.burst(100_000);
    assert_eq!((bench.rd(0, CBOXES[3] + 1), bench.rd(0, STATUS)), (1, 0));
    assert!(bench.rd(0, control(CBOXES[3], 0) + 1) > 1000);
    assert_eq!(bench.rd(0, CONTROL), EN_ALL | 3 << 1);
}
