// SPDX-License-Identifier: GPL-2.0

//! The self-test of the interrupt, and what goes without it.

use super::*;

/// Perf holds a mutex of all users of a CPU while an event joins a group.
#[test]
fn an_event_that_joins_a_group_does_not_wait_for_a_long_test() {
    const HALF_SECOND: u64 = 500_000_000;
    with_driver("packages=1,cores=2", "auto", |host| {
        let leader = open("r2pcie", 0, R2PCIE_CLOCK);
        let join = || {
            let before = host.now();
            let opened = pmu("r2pcie").open(&attr(0, R2PCIE_CLOCK | EVERY), Some(&leader));
            (opened, host.now() - before)
        };
        // Nobody does the work of process context meanwhile.
        let (refused, took) = join();
        is_refused(refused, EAGAIN, "open the event again");
        assert!(took <= HALF_SECOND + HALF_SECOND / 10, "{took}");
        free_running(|| host.settle());
        let (opened, took) = join();
        assert!(opened.is_ok(), "{}", debugfs("rejections"));
        assert!(took < HALF_SECOND / 100, "{took}");
    });
}

#[test]
fn the_bit_of_the_core_that_interrupts_is_found() {
    for (map, bit, next_bit) in [("0+1+2", 0, 2), ("1+2+0", 2, 1), ("reversed", 2, 0)] {
        with_intervals(&format!("packages=1,cores=3,core-map={map}"), |host| {
            let event = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
            let expected = format!("pmi: core select bit {bit} interrupts CPU 0 (tested)");
            assert!(mode().contains(&expected), "{map}: {}", mode());
            host.traffic(INTERVAL);
            assert_eq!(event.read(), INTERVAL);
            assert_eq!(statistic("taken"), 1);
            host.offline(0);
            let expected = format!("pmi: core select bit {next_bit} interrupts CPU 2 (tested)");
            assert!(mode().contains(&expected), "{map}: {}", mode());
            host.traffic(INTERVAL);
            assert_eq!(statistic("taken"), 2);
        });
    }
}

/// The cores of another package take no part.
#[test]
fn the_search_for_the_bit_ends_with_the_last_core_of_the_package() {
    // A bit that stands for no core costs 100 ms: the one with the number of the core does here.
    const SHAPE: &str = "packages=2,cores=2:4,core-map=1+0:slot";
    with_driver(SHAPE, "auto", |host| {
        let before = host.now();
        let _event = free_running(|| open("r2pcie", 0, R2PCIE_CLOCK | EVERY));
        let took = host.now() - before;
        assert!(took < 200_000_000, "{took} ns");
        assert!(mode().contains("core select bit 1 interrupts CPU 0"));
    });
}

#[test]
fn who_chooses_interrupts_gets_them_without_a_self_test() {
    on_computer("packages=1,cores=2", |host| {
        let _driver = load_without_traffic("pmi").expect("the driver loads");
        let log = kernel::print::take();
        assert!(
            log.iter()
                .any(|line| line.contains("using PMIs as requested")),
            "{log:?}"
        );
        let event = open("r2pcie", 0, R2PCIE_CLOCK);
        overflow_once(host, &event);
        assert_eq!(statistic("taken"), 1);
        assert_eq!(host.unknown_nmis.load(Relaxed), 0);
    });
}

#[test]
fn without_a_self_test_each_cpu_may_be_interrupted() {
    on_computer("packages=1,cores=4", |host| {
        let _driver = load_without_traffic("pmi").expect("the driver loads");
        host.command("pmi to all");
        for cpu in 1..host.cpus() {
            host.set_lvtpc(cpu, NMI);
            host.set_uncore_pmi(cpu, true);
        }
        let event = open("r2pcie", 0, R2PCIE_CLOCK);
        overflow_once(host, &event);
        assert_eq!(host.unknown_nmis.load(Relaxed), 0);
    });
}

#[test]
fn a_self_test_that_cannot_count_refuses_intervals() {
    with_driver("packages=1,cores=2", "auto", |_| {
        let refused = pmu("r2pcie").open(&attr(0, R2PCIE_CLOCK | EVERY), None);
        is_refused(
            refused,
            EINVAL,
            "the counter of the self-test does not count",
        );
        assert!(mode().contains("poll: the counter of the self-test does not count"));
    });
}

#[test]
fn a_self_test_without_an_overflow_refuses_intervals() {
    on_computer("packages=1,cores=2", |host| {
        // The counter would need 100 ms.
        host.command("defect clock ubox 1/1000");
        let _driver = load("auto").expect("the driver loads");
        let log = kernel::print::take().concat();
        assert!(!log.contains("stood still"), "{log}");
        let refused = free_running(|| pmu("r2pcie").open(&attr(0, R2PCIE_CLOCK | EVERY), None));
        assert_eq!(refused.err(), Some(EINVAL));
        assert!(mode().contains("poll: the counter of the self-test did not overflow"));
    });
}

#[test]
fn the_self_test_takes_no_counter_from_an_event() {
    with_driver("packages=1,cores=2", "auto", |host| {
        let user = open("ubox", 0, UBOX_CLOCK);
        let wanted = || free_running(|| pmu("r2pcie").open(&attr(0, R2PCIE_CLOCK | EVERY), None));
        let words = "the counter of the self-test belongs to an event";
        is_refused(wanted(), EINVAL, words);
        let before = user.read();
        host.traffic(BURST);
        assert_eq!(user.read(), before + BURST);
        drop(user);
        assert!(wanted().is_ok());
    });
}

/// The NMIs of `perf record` find the status of the self-test by chance.
#[test]
fn sampling_does_not_pass_for_an_interrupt() {
    on_computer("packages=1,cores=2", |host| {
        host.command("pmi drop");
        let _driver = load("auto").expect("the driver loads");
        host.noise.store(true, Relaxed);
        let wanted = free_running(|| pmu("r2pcie").open(&attr(0, R2PCIE_CLOCK | EVERY), None));
        host.noise.store(false, Relaxed);
        assert_eq!(wanted.err(), Some(EINVAL));
    });
}

#[test]
fn the_self_test_freezes_the_package_for_moments_only() {
    with_driver("packages=1,cores=2", "auto", |_| {
        let _event = free_running(|| open("r2pcie", 0, R2PCIE_CLOCK | EVERY));
        assert!(
            statistic("frozen_ns") < 1_000_000,
            "{}",
            debugfs("overflow")
        );
    });
}
