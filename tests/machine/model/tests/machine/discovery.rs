// SPDX-License-Identifier: GPL-2.0

//! Discovery of packages and buses by the rules of Documentation/hardware/ivbep.rst
//! section 2.

use std::collections::BTreeMap;

use uncore_machine::{Function, Machine, Topology};

fn machine(options: &str) -> Machine {
    Machine::new(Topology::parse(options).expect("the options are right"))
}

fn at(bus: u8, device: u8, function: u8) -> Function {
    Function {
        bus,
        device,
        function,
    }
}

/// Vendor and device ID, if a function answers.
fn id(machine: &mut Machine, at: Function) -> Option<u32> {
    machine.config_read(at, 0, 4).filter(|id| *id != u32::MAX)
}

/// Returns every function of the machine with its device ID, as a scan finds it:
/// behind a function 0 of a multi-function device.
fn scan(machine: &mut Machine) -> BTreeMap<(u8, u8, u8), u16> {
    let mut found = BTreeMap::new();
    for (bus, device) in (0..=255).flat_map(|bus| (0..32).map(move |device| (bus, device))) {
        if id(machine, at(bus, device, 0)).is_none() {
            continue;
        }
        let header = machine.config_read(at(bus, device, 0), 0x0e, 1);
        assert_eq!(header, Some(0x80), "{bus:x}:{device:x} is multifunction");
        for function in 0..8 {
            if let Some(id) = id(machine, at(bus, device, function)) {
                assert_eq!(id & 0xffff, 0x8086);
                found.insert((bus, device, function), (id >> 16) as u16);
            }
        }
    }
    found
}

/// Steps 1 to 4: the package of every bus, `None` where there is none.
fn map_buses(machine: &mut Machine) -> Vec<Option<u32>> {
    let mut map = vec![None; 256];
    let ubox = scan(machine).into_iter().filter(|(_, id)| *id == 0x0e1e);
    for ((bus, device, function), _) in ubox.collect::<Vec<_>>() {
        let at = at(bus, device, function);
        let node = machine.config_read(at, 0x40, 4).expect("it is there") & 7;
        let groups = machine.config_read(at, 0x54, 4).expect("it is there");
        let group = (0..8).find(|i| groups >> (3 * i) & 7 == node);
        map[usize::from(bus)] = group;
    }
    for bus in (0..255).rev() {
        map[bus] = map[bus].or(map[bus + 1]);
    }
    map
}

#[test]
fn buses_of_real_machines() {
    let cases: [(&str, &[u8], &[u8]); 4] = [
        ("packages=1", &[0x7f], &[0x00]),
        ("packages=2", &[0x7f, 0xff], &[0x00, 0x80]),
        (
            "packages=4",
            &[0x3f, 0x7f, 0xbf, 0xff],
            &[0x00, 0x40, 0x80, 0xc0],
        ),
        (
            "packages=8",
            &[0x1f, 0x3f, 0x5f, 0x7f, 0x9f, 0xbf, 0xdf, 0xff],
            &[0x00, 0x20, 0x40, 0x60, 0x80, 0xa0, 0xc0, 0xe0],
        ),
    ];
    for (options, uncore, iio) in cases {
        let mut machine = machine(options);
        let map = map_buses(&mut machine);
        for (package, (uncore, iio)) in (0..).zip(uncore.iter().zip(iio)) {
            assert_eq!(map[usize::from(*uncore)], Some(package), "{options}");
            assert_eq!(map[usize::from(*iio)], Some(package), "{options}");
            assert_eq!(id(&mut machine, at(*uncore, 11, 0)), Some(0x0e1e_8086));
            assert_eq!(
                id(&mut machine, at(*iio, 5, 6)),
                Some(0x0e39_8086),
                "the IRP"
            );
            assert_eq!(id(&mut machine, at(*uncore, 5, 6)), None);
        }
    }
}

#[test]
fn node_numbers_out_of_order() {
    for (nodes, expected) in [("1:0", [1, 0]), ("0:4", [0, 4]), ("7:2", [7, 2])] {
        let mut machine = machine(&format!("packages=2,nodes={nodes}"));
        let node = |machine: &mut Machine, bus| machine.config_read(at(bus, 11, 0), 0x40, 4);
        assert_eq!(node(&mut machine, 0x7f), Some(expected[0]));
        assert_eq!(node(&mut machine, 0xff), Some(expected[1]));
        let map = map_buses(&mut machine);
        assert_eq!([map[0x7f], map[0xff]], [Some(0), Some(1)], "{nodes}");
    }
}

#[test]
fn all_packages_have_one_map_with_every_node_once() {
    let mut machine = machine("packages=4,nodes=3:1:5:0");
    let maps = [0x3f, 0x7f, 0xbf, 0xff].map(|bus| machine.config_read(at(bus, 11, 0), 0x54, 4));
    assert!(maps.iter().all(|map| *map == maps[0]));
    let map = maps[0].expect("it is there");
    let mut nodes: Vec<u32> = (0..8).map(|i| map >> (3 * i) & 7).collect();
    assert_eq!(nodes[..4], [3, 1, 5, 0]);
    nodes.sort_unstable();
    assert_eq!(nodes, [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn odd_bus_numbers() {
    let mut machine = machine("packages=2,uncore-buses=20:55,iio-buses=1f:40");
    let map = map_buses(&mut machine);
    assert_eq!(
        [map[0x1f], map[0x20], map[0x40], map[0x55]],
        [Some(0), Some(0), Some(1), Some(1)]
    );
    assert_eq!(map[0x56], None, "above the last UBox");
    assert_eq!(id(&mut machine, at(0x1f, 5, 6)), Some(0x0e39_8086));
}

#[test]
fn eight_packages_have_all_eight_nodes() {
    let mut machine = machine("packages=8,cboxes=1:2:3:4:5:6:7:8");
    for (package, bus) in (0..8).zip((0x1f..=0xff).step_by(0x20)) {
        let ubox = at(bus, 11, 0);
        assert_eq!(machine.config_read(ubox, 0x40, 4), Some(package));
        assert_eq!(machine.config_read(ubox, 0x54, 4), Some(0o76_543_210));
    }
    machine.burst(1000);
    assert_eq!(machine.violations(), []);
}

#[test]
fn two_packages_that_claim_one_node() {
    // Both match the group of the first package: software does not notice this
    // mistake of firmware.
    let mut twins = machine("packages=2,nodes=1");
    let map = map_buses(&mut twins);
    assert_eq!([map[0x00], map[0x7f], map[0x80], map[0xff]], [Some(0); 4]);
    let mut twins = machine("packages=4,nodes=0:2:2:3");
    let map = map_buses(&mut twins);
    let uncore = [0x3f, 0x7f, 0xbf, 0xff].map(|bus| map[bus]);
    assert_eq!(uncore, [Some(0), Some(1), Some(1), Some(3)]);
}

#[test]
fn a_node_that_the_map_does_not_have() {
    let mut lost = machine("packages=2,nodes=0:5,gidnidmap=000008");
    let ubox = |bus| at(bus, 11, 0);
    assert_eq!(lost.config_read(ubox(0xff), 0x54, 4), Some(0o10));
    let map = map_buses(&mut lost);
    assert_eq!(map[0x7f], Some(0));
    assert_eq!([map[0x80], map[0xff]], [None; 2]);
    // The UBox of package 0 is lost: its buses count as those of the package above.
    let mut lost = machine("packages=2,nodes=5:1,gidnidmap=000008:fac688");
    assert_eq!(lost.config_read(ubox(0x7f), 0x54, 4), Some(0o10));
    assert_eq!(lost.config_read(ubox(0xff), 0x54, 4), Some(0xfa_c688));
    let map = map_buses(&mut lost);
    assert_eq!([map[0x00], map[0x7f], map[0xff]], [Some(1); 3]);
}

/// Absent on a real E5 v2: D5:F6, D8:F2, D9:F2, D8:F6, D9:F6, D19:F6.
const ABSENT: [(u8, u8); 6] = [(5, 6), (8, 2), (9, 2), (8, 6), (9, 6), (19, 6)];

#[test]
fn functions_that_firmware_hides() {
    let mut machine = machine("cores=4,hidden=05.6+08.2+09.2+08.6+09.6+13.6");
    let present = EP
        .into_iter()
        .filter(|(device, function, _)| !ABSENT.contains(&(*device, *function)));
    let present = sorted(present.collect());
    assert_eq!(present.len(), 23 - 5);
    for bus in [0x7f, 0xff] {
        assert_eq!(documented(&mut machine, bus), present);
    }
    for bus in [0x00, 0x80] {
        assert_eq!(documented(&mut machine, bus), []);
    }
    machine
        .command("show 80:05.6")
        .expect("it is the machine's");
    assert_eq!(documented(&mut machine, 0x80), [(5, 6, 0x0e39)]);
    assert_eq!(documented(&mut machine, 0x00), []);
}

#[test]
fn every_documented_function_can_be_hidden() {
    for (device, function, _) in EP.into_iter().chain(EX) {
        let mut machine = machine(&format!("cores=4,part=ex,hidden={device:02x}.{function}"));
        for bus in [0x7f, 0xff] {
            assert_eq!(id(&mut machine, at(bus, device, function)), None);
        }
    }
}

#[test]
fn a_function_of_one_package_can_be_hidden() {
    let mut machine = machine("cores=4,hidden=ff:0e.1+0b.0");
    assert_eq!(id(&mut machine, at(0x7f, 14, 1)), Some(0x0e30_8086));
    assert_eq!(id(&mut machine, at(0xff, 14, 1)), None);
    assert_eq!(map_buses(&mut machine), [None; 256], "no UBox at all");
}

/// The table of section 1 for the uncore bus: device, function, ID.
const EP: [(u8, u8, u16); 23] = [
    (8, 0, 0x0e80),
    (8, 2, 0x0e32),
    (8, 6, 0x0e86),
    (9, 2, 0x0e33),
    (9, 6, 0x0e96),
    (11, 0, 0x0e1e),
    (14, 1, 0x0e30),
    (16, 0, 0x0eb0),
    (16, 1, 0x0eb1),
    (16, 4, 0x0eb4),
    (16, 5, 0x0eb5),
    (19, 1, 0x0e34),
    (19, 5, 0x0e36),
    (19, 6, 0x0e37),
    (28, 1, 0x0e38),
    (30, 0, 0x0ef0),
    (30, 1, 0x0ef1),
    (30, 4, 0x0ef4),
    (30, 5, 0x0ef5),
    (12, 0, 0x0ee0),
    (13, 0, 0x0ee1),
    (12, 1, 0x0ee2),
    (13, 1, 0x0ee3),
];

const EX: [(u8, u8, u16); 4] = [
    (24, 0, 0x0e40),
    (24, 2, 0x0e3a),
    (24, 6, 0x0e46),
    (18, 5, 0x0e3e),
];

/// Returns the functions that a scan finds on a bus, without the filler functions
/// 0.
fn documented(machine: &mut Machine, bus: u8) -> Vec<(u8, u8, u16)> {
    let all = scan(machine)
        .into_iter()
        .filter(|((b, ..), id)| *b == bus && *id != 0x0eff);
    all.map(|((_, device, function), id)| (device, function, id))
        .collect()
}

fn sorted(mut list: Vec<(u8, u8, u16)>) -> Vec<(u8, u8, u16)> {
    list.sort_unstable();
    list
}

#[test]
fn functions_of_both_parts() {
    let mut ep = machine("cores=4");
    let mut ex = machine("cores=4,part=ex");
    for bus in [0x7f, 0xff] {
        assert_eq!(documented(&mut ep, bus), sorted(EP.to_vec()));
        assert_eq!(documented(&mut ex, bus), sorted([&EP[..], &EX].concat()));
    }
    for bus in [0x00, 0x80] {
        assert_eq!(documented(&mut ep, bus), [(5, 6, 0x0e39)]);
    }
}

#[test]
fn caching_agents_follow_the_cboxes() {
    for cboxes in 1..=15 {
        let mut machine = machine(&format!("packages=1,cores=15,cboxes={cboxes}"));
        let agents = documented(&mut machine, 0x7f).into_iter();
        let agents = agents
            .filter(|(device, ..)| matches!(device, 12 | 13))
            .collect();
        let expected = (0..cboxes).map(|n| match n % 2 {
            0 => (12, n / 2, 0x0ee0 + u16::from(n)),
            _ => (13, (n - 1) / 2, 0x0ee0 + u16::from(n)),
        });
        assert_eq!(sorted(agents), sorted(expected.collect()));
    }
}

#[test]
fn discovery_registers_are_read_only() {
    let mut machine = machine("nodes=1:0");
    let ubox = at(0x7f, 11, 0);
    machine.config_write(ubox, 0x40, 4, 0xffff_fff8);
    machine.config_write(ubox, 0x54, 4, 0);
    assert_eq!(machine.config_read(ubox, 0x40, 4), Some(1));
    // 1, 0, then the nodes left over: 2 to 7.
    assert_eq!(machine.config_read(ubox, 0x54, 4), Some(0o76_543_201));
    assert_eq!(machine.violations().len(), 2);
}
