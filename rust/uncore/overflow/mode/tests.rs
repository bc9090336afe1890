// SPDX-License-Identifier: GPL-2.0

//! The words of the parameter.

use kernel::prelude::kunit_tests;

#[kunit_tests(uncore_overflow_mode)]
mod suite {
    use super::super::*;

    #[test]
    fn the_parameter_has_three_words() {
        assert_eq!(Choice::of(b"auto"), Some(Choice::Auto));
        assert_eq!(Choice::of(b"pmi"), Some(Choice::Interrupt));
        assert_eq!(Choice::of(b"poll"), Some(Choice::Poll));
        for wrong in [&b""[..], b"PMI", b"pmi ", b"1", b"autopmi"] {
            assert!(Choice::of(wrong).is_none());
        }
    }
}
