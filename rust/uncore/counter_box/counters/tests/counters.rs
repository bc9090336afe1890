// SPDX-License-Identifier: GPL-2.0

//! Counters with features that few boxes have.

use kernel::prelude::*;

#[kunit_tests(uncore_box_counters)]
mod suite {
    use super::super::*;
    use crate::uncore::{
        counter_box::probe,
        table::{
            box_type::Word,
            field::mask,
            filter_register, //
        },
        testing::{
            gate,
            msr_only::slice,
            platform::{
                link::{
                    CONTROL,
                    ENABLE,
                    LINK,
                    QUEUE_RESET, //
                },
                power::{
                    self,
                    EDGE,
                    POWER, //
                }, //
            },
            BASE,
            BOX_CONTROL,
            FILTER,
            FREEZE,
            GATE,
            SLICE,
            UNFREEZE, //
        }, //
    };

    /// Edges of an occupancy have two bits, of which a box may lack one.
    #[test]
    fn edges_of_an_occupancy_leave_out_a_bit_that_the_box_lacks() -> Result {
        const AWAKE_EDGES: u32 = 1 << 31 | 1 << 24 | 1 << 14 | 0x80;
        for (kept, edge) in [(32, EDGE), (18, 0)] {
            let (bus, mut at) = fresh(&POWER)?;
            bus.narrow(power::CONTROL[0], kept);
            measure(&mut at, &bus);
            bus.take_writes();
            begin(&mut at, &bus, 1, [AWAKE_EDGES.into(), 0, 0], true)?;
            let word = u64::from(AWAKE_EDGES | edge | POWER.control.enable);
            let controls = power::CONTROL.map(|register| Write(register, word));
            let writes = bus.take_writes();
            assert!(writes.iter().any(|write| controls.contains(write)));
        }
        Ok(())
    }

    /// A box that may lack the two highest nodes of its filter.
    static FEW_NODES: BoxType = BoxType {
        filters: &[
            filter_register(FILTER[0], Word::Config1, 0, 0x3f1f),
            filter_register(FILTER[1], Word::Config1, 32, 0x01ff_00ff).uncertain(0xc0),
        ],
        ..BASE
    };

    #[test]
    fn bits_that_a_filter_lacks_are_told_with_their_field() -> Result {
        const LOOKUP_NODED: u64 = 0x4134;
        let noded = |nodes: u64| request(&FEW_NODES, [LOOKUP_NODED, nodes << 32, 0]);
        for (kept, stuck, lacking) in [(32, 0, 0), (7, 0, 0x80), (6, 0, 0xc0), (6, 0xc0, 0xc0)] {
            let (bus, mut at) = fresh(&FEW_NODES)?;
            bus.narrow(FILTER[1], kept);
            bus.stick_in(FILTER[1], stuck);
            measure(&mut at, &bus);
            for nodes in [0x01, 0x3f, 0x40, 0x80, 0xff] {
                let told = at.setup.lacks_bits_of(&noded(nodes)?);
                let told = told.map(|(field, bits)| (field.name, bits));
                let bits = nodes & lacking;
                assert_eq!(told, (bits != 0).then_some(("filter_node", bits)));
            }
            let told = at.setup.lacks_bits_of(&request(&FEW_NODES, [0; 3])?);
            assert!(told.is_none());
            assert_eq!(bus.get(FILTER[1]), 0);
        }
        Ok(())
    }

    /// A box that tries the two highest nodes of its filter on request.
    static LATE_NODES: BoxType = BoxType {
        filters: &[
            filter_register(FILTER[0], Word::Config1, 0, 0x3f1f),
            filter_register(FILTER[1], Word::Config1, 32, 0x01ff_00ff)
                .uncertain(0xc0)
                .on_request(0xc0),
        ],
        ..BASE
    };

    #[test]
    fn bits_of_a_filter_are_tried_on_request_beside_those_in_use() -> Result {
        const LOOKUP_NODED: u64 = 0x4134;
        let noded = |nodes: u64| request(&LATE_NODES, [LOOKUP_NODED, nodes << 32, 0]);
        for (kept, lacking) in [(32, None), (7, Some(0x80)), (6, Some(0xc0))] {
            let (bus, mut at) = fresh(&LATE_NODES)?;
            bus.narrow(FILTER[1], kept);
            measure(&mut at, &bus);
            begin(&mut at, &bus, 1, [LOOKUP_NODED, 1 << 32, 0], false)?;
            let is_filter = |write: &Write| write.0 == FILTER[1];
            let writes = bus.take_writes();
            let mut writes = writes.iter().filter(|write| is_filter(write));
            assert!(writes.all(|write| write.1 & 0xc0 == 0));
            let lacks = |at: &Numbered, nodes| -> Result<Option<u64>> {
                Ok(at.setup.lacks_bits_of(&noded(nodes)?).map(|(_, bits)| bits))
            };
            assert_eq!(lacks(&at, 0x3f)?, None);
            assert_eq!(lacks(&at, 0xc1)?, Some(0xc0));
            at.try_bits_of(&bus, &noded(0xc1)?);
            let expected = [
                Write(BOX_CONTROL, FREEZE),
                Write(FILTER[1], 0xc1),
                Write(FILTER[1], 0x01),
                Write(BOX_CONTROL, UNFREEZE),
            ];
            assert!(bus.take_writes().iter().eq(&expected));
            assert_eq!(lacks(&at, 0xc1)?, lacking);
            // A box that appears again knows.
            measure(&mut at, &bus);
            assert_eq!(lacks(&at, 0xc1)?, lacking);
        }
        Ok(())
    }

    /// A box that may lack a filter register.
    static LATE_STATES: BoxType = BoxType {
        filters: &[
            filter_register(FILTER[0], Word::Config1, 0, 0x3f1f)
                .uncertain(0x3f1f)
                .on_request(0x3f1f),
            filter_register(FILTER[1], Word::Config1, 32, 0x01ff_00ff),
        ],
        ..BASE
    };

    #[test]
    fn a_filter_register_on_request_is_not_accessed_before() -> Result {
        const LOOKUP: u64 = 0x0334;
        let lookup = request(&LATE_STATES, [LOOKUP, 0, 0])?;
        for denied in [false, true] {
            let (bus, mut at) = fresh(&LATE_STATES)?;
            let clear = |at: &Numbered| probe::clear_filters(&bus, &LATE_STATES, &at.setup.lacking);
            if denied {
                bus.deny(FILTER[0]);
            }
            clear(&at)?;
            measure(&mut at, &bus);
            at.resume(&bus);
            while at.tidy(&bus) {}
            let is_filter = |write: &&Write| write.0 == FILTER[0];
            assert_eq!(bus.take_writes().iter().find(is_filter), None);
            assert!(at.setup.lacks_bits_of(&lookup).is_some());
            at.try_bits_of(&bus, &lookup);
            assert_eq!(at.setup.lacks_bits_of(&lookup).is_some(), denied);
            assert!(!at.has_failed());
            if !denied {
                begin(&mut at, &bus, 1, [LOOKUP, 0, 0], false)?;
                assert_eq!(bus.get(FILTER[0]), 0x3f00);
                bus.set(FILTER[0], 0x0100);
                poll(&mut at, &bus);
                assert_eq!(
                    at.verifier.modified.pop().map(|event| event.config),
                    Some(LOOKUP)
                );
                retire(&mut at, &bus);
                clear(&at)?;
                assert_eq!(bus.get(FILTER[0]), 0);
            }
        }
        Ok(())
    }

    #[test]
    fn a_bit_that_a_control_register_lacks_is_told_with_its_field() -> Result {
        const PASSED: u64 = 1 << 1;
        const LATE: u64 = 1 << gate::UNCERTAIN;
        for (kept, lacking) in [(32, 0), (gate::UNCERTAIN, 1)] {
            let (bus, mut at) = fresh(&GATE)?;
            bus.narrow(gate::CONTROL[0], kept);
            measure(&mut at, &bus);
            for (config, bits) in [(PASSED, 0), (PASSED | LATE, lacking)] {
                let told = at.setup.lacks_bits_of(&request(&GATE, [config, 0, 0])?);
                let told = told.map(|(field, bits)| (field.name, bits));
                assert_eq!(told, (bits != 0).then_some(("late", bits)));
            }
            assert_eq!(bus.get(gate::CONTROL[0]), 0);
        }
        Ok(())
    }

    #[test]
    fn a_control_that_is_written_twice_is_disabled_at_first() -> Result {
        const ANSWER: u64 = 0x1117;
        let (bus, mut at) = fresh(&SLICE)?;
        begin(&mut at, &bus, 1, [ANSWER, 0, 0], false)?;
        at.stop(&bus, 1);
        let writes = bus.take_writes();
        let is_control = |write: &&Write| slice::CONTROL.contains(&write.0);
        let controls = writes.iter().filter(is_control);
        let values = controls.map(|write| write.1);
        assert!(values.eq([ANSWER, ANSWER | ENABLE, 0, 0]));
        Ok(())
    }

    /// Values at which a counter reads too high, between others, with the defect and without.
    #[test]
    fn values_that_read_too_high_are_corrected() -> Result {
        const STEP: u64 = 1 << 24;
        const PASSED: u64 = 0x002;
        const TICKS: u64 = 0x3be;
        let low: &[u64] = &[
            5,
            STEP - 1,
            STEP,
            STEP + 1,
            STEP + 2,
            2 * STEP + 1,
            2 * STEP + 2,
        ];
        let high: &[u64] = &[(1 << 48) - STEP, (1 << 48) - 1, 0, 1, 2];
        let starts = [
            (0, low),
            (1, low),
            (2, low),
            (STEP, low),
            (STEP - 2, &low[1..]),
            ((1 << 48) - 2 * STEP + 5, high),
        ];
        for (event, counter) in [(PASSED, gate::COUNTER[0]), (TICKS, gate::FIXED_COUNTER)] {
            for (start, values) in starts {
                for defective in [true, false] {
                    let (bus, mut at) = fresh(&GATE)?;
                    if defective {
                        bus.misread(counter, gate::MISREAD);
                    }
                    bus.set(counter, start);
                    begin(&mut at, &bus, 1, [event, 0, 0], false)?;
                    let (mut last, mut counted, mut expected) = (bus.get(counter), 0_u64, 0_u64);
                    for &value in values {
                        let added = value.wrapping_sub(last) & mask(48);
                        bus.set(counter, value);
                        counted = counted.wrapping_add(at.read(&bus, 1));
                        (last, expected) = (value, expected.wrapping_add(added));
                        // Without the defect such a read may be too low.
                        if defective || value & mask(24) > 1 {
                            assert_eq!(counted, expected);
                        }
                    }
                    at.remove(&bus, 1);
                }
            }
        }
        Ok(())
    }

    #[test]
    fn values_that_may_not_be_written_are_not_restored() -> Result {
        const STEP: u64 = 1 << 24;
        let rows = [
            (7, 7),
            (STEP - 3, STEP - 3),
            (STEP - 2, STEP - 4),
            (STEP - 1, STEP - 3),
            (2 * STEP, STEP),
            (2 * STEP + 1, STEP + 1),
        ];
        for (read, restored) in rows {
            let bus = Fake::new()?;
            bus.set(gate::COUNTER[0], read);
            assert!(probe::probe(&bus, &GATE).is_ok());
            assert_eq!(bus.get(gate::COUNTER[0]), restored);
        }
        Ok(())
    }

    #[test]
    fn a_queue_is_cleared_with_a_start_and_not_with_a_move() -> Result {
        const QUEUE: u64 = 0x0b;
        let (bus, mut at) = fresh(&LINK)?;
        begin(&mut at, &bus, 1, [QUEUE, 0, 0], false)?;
        at.stop(&bus, 1);
        at.start(&bus, 1)?;
        let starts = QUEUE | ENABLE | QUEUE_RESET;
        let writes = bus.take_writes();
        let controls = writes.iter().filter(|write| write.0 == CONTROL[1]);
        assert!(controls.map(|write| write.1).eq([starts, 0, starts]));
        let counters: &mut BoxCounters = &mut at;
        let io = counters.setup.io(&bus);
        counters.slots.on(1).ok_or(EINVAL)?.relocate(&io, 0)?;
        let expected = [Write(CONTROL[1], 0), Write(CONTROL[0], QUEUE | ENABLE)];
        assert!(bus.take_writes().iter().eq(&expected));
        Ok(())
    }
}
