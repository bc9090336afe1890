// SPDX-License-Identifier: GPL-2.0

//! Counters in memory that always run: those of a client's memory controller.
//!
//! Their codes are those of its page, their counts those of Documentation/development/traffic.rst.

use super::{names::words, *};
use crate::{
    computer::{on_each_with, open_fixed, usual_machine},
    linux::perf::Known,
    uncore::pmu::UncorePmu,
};
use uncore_e2e::prelude::{MemoryCounter, Processor, Words};

const DATA_READS: u64 = 0x01;
const DATA_WRITES: u64 = 0x02;

/// The bridge.
const BRIDGE: Function = Function {
    bus: 0,
    device: 0,
    function: 0,
};

/// Returns the counts of a burst, of which the signal has this share of 1024.
const fn counts(cycles: u64, share: u64) -> u64 {
    cycles * share / 1024
}

const READS: u64 = counts(BURST, 95);
const WRITES: u64 = counts(BURST, 47);

/// Runs `test` with the shape of each client.
fn on_clients(test: impl Fn(&str)) {
    let all = Processor::ALL.into_iter();
    let clients = all.filter(|processor| processor.on(|| !MemoryCounter::all().is_empty()));
    let tested = clients.map(|client| client.on(|| test(&usual_machine())));
    assert_ne!(tested.count(), 0);
}

/// Runs `test` on a computer of this shape, and unloads the driver. The driver breaks no rule of the
/// hardware.
fn on_shape(shape: &str, test: impl Fn(&Arc<Host>)) {
    with_driver(shape, "auto", |host| {
        test(host);
        assert_eq!(host.command("violations"), "");
    });
}

/// Runs `test` on each client.
fn with_client(test: impl Fn(&Arc<Host>)) {
    on_clients(|shape| on_shape(shape, &test));
}

fn imc() -> Arc<Known<UncorePmu>> {
    pmu(MemoryCounter::BOX)
}

fn open(config: u64) -> Event {
    imc().open(&attr(0, config), None).expect("an event")
}

#[test]
fn each_counter_counts_from_where_it_is() {
    with_client(|host| {
        for counter in MemoryCounter::all() {
            let (name, code) = (counter.event, counter.code);
            assert_eq!(
                words(&MemoryCounter::pmu(), name),
                (Words([code, 0, 0]), false),
                "{name}"
            );
            for distance in [u64::from(u32::MAX), 1 << 31, 1] {
                host.command(&format!("preload-all {distance} imc"));
                let event = open(code);
                assert_eq!(event.read(), 0, "{name}");
                host.traffic(BURST);
                assert_eq!(event.read(), counter.count(BURST), "{name} at {distance}");
            }
        }
    });
}

#[test]
fn a_count_is_in_mib() {
    with_client(|_| {
        for MemoryCounter { event: name, .. } in MemoryCounter::all() {
            let show = |suffix| imc().show(Some(c"events"), &format!("{name}.{suffix}"));
            assert_eq!(show("unit").as_deref(), Some("MiB\n"), "{name}");
            assert_eq!(show("scale").as_deref(), Some("6.103515625e-5\n"), "{name}");
        }
    });
}

/// The first event of any box sets the level of the global control; beside that, nothing is written.
#[test]
fn events_only_read() {
    with_client(|host| {
        let _other = open_fixed();
        let log = accesses(host, || {
            let event = open(DATA_READS);
            host.traffic(BURST);
            event.stop();
            host.traffic(BURST);
            event.start();
            host.traffic(BURST);
            assert_eq!(event.read(), 2 * READS);
        });
        assert!(log.contains("memr "), "{log}");
        for write in ["wrmsr", "cfgw", "memw"] {
            assert!(!log.contains(write), "{log}");
        }
    });
}

/// Nobody reads the event meanwhile. The counter wraps in 19 s at this traffic.
#[test]
fn a_count_goes_on_over_many_wraps() {
    /// 0.4 s.
    const STEP: u64 = 1 << 30;
    const STEPS: u64 = 200;
    with_client(|host| {
        host.command("preload-all 100 imc");
        let event = open(DATA_READS);
        (0..STEPS).for_each(|_| host.traffic(STEP));
        let right = STEPS * counts(STEP, 95);
        assert!(right > 4 << 32, "{right:#x}");
        assert_eq!(event.read(), right);
    });
}

#[test]
fn users_share_a_counter() {
    with_client(|host| {
        host.command("preload-all 100000 imc");
        let first = open(DATA_READS);
        host.traffic(BURST);
        let second = open(DATA_READS);
        let member = imc().open(&attr(1, DATA_WRITES), Some(&second));
        let member = member.expect("a group of one box");
        let base = first.read();
        let [second_base, member_base] = [second.read(), member.read()];
        host.traffic(BURST);
        assert_eq!(first.read() - base, READS);
        assert_eq!(second.read() - second_base, READS);
        assert_eq!(member.read() - member_base, WRITES);
        drop(first);
        host.traffic(BURST);
        assert_eq!(second.read() - second_base, 2 * READS);
        assert_eq!(member.read() - member_base, 2 * WRITES);
    });
}

#[test]
fn an_event_moves_to_another_cpu() {
    with_client(|host| {
        let event = open(DATA_READS);
        host.traffic(BURST);
        host.offline(0);
        assert_eq!(event.cpu(), Some(1));
        host.traffic(BURST);
        host.online(0);
        host.traffic(BURST);
        assert_eq!(event.read(), 3 * READS);
    });
}

#[test]
fn a_sleep_is_in_no_count() {
    let test = |shape: &str| {
        on_shape(shape, |host| {
            host.command("preload-all 10 imc");
            let event = open(DATA_READS);
            host.traffic(BURST);
            assert_eq!(event.read(), READS);
            host.suspend_to_ram(1_000_000_000, || host.machine().burst(BURST));
            assert_eq!(event.read(), READS, "{shape}");
            host.traffic(BURST);
            assert_eq!(event.read(), 2 * READS, "{shape}");
            assert!(event.is_active());
        });
    };
    on_clients(test);
    on_each_with("MemoryCountersStay", |shape, _| test(shape));
}

#[test]
fn all_ones_are_a_count_while_the_bridge_has_its_address() {
    with_client(|host| {
        host.command("preload 0 imc data_reads 0xfffffffe");
        let event = open(DATA_READS);
        host.command("preload 0 imc data_reads 0xffffffff");
        assert_eq!(event.read(), 1);
        let late = open(DATA_READS);
        host.traffic(BURST);
        assert_eq!([&event, &late].map(Event::read), [READS + 1, READS]);
    });
}

#[test]
fn all_ones_without_the_bridge_end_the_events() {
    with_client(|host| {
        let event = open(DATA_READS);
        host.traffic(BURST);
        assert_eq!(event.read(), READS);
        host.redirect(BRIDGE, None);
        kernel::print::take();
        // Only ones make the driver look at the bridge.
        host.traffic(BURST);
        assert_eq!(event.read(), 2 * READS);
        host.command("preload-all 1 imc");
        assert_eq!(event.read(), 2 * READS);
        host.settle();
        let log = kernel::print::take();
        assert!(log.len() == 1 && log[0].contains("imc"), "{log:?}");
        assert!(!event.is_active());
        assert_eq!(imc().open(&attr(0, DATA_READS), None).err(), Some(ENODEV));
        drop(open_fixed());
    });
}

/// There is no PMU then, one line says why, and the other boxes count.
#[test]
fn memory_that_cannot_be_reached() {
    const ABSENT: &str = "no PCI function of it, so firmware hides it or the part lacks it";
    const DISABLED: &str = "firmware has not enabled the memory with its registers";
    const SILENT: &str = "its registers cannot be accessed";
    let usual: fn(&Host) = |_| ();
    let silent: fn(&Host) = |host| host.redirect(BRIDGE, None);
    for (options, prepare, reason) in [
        (",imc=off", usual, ABSENT),
        (",imc=disabled", usual, DISABLED),
        (",imc=unset", usual, DISABLED),
        ("", silent, SILENT),
    ] {
        on_clients(|shape| {
            on_computer(&format!("{shape}{options}"), |host| {
                prepare(host);
                let mut driver = None;
                let log = accesses(host, || driver = load("auto").ok());
                assert!(driver.is_some() && !log.contains("mem"), "{options}: {log}");
                assert!(!has_pmu(MemoryCounter::BOX), "{options}");
                let log = kernel::print::take();
                let mut told = log.iter().filter(|line| line.contains("missing imc"));
                let right = format!("info: package 0: missing imc: {reason}");
                assert_eq!((told.next(), told.next()), (Some(&right), None), "{log:?}");
                let event = open_fixed();
                host.traffic(BURST);
                assert_eq!(event.read(), BURST, "{options}");
                assert_eq!(host.command("violations"), "");
            });
        });
    }
}

/// The bridge is another driver's, and so is its removal.
#[test]
fn the_bridge_is_not_bound() {
    with_client(|host| {
        let event = open(DATA_READS);
        host.remove_function(BRIDGE);
        assert!(host.functions().is_empty());
        host.traffic(BURST);
        assert_eq!(event.read(), READS);
        assert!(event.is_active());
    });
}
