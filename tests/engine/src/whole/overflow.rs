// SPDX-License-Identifier: GPL-2.0

//! Overflows: interrupts, intervals, pauses, and polling.

use super::*;
use crate::host::{on, READ_NS, UCLK};
use std::sync::Mutex;
use uncore_e2e::prelude::Platform;

mod nmis;
mod selftest;

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

/// An event with an interval waits for a counter, and starts when another event has ended.
#[test]
fn the_cpu_that_took_pmis_is_the_one_that_is_restored() {
    on_computer("packages=1,cores=2", |host| {
        let before = [0, 1].map(|cpu| pmi_state_of(host, cpu));
        let driver = load("auto").expect("the driver loads");
        test_interrupts(host);
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

/// Boxes count on until the freeze reaches them, in the second case that of the overflow as well.
#[test]
fn a_freeze_that_is_late_loses_nothing() {
    for delay in ["400", "400 100"] {
        with_intervals("packages=1,cores=2", |host| {
            host.command(&format!("freeze-delay {delay}"));
            let interrupting = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
            let other = open("cbox_0", 0, CLOCK);
            host.traffic(10 * INTERVAL);
            assert_eq!([&interrupting, &other].map(Event::read), [10 * INTERVAL; 2]);
            assert_eq!(statistic("caught_by_timer"), 0);
        });
    }
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
            test_interrupts(host);
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
        is_refused(refused, EINVAL, "chosen with overflow=poll");
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
fn interrupts_follow_to_another_cpu() {
    on_computer("packages=1,cores=2", |host| {
        let before = pmi_state(host);
        let _driver = load("pmi").expect("the driver loads");
        let [event, other] = ["r2pcie", "r3qpi_0"].map(|boxes| open(boxes, 0, R2PCIE_CLOCK));
        assert_ne!(pmi_state(host), before);
        host.offline(0);
        assert_eq!(pmi_state(host), before);
        assert!(mode().contains("bit 1 interrupts CPU 1"), "{}", mode());
        drop(other);
        overflow_once(host, &event);
        assert_eq!(statistic("taken"), 1);
    });
}

/// Takes a CPU offline. An event that was opened before starts there after the others have left, so
/// that PMIs are routed to that CPU, and the timer is to fire there.
fn start_on_a_cpu_that_goes(host: &Host, cpu: u32) {
    let opening = pmu("r2pcie").accept(&attr(cpu, R2PCIE_CLOCK | EVERY), None);
    let opening = Mutex::new(opening.ok());
    let event = Mutex::new(None);
    let start = move |is_online: bool| {
        let opening = plain(&opening).take_if(|_| !is_online);
        if let Some(opening) = opening {
            *plain(&event) = Some(opening.install().expect("the CPU is online"));
        }
    };
    with_callback(host, start, || host.offline(cpu));
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
        let _driver = load("poll").expect("the driver loads");
        let log = kernel::print::take();
        let told = log
            .iter()
            .filter(|line| line.contains("stood still: unfroze them"));
        assert_eq!(told.count(), 1, "{log:?}");
        assert_eq!(host.machine().rdmsr(place, GLOBAL_STATUS), Some(Ok(0)));
        let event = open("r2pcie", 0, R2PCIE_CLOCK);
        free_running(|| host.pass(1_000_000));
        assert!(event.read() > 0);
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
