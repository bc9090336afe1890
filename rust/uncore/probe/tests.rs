// SPDX-License-Identifier: GPL-2.0

//! Boxes that are there, boxes that only seem to be.

use kernel::prelude::*;

#[kunit_tests(uncore_probe)]
mod suite {
    use super::super::super::{
        bus::fake::{
            Fake,
            Write, //
        },
        testing::*, //
    };
    use super::super::*;

    #[test]
    fn a_box_that_keeps_what_is_written_is_there_and_as_before() -> Result {
        let bus = Fake::new()?;
        bus.set(CONTROL[0], 0x0040_0334);
        bus.set(COUNTER[0], 0x123);
        assert!(probe(&bus, &KIND).is_ok());
        assert_eq!(bus.get(CONTROL[0]), 0x0040_0334);
        assert_eq!(bus.get(COUNTER[0]), 0x123);
        Ok(())
    }

    #[test]
    fn nothing_is_enabled_or_out_of_range_while_it_is_tried() -> Result {
        let bus = Fake::new()?;
        assert!(probe(&bus, &KIND).is_ok());
        for Write(register, value) in bus.take_writes() {
            let legal = match register {
                register if register == CONTROL[0] => value & !0xffff == 0,
                register if register == COUNTER[0] => value >> 44 == 0,
                _ => false,
            };
            assert!(legal);
        }
        Ok(())
    }

    #[test]
    fn a_box_that_forgets_is_silent() -> Result {
        for stuck in [1, 1 << 15, u64::MAX] {
            let bus = Fake::new()?;
            bus.stick(stuck);
            assert_eq!(probe(&bus, &KIND), Err(Absence::Silent));
        }
        Ok(())
    }

    #[test]
    fn a_box_that_fails_at_any_access_is_unreachable() -> Result {
        let whole = Fake::new()?;
        assert!(probe(&whole, &KIND).is_ok());
        let accesses = whole.reads() + whole.take_writes().len() as u32;
        for allowed in 0..accesses {
            let bus = Fake::new()?;
            bus.fail_after(allowed);
            assert_eq!(probe(&bus, &KIND), Err(Absence::Unreachable));
        }
        Ok(())
    }

    #[test]
    fn reset_leaves_nothing_behind() -> Result {
        let bus = Fake::new()?;
        for register in 0..0x20 {
            bus.set(register, 0x5a5a);
        }
        reset(&bus, &KIND)?;
        // What cannot be stopped is not touched.
        assert_eq!(bus.get(FREE_COUNTER), 0x5a5a);
        let [fixed, others] = [[FIXED_CONTROL, FIXED_COUNTER], FILTER];
        for registers in [&CONTROL[..], &COUNTER, &others, &fixed] {
            for &register in registers {
                assert_eq!((register, bus.get(register)), (register, 0));
            }
        }
        let writes = bus.take_writes();
        let to_box = writes.iter().filter(|write| write.0 == BOX_CONTROL);
        assert!(to_box.map(|write| write.1).eq([RESET, UNFREEZE]));
        Ok(())
    }
}
