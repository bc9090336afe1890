// SPDX-License-Identifier: GPL-2.0

//! The usual machine, and those on which the kernel numbers processors and nodes otherwise, keeps
//! processors for programs, or starts some later: every box has its PMU with the right `cpumask` and
//! counts its own traffic. Other shapes are on the host (`whole::shapes`).

mod client;

use std::collections::BTreeMap;
use uncore_e2e::fixture::sample;
use uncore_e2e::prelude::*;

platforms!(; first);

const BURST: u64 = 1_000_000;

fn machine(options: &[(&str, &str)]) -> Config {
    Config::default().with_all(options)
}

/// Checks that each PMU counts for the packages that have its box, that there is no other
/// PMU, and that every box counts its own traffic. The kernel has started CPUs of these packages.
fn boxes_are_right(session: &mut Session, shape: &Shape, started: &[u8]) {
    let others = Platform::current().other_pmus();
    let mut pmus: BTreeMap<_, _> = others.map(|pmu| (pmu, started.to_vec())).collect();
    let mut wanted: BTreeMap<Vec<u8>, Vec<Wanted>> = BTreeMap::new();
    for kind in BoxKind::all() {
        for instance in 0..shape.most(kind) {
            let mut packages = shape.having(kind, instance);
            packages.retain(|package| started.contains(package));
            if !packages.is_empty() {
                pmus.insert(kind.pmu(instance), packages.clone());
                let together = wanted.entry(packages).or_default();
                together.push(sample(kind, instance).into());
            }
        }
    }
    assert_eq!(session.packages_of_pmus(), pmus);
    for (packages, wanted) in wanted {
        session.counts(BURST, &packages, &wanted);
    }
}

fn every_box_counts(config: &Config) {
    let shape = Shape::of(config);
    on_new(config, |session| {
        boxes_are_right(session, &shape, &shape.packages());
    });
}

#[test]
fn the_usual_machine() {
    platforms!(each);
    let shape = Shape::of(&Config::default());
    on(&Config::default(), |session| {
        boxes_are_right(session, &shape, &shape.packages());
    });
}

#[test]
fn four_packages() {
    platforms!();
    every_box_counts(&machine(&[("packages", "4"), ("cores", "1")]));
}

/// No CPU of package 1 is started at boot. The kernel's data of such a CPU is zero, and the
/// register has another number of C-Boxes than there are.
#[test]
fn a_package_whose_cpus_come_later() {
    platforms!();
    let config = Config {
        append: "maxcpus=2".to_owned(),
        ..machine(&[("cboxes", "2:5"), ("numc", "8")])
    };
    let shape = Shape::of(&config);
    on_new(&config, |session| {
        boxes_are_right(session, &shape, &[0]);
        let channel = Probe::imc(0, "clockticks").open("event", 3);
        assert_eq!(session.perf_open(&[channel]), ["event ENODEV"]);
        let last = session.rejections().pop().unwrap_or_default();
        let words = ["imc_0: ", "package 1", "no CPU of the package is online"];
        assert!(words.iter().all(|word| last.contains(word)), "{last}");
        session.ok(&[3, 2].map(|cpu| switch(cpu, true)).join(" && "));
        boxes_are_right(session, &shape, &[0, 1]);
        let log = session.ok("dmesg");
        assert!(!log.contains("belongs to no package"), "{log}");
    });
}

#[test]
fn an_isolated_cpu() {
    is_kept_for_programs("isolcpus=2");
}

/// Tests that CPU 2, the first of package 1, counts only while there is no other, since this
/// option of the kernel keeps it for programs.
pub(crate) fn is_kept_for_programs(option: &str) {
    let config = Config {
        append: option.to_owned(),
        ..Config::default()
    };
    let shape = Shape::of(&config);
    on_new(&config, |session| {
        let pmu = BoxKind::Cbox.pmu(0);
        assert_eq!(session.cpumask(&pmu), [0, 3]);
        boxes_are_right(session, &shape, &[0, 1]);
        let probe = Probe::cbox(0, "misc.started");
        let each = probe.count(1, BURST);
        let burst = format!("burst {BURST}");
        let answers = session.perf_open(&[
            probe.open("event", 2),
            burst.clone(),
            format!("run {}", switch(3, false)),
            burst.clone(),
            "read event".to_owned(),
            format!("run {}", switch(3, true)),
            burst,
            "read event".to_owned(),
        ]);
        assert_eq!(
            reads(&answers, "event"),
            [2, 3].map(|times| Some(times * each))
        );
        assert_eq!(session.cpumask(&pmu), [0, 3]);
        session.ok(&switch(3, false));
        assert_eq!(session.cpumask(&pmu), [0, 2]);
        boxes_are_right(session, &shape, &[0, 1]);
    });
}

#[test]
fn an_x2apic_machine_with_two_threads_per_core() {
    platforms!();
    every_box_counts(&Config {
        x2apic: true,
        ..machine(&[("smt", "2")])
    });
}

/// Three bits cannot distinguish more than eight NUMA nodes: the driver uses the node
/// that firmware gives for a bus, and ignores registers that make no sense.
#[test]
fn more_than_eight_numa_nodes() {
    every_box_counts(&machine(&[("spare-nodes", "8"), ("nodes", "5:5")]));
}
