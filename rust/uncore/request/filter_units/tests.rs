// SPDX-License-Identifier: GPL-2.0

//! Filter units that are in use one set at a time, and what a conflict tells.

use kernel::prelude::*;

#[kunit_tests(uncore_filter)]
mod suite {
    use super::super::*;
    use crate::uncore::testing::*;
    use kernel::prelude::*;

    fn used(units: &[(u8, u64)]) -> FilterUse {
        let mut used = FilterUse::default();
        for &(unit, value) in units {
            let copy = unit;
            used.add(&UsedUnit { unit, copy, value });
        }
        used
    }

    #[test]
    fn units_of_one_criterion_are_the_same_units() -> Result {
        const BOTH: u32 = 1 << WHO | 1 << STATE;
        let first = used(&[(WHO, 3), (STATE, 0x100)]);
        #[rustfmt::skip]
        let rows: [(&[(u8, u64)], u32); 6] = [
            (&[],                         0),
            (&[(WHO, 4), (STATE, 0)],     0),
            (&[(STATE, 0), (WHO, 3)],     0),
            (&[(WHO, 3)],                 1 << WHO),
            (&[(NODE, 0)],                1 << NODE),
            (&[(WHO, 3), (STATE, 0x100), (NODE, 0)], BOTH | 1 << NODE),
        ];
        for (second, wanted) in rows {
            let expected = (wanted != 0).then_some(OtherCriterion { has: BOTH, wanted });
            let second = used(second);
            assert_eq!(second.other_criterion(&first), expected);
            let mut filters = Filters::default();
            assert_eq!(filters.other_criterion(&second), None);
            filters.take(&first);
            assert_eq!(filters.other_criterion(&second), expected);
            filters.release(&first);
            assert_eq!(filters.other_criterion(&second), None);
        }
        Ok(())
    }

    #[test]
    fn a_conflict_tells_both_values() -> Result {
        let mut filters = Filters::default();
        filters.take(&used(&[(NODE, 1 << 32)]));
        let conflict = filters.conflict(&used(&[(NODE, 2 << 32)])).ok_or(EINVAL)?;
        assert_eq!((conflict.has, conflict.wanted), (1 << 32, 2 << 32));
        Ok(())
    }
}
