// SPDX-License-Identifier: GPL-2.0

//! Names of registers and boxes, and bits that may be written.

use crate::uncore::{
    table::prelude::*,
    testing::KIND, //
};
use kernel::prelude::*;

/// A register that only the survey knows, and bits of others.
static SURVEYED: &[Surveyed] = &[
    surveyed(KIND.name, "ctl", None, 1 << 31),
    surveyed(KIND.name, "ctr1", None, 1 << 60),
    surveyed(KIND.name, "hidden", Some(0x1f), 0b11),
    surveyed("other", "secret", Some(0x1e), 1),
];

#[kunit_tests(uncore_survey)]
mod suite {
    use super::{
        super::register::*,
        *, //
    };

    /// Returns the place of a register and its bits.
    fn found(name: &str) -> Option<(At, u64)> {
        find(&KIND, SURVEYED, name).map(|register| (register.at, register.bits))
    }

    #[test]
    fn a_register_has_a_name_and_bits() {
        let control = &KIND.control;
        let bits = u64::from(control.writable | control.acts | control.enable);
        let bits = bits | u64::from(control.queue_reset.unwrap_or(0)) | 1 << 31;
        for (name, at) in ["ctl0", "ctl1"].iter().zip(KIND.counters) {
            assert_eq!(found(name), Some((At::Word(at.control), bits)));
        }
        let whole = (1 << KIND.width) - 1;
        let [first, second] = [0, 1].map(|index: usize| KIND.counters[index].counter);
        assert_eq!(found("ctr0"), Some((At::Counter(first, whole), whole)));
        let more = whole | 1 << 60;
        assert_eq!(found("ctr1"), Some((At::Counter(second, more), more)));
        assert_eq!(found("hidden"), Some((At::Word(0x1f), 0b11)));
    }

    #[test]
    fn another_name_is_no_register() {
        for name in ["ctl", "ctl9", "ctlx", "secret", "hidden1", "", "ctl00x"] {
            assert_eq!(found(name), None);
        }
    }

    #[test]
    fn a_box_has_a_number_if_there_are_others() {
        let (single, several) = (
            BoxType {
                name: "unit",
                numbered: false,
                ..ORDINARY_BOX
            },
            BoxType {
                name: "unit",
                numbered: true,
                ..ORDINARY_BOX
            },
        );
        assert!(is_box("unit", &single, 0) && !is_box("unit_0", &single, 0));
        assert!(is_box("unit_3", &several, 3) && !is_box("unit_3", &several, 0));
        assert!(!is_box("unit", &several, 0) && !is_box("units_0", &several, 0));
    }

    #[test]
    fn a_line_has_at_most_four_words() {
        assert_eq!(words(" a  b "), [Some("a"), Some("b"), None, None, None]);
        assert!(words("a b c d e f")[4].is_some());
        assert_eq!(
            [number("0x1F"), number("31"), number("x")],
            [Some(31), Some(31), None]
        );
    }
}
