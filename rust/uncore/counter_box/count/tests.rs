// SPDX-License-Identifier: GPL-2.0

//! Increments at the edges of a counter, torn reads of two halves.

use kernel::prelude::*;

#[kunit_tests(uncore_count)]
mod suite {
    use super::super::{
        super::bus::fake::Halves, //
        *,
    };
    use crate::uncore::table::field::mask;

    #[test]
    fn delta_is_right_through_a_wrap() -> Result {
        const TOP: u64 = (1 << 44) - 1;
        // Last value, present value, width, increment.
        let rows = [
            (0, 0, 44, 0),
            (0, 1, 44, 1),
            (0, TOP, 44, TOP),
            (TOP, TOP, 44, 0),
            (TOP, 0, 44, 1),
            (TOP, TOP - 1, 44, TOP),
            (1, 0, 44, TOP),
            (TOP - 9, 10, 44, 20),
            // Bits above the width are ignored.
            (TOP, 1 << 44, 44, 1),
            (1 << 47, (1 << 46) + 5, 44, 5),
            (u64::MAX, 0, 48, 1),
            (0, u64::MAX, 64, u64::MAX),
            (u64::MAX, 0, 64, 1),
            (0, 1, 1, 1),
            (1, 0, 1, 1),
        ];
        for (last, now, width, far) in rows {
            assert_eq!(
                (last, now, width, delta(last, now, mask(width))),
                (last, now, width, far)
            );
        }
        Ok(())
    }

    /// Reads a running counter near a carry, from each start value and at each speed: the result is
    /// never below the value at the first access, nor above the value at the last access.
    #[test]
    fn halves_never_tear() -> Result {
        const CARRY: u64 = 1 << 32;
        for step in [0, 1, 255, 1 << 20, 1 << 29] {
            for offset in -4_i64..=4 {
                for around in [0, CARRY / 2, CARRY, CARRY * 7, (1 << 48) - CARRY] {
                    let start = around.wrapping_add_signed(offset) & ((1 << 48) - 1);
                    let halves = Halves::new(start, step);
                    let read = read_halves(|| halves.low(), || halves.high())?;
                    let end = start.wrapping_add(step * u64::from(halves.accesses()));
                    assert!(start <= read && read <= end);
                }
            }
        }
        Ok(())
    }

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
