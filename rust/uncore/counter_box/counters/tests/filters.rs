// SPDX-License-Identifier: GPL-2.0

//! Filter registers in a PCI function of their own, which appears and disappears.

use kernel::prelude::*;

#[kunit_tests(uncore_box_filters)]
mod suite {
    use super::super::*;
    use crate::uncore::table::prelude::*;
    use crate::uncore::testing::{
        self,
        platform::link::{
            CONTROL,
            COUNTER,
            ENABLE,
            LINK,
            LINKS,
            MASK,
            MATCH,
            PACKET, //
        },
        KIND, //
    };

    const CLOCK: u64 = 0x14;
    const OTHER_SET: u64 = 0x14 | 1 << 32;
    const MESSAGE: u64 = 0x38 | 1 << 21;

    /// Makes a box whose filters are in another function.
    fn apart() -> Result<(Fake, Numbered)> {
        let filters = FilterLocation::Function(());
        Ok((Fake::with_filters()?, Numbered::new(&LINK, filters)?))
    }

    /// Makes a box on which event 1 counts with filters, and event 2 without.
    fn busy() -> Result<(Fake, Numbered)> {
        let (bus, mut at) = apart()?;
        begin(&mut at, &bus, 1, [MESSAGE, 0x1c00, 0x1e00], false)?;
        begin(&mut at, &bus, 2, [CLOCK, 0, 0], false)?;
        Ok((bus, at))
    }

    /// Advances both counters.
    fn advance(bus: &Fake, count: u64) {
        for (control, counter) in CONTROL.iter().zip(COUNTER) {
            if bus.get(*control) != 0 {
                bus.advance(&LINK, counter, count);
            }
        }
    }

    /// A register of the filters that has one value while an event uses them.
    const CONSTANT: u16 = 0x200;
    static WITH_CONSTANT: BoxType = BoxType {
        filters: &[
            filter_register(MATCH, Word::Config1, 0, 0x1fe0),
            filter_register(MASK, Word::Config2, 0, 0x1fe0),
            constant_filter(Place::Offset(CONSTANT), 1 << PACKET, 0x1e00),
        ],
        ..LINKS
    };

    #[test]
    fn a_constant_is_written_while_an_event_uses_its_unit() -> Result {
        let filters = FilterLocation::Function(());
        let (bus, mut at) = (
            Fake::with_filters()?,
            Numbered::new(&WITH_CONSTANT, filters)?,
        );
        begin(&mut at, &bus, 1, [CLOCK, 0, 0], false)?;
        assert_eq!(bus.filters().get(CONSTANT), 0);
        begin(&mut at, &bus, 2, [MESSAGE, 0, 0x1e00], false)?;
        assert_eq!(bus.filters().get(MATCH), 0);
        assert_eq!(bus.filters().get(CONSTANT), 0x1e00);
        at.remove(&bus, 2);
        begin(&mut at, &bus, 3, [MESSAGE, 0x1c00, 0x1e00], false)?;
        let values = [MATCH, MASK, CONSTANT].map(|register| bus.filters().get(register));
        assert_eq!(values, [0x1c00, 0x1e00, 0x1e00]);
        Ok(())
    }

    #[test]
    fn what_needs_them_counts_on_until_they_go_and_nothing_is_added() -> Result {
        let (bus, mut at) = busy()?;
        at.close_filters();
        assert!(at.has_filtered());
        let refused = at.add(&bus, 3, &request(&LINK, [MESSAGE, 0x1c00, 0x1e00])?, false);
        assert_eq!(refused, Err(ENODEV));
        at.add(&bus, 4, &request(&LINK, [OTHER_SET, 0, 0])?, false)?;
        advance(&bus, 5);
        assert_eq!(at.remove(&bus, 1), 5);
        assert!(!at.has_filtered());
        assert_eq!(at.remove(&bus, 2), 5);
        at.lose_filters(&bus);
        at.gain_filters();
        at.add(&bus, 3, &request(&LINK, [MESSAGE, 0x1c00, 0x1e00])?, false)
    }

    #[test]
    fn what_is_shown_without_them_counts_on_when_they_go() -> Result {
        const QUEUE: u64 = 0x0111;
        const DEPENDENT: u64 = 0x1f;
        let apart = FilterLocation::Function(());
        let (bus, mut at) = (Fake::with_filters()?, Numbered::new(&KIND, apart)?);
        for (id, config) in [(1, QUEUE), (2, DEPENDENT), (3, 0x0334)] {
            begin(&mut at, &bus, id, [config, 0, 0], false)?;
        }
        at.lose_filters(&bus);
        for (index, count) in (0..).zip([5, 6, 7, 8]) {
            let running = bus.get(testing::CONTROL[index]) != 0;
            bus.advance(
                &KIND,
                testing::COUNTER[index],
                if running { count } else { 0 },
            );
        }
        assert_eq!(at.read(&bus, 1), 5);
        assert!(at.read(&bus, 2) > 0);
        assert_eq!(at.read(&bus, 3), 0);
        Ok(())
    }

    #[test]
    fn a_function_that_swallows_writes_is_lost() -> Result {
        for reads in [0, u64::MAX, 0x1c00] {
            let (bus, mut at) = apart()?;
            begin(&mut at, &bus, 2, [CLOCK, 0, 0], false)?;
            bus.filters().silence(reads);
            at.add(&bus, 1, &request(&LINK, [MESSAGE, 0x1800, 0x1e00])?, false)?;
            assert_eq!(at.start(&bus, 1), Err(ENODEV));
            assert!(at.lacks_filters() && !at.has_failed());
            let message = |control: &u16| bus.get(*control) == MESSAGE | ENABLE;
            assert!(!CONTROL.iter().any(message));
            advance(&bus, 11);
            assert_eq!(at.remove(&bus, 1), 0);
            assert_eq!(at.remove(&bus, 2), 11);
        }
        Ok(())
    }

    #[test]
    fn a_function_that_fails_at_any_access_takes_no_other_event_with_it() -> Result {
        for allowed in 0..4 {
            let (bus, mut at) = apart()?;
            begin(&mut at, &bus, 2, [CLOCK, 0, 0], false)?;
            bus.filters().fail_after(allowed);
            at.add(&bus, 1, &request(&LINK, [MESSAGE, 0x1c00, 0x1e00])?, false)?;
            assert_eq!(at.start(&bus, 1), Err(ENODEV));
            assert!(at.lacks_filters() && !at.has_failed());
            advance(&bus, 3);
            assert_eq!(at.remove(&bus, 1), 0);
            assert_eq!(at.remove(&bus, 2), 3);
        }
        Ok(())
    }

    #[test]
    fn filters_of_its_own_that_fail_are_the_end_of_the_box() -> Result {
        let (bus, mut at) = (
            Fake::with_filters()?,
            Numbered::new(&LINK, FilterLocation::Own)?,
        );
        bus.filters().fail_after(0);
        at.add(&bus, 1, &request(&LINK, [MESSAGE, 0x1c00, 0x1f80])?, false)?;
        assert_eq!(at.start(&bus, 1), Err(ENODEV));
        assert!(at.has_failed());
        Ok(())
    }
}
