// SPDX-License-Identifier: GPL-2.0

//! Sleep, hibernation and shutdown with open events.

use super::*;

/// LLC_LOOKUP.ANY in any state.
const LOOKUP: u64 = 0x1134;

/// Events of several types of boxes on package 0: with a filter, in a group, on a fixed counter.
fn events() -> Vec<Event> {
    let leader = open("imc_0", 0, CLOCK);
    let member = open_beside(&leader, "imc_0", 0, CLOCK);
    let mut events: Vec<Event> = [
        ("cbox_0", CLOCK),
        ("cbox_1", LOOKUP),
        ("pcu", CLOCK),
        ("ubox", 0xff),
        ("r2pcie", R2PCIE_CLOCK),
        ("qpi_0", QPI_CLOCK),
    ]
    .map(|(unit, config)| open(unit, 0, config))
    .into();
    events.extend([leader, member]);
    events
}

/// Twice the increment of each event.
fn doubled(counts: &[u64]) -> Vec<u64> {
    counts.iter().map(|count| 2 * count).collect()
}

#[test]
fn counts_go_on_after_registers_were_lost() {
    with_driver("packages=1,cores=2", "auto", |host| {
        let events = events();
        host.traffic(BURST);
        let before = counts(&events);
        assert!(before.iter().all(|&count| count > 0), "{before:?}");
        host.suspend_to_ram(SECOND, || host.machine().burst(BURST));
        assert_eq!(counts(&events), before);
        host.traffic(BURST);
        assert_eq!(counts(&events), doubled(&before));
        assert!(events.iter().all(Event::is_active));
        assert_eq!(statistic("tampered"), 0);
    });
}

#[test]
fn the_counters_of_a_box_go_on_together() {
    // Writes of the first C-Box: its box control, and a control register that enables.
    const FREEZE: &str = "wrmsr 0 0xd04 0x30100";
    const UNFREEZE: &str = "wrmsr 0 0xd04 0x30000";
    let enables = |line: &str| line.starts_with("wrmsr 0 0xd1") && line.ends_with(" 0x400000");
    with_driver("packages=1,cores=1", "auto", |host| {
        let _events = [(); 2].map(|()| open("cbox_0", 0, CLOCK));
        let log = accesses(host, || host.suspend_to_ram(SECOND, || ()));
        let (_, after) = log.split_once("power lost").expect("it is logged");
        let (_, after) = after.split_once(FREEZE).expect("it is frozen");
        let (frozen, running) = after.split_once(UNFREEZE).expect("it runs again");
        let enabled = [frozen, running].map(|part| part.lines().filter(|at| enables(at)).count());
        assert_eq!(enabled, [2, 0], "{log}");
    });
}

#[test]
fn what_firmware_leaves_after_a_sleep_is_reset() {
    // First control and filter register of the first C-Box, and its box control.
    const LEFT: [(u32, u32); 3] = [(0xd10, 0x40_0000), (0xd14, 0x1), (0xd04, 0x3_0100)];
    // First control register of the R2PCIe of a package that has no CPU meanwhile.
    const RING_LEFT: &str = "poke-config ff:13.1 0xd8 0x400001";
    with_driver("packages=2,cores=1", "auto", |host| {
        let event = open("cbox_0", 0, CLOCK);
        host.traffic(BURST);
        let before = event.read();
        let firmware = || {
            host.command(RING_LEFT);
            for (register, value) in LEFT {
                host.command(&format!("poke-msr 0 {register:#x} {value:#x}"));
            }
            let state = host.command("state");
            assert!(
                state.contains(" CTL0 ") && state.contains(" frozen"),
                "{state}"
            );
        };
        host.suspend_with_firmware(SECOND, || (), firmware);
        host.traffic(BURST);
        assert_eq!(event.read(), 2 * before);
        drop(event);
        let state = host.command("state");
        let left = [" CTL", " BOX_FILTER", " frozen"].map(|left| state.contains(left));
        assert_eq!(left, [false; 3], "{state}");
    });
}

#[test]
fn an_interval_goes_on_after_registers_were_lost() {
    with_intervals("packages=1,cores=2", |host| {
        *plain(&host.trace) = Some(Vec::new());
        let event = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
        host.traffic(INTERVAL / 2);
        host.suspend_to_ram(SECOND, || ());
        assert!(plain(&host.trace).as_ref().is_some_and(Vec::is_empty));
        host.traffic(INTERVAL);
        let records = plain(&host.trace).take().expect("it was enabled").concat();
        assert!(
            records.contains(&format!(" count={INTERVAL} ")),
            "{records}"
        );
        assert_eq!(event.read(), INTERVAL + INTERVAL / 2);
        assert_eq!(host.unknown_nmis.load(Relaxed), 0);
    });
}

#[test]
fn a_long_idle_sleep_is_left_out() {
    with_driver("packages=2,cores=1", "auto", |host| {
        let events: Vec<Event> = [0, 1].map(|cpu| open("cbox_0", cpu, CLOCK)).into();
        host.traffic(BURST);
        let before = counts(&events);
        // A whole range of the counter and more.
        host.suspend_to_idle(10_000 * SECOND, || {
            (0..5).for_each(|_| host.machine().burst(HALF_HOUR));
        });
        assert_eq!(counts(&events), before);
        host.traffic(BURST);
        assert_eq!(counts(&events), doubled(&before));
    });
}

#[test]
fn a_sleep_before_the_load_is_not_left_out() {
    on_computer("packages=1,cores=1", |host| {
        host.slept_ns.store(10_000 * SECOND, Relaxed);
        let _driver = load("auto").expect("the driver loads");
        let event = open("r2pcie", 0, R2PCIE_CLOCK);
        host.suspend_to_idle(SECOND, || host.machine().burst(BURST));
        assert_eq!(event.read(), BURST);
    });
}

/// Events count while other CPUs go, and again before the last is back.
#[test]
fn what_is_counted_while_cpus_go_and_come_back_is_kept() {
    with_driver("packages=1,cores=2", "auto", |host| {
        let event = open("r2pcie", 0, R2PCIE_CLOCK);
        let sleeper = host.clone();
        let counts_on = move |_: bool| sleeper.machine().burst(BURST);
        with_callback(host, counts_on, || {
            let before = event.read();
            host.suspend_to_ram(10_000 * SECOND, || ());
            assert_eq!(event.read(), before + 2 * BURST);
        });
    });
}

/// Nobody has read the counter before.
#[test]
fn what_was_counted_before_a_sleep_is_kept() {
    with_driver("packages=1,cores=2", "auto", |host| {
        let event = open("r2pcie", 0, R2PCIE_CLOCK);
        host.traffic(BURST);
        host.suspend_to_ram(SECOND, || ());
        assert_eq!(event.read(), BURST);
        host.traffic(BURST);
        host.suspend_to_idle(10_000 * SECOND, || host.machine().burst(BURST));
        assert_eq!(event.read(), 2 * BURST);
    });
}

#[test]
fn nothing_is_armed_at_a_shutdown() {
    with_intervals("packages=2,cores=1", |host| {
        let states = || [0, 1].map(|cpu| pmi_state_of(host, cpu));
        let before = states();
        let events = [0, 1].map(|cpu| open("r2pcie", cpu, R2PCIE_CLOCK | EVERY));
        for (armed, before) in states().iter().zip(&before) {
            assert_ne!(armed, before);
        }
        host.shut_down();
        assert_eq!(states(), before);
        // No overflow freezes a package.
        host.traffic(BURST);
        assert_eq!(counts(&events), [BURST; 2]);
        // No timer reads a counter either.
        let log = accesses(host, || host.pass(LONGEST_POLL_NS));
        assert_eq!((states(), log.as_str()), (before, ""));
        events.iter().for_each(Event::stop);
        events.iter().for_each(Event::start);
        assert_eq!(states(), before);
    });
}

#[test]
fn an_overflow_that_nobody_has_noticed_freezes_nothing_after_a_shutdown() {
    with_intervals("packages=1,cores=1", |host| {
        let event = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
        host.command("pmi drop");
        host.machine().burst(INTERVAL);
        assert!(host.command("state").contains(" frozen"));
        host.shut_down();
        let state = host.command("state");
        let left = [" frozen", "GLOBAL_STATUS"].map(|left| state.contains(left));
        assert_eq!(left, [false; 2], "{state}");
        host.traffic(BURST);
        assert_eq!(event.read(), INTERVAL + BURST);
    });
}
