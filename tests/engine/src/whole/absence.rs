// SPDX-License-Identifier: GPL-2.0

//! Registers that others change, and boxes and functions that fail, go and come.

use super::*;

/// Control registers of the first C-Box.
const CONTROLS: [u32; 4] = [0xd10, 0xd11, 0xd12, 0xd13];

/// Disables the counters of the first C-Box.
fn disable_counters(host: &Host) {
    for control in CONTROLS {
        host.command(&format!("poke-msr 0 {control:#x} 0"));
    }
}

#[test]
fn an_event_whose_register_somebody_changed_ends() {
    with_driver("packages=1,cores=2", "auto", |host| {
        let [changed, other] = ["cbox_0", "cbox_1"].map(|boxes| open(boxes, 0, CLOCK));
        host.traffic(BURST);
        let before = changed.read();
        disable_counters(host);
        kernel::print::take();
        (0..POLLS_PER_VERIFICATION).for_each(|_| host.pass(LONGEST_POLL_NS));
        let log = accesses(host, || host.settle());
        // Those of the other box.
        assert!(!log.contains(" 0xd3"), "{log}");
        let log = kernel::print::take().concat();
        assert!(log.contains("cbox_0") && !log.contains("cbox_1"), "{log}");
        assert!(
            log.contains("changed its control register, MSR 0xd1"),
            "{log}"
        );
        assert_eq!(statistic("tampered"), 1);
        assert!(!changed.is_active() && other.is_active());
        assert_eq!(changed.read(), before);
    });
}

#[test]
fn without_verification_nobody_notices() {
    let parameters = Parameters {
        overflow: "poll",
        tamper: "off",
        ..Parameters::default()
    };
    with_parameters("packages=1,cores=2", &parameters, |host| {
        let event = open("cbox_0", 0, CLOCK);
        kernel::print::take();
        disable_counters(host);
        let log = accesses(host, || verify(host));
        // Counters are read.
        assert!(log.contains(" 0xd1"), "{log}");
        for register in CONTROLS.into_iter().chain([0xd04]) {
            assert!(!log.contains(&format!(" {register:#x} ")), "{log}");
        }
        assert!(event.is_active());
        assert!(kernel::print::take().is_empty());
        assert_eq!(statistic("tampered"), 0);
    });
}

#[test]
fn events_of_a_box_that_fails_end_in_a_package_with_one_cpu() {
    with_driver("packages=2,cores=1", "auto", |host| {
        let [failing, other] = ["cbox_0", "imc_0"].map(|boxes| open(boxes, 0, CLOCK));
        host.command("fail-msr 0 0xd19");
        failing.read();
        host.settle();
        assert_eq!([&failing, &other].map(Event::cpu), [Some(0); 2]);
        assert!(!failing.is_active() && other.is_active());
    });
}

#[test]
fn an_event_whose_filter_is_hidden_is_refused() {
    let message = message();
    with_driver("packages=1,cores=2", "auto", |_| {
        assert!(pmu("qpi_0").open(&message, None).is_ok());
    });
    with_driver("packages=1,cores=2,hidden=08.6", "auto", |_| {
        is_refused(pmu("qpi_0").open(&message, None), ENODEV, "qpi_0");
        assert!(pmu("qpi_1").open(&message, None).is_ok());
    });
}

#[test]
fn boxes_are_counted_by_a_register_where_firmware_hides_their_functions() {
    with_driver("packages=1,cores=3,hidden=0c.0+0c.1+0d.0", "auto", |_| {
        let log = kernel::print::take().concat();
        assert!(
            log.contains("number of boxes taken from the count in a register: 8"),
            "{log}"
        );
        assert!(has_pmu("cbox_2") && !has_pmu("cbox_3"));
    });
    with_driver("packages=1,cores=3", "auto", |_| {
        let log = kernel::print::take().concat();
        assert!(!log.contains("register"), "{log}");
        assert!(has_pmu("cbox_2") && !has_pmu("cbox_3"));
    });
}

#[test]
fn boxes_with_gaps_are_found_by_their_functions() {
    with_driver("packages=1,cores=4,cbox-mask=2d", "auto", |host| {
        for index in 0..7 {
            let name = format!("cbox_{index}");
            assert_eq!(has_pmu(&name), [0, 2, 3, 5].contains(&index), "{name}");
        }
        let topology = debugfs("topology");
        assert!(topology.contains("no PCI function of it"), "{topology}");
        // CLOCKTICKS.
        let event = open("cbox_5", 0, 0);
        host.traffic(BURST);
        assert_eq!(event.read(), BURST);
    });
}

#[test]
fn a_box_that_comes_later_has_a_pmu_from_then_on() {
    on_computer("packages=1,cores=2", |host| {
        let at = function(host, R2PCIE_ID);
        host.remove_function(at);
        let _driver = load("auto").expect("the driver loads");
        assert!(!has_pmu("r2pcie"));
        host.rescan(at);
        let event = open("r2pcie", 0, R2PCIE_CLOCK);
        host.traffic(BURST);
        assert_eq!(event.read(), BURST);
    });
}

#[test]
fn a_box_that_comes_back_interrupts_if_the_package_does() {
    for (overflow, taken) in [("pmi", 1), ("auto", 0), ("poll", 0)] {
        with_driver("packages=1,cores=2", overflow, |host| {
            let at = function(host, R2PCIE_ID);
            host.remove_function(at);
            host.rescan(at);
            let event = open("r2pcie", 0, R2PCIE_CLOCK);
            overflow_once(host, &event);
            assert_eq!(statistic("taken"), taken);
        });
    }
}

#[test]
fn functions_of_a_bus_that_belongs_to_no_package_are_not_used() {
    with_driver("packages=1,cores=2,hidden=0b.0", "auto", |_| {
        let log = kernel::print::take().concat();
        let message = "PCI function 0000:7f:13.1 is not used: neither it nor a higher bus has a \
                       locator";
        assert!(log.contains(message), "{log}");
        assert!(has_pmu("cbox_0") && !has_pmu("r2pcie"));
    });
}

#[test]
fn the_filter_function_of_a_port_comes_and_goes() {
    with_driver("packages=1,cores=2", "auto", |host| {
        let matched = pmu("qpi_0")
            .open(&message(), None)
            .expect("with its filters");
        let clock = open("qpi_0", 0, QPI_CLOCK);
        let at = function(host, QPI_FILTER_ID);
        host.remove_function(at);
        host.settle();
        assert!(!matched.is_active() && clock.is_active());
        assert_eq!(pmu("qpi_0").open(&message(), None).err(), Some(ENODEV));
        host.rescan(at);
        pmu("qpi_0").rotate(0);
        assert!(matched.is_active() && clock.is_active());
        assert!(pmu("qpi_0").open(&message(), None).is_ok());
    });
}

#[test]
fn a_filter_function_that_fails_is_tried_again_with_its_port() {
    with_driver("packages=1,cores=2", "auto", |host| {
        let matched = pmu("qpi_0")
            .open(&message(), None)
            .expect("with its filters");
        let clock = open("qpi_0", 0, QPI_CLOCK);
        let [port, filters] = [QPI_ID, QPI_FILTER_ID].map(|id| function(host, id));
        let name = format!(
            "{:02x}:{:02x}.{}",
            filters.bus, filters.device, filters.function
        );
        host.command(&format!("hide {name}"));
        kernel::print::take();
        verify(host);
        let log = kernel::print::take().concat();
        assert!(
            log.contains("the filter function of qpi_0 no longer answers"),
            "{log}"
        );
        assert!(!matched.is_active() && clock.is_active());
        host.command(&format!("show {name}"));
        host.remove_function(port);
        host.rescan(port);
        pmu("qpi_0").rotate(0);
        assert!(matched.is_active() && clock.is_active());
    });
}

#[test]
fn a_port_comes_back_although_its_filters_fail() {
    with_driver("packages=1,cores=2", "auto", |host| {
        let [port, filters] = [QPI_ID, QPI_FILTER_ID].map(|id| function(host, id));
        host.remove_function(port);
        host.redirect(filters, None);
        host.rescan(port);
        let refused = pmu("qpi_0").open(&message(), None);
        assert_eq!(refused.err(), Some(ENODEV));
        let clock = open("qpi_0", 0, QPI_CLOCK);
        host.traffic(BURST);
        assert!(clock.read() > 0);
    });
}

#[test]
fn a_function_in_another_place_is_used() {
    with_driver("packages=1,cores=2", "auto", |host| {
        let at = function(host, R2PCIE_ID);
        let elsewhere = Function { function: 7, ..at };
        host.remove_function(at);
        host.redirect(elsewhere, Some(at));
        kernel::print::take();
        host.rescan(elsewhere);
        let log = kernel::print::take().concat();
        let message = "PCI function 0000:7f:13.7 has the ID of r2pcie, expected at 13.1";
        assert!(log.contains(message), "{log}");
        let event = open("r2pcie", 0, R2PCIE_CLOCK);
        host.traffic(BURST);
        assert_eq!(event.read(), BURST);
    });
}

#[test]
fn a_second_function_of_a_box_is_not_used() {
    const TWINS: [(u32, &str); 2] = [
        (
            R2PCIE_ID,
            "0000:7f:13.7 is not used: r2pcie is already bound at 0000:7f:13.1",
        ),
        (
            QPI_FILTER_ID,
            "0000:7f:08.7 is not used: the filter function of qpi_0 is already bound at \
             0000:7f:08.6",
        ),
    ];
    with_driver("packages=1,cores=2", "auto", |host| {
        for (id, message) in TWINS {
            let at = function(host, id);
            let twin = Function { function: 7, ..at };
            host.redirect(twin, Some(at));
            kernel::print::take();
            host.rescan(twin);
            let log = kernel::print::take().concat();
            assert!(log.contains(message), "{log}");
        }
    });
}

#[test]
fn the_functions_of_a_port_are_on_one_bus() {
    with_driver("packages=1,cores=2", "auto", |host| {
        let at = function(host, QPI_FILTER_ID);
        let elsewhere = Function {
            bus: at.bus - 1,
            ..at
        };
        host.remove_function(at);
        host.redirect(elsewhere, Some(at));
        kernel::print::take();
        host.rescan(elsewhere);
        let log = kernel::print::take().concat();
        let message = "0000:7e:08.6 is not used: 0000:7f:08.2, the other function of qpi_0, is on \
                       another bus";
        assert!(log.contains(message), "{log}");
    });
}

#[test]
fn an_event_ends_in_a_package_with_one_cpu() {
    with_driver("packages=2,cores=1", "auto", |host| {
        let [changed, other] = [(); 2].map(|()| open("cbox_0", 0, CLOCK));
        host.command("poke-msr 0 0xd13 0");
        verify(host);
        assert_eq!(statistic("tampered"), 1);
        host.traffic(BURST);
        assert!(changed.read() == 0 && other.read() > 0);
        assert!(!changed.is_active() && other.is_active());
        assert_eq!([&changed, &other].map(Event::cpu), [Some(0); 2]);
    });
}

#[test]
fn a_pmu_whose_name_is_taken_keeps_no_other_away() {
    on_computer("packages=1,cores=2", |host| {
        *plain(&host.taken_name) = Some("ivbep_uncore_cbox_0");
        let _driver = load("poll").expect("the driver loads");
        assert!(!has_pmu("cbox_0"));
        assert!(["ubox", "cbox_1", "imc_0", "r3qpi_1"].map(has_pmu) == [true; 4]);
        let log = kernel::print::take().concat();
        let failed = "failed to register a PMU for cbox_0: ";
        assert_eq!(log.matches(failed).count(), 1, "{log}");
        // It is registered when the next box appears.
        *plain(&host.taken_name) = None;
        let at = function(host, R2PCIE_ID);
        host.remove_function(at);
        host.rescan(at);
        assert!(has_pmu("cbox_0"));
    });
}

#[test]
fn a_load_fails_without_any_pmu() {
    on_computer("packages=1,cores=2", |host| {
        *plain(&host.taken_name) = Some("ivbep_uncore_");
        assert_eq!(load("poll").err(), Some(EEXIST));
        assert!(plain(&host.pmus).is_empty());
    });
}

/// Reserved bits of control registers that read as 1 have no meaning: bit 23 in a C-Box, and the
/// upper half of the MSR.
#[test]
fn reserved_bits_that_read_as_1_hide_no_box() {
    for bit in [23, 32, 63] {
        on_computer("packages=1,cores=2", |host| {
            host.command(&format!("defect reads cbox {bit} 1"));
            let _driver = load("poll").expect("the driver loads");
            let event = open("cbox_0", 0, CLOCK);
            host.traffic(BURST);
            host.pass(LONGEST_POLL_NS);
            host.settle();
            assert!(event.is_active() && event.read() > 0, "bit {bit}");
            assert_eq!(statistic("tampered"), 0, "bit {bit}");
        });
    }
}

/// Its control, box control, filter and counter registers, one each.
#[test]
fn a_cbox_that_faults_everywhere_has_no_pmu() {
    for msr in ["0xd50", "0xd44", "0xd54", "0xd5a", "0xd56"] {
        on_computer("packages=2,cores=2,cboxes=3", |host| {
            (0..2).for_each(|package| {
                host.command(&format!("fail-msr {package} {msr}"));
            });
            let _driver = load("auto").expect("the driver loads");
            assert!(!has_pmu("cbox_2"), "{msr}");
            assert!(debugfs("topology").contains("missing"), "{msr}");
            let event = open("cbox_1", 2, CLOCK);
            host.traffic(BURST);
            assert_eq!(event.read(), BURST);
        });
    }
}
