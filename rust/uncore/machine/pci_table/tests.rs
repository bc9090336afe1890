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
    use kernel::prelude::*;

    #[test]
    fn a_box_and_its_filters_are_both_bound() -> Result {
        assert!(ids(&MADE_UP).eq([0x7032, 0x7086, 0x7033, 0x7096]));
        let expected = [
            "link_0",
            "the filter function of link_0",
            "link_1",
            "the filter function of link_1",
        ];
        for (row, expected) in rows(&MADE_UP).zip(expected) {
            assert_eq!(printed(fmt!("{}", row.part_name()))?.as_str(), expected);
            let function = if row.part == Part::Box { 2 } else { 6 };
            assert_eq!((row.device, row.function), (8 + row.name.index, function));
        }
        Ok(())
    }
}
