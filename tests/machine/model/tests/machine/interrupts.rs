// SPDX-License-Identifier: GPL-2.0

//! Faults of interrupts and messages (machine.rst, "Interrupts"): faults of PMIs,
//! held-up messages, and the number of PMIs.

use uncore_machine::{Cpu, Pmi};

use crate::bench::{pmi, uncore, Bench, EN, FULL_48, OV_EN, UNFRZ_ALL};

/// The UBox fixed counter of package 0 overflows in cycle 100 of 150, for core 1.
fn overflow(bench: &mut Bench) {
    bench.wr(0, 0xc01, 1);
    bench.arm(0, 100);
    bench.wr(0, 0xc00, UNFRZ_ALL | 0b10);
    bench.machine.burst(150);
}

/// The masks of cores that have got an interrupt since the last call.
fn cores(bench: &mut Bench) -> Vec<u32> {
    let interrupts = bench.machine.take_interrupts().into_iter();
    interrupts.map(|pmi| pmi.cores).collect()
}

fn unmask(bench: &mut Bench, core: u8) {
    bench.machine.unmasked(Cpu {
        package: 0,
        core,
        thread: 0,
    });
}

#[test]
fn lost_late_and_double_interrupts() {
    let mut bench = Bench::usual();
    let mut overflow = |mode: &str| {
        bench.command(mode);
        overflow(&mut bench);
        let at_once = bench.machine.take_interrupts().len();
        bench.machine.burst(99);
        let later = bench.machine.take_interrupts().len();
        bench.machine.burst(1);
        (at_once, later, bench.machine.take_interrupts().len())
    };
    assert_eq!(overflow("pmi drop"), (0, 0, 0));
    assert_eq!(overflow("pmi repeat"), (2, 0, 0));
    // Raised in cycle 100 of the burst: 50 of the 150 have passed at its end.
    assert_eq!(overflow("pmi delay 150"), (0, 0, 1));
    assert_eq!(overflow("pmi delay 149"), (0, 1, 0));
    assert_eq!(overflow("pmi delay 50"), (1, 0, 0));
    assert_eq!(overflow("pmi repeat 149"), (1, 1, 0));
    assert_eq!(overflow("pmi repeat 50"), (2, 0, 0));
    assert_eq!(overflow("pmi normal"), (1, 0, 0));
}

type Action = fn(&mut Bench);

#[test]
fn an_interrupt_may_wait_for_a_step_of_the_software() {
    let steps: [(&str, Action); 4] = [
        ("read", |bench| _ = bench.rd(0, 0xc01)),
        ("clear", |bench| bench.wr(0, 0xc01, 1)),
        ("unfreeze", |bench| bench.wr(0, 0xc00, UNFRZ_ALL | 0b10)),
        ("unmask", |bench| unmask(bench, 1)),
    ];
    for (name, _) in steps {
        for (mode, at_once) in [("delay", 0), ("repeat", 1)] {
            let mut bench = Bench::usual();
            bench.command(&format!("pmi {mode} {name}"));
            overflow(&mut bench);
            assert_eq!(cores(&mut bench).len(), at_once, "{mode} {name}");
            for (step, take) in steps {
                take(&mut bench);
                let arrived = usize::from(step == name);
                assert_eq!(cores(&mut bench).len(), arrived, "{mode} {name} at {step}");
            }
        }
    }
}

#[test]
fn only_the_right_step_of_the_right_package_counts() {
    let mut bench = Bench::usual();
    bench.command("pmi delay clear");
    overflow(&mut bench);
    bench.command("poke-msr 0 0xc01 3");
    bench.wr(1, 0xc01, 1);
    bench.wr(0, 0xc01, 0);
    bench.wr(0, 0xc01, 1);
    assert_eq!(cores(&mut bench), [0; 0], "one bit is left");
    bench.wr(0, 0xc01, 2);
    assert_eq!(cores(&mut bench), [0b10]);
    bench.command("pmi delay unfreeze");
    overflow(&mut bench);
    bench.wr(0, 0xc00, 0b10);
    bench.wr(0, 0xc00, UNFRZ_ALL | 1 << 31 | 0b10);
    bench.wr(1, 0xc00, UNFRZ_ALL);
    assert_eq!(cores(&mut bench), [0; 0], "it is still frozen");
    bench.wr(0, 0xc00, UNFRZ_ALL | 0b10);
    assert_eq!(cores(&mut bench), [0b10]);
    bench.command("pmi delay unmask");
    overflow(&mut bench);
    unmask(&mut bench, 0);
    assert_eq!(cores(&mut bench), [0; 0], "not the core it is for");
    unmask(&mut bench, 1);
    assert_eq!(cores(&mut bench), [0b10]);
    bench.command("pmi delay read");
    overflow(&mut bench);
    bench.command("peek-msr 0 0xc01");
    bench.rd(0, 0xc00);
    bench.rd(1, 0xc01);
    assert_eq!(cores(&mut bench), [0; 0]);
}

#[test]
fn an_interrupt_may_take_the_wrong_way() {
    let mut bench = Bench::usual();
    let mut sent = |rule: &str| {
        bench.command(rule);
        overflow(&mut bench);
        let [pmi] = bench.machine.take_interrupts()[..] else {
            panic!("one interrupt");
        };
        pmi.cores
    };
    assert_eq!(sent("pmi to selected"), 0b0010);
    assert_eq!(sent("pmi to next"), 0b0100);
    assert_eq!(sent("pmi to all"), 0b1111);
    assert_eq!(sent("pmi normal"), 0b0010);
}

#[test]
fn messages_and_interrupts_are_counted() {
    let mut bench = Bench::usual();
    let none =
        "package 0: raised 0, dropped 0, waiting 0\npackage 1: raised 0, dropped 0, waiting 0";
    assert_eq!(bench.command("interrupts"), none);
    overflow(&mut bench);
    bench.command("pmi drop");
    overflow(&mut bench);
    bench.command("pmi delay read");
    overflow(&mut bench);
    bench.machine.take_interrupts();
    let some =
        "package 0: raised 3, dropped 1, waiting 1\npackage 1: raised 0, dropped 0, waiting 0";
    assert_eq!(bench.command("interrupts"), some);
    bench.rd(0, 0xc01);
    bench.machine.take_interrupts();
    bench.command("clear-interrupts");
    assert_eq!(bench.command("interrupts"), none);
}

/// The UBox and home agent 0 of package 0 overflow in the same cycle, core 1.
fn two_overflow(bench: &mut Bench) {
    let home = uncore(14, 1);
    bench.set(home, 0xd8, (EN | OV_EN) as u32);
    bench.set_counter(home, 0xa0, FULL_48 - 100);
    overflow(bench);
}

const PMI: Pmi = pmi(0, 0b10);

#[test]
fn a_message_may_come_between_two_steps() {
    let mut bench = Bench::usual();
    let home = uncore(14, 1);
    bench.command("late-message 0 ha_0 read");
    two_overflow(&mut bench);
    assert_eq!(bench.machine.take_interrupts(), [PMI], "of the UBox");
    assert_eq!(bench.cfg(home, 0xf8), 1, "the box knows");
    assert_eq!(bench.cfg_counter(home, 0xa0), 0, "and has stopped");
    assert_eq!(bench.rd(0, 0xc01), 1, "the UBox does not know");
    assert_eq!(bench.machine.take_interrupts(), [PMI], "of the home agent");
    assert_eq!(bench.rd(0, 0xc01), 1 | 1 << 18);
    assert_eq!(bench.machine.take_interrupts(), [], "only once");
    bench.set(home, 0xf8, 1);
    bench.wr(0, 0xc01, 1 << 18);
    bench.set_counter(home, 0xa0, FULL_48 - 100);
    overflow(&mut bench);
    assert_eq!(bench.rd(0, 0xc01), 1 | 1 << 18, "the next one is not late");
    bench.assert_clean();
}

#[test]
fn a_late_message_freezes_again() {
    let mut bench = Bench::usual();
    let home = uncore(14, 1);
    bench.wr(0, 0xd10, EN);
    bench.command("late-message 0 ha_0 unfreeze");
    two_overflow(&mut bench);
    assert_eq!(cores(&mut bench), [0b10]);
    bench.wr(0, 0xc01, 1);
    bench.wr(0, 0xc00, UNFRZ_ALL | 0b10);
    assert_eq!(cores(&mut bench), [0b10]);
    assert_eq!(bench.rd(0, 0xc01), 1 << 18);
    let before = bench.rd(0, 0xd16);
    bench.machine.burst(1000);
    assert_eq!(bench.rd(0, 0xd16), before, "frozen");
    bench.wr(0, 0xc01, 1 << 18);
    bench.set(home, 0xf8, 1);
    bench.wr(0, 0xc00, UNFRZ_ALL | 0b10);
    bench.machine.burst(1000);
    assert_eq!(bench.cfg_counter(home, 0xa0), 1000, "all released");
    assert_eq!(bench.rd(0, 0xd16), before + 1000);
}

#[test]
fn while_a_message_is_late_only_its_box_has_stopped() {
    let mut bench = Bench::usual();
    let home = uncore(14, 1);
    bench.wr(0, 0xc00, 0b10);
    bench.wr(0, 0xd10, EN);
    bench.set(home, 0xd8, (EN | OV_EN) as u32);
    bench.set_counter(home, 0xa0, FULL_48 - 100);
    bench.command("late-message 0 ha_0 unmask");
    let state = bench.command("state");
    let late = state.lines().filter(|line| line.ends_with(" late-message"));
    assert_eq!(late.count(), 1, "{state}");
    bench.machine.burst(1000);
    bench.wr(0, 0xc00, 0b10);
    bench.machine.burst(1000);
    assert_eq!(bench.cfg_counter(home, 0xa0), 0);
    assert_eq!(bench.rd(0, 0xd16), 2000, "the rest goes on");
    let state = bench.command("state");
    assert!(
        state.contains("ha_0: BOX_STATUS 0x1 CTL0 0x500000 stopped\n"),
        "{state}"
    );
    unmask(&mut bench, 0);
    assert_eq!(cores(&mut bench), [0; 0]);
    unmask(&mut bench, 1);
    assert_eq!(cores(&mut bench), [0b10]);
    bench.machine.burst(1000);
    assert_eq!(bench.rd(0, 0xd16), 2000, "until the message is there");
}

#[test]
fn a_late_message_for_a_set_bit_changes_nothing() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xc00, 0b10);
    for (function, left) in [(4, 70), (5, 70)] {
        bench.set(uncore(16, function), 0xd8, (EN | OV_EN) as u32);
        bench.set_counter(uncore(16, function), 0xa0, FULL_48 - left);
    }
    bench.command("late-message 0 imc_1 read");
    bench.machine.burst(1000);
    assert_eq!(cores(&mut bench), [0b10], "of imc_0");
    assert_eq!(bench.rd(0, 0xc01), 1 << 20);
    assert_eq!(cores(&mut bench), [0; 0], "they share the bit");
}

#[test]
fn free_running_time_knows_late_messages_too() {
    let mut bench = Bench::usual();
    let home = uncore(14, 1);
    bench.command("free-run on");
    bench.wr(0, 0xc00, 0b10);
    bench.wr(0, 0xd10, EN);
    bench.set(home, 0xd8, (EN | OV_EN) as u32);
    bench.set_counter(home, 0xa0, FULL_48 - 100);
    bench.command("late-message 0 ha_0 read");
    bench.machine.advance(1000);
    assert_eq!(bench.cfg_counter(home, 0xa0), 0);
    bench.machine.advance(1000);
    assert_eq!(bench.rd(0, 0xc01), 0);
    assert_eq!(cores(&mut bench), [0b10]);
    bench.machine.advance(1000);
    assert_eq!(bench.rd(0, 0xd16), 2000, "frozen as the message arrived");
}
