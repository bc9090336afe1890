// SPDX-License-Identifier: GPL-2.0

//! Probe and reset: boxes that answer, and boxes that do not.

use kernel::prelude::*;

#[kunit_tests(uncore_probe)]
mod suite {
    use super::super::{
        super::bus::fake::{
            Fake,
            Write, //
        }, //
        *,
    };
    use crate::uncore::table::{
        counter,
        pci, //
    };
    use crate::uncore::testing::{
        msr_only::{
            meter::{
                self,
                METER, //
            },
            slice, //
        },
        platform::link::{
            MASK,
            MATCH, //
        },
        *, //
    };

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
        for &Write(register, value) in &bus.take_writes() {
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
            assert_eq!(probe(&bus, &KIND).err(), Some(MissingReason::Silent));
        }
        // One bit of the control register, and one of the counter.
        for (register, bits) in [(CONTROL[0], 15), (COUNTER[0], 43)] {
            let bus = Fake::new()?;
            bus.narrow(register, bits);
            assert_eq!(probe(&bus, &KIND).err(), Some(MissingReason::Silent));
        }
        Ok(())
    }

    #[test]
    fn a_box_whose_counters_cannot_be_written_is_only_read() -> Result {
        for refuses in [false, true] {
            let bus = Fake::new()?;
            if refuses {
                bus.set(CONTROL[3], 1);
                bus.guard(CONTROL[3], [COUNTER[0], COUNTER[1]]);
                bus.set(COUNTER[0], 0x123);
            } else {
                bus.narrow(COUNTER[0], 0);
            }
            let before = bus.get(COUNTER[0]);
            let found = probe(&bus, &KIND).map_err(|_| EINVAL)?;
            assert!(!found.presets);
            assert_eq!(bus.get(COUNTER[0]), before);
        }
        let bus = Fake::new()?;
        bus.narrow(COUNTER[0], 0);
        bus.blank(COUNTER[0]);
        assert_eq!(probe(&bus, &KIND).err(), Some(MissingReason::Silent));
        let found = probe(&Fake::new()?, &KIND).map_err(|_| EINVAL)?;
        assert!(found.presets);
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
            assert_eq!(probe(&bus, &KIND).err(), Some(MissingReason::Unreachable));
        }
        Ok(())
    }

    /// A type whose counters are in one of two places each.
    static UNCERTAIN: BoxType = BoxType {
        alternative: Some(&OTHER),
        ..BASE
    };
    const ELSEWHERE: u16 = 0x200;
    static OTHER: BoxType = BoxType {
        alternative: Some(&NARROW),
        counters: &[
            counter(CONTROL[0], COUNTER[0]),
            counter(CONTROL[1], ELSEWHERE),
            counter(CONTROL[2], COUNTER[2]),
            counter(CONTROL[3], COUNTER[3]),
        ],
        ..BASE
    };

    /// The first type with narrow counters.
    static NARROW: BoxType = BoxType { width: 40, ..BASE };

    #[test]
    fn a_box_is_of_the_reading_of_which_all_counters_answer() -> Result {
        // A counter, the bits that it keeps, and the reading.
        for (counter, bits, expected) in [
            (COUNTER[0], 44, Ok(&UNCERTAIN)),
            (ELSEWHERE, 0, Ok(&UNCERTAIN)),
            (COUNTER[1], 0, Ok(&OTHER)),
            (COUNTER[3], 40, Ok(&NARROW)),
            (COUNTER[0], 0, Err(MissingReason::Silent)),
        ] {
            let bus = Fake::new()?;
            bus.narrow(counter, bits);
            match (probe(&bus, &UNCERTAIN), expected) {
                (Ok(found), Ok(expected)) => {
                    assert!(core::ptr::eq(found.kind, expected) && found.presets);
                }
                (found, expected) => assert_eq!(found.err(), expected.err()),
            }
        }
        // One width of another, where no write tells them apart.
        static WIDTHS: BoxType = BoxType {
            alternative: Some(&NARROW),
            ..BASE
        };
        let bus = Fake::new()?;
        bus.narrow(COUNTER[0], 0);
        let found = probe(&bus, &WIDTHS).map_err(|_| EINVAL)?;
        assert!(core::ptr::eq(found.kind, &NARROW) && !found.presets);
        Ok(())
    }

    static CLOCKED: BoxType = BoxType {
        needs_clock: true,
        ..BASE
    };

    #[test]
    fn a_box_that_needs_its_clock_lacks_it_if_it_stands_still() -> Result {
        let bus = Fake::new()?;
        assert_eq!(lacks_clock(&bus, &CLOCKED), Ok(true));
        assert_eq!(bus.get(FIXED_CONTROL), 0);
        assert_eq!(lacks_clock(&bus, &KIND), Ok(false));
        bus.tick(FIXED_COUNTER);
        assert_eq!(lacks_clock(&bus, &CLOCKED), Ok(false));
        assert_eq!(bus.get(FIXED_CONTROL), 0);
        Ok(())
    }

    #[test]
    fn reset_leaves_nothing_behind() -> Result {
        // A type, its box control, and what is written there.
        let rows: [(&BoxType, u16, &[u64]); 3] = [
            (&KIND, BOX_CONTROL, &[RESET, UNFREEZE]),
            (&SLICE, slice::BOX_CONTROL, &[0x1, 0x3, 0x0]),
            // It resets nothing.
            (&GATE, gate::BOX_CONTROL, &[gate::ALL_RUN.into()]),
        ];
        for (kind, box_control, steps) in rows {
            let bus = Fake::new()?;
            for register in 0..0x20 {
                bus.set(register, 0x5a5a);
            }
            reset(&bus, kind)?;
            clear_filters(&bus, kind, &Words::default())?;
            let general = kind.counters.iter().flat_map(|at| [at.control, at.counter]);
            let fixed = kind.fixed.iter();
            let fixed = fixed.filter_map(|at| Some([at.control.as_ref()?.offset, at.counter]));
            let filters = kind.filters.iter().filter_map(|at| at.place.offset());
            let mut all = Iterator::chain(Iterator::chain(general, fixed.flatten()), filters);
            assert!(all.all(|register| bus.get(register) == 0));
            // A counter that always runs is not written.
            assert_eq!(bus.get(FREE_COUNTER), 0x5a5a);
            let writes = bus.take_writes();
            let to_box = writes.iter().filter(|write| write.0 == box_control);
            assert!(to_box.map(|write| &write.1).eq(steps));
        }
        Ok(())
    }

    #[test]
    fn controls_can_be_written_twice() -> Result {
        let bus = Fake::new()?;
        bus.set(slice::CONTROL[0], 0x0040_0017);
        assert!(probe(&bus, &SLICE).is_ok());
        let writes = bus.take_writes();
        let controls = writes.iter().filter(|write| write.0 == slice::CONTROL[0]);
        let values = controls.map(|write| write.1);
        assert!(values.eq([0x5555, 0x5555, 0xaaaa, 0xaaaa, 0, 0, 0x17, 0x0040_0017]));
        reset(&bus, &SLICE)?;
        let writes = bus.take_writes();
        let controls = writes.iter().filter(|write| write.0 == slice::CONTROL[1]);
        assert!(controls.map(|write| write.1).eq([0, 0]));
        Ok(())
    }

    /// A type whose counter that always runs is in configuration space.
    static IN_FUNCTION: BoxType = BoxType {
        access: Access::Pci(&[pci(0, 8, 2, 0x7032)]),
        ..BASE
    };

    #[test]
    fn a_counter_in_a_function_that_stays_0_is_not_there() -> Result {
        for (value, silent, expected) in [(0, false, 0), (5, false, 0), (0, true, 0b10)] {
            let bus = Fake::new()?;
            bus.set(FREE_COUNTER, value);
            if silent {
                bus.narrow(FREE_COUNTER, 0);
            }
            assert_eq!(unreadable_fixed(&bus, &IN_FUNCTION), expected);
            assert_eq!(bus.get(FREE_COUNTER), value);
        }
        Ok(())
    }

    #[test]
    fn a_box_that_is_only_read_is_there_if_a_counter_answers() -> Result {
        let bus = Fake::new()?;
        bus.deny(meter::COUNTER[0]);
        assert!(probe(&bus, &METER).is_ok());
        assert_eq!(unreadable_fixed(&bus, &METER), 0b00001);
        reset(&bus, &METER)?;
        assert!(bus.take_writes().is_empty());
        bus.fail_after(0);
        assert_eq!(probe(&bus, &METER).err(), Some(MissingReason::Unreachable));
        Ok(())
    }

    #[test]
    fn no_counter_is_enabled_and_no_uncertain_bit_is_tested() -> Result {
        for width in [8, gate::UNCERTAIN] {
            let bus = Fake::new()?;
            bus.narrow(gate::CONTROL[0], width);
            assert!(probe(&bus, &GATE).is_ok());
            let writes = bus.take_writes();
            let controls = writes.iter().filter(|write| write.0 == gate::CONTROL[0]);
            assert!(controls.map(|write| write.1).eq([0x14, 0x2a, 0]));
        }
        let bus = Fake::new()?;
        bus.narrow(gate::CONTROL[0], 5);
        assert!(probe(&bus, &GATE).is_err());
        Ok(())
    }

    #[test]
    fn filters_that_keep_what_is_written_are_left_at_0() -> Result {
        let bus = Fake::with_filters()?;
        bus.filters().set(MATCH, 0x1ec0);
        assert_eq!(probe_filters(&bus, &LINK), Ok(()));
        assert!(bus.take_writes().is_empty());
        for register in [MATCH, MASK] {
            assert_eq!(bus.filters().get(register), 0);
        }
        let writes = bus.filters().take_writes();
        assert!(writes.iter().all(|write| write.1 & !0x1fe0 == 0));
        Ok(())
    }

    #[test]
    fn filters_that_forget_are_silent_or_out_of_reach() -> Result {
        // One register in the first 256 bytes, and one above.
        for reads in [0, u32::MAX.into()] {
            let (near, far) = (Fake::new()?, Fake::new()?);
            near.silence(reads);
            far.silence(reads);
            assert_eq!(probe_filters(&near, &POWER), Err(MissingReason::Silent));
            assert_eq!(probe_filters(&far, &LINK), Err(MissingReason::NotExtended));
        }
        let far = Fake::new()?;
        far.stick(1 << 9);
        assert_eq!(probe_filters(&far, &LINK), Err(MissingReason::Silent));
        Ok(())
    }

    #[test]
    fn filters_that_fail_are_unreachable_or_out_of_reach() -> Result {
        let (near, far) = (Fake::new()?, Fake::new()?);
        near.fail_after(0);
        far.fail_after(0);
        assert_eq!(
            probe_filters(&near, &POWER),
            Err(MissingReason::Unreachable)
        );
        assert_eq!(probe_filters(&far, &LINK), Err(MissingReason::NotExtended));
        Ok(())
    }
}
