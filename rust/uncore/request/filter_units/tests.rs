// SPDX-License-Identifier: GPL-2.0

//! Sharing of filter units and conflicts, unit by unit.

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
            used.add(&Used { unit, copy, value });
        }
        used
    }

    /// A second use of units, and the unit with the conflict.
    type Second = (&'static [(u8, u64)], Option<u8>);

    #[test]
    fn units_conflict_only_with_themselves_and_only_over_values() -> Result {
        let first = [(WHO, 3), (STATE, 0x100)];
        let rows: [Second; 8] = [
            (&[], None),
            (&[(WHO, 3)], None),
            (&[(WHO, 4)], Some(WHO)),
            (&[(WHO, 0)], Some(WHO)),
            (&[(STATE, 0x100), (NODE, 1 << 32)], None),
            (&[(STATE, 0x200), (NODE, 1 << 32)], Some(STATE)),
            (&[(NODE, 0)], None),
            (&[(WHO, 3), (STATE, 0)], Some(STATE)),
        ];
        for (second, unit) in rows {
            let mut filters = Filters::default();
            filters.take(&used(&first));
            let conflict = filters.conflict(&used(second));
            assert_eq!(conflict.map(|conflict| conflict.unit), unit);
        }
        Ok(())
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
    fn a_unit_is_free_again_after_its_last_user() -> Result {
        let (one, other) = (used(&[(WHO, 3)]), used(&[(WHO, 4)]));
        let mut filters = Filters::default();
        filters.take(&one);
        filters.take(&one);
        filters.release(&one);
        assert!(filters.conflict(&other).is_some());
        filters.release(&one);
        assert!(filters.conflict(&other).is_none());
        assert_eq!(filters, Filters::default());
        Ok(())
    }

    #[test]
    fn a_register_has_the_bits_of_all_units_in_use() -> Result {
        let (who, rest) = (used(&[(WHO, 3)]), used(&[(STATE, 0x300), (NODE, 7 << 32)]));
        let mut filters = Filters::default();
        filters.take(&who);
        filters.take(&rest);
        let values = |filters: &Filters| {
            let [low, high] = KIND.filters else {
                return [0; 2];
            };
            [low, high].map(|register| filters.register(&KIND, register))
        };
        assert_eq!(values(&filters), [0x303, 7]);
        filters.release(&rest);
        assert_eq!(values(&filters), [3, 0]);
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
