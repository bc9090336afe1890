// SPDX-License-Identifier: GPL-2.0

//! Machines with one to eight packages, and machines with contradictory locators.

use kernel::prelude::*;

#[kunit_tests(uncore_discovery)]
mod suite {
    use super::super::*;

    const TABLE: Discovery = Discovery {
        device_id: 0x1234,
        node_id: 0x40,
        node_mask: 7,
        group_map: 0x54,
    };

    /// Groups 0 to 7 are nodes 0 to 7.
    const STRAIGHT: u32 = 0o76543210;

    const fn at(number: u8) -> PciBus {
        PciBus { domain: 0, number }
    }

    const fn locator(bus: u8, node: u32, map: u32) -> Locator {
        Locator {
            bus: at(bus),
            registers: Some((node, map)),
            numa_node: None,
        }
    }

    /// Makes a machine whose logical package numbers equal the physical ones.
    fn packages(
        count: u32,
    ) -> KernelTopology<impl Fn(u32) -> Option<u32>, impl Fn(u32) -> Option<u32>> {
        KernelTopology {
            package: move |group| (group < count).then_some(group),
            package_of_node: move |node| (node < count).then_some(node),
            nodes: count,
        }
    }

    /// Returns whether each of the buses belongs to the package given with it.
    fn agrees(locators: &[Locator], count: u32, expected: &[(u8, u32)]) -> Result<bool> {
        let buses = map(&TABLE, locators, &packages(count))?;
        let mut expected = expected.iter();
        Ok(expected.all(|&(bus, package)| buses.package(at(bus)) == Ok(package)))
    }

    #[test]
    fn usual_machines() -> Result {
        // Locators as (bus, node, map), then (bus, package).
        let one = [locator(0xff, 0, 0)];
        assert!(agrees(&one, 1, &[(0xff, 0), (0x00, 0), (0x7f, 0)])?);
        let two = [locator(0x7f, 0, 0o10), locator(0xff, 1, 0o10)];
        assert!(agrees(&two, 2, &[(0, 0), (0x7f, 0), (0x80, 1), (0xff, 1)])?);
        let four = [0x3f, 0x7f, 0xbf, 0xff];
        let mut locators = KVec::new();
        for (node, bus) in (0..).zip(four) {
            locators.push(locator(bus, node, 0o3210), GFP_KERNEL)?;
        }
        let expected = [
            (0, 0),
            (0x3f, 0),
            (0x40, 1),
            (0x7f, 1),
            (0x80, 2),
            (0xc0, 3),
            (0xff, 3),
        ];
        assert!(agrees(&locators, 4, &expected)?);
        let mut eight = KVec::new();
        for node in 0..8_u8 {
            let locator = locator(node * 0x20 + 0x1f, u32::from(node), STRAIGHT);
            eight.push(locator, GFP_KERNEL)?;
        }
        assert!(agrees(
            &eight,
            8,
            &[(0, 0), (0x1f, 0), (0x20, 1), (0xdf, 6), (0xe0, 7)]
        )?);
        Ok(())
    }

    #[test]
    fn odd_numberings() -> Result {
        // Nodes numbered against the groups, buses against both; upper register bits set.
        let crossed = [locator(0x7f, 0xffff_fff9, 0o01), locator(0xff, 0, 0o01)];
        assert!(agrees(
            &crossed,
            2,
            &[(0x00, 0), (0x7f, 0), (0x80, 1), (0xff, 1)]
        )?);
        let swapped = [locator(0x0a, 1, 0o10), locator(0x33, 0, 0o10)];
        assert!(agrees(
            &swapped,
            2,
            &[(0x05, 1), (0x0a, 1), (0x0b, 0), (0x33, 0)]
        )?);
        // Fields of the map that are not used are 0, like group 0.
        let sparse = [locator(0x7f, 5, 0o5), locator(0xff, 0, 0o5)];
        assert!(agrees(&sparse, 2, &[(0x7f, 0), (0xff, 1)])?);
        Ok(())
    }

    /// Nodes 0, 2, 4, ... are the first ones of the packages.
    #[test]
    fn groups_may_be_nodes_of_which_a_package_has_two() -> Result {
        for count in [1, 2, 4_u8] {
            let mut locators = KVec::new();
            for package in 0..count {
                let bus = package * 0x20 + 0x1f;
                let locator = locator(bus, u32::from(package) * 2, STRAIGHT);
                locators.push(locator, GFP_KERNEL)?;
            }
            let kernel = KernelTopology {
                package: |group| (group < u32::from(count)).then_some(group),
                package_of_node: |node| (node < 2 * u32::from(count)).then_some(node / 2),
                nodes: 2 * u32::from(count),
            };
            let buses = map(&TABLE, &locators, &kernel)?;
            for package in 0..count {
                let bus = at(package * 0x20 + 0x1f);
                assert_eq!(buses.package(bus), Ok(package.into()));
            }
        }
        Ok(())
    }

    /// Groups are packages, though each is two nodes, of which the second has no CPU yet.
    #[test]
    fn a_package_without_cpus_does_not_turn_groups_into_nodes() -> Result {
        let locators = [locator(0x7f, 0, 0o10), locator(0xff, 1, 0o10)];
        let kernel = KernelTopology {
            package: |group| (group == 0).then_some(0),
            package_of_node: |node| (node < 2).then_some(0),
            nodes: 4,
        };
        let buses = map(&TABLE, &locators, &kernel)?;
        assert_eq!(buses.package(at(0x7f)), Ok(0));
        let absent = UnmappedReason::NoPackage { group: 1 };
        assert_eq!(buses.package(at(0xff)), Err(absent));
        Ok(())
    }

    #[test]
    fn a_bus_above_all_locators_belongs_to_nobody() -> Result {
        let buses = map(&TABLE, &[locator(0x7f, 0, 0)], &packages(1))?;
        assert_eq!(buses.package(at(0x80)), Err(UnmappedReason::NoLocator));
        let elsewhere = PciBus {
            domain: 1,
            number: 0x10,
        };
        assert_eq!(buses.package(elsewhere), Err(UnmappedReason::NoLocator));
        let none = map(&TABLE, &[], &packages(1))?;
        assert_eq!(none.package(at(0)), Err(UnmappedReason::NoLocator));
        Ok(())
    }

    #[test]
    fn segments_are_apart() -> Result {
        let mut second = locator(0x7f, 1, 0o10);
        second.bus.domain = 1;
        let buses = map(&TABLE, &[locator(0x7f, 0, 0o10), second], &packages(2))?;
        let there = PciBus {
            domain: 1,
            number: 0x20,
        };
        assert_eq!(buses.package(at(0x20)), Ok(0));
        assert_eq!(buses.package(there), Ok(1));
        // Above the locator of its own segment.
        assert_eq!(buses.package(at(0x80)), Err(UnmappedReason::NoLocator));
        assert_eq!(buses.bus_of(1).map(|at| at.bus), Some(second.bus));
        assert!(buses.bus_of(2).is_none());
        Ok(())
    }

    #[test]
    fn nonsense_is_refused_and_not_inherited_around() -> Result {
        let duplicate = |other| UnmappedReason::Duplicate {
            other: at(other),
            package: 0,
        };
        let unreadable = Locator {
            registers: None,
            ..locator(0x7f, 0, 0)
        };
        let no_group = UnmappedReason::NoGroup { node: 3, map: 0o10 };
        // Locators, bus, reason why the bus belongs to no package.
        #[rustfmt::skip]
        let rows: [([Locator; 2], u8, UnmappedReason); 6] = [
            ([locator(0x7f, 0, 0o10), locator(0xff, 0, 0o10)], 0x7f, duplicate(0xff)),
            ([locator(0x7f, 0, 0o10), locator(0xff, 0, 0o10)], 0xff, duplicate(0x7f)),
            ([locator(0x7f, 0, 0o210), locator(0xff, 2, 0o210)], 0xff, UnmappedReason::NoPackage { group: 2 }),
            ([locator(0x7f, 3, 0o10), locator(0xff, 1, 0o10)], 0x7f, no_group),
            ([locator(0x7f, 3, 0o10), locator(0xff, 1, 0o10)], 0x00, no_group),
            ([unreadable, locator(0xff, 1, 0o10)], 0x40, UnmappedReason::Unreadable),
        ];
        for (locators, bus, fault) in rows {
            let buses = map(&TABLE, &locators, &packages(2))?;
            assert_eq!(buses.package(at(bus)), Err(fault));
            assert!(buses.unmapped().any(|(_, found)| found == fault));
        }
        Ok(())
    }

    #[test]
    fn many_nodes_are_told_apart_by_the_firmware() -> Result {
        let on = |bus, numa_node| Locator {
            numa_node,
            ..locator(bus, 0, 0)
        };
        let kernel = KernelTopology {
            nodes: 9,
            ..packages(9)
        };
        let locators = [
            on(0x3f, Some(8)),
            on(0x7f, Some(2)),
            on(0xbf, None),
            on(0xff, Some(20)),
        ];
        let buses = map(&TABLE, &locators, &kernel)?;
        assert_eq!(buses.package(at(0x3f)), Ok(8));
        assert_eq!(buses.package(at(0x40)), Ok(2));
        assert_eq!(buses.package(at(0xbf)), Err(UnmappedReason::NoNode));
        assert_eq!(buses.package(at(0xff)), Err(UnmappedReason::NoNode));
        Ok(())
    }
}
