// SPDX-License-Identifier: GPL-2.0

//! Values of the base register.

use kernel::prelude::kunit_tests;

#[kunit_tests(uncore_linux_memory)]
mod suite {
    use super::super::parse;
    use kernel::prelude::*;

    #[test]
    fn a_base_register_has_an_enable_bit_and_the_address_of_a_page() {
        assert_eq!(parse(0xfed1_0001), Ok(0xfed1_0000));
        assert_eq!(parse(0x12_3456_7fff), Ok(0x12_3456_7000));
    }

    #[test]
    fn a_function_that_decodes_nothing_has_no_memory() {
        assert_eq!(parse(0), Err(ENXIO));
        assert_eq!(parse(0xfed1_0000), Err(ENXIO));
    }

    #[test]
    fn address_0_is_no_memory_of_a_function() {
        assert_eq!(parse(1), Err(EINVAL));
        assert_eq!(parse(0xfff), Err(EINVAL));
    }
}
