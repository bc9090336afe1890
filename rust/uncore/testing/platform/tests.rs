// SPDX-License-Identifier: GPL-2.0

//! The made-up platform from its choice to a count: all that a new platform has to bring is in the
//! folder of this file.

use kernel::prelude::*;

#[kunit_tests(uncore_platform)]
mod suite {
    use super::super::{
        super::super::{
            box_type::{
                BoxType,
                Platform, //
            },
            bus::fake::Fake,
            counter_box::{
                CounterBox,
                Reach, //
            },
            event::{
                parse,
                Counters,
                Request, //
            },
            gate, group,
            sysfs::{
                named,
                tests::{
                    fact,
                    words, //
                },
                Attribute,
            },
        },
        MADE_UP, //
    };
    use crate::linux::topology::Processor;
    use kernel::prelude::*;

    /// The one line by which a driver knows its platforms.
    const PLATFORMS: &[&Platform] = &[&MADE_UP];

    #[test]
    fn it_is_chosen_by_its_processor() -> Result {
        let processor = Processor {
            intel: true,
            family: 6,
            model: 251,
            stepping: 2,
            hypervisor: false,
        };
        let other = Processor {
            model: 252,
            ..processor
        };
        let foreign = Processor {
            intel: false,
            ..processor
        };
        let chosen = gate::find(PLATFORMS, &processor);
        assert!(chosen.is_some_and(|chosen| chosen.name == "madeup"));
        assert!(gate::find(PLATFORMS, &other).is_none());
        assert!(gate::find(PLATFORMS, &foreign).is_none());
        Ok(())
    }

    /// Has the counter of a request move on, whichever it is on.
    fn advance(bus: &Fake, kind: &BoxType, request: &Request, count: u64) {
        match request.on {
            Counters::General(_) => {
                let mut counters = kind.counters.iter();
                if let Some(at) = counters.find(|at| bus.get(at.control) != 0) {
                    bus.advance(kind, at.counter, count);
                }
            }
            Counters::Fixed(index) => {
                if let Some(at) = kind.fixed.get(usize::from(index)) {
                    bus.set(at.counter, bus.get(at.counter) + count);
                }
            }
        }
    }

    /// Counts one event on a box by itself.
    fn count(kind: &'static BoxType, request: &Request) -> Result<u64> {
        let bus = Fake::with_filters()?;
        let mut at = KBox::init(CounterBox::new(kind, Reach::Apart), GFP_KERNEL)?;
        at.begin();
        at.add(&bus, 1, request, true)?;
        at.start(&bus, 1)?;
        at.end(&bus);
        advance(&bus, kind, request, 42);
        Ok(at.remove(&bus, 1))
    }

    /// What an event counts that is asked for by its name. Not inlined, so that the stack is not
    /// taken twice: by this and by the walk over the names.
    #[inline(never)]
    fn count_by_name(kind: &'static BoxType, attribute: Attribute) -> Result<u64> {
        let text = fact(kind, attribute)?;
        let words = words(kind, text.as_str())?;
        let request = parse(kind, &words).map_err(|_| EINVAL)?;
        assert!(group::check(kind, [request].into_iter()).is_ok());
        count(kind, &request)
    }

    #[test]
    fn every_event_with_a_name_counts() -> Result {
        let mut counted = 0;
        for &kind in MADE_UP.box_types {
            for file in named(kind) {
                assert_eq!(count_by_name(kind, file.attribute)?, 42);
                counted += 1;
            }
        }
        assert_eq!(counted, 20);
        Ok(())
    }
}
