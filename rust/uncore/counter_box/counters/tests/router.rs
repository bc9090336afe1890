// SPDX-License-Identifier: GPL-2.0

//! Filter registers of 64 bits.

use kernel::prelude::*;

#[kunit_tests(uncore_box_router)]
mod suite {
    use super::super::*;
    use crate::uncore::{
        counter_box::modified::{
            ModifiedRegister,
            Register, //
        },
        testing::msr_only::router::*, //
    };

    const PACKETS: u64 = 0x00;
    const CLOCK: u64 = 0x01;

    const PACKET: u64 = 0xfedc_ba98_7654_3210;
    const CARE: u64 = 0x43_2123_4567;

    /// Makes a box that verifies its registers, on which event 1 counts packets and event 2 clocks.
    fn busy() -> Result<(Fake, KBox<BoxCounters>)> {
        let (bus, mut at) = (Fake::new()?, fresh(&ROUTER, FilterLocation::Own)?);
        at.measure(&bus);
        bus.take_writes();
        begin(&mut at, &bus, 1, [PACKETS, PACKET, CARE], false)?;
        begin(&mut at, &bus, 2, [CLOCK, 0, 0], false)?;
        Ok((bus, at))
    }

    #[test]
    fn all_bits_are_written_and_verified() -> Result {
        let (bus, mut at) = busy()?;
        assert_eq!((bus.get(MATCH), bus.get(MASK)), (PACKET, CARE));
        poll(&mut at, &bus);
        assert!(!at.has_modified_event());
        let found = PACKET ^ 1 << 63;
        bus.set(MATCH, found);
        poll(&mut at, &bus);
        let event = at.take_modified_event().ok_or(EINVAL)?;
        let expected = ModifiedRegister {
            register: Register::Filter(MATCH),
            written: PACKET,
            found,
        };
        assert_eq!(event.register, expected);
        assert_eq!(bus.get(MATCH), PACKET);
        assert!(at.is_modified(1) && !at.is_modified(2));
        Ok(())
    }

    #[test]
    fn two_events_share_them_if_they_agree_in_all_bits() -> Result {
        let (bus, mut at) = busy()?;
        at.remove(&bus, 2);
        let other = request(&ROUTER, [PACKETS, PACKET ^ 1 << 63, CARE])?;
        assert_eq!(at.add(&bus, 3, &other, false), Err(EAGAIN));
        begin(&mut at, &bus, 3, [PACKETS, PACKET, CARE], false)
    }
}
