// SPDX-License-Identifier: GPL-2.0

//! The made-up platforms, from the match of the CPU to a count. All parts that a new platform needs
//! are in its folder.

use kernel::prelude::*;

#[kunit_tests(uncore_platform)]
mod suite {
    use crate::{
        linux::topology::Processor,
        uncore::{
            counter_box::bus::{
                fake::Fake,
                FilterLocation, //
            },
            machine::detect,
            options::Criteria,
            pmu::sysfs::{
                event::{
                    each_named,
                    Index,
                    Named, //
                },
                tests::{
                    content,
                    words, //
                },
                Fact, //
            },
            request::{
                group,
                parser::parse,
                Counters,
                Request, //
            },
            table::prelude::*,
            testing::{
                numbered::Numbered,
                MADE_UP,
                MSR_ONLY, //
            }, //
        }, //
    };
    use kernel::prelude::*;

    /// The one line in which a driver names its platforms.
    const PLATFORMS: &[&Platform] = &[&MADE_UP, &MSR_ONLY];

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
            model: 253,
            ..processor
        };
        let foreign = Processor {
            intel: false,
            ..processor
        };
        let chosen = detect::find(PLATFORMS, &processor);
        assert!(chosen.is_some_and(|chosen| chosen.name == "madeup"));
        assert!(detect::find(PLATFORMS, &other).is_none());
        assert!(detect::find(PLATFORMS, &foreign).is_none());
        Ok(())
    }

    #[test]
    fn counters_are_let_run_by_a_command_or_a_level() {
        const BIT: u32 = 1 << 29;
        for now in [0, BIT, u32::MAX] {
            assert_eq!(Run::Command(BIT).bits(true, || now), BIT);
            assert_eq!(Run::Command(BIT).bits(false, || now), 0);
            assert_eq!(Run::Level(BIT).bits(true, || now), BIT);
            // An overflow may have frozen the counters.
            assert_eq!(Run::Level(BIT).bits(false, || now), now & BIT);
        }
    }

    /// Adds to the counter that a request can use, general or fixed.
    fn advance(bus: &Fake, kind: &BoxType, request: &Request, count: u64) {
        match request.on {
            Counters::General(_) => {
                let running = kind.counters.iter().find(|at| bus.get(at.control) != 0);
                if let Some(at) = running {
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
        let filters = FilterLocation::Function(());
        let mut at = Numbered::new(kind, filters)?;
        at.begin();
        at.add(&bus, 1, request, true)?;
        at.start(&bus, 1)?;
        at.end(&bus);
        advance(&bus, kind, request, 42);
        Ok(at.remove(&bus, 1))
    }

    /// The count of an event that is requested by its name.
    fn count_by_name(kind: &'static BoxType, index: Index) -> Result<u64> {
        let text = content(kind, Fact::Event(index))?;
        let words = words(kind, text.as_str())?;
        let request = parse(kind, &words).map_err(|_| EINVAL)?;
        assert!(group::check(kind, Criteria::One, [&request].into_iter()).is_ok());
        count(kind, &request)
    }

    #[test]
    fn every_event_with_a_name_counts() -> Result {
        let mut counted = 0;
        for &kind in PLATFORMS.iter().flat_map(|platform| platform.box_types) {
            each_named(kind, &mut |file: &Named| {
                assert_eq!(count_by_name(kind, file.index)?, 42);
                counted += 1;
                Ok(())
            })?;
        }
        assert_eq!(counted, 55);
        Ok(())
    }
}
