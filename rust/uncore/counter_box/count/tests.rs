// SPDX-License-Identifier: GPL-2.0

//! Accesses that a read of two halves takes, and its errors.

use kernel::prelude::*;

#[kunit_tests(uncore_count)]
mod suite {
    use super::super::{
        super::bus::fake::Halves, //
        *,
    };

    #[test]
    fn halves_take_two_accesses_where_no_carry_is_near() -> Result {
        // Start value, number of accesses.
        let rows = [
            (0, 2),
            ((1 << 31) - 1, 2),
            (1 << 31, 3),
            ((1 << 32) - 1, 5),
            (1 << 32, 2),
        ];
        for (start, accesses) in rows {
            let halves = Halves::new(start, 1);
            read_halves(|| halves.low(), || halves.high())?;
            assert_eq!((start, halves.accesses()), (start, accesses));
        }
        Ok(())
    }

    #[test]
    fn halves_give_up_and_pass_errors_on() -> Result {
        let mut next = 0x9000_0000_u32;
        let falling = || {
            next -= 1;
            Ok(next)
        };
        assert_eq!(read_halves(falling, || Ok(0)), Err(EIO));
        assert_eq!(read_halves(|| Err(ENODEV), || Ok(0)), Err(ENODEV));
        assert_eq!(read_halves(|| Ok(0), || Err(ENODEV)), Err(ENODEV));
        Ok(())
    }
}
