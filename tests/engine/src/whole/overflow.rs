// SPDX-License-Identifier: GPL-2.0

//! Overflows: interrupts, intervals, lost and foreign NMIs, and polling.

use super::*;
use crate::host::{on, Hotplug, READ_NS, UCLK};
use std::sync::{Arc, Mutex};
use uncore_e2e::prelude::Platform;

/// `clockticks` of the UBox, the counter of the self-test.
const UBOX_CLOCK: u64 = 0xff;

/// Residency of a core in C3.
const CORE_C3: u64 = 0xfc;

/// The MSRs with the control and the status of all boxes, and the bit that freezes them.
const GLOBAL_CONTROL: u32 = 0xc00;
const GLOBAL_STATUS: u32 = 0xc01;
const FREEZE: u64 = 1 << 31;

/// LVTPC: a counter sends an NMI, and the NMI is held back.
const NMI: u32 = 0x400;
const MASKED: u32 = 1 << 16;

/// Returns how overflows of the first package are noticed.
fn mode() -> String {
    let overflow = debugfs("overflow");
    overflow.lines().next().unwrap_or_default().to_owned()
}

/// Returns the values written to the global control register.
pub(super) fn controls(log: &str) -> Vec<u64> {
    let written = log.lines().filter_map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        (words[0] == "wrmsr" && words[2] == "0xc00").then(|| words[3].trim_start_matches("0x"))
    });
    written
        .map(|value| u64::from_str_radix(value, 16).expect("hexadecimal"))
        .collect()
}

#[test]
fn without_an_interval_nothing_is_armed() {
    for shape in ["packages=1,cores=2", "packages=2,cores=2"] {
        on_computer(shape, |host| {
            let before = pmi_state(host);
            host.command("free-run on");
            host.command("log on");
            let driver = load_without_traffic("auto").expect("the driver loads");
            let events = [
                ("r2pcie", R2PCIE_CLOCK),
                ("ubox", UBOX_CLOCK),
                ("cbox_0", CLOCK),
            ];
            let events = events.map(|(boxes, config)| open(boxes, 0, config));
            for _ in 0..3600 {
                host.pass(1_000_000_000);
                assert!(events.iter().all(|event| event.read() > 0));
            }
            host.foreign_nmi(0);
            host.offline(0);
            host.online(0);
            assert_eq!(pmi_state(host), before);
            drop((events, driver));
            host.foreign_nmi(0);
            let log = host.command("log take");
            assert!(controls(&log).is_empty(), "{log}");
            let status: Vec<_> = log
                .lines()
                .filter(|line| line.contains(" 0xc01 "))
                .collect();
            assert!(status.is_empty(), "the global status is read: {status:?}");
            assert_eq!(pmi_state(host), before);
            assert_eq!(host.unknown_nmis.load(Relaxed), 2);
        });
    }
}

#[test]
fn a_cpu_takes_pmis_only_while_an_event_with_an_interval_counts() {
    on_computer("packages=1,cores=2", |host| {
        let before = pmi_state(host);
        let driver = load("auto").expect("the driver loads");
        let event = free_running(|| open("r2pcie", 0, R2PCIE_CLOCK | EVERY));
        assert_eq!(pmi_state(host), (NMI, true));
        assert!(mode().contains("pmi: core select bit 0 interrupts CPU 0 (tested)"));
        let other = open("imc_0", 0, CLOCK);
        drop(event);
        // Events often follow each other.
        pass_slowly(host, LONGEST_LOOK_NS / 2);
        assert_eq!(pmi_state(host), (NMI, true));
        let_disarm(host);
        assert_eq!(pmi_state(host), before);
        assert!(mode().contains("poll: no running event needs interrupts"));
        let event = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
        assert_eq!(pmi_state(host), (NMI, true));
        let log = accesses(host, || host.pass(60_000_000_000));
        assert!(controls(&log).is_empty(), "{log}");
        drop((event, other, driver));
        assert_eq!(pmi_state(host), before);
    });
}

/// The driver restores an entry of another use. It leaves an NMI entry unmasked: who has set it would
/// get no PMI any more if it stayed masked.
#[test]
fn lvtpc_is_left_as_its_owner_needs_it() {
    const VECTOR: u32 = 0xfd;
    for (before, after) in [
        (NMI | MASKED, NMI),
        (NMI, NMI),
        (MASKED, MASKED),
        (VECTOR | MASKED, VECTOR | MASKED),
        (VECTOR, VECTOR),
    ] {
        with_intervals("packages=1,cores=2", |host| {
            host.set_lvtpc(0, before);
            for ended in 1..=2 {
                let event = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
                host.traffic(INTERVAL);
                assert_eq!((event.read(), statistic("taken")), (INTERVAL, ended));
                assert_eq!(host.lvtpc(0), NMI, "{before:#x}");
                drop(event);
                let_disarm(host);
                assert_eq!(host.lvtpc(0), after, "{before:#x}");
            }
        });
    }
}

/// Perf holds a mutex of all users of a CPU while an event joins a group.
#[test]
fn an_event_that_joins_a_group_does_not_wait_for_a_long_test() {
    const HALF_SECOND: u64 = 500_000_000;
    on_computer("packages=1,cores=2", |host| {
        let driver = load("auto").expect("the driver loads");
        let leader = open("r2pcie", 0, R2PCIE_CLOCK);
        let join = || {
            let before = host.now();
            let opened = pmu("r2pcie").open(&attr(0, R2PCIE_CLOCK | EVERY), Some(&leader));
            (opened, host.now() - before)
        };
        // Nobody does the work of process context meanwhile.
        let (refused, took) = join();
        assert_eq!(refused.err(), Some(EAGAIN));
        assert!(took <= HALF_SECOND + HALF_SECOND / 10, "{took}");
        assert!(debugfs("rejections").contains("open the event again"));
        free_running(|| host.settle());
        let (opened, took) = join();
        assert!(opened.is_ok(), "{}", debugfs("rejections"));
        assert!(took < HALF_SECOND / 100, "{took}");
        drop((opened, leader, driver));
    });
}

/// An event with an interval waits for a counter, and starts when another event has ended.
#[test]
fn the_cpu_that_took_pmis_is_the_one_that_is_restored() {
    on_computer("packages=1,cores=2", |host| {
        let before = [0, 1].map(|cpu| pmi_state_of(host, cpu));
        let driver = load("auto").expect("the driver loads");
        crate::computer::test_interrupts(host);
        let clocks: Vec<_> = (0..4).map(|_| open("r2pcie", 0, R2PCIE_CLOCK)).collect();
        let waiting = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
        assert!(!waiting.is_active());
        // The control register of the first counter.
        host.command("poke-config 7f:13.1 0xd8 0");
        verify(host);
        assert!(waiting.is_active());
        assert!(mode().contains("interrupts CPU 0"), "{}", mode());
        drop(waiting);
        let_disarm(host);
        assert_eq!(pmi_state_of(host, 0), before[0]);
        drop((clocks, driver));
        assert_eq!([0, 1].map(|cpu| pmi_state_of(host, cpu)), before);
    });
}

#[test]
fn only_the_counter_of_the_interval_interrupts() {
    with_intervals("packages=1,cores=2", |host| {
        let plain = open("r3qpi_0", 0, R2PCIE_CLOCK);
        let event = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
        (0..5).for_each(|_| host.machine().burst(HALF_HOUR));
        // The package stands still soon after the end of the first interval.
        assert!((INTERVAL..INTERVAL + 100).contains(&plain.read()));
        host.pass(0);
        drop(event);
        let before = plain.read();
        (0..5).for_each(|_| host.traffic(HALF_HOUR));
        assert_eq!(plain.read(), before + 5 * HALF_HOUR);
        assert_eq!(statistic("taken"), 1);
    });
}

#[test]
fn an_overflow_interrupts_and_nothing_is_lost() {
    with_driver("packages=2,cores=2", "pmi", |host| {
        let event = open("r2pcie", 0, R2PCIE_CLOCK);
        assert!(mode().contains("pmi: core select"), "{}", mode());
        overflow_once(host, &event);
        assert_eq!(host.unknown_nmis.load(Relaxed), 0);
        assert_eq!(statistic("taken"), 1);
    });
}

#[test]
fn an_interval_is_traced_with_the_counts_of_its_end() {
    with_intervals("packages=1,cores=2", |host| {
        *plain(&host.trace) = Some(Vec::new());
        let _event = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
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

/// The interrupt may come to a core whose residency is another one.
#[test]
fn a_record_has_the_residency_of_the_core_that_counts() {
    with_intervals("packages=1,cores=2", |host| {
        host.offline(0);
        host.online(0);
        host.set_lvtpc(0, NMI);
        host.set_uncore_pmi(0, true);
        let clock = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
        let residency = open("pcu", 0, CORE_C3);
        assert_eq!(residency.cpu(), Some(1));
        let [before, after] = ["selected", "all"].map(|cores| {
            host.command(&format!("pmi to {cores}"));
            *plain(&host.trace) = Some(Vec::new());
            host.traffic(INTERVAL);
            let records = plain(&host.trace).take().expect("it was enabled");
            assert_eq!(records.len(), 1, "{cores}: {records:?}");
            let text = format!("pcu/{CORE_C3:#x}/=");
            let (_, count) = records[0].split_once(&text).expect("a residency");
            count.split(' ').next().and_then(|count| count.parse().ok())
        });
        assert!(before.is_some_and(|before: u64| before > 0));
        // What the core that counts has read last.
        assert_eq!(after, before);
        assert!(before.is_some_and(|before| residency.read() > before));
        drop(clock);
    });
}

#[test]
fn a_record_has_the_time_of_the_overflow() {
    with_intervals("packages=1,cores=2", |host| {
        let _event = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
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
fn the_time_from_an_overflow_to_its_interrupt_counts_as_frozen() {
    const LATENCY: u64 = 50_000;
    let longest_freeze = |latency| {
        let mut longest = 0;
        with_driver("packages=1,cores=2", "auto", |host| {
            host.nmi_latency.store(latency, Relaxed);
            crate::computer::test_interrupts(host);
            // What the driver cannot see any more.
            host.nmi_latency.store(0, Relaxed);
            let _event = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
            host.traffic(INTERVAL);
            longest = statistic("longest_freeze_ns");
        });
        longest
    };
    let seen = longest_freeze(LATENCY) - longest_freeze(0);
    assert!((LATENCY..LATENCY + 1_000).contains(&seen), "{seen}");
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
    on_computer(SHAPE, |host| {
        let driver = load("auto").expect("the driver loads");
        let before = host.now();
        let event = free_running(|| open("r2pcie", 0, R2PCIE_CLOCK | EVERY));
        let took = host.now() - before;
        assert!(took < 200_000_000, "{took} ns");
        assert!(mode().contains("core select bit 1 interrupts CPU 0"));
        drop((event, driver));
    });
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
        let refused = pmu("r2pcie").open(&attr(0, R2PCIE_CLOCK | EVERY), None);
        assert_eq!(refused.err(), Some(EINVAL));
        let rejections = debugfs("rejections");
        assert!(
            rejections.contains("chosen with overflow=poll"),
            "{rejections}"
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

/// Lets an interval end, with its interrupt or without.
fn end_interval(host: &Host, is_lost: bool) {
    host.command(if is_lost { "pmi drop" } else { "pmi normal" });
    host.traffic(INTERVAL);
    // What a lost interrupt has frozen is given back meanwhile.
    pass_slowly(host, 2_000_000_000);
}

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
            crate::computer::test_interrupts(host);
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

#[test]
fn interrupts_follow_to_another_cpu() {
    on_computer("packages=1,cores=2", |host| {
        let before = pmi_state(host);
        let driver = load("pmi").expect("the driver loads");
        let [event, other] = ["r2pcie", "r3qpi_0"].map(|boxes| open(boxes, 0, R2PCIE_CLOCK));
        assert_ne!(pmi_state(host), before);
        host.offline(0);
        assert_eq!(pmi_state(host), before);
        assert!(mode().contains("bit 1 interrupts CPU 1"), "{}", mode());
        drop(other);
        overflow_once(host, &event);
        assert_eq!(statistic("taken"), 1);
        drop(event);
        drop(driver);
    });
}

/// Calls a function when the driver has let a CPU go that goes offline.
struct WhenLeft<F>(F);

impl<F: Fn() + Send + Sync> Hotplug for WhenLeft<F> {
    fn online(&self, _cpu: u32) {}

    fn offline(&self, _cpu: u32) {
        (self.0)();
    }

    fn release(&self, _cpu: u32) {}
}

/// Takes a CPU offline. An event that was opened before starts there after the others have left, so
/// that PMIs are routed to that CPU, and the timer is to fire there.
fn start_on_a_cpu_that_goes(host: &Host, cpu: u32) {
    let opening = pmu("r2pcie").accept(&attr(cpu, R2PCIE_CLOCK | EVERY), None);
    let opening = Mutex::new(opening.ok());
    let event = Mutex::new(None);
    let start = move || {
        if let Some(opening) = plain(&opening).take() {
            *plain(&event) = Some(opening.install().expect("the CPU is online"));
        }
    };
    let callbacks: Arc<dyn Hotplug> = Arc::new(WhenLeft(start));
    host.add_callbacks(callbacks.clone());
    host.offline(cpu);
    host.remove_callbacks(&callbacks);
}

/// The timer of a CPU that has gone fires on one of another package, where it must read nothing.
#[test]
fn a_timer_looks_at_no_other_package() {
    with_intervals("packages=2,cores=2", |host| {
        start_on_a_cpu_that_goes(host, 2);
        let log = accesses(host, || pass_slowly(host, 10 * LONGEST_LOOK_NS));
        assert_eq!(log, "");
    });
}

#[test]
fn the_timer_of_a_cpu_that_has_gone_does_not_stand_in_for_another() {
    with_intervals("packages=2,cores=2", |host| {
        start_on_a_cpu_that_goes(host, 2);
        let event = open("r2pcie", 3, R2PCIE_CLOCK);
        (0..9).for_each(|_| host.traffic(HALF_HOUR));
        assert_eq!(event.read(), 9 * HALF_HOUR);
    });
}

#[test]
fn a_cpu_that_has_gone_takes_no_pmis_from_another() {
    with_intervals("packages=1,cores=2", |host| {
        start_on_a_cpu_that_goes(host, 0);
        let event = open("r2pcie", 1, R2PCIE_CLOCK | EVERY);
        host.traffic(INTERVAL);
        assert!(mode().contains("interrupts CPU 1"), "{}", mode());
        assert_eq!((event.read(), statistic("taken")), (INTERVAL, 1));
    });
}

#[test]
fn a_cpu_that_comes_back_takes_no_pmis_from_another() {
    with_intervals("packages=1,cores=3", |host| {
        start_on_a_cpu_that_goes(host, 0);
        host.offline(2);
        host.online(0);
        let event = open("r2pcie", 1, R2PCIE_CLOCK | EVERY);
        host.traffic(INTERVAL);
        assert!(mode().contains("interrupts CPU 1"), "{}", mode());
        assert_eq!((event.read(), statistic("taken")), (INTERVAL, 1));
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
        let log = kernel::print::take();
        let told = log
            .iter()
            .filter(|line| line.contains("stood still: unfroze them"));
        assert_eq!(told.count(), 1, "{log:?}");
        assert_eq!(host.machine().rdmsr(place, GLOBAL_STATUS), Some(Ok(0)));
        let event = open("r2pcie", 0, R2PCIE_CLOCK);
        free_running(|| host.pass(1_000_000));
        assert!(event.read() > 0);
        drop(event);
        drop(driver);
    });
}

/// Interrupts in 100 ms that are not too many.
const MOST: u64 = 2000;

/// Sends a PMI without an overflow to the first CPU.
fn send_spurious_pmi(host: &Host) {
    host.set_lvtpc(0, NMI | MASKED);
    host.foreign_nmi(0);
}

#[test]
fn too_many_interrupts_are_paused_for_a_while() {
    const SHORTEST: u64 = 250_000;
    const PAUSE_NS: u64 = 100_000_000;
    with_intervals("packages=1,cores=2", |host| {
        let event = open("r2pcie", 0, R2PCIE_CLOCK | SHORTEST << 32);
        let other = open("imc_0", 0, CLOCK);
        kernel::print::take();
        (0..MOST).for_each(|_| send_spurious_pmi(host));
        assert_eq!(statistic("paused"), 0);
        send_spurious_pmi(host);
        assert_eq!(statistic("paused"), 1);
        host.settle();
        let log = kernel::print::take();
        let message = "overflow interrupts paused: they froze the counters for too long, or were \
                       too many (1 times so far)";
        assert!(log.len() == 1 && log[0].contains(message), "{log:?}");
        assert!(mode().contains("poll: interrupts froze"), "{}", mode());
        // Everything counts on, and nothing interrupts.
        host.machine().burst(10 * SHORTEST);
        assert_eq!(event.read(), 10 * SHORTEST);
        assert!(other.read() > 0);
        assert_eq!(statistic("taken"), 0);
        host.pass(PAUSE_NS);
        assert!(mode().contains("pmi: core select"), "{}", mode());
        host.traffic(SHORTEST);
        assert_eq!((statistic("taken"), event.read()), (1, 11 * SHORTEST));
        // The third pause is not logged.
        for (times, lines) in [(2, 1), (3, 0), (4, 1)] {
            (0..=MOST).for_each(|_| send_spurious_pmi(host));
            assert_eq!(statistic("paused"), times);
            host.settle();
            assert_eq!(kernel::print::take().len(), lines);
            host.pass(2 * PAUSE_NS);
        }
    });
}

#[test]
fn an_event_that_starts_in_a_pause_does_not_end_it() {
    with_intervals("packages=1,cores=2", |host| {
        let [event, other] = ["r2pcie", "r3qpi_0"].map(|boxes| {
            let event = open(boxes, 0, R2PCIE_CLOCK | EVERY);
            (0..=MOST).for_each(|_| send_spurious_pmi(host));
            assert!(mode().contains("poll: interrupts froze"), "{}", mode());
            event
        });
        host.machine().burst(2 * INTERVAL);
        assert_eq!((event.read(), other.read()), (2 * INTERVAL, 2 * INTERVAL));
        assert_eq!((statistic("paused"), statistic("taken")), (1, 0));
    });
}

#[test]
fn a_pause_ends_when_events_move_to_another_cpu() {
    with_intervals("packages=1,cores=2", |host| {
        let event = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
        (0..=MOST).for_each(|_| send_spurious_pmi(host));
        assert!(mode().contains("poll: interrupts froze"), "{}", mode());
        host.offline(0);
        assert!(mode().contains("interrupts CPU 1"), "{}", mode());
        host.traffic(INTERVAL);
        assert_eq!((event.read(), statistic("taken")), (INTERVAL, 1));
    });
}

#[test]
fn no_interrupts_freeze_a_package_for_a_twentieth_of_a_second() {
    const SECOND: u64 = 1_000_000_000;
    // Every interrupt is lost at first; then all come.
    for fault in ["pmi drop", "pmi normal"] {
        with_intervals("packages=1,cores=2", |host| {
            let _event = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
            host.command(fault);
            let mut before = statistic("frozen_ns");
            free_running(|| {
                for _ in 0..4 {
                    (0..4000).for_each(|_| host.pass(SECOND / 4000));
                    let frozen = statistic("frozen_ns");
                    assert!(
                        frozen - before <= SECOND / 20,
                        "{fault}: {}",
                        frozen - before
                    );
                    before = frozen;
                }
            });
            assert!(before > 0, "{fault}");
        });
    }
}

/// A counter overflows again before the driver has told it not to interrupt.
#[test]
fn slow_registers_freeze_no_package_for_longer() {
    const SECOND: u64 = 1_000_000_000;
    const SHORTEST: u64 = 250_000;
    const LARGE: &str = "platform=bdx,packages=1,cores=24,cboxes=24";
    for (platform, shape, access_ns) in [
        (Platform::Ivbep, "packages=1,cores=2", 50_000),
        (Platform::Bdx, LARGE, 100_000),
        (Platform::Bdx, LARGE, 1_000),
    ] {
        for fault in ["pmi drop", "pmi drop 1/3", "pmi normal"] {
            platform.on(|| {
                with_intervals(shape, |host| {
                    let event = open("ubox", 0, UBOX_CLOCK | SHORTEST << 32);
                    host.access_ns.store(access_ns, Relaxed);
                    host.command(fault);
                    let frozen = free_running(|| [(); 4].map(|()| frozen_while(host, SECOND)));
                    host.access_ns.store(0, Relaxed);
                    let most = frozen.into_iter().max();
                    assert!(
                        most.is_some_and(|most| (1..SECOND / 20).contains(&most)),
                        "{shape}, {access_ns} ns, {fault}: {frozen:?}"
                    );
                    drop(event);
                });
            });
        }
    }
}

/// Lets time pass, and returns for how many ns of it the first package was frozen.
fn frozen_while(host: &Host, ns: u64) -> u64 {
    let frozen = || {
        let clock = host.command("clock");
        let cycles = clock.split(' ').nth(1).map(str::parse);
        match cycles {
            Some(Ok(cycles)) => cycles,
            _ => panic!("{clock}"),
        }
    };
    let before: u64 = frozen();
    host.sleep(ns);
    (frozen() - before) * UCLK.1 / UCLK.0
}

#[test]
fn a_record_has_the_counts_of_all_events_at_the_end_of_the_interval() {
    with_intervals("packages=1,cores=2", |host| {
        let [bare, clock] = [0, EVERY].map(|interval| {
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
    on_computer(SHAPE, |host| {
        let driver = load("auto").expect("the driver loads");
        host.command("pmi repeat 2160000");
        crate::computer::test_interrupts(host);
        host.command("pmi normal");
        assert_eq!(claimed_after_an_overflow(host), 1);
        drop(driver);
    });
    // Nobody knows how many CPUs are interrupted: at most those of the package.
    for shape in [SHAPE, "packages=1,cores=4"] {
        on_computer(shape, |host| {
            let driver = load_without_traffic("pmi").expect("the driver loads");
            assert_eq!(claimed_after_an_overflow(host), 3);
            drop(driver);
        });
    }
}

#[test]
fn an_nmi_of_the_chipset_is_left_to_the_kernel() {
    on_computer("packages=1,cores=4", |host| {
        let driver = load_without_traffic("pmi").expect("the driver loads");
        let event = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
        for (is_of_chipset, unknown) in [(false, 0), (true, 1)] {
            host.traffic(INTERVAL);
            host.chipset_nmi.store(is_of_chipset, Relaxed);
            host.foreign_nmi(0);
            assert_eq!(host.unknown_nmis.load(Relaxed), unknown);
        }
        drop((event, driver));
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

#[test]
fn an_overflow_that_nobody_has_noticed_is_found_when_an_event_starts() {
    // The bit of R2PCIe.
    const STATUS: u64 = 1 << 26;
    with_intervals("packages=1,cores=2", |host| {
        host.command(&format!("poke-msr 0 {GLOBAL_STATUS:#x} {STATUS:#x}"));
        let _event = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
        assert_eq!(statistic("caught_by_timer"), 1);
        let status = host.machine().rdmsr(host.place(0), GLOBAL_STATUS);
        assert_eq!(status, Some(Ok(0)));
    });
}

#[test]
fn nothing_stands_still_while_events_move_to_another_cpu() {
    with_intervals("packages=1,cores=2", |host| {
        let moved = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
        let [bystander, other] = ["imc_0", "cbox_0"].map(|boxes| open(boxes, 0, CLOCK));
        let log = accesses(host, || host.offline(0));
        assert!(
            controls(&log).iter().all(|value| value & FREEZE == 0),
            "{log}"
        );
        host.traffic(INTERVAL);
        assert_eq!((moved.read(), statistic("taken")), (INTERVAL, 1));
        assert!(bystander.read() > 0 && other.read() == INTERVAL);
    });
}

#[test]
fn a_self_test_that_cannot_count_refuses_intervals() {
    with_driver("packages=1,cores=2", "auto", |_| {
        let refused = pmu("r2pcie").open(&attr(0, R2PCIE_CLOCK | EVERY), None);
        assert_eq!(refused.err(), Some(EINVAL));
        let rejections = debugfs("rejections");
        assert!(
            rejections.contains("the counter of the self-test does not count"),
            "{rejections}"
        );
        assert!(mode().contains("poll: the counter of the self-test does not count"));
    });
}

#[test]
fn a_self_test_without_an_overflow_refuses_intervals() {
    on_computer("packages=1,cores=2", |host| {
        // The counter would need 100 ms.
        host.command("defect clock ubox 1/1000");
        let driver = load("auto").expect("the driver loads");
        let log = kernel::print::take().concat();
        assert!(!log.contains("stood still"), "{log}");
        let refused = free_running(|| pmu("r2pcie").open(&attr(0, R2PCIE_CLOCK | EVERY), None));
        assert_eq!(refused.err(), Some(EINVAL));
        assert!(mode().contains("poll: the counter of the self-test did not overflow"));
        drop(driver);
    });
}

#[test]
fn the_self_test_takes_no_counter_from_an_event() {
    with_driver("packages=1,cores=2", "auto", |host| {
        let user = open("ubox", 0, UBOX_CLOCK);
        let wanted = || free_running(|| pmu("r2pcie").open(&attr(0, R2PCIE_CLOCK | EVERY), None));
        assert_eq!(wanted().err(), Some(EINVAL));
        let rejections = debugfs("rejections");
        assert!(
            rejections.contains("the counter of the self-test belongs to an event"),
            "{rejections}"
        );
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
        let driver = load("auto").expect("the driver loads");
        host.noise.store(true, Relaxed);
        let wanted = free_running(|| pmu("r2pcie").open(&attr(0, R2PCIE_CLOCK | EVERY), None));
        host.noise.store(false, Relaxed);
        assert_eq!(wanted.err(), Some(EINVAL));
        drop(driver);
    });
}

#[test]
fn the_self_test_freezes_the_package_for_moments_only() {
    on_computer("packages=1,cores=2", |_| {
        let driver = load("auto").expect("the driver loads");
        let event = free_running(|| open("r2pcie", 0, R2PCIE_CLOCK | EVERY));
        assert!(
            statistic("frozen_ns") < 1_000_000,
            "{}",
            debugfs("overflow")
        );
        drop((event, driver));
    });
}

#[test]
fn an_overflow_that_comes_again_before_the_interrupt_is_serviced() {
    // The bit of R2PCIe.
    const STATUS: u64 = 1 << 26;
    with_intervals("packages=1,cores=2", |host| {
        let event = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
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

/// The message of another box comes while the handler looks at the overflow.
#[test]
fn an_overflow_in_the_middle_of_the_handler_is_not_lost() {
    with_intervals("packages=1,cores=2", |host| {
        let opened = [("r2pcie", R2PCIE_CLOCK), ("ha_0", CLOCK)];
        let opened = opened.map(|(unit, clock)| open(unit, 0, clock | EVERY));
        for (step, turn) in ["read", "clear", "unmask", "unfreeze"].into_iter().zip(1..) {
            host.command(&format!("late-message 0 ha_0 {step}"));
            host.traffic(INTERVAL);
            let state = host.command("state");
            assert!(!state.contains("late-message"), "{step}: {state}");
            let counts = opened.each_ref().map(Event::read);
            assert_eq!(counts, [turn * INTERVAL; 2], "{step}");
            assert_eq!(statistic("intervals"), 2 * turn, "{step}");
        }
    });
}
