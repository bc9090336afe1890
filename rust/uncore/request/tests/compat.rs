// SPDX-License-Identifier: GPL-2.0

//! Words of tools that know the in-tree driver: what is left out of them, and what is refused all
//! equal.

use kernel::prelude::*;

#[kunit_tests(uncore_event_compat)]
mod suite {
    use super::super::{
        super::compat::cleaned,
        *, //
    };
    use crate::uncore::testing::*;

    const RESET: u64 = 1 << 17;
    const WHO: u64 = 3;
    const STATE: u64 = 1 << 8;
    const NODE: u64 = 1 << 32;
    const OPCODE: u64 = 0x80 << 48;
    const ALL: u64 = WHO | STATE | NODE | OPCODE;

    /// Returns the sentence with which the parser refuses the words that are left, or no text.
    fn verdict_cleaned(kind: &'static BoxType, words: &Words) -> Result<Text> {
        verdict(kind, &cleaned(kind, words))
    }

    #[test]
    fn bits_that_the_driver_sets_are_left_out() -> Result {
        for config in [0, 0x0104_0000, 0x0111, 0xff, 0xfe] {
            for set in [ENABLE, RESET, ENABLE | RESET] {
                let given = words(config | set, 0);
                assert_eq!(cleaned(&KIND, &given), words(config, 0));
                assert_eq!(verdict_cleaned(&KIND, &given)?.as_str(), "");
            }
        }
        assert_eq!(cleaned(&TELLING, &words(ENABLE | TELL, 0)), words(0, 0));
        let enabled = words(0x102 | u64::from(gate::ENABLE), 0);
        assert_eq!(cleaned(&GATE, &enabled), words(0x102, 0));
        Ok(())
    }

    #[test]
    fn filters_that_an_event_does_not_take_are_left_out() -> Result {
        #[rustfmt::skip]
        let rows = [
            // config, the filters of it
            (0x0000_0000, 0),
            (0x0008_0000, WHO),
            (0x0000_0111, 0),
            (0x0000_031b, 0),
            (0x0000_431b, NODE),
            (0x0000_0334, STATE),
            (0x0000_2134, STATE | NODE),
            (0x0000_4334, STATE | NODE),
            (0x0008_4334, WHO | STATE | NODE),
            (0x0000_0135, OPCODE),
            (0x0000_0835, 0),
            (0x0000_4135, NODE | OPCODE),
            (0x0000_00ff, 0),
        ];
        for (config, filters) in rows {
            let given = words(config | ENABLE, ALL);
            assert_eq!(cleaned(&KIND, &given), words(config, filters));
            assert_eq!(verdict_cleaned(&KIND, &given)?.as_str(), "");
        }
        Ok(())
    }

    #[test]
    fn all_words_of_filters_are_looked_at() {
        let given = Words {
            config: ENABLE,
            config1: 1 << 5,
            config2: 1 << 5,
            ..Words::default()
        };
        assert_eq!(cleaned(&LINK, &given), Words::default());
    }

    #[test]
    fn what_asks_for_something_else_is_refused() -> Result {
        #[rustfmt::skip]
        const ROWS: &[(u64, u64, &str)] = &[
            (1 << 16, 0, "config has bits that belong to no field (0x10000)"),
            (1 << 20, 0, "config has bits that belong to no field (0x100000)"),
            (1 << 23, 0, "config has bits that belong to no field (0x800000)"),
            (1 << 32, 0, "config has bits that belong to no field (0x100000000)"),
            (0, 0x20, "config1 has bits that belong to no field (0x20)"),
            (0x77, ALL, "there is no event 0x77"),
            (0x11, ALL, "queue needs umask: 0 selects nothing"),
            (0x0135, ALL & !OPCODE, "insert.opcode needs a value for filter_opcode other than 0"),
            (0x0135, 1 << 56, "filter_opcode must be 0x80 or more"),
            (0x1ff, ALL, "ticks is a fixed counter, which takes no other field, and umask is set"),
        ];
        for &(config, config1, sentence) in ROWS {
            let given = words(config | ENABLE, config1);
            assert_eq!(verdict_cleaned(&KIND, &given)?.as_str(), sentence);
        }
        Ok(())
    }
}
