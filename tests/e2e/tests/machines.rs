// SPDX-License-Identifier: GPL-2.0

//! Other machines than the usual one: more and fewer packages, C-Boxes that
//! differ between packages, other bus and node numbers, x2APIC, SMT. On each,
//! every box has its PMU with the right `cpumask` and counts its own traffic.

use ivbep_e2e::catalogue::BoxKind;
use ivbep_e2e::fixture::probe::Probe;
use ivbep_e2e::fixture::{on, Session, Wanted};
use ivbep_e2e::Config;

const BURST: u64 = 1_000_000;
const CHANNELS: u8 = 8;

/// The C-Boxes of each package.
struct Shape(&'static [u8]);

impl Shape {
    fn packages(&self) -> Vec<u8> {
        (0..).zip(self.0).map(|(package, _)| package).collect()
    }

    /// The packages that have this C-Box.
    fn with_cbox(&self, instance: u8) -> Vec<u8> {
        let packages = (0..).zip(self.0);
        packages
            .filter(|(_, &count)| instance < count)
            .map(|(package, _)| package)
            .collect()
    }

    fn most_cboxes(&self) -> u8 {
        self.0.iter().copied().max().unwrap_or(0)
    }
}

fn machine(options: &[(&str, &str)]) -> Config {
    let with = |config: Config, (key, value): &(&str, &str)| config.with(key, value);
    options.iter().fold(Config::default(), with)
}

/// The packages that a PMU's `cpumask` speaks for.
fn packages_of(session: &mut Session, pmu: &str) -> Vec<u8> {
    let command = format!(
        "for cpu in $(tr , ' ' < /sys/bus/event_source/devices/{pmu}/cpumask); do \
         cat /sys/devices/system/cpu/cpu$cpu/topology/physical_package_id; done"
    );
    let packages = session.ok(&command);
    let mut packages: Vec<u8> = packages
        .lines()
        .filter_map(|line| line.parse().ok())
        .collect();
    packages.sort_unstable();
    packages
}

fn every_box_counts(config: &Config, shape: &Shape) {
    on(config, |session| {
        for instance in 0..shape.most_cboxes() {
            let having = shape.with_cbox(instance);
            assert_eq!(packages_of(session, &BoxKind::Cbox.pmu(instance)), having);
            let lookup = Probe::cbox(instance, "llc_lookup.any");
            let occupancy = Probe::cbox(instance, "tor_occupancy.all");
            session.counts(BURST, &having, &Wanted::all([lookup, occupancy]));
        }
        let one_more = BoxKind::Cbox.pmu(shape.most_cboxes());
        session.fails(&format!("ls -d /sys/bus/event_source/devices/{one_more}"));

        let all = shape.packages();
        for instance in 0..CHANNELS {
            assert_eq!(packages_of(session, &BoxKind::Imc.pmu(instance)), all);
        }
        let channels = (0..CHANNELS).map(|instance| Probe::imc(instance, "cas_count.rd"));
        let mut rest = Wanted::all(channels);
        rest.push(Probe::ubox("event_msg.ipi_rcvd").into());
        rest.push(Probe::ubox("clockticks").into());
        assert_eq!(packages_of(session, &BoxKind::Ubox.pmu(0)), all);
        session.counts(BURST, &all, &rest);
    });
}

#[test]
fn one_package() {
    every_box_counts(&machine(&[("packages", "1")]), &Shape(&[3]));
}

#[test]
fn four_packages() {
    let config = machine(&[("packages", "4"), ("cores", "1")]);
    every_box_counts(&config, &Shape(&[3, 3, 3, 3]));
}

#[test]
fn as_many_cboxes_as_there_can_be() {
    let config = machine(&[("packages", "1"), ("cboxes", "15")]);
    every_box_counts(&config, &Shape(&[15]));
}

#[test]
fn packages_with_different_cboxes() {
    let config = machine(&[("cboxes", "2:5")]);
    every_box_counts(&config, &Shape(&[2, 5]));
    on(&config, |session| {
        let absent = Probe::cbox(4, "misc.started").open("event", 0);
        assert_eq!(session.perf_open(&[absent]), ["event ENODEV"]);
        let last = session.rejections().pop().unwrap_or_default();
        assert!(
            last.contains("cbox_4: ") && last.contains("package"),
            "{last}"
        );
    });
}

#[test]
fn fewer_cboxes_than_cores() {
    let config = machine(&[("cores", "4:2"), ("cboxes", "1:2")]);
    every_box_counts(&config, &Shape(&[1, 2]));
}

#[test]
fn an_x2apic_machine() {
    let config = Config {
        x2apic: true,
        ..Config::default()
    };
    every_box_counts(&config, &Shape(&[3, 3]));
}

#[test]
fn a_machine_with_two_threads_per_core() {
    let config = machine(&[("smt", "2")]);
    every_box_counts(&config, &Shape(&[3, 3]));
}

#[test]
fn odd_bus_numbers() {
    let config = machine(&[("uncore-buses", "1f:c7"), ("iio-buses", "00:90")]);
    every_box_counts(&config, &Shape(&[3, 3]));
}

/// Package 0 is node 1: the map and not the order of buses decides.
#[test]
fn nodes_in_the_other_order() {
    let config = machine(&[("nodes", "1:0")]);
    every_box_counts(&config, &Shape(&[3, 3]));
}

/// The bus with the lower number belongs to package 1.
#[test]
fn buses_in_the_other_order() {
    let config = machine(&[("uncore-buses", "ff:7f"), ("iio-buses", "80:00")]);
    every_box_counts(&config, &Shape(&[3, 3]));
}

#[test]
fn an_e7() {
    let config = machine(&[("part", "ex")]);
    every_box_counts(&config, &Shape(&[3, 3]));
}
