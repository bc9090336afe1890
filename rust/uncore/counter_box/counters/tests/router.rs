// SPDX-License-Identifier: GPL-2.0

//! Filter registers of 64 bits, at offsets and at MSR numbers.

use kernel::prelude::*;

#[kunit_tests(uncore_box_router)]
mod suite {
    use super::super::*;
    use crate::uncore::{
        counter_box::{
            bus::{
                At,
                Registers, //
            },
            modified::{
                ModifiedRegister,
                Register, //
            }, //
        },
        request::reject::tests::printed,
        table::box_type::Place,
        testing::msr_only::router::*, //
    };

    const PACKETS: u64 = 0x00;
    const CLOCK: u64 = 0x01;
    const RETRIES: u64 = 0x02;

    const PACKET: u64 = 0xfedc_ba98_7654_3210;
    const CARE: u64 = 0x43_2123_4567;

    /// Makes box `index`, which verifies its registers. On it event 1 counts packets and event 2
    /// clocks.
    fn busy(index: u8) -> Result<(Fake, KBox<BoxCounters>)> {
        let bus = Fake::new()?.of_box(index);
        let mut at = fresh(&ROUTER, FilterLocation::Own)?;
        at.measure(&bus);
        bus.take_writes();
        begin(&mut at, &bus, 1, [PACKETS, PACKET, CARE], false)?;
        begin(&mut at, &bus, 2, [CLOCK, 0, 0], false)?;
        Ok((bus, at))
    }

    #[test]
    fn each_box_has_its_registers() -> Result {
        for (index, [packet, care]) in [(0, [0x201, 0x202]), (1, [0x211, 0x20a])] {
            let (bus, mut at) = busy(index)?;
            at.remove(&bus, 2);
            begin(&mut at, &bus, 3, [RETRIES, 0, 0x5a << 48], false)?;
            let [first, second] = CONTROL;
            let expected = [
                Write(packet, PACKET),
                Write(care, CARE),
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
        let (bus, mut at) = (Fake::new()?.of_box(2), fresh(&ROUTER, FilterLocation::Own)?);
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

    #[test]
    fn a_place_is_named_by_its_number() -> Result {
        let rows = [
            (0xcc0, 1, Place::Offset(0x15), "MSR 0xcd5"),
            (0xc40, 0, Place::Msrs(MATCH), "MSR 0x201"),
            (0xcc0, 1, Place::Msrs(MATCH), "MSR 0x211"),
        ];
        for (base, index, place, name) in rows {
            let registers = Registers::Msr {
                base,
                index,
                name: base,
            };
            let text = printed(fmt!("{}", At(&registers, place)))?;
            assert_eq!(text.as_str(), name);
        }
        Ok(())
    }
}
