// SPDX-License-Identifier: GPL-2.0

//! Names with exceptions: combined umasks, whole names, lists of counters.

use kernel::prelude::*;

#[kunit_tests(uncore_name)]
mod suite {
    use super::super::{
        super::reject::tests::printed, //
        *,
    };
    use crate::uncore::testing::*;
    use kernel::prelude::*;

    #[test]
    fn events_are_called_as_in_sysfs() -> Result {
        // The type, event select and umask, and their name.
        #[rustfmt::skip]
        let rows: [(&'static BoxType, u64, u8, &str); 9] = [
            (&KIND,  0x00,    0x00, "clock"),
            (&KIND,  0x11,    0x01, "queue.reads"),
            (&KIND,  0x11,    0x05, "queue (umask 0x05)"),
            (&LINK,  0x00,    0x00, "flits"),
            (&LINK,  0x00,    0x02, "flits.data"),
            (&LINK,  1 << 21, 0x01, "far.data"),
            (&LINK,  1 << 21, 0x02, "far_off"),
            (&POWER, 0x80,    0x02, "occupancy.asleep"),
            (&POWER, 0x80,    0x03, "occupancy (state 0x03)"),
        ];
        for (kind, select, umask, expected) in rows {
            let name = EventName {
                event: kind.event(select).ok_or(EINVAL)?,
                field: kind.umask_name(),
                umask,
            };
            assert_eq!(printed(fmt!("{name}"))?.as_str(), expected);
        }
        Ok(())
    }

    #[test]
    fn a_config_has_the_name_of_its_event() -> Result {
        #[rustfmt::skip]
        let rows: [(&'static BoxType, u64, &str); 6] = [
            (&KIND,  0x0104_0111,           "queue.reads"),
            (&KIND,  0xff,                  "ticks"),
            (&KIND,  0x7e,                  "an event"),
            (&LINK,  0x2100_0002_0001_0000, "flits"),
            (&LINK,  1 << 32 | 0x0020_0100, "far.data"),
            (&POWER, 0x8000_8080,           "occupancy.asleep"),
        ];
        for (kind, config, expected) in rows {
            let name = ConfigName { kind, config };
            assert_eq!(printed(fmt!("{name}"))?.as_str(), expected);
        }
        Ok(())
    }

    #[test]
    fn counters_are_listed_in_runs() -> Result {
        #[rustfmt::skip]
        let rows = [
            (0, ""), (1, "0"), (0b11, "0-1"), (0b1110, "1-3"), (0b101, "0,2"),
            (0b1101_1011, "0-1,3-4,6-7"), (0x80, "7"), (0xff, "0-7"),
        ];
        for (counters, expected) in rows {
            let list = CounterList(counters);
            assert_eq!(printed(fmt!("{list}"))?.as_str(), expected);
        }
        Ok(())
    }
}
