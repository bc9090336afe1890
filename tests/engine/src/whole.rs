// SPDX-License-Identifier: GPL-2.0

//! The whole driver, loaded on a modelled computer, in one thread.
//!
//! It shows that the stand-ins fit together; the end-to-end tests have the rest, in a guest.

use crate::{
    computer::{
        attr, debugfs, has_pmu, load, load_without_traffic, on_computer, open, pmu, statistic,
        Event,
    },
    host::{plain, Host},
    linux::perf::{Attr, ConfigWords},
};
use kernel::error::code::{EINVAL, ENODEV};
use std::sync::atomic::Ordering::Relaxed;

/// Cycles of uclk.
const BURST: u64 = 1_000_000;

/// Cycles of half an hour, a quarter of the time in which a counter of 44 bits wraps.
const HALF_HOUR: u64 = 1 << 42;

/// The longest time, in ns, in which a lost interrupt is noticed.
const LONGEST_WATCH_NS: u64 = 60_000_000_000;

/// `clockticks` of a C-Box and an iMC, and of an R2PCIe.
const CLOCK: u64 = 0x00;
const R2PCIE_CLOCK: u64 = 0x01;

/// Lets the counter of an event, which has counted nothing yet, overflow once.
fn overflow_once(host: &Host, event: &Event) {
    (0..5).for_each(|_| host.traffic(HALF_HOUR));
    assert_eq!(event.read(), 5 * HALF_HOUR);
}

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
        let is_reset =
            |line: &str| line.starts_with("package") || line.ends_with("BOX_CTL 0x30000");
        assert!(state.lines().all(is_reset), "{state}");
        assert!(kernel::print::take().is_empty());
    });
}

#[test]
fn an_overflow_interrupts_and_nothing_is_lost() {
    on_computer("packages=2,cores=2", |host| {
        let driver = load("auto").expect("the driver loads");
        assert!(
            debugfs("overflow").contains("pmi: core select"),
            "{}",
            debugfs("overflow")
        );
        let event = open("r2pcie", 0, R2PCIE_CLOCK);
        overflow_once(host, &event);
        assert_eq!(host.unknown_nmis.load(Relaxed), 0);
        assert_eq!(statistic("taken"), 1);
        drop(event);
        drop(driver);
    });
}

#[test]
fn an_interval_is_traced_with_the_counts_of_its_end() {
    const INTERVAL: u64 = 400_000;
    on_computer("packages=1,cores=2", |host| {
        let driver = load("auto").expect("the driver loads");
        *plain(&host.trace) = Some(Vec::new());
        let event = open("r2pcie", 0, R2PCIE_CLOCK | INTERVAL << 32);
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
        drop(event);
        drop(driver);
    });
}

#[test]
fn the_bit_of_the_core_that_interrupts_is_found() {
    for (map, bit) in [("0+1+2", 0), ("1+2+0", 2), ("reversed", 2)] {
        on_computer(&format!("packages=1,cores=3,core-map={map}"), |host| {
            let driver = load("auto").expect("the driver loads");
            let mode = format!("pmi: core select bit {bit} interrupts CPU 0 (tested)");
            assert!(
                debugfs("overflow").contains(&mode),
                "{map}: {}",
                debugfs("overflow")
            );
            let event = open("r2pcie", 0, R2PCIE_CLOCK);
            overflow_once(host, &event);
            assert_eq!(statistic("taken"), 1);
            drop(event);
            drop(driver);
        });
    }
}

#[test]
fn events_are_listed_with_what_they_need() {
    on_computer("packages=1,cores=2", |_| {
        let driver = load("auto").expect("the driver loads");
        let listed = debugfs("events");
        for line in [
            "cbox clockticks counters=0,1,2,3",
            "cbox tor_inserts.nid_opcode counters=0,1 filters=nid,opc",
            "r2pcie rxr_occupancy.drs counters=0",
            "imc clockticks counters=fixed",
        ] {
            assert!(
                listed.lines().any(|listed| listed == line),
                "{line}: {listed}"
            );
        }
        drop(driver);
    });
}

#[test]
fn who_chooses_to_poll_gets_no_interrupt() {
    on_computer("packages=1,cores=2", |host| {
        let driver = load("poll").expect("the driver loads");
        let event = open("r2pcie", 0, R2PCIE_CLOCK);
        overflow_once(host, &event);
        let overflow = debugfs("overflow");
        assert!(
            overflow.contains("poll") && overflow.contains("taken 0"),
            "{overflow}"
        );
        drop(event);
        drop(driver);
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
fn an_event_whose_register_somebody_changed_ends() {
    const CONTROLS: std::ops::Range<u32> = 0xd10..0xd14;
    on_computer("packages=1,cores=2", |host| {
        let driver = load("auto").expect("the driver loads");
        let [changed, other] = ["cbox_0", "cbox_1"].map(|boxes| open(boxes, 0, CLOCK));
        host.traffic(BURST);
        let before = changed.read();
        for control in CONTROLS {
            let place = host.place(0);
            let written = host.machine().wrmsr(place, control, 0);
            assert_eq!(written, Some(Ok(())));
        }
        kernel::print::take();
        host.pass(LONGEST_WATCH_NS);
        host.settle();
        let log = kernel::print::take().concat();
        assert!(log.contains("cbox_0") && !log.contains("cbox_1"), "{log}");
        assert_eq!(statistic("tampered"), 1);
        assert!(!changed.is_active() && other.is_active());
        assert_eq!(changed.read(), before);
        drop((changed, other));
        drop(driver);
    });
}

#[test]
fn an_event_whose_filter_somebody_changed_ends() {
    // LLC_LOOKUP.ANY in any state, and the filter register of the first C-Box.
    const LOOKUP: u64 = 0x1134;
    const FILTER: u32 = 0xd14;
    on_computer("packages=1,cores=2", |host| {
        let driver = load("auto").expect("the driver loads");
        let [filtered, plain] = [LOOKUP, CLOCK].map(|config| open("cbox_0", 0, config));
        let written = host.machine().wrmsr(host.place(0), FILTER, 0);
        assert_eq!(written, Some(Ok(())));
        host.pass(LONGEST_WATCH_NS);
        host.settle();
        assert!(!filtered.is_active() && plain.is_active());
        assert_eq!(statistic("tampered"), 1);
        drop((filtered, plain));
        drop(driver);
    });
}

#[test]
fn a_box_whose_register_fails_is_given_up() {
    // The first counter; the last is the one that an event gets.
    const COUNTERS: [&str; 4] = ["0xd16", "0xd17", "0xd18", "0xd19"];
    on_computer("packages=2,cores=2", |host| {
        let driver = load("auto").expect("the driver loads");
        let [failing, elsewhere] = [0, 2].map(|cpu| open("cbox_0", cpu, CLOCK));
        let other = open("cbox_1", 0, CLOCK);
        host.traffic(BURST);
        let before = failing.read();
        for counter in COUNTERS {
            host.command(&format!("fail-msr 0 {counter}"));
        }
        kernel::print::take();
        host.traffic(BURST);
        failing.read();
        host.settle();
        let log = kernel::print::take();
        assert!(log.len() == 1 && log[0].contains("cbox_0"), "{log:?}");
        assert!(!failing.is_active() && elsewhere.is_active() && other.is_active());
        assert_eq!(failing.read(), before);
        assert_eq!(
            pmu("cbox_0").open(&attr(0, CLOCK), None).err(),
            Some(ENODEV)
        );
        assert_eq!(elsewhere.read(), other.read());
        for counter in COUNTERS {
            host.command(&format!("heal-msr 0 {counter}"));
        }
        drop((failing, elsewhere, other));
        drop(driver);
    });
}

#[test]
fn polls_are_as_rare_as_the_counters_allow() {
    on_computer("packages=1,cores=2", |host| {
        let driver = load("auto").expect("the driver loads");
        let event = open("cbox_0", 0, CLOCK);
        for _ in 0..600 {
            host.pass(100_000_000);
        }
        let polls = statistic("polls");
        assert!((2..=60).contains(&polls), "{polls} a minute");
        drop(event);
        drop(driver);
    });
}

#[test]
fn an_event_beside_a_queue_in_use_leaves_no_register_behind() {
    // TOR_OCCUPANCY.ALL, and COUNTER0_OCCUPANCY with it.
    const OCCUPANCY: u64 = 0x0836;
    const VIEW: u64 = 0x0100_001f;
    on_computer("packages=1,cores=2", |host| {
        let driver = load("auto").expect("the driver loads");
        let first = open("cbox_0", 0, OCCUPANCY);
        let view = pmu("cbox_0").open(&attr(0, VIEW), Some(&first));
        let view = view.expect("beside an occupancy");
        let before = host.command("state");
        let other = open("cbox_0", 0, CLOCK);
        assert_ne!(host.command("state"), before);
        drop(other);
        assert_eq!(host.command("state"), before);
        drop((view, first));
        drop(driver);
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
    on_computer("packages=1,cores=2", |host| {
        let driver = load("auto").expect("the driver loads");
        let first = open("cbox_0", 0, CLOCK);
        host.command("log on");
        drop(open("cbox_0", 0, CLOCK));
        assert_eq!(freezes(&host.command("log take")), 0);
        let second = pmu("cbox_0").open(&attr(0, CLOCK), Some(&first));
        assert!(freezes(&host.command("log take")) > 0);
        drop(second);
        assert!(freezes(&host.command("log take")) > 0);
        drop(first);
        drop(driver);
    });
}

#[test]
fn an_event_whose_filter_is_hidden_is_refused() {
    // CTO_COUNT with the match of a message.
    let message = Attr {
        words: ConfigWords {
            config: 0x20_0038,
            config1: 0x1c00,
            config2: 0x1fe0,
            ..ConfigWords::default()
        },
        ..attr(0, 0)
    };
    on_computer("packages=1,cores=2", |_| {
        let driver = load("auto").expect("the driver loads");
        assert!(pmu("qpi_0").open(&message, None).is_ok());
        drop(driver);
    });
    on_computer("packages=1,cores=2,hidden=08.6", |_| {
        let driver = load("auto").expect("the driver loads");
        assert_eq!(pmu("qpi_0").open(&message, None).err(), Some(ENODEV));
        assert!(
            debugfs("rejections").contains("qpi_0"),
            "{}",
            debugfs("rejections")
        );
        assert!(pmu("qpi_1").open(&message, None).is_ok());
        drop(driver);
    });
}

#[test]
fn three_lost_interrupts_in_a_row_end_interrupts() {
    const INTERVAL: u64 = 400_000;
    on_computer("packages=1,cores=2", |host| {
        let driver = load("auto").expect("the driver loads");
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
        host.traffic(INTERVAL);
        assert_eq!(event.read(), (2 + 2 + 3 + 3 + 1) * INTERVAL);
        drop(event);
        drop(driver);
    });
}

#[test]
fn an_nmi_of_another_source_is_left_to_it() {
    on_computer("packages=1,cores=2", |host| {
        let driver = load("auto").expect("the driver loads");
        let event = open("r2pcie", 0, R2PCIE_CLOCK);
        host.pass(1_000_000_000);
        for (cpu, unknown) in [(0, 1), (1, 2)] {
            host.foreign_nmi(cpu);
            assert_eq!(host.unknown_nmis.load(Relaxed), unknown);
        }
        drop(event);
        drop(driver);
    });
}

#[test]
fn a_pmu_has_files() {
    on_computer("packages=2,cores=2", |_| {
        let driver = load("auto").expect("the driver loads");
        let pmu = pmu("r2pcie");
        let show = |group, name| pmu.show(group, name);
        assert_eq!(show(None, "cpumask").as_deref(), Some("0,2\n"));
        assert_eq!(
            show(Some(c"format"), "event").as_deref(),
            Some("config:0-7\n")
        );
        assert_eq!(
            show(Some(c"events"), "clockticks").as_deref(),
            Some("event=0x01\n")
        );
        drop(driver);
    });
}

#[test]
fn events_follow_to_another_cpu() {
    on_computer("packages=1,cores=2", |host| {
        let driver = load("auto").expect("the driver loads");
        let event = open("r2pcie", 0, R2PCIE_CLOCK);
        host.traffic(BURST);
        host.offline(0);
        assert_eq!(event.cpu(), Some(1));
        host.traffic(BURST);
        assert_eq!(event.read(), 2 * BURST);
        host.online(0);
        host.traffic(BURST);
        assert_eq!(event.read(), 3 * BURST);
        drop(event);
        drop(driver);
    });
}

#[test]
fn a_function_comes_and_goes() {
    on_computer("packages=1,cores=2", |host| {
        let driver = load("auto").expect("the driver loads");
        let event = open("r2pcie", 0, R2PCIE_CLOCK);
        let id = |id: u32| {
            let mut functions = host.functions().into_iter();
            functions.find(|&at| host.machine().config_read(at, 2, 2) == Some(id))
        };
        let at = id(0x0e34).expect("an R2PCIe");
        host.traffic(BURST);
        host.remove_function(at);
        host.settle();
        assert!(!event.is_active());
        host.traffic(BURST);
        assert_eq!(event.read(), BURST);
        assert_eq!(
            pmu("r2pcie").open(&attr(0, R2PCIE_CLOCK), None).err(),
            Some(ENODEV)
        );
        host.rescan(at);
        pmu("r2pcie").rotate(0);
        host.traffic(BURST);
        assert_eq!(event.read(), 2 * BURST);
        drop(event);
        drop(driver);
    });
}

#[test]
fn files_and_the_log_say_what_is_there_and_what_is_missing() {
    const TOPOLOGY: &str = "\
package 0: physical 0 cpu 0 numa 0 bus 0000:7f node 0
  ubox msr:0xc00
  cbox_0 msr:0xd00
  cbox_1 msr:0xd20
  ha_0 0000:7f:0e.1
  ha_1 0000:7f:1c.1
  imc_0 0000:7f:10.4
  imc_1 0000:7f:10.5
  imc_2 0000:7f:10.0
  imc_4 0000:7f:1e.4
  imc_5 0000:7f:1e.5
  imc_6 0000:7f:1e.0
  imc_7 0000:7f:1e.1
  irp 0000:00:05.6
  pcu msr:0xc30
  qpi_0 0000:7f:08.2 filters: missing: no PCI function of it, so firmware hides it or the part \
lacks it
  qpi_1 0000:7f:09.2 filters: 0000:7f:09.6
  r2pcie 0000:7f:13.1
  r3qpi_0 0000:7f:13.5
  r3qpi_1 0000:7f:13.6
  cbox_2-14 missing: the package has 2
  imc_3 missing: no PCI function of it, so firmware hides it or the part lacks it
  qpi_2 missing: no PCI function of it, so firmware hides it or the part lacks it
  r3qpi_2 missing: no PCI function of it, so firmware hides it or the part lacks it
";
    const LOG: [&str; 7] = [
        "info: package 0: overflow mode: pmi: core select bit 0 interrupts CPU 0 (tested)",
        "info: package 0 on bus 0000:7f: ubox, cbox_0-1, ha_0-1, imc_0-2, imc_4-7, irp, pcu, \
         qpi_0-1, r2pcie, r3qpi_0-1",
        "info: package 0: missing cbox_2-14: the package has 2",
        "info: package 0: missing imc_3: no PCI function of it, so firmware hides it or the part \
         lacks it",
        "info: package 0: missing qpi_2: no PCI function of it, so firmware hides it or the part \
         lacks it",
        "info: package 0: missing r3qpi_2: no PCI function of it, so firmware hides it or the \
         part lacks it",
        "info: package 0: missing the filter function of qpi_0: no PCI function of it, so \
         firmware hides it or the part lacks it",
    ];
    const CAPS: [(&str, &str, Option<&str>); 12] = [
        ("qpi_0", "overflow", Some("pmi")),
        (
            "cbox_0",
            "overflow",
            Some("poll: the box has no overflow interrupt"),
        ),
        ("cbox_0", "location", Some("msr:0xd00")),
        ("irp", "location", Some("0000:00:05.6")),
        ("imc_0", "location", Some("0000:7f:10.4")),
        ("qpi_0", "filters", Some("match,mask")),
        ("cbox_0", "filters", Some("tid,state,nid,opc")),
        ("imc_0", "filters", None),
        ("qpi_0", "filter_location", Some("missing")),
        ("qpi_1", "filter_location", Some("0000:7f:09.6")),
        ("cbox_0", "filter_location", Some("msr:0xd00")),
        ("imc_0", "fixed_counters", Some("1")),
    ];
    on_computer("packages=1,cores=2,hidden=08.6+10.1", |_| {
        let driver = load("auto").expect("the driver loads");
        assert_eq!(kernel::print::take(), LOG);
        assert_eq!(debugfs("topology"), TOPOLOGY);
        for (boxes, name, right) in CAPS {
            let shown = pmu(boxes).show(Some(c"caps"), name);
            let shown = shown.as_deref().map(str::trim_end);
            assert_eq!(shown, right, "{boxes} {name}");
        }
        let identifier = pmu("pcu").show(None, "identifier");
        assert_eq!(identifier.as_deref(), Some("ivbep-6-3e-4\n"));
        drop(driver);
    });
}

#[test]
fn a_stopped_event_counts_nothing_until_it_starts() {
    on_computer("packages=1,cores=2", |host| {
        let driver = load("auto").expect("the driver loads");
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
        drop(event);
        drop(driver);
    });
}

#[test]
fn a_group_is_of_one_package() {
    on_computer("packages=2,cores=2", |_| {
        let driver = load("auto").expect("the driver loads");
        let leader = open("cbox_0", 0, CLOCK);
        let member = |cpu| pmu("cbox_0").open(&attr(cpu, CLOCK), Some(&leader));
        assert_eq!(member(2).err(), Some(EINVAL));
        assert!(member(0).is_ok());
        drop(leader);
        drop(driver);
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
fn without_a_self_test_each_cpu_may_be_interrupted() {
    const NMI: u32 = 0x400;
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
fn a_freeze_that_somebody_left_behind_ends() {
    // Global control and status; bit 31 freezes.
    const CONTROL: u32 = 0xc00;
    const STATUS: u32 = 0xc01;
    on_computer("packages=1,cores=2", |host| {
        let place = host.place(0);
        let written = host.machine().wrmsr(place, CONTROL, 1 << 31);
        assert_eq!(written, Some(Ok(())));
        host.command(&format!("poke-msr 0 {STATUS:#x} 0x1"));
        let driver = load("poll").expect("the driver loads");
        assert_eq!(host.machine().rdmsr(place, STATUS), Some(Ok(0)));
        let event = open("r2pcie", 0, R2PCIE_CLOCK);
        host.command("free-run on");
        host.pass(1_000_000);
        assert!(event.read() > 0);
        drop(event);
        drop(driver);
    });
}

#[test]
fn boxes_are_counted_by_a_register_where_firmware_hides_their_functions() {
    on_computer("packages=1,cores=3,hidden=0c.0+0c.1+0d.0", |_| {
        let driver = load("auto").expect("the driver loads");
        let log = kernel::print::take().concat();
        assert!(log.contains("used the count in a register: 8"), "{log}");
        assert!(has_pmu("cbox_2") && !has_pmu("cbox_3"));
        drop(driver);
    });
    on_computer("packages=1,cores=3", |_| {
        let driver = load("auto").expect("the driver loads");
        let log = kernel::print::take().concat();
        assert!(!log.contains("register"), "{log}");
        assert!(has_pmu("cbox_2") && !has_pmu("cbox_3"));
        drop(driver);
    });
}

#[test]
fn too_many_interrupts_are_throttled_for_a_while() {
    const INTERVAL: u64 = 250_000;
    // Interrupts in 100 ms.
    const MOST: u64 = 2000;
    const THROTTLE_NS: u64 = 100_000_000;
    on_computer("packages=1,cores=2", |host| {
        let driver = load("auto").expect("the driver loads");
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
        drop(event);
        drop(driver);
    });
}

#[test]
fn a_record_has_the_time_of_the_overflow() {
    const INTERVAL: u64 = 400_000;
    on_computer("packages=1,cores=2", |host| {
        let driver = load("auto").expect("the driver loads");
        let event = open("r2pcie", 0, R2PCIE_CLOCK | INTERVAL << 32);
        *plain(&host.trace) = Some(Vec::new());
        let from = host.now();
        host.traffic(INTERVAL);
        let to = host.now();
        let records = plain(&host.trace).take().expect("it was enabled");
        let mut words = records.iter().flat_map(|record| record.split(' '));
        let time = words.find_map(|word| word.strip_prefix("time="));
        let time: u64 = time.and_then(|time| time.parse().ok()).expect("a time");
        assert!((from..to).contains(&time), "{from} {time} {to}");
        // The machine was frozen from the NMI to the end of the interrupt.
        let frozen = statistic("longest_freeze_ns");
        assert!((1..to - from).contains(&frozen), "{frozen}");
        drop(event);
        drop(driver);
    });
}
