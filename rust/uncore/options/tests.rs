// SPDX-License-Identifier: GPL-2.0

//! Parameters, and the names that come of them.

use kernel::prelude::*;

#[kunit_tests(uncore_options)]
mod suite {
    use super::super::*;
    use crate::uncore::{
        request::name::BoxName,
        testing::*, //
    };

    fn options(alias: &str, names: &str) -> Result<Options> {
        options_with(alias, names, "auto")
    }

    fn options_with(alias: &str, names: &str, overflow: &str) -> Result<Options> {
        made_of([alias, names, overflow, "end", "one"])
    }

    fn made_of(texts: [&str; 5]) -> Result<Options> {
        let [alias, names, overflow, tamper, filters] =
            texts.map(|text| BStr::from_bytes(text.as_bytes()));
        Options::new(false, 5, alias, names, overflow, tamper, filters)
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
    fn overflows_are_noticed_as_chosen() {
        let chosen = |text| options_with("safe", "native", text).map(|options| options.overflow);
        assert_eq!(chosen("auto"), Ok(OverflowOption::Auto));
        assert_eq!(chosen("pmi"), Ok(OverflowOption::Interrupt));
        assert_eq!(chosen("poll"), Ok(OverflowOption::Poll));
        assert_eq!(chosen("no"), Err(EINVAL));
    }

    #[test]
    fn tampering_is_treated_as_chosen() {
        let chosen = |text: &str| {
            made_of(["safe", "native", "auto", text, "one"]).map(|options| options.tamper)
        };
        assert_eq!(chosen("end"), Ok(Tamper::End));
        assert_eq!(chosen("warn"), Ok(Tamper::Warn));
        assert_eq!(chosen("off"), Ok(Tamper::Off));
        assert_eq!(chosen("none"), Err(EINVAL));
    }

    #[test]
    fn several_filters_are_for_boxes_that_may_have_one() {
        // One that may, and one that has several whatever the user chose.
        assert!(ONE_FILTER.one_criterion && !KIND.one_criterion);
        let chosen = |text: &str| {
            let options = made_of(["safe", "native", "auto", "end", text])?;
            Ok([&ONE_FILTER, &KIND].map(|kind| options.filters.for_type(kind).name()))
        };
        assert_eq!(chosen("one"), Ok(["one", "several"]));
        assert_eq!(chosen("several"), Ok(["several", "several"]));
        assert_eq!(chosen("two"), Err(EINVAL));
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
