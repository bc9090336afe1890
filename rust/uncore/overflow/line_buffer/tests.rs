// SPDX-License-Identifier: GPL-2.0

//! Items that fit and items that do not.

use kernel::prelude::*;

#[kunit_tests(uncore_overflow_text)]
mod suite {
    use super::super::*;

    #[test]
    fn items_are_separated() -> Result {
        let mut text = KBox::init(LineBuffer::new(), GFP_KERNEL)?;
        assert_eq!(text.as_c_str(), c"");
        text.add(fmt!("one"));
        text.add(fmt!("t{}o", 'w'));
        assert_eq!(text.as_c_str(), c"one two");
        text.clear();
        text.add(fmt!("three"));
        assert_eq!(text.as_c_str(), c"three");
        Ok(())
    }

    #[test]
    fn what_does_not_fit_is_left_out_as_a_whole() -> Result {
        for length in 1..40 {
            let mut text = KBox::init(LineBuffer::new(), GFP_KERNEL)?;
            for _ in 0..SIZE {
                text.add(fmt!("{:0length$}", 7));
            }
            let bytes = text.as_c_str().to_bytes();
            assert!(bytes.len() < SIZE && bytes.len() > SIZE - 2 * (length + MORE.len()));
            assert!(bytes.ends_with(MORE.as_bytes()));
            let items = bytes.strip_suffix(MORE.as_bytes()).unwrap_or(&[]);
            assert_eq!((items.len() + 1) % (length + 1), 0);
        }
        Ok(())
    }
}
