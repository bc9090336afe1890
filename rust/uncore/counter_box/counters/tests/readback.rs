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
        request::assign::MAX_FIXED,
        table::{
            box_type::MAX_FILTERS,
            field::low_half, //
        },
        testing::{
            platform::link::{
                self,
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

    /// Writable bits of the control registers, but for the reset bits.
    const WRITABLE: u32 = KIND.control.writable & !COUNTER_RESET;
    const LINK_WRITABLE: u32 = LINK.control.writable & !(COUNTER_RESET | QUEUE_RESET);

    /// Enable bit and highest threshold.
    const ENABLED: u32 = 1 << 22;
    const THRESHOLD: u64 = 0xff << 24;

    #[test]
    fn bits_are_compared_that_read_as_written() -> Result {
        // Bits that read as 0, and as 1, in all registers, and the mask of the box control.
        let rows = [
            (0, 0, 0x0003_0100),
            (0, 1 << 3, 0x0003_0100),
            (ENABLE, 0, 0x0003_0100),
            (1 << 8, 0, 0x0003_0000),
            // As the manual has it.
            (FREEZE, 0, 0),
            // It shows a freeze of the whole package all the time.
            (0, 1 << 8, 0x0003_0000),
        ];
        for (hidden, stuck, box_control) in rows {
            let bus = Fake::new()?;
            bus.hide(hidden);
            bus.stick(stuck);
            let masks = ReadbackMask::probe(&bus, &KIND, true);
            let kept = !(hidden | stuck);
            assert_eq!(masks.control, WRITABLE & low_half(kept));
            assert_eq!(masks.fixed, [ENABLED & low_half(kept), 0, 0, 0, 0]);
            let filters = [0x3f1f & kept, 0x01ff_00ff & kept, 0];
            assert!(masks.filters.starts_with(&filters));
            assert_eq!(masks.box_control, box_control);
        }
        let bus = Fake::new()?;
        bus.narrow(FILTER[0], 8);
        assert_eq!(ReadbackMask::probe(&bus, &KIND, true).filters[0], 0x1f);
        Ok(())
    }

    #[test]
    fn enable_bits_without_a_threshold_are_tried_in_a_box_that_shows_that_it_is_frozen() -> Result {
        const BITS: u32 = GATE.control.writable & !gate::ENABLE;
        for (stuck, expected) in [(0, BITS | gate::ENABLE), (1, BITS)] {
            let bus = Fake::new()?;
            bus.stick_in(gate::BOX_CONTROL, stuck);
            let masks = ReadbackMask::probe(&bus, &GATE, false);
            assert_eq!(masks.control, expected);
            assert_eq!(bus.get(gate::CONTROL[0]), 0);
            let mut frozen = false;
            for &Write(register, value) in &bus.take_writes() {
                match register {
                    gate::BOX_CONTROL => frozen = value == 0,
                    _ => assert!(frozen || value & 1 == 0),
                }
            }
        }
        Ok(())
    }

    #[test]
    fn nothing_counts_meanwhile() -> Result {
        for kind in [&KIND, &UNFROZEN, &TELLING] {
            let bus = Fake::new()?;
            ReadbackMask::probe(&bus, kind, false);
            let mut frozen = false;
            for &Write(register, value) in &bus.take_writes() {
                match register {
                    BOX_CONTROL => frozen = value == FREEZE,
                    // The event adds at most 1.
                    _ if CONTROL.contains(&register) && value & ENABLE != 0 => {
                        assert_eq!(value, ENABLE | THRESHOLD);
                    }
                    FIXED_CONTROL if value & ENABLE != 0 => {
                        assert!(frozen || kind.box_control.is_none());
                        assert_eq!(value & TELL, 0);
                    }
                    _ => {}
                }
            }
            assert!(!frozen);
            let mut registers = kind.counters.iter().map(|at| at.control);
            assert!(registers.all(|register| bus.get(register) == 0));
            assert_eq!(bus.get(FIXED_CONTROL), 0);
        }
        Ok(())
    }

    #[test]
    fn what_acts_is_not_tried_and_registers_are_left_at_0() -> Result {
        let bus = Fake::new()?;
        let masks = ReadbackMask::probe(&bus, &LINK, true);
        assert_eq!(masks.control, LINK_WRITABLE);
        let self_clearing = u64::from(COUNTER_RESET | QUEUE_RESET);
        let is_control = |write: &&Write| link::CONTROL.contains(&write.0);
        let writes = bus.take_writes();
        assert!(writes
            .iter()
            .filter(is_control)
            .all(|write| write.1 & self_clearing == 0));
        let mut registers = LINK.counters.iter().map(|at| at.control);
        assert!(registers.all(|register| bus.get(register) == 0));
        assert_eq!([MATCH, MASK].map(|register| bus.get(register)), [0, 0]);
        Ok(())
    }

    #[test]
    fn what_cannot_be_reached_is_not_compared() -> Result {
        let bus = Fake::new()?;
        bus.fail_after(0);
        let masks = ReadbackMask::probe(&bus, &KIND, true);
        assert_eq!((masks.control, masks.box_control), (0, 0));
        assert_eq!(
            (masks.fixed, masks.filters),
            ([0; MAX_FIXED], [0; MAX_FILTERS])
        );
        let bus = Fake::with_filters()?;
        let masks = ReadbackMask::probe(&bus, &LINK, false);
        assert_eq!(masks.filters, [0; MAX_FILTERS]);
        assert_eq!(bus.filters().reads(), 0);
        Ok(())
    }
}
