// SPDX-License-Identifier: GPL-2.0

//! Overflows: interrupts, intervals, lost and foreign NMIs, and polling.

use super::*;
use crate::host::{on, READ_NS, UCLK};

/// The MSRs with the control and the status of all boxes, and the bit that freezes them.
const GLOBAL_CONTROL: u32 = 0xc00;
const GLOBAL_STATUS: u32 = 0xc01;
const FREEZE: u64 = 1 << 31;

/// LVTPC: a counter sends an NMI, and the NMI is held back.
const NMI: u32 = 0x400;
const MASKED: u32 = 1 << 16;

#[test]
fn an_overflow_interrupts_and_nothing_is_lost() {
    with_driver("packages=2,cores=2", "auto", |host| {
        assert!(
            debugfs("overflow").contains("pmi: core select"),
            "{}",
            debugfs("overflow")
        );
        let event = open("r2pcie", 0, R2PCIE_CLOCK);
        overflow_once(host, &event);
        assert_eq!(host.unknown_nmis.load(Relaxed), 0);
        assert_eq!(statistic("taken"), 1);
    });
}

#[test]
fn an_interval_is_traced_with_the_counts_of_its_end() {
    const INTERVAL: u64 = 400_000;
    with_driver("packages=1,cores=2", "auto", |host| {
        *plain(&host.trace) = Some(Vec::new());
        let _event = open("r2pcie", 0, R2PCIE_CLOCK | INTERVAL << 32);
        (0..3).for_each(|_| host.traffic(INTERVAL));
        let records = plain(&host.trace).take().expect("it was enabled");
        let counts = [1, 2, 3].map(|end| format!(" count={} ", end * INTERVAL));
        assert_eq!(records.len(), counts.len(), "{records:?}");
        for (record, count) in records.iter().zip(&counts) {
            assert!(
                record.starts_with("ivbep_uncore_r2pcie package=0 "),
                "{record}"
            );
            assert!(record.contains(count), "{record}");
        }
    });
}

#[test]
fn a_record_has_the_time_of_the_overflow() {
    const INTERVAL: u64 = 400_000;
    with_driver("packages=1,cores=2", "auto", |host| {
        let _event = open("r2pcie", 0, R2PCIE_CLOCK | INTERVAL << 32);
        *plain(&host.trace) = Some(Vec::new());
        let from = host.now();
        host.traffic(INTERVAL);
        let to = host.now();
        // The first reading of the clock after the traffic is the NMI's.
        let overflow = from + READ_NS + INTERVAL * UCLK.1 / UCLK.0;
        let records = plain(&host.trace).take().expect("it was enabled");
        let mut words = records.iter().flat_map(|record| record.split(' '));
        let time = words.find_map(|word| word.strip_prefix("time="));
        let time: u64 = time.and_then(|time| time.parse().ok()).expect("a time");
        assert_eq!(time, overflow);
        // The machine was frozen from the NMI to the end of the interrupt.
        let frozen = statistic("longest_freeze_ns");
        assert!((1..to - from).contains(&frozen), "{frozen}");
    });
}

#[test]
fn the_bit_of_the_core_that_interrupts_is_found() {
    for (map, bit) in [("0+1+2", 0), ("1+2+0", 2), ("reversed", 2)] {
        with_driver(
            &format!("packages=1,cores=3,core-map={map}"),
            "auto",
            |host| {
                let mode = format!("pmi: core select bit {bit} interrupts CPU 0 (tested)");
                assert!(
                    debugfs("overflow").contains(&mode),
                    "{map}: {}",
                    debugfs("overflow")
                );
                let event = open("r2pcie", 0, R2PCIE_CLOCK);
                overflow_once(host, &event);
                assert_eq!(statistic("taken"), 1);
            },
        );
    }
}

#[test]
fn who_chooses_to_poll_gets_no_interrupt() {
    with_driver("packages=1,cores=2", "poll", |host| {
        let event = open("r2pcie", 0, R2PCIE_CLOCK);
        overflow_once(host, &event);
        let overflow = debugfs("overflow");
        assert!(
            overflow.contains("poll") && overflow.contains("taken 0"),
            "{overflow}"
        );
    });
}

#[test]
fn who_chooses_interrupts_gets_them_without_a_self_test() {
    on_computer("packages=1,cores=2", |host| {
        let driver = load_without_traffic("pmi").expect("the driver loads");
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
        drop(event);
        drop(driver);
    });
}

#[test]
fn without_a_self_test_each_cpu_may_be_interrupted() {
    on_computer("packages=1,cores=4", |host| {
        let driver = load_without_traffic("pmi").expect("the driver loads");
        host.command("pmi to all");
        for cpu in 1..host.cpus() {
            host.set_lvtpc(cpu, NMI);
            host.set_uncore_pmi(cpu, true);
        }
        let event = open("r2pcie", 0, R2PCIE_CLOCK);
        overflow_once(host, &event);
        assert_eq!(host.unknown_nmis.load(Relaxed), 0);
        drop(event);
        drop(driver);
    });
}

#[test]
fn three_lost_interrupts_in_a_row_end_interrupts() {
    const INTERVAL: u64 = 400_000;
    with_driver("packages=1,cores=2", "auto", |host| {
        let event = open("r2pcie", 0, R2PCIE_CLOCK | INTERVAL << 32);
        let interrupts = || debugfs("overflow").contains("pmi: core select");
        for lost in [2, 2, 3] {
            // An interrupt that comes begins the row anew.
            host.command("pmi normal");
            host.traffic(INTERVAL);
            host.command("pmi drop");
            for _ in 0..lost {
                assert!(interrupts(), "{}", debugfs("overflow"));
                host.traffic(INTERVAL);
                host.pass(LONGEST_WATCH_NS);
            }
        }
        assert!(!interrupts(), "{}", debugfs("overflow"));
        kernel::print::take();
        host.settle();
        let log = kernel::print::take().concat();
        assert!(
            log.contains("overflow mode changed: poll: several"),
            "{log}"
        );
        let before = event.read();
        assert_eq!(before, (2 + 2 + 3 + 3) * INTERVAL);
        // The counter wraps twice; polls read it in time.
        (0..9).for_each(|_| host.traffic(HALF_HOUR));
        assert_eq!(event.read(), before + 9 * HALF_HOUR);
    });
}

#[test]
fn an_nmi_of_another_source_is_left_to_it() {
    with_driver("packages=1,cores=2", "auto", |host| {
        let _event = open("r2pcie", 0, R2PCIE_CLOCK);
        host.pass(1_000_000_000);
        for (cpu, unknown) in [(0, 1), (1, 2)] {
            host.foreign_nmi(cpu);
            assert_eq!(host.unknown_nmis.load(Relaxed), unknown);
        }
    });
}

#[test]
fn interrupts_follow_to_another_cpu() {
    on_computer("packages=1,cores=2", |host| {
        let lvtpc = host.lvtpc(0);
        let driver = load("auto").expect("the driver loads");
        let event = open("r2pcie", 0, R2PCIE_CLOCK);
        assert_ne!(host.lvtpc(0), lvtpc);
        host.offline(0);
        assert_eq!(host.lvtpc(0), lvtpc);
        assert!(!host.set_uncore_pmi(0, false));
        let overflow = debugfs("overflow");
        assert!(overflow.contains("bit 1 interrupts CPU 1"), "{overflow}");
        overflow_once(host, &event);
        assert_eq!(statistic("taken"), 1);
        drop(event);
        drop(driver);
    });
}

#[test]
fn a_freeze_that_somebody_left_behind_ends() {
    on_computer("packages=1,cores=2", |host| {
        let place = host.place(0);
        let written = host.machine().wrmsr(place, GLOBAL_CONTROL, FREEZE);
        assert_eq!(written, Some(Ok(())));
        host.command(&format!("poke-msr 0 {GLOBAL_STATUS:#x} 0x1"));
        let driver = load("poll").expect("the driver loads");
        assert_eq!(host.machine().rdmsr(place, GLOBAL_STATUS), Some(Ok(0)));
        let event = open("r2pcie", 0, R2PCIE_CLOCK);
        host.command("free-run on");
        host.pass(1_000_000);
        assert!(event.read() > 0);
        drop(event);
        drop(driver);
    });
}

#[test]
fn too_many_interrupts_are_throttled_for_a_while() {
    const INTERVAL: u64 = 250_000;
    // Interrupts in 100 ms.
    const MOST: u64 = 2000;
    const THROTTLE_NS: u64 = 100_000_000;
    with_driver("packages=1,cores=2", "auto", |host| {
        let event = open("r2pcie", 0, R2PCIE_CLOCK | INTERVAL << 32);
        kernel::print::take();
        let interrupt = || {
            host.machine().burst(INTERVAL);
            host.pass(0);
        };
        (0..MOST).for_each(|_| interrupt());
        assert_eq!(statistic("throttled"), 0);
        interrupt();
        assert_eq!(statistic("throttled"), 1);
        let count = (MOST + 1) * INTERVAL;
        assert_eq!(event.read(), count);
        host.settle();
        let log = kernel::print::take();
        let message = "throttled for 100 ms (1 times so far)";
        assert!(log.len() == 1 && log[0].contains(message), "{log:?}");
        // The package stands still.
        host.machine().burst(INTERVAL);
        assert_eq!(event.read(), count);
        host.pass(THROTTLE_NS);
        host.machine().burst(INTERVAL);
        assert_eq!(event.read(), count + INTERVAL);
        // The third is not logged.
        for (times, lines) in [(2, 1), (3, 0), (4, 1)] {
            (0..=MOST).for_each(|_| interrupt());
            assert_eq!(statistic("throttled"), times);
            host.settle();
            assert_eq!(kernel::print::take().len(), lines);
            host.pass(THROTTLE_NS);
        }
    });
}

#[test]
fn a_record_has_the_counts_of_all_events_at_the_end_of_the_interval() {
    const INTERVAL: u64 = 400_000;
    with_driver("packages=1,cores=2", "auto", |host| {
        let [bare, clock] = [0, INTERVAL << 32].map(|interval| {
            host.traffic(BURST);
            open("r2pcie", 0, R2PCIE_CLOCK | interval)
        });
        let other = open("cbox_1", 0, CLOCK);
        *plain(&host.trace) = Some(Vec::new());
        host.traffic(INTERVAL);
        let records = plain(&host.trace).take().expect("it was enabled");
        let all = format!(
            "all=cbox_1/0x0/={} r2pcie/0x1/={} r2pcie/0x1/={}",
            other.read(),
            bare.read(),
            clock.read()
        );
        assert!(
            records.len() == 1 && records[0].ends_with(&all),
            "{all} {records:?}"
        );
        // Counts are read for a record only.
        *plain(&host.trace) = None;
        let untraced = accesses(host, || host.traffic(INTERVAL));
        assert!(!untraced.contains(" 0xd3"), "{untraced}");
    });
}

/// Lets a counter overflow, and returns how many NMIs without evidence are claimed then.
fn claimed_after_an_overflow(host: &Host) -> u32 {
    const INTERVAL: u64 = 400_000;
    let event = open("r2pcie", 0, R2PCIE_CLOCK | INTERVAL << 32);
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
    with_driver(SHAPE, "auto", |host| {
        assert_eq!(claimed_after_an_overflow(host), 1);
    });
    // Nobody knows how many CPUs are interrupted: at most those of the package.
    for shape in [SHAPE, "packages=1,cores=4"] {
        on_computer(shape, |host| {
            let driver = load_without_traffic("pmi").expect("the driver loads");
            assert_eq!(claimed_after_an_overflow(host), 4);
            drop(driver);
        });
    }
    // The self-test finds that all CPUs of the package are.
    on_computer(SHAPE, |host| {
        host.command("pmi to all");
        for cpu in 1..4 {
            host.set_lvtpc(cpu, NMI);
            host.set_uncore_pmi(cpu, true);
        }
        let driver = load("auto").expect("the driver loads");
        assert_eq!(claimed_after_an_overflow(host), 4);
        drop(driver);
    });
}

#[test]
fn a_pmi_without_an_overflow_is_claimed_and_nothing_else() {
    with_driver("packages=1,cores=2", "auto", |host| {
        let _event = open("r2pcie", 0, R2PCIE_CLOCK);
        host.pass(1_000_000_000);
        let spurious = || {
            host.set_lvtpc(0, NMI | MASKED);
            host.foreign_nmi(0);
        };
        let log = accesses(host, spurious);
        assert_eq!(statistic("spurious"), 1);
        assert!(!log.contains("wrmsr"), "{log}");
        // Too many of them are throttled like others.
        (0..2000).for_each(|_| spurious());
        assert_eq!(statistic("throttled"), 1);
        assert_eq!(host.unknown_nmis.load(Relaxed), 0);
    });
}

#[test]
fn a_driver_that_polls_looks_at_no_nmi() {
    with_driver("packages=1,cores=2", "poll", |host| {
        host.pass(1_000_000_000);
        let log = accesses(host, || host.foreign_nmi(0));
        assert_eq!(log, "");
        assert_eq!(host.unknown_nmis.load(Relaxed), 1);
    });
}

#[test]
fn an_overflow_that_nobody_has_noticed_is_found_when_an_event_starts() {
    // The bit of R2PCIe.
    const STATUS: u64 = 1 << 26;
    with_driver("packages=1,cores=2", "auto", |host| {
        host.command(&format!("poke-msr 0 {GLOBAL_STATUS:#x} {STATUS:#x}"));
        let _event = open("r2pcie", 0, R2PCIE_CLOCK);
        assert_eq!(statistic("caught_by_watchdog"), 1);
        let status = host.machine().rdmsr(host.place(0), GLOBAL_STATUS);
        assert_eq!(status, Some(Ok(0)));
    });
}

#[test]
fn all_boxes_stand_still_while_events_move_to_another_cpu() {
    with_driver("packages=1,cores=2", "auto", |host| {
        let events = [("r2pcie", R2PCIE_CLOCK), ("imc_0", CLOCK)];
        let _events = events.map(|(boxes, config)| open(boxes, 0, config));
        let log = accesses(host, || host.offline(0));
        let controls = log
            .lines()
            .filter_map(|line| line.strip_prefix("wrmsr 0 0xc00 0x"));
        let values: Vec<_> = controls
            .map(|value| u64::from_str_radix(value, 16).expect("hexadecimal"))
            .collect();
        let [first, .., last] = values[..] else {
            panic!("{log}");
        };
        assert!(first & FREEZE != 0 && last & FREEZE == 0, "{log}");
    });
}

#[test]
fn a_self_test_that_cannot_count_is_given_up() {
    on_computer("packages=1,cores=2", |_| {
        let driver = load_without_traffic("auto").expect("the driver loads");
        let overflow = debugfs("overflow");
        assert!(overflow.contains("does not count"), "{overflow}");
        drop(driver);
    });
}

#[test]
fn an_overflow_that_comes_again_before_the_interrupt_is_serviced() {
    const INTERVAL: u64 = 400_000;
    // The bit of R2PCIe.
    const STATUS: u64 = 1 << 26;
    with_driver("packages=1,cores=2", "auto", |host| {
        let event = open("r2pcie", 0, R2PCIE_CLOCK | INTERVAL << 32);
        on(0, |_| {
            host.machine().burst(INTERVAL);
            // The NMI comes after an access.
            let place = host.place(0);
            let status = host.access(0, |machine| machine.rdmsr(place, GLOBAL_STATUS));
            assert_eq!(status, Some(Ok(STATUS)));
            host.command(&format!("poke-msr 0 {GLOBAL_STATUS:#x} {STATUS:#x}"));
        });
        assert_eq!(statistic("intervals"), 1);
        assert_eq!(event.read(), INTERVAL);
    });
}
