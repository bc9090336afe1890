// SPDX-License-Identifier: GPL-2.0

//! The shape of the machine: cores and C-Boxes, and nothing on PCI.

use uncore_machine::{Rule, Topology};

use super::{usual, CONFIG};
use crate::bench::{uncore, Bench, IRP};

#[test]
fn no_pci_function() {
    let mut bench = usual();
    for at in [uncore(11, 0), uncore(16, 5), IRP] {
        assert_eq!(bench.machine.config_read(at, 0, 4), None);
        assert_eq!(bench.machine.config_write(at, 0, 4, 0), None);
        assert!(bench.machine.command(&format!("hide {at}")).is_err());
    }
    assert_eq!(bench.machine.topology().packages[0].buses, None);
}

#[test]
fn a_c_box_for_each_core() {
    for cores in 1..=4 {
        let mut bench = Bench::new(&format!("platform=snb,cores={cores}"));
        assert_eq!(
            bench.rd(0, CONFIG),
            u64::from(cores) + 1,
            "and the graphics"
        );
        for n in 0..4 {
            let faults = n >= cores;
            assert_eq!(bench.read_faults(0, 0x700 + 0x10 * n), Some(faults));
            assert_eq!(bench.write_faults(0, 0x706 + 0x10 * n), Some(faults));
            let broken = if faults {
                vec![(Rule::NoSuchBox, 0); 2]
            } else {
                vec![]
            };
            assert_eq!(bench.broken(), broken, "C-Box {n} of {cores}");
        }
        assert_eq!(bench.read_faults(0, 0x740), None, "there is no fifth");
    }
}

#[test]
fn the_number_of_c_boxes_can_be_wrong() {
    let mut bench = Bench::new("platform=snb,cores=4,cboxes=3,numc=0");
    assert_eq!(bench.rd(0, CONFIG), 0);
    assert_eq!(bench.read_faults(0, 0x720), Some(false));
    assert_eq!(bench.read_faults(0, 0x730), Some(true));
}

#[test]
fn options() {
    let refused = |option: &str| {
        let error = Topology::parse(&format!("platform=snb,{option}"));
        error.expect_err("a mistake").to_string()
    };
    for option in [
        "part=ex",
        "cbox-mask=1",
        "sboxes=4",
        "home-agents=1",
        "cluster-on-die=on",
        "uncore-buses=7f",
        "iio-buses=00",
        "nodes=0",
        "gidnidmap=0",
        "hidden=05.6",
        "dimms=01",
    ] {
        let (name, _) = option.split_once('=').expect("an option");
        assert_eq!(refused(option), format!("unknown option '{name}'"));
    }
    assert_eq!(
        refused("packages=2"),
        "packages: '2' is not 1 (this platform has no more)"
    );
    assert_eq!(refused("cores=5"), "cores: '5' is not a number from 1 to 4");
    assert_eq!(
        refused("numc=16"),
        "numc: '16' is not a number from 0 to 15"
    );
    assert_eq!(
        refused("imc=broken"),
        "imc: 'broken' is not on, disabled, unset or off"
    );
    let other = Topology::parse("platform=bdx,imc=off").expect_err("a mistake");
    assert_eq!(other.to_string(), "unknown option 'imc'");
    let topology = Topology::parse("platform=snb").expect("the default");
    assert_eq!(topology.packages.len(), 1);
    assert_eq!(topology.packages[0].cores, 2);
}
