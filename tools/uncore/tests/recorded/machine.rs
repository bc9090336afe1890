// SPDX-License-Identifier: GPL-2.0

//! The machine as a recording of counts describes it.

use uncore::system::System;
use uncore_metrics::recording::Machine;

use crate::recording::Recording;

fn machine(recording: &Recording) -> Machine {
    let system = System::with_pmus(&recording.path("")).expect("a system");
    system.machine().expect("a machine")
}

#[test]
fn it_has_the_boxes_of_each_package() {
    for recording in Recording::of_all_processors() {
        let machine = machine(&recording);
        let topology = recording.run(&["topology"]).text;
        let platform = &machine.platform;
        assert!(!machine.packages.is_empty(), "{platform}");
        for package in &machine.packages {
            assert!(!package.boxes.is_empty(), "{platform}");
            for name in &package.boxes {
                assert!(topology.contains(name), "{platform}: {name}");
            }
        }
        // No clock of a machine that runs this is so far behind.
        assert!(machine.start > 1_700_000_000, "{platform}");
    }
}

#[test]
fn it_tells_what_is_missing() {
    let machine = machine(&Recording::hidden());
    let [first, second] = machine.packages.as_slice() else {
        panic!("{machine:?}");
    };
    assert_eq!((first.number, second.number), (0, 1));
    let imc = first
        .missing
        .iter()
        .find(|missing| missing.boxes == "imc_0-3");
    let reason = "no PCI function of it, so firmware hides it or the part lacks it";
    assert_eq!(imc.map(|imc| imc.reason.as_str()), Some(reason));
    let note = format!("package 1 has no filters of qpi_0: {reason}");
    assert!(machine.notes.contains(&note), "{:?}", machine.notes);
}

#[test]
fn without_debugfs_it_says_so() {
    let recording = Recording::two_packages();
    recording.remove("sys/kernel/debug/uncore_rs");
    let machine = machine(&recording);
    let [first, second] = machine.packages.as_slice() else {
        panic!("{machine:?}");
    };
    assert_eq!((first.number, second.number), (0, 1));
    let note = "missing boxes are not known: debugfs has no topology";
    assert!(machine.notes[0].starts_with(note), "{:?}", machine.notes);
}
