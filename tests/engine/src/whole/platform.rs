// SPDX-License-Identifier: GPL-2.0

//! Bits of the tables that no event shows.

use super::{overflow::controls, *};
use crate::{
    linux::{pci, smp, topology::Cpu},
    platforms,
    uncore::{
        counter_box::bus::{BoxAccess, Bus, FilterLocation, FunctionRegisters, Registers},
        table::{
            box_type::{Access as Location, BoxType, GlobalMsrs, Platform, Run},
            field::mask,
        },
    },
};

/// `clockticks` of an R3QPI link.
const R3QPI_CLOCK: u64 = 0x01;

#[test]
fn a_port_may_report_its_overflow_by_either_bit_of_the_ports() {
    const INTERVAL: u64 = 400_000;
    const CLOCKS: [(&str, u64, [u32; 2]); 2] = [
        ("qpi", QPI_CLOCK, [22, 23]),
        ("r3qpi", R3QPI_CLOCK, [24, 25]),
    ];
    with_intervals("packages=1,cores=2", |host| {
        for (unit, clock, bits) in CLOCKS {
            for (index, bit) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let boxes = format!("{unit}_{index}");
                let event = open(&boxes, 0, clock | INTERVAL << 32);
                let before = statistic("intervals");
                host.machine().burst(4 * INTERVAL);
                // The NMI has not come yet.
                let poke = format!("poke-msr 0 0xc01 {:#x}", 1 << bits[bit]);
                let poked = host.machine().command(&poke);
                poked.expect("the machine has the register");
                host.pass(0);
                assert_eq!(statistic("intervals"), before + 1, "{boxes} {bits:?} {bit}");
                drop(event);
            }
        }
    });
}

#[test]
fn a_core_that_sleeps_is_woken_by_an_overflow() {
    with_driver("packages=1,cores=2", "pmi", |host| {
        let event = open("r2pcie", 0, R2PCIE_CLOCK);
        host.asleep.store(true, Relaxed);
        overflow_once(host, &event);
        assert_eq!(statistic("taken"), 1);
    });
}

#[test]
fn no_bit_that_clears_a_counter_is_written_as_a_test() {
    // Control register of the fixed counter of an iMC, and its bit that clears the counter.
    const CONTROL: &str = " 0xf0 4 0x";
    const RESET: u32 = 1 << 19;
    on_computer("packages=1,cores=2", |host| {
        host.command("log on");
        let _driver = load("auto").expect("the driver loads");
        let log = host.command("log take");
        let writes = log.lines().filter(|line| line.starts_with("cfgw"));
        let values = writes.filter_map(|line| Some(line.split_once(CONTROL)?.1));
        let values: Vec<_> = values
            .map(|value| u32::from_str_radix(value, 16).expect("hexadecimal"))
            .collect();
        assert!(values.iter().any(|&value| value != 0), "{log}");
        assert!(values.iter().all(|value| value & RESET == 0), "{values:x?}");
    });
}

/// If there are many nodes, firmware gives the packages of buses.
#[test]
fn each_package_has_its_numbers() {
    for nodes in [2, 9] {
        on_computer("packages=2,cores=2", |host| {
            host.nodes.store(nodes, Relaxed);
            let _driver = load("auto").expect("the driver loads");
            let topology = debugfs("topology");
            for line in [
                "package 0: physical 0 cpu 0 numa 0 bus 0000:7f node 0",
                "package 1: physical 1 cpu 2 numa 1 bus 0000:ff node 1",
            ] {
                assert!(topology.lines().any(|shown| shown == line), "{topology}");
            }
        });
    }
}

/// Both packages have the same bus numbers then.
#[test]
fn each_package_has_the_boxes_of_its_segment() {
    on_computer("packages=2,cores=2", |host| {
        host.second_segment.store(0x80, Relaxed);
        let _driver = load("auto").expect("the driver loads");
        let topology = debugfs("topology");
        for line in [
            "package 0: physical 0 cpu 0 numa 0 bus 0000:7f node 0",
            "package 1: physical 1 cpu 2 numa 1 bus 0001:7f node 1",
        ] {
            assert!(topology.lines().any(|shown| shown == line), "{topology}");
        }
        for (cpu, bus) in [(0, "7f:"), (2, "ff:")] {
            for (boxes, config) in [
                ("r2pcie", R2PCIE_CLOCK),
                ("imc_0", CLOCK),
                ("qpi_0", QPI_CLOCK),
            ] {
                let log = accesses(host, || {
                    let event = open(boxes, cpu, config);
                    host.traffic(BURST);
                    assert!(event.read() > 0, "{boxes} on CPU {cpu}");
                });
                let mut places = log.lines().filter_map(|line| line.split(' ').nth(1));
                assert!(places.all(|place| place.starts_with(bus)), "{log}");
            }
        }
        kernel::print::take();
        let first = function(host, R2PCIE_ID);
        host.remove_function(Function { bus: 0xff, ..first });
        let log = kernel::print::take().concat();
        assert!(log.contains("package 1: r2pcie removed"), "{log}");
        let opened = [0, 2].map(|cpu| pmu("r2pcie").open(&attr(cpu, R2PCIE_CLOCK), None).err());
        assert_eq!(opened, [None, Some(ENODEV)]);
    });
}

#[test]
fn a_package_whose_cpus_come_later_has_its_own_boxes() {
    cpus_come_later(2);
}

/// Firmware gives the nodes of buses, and the CPUs tell which package has a node.
#[test]
fn a_package_whose_cpus_come_later_has_its_own_boxes_among_many_nodes() {
    cpus_come_later(9);
}

/// Loads the driver while a package has no CPU that is online, on a machine with so many nodes.
fn cpus_come_later(nodes: u32) {
    on_computer("packages=2,cores=2,cboxes=2:5,numc=3", |host| {
        host.nodes.store(nodes, Relaxed);
        (2..4).for_each(|cpu| host.offline(cpu));
        let _driver = load("poll").expect("the driver loads");
        assert!(has_pmu("cbox_1") && !has_pmu("cbox_2"));
        let refused = pmu("imc_0").open(&attr(2, CLOCK), None);
        assert_eq!(refused.err(), Some(ENODEV));
        host.online(3);
        assert!(has_pmu("cbox_4") && !has_pmu("cbox_5"));
        let topology = debugfs("topology");
        for missing in [
            "  cbox_2-14 missing: the package has 2",
            "  cbox_5-14 missing: the package has 5",
        ] {
            assert!(topology.lines().any(|line| line == missing), "{topology}");
        }
        for boxes in ["cbox_4", "imc_0"] {
            assert_eq!(open(boxes, 2, CLOCK).cpu(), Some(3), "{boxes}");
        }
    });
}

#[test]
fn the_package_of_an_absent_cpu_is_unknown() {
    with_driver("packages=2,cores=2", "poll", |host| {
        host.offline(3);
        host.absent_cpu.store(3, Relaxed);
        let refused = pmu("cbox_0").open(&attr(3, CLOCK), None);
        is_refused(refused, ENODEV, "CPU 3 is not present");
    });
}

#[test]
fn the_counters_belong_to_one_driver() {
    on_computer("packages=1,cores=2", |host| {
        host.cpuhp_state.store(true, Relaxed);
        let accesses = accesses(host, || {
            assert_eq!(load_without_traffic("auto").err(), Some(EBUSY));
        });
        assert!(!accesses.contains("msr"), "{accesses}");
        let log = kernel::print::take().concat();
        assert!(log.contains("modprobe -r intel_uncore"), "{log}");
        host.cpuhp_state.store(false, Relaxed);
        let driver = load("auto").expect("the driver loads");
        assert!(host.cpuhp_state.load(Relaxed));
        drop(driver);
        assert!(!host.cpuhp_state.load(Relaxed));
    });
}

#[test]
fn a_counter_of_32_bits_is_one_dword_of_configuration_space() {
    // A home agent's first counter, of 48 bits, stands for a counter with another register behind.
    const COUNTER: u16 = 0xa0;
    const WHOLE: u64 = 0x0123_89ab_cdef;
    on_computer("packages=1,cores=2", |_| {
        let function = pci::functions(0x0e30).next().expect("a home agent");
        let space =
            pci::ConfigSpace::new(function, &pci::Ecam::new().expect("no memory is needed"));
        let registers =
            Registers::of_function(FunctionRegisters::Config(space)).expect("there is memory");
        smp::on_cpu(Cpu::new(0).expect("a CPU"), |here| {
            let bus = BoxAccess::new(Some(&registers), &FilterLocation::Own, here);
            let read = |width| bus.read_counter(COUNTER, mask(width)).expect("it answers");
            let write = |width, value| {
                let written = bus.write_counter(COUNTER, mask(width), value);
                written.expect("it answers");
            };
            write(48, WHOLE);
            assert_eq!((read(48), read(32)), (WHOLE, 0x89ab_cdef));
            write(32, 0x89ab_cdef + 1);
            assert_eq!(read(48), WHOLE + 1);
        })
        .expect("the CPU is online");
    });
}

/// Parameters with the platform of the machine without its PCI functions and interrupts, and with a
/// level in the place of the command that lets counters run.
fn without_pci() -> Parameters<'static> {
    let [whole, ..] = platforms::ALL else {
        panic!("no platform")
    };
    let is_msr = |kind: &&BoxType| matches!(kind.access, Location::Msr { .. });
    let kinds: Vec<_> = whole.box_types.iter().copied().filter(is_msr).collect();
    let platform: &Platform = Box::leak(Box::new(Platform {
        name: whole.name,
        cpus: whole.cpus,
        discovery: None,
        global: Some(GlobalMsrs {
            control: 0xc00,
            run: Run::Level(LEVEL),
            interrupt: None,
        }),
        box_types: kinds.leak(),
    }));
    Parameters {
        platforms: vec![platform].leak(),
        ..Parameters::default()
    }
}

/// The bits of the global control that let counters run. The machine keeps them, and counts with any
/// value of them.
const LEVEL: u32 = 0b11;

/// Takes a bit of the level from a package, as its sleep does.
fn lose_level(host: &Host, package: u32) {
    host.command(&format!("poke-msr {package} 0xc00 0x1"));
}

#[test]
fn a_platform_needs_no_pci_functions_and_no_interrupt() {
    with_parameters("packages=2,cores=3,numc=3", &without_pci(), |host| {
        assert!(!host.has_nmi_handler());
        let log = kernel::print::take().concat();
        assert!(log.contains("package 1: ubox, cbox_0-2, pcu"), "{log}");
        assert!(log.contains("package 1: overflow mode: poll"), "{log}");
        assert!(!log.contains("locator"), "{log}");
        assert!(has_pmu("cbox_2") && !has_pmu("cbox_3") && !has_pmu("imc_0"));
        let events = [0, 3].map(|cpu| open("cbox_2", cpu, CLOCK));
        host.traffic(BURST);
        assert_eq!(events.map(|event| event.read()), [BURST; 2]);
    });
}

#[test]
fn interrupts_that_the_platform_lacks_are_refused() {
    on_computer("packages=1,cores=2", |host| {
        let parameters = Parameters {
            overflow: "pmi",
            ..without_pci()
        };
        let mut refused = None;
        let accesses = accesses(host, || refused = load_with(&parameters).err());
        assert_eq!((refused, &*accesses), (Some(EINVAL), ""));
        let log = kernel::print::take().concat();
        assert!(log.contains("overflow=pmi is impossible"), "{log}");
    });
}

#[test]
fn a_package_counts_on_a_housekeeping_cpu_while_one_is_online() {
    for overflow in ["auto", "pmi"] {
        on_computer("packages=2,cores=3", |host| {
            host.isolated_cpu.store(3, Relaxed);
            let _driver = load(overflow).expect("the driver loads");
            let event = open("r2pcie", 3, R2PCIE_CLOCK);
            assert_eq!(event.cpu(), Some(4));
            let mut counted = 0;
            let mut counts_on = |cpu| {
                assert_eq!(event.cpu(), Some(cpu), "{overflow}");
                host.traffic(BURST);
                counted += BURST;
                assert_eq!(event.read(), counted, "{overflow}");
            };
            counts_on(4);
            host.offline(4);
            counts_on(5);
            host.offline(5);
            counts_on(3);
            host.online(4);
            counts_on(4);
            host.online(5);
            host.offline(3);
            host.online(3);
            counts_on(4);
        });
    }
}

#[test]
fn a_level_is_set_from_the_first_event_to_unload() {
    let parameters = without_pci();
    let [set, clear] = [u64::from(LEVEL), 0];
    // What packages 0 and 1 hold at load, with bits that are not the level's.
    for found in [[clear, clear], [clear, set], [set | 4, 4], [1, 2]] {
        on_computer("packages=2,cores=2", |host| {
            for (package, found) in found.iter().enumerate() {
                host.command(&format!("poke-msr {package} 0xc00 {found:#x}"));
            }
            let before = found.map(|found| found & set);
            let written = |f: &mut dyn FnMut()| controls(&accesses(host, f));
            let mut driver = None;
            let load = written(&mut || driver = load_with(&parameters).ok());
            assert!(driver.is_some() && load.is_empty());
            // A package without events stays as it is when it loses its CPUs, or sleeps.
            assert!(written(&mut || host.offline(2)).is_empty());
            assert!(written(&mut || host.offline(3)).is_empty());
            assert!(written(&mut || host.online(3)).is_empty());
            let sleep = &mut || host.suspend_to_ram(1_000_000_000, || ());
            assert!(written(sleep).is_empty());
            for (package, found) in found.iter().enumerate() {
                host.command(&format!("poke-msr {package} 0xc00 {found:#x}"));
            }
            let mut event = None;
            assert_eq!(written(&mut || event = Some(open("pcu", 3, CLOCK))), [set]);
            let mut others = Vec::new();
            assert!(written(&mut || others.push(open("ubox", 3, 0xff))).is_empty());
            assert_eq!(statistic("level_lost"), 0);
            // Another CPU of the package takes over; then the package has none.
            assert!(written(&mut || host.online(2)).is_empty());
            assert!(written(&mut || host.offline(3)).is_empty());
            assert_eq!(written(&mut || host.offline(2)), [before[1]]);
            drop((event, others));
            let again = &mut || drop((host.online(3), open("pcu", 3, CLOCK)));
            assert_eq!(written(again), [set]);
            assert_eq!(written(&mut || drop(open("pcu", 0, CLOCK))), [set]);
            let sleep = written(&mut || host.suspend_to_ram(1_000_000_000, || ()));
            assert!(sleep.contains(&set), "{sleep:x?}");
            // Package 1 had no CPU meanwhile, and begins anew with registers that were reset.
            assert_eq!(written(&mut || drop(open("pcu", 3, CLOCK))), [set]);
            let unload = written(&mut || driver = None);
            assert_eq!(unload, [before[0], clear]);
        });
    }
}

#[test]
fn a_level_that_is_lost_is_set_again() {
    with_parameters("packages=2,cores=1", &without_pci(), |host| {
        let written = |f: &mut dyn FnMut()| controls(&accesses(host, f));
        let set = u64::from(LEVEL);
        // The first event sets it.
        assert_eq!(written(&mut || drop(open("ubox", 0, 0xff))), [set]);
        assert_eq!(statistic("level_lost"), 0);
        // Nobody needs it while no event counts; the next one does.
        lose_level(host, 0);
        assert!(written(&mut || host.pass(LONGEST_POLL_NS)).is_empty());
        let mut event = None;
        assert_eq!(written(&mut || event = Some(open("ubox", 0, 0xff))), [set]);
        assert_eq!(statistic("level_lost"), 1);
        // It is left alone while it is there.
        let other = open("pcu", 0, CLOCK);
        assert!(written(&mut || pass_slowly(host, 5 * LONGEST_LEVEL_NS)).is_empty());
        kernel::print::take();
        // The log has the first time, the second and the fourth.
        for (times, lines) in [(1, 1), (2, 1), (3, 0), (4, 1)] {
            lose_level(host, 0);
            let noticed = &mut || pass_slowly(host, LONGEST_LEVEL_NS + 1_000_000);
            assert_eq!(written(noticed), [set]);
            assert_eq!(statistic("level_lost"), 1 + times);
            host.settle();
            let log = kernel::print::take();
            let told = log.iter().filter(|line| {
                line.contains("cleared the counter enable while events were counting")
                    && line.contains(&format!("({times} times so far)"))
            });
            assert_eq!((told.count(), log.len()), (lines, lines), "{log:?}");
        }
        drop((event, other));
        lose_level(host, 0);
        pass_slowly(host, 2 * LONGEST_LEVEL_NS);
        assert_eq!(statistic("level_lost"), 5);
    });
}
