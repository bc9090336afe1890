// SPDX-License-Identifier: GPL-2.0

//! Parameters, and the names that come of them.

use kernel::prelude::*;

#[kunit_tests(uncore_options)]
mod suite {
    use super::super::super::testing::{
        platform::{
            link::LINK,
            power::POWER,
            MADE_UP, //
        },
        KIND, //
    };
    use super::super::*;

    fn options(alias: &str, names: &str) -> Result<Options> {
        let [alias, names] = [alias, names].map(|text| BStr::from_bytes(text.as_bytes()));
        Options::new(false, alias, names)
    }

    #[test]
    fn what_is_no_choice_fails() -> Result {
        #[rustfmt::skip]
        let rows = [
            ("safe",  "native", true),
            ("all",   "native", true),
            ("none",  "native", true),
            ("safe",  "compat", true),
            ("",      "native", false),
            ("Safe",  "native", false),
            ("safe ", "native", false),
            ("1",     "native", false),
            ("safe",  "",       false),
            ("safe",  "safe",   false),
            ("wrong", "wrong",  false),
        ];
        for (alias, names, legal) in rows {
            let read = options(alias, names);
            assert_eq!((alias, names, read.is_ok()), (alias, names, legal));
            assert!(legal || read == Err(EINVAL));
        }
        Ok(())
    }

    #[test]
    fn an_alias_is_for_those_it_does_no_harm_to() -> Result {
        // One with built-in events that are right, and one without.
        assert!(KIND.builtin_events && !LINK.builtin_events);
        #[rustfmt::skip]
        let rows = [
            ("safe", "native", [true,  false]),
            ("all",  "native", [true,  true]),
            ("none", "native", [false, false]),
            ("safe", "compat", [false, false]),
            ("all",  "compat", [false, false]),
        ];
        for (alias, names, shown) in rows {
            let options = options(alias, names)?;
            assert_eq!([&KIND, &LINK].map(|kind| options.has_alias(kind)), shown);
        }
        Ok(())
    }

    #[test]
    fn names_are_the_platforms_or_the_in_tree_drivers() -> Result {
        let link = BoxName {
            kind: &LINK,
            index: 1,
        };
        let power = BoxName {
            kind: &POWER,
            index: 0,
        };
        let rows = [
            ("native", link, "madeup_uncore_link_1"),
            ("native", power, "madeup_uncore_power"),
            ("compat", link, "uncore_link_1"),
            ("compat", power, "uncore_power"),
        ];
        for (names, of, expected) in rows {
            let name = options("safe", names)?.pmu_name(&MADE_UP, &of)?;
            assert_eq!(name.to_bytes(), expected.as_bytes());
        }
        Ok(())
    }
}
