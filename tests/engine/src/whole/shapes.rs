// SPDX-License-Identifier: GPL-2.0

//! Machines of other shapes than the usual one (`tests/data/PLATFORM/machines.csv`): more and fewer
//! packages, C-Boxes that differ between packages, other bus and node numbers, functions that firmware
//! hides, larger and smaller parts, machines that people have listed. On each, every box has its PMU,
//! which counts its own traffic in the packages that have the box and in no other, and there is no
//! other PMU.

use super::*;
use std::collections::{BTreeMap, BTreeSet};
use uncore_catalogue::Facts;
use uncore_e2e::{
    fixture::sample,
    prelude::{BoxKind, Config, Platform, Probe, Processor, Shape},
};

/// The packages that have each box.
type Boxes = BTreeMap<(BoxKind, u8), Vec<u8>>;

/// Returns the boxes of a public listing, `cbox_0-7 ha_0 pcu`, in these packages.
fn listed(listing: &str, packages: &[u8]) -> Boxes {
    let of_word = |word: &str| {
        let (unit, numbers) = word.split_once('_').unwrap_or((word, "0"));
        let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
        let [first, last] = [first, last].map(|number| number.parse::<u8>().expect("a number"));
        let kind = BoxKind::all().find(|kind| kind.unit() == unit);
        let kind = kind.expect("a type of box");
        (first..=last).map(move |instance| (kind, instance))
    };
    let boxes = listing.split(' ').flat_map(of_word);
    boxes.map(|one| (one, packages.to_vec())).collect()
}

/// Returns the boxes of a machine without those that are `missing`.
fn remaining(shape: &Shape, missing: &str) -> Boxes {
    let mut boxes = Boxes::new();
    for kind in BoxKind::all() {
        for instance in 0..shape.most(kind) {
            let is_gone = |package| {
                let own = format!("{}:{package}", kind.box_name(instance));
                let with_others = format!("pci:{package}");
                let is_function = kind.function(instance).is_some();
                let mut words = missing.split(' ');
                words.any(|word| word == own || is_function && word == with_others)
            };
            let mut packages = shape.having(kind, instance);
            packages.retain(|&package| !is_gone(package));
            boxes.insert((kind, instance), packages);
        }
    }
    boxes.retain(|_, packages| !packages.is_empty());
    boxes
}

/// Returns an event of a box. The matches of QPI are among what firmware hides on real machines.
fn event(options: &str, kind: BoxKind, instance: u8) -> Probe {
    match kind {
        BoxKind::Qpi if options.starts_with("shape=") => Probe::qpi(instance, "txl_flits_g0.data"),
        _ => sample(kind, instance),
    }
}

fn check(processor: Processor, options: &str, boxes: &str) {
    let platform = Config::default().with("platform", processor.name());
    let config = options.split(',').fold(platform, |config, option| {
        let (name, value) = option.split_once('=').expect("a value");
        config.with(name, value)
    });
    let shape = Shape::of(&config);
    let boxes = match options.starts_with("shape=") {
        true => listed(boxes, &shape.packages()),
        false => remaining(&shape, boxes),
    };
    with_driver(&config.machine_word(), "auto", |host| {
        let mut pmus: BTreeSet<String> = boxes.keys().map(|(kind, n)| kind.pmu(*n)).collect();
        pmus.extend(Platform::current().other_pmus());
        pmus.iter().for_each(|pmu| drop(known(pmu)));
        assert_eq!(plain(&host.pmus).len(), pmus.len(), "{options}");
        let package = |cpu| host.place(cpu).package;
        let firsts: BTreeMap<u8, u32> = (0..host.cpus())
            .rev()
            .map(|cpu| (package(cpu), cpu))
            .collect();
        let mut opened = Vec::new();
        for ((kind, instance), packages) in &boxes {
            let probe = event(options, *kind, *instance);
            for (package, cpu) in &firsts {
                let event = try_probe(&probe, *cpu, None);
                let refusal = (!packages.contains(package)).then_some(ENODEV);
                assert_eq!(
                    event.as_ref().err().copied(),
                    refusal,
                    "{options}: {probe:?}"
                );
                opened.extend(event.map(|event| (event, probe.clone(), *package)));
            }
        }
        host.traffic(BURST);
        for (event, probe, package) in &opened {
            let right = probe.count(*package, BURST);
            assert_eq!(event.read(), right, "{options}: {probe:?} of {package}");
        }
    });
}

#[test]
fn each_box_has_its_pmu_and_counts_its_own_traffic() {
    for processor in Processor::ALL {
        let all = Facts::of(processor.platform().name()).machines.iter();
        for machine in all.filter(|machine| machine.processor == processor.name()) {
            processor.on(|| check(processor, &machine.options, &machine.boxes));
        }
    }
}
