// SPDX-License-Identifier: GPL-2.0

//! Which bits are found to keep what is written.

use kernel::prelude::*;

#[kunit_tests(uncore_box_kept)]
mod suite {
    use super::super::super::super::{
        bus::fake::Fake,
        testing::{
            platform::link::{
                LINK,
                MASK,
                MATCH, //
            },
            *,
        },
    };
    use super::super::super::{
        kept::Kept,
        *, //
    };

    /// Reset bits.
    const COUNTER_RESET: u32 = 1 << 17;
    const QUEUE_RESET: u32 = 1 << 16;

    #[test]
    fn all_is_compared_of_registers_that_keep_all() -> Result {
        let bus = Fake::new()?;
        let kept = Kept::find(&bus, &KIND, Reach::Own);
        assert_eq!(kept.control, !COUNTER_RESET);
        assert_eq!(kept.fixed, [u32::MAX, 0, 0, 0]);
        assert_eq!(kept.filters, [u32::MAX, u32::MAX, 0, 0]);
        assert_eq!(kept.box_control, 0x0003_0103);
        assert_eq!(kept.released, 0x0003_0000);
        Ok(())
    }

    #[test]
    fn what_acts_is_not_tried_and_registers_are_left_at_0() -> Result {
        let bus = Fake::new()?;
        let kept = Kept::find(&bus, &LINK, Reach::Own);
        assert_eq!(kept.control, !(COUNTER_RESET | QUEUE_RESET));
        let acts = u64::from(COUNTER_RESET | QUEUE_RESET) | ENABLE;
        let writes = bus.take_writes();
        assert!(writes.iter().all(|write| write.1 & acts == 0));
        let mut registers = LINK.counters.iter().map(|at| at.control);
        assert!(registers.all(|register| bus.get(register) == 0));
        assert_eq!([MATCH, MASK].map(|register| bus.get(register)), [0, 0]);
        Ok(())
    }

    #[test]
    fn bits_that_forget_or_stick_are_not_compared() -> Result {
        let bus = Fake::new()?;
        bus.narrow(FILTER[0], 8);
        bus.stick(1 << 3);
        let kept = Kept::find(&bus, &KIND, Reach::Own);
        // Bits 13:8 of the filter forget, bit 3 of all registers sticks.
        assert_eq!(kept.filters[0], !(0x3f << 8 | 1 << 3));
        assert_eq!(kept.control, !(COUNTER_RESET | 1 << 3));
        Ok(())
    }

    #[test]
    fn what_cannot_be_reached_is_not_compared() -> Result {
        let bus = Fake::new()?;
        bus.fail_after(0);
        let kept = Kept::find(&bus, &KIND, Reach::Own);
        assert_eq!((kept.control, kept.box_control), (0, 0));
        assert_eq!((kept.fixed, kept.filters), ([0; 4], [0; 4]));
        let bus = Fake::with_filters()?;
        let kept = Kept::find(&bus, &LINK, Reach::Missing);
        assert_eq!(kept.filters, [0; 4]);
        assert_eq!(bus.filters().reads(), 0);
        Ok(())
    }
}
