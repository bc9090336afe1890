// SPDX-License-Identifier: GPL-2.0

//! Probe of the register bits that read back as written.

use kernel::prelude::*;

#[kunit_tests(uncore_box_kept)]
mod suite {
    use crate::uncore::{
        counter_box::{
            bus::fake::{
                Fake,
                Write, //
            },
            readback::ReadbackMask, //
        },
        testing::{
            platform::link::{
                MASK,
                MATCH, //
            },
            *, //
        }, //
    };
    use kernel::prelude::*;

    /// Self-clearing reset bits.
    const COUNTER_RESET: u32 = 1 << 17;
    const QUEUE_RESET: u32 = 1 << 16;

    #[test]
    fn all_is_compared_of_registers_that_keep_all() -> Result {
        let bus = Fake::new()?;
        let masks = ReadbackMask::probe(&bus, &KIND, true);
        assert_eq!(masks.control, !COUNTER_RESET);
        assert_eq!(masks.fixed, [u32::MAX, 0, 0, 0]);
        assert_eq!(masks.filters, [u32::MAX, u32::MAX, 0, 0]);
        assert_eq!(masks.box_control, 0x0003_0103);
        assert_eq!(masks.unfrozen, 0x0003_0000);
        let is_control = |at: u16| at == FIXED_CONTROL || CONTROL.contains(&at);
        for Write(register, value) in bus.take_writes() {
            assert!(!is_control(register) || value & ENABLE == 0);
        }
        Ok(())
    }

    #[test]
    fn what_acts_is_not_tried_and_registers_are_left_at_0() -> Result {
        let bus = Fake::new()?;
        let masks = ReadbackMask::probe(&bus, &LINK, true);
        assert_eq!(masks.control, !(COUNTER_RESET | QUEUE_RESET));
        let self_clearing = u64::from(COUNTER_RESET | QUEUE_RESET) | ENABLE;
        let writes = bus.take_writes();
        assert!(writes.iter().all(|write| write.1 & self_clearing == 0));
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
        let masks = ReadbackMask::probe(&bus, &KIND, true);
        // Bits 13:8 of the filter register do not keep 1. Bit 3 of all registers reads as 1.
        assert_eq!(masks.filters[0], !(0x3f << 8 | 1 << 3));
        assert_eq!(masks.control, !(COUNTER_RESET | 1 << 3));
        Ok(())
    }

    #[test]
    fn what_cannot_be_reached_is_not_compared() -> Result {
        let bus = Fake::new()?;
        bus.fail_after(0);
        let masks = ReadbackMask::probe(&bus, &KIND, true);
        assert_eq!((masks.control, masks.box_control), (0, 0));
        assert_eq!((masks.fixed, masks.filters), ([0; 4], [0; 4]));
        let bus = Fake::with_filters()?;
        let masks = ReadbackMask::probe(&bus, &LINK, false);
        assert_eq!(masks.filters, [0; 4]);
        assert_eq!(bus.filters().reads(), 0);
        Ok(())
    }
}
