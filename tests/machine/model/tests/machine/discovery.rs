// SPDX-License-Identifier: GPL-2.0

//! Discovery of packages and buses by the rules of Documentation/hardware/ivbep.rst
//! section 2.

use std::collections::BTreeMap;

use uncore_machine::{Function, Machine};

use crate::bench::{at, Bench};

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
fn each_bus_has_a_package() {
    // Options, buses, and their packages.
    for (options, buses, packages) in [
        ("packages=1", &[0x00_u8, 0x7f][..], &[Some(0), Some(0)][..]),
        (
            "packages=4",
            &[0x00, 0x3f, 0x40, 0x7f, 0x80, 0xbf, 0xc0, 0xff],
            &[0, 0, 1, 1, 2, 2, 3, 3].map(Some),
        ),
        (
            "packages=8",
            &[0x1f, 0x3f, 0x5f, 0x7f, 0x9f, 0xbf, 0xdf, 0xff],
            &[0, 1, 2, 3, 4, 5, 6, 7].map(Some),
        ),
        (
            "nodes=7:2",
            &[0x00, 0x7f, 0x80, 0xff],
            &[0, 0, 1, 1].map(Some),
        ),
        (
            "uncore-buses=20:55,iio-buses=1f:40",
            &[0x1f, 0x20, 0x40, 0x55, 0x56],
            &[Some(0), Some(0), Some(1), Some(1), None],
        ),
        // Both match the group of the first package: software does not notice this
        // mistake of firmware.
        ("nodes=1", &[0x00, 0x7f, 0x80, 0xff], &[Some(0); 4]),
        (
            "packages=4,nodes=0:2:2:3",
            &[0x3f, 0x7f, 0xbf, 0xff],
            &[0, 1, 1, 3].map(Some),
        ),
        // A node that the map does not have. Its buses count as those of the package above.
        (
            "nodes=0:5,gidnidmap=000008",
            &[0x7f, 0x80, 0xff],
            &[Some(0), None, None],
        ),
        (
            "nodes=5:1,gidnidmap=000008:fac688",
            &[0x00, 0x7f, 0xff],
            &[Some(1); 3],
        ),
        ("hidden=0b.0", &[0x00, 0x7f, 0xff], &[None; 3]),
    ] {
        let mut machine = Bench::new(options).machine;
        let map = map_buses(&mut machine);
        let found = buses.iter().map(|bus| map[usize::from(*bus)]);
        assert_eq!(found.collect::<Vec<_>>(), packages, "{options}");
    }
}

#[test]
fn all_packages_have_one_map_with_every_node_once() {
    let mut machine = Bench::new("packages=4,nodes=3:1:5:0").machine;
    let maps = [0x3f, 0x7f, 0xbf, 0xff].map(|bus| machine.config_read(at(bus, 11, 0), 0x54, 4));
    assert_eq!(maps, [Some(0o76_420_513_u32); 4]);
}

/// The functions of C-Boxes by number; those of 18 to 21 have no class on BDX.
#[test]
fn caching_agents_follow_the_cboxes() {
    for (options, first, place, most) in [
        (
            "packages=1,cores=15,cbox-mask=602d",
            0x0ee0,
            (|n| (12 + n % 2, n / 2)) as fn(u8) -> _,
            15,
        ),
        (
            "platform=bdx,packages=1,cbox-mask=3c002d",
            0x6fe0,
            |n| (12 + n / 8, n % 8),
            24,
        ),
    ] {
        let mut machine = Bench::new(options).machine;
        let there = machine.topology().packages[0].cbox_mask;
        for n in 0..most {
            let (device, function) = place(n);
            let read = |machine: &mut Machine, offset| {
                machine.config_read(at(0x7f, device, function), offset, 4)
            };
            let own = (u32::from(n) + first) << 16 | 0x8086;
            let is_there = there >> n & 1 == 1;
            assert_eq!(
                read(&mut machine, 0) == Some(own),
                is_there,
                "{options} {n}"
            );
            if is_there {
                let class = if n < 18 { 0x08_8000 } else { 0xff_ffff };
                assert_eq!(read(&mut machine, 8).map(|word| word >> 8), Some(class));
            }
        }
    }
}
