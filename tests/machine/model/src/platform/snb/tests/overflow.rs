// SPDX-License-Identifier: GPL-2.0

//! Overflow: GLOBAL_STATUS, the freeze that may be off, PMIs, and how the status clears.

use super::{
    usual, CONTROL, EN, FIXED_CTR, FIXED_CTRL, FREEZE, GLOBAL_EN, LARGEST, OVF_CTRL, OVF_EN,
    STATUS, WAKE,
};
use crate::bench::Bench;

/// Event select and counter of every counter, and its bit in GLOBAL_STATUS.
fn all() -> Vec<(u32, u32, u64)> {
    let mut all = vec![
        (FIXED_CTRL, FIXED_CTR, 1),
        (0x3b2, 0x3b0, 2),
        (0x3b3, 0x3b1, 2),
    ];
    for n in 0..4 {
        all.extend([0, 1].map(|k| (0x700 + 0x10 * n + k, 0x706 + 0x10 * n + k, 8)));
    }
    all
}

/// The largest value of a counter.
fn most(counter: u32) -> u64 {
    let width = if counter == FIXED_CTR { 48 } else { 44 };
    (1 << width) - 1
}

/// An event for a control register, with overflow enabled.
fn armed(control: u32) -> u64 {
    let event = match control {
        FIXED_CTRL => 0,
        0x3b2 | 0x3b3 => 0x0181,
        _ => 0x8f34,
    };
    EN | OVF_EN | event
}

/// The cores of all interrupts since the last call.
fn interrupts(bench: &mut Bench) -> Vec<u32> {
    let interrupts = bench.machine.take_interrupts();
    interrupts.iter().map(|pmi| pmi.cores).collect()
}

#[test]
fn each_counter_sets_its_bit_and_freezes() {
    for (control, counter, bit) in all() {
        let mut bench = usual();
        bench.wr(0, control, armed(control));
        bench.wr(0, counter, most(counter) - 9);
        bench.wr(0, CONTROL, FREEZE | GLOBAL_EN | 0b0110);
        bench.machine.burst(100_000);
        assert_eq!(bench.rd(0, STATUS), bit, "{counter:#x}");
        assert_eq!(bench.rd(0, CONTROL), FREEZE | 0b0110, "EN drops");
        assert!(bench.rd(0, counter) < 3, "it stopped as it wrapped");
        assert_eq!(interrupts(&mut bench), [0b0110]);
        bench.wr(0, OVF_CTRL, bit);
        bench.wr(0, CONTROL, FREEZE | GLOBAL_EN | 0b0110);
        bench.machine.burst(1000);
        assert!(bench.rd(0, counter) > 9, "it goes on");
        assert_eq!(bench.rd(0, STATUS), 0);
        bench.assert_clean();
    }
}

#[test]
fn without_freeze_all_go_on() {
    let mut bench = usual();
    for (control, counter, _) in all() {
        bench.wr(0, control, armed(control));
        bench.wr(0, counter, most(counter) - 9);
    }
    bench.wr(0, CONTROL, WAKE | GLOBAL_EN | 1);
    bench.machine.burst(100_000);
    assert_eq!(bench.rd(0, STATUS), 0b1011);
    assert_eq!(bench.rd(0, CONTROL), WAKE | GLOBAL_EN | 1);
    assert_eq!(bench.rd(0, FIXED_CTR), 100_000 - 10);
    for (_, counter, _) in all() {
        assert!((1000..most(counter) / 2).contains(&bench.rd(0, counter)));
    }
    let pmis = bench.machine.take_interrupts();
    assert_eq!(pmis.len(), 3, "one for each bit");
    assert!(pmis.iter().all(|pmi| pmi.wake && pmi.cores == 1));
    bench.machine.burst(100_000);
    assert_eq!(bench.rd(0, FIXED_CTR), 200_000 - 10);
    bench.assert_clean();
}

/// On the endless axis each message comes in its time.
#[test]
fn without_freeze_on_the_endless_axis() {
    let mut bench = usual();
    bench.command("free-run on");
    bench.wr(0, FIXED_CTRL, EN | OVF_EN);
    bench.wr(0, FIXED_CTR, most(FIXED_CTR) - 99);
    bench.wr(0, 0x3b2, armed(0x3b2));
    bench.wr(0, 0x3b0, most(0x3b0) - 999);
    bench.wr(0, CONTROL, GLOBAL_EN | 1);
    bench.machine.advance(99);
    assert_eq!(bench.rd(0, STATUS), 0);
    bench.machine.advance(1);
    assert_eq!(bench.rd(0, STATUS), 1);
    bench.machine.advance(1_000_000);
    assert_eq!(bench.rd(0, STATUS), 3);
    assert_eq!(bench.rd(0, FIXED_CTR), 1_000_000);
    assert_eq!(interrupts(&mut bench), [1, 1]);
    assert_eq!(bench.command("clock"), "1000100 0");
}

#[test]
fn an_overflow_that_is_not_enabled_tells_nobody() {
    let mut bench = usual();
    for (control, counter, _) in all() {
        bench.wr(0, control, armed(control) & !OVF_EN);
        bench.wr(0, counter, most(counter) - 9);
    }
    bench.wr(0, CONTROL, FREEZE | GLOBAL_EN | 0xf);
    bench.machine.burst(100_000);
    assert_eq!(bench.rd(0, STATUS), 0);
    assert_eq!(bench.rd(0, CONTROL), FREEZE | GLOBAL_EN | 0xf);
    assert!(bench.rd(0, 0x706) < most(0x706) / 2, "it has wrapped");
    assert_eq!(interrupts(&mut bench), []);
}

/// No source says how the status is cleared (S-1).
#[test]
fn what_clears_the_status_is_a_reading() {
    for (option, itself, other) in [
        ("", false, true),
        ("", false, true),
        (",reading=S-1:b", true, false),
        (",reading=S-1:c", false, false),
    ] {
        for (register, clears) in [(STATUS, itself), (OVF_CTRL, other)] {
            let mut bench = Bench::new(&format!("{LARGEST}{option}"));
            bench.wr(0, FIXED_CTRL, EN | OVF_EN);
            bench.wr(0, FIXED_CTR, most(FIXED_CTR));
            bench.wr(0, CONTROL, GLOBAL_EN | 1);
            bench.machine.burst(10);
            assert_eq!(bench.rd(0, STATUS), 1);
            bench.wr(0, register, 1);
            let left = u64::from(!clears);
            assert_eq!(bench.rd(0, STATUS), left, "{option} {register:#x}");
            bench.wr(0, FIXED_CTR, most(FIXED_CTR));
            bench.machine.burst(10);
            let times = if clears { 2 } else { 1 };
            assert_eq!(interrupts(&mut bench).len(), times, "{option}");
            bench.assert_clean();
            bench.machine.lose_power();
            assert_eq!(bench.rd(0, STATUS), 0);
        }
    }
}

/// A message that is held up until the software clears the status.
#[test]
fn a_late_message_arrives() {
    let mut bench = usual();
    bench.command("late-message 0 arb unfreeze");
    bench.wr(0, FIXED_CTRL, EN | OVF_EN);
    bench.wr(0, FIXED_CTR, most(FIXED_CTR) - 9);
    bench.wr(0, CONTROL, GLOBAL_EN | 1);
    bench.machine.burst(1000);
    assert_eq!(bench.rd(0, STATUS), 0);
    assert_eq!(bench.rd(0, FIXED_CTR), 990, "nothing froze");
    bench.wr(0, CONTROL, GLOBAL_EN | 1);
    assert_eq!(bench.rd(0, STATUS), 1);
    assert_eq!(interrupts(&mut bench), [1]);
}
