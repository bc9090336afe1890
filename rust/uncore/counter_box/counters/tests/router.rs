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
            probe::clear_filters, //
        },
        options::Tamper,
        request::reject::tests::printed,
        table::box_type::Place,
        testing::msr_only::router::*, //
    };

    const PACKETS: u64 = 0x00;
    const CLOCK: u64 = 0x01;
    const TUNED: u64 = 0x08;
    const LANE_1: u64 = 0x0b;

    const PACKET: u64 = 0xfedc_ba98_7654_3210;
    const CARE: u64 = 0x43_2123_4567;

    /// Makes box 0, which verifies its registers. On it event 1 counts packets and event 2 clocks.
    fn busy() -> Result<(Fake, Numbered)> {
        let (bus, mut at) = fresh(&ROUTER)?;
        bus.guard(0x200, [0x201, 0x202]);
        measure(&mut at, &bus);
        begin(&mut at, &bus, 1, [PACKETS, PACKET, CARE], false)?;
        begin(&mut at, &bus, 2, [CLOCK, 0, 0], false)?;
        bus.take_writes();
        Ok((bus, at))
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
    fn a_guard_that_another_tool_switched_on_is_off_before_a_write() -> Result {
        let (bus, mut at) = (left_on()?, Numbered::new(&ROUTER, FilterLocation::Own)?);
        begin(&mut at, &bus, 1, [PACKETS, 1, 2], false)?;
        assert!(!at.has_failed());
        let values = [0x200, 0x201, 0x202].map(|register| bus.get(register));
        assert_eq!(values, [ON, 1, 2]);
        Ok(())
    }

    /// Modifies a register, and checks what restores it.
    fn is_restored_by(expected: &[Write], register: u16, found: u64) -> Result {
        let (bus, mut at) = busy()?;
        at.set_tamper(Tamper::Warn);
        bus.set(register, found);
        poll(&mut at, &bus);
        let event = at.take_modified_event().ok_or(EINVAL)?;
        assert_eq!(event.register.found, found);
        assert!(at.is_warned(1) && !at.is_warned(2) && !at.has_failed());
        assert!(bus.take_writes().iter().eq(expected));
        Ok(())
    }

    /// The modified bit is the highest one that the register has.
    #[test]
    fn a_modified_register_is_restored_with_its_guard_off() -> Result {
        const OFF: Write = Write(0x200, 0);
        const BACK_ON: Write = Write(0x200, ON);
        is_restored_by(&[BACK_ON], 0x200, 0)?;
        is_restored_by(
            &[OFF, Write(0x201, PACKET), BACK_ON],
            0x201,
            PACKET ^ 1 << 63,
        )?;
        is_restored_by(&[OFF, Write(0x202, CARE), BACK_ON], 0x202, CARE ^ 1 << 38)
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
