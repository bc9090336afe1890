// SPDX-License-Identifier: GPL-2.0

//! Values of the parameter.

use kernel::prelude::kunit_tests;

#[kunit_tests(uncore_overflow_mode)]
mod suite {
    use super::super::*;

    #[test]
    fn the_parameter_has_three_words() {
        assert_eq!(OverflowOption::of(b"auto"), Some(OverflowOption::Auto));
        assert_eq!(OverflowOption::of(b"pmi"), Some(OverflowOption::Interrupt));
        assert_eq!(OverflowOption::of(b"poll"), Some(OverflowOption::Poll));
        for wrong in [&b""[..], b"PMI", b"pmi ", b"1", b"autopmi"] {
            assert!(OverflowOption::of(wrong).is_none());
        }
    }
}
