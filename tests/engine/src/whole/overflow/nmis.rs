// SPDX-License-Identifier: GPL-2.0

//! Interrupts that are lost or late, and NMIs of other sources.

use super::*;

#[test]
fn interrupts_end_when_too_many_are_lost() {
    with_intervals("packages=1,cores=2", |host| {
        let event = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
        let interrupts = || mode().contains("pmi: core select");
        // One of five is lost for ever.
        for turn in 0..100 {
            end_interval(host, turn % 5 == 0);
            assert!(interrupts(), "{turn}: {}", debugfs("overflow"));
        }
        assert_eq!((statistic("taken"), statistic("caught_by_timer")), (80, 20));
        kernel::print::take();
        // Three in a row.
        for lost in 0..3 {
            assert!(interrupts(), "{lost}: {}", debugfs("overflow"));
            end_interval(host, true);
        }
        assert!(!interrupts(), "{}", debugfs("overflow"));
        host.settle();
        let log = kernel::print::take().concat();
        assert!(
            log.contains("overflow mode changed: poll: too many overflows came without"),
            "{log}"
        );
        let before = event.read();
        assert_eq!(before, 103 * INTERVAL);
        // Another CPU does not make them reliable.
        host.offline(0);
        assert!(mode().contains("poll: too many"), "{}", mode());
        // The counter wraps twice; polls read it in time.
        (0..9).for_each(|_| host.traffic(HALF_HOUR));
        assert_eq!(event.read(), before + 9 * HALF_HOUR);
        assert_eq!(statistic("taken"), 80);
        let refused = pmu("imc_0").open(&attr(1, CLOCK | EVERY), None);
        assert_eq!(refused.err(), Some(EINVAL));
    });
}

#[test]
fn interrupts_end_when_every_second_is_lost() {
    with_intervals("packages=1,cores=2", |host| {
        let event = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
        (0..20).for_each(|turn| end_interval(host, turn % 2 == 0));
        assert!(mode().contains("poll: too many"), "{}", debugfs("overflow"));
        assert_eq!(event.read(), 20 * INTERVAL);
    });
}

#[test]
fn a_lost_interrupt_freezes_the_package_for_moments_only() {
    with_intervals("packages=1,cores=2", |host| {
        let event = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
        host.command("pmi drop");
        host.machine().burst(INTERVAL);
        // It stands still.
        host.machine().burst(BURST);
        assert_eq!(event.read(), INTERVAL);
        pass_slowly(host, LONGEST_LOOK_NS);
        host.machine().burst(INTERVAL / 2);
        assert_eq!(event.read(), INTERVAL + INTERVAL / 2);
        assert_eq!(statistic("caught_by_timer"), 1);
        assert!(statistic("frozen_ns") <= LONGEST_LOOK_NS);
    });
}

#[test]
fn the_time_without_an_interrupt_counts_as_frozen() {
    const MILLISECOND: u64 = 1_000_000;
    with_intervals("packages=1,cores=2", |host| {
        let _event = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
        // A second that is over.
        host.pass(2_000 * MILLISECOND);
        let before = statistic("frozen_ns");
        pass_slowly(host, 2 * MILLISECOND);
        host.command("pmi drop");
        host.machine().burst(INTERVAL);
        let is_found = |_: &u64| {
            host.pass(MILLISECOND);
            statistic("caught_by_timer") == 1
        };
        let stood_still = (1..100).find(is_found).expect("the timer finds it") * MILLISECOND;
        let frozen = statistic("frozen_ns") - before;
        // When it began is known to two looks.
        assert!(
            (stood_still - MILLISECOND..stood_still + LONGEST_LOOK_NS).contains(&frozen),
            "{frozen} ns of {stood_still} ns"
        );
        host.pass(1_500 * MILLISECOND);
        let permille = frozen / MILLISECOND;
        assert_eq!(statistic("frozen_permille"), permille);
        let shown = pmu("r2pcie").show(Some(c"caps"), "frozen");
        assert_eq!(shown, Some(format!("0.{permille}\n")));
    });
}

#[test]
fn an_interrupt_that_comes_at_the_next_look_is_not_lost() {
    with_intervals("packages=1,cores=2", |host| {
        let event = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
        host.command("pmi delay read");
        host.machine().burst(INTERVAL);
        pass_slowly(host, LONGEST_LOOK_NS);
        assert_eq!((statistic("taken"), statistic("caught_by_timer")), (1, 0));
        assert_eq!(event.read(), INTERVAL);
    });
}

/// The timer comes first each time, and no interrupt is lost.
#[test]
fn interrupts_do_not_end_when_they_come_late() {
    with_intervals("packages=1,cores=2", |host| {
        let event = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
        for turn in 1..=20 {
            host.command("pmi drop");
            host.machine().burst(INTERVAL);
            while statistic("caught_by_timer") < turn {
                host.pass(1_000_000);
            }
            host.foreign_nmi(0);
            assert_eq!(statistic("late"), turn);
            // A pause after the freeze ends meanwhile.
            pass_slowly(host, 2_000_000_000);
            assert!(mode().contains("pmi: core select"), "{turn}: {}", mode());
        }
        assert_eq!(event.read(), 20 * INTERVAL);
    });
}

/// The mask bit is no evidence: the core PMU's handler clears it before.
#[test]
fn an_interrupt_that_comes_after_its_overflow_was_found_is_claimed() {
    with_intervals("packages=1,cores=2", |host| {
        let event = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
        host.command("pmi drop");
        host.machine().burst(INTERVAL);
        pass_slowly(host, 2 * LONGEST_LOOK_NS);
        assert_eq!(statistic("caught_by_timer"), 1);
        for (late, unknown) in [(1, 0), (1, 1)] {
            host.foreign_nmi(0);
            let found = (statistic("late"), host.unknown_nmis.load(Relaxed));
            assert_eq!(found, (late, unknown));
        }
        assert_eq!((event.read(), statistic("taken")), (INTERVAL, 0));
    });
}

#[test]
fn an_interrupt_on_its_way_is_claimed_before_its_handler_goes() {
    // Half a millisecond, in cycles of uclk.
    const DELAY: u64 = 500_000 * UCLK.0 / UCLK.1;
    for is_unloaded in [false, true] {
        on_computer("packages=1,cores=2", |host| {
            // Another driver takes PMIs on this CPU, before and after.
            host.set_lvtpc(0, NMI);
            host.set_uncore_pmi(0, true);
            let driver = load("auto").expect("the driver loads");
            test_interrupts(host);
            let event = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
            host.command(&format!("pmi delay {DELAY}"));
            host.machine().burst(INTERVAL);
            drop(event);
            assert_eq!(statistic("taken"), 0);
            host.command("free-run on");
            if is_unloaded {
                drop(driver);
            } else {
                host.shut_down();
                assert_eq!(statistic("taken"), 1);
            }
            host.pass(1_000_000);
            assert_eq!(host.unknown_nmis.load(Relaxed), 0);
            assert_eq!(pmi_state(host), (NMI, true));
        });
    }
}

#[test]
fn an_nmi_of_another_source_is_left_to_it() {
    with_intervals("packages=1,cores=2", |host| {
        let _event = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
        host.pass(1_000_000_000);
        for (cpu, unknown) in [(0, 1), (1, 2)] {
            host.foreign_nmi(cpu);
            assert_eq!(host.unknown_nmis.load(Relaxed), unknown);
        }
    });
}

/// Lets a counter overflow, and returns how many NMIs without evidence are claimed then.
fn claimed_after_an_overflow(host: &Host) -> u32 {
    let event = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
    host.traffic(INTERVAL);
    assert_eq!(statistic("taken"), 1);
    let is_claimed = |_: &u32| {
        let before = host.unknown_nmis.load(Relaxed);
        host.foreign_nmi(0);
        host.unknown_nmis.load(Relaxed) == before
    };
    let claimed = (0..100).take_while(is_claimed).count();
    drop(event);
    u32::try_from(claimed).expect("at most 100")
}

#[test]
fn as_many_nmis_are_claimed_as_an_overflow_can_send() {
    const SHAPE: &str = "packages=2,cores=4";
    // The self-test finds that one CPU is interrupted: its NMI was that of the overflow.
    with_intervals(SHAPE, |host| assert_eq!(claimed_after_an_overflow(host), 0));
    // The self-test finds two NMIs, the second almost a millisecond later.
    with_driver(SHAPE, "auto", |host| {
        host.command("pmi repeat 2160000");
        test_interrupts(host);
        host.command("pmi normal");
        assert_eq!(claimed_after_an_overflow(host), 1);
    });
    // Nobody knows how many CPUs are interrupted: at most those of the package.
    for shape in [SHAPE, "packages=1,cores=4"] {
        on_computer(shape, |host| {
            let _driver = load_without_traffic("pmi").expect("the driver loads");
            assert_eq!(claimed_after_an_overflow(host), 3);
        });
    }
}

#[test]
fn an_nmi_of_the_chipset_is_left_to_the_kernel() {
    on_computer("packages=1,cores=4", |host| {
        let _driver = load_without_traffic("pmi").expect("the driver loads");
        let _event = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
        for (is_of_chipset, unknown) in [(false, 0), (true, 1)] {
            host.traffic(INTERVAL);
            host.chipset_nmi.store(is_of_chipset, Relaxed);
            host.foreign_nmi(0);
            assert_eq!(host.unknown_nmis.load(Relaxed), unknown);
        }
    });
}

#[test]
fn a_pmi_without_an_overflow_is_claimed_and_nothing_else() {
    with_intervals("packages=1,cores=2", |host| {
        let _event = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
        host.pass(1_000_000_000);
        let log = accesses(host, || send_spurious_pmi(host));
        assert_eq!(statistic("spurious"), 1);
        assert!(!log.contains("wrmsr"), "{log}");
        assert_eq!(host.unknown_nmis.load(Relaxed), 0);
    });
}
