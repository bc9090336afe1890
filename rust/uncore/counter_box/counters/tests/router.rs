// SPDX-License-Identifier: GPL-2.0

//! Filter registers of 64 bits, at offsets and at MSR numbers, and with a guard.

use kernel::prelude::*;

#[kunit_tests(uncore_box_router)]
mod suite {
    use super::super::*;
    use crate::uncore::{
        counter_box::{
            bus::{
                At,
                Location, //
            },
            modified::{
                ModifiedRegister,
                Register, //
            },
            probe::clear_filters, //
        },
        options::Tamper,
        request::reject::tests::printed,
        table::box_type::Place,
        testing::msr_only::router::*, //
    };

    const PACKETS: u64 = 0x00;
    const CLOCK: u64 = 0x01;
    const RETRIES: u64 = 0x02;
    const TUNED: u64 = 0x08;
    const LANE_1: u64 = 0x0b;

    const PACKET: u64 = 0xfedc_ba98_7654_3210;
    const CARE: u64 = 0x43_2123_4567;

    /// Returns the MSR of box `index`.
    fn number(list: &[u32], index: u8) -> u16 {
        let number = list.get(usize::from(index)).copied().unwrap_or(0);
        u16::try_from(number).unwrap_or(0)
    }

    /// Makes box `index`, which verifies its registers. On it event 1 counts packets and event 2
    /// clocks.
    fn busy(index: u8) -> Result<(Fake, Numbered)> {
        let bus = Fake::new()?.of_box(index);
        let [guard, packet, care] = [GUARD, MATCH, MASK].map(|list| number(list, index));
        bus.guard(guard, [packet, care]);
        let mut at = Numbered::new(&ROUTER, FilterLocation::Own)?;
        measure(&mut at, &bus);
        bus.take_writes();
        begin(&mut at, &bus, 1, [PACKETS, PACKET, CARE], false)?;
        begin(&mut at, &bus, 2, [CLOCK, 0, 0], false)?;
        Ok((bus, at))
    }

    #[test]
    fn each_box_has_its_registers() -> Result {
        let boxes = [(0, [0x200, 0x201, 0x202]), (1, [0x210, 0x211, 0x20a])];
        for (index, [guard, packet, care]) in boxes {
            let (bus, mut at) = busy(index)?;
            at.remove(&bus, 2);
            begin(&mut at, &bus, 3, [RETRIES, 0, 0x5a << 48], false)?;
            let [first, second] = CONTROL;
            let expected = [
                Write(guard, 0),
                Write(packet, PACKET),
                Write(care, CARE),
                Write(guard, ON),
                Write(second, PACKETS | ENABLE),
                Write(first, CLOCK | ENABLE),
                Write(first, 0),
                Write(MODE, 0x5a),
                Write(first, RETRIES | ENABLE),
            ];
            assert!(bus.take_writes().iter().eq(&expected));
        }
        Ok(())
    }

    #[test]
    fn a_box_beyond_the_list_has_none() -> Result {
        let (bus, mut at) = (
            Fake::new()?.of_box(2),
            Numbered::new(&ROUTER, FilterLocation::Own)?,
        );
        at.add(&bus, 1, &request(&ROUTER, [PACKETS, PACKET, CARE])?, false)?;
        assert_eq!(at.start(&bus, 1), Err(ENODEV));
        assert!(at.has_failed());
        Ok(())
    }

    #[test]
    fn all_bits_are_written_and_verified() -> Result {
        const PACKET_1: u16 = 0x211;
        let (bus, mut at) = busy(1)?;
        poll(&mut at, &bus);
        assert!(!at.has_modified_event());
        let found = PACKET ^ 1 << 63;
        bus.set(PACKET_1, found);
        poll(&mut at, &bus);
        let event = at.take_modified_event().ok_or(EINVAL)?;
        let expected = ModifiedRegister {
            register: Register::Filter(Place::Msrs(MATCH)),
            written: PACKET,
            found,
        };
        assert_eq!(event.register, expected);
        assert_eq!(bus.get(PACKET_1), PACKET);
        assert!(at.is_modified(1) && !at.is_modified(2));
        Ok(())
    }

    #[test]
    fn two_events_share_them_if_they_agree_in_all_bits() -> Result {
        let (bus, mut at) = busy(0)?;
        at.remove(&bus, 2);
        let other = request(&ROUTER, [PACKETS, PACKET ^ 1 << 63, CARE])?;
        assert_eq!(at.add(&bus, 3, &other, false), Err(EAGAIN));
        begin(&mut at, &bus, 3, [PACKETS, PACKET, CARE], false)
    }

    /// Makes box 0 as if firmware had left its guard on, and the registers with values.
    fn left_on() -> Result<Fake> {
        let bus = Fake::new()?;
        for (register, value) in [(0x200, ON), (0x201, PACKET), (0x202, CARE), (MODE, 1)] {
            bus.set(register, value);
        }
        bus.guard(0x200, [0x201, 0x202]);
        Ok(bus)
    }

    #[test]
    fn a_guard_is_off_before_the_registers_are_cleared() -> Result {
        let bus = left_on()?;
        clear_filters(&bus, &ROUTER, &Words::default())?;
        let expected = [MODE, 0x200, 0x201, 0x202].map(|register| Write(register, 0));
        assert!(bus.take_writes().starts_with(&expected));
        Ok(())
    }

    #[test]
    fn a_guard_is_off_after_the_registers_were_tried() -> Result {
        let (bus, mut at) = fresh(&ROUTER)?;
        bus.guard(0x200, [0x201, 0x202]);
        measure(&mut at, &bus);
        assert!(!at.has_failed());
        let tried = [(0x201, PACKET), (0x202, CARE)].map(|(register, _)| bus.get(register));
        assert_eq!(([0, 0], bus.get(0x200)), (tried, 0));
        Ok(())
    }

    #[test]
    fn a_guard_that_another_tool_switched_on_is_off_before_a_write() -> Result {
        let (bus, mut at) = (left_on()?, Numbered::new(&ROUTER, FilterLocation::Own)?);
        begin(&mut at, &bus, 1, [PACKETS, 1, 2], false)?;
        assert!(!at.has_failed());
        let values = [0x200, 0x201, 0x202].map(|register| bus.get(register));
        assert_eq!(values, [ON, 1, 2]);
        Ok(())
    }

    #[test]
    fn a_guard_is_on_while_an_event_uses_it() -> Result {
        let (bus, mut at) = busy(0)?;
        at.remove(&bus, 2);
        bus.take_writes();
        // Its second user changes nothing.
        begin(&mut at, &bus, 3, [PACKETS, PACKET, CARE], false)?;
        assert!(bus.take_writes().iter().all(|write| write.0 < 0x200));
        at.remove(&bus, 1);
        at.remove(&bus, 3);
        bus.take_writes();
        begin(&mut at, &bus, 4, [CLOCK, 0, 0], false)?;
        let [.., second] = CONTROL;
        let expected = [
            Write(0x200, 0),
            Write(0x201, 0),
            Write(0x202, 0),
            Write(second, CLOCK | ENABLE),
        ];
        assert!(bus.take_writes().iter().eq(&expected));
        // Other values after that.
        begin(&mut at, &bus, 5, [PACKETS, 3, 0], false)?;
        let values = [0x200, 0x201, 0x202].map(|register| bus.get(register));
        assert_eq!(values, [ON, 3, 0]);
        Ok(())
    }

    #[test]
    fn a_modified_register_is_restored_with_its_guard_off() -> Result {
        let rows: [(u16, &[Write]); 3] = [
            (0x200, &[Write(0x200, ON)]),
            (
                0x201,
                &[Write(0x200, 0), Write(0x201, PACKET), Write(0x200, ON)],
            ),
            (
                0x202,
                &[Write(0x200, 0), Write(0x202, CARE), Write(0x200, ON)],
            ),
        ];
        for (register, expected) in rows {
            let (bus, mut at) = busy(0)?;
            at.set_tamper(Tamper::Warn);
            bus.take_writes();
            bus.set(register, 5);
            poll(&mut at, &bus);
            assert!(at.is_warned(1) && !at.is_warned(2) && !at.has_failed());
            assert!(bus.take_writes().iter().eq(expected));
        }
        Ok(())
    }

    #[test]
    fn registers_lost_in_a_suspend_are_written_with_the_guard_off() -> Result {
        let (bus, mut at) = busy(0)?;
        at.read_all(&bus);
        at.verify_all(&bus);
        for register in [0x201, 0x202] {
            bus.set(register, 0);
        }
        at.resume(&bus);
        assert!(!at.has_failed());
        let values = [0x200, 0x201, 0x202].map(|register| bus.get(register));
        assert_eq!(values, [ON, PACKET, CARE]);
        Ok(())
    }

    /// Returns the registers of both ports: those for tunes, and that of the lanes.
    fn ports(bus: &Fake) -> [u64; 3] {
        let [first, second] = TUNE;
        [first, second, 0x220].map(|register| bus.get(register))
    }

    #[test]
    fn copies_are_in_a_register_of_their_own_or_in_parts_of_one() -> Result {
        let (bus, mut at) = fresh(&ROUTER)?;
        begin(&mut at, &bus, 1, [TUNED | 5 << 40, 0xffff_1234, 0], false)?;
        assert_eq!(ports(&bus), [0xffff_1234, 0, 0]);
        assert_eq!((bus.get(SETUP), bus.get(0x201)), (5, 0));
        begin(&mut at, &bus, 2, [TUNED + 1, 0x5678, 0], false)?;
        assert_eq!(ports(&bus), [0xffff_1234, 0x5678, 0]);
        at.remove(&bus, 1);
        begin(&mut at, &bus, 3, [LANE_1, 0xa0, 0], false)?;
        assert_eq!(ports(&bus), [0, 0x5678, 0xa00]);
        at.remove(&bus, 2);
        begin(&mut at, &bus, 4, [LANE_1 - 1, 0x90, 0], false)?;
        assert_eq!(ports(&bus), [0, 0, 0xa09]);
        Ok(())
    }

    #[test]
    fn events_share_a_copy_and_not_a_unit() -> Result {
        let (bus, mut at) = fresh(&ROUTER)?;
        begin(&mut at, &bus, 1, [LANE_1, 0xa0, 0], false)?;
        let other = request(&ROUTER, [LANE_1, 0x90, 0])?;
        assert_eq!(at.add(&bus, 2, &other, false), Err(EAGAIN));
        begin(&mut at, &bus, 2, [LANE_1, 0xa0, 0], false)?;
        at.remove(&bus, 2);
        begin(&mut at, &bus, 3, [LANE_1 - 1, 0x90, 0], false)
    }

    #[test]
    fn a_modified_copy_ends_the_events_that_use_the_register() -> Result {
        let (bus, mut at) = fresh(&ROUTER)?;
        measure(&mut at, &bus);
        let [first, _] = TUNE;
        begin(&mut at, &bus, 1, [TUNED, 7, 0], false)?;
        begin(&mut at, &bus, 2, [TUNED + 1, 7, 0], false)?;
        bus.set(first, 6);
        poll(&mut at, &bus);
        assert!(at.is_modified(1) && !at.is_modified(2));
        Ok(())
    }

    #[test]
    fn bits_are_those_of_the_filter_that_the_event_uses() -> Result {
        let wrong = [
            // Bits beside the lane are the tune, or the match.
            (
                [LANE_1, 0x1_00a0, 0],
                "match is set, but lane1 does not use it",
            ),
            (
                [TUNED, 1 << 32, 0],
                "match is set, but tuned0 does not use it",
            ),
            (
                [(TUNED + 1) | 5 << 40, 1, 0],
                "setup is set, but tuned1 does not use it",
            ),
            ([CLOCK, 0xa0, 0], "match is set, but clock does not use it"),
        ];
        for ([config, config1, config2], sentence) in wrong {
            let words = Words {
                config,
                config1,
                config2,
                ..Words::default()
            };
            let rejection = parse(&ROUTER, &words).err().ok_or(EINVAL)?;
            assert_eq!(printed(fmt!("{rejection}"))?.as_str(), sentence);
        }
        Ok(())
    }

    #[test]
    fn a_place_is_named_by_its_number() -> Result {
        let rows = [
            (0xcc0, 1, Place::Offset(0x15), "MSR 0xcd5"),
            (0xc40, 0, Place::Msrs(MATCH), "MSR 0x201"),
            (0xcc0, 1, Place::Msrs(MATCH), "MSR 0x211"),
        ];
        for (base, index, place, name) in rows {
            let location = Location::Msr {
                base,
                index,
                name: base,
            };
            let text = printed(fmt!("{}", At(location, place)))?;
            assert_eq!(text.as_str(), name);
        }
        Ok(())
    }
}
