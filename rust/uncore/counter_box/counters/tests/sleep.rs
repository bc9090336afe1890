// SPDX-License-Identifier: GPL-2.0

//! Registers that a sleep of the package clears.

use kernel::prelude::*;

#[kunit_tests(uncore_box_sleep)]
mod suite {
    use super::super::*;
    use crate::uncore::{
        counter_box::{
            bus::Bus,
            modified::Cause, //
        },
        table::{
            field::low_half,
            prelude::*, //
        }, //
    };

    /// Bits of the level.
    const LEVEL: u32 = 1 << 29 | 1;

    const GLOBAL: GlobalMsrs = GlobalMsrs {
        control: 0x391,
        run: Run::Level(LEVEL),
        interrupt: None,
    };

    const CONTROL: u16 = 0x0;
    const COUNTER: u16 = 0x6;
    const ENABLE: u32 = 1 << 22;

    /// A made-up box of one counter.
    static SLEEPER: BoxType = BoxType {
        name: "sleeper",
        numbered: false,
        counters: &[counter(CONTROL, COUNTER)],
        width: 44,
        control: Control {
            writable: 0x0040_ffff,
            enable: ENABLE,
            ..NO_CONTROL
        },
        fields: &[
            field("event", Word::Config, bits::<0, 7>(), Role::Select),
            field("umask", Word::Config, bits::<8, 15>(), Role::Umask),
        ],
        events: &[event("clock", 0x01, 1, 1).source("made up")],
        max_clock_mhz: 1000,
        max_increment: 1,
        lost_with: Some(&GLOBAL),
        ..ORDINARY_BOX
    };

    /// Makes a box on which the event counts that was read at 1000.
    fn counting() -> Result<(Fake, Numbered)> {
        let (bus, mut at) = (Fake::new()?, fresh(&SLEEPER, FilterLocation::Own)?);
        begin(&mut at, &bus, 1, [0x01, 0, 0], false)?;
        bus.set(COUNTER, 1000);
        assert_eq!(at.read(&bus, 1), 1000);
        bus.take_writes();
        Ok((bus, at))
    }

    /// Clears the level, the control register, and the counter as well if it is `lost`.
    fn sleep(bus: &Fake, lost: bool) {
        bus.set_global(0);
        bus.set(CONTROL, 0);
        if lost {
            bus.set(COUNTER, 0);
        }
    }

    #[test]
    fn a_cleared_counter_is_no_wrap_while_the_level_is_lost() -> Result {
        let (bus, mut at) = counting()?;
        sleep(&bus, true);
        assert_eq!(at.read(&bus, 1), 0);
        at.read_all(&bus);
        assert_eq!(at.read(&bus, 1), 0);
        // Nor is it one when somebody else has set the level.
        bus.set_global(LEVEL.into());
        assert_eq!(at.read(&bus, 1), 0);
        at.read_all(&bus);
        assert!(at.is_modified(1));
        Ok(())
    }

    /// Bits of the level that do not read as written tell nothing.
    #[test]
    fn a_wrap_counts_whatever_can_be_read_of_the_level() -> Result {
        for bits in [LEVEL, 1 << 29, 0] {
            let (bus, mut at) = (Fake::new()?, fresh(&SLEEPER, FilterLocation::Own)?);
            bus.set(COUNTER, (1 << 44) - 5);
            begin(&mut at, &bus, 1, [0x01, 0, 0], false)?;
            bus.set_global(bits.into());
            at.event(1)
                .ok_or(EINVAL)?
                .reach
                .set_level(low_half(bus.read_msr(GLOBAL.control)?));
            bus.set(COUNTER, 10);
            assert_eq!(at.read(&bus, 1), 15);
        }
        Ok(())
    }

    #[test]
    fn cleared_registers_are_written_again() -> Result {
        for (lost, kept) in [(false, 500), (true, 0)] {
            let (bus, mut at) = counting()?;
            bus.set(COUNTER, 1500);
            sleep(&bus, lost);
            restore_lost(&mut at, &bus);
            let expected = [Write(CONTROL, 0x01 | u64::from(ENABLE))];
            assert!(bus.take_writes().iter().eq(&expected));
            bus.set_global(LEVEL.into());
            bus.set(COUNTER, bus.get(COUNTER) + 10);
            assert_eq!(at.read(&bus, 1), kept + 10);
            let told = at.take_modified_event();
            assert!(told.is_some_and(|event| event.cause == Cause::Sleep));
            // It is told once.
            sleep(&bus, lost);
            restore_lost(&mut at, &bus);
            assert!(at.take_modified_event().is_none() && !at.holds_modified_event());
        }
        Ok(())
    }

    #[test]
    fn registers_that_have_stayed_are_not_written() -> Result {
        let (bus, mut at) = counting()?;
        bus.set_global(0);
        restore_lost(&mut at, &bus);
        poll(&mut at, &bus);
        assert!(bus.take_writes().is_empty());
        Ok(())
    }

    #[test]
    fn an_event_stops_after_a_sleep_with_what_it_had() -> Result {
        let (bus, mut at) = counting()?;
        sleep(&bus, true);
        assert_eq!(at.remove(&bus, 1), 0);
        Ok(())
    }
}
