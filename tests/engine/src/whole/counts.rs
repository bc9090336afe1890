// SPDX-License-Identifier: GPL-2.0

//! Counts of events: alone, in groups, stopped, and on a CPU that goes.

use super::*;

/// A minute, in which time passes by tenths of a second.
const MINUTE: u32 = 600;

#[test]
fn counts_of_boxes_with_msrs_and_with_functions() {
    on_computer("packages=2,cores=2", |host| {
        let driver = load("auto").expect("the driver loads");
        let events = ["cbox_0", "cbox_1", "imc_0"].map(|boxes| open(boxes, 2, CLOCK));
        let ring = open("r2pcie", 0, R2PCIE_CLOCK);
        let before = events.each_ref().map(|event| event.read());
        let ring_before = ring.read();
        host.traffic(BURST);
        for (event, before) in events.iter().zip(before) {
            assert!(event.read() > before);
        }
        assert_eq!(ring.read() - ring_before, BURST);
        drop((events, ring));
        drop(driver);
        assert!(plain(&host.pmus).is_empty());
        let violations = host.command("violations");
        assert_eq!(violations, "");
    });
}

/// Returns whether the machine shows no register that is other than after a reset of its box.
fn is_reset(state: &str) -> bool {
    let is_reset = |line: &str| line.ends_with(':') || line.ends_with("BOX_CTL 0x30000");
    state.lines().all(is_reset)
}

#[test]
fn unloading_leaves_boxes_reset() {
    on_computer("packages=2,cores=2", |host| {
        let driver = load("auto").expect("the driver loads");
        let events = ["cbox_0", "imc_2", "pcu"].map(|boxes| open(boxes, 2, CLOCK));
        host.traffic(BURST);
        drop(events);
        kernel::print::take();
        drop(driver);
        let state = host.command("state");
        assert!(is_reset(&state), "{state}");
        assert!(kernel::print::take().is_empty());
    });
}

/// An earlier kernel has left a box with filters, one that overflowed and froze its package, and
/// one that is frozen.
#[test]
fn loading_leaves_boxes_reset() {
    const CBOX_CONTROLS: [u32; 4] = [0xd10, 0xd11, 0xd12, 0xd13];
    const CBOX_FILTERS: [u32; 2] = [0xd14, 0xd1a];
    const CBOX_BOX_CONTROL: u32 = 0xd04;
    // R2PCIe's clock, which interrupts.
    const RING_CONTROLS: [u16; 4] = [0xd8, 0xdc, 0xe0, 0xe4];
    const INTERRUPTS: u32 = 0x50_0001;
    for tamper in ["end", "off"] {
        on_computer("packages=2,cores=2", |host| {
            host.command("preload-all 1000");
            for control in CBOX_CONTROLS {
                host.command(&format!("poke-msr 1 {control:#x} 0x400000"));
            }
            for filter in CBOX_FILTERS {
                host.command(&format!("poke-msr 1 {filter:#x} 0x1"));
            }
            let ring = function(host, R2PCIE_ID);
            for control in RING_CONTROLS {
                let mut machine = host.machine();
                let written = machine.config_write(ring, control, 4, INTERRUPTS);
                assert_eq!(written, Some(()));
            }
            host.machine().burst(BURST);
            host.command(&format!("poke-msr 1 {CBOX_BOX_CONTROL:#x} 0x30100"));
            let before = host.command("state");
            for left in ["GLOBAL_STATUS", "BOX_STATUS", "BOX_FILTER1 0x1 frozen"] {
                assert!(before.contains(left), "{before}");
            }
            let _driver = load_with(&Parameters {
                tamper,
                ..Parameters::default()
            })
            .expect("the driver loads");
            let state = host.command("state");
            assert!(is_reset(&state), "{tamper}: {state}");
        });
    }
}

#[test]
fn a_stopped_event_counts_nothing_until_it_starts() {
    with_driver("packages=1,cores=2", "auto", |host| {
        let event = open("r2pcie", 0, R2PCIE_CLOCK);
        assert!(!event.is_stopped());
        host.traffic(BURST);
        event.stop();
        assert!(event.is_stopped());
        host.traffic(BURST);
        assert_eq!(event.read(), BURST);
        event.start();
        assert!(!event.is_stopped());
        host.traffic(BURST);
        assert_eq!(event.read(), 2 * BURST);
    });
}

#[test]
fn polls_come_after_a_package_was_off() {
    with_driver("packages=2,cores=1", "auto", |host| {
        let _lost = open("cbox_0", 0, CLOCK);
        host.offline(0);
        host.online(0);
        let _event = open("cbox_0", 0, CLOCK);
        let before = statistic("polls");
        host.pass(LONGEST_POLL_NS);
        assert!(statistic("polls") > before);
    });
}

#[test]
fn an_event_beside_a_queue_in_use_leaves_no_register_behind() {
    // TOR_OCCUPANCY.ALL, and COUNTER0_OCCUPANCY with it.
    const OCCUPANCY: u64 = 0x0836;
    const VIEW: u64 = 0x0100_001f;
    with_driver("packages=1,cores=2", "auto", |host| {
        let first = open("cbox_0", 0, OCCUPANCY);
        let _view = open_beside(&first, "cbox_0", 0, VIEW);
        let before = host.command("state");
        let other = open("cbox_0", 0, CLOCK);
        assert_ne!(host.command("state"), before);
        drop(other);
        assert_eq!(host.command("state"), before);
    });
}

#[test]
fn a_box_is_frozen_while_a_group_starts_and_stops() {
    // Box control of the first C-Box; bit 8 freezes.
    let freezes = |log: &str| {
        let values = log
            .lines()
            .filter_map(|line| line.strip_prefix("wrmsr 0 0xd04 0x"));
        let values = values.map(|value| u32::from_str_radix(value, 16).expect("hexadecimal"));
        values.filter(|value| value & 1 << 8 != 0).count()
    };
    with_driver("packages=1,cores=2", "auto", |host| {
        let first = open("cbox_0", 0, CLOCK);
        host.command("log on");
        drop(open("cbox_0", 0, CLOCK));
        assert_eq!(freezes(&host.command("log take")), 0);
        let second = open_beside(&first, "cbox_0", 0, CLOCK);
        assert_eq!(freezes(&host.command("log take")), 1);
        drop(second);
        assert_eq!(freezes(&host.command("log take")), 1);
    });
}

/// A user who enables and disables an event beside ten of others takes no counts from them.
#[test]
fn no_register_is_accessed_but_those_of_the_event_that_changes() {
    // The two counters of the PCU that always run, for several events each.
    const RESIDENCIES: [u64; 2] = [0xfc, 0xfd];
    // The first event has the last counter. It stops and is read, is read and starts.
    const ACCESSES: [&str; 4] = [
        "wrmsr 0 0xc33 0x0",
        "rdmsr 0 0xc39 ",
        "rdmsr 0 0xc39 ",
        "wrmsr 0 0xc33 0x400000",
    ];
    with_driver("packages=1,cores=2", "auto", |host| {
        let toggled = open("pcu", 0, CLOCK);
        let clocks = [CLOCK; 3].map(|config| open("pcu", 0, config));
        let residencies =
            [0, 1, 0, 1, 0, 1, 0].map(|index: usize| open("pcu", 0, RESIDENCIES[index]));
        host.traffic(BURST);
        let before = clocks.each_ref().map(|event| event.read());
        let log = accesses(host, || {
            toggled.disable();
            toggled.enable();
        });
        let are_these = log
            .lines()
            .zip(ACCESSES)
            .all(|(line, of)| line.starts_with(of));
        assert!(are_these && log.lines().count() == ACCESSES.len(), "{log}");
        host.traffic(BURST);
        for (event, before) in clocks.iter().zip(before) {
            assert_eq!(event.read(), 2 * before);
        }
        assert_eq!(toggled.read(), 2 * before[0]);
        assert!(residencies.iter().all(Event::is_active));
    });
}

/// The driver uses up a sixth of the usual 5 percent at once, and as much in each second.
#[test]
fn a_group_that_is_toggled_freezes_its_box_for_a_limited_time() {
    const ACCESS_NS: u64 = 50_000;
    with_driver("packages=1,cores=2", "auto", |host| {
        let leader = open("cbox_0", 0, CLOCK);
        let _member = open_beside(&leader, "cbox_0", 0, CLOCK);
        let shown = || pmu("cbox_0").show(Some(c"caps"), "frozen");
        assert_eq!(shown().as_deref(), Some("0.0\n"));
        kernel::print::take();
        host.access_ns.store(ACCESS_NS, Relaxed);
        let begin = host.now();
        while host.now() - begin < 10 * SECOND {
            leader.disable();
            leader.enable();
        }
        host.access_ns.store(0, Relaxed);
        let frozen = statistic("frozen_ns");
        assert!((SECOND / 20..SECOND / 10).contains(&frozen), "{frozen} ns");
        assert_eq!(shown().as_deref(), Some("0.8 limited\n"));
        host.settle();
        let log = kernel::print::take();
        assert!(
            log.len() == 1 && log[0].starts_with("warn: package 0: groups that start and stop"),
            "{log:?}"
        );
        host.pass(2 * SECOND);
        assert_eq!(shown().as_deref(), Some("0.0\n"));
    });
}

/// Each counter is read on the old CPU, and nothing is written.
#[test]
fn a_group_that_moves_to_another_cpu_counts_on() {
    with_driver("packages=1,cores=2", "auto", |host| {
        let first = open("r2pcie", 0, R2PCIE_CLOCK);
        let second = open_beside(&first, "r2pcie", 0, R2PCIE_CLOCK);
        host.traffic(BURST);
        for cpu in 0..2 {
            host.command("log on");
            host.offline(cpu);
            let log = host.command("log take");
            assert!(log.lines().all(|line| line.starts_with("cfgr ")), "{log}");
            host.online(cpu);
            host.traffic(BURST);
        }
        assert_eq!([first.read(), second.read()], [3 * BURST; 2]);
        drop(second);
        host.traffic(BURST);
        assert_eq!(first.read(), 4 * BURST);
    });
}

/// A sleep takes the CPUs of a package offline in ascending order.
#[test]
fn events_move_once_before_a_sleep() {
    with_driver("packages=1,cores=4", "auto", |host| {
        let event = open("cbox_0", 0, CLOCK);
        let log = accesses(host, || (0..3).for_each(|cpu| host.offline(cpu)));
        assert_eq!(event.cpu(), Some(3));
        assert_eq!(log.lines().count(), 1, "{log}");
    });
}

#[test]
fn a_group_counts_in_each_package() {
    with_driver("packages=2,cores=2", "auto", |host| {
        for cpu in [0, 2] {
            let first = open("r2pcie", cpu, R2PCIE_CLOCK);
            let second = open_beside(&first, "r2pcie", cpu, R2PCIE_CLOCK);
            host.traffic(BURST);
            assert_eq!([first.read(), second.read()], [BURST; 2], "CPU {cpu}");
        }
    });
}

#[test]
fn polls_are_as_rare_as_the_counters_allow() {
    /// `rxr_occupancy.irq` of a C-Box, which adds up to 20 in a clock.
    const QUEUE: u64 = 0x0111;
    /// `rxr_bl_drs_occupancy` of the IRP, which adds up to 24.
    const IRP_QUEUE: u64 = 0x07;
    // Four polls in the time in which 2^44 counts can pass at 5 GHz; one in a minute at least.
    for (boxes, config, seconds) in [
        ("cbox_0", CLOCK, 60),
        ("cbox_0", QUEUE, 43),
        ("irp", IRP_QUEUE, 36),
    ] {
        with_driver("packages=1,cores=2", "auto", |host| {
            let _event = open(boxes, 0, config);
            (0..10 * MINUTE).for_each(|_| host.pass(100_000_000));
            let polls = statistic("polls");
            assert!(
                (1..=600 / seconds).contains(&polls),
                "{boxes}: {polls} in ten minutes"
            );
        });
    }
}

#[test]
fn polls_come_although_events_start_all_the_time() {
    with_driver("packages=1,cores=2", "auto", |host| {
        let event = open("cbox_0", 0, CLOCK);
        let polls_in_a_minute = || {
            let before = statistic("polls");
            (0..MINUTE).for_each(|_| host.pass(100_000_000));
            statistic("polls") - before
        };
        let usual = polls_in_a_minute();
        let before = statistic("polls");
        for _ in 0..MINUTE {
            event.stop();
            event.start();
            host.pass(100_000_000);
        }
        assert_eq!(statistic("polls") - before, usual);
    });
}
