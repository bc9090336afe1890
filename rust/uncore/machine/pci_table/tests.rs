// SPDX-License-Identifier: GPL-2.0

//! The functions that are bound, and the box of each.

use kernel::prelude::*;

#[kunit_tests(uncore_functions)]
mod suite {
    use super::super::*;
    use crate::uncore::{
        request::reject::tests::printed,
        testing::platform::MADE_UP, //
    };

    #[test]
    fn a_box_and_its_filters_are_both_bound() -> Result {
        let expected = [
            (0x7032, "link_0"),
            (0x7086, "the filter function of link_0"),
            (0x7033, "link_1"),
            (0x7096, "the filter function of link_1"),
        ];
        let mut bound = expected.iter();
        each_id(&MADE_UP, &mut |id| {
            assert_eq!(bound.next().map(|(expected, _)| *expected), Some(id));
            Ok(())
        })?;
        assert!(bound.next().is_none());
        for (id, expected) in expected {
            // A place of no box.
            let row = find(&MADE_UP, id, (0, 0)).ok_or(ENODEV)?;
            assert_eq!(printed(fmt!("{}", row.part_name()))?.as_str(), expected);
            let function = if row.part == Part::Box { 2 } else { 6 };
            assert_eq!((row.device, row.function), (8 + row.name.index, function));
        }
        assert!(find(&MADE_UP, 0x7034, (8, 2)).is_none());
        Ok(())
    }

    #[test]
    fn the_place_tells_the_boxes_of_a_type_apart() -> Result {
        for (id, place, expected) in [
            (0x7032, (8, 2), "link_0"),
            (0x7032, (9, 2), "link_1"),
            (0x7033, (8, 2), "link_0"),
            (0x7096, (8, 6), "the filter function of link_0"),
            // The place of the other function of the box.
            (0x7033, (8, 6), "link_1"),
        ] {
            let row = find(&MADE_UP, id, place).ok_or(ENODEV)?;
            assert_eq!(printed(fmt!("{}", row.part_name()))?.as_str(), expected);
        }
        Ok(())
    }
}
