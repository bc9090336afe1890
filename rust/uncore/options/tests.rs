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

    /// Texts that choose the defaults, and the place of each.
    const DEFAULTS: [&str; 5] = ["safe", "native", "auto", "end", "one"];
    const ALIAS: usize = 0;
    const NAMES: usize = 1;
    const OVERFLOW: usize = 2;
    const TAMPER: usize = 3;
    const FILTERS: usize = 4;

    fn made_of(texts: [&str; 5]) -> Result<Options> {
        let [alias, names, overflow, tamper, filters] =
            texts.map(|text| BStr::from_bytes(text.as_bytes()));
        Options::new(false, 5, alias, names, overflow, tamper, filters)
    }

    /// Returns the options with one text in place of the default.
    fn with(place: usize, text: &str) -> Result<Options> {
        let mut texts = DEFAULTS;
        texts[place] = text;
        made_of(texts)
    }

    fn options(alias: &str, names: &str) -> Result<Options> {
        made_of([alias, names, "auto", "end", "one"])
    }

    #[test]
    fn what_is_no_choice_fails() {
        #[rustfmt::skip]
        let rows: [(usize, &[&str]); 5] = [
            (ALIAS,    &["", "Safe", "safe ", "1", "wrong"]),
            (NAMES,    &["", "safe", "wrong"]),
            (OVERFLOW, &["", "PMI", "pmi ", "1", "autopmi", "no"]),
            (TAMPER,   &["none"]),
            (FILTERS,  &["two"]),
        ];
        for (place, wrong) in rows {
            for text in wrong {
                assert_eq!(with(place, text), Err(EINVAL));
            }
        }
    }

    #[test]
    fn choices_are_read() {
        #[rustfmt::skip]
        let overflows = [
            ("auto", OverflowOption::Auto),
            ("pmi",  OverflowOption::Interrupt),
            ("poll", OverflowOption::Poll),
        ];
        for (text, chosen) in overflows {
            assert_eq!(with(OVERFLOW, text).map(|of| of.overflow), Ok(chosen));
        }
        let tampers = [
            ("end", Tamper::End),
            ("warn", Tamper::Warn),
            ("off", Tamper::Off),
        ];
        for (text, chosen) in tampers {
            assert_eq!(with(TAMPER, text).map(|of| of.tamper), Ok(chosen));
        }
    }

    #[test]
    fn several_filters_are_for_boxes_that_may_have_one() {
        // One that may, and one that has several whatever the user chose.
        assert!(ONE_FILTER.one_criterion && !KIND.one_criterion);
        let names = |of: Options| [&ONE_FILTER, &KIND].map(|kind| of.filters.for_type(kind).name());
        let chosen = |text| with(FILTERS, text).map(names);
        assert_eq!(chosen("one"), Ok(["one", "several"]));
        assert_eq!(chosen("several"), Ok(["several", "several"]));
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
