// SPDX-License-Identifier: GPL-2.0

//! Packages that interrupt by each rule, late, or not at all.

use kernel::prelude::kunit_tests;

#[kunit_tests(uncore_overflow_trial)]
mod suite {
    use super::super::*;
    use core::cell::Cell;

    const BITS: u8 = 15;

    /// A package with a counter.
    struct Package {
        /// Core that each bit stands for. Only cores of `there` exist.
        core: fn(u32) -> u32,
        /// Any bit interrupts all cores.
        all: bool,
        there: u32,
        target: u32,
        counts: bool,
        overflows: bool,
        /// Time from start to overflow, and from overflow to interrupt.
        takes: u64,
        latency: u64,
        fails_after: Cell<u32>,

        all_enabled: Cell<bool>,
        now: Cell<u64>,
        selected: Cell<u32>,
        set: Cell<Option<u64>>,
        triggered: Cell<u32>,
    }

    impl Package {
        /// Creates a package with these cores, as a mask; the lowest is the target.
        fn new(there: u32, core: fn(u32) -> u32) -> Self {
            Self {
                core,
                all: false,
                there,
                target: there.trailing_zeros(),
                counts: true,
                overflows: true,
                takes: MILLISECOND,
                latency: 0,
                fails_after: Cell::new(u32::MAX),
                all_enabled: Cell::new(false),
                now: Cell::new(0),
                selected: Cell::new(0),
                set: Cell::new(None),
                triggered: Cell::new(0),
            }
        }

        fn access(&self) -> Result<(), PollReason> {
            let left = self.fails_after.get().checked_sub(1);
            self.fails_after.set(left.ok_or(PollReason::Unreachable)?);
            Ok(())
        }

        /// Cores that an overflow interrupts.
        fn interrupted(&self) -> Cores {
            let selected = (0..32).filter(|bit| self.selected.get() >> bit & 1 != 0);
            let cores = if self.all {
                self.there
            } else {
                selected.fold(0, |cores, bit| cores | 1 << (self.core)(bit))
            };
            let enabled = if self.all_enabled.get() {
                self.there
            } else {
                1 << self.target
            };
            Cores(u64::from(cores & self.there & enabled))
        }

        /// Result of the self-test, and after how many milliseconds.
        fn selftest(&self) -> (Result<CoreMap, PollReason>, u64) {
            (run(self, self.target, BITS), self.now.get() / MILLISECOND)
        }
    }

    impl PmiTest for Package {
        fn trigger(&self, bits: u32) -> Result<(), PollReason> {
            self.access()?;
            self.triggered.set(self.triggered.get() + 1);
            self.selected.set(bits);
            self.set.set(Some(self.now.get()));
            Ok(())
        }

        fn status(&self) -> Result<TestStatus, PollReason> {
            self.access()?;
            let Some(set) = self.set.get() else {
                return Ok(TestStatus::default());
            };
            let since = self.now.get() - set;
            let overflowed = self.counts && self.overflows && since >= self.takes;
            let in_time = overflowed && since >= self.takes + self.latency;
            Ok(TestStatus {
                counted: self.counts,
                overflowed,
                interrupted: if in_time {
                    self.interrupted()
                } else {
                    Cores::default()
                },
            })
        }

        fn wait(&self) {
            self.now.set(self.now.get() + MILLISECOND);
        }

        fn now(&self) -> u64 {
            self.now.get()
        }

        fn reset(&self) -> Result<(), PollReason> {
            self.access()?;
            self.set.set(None);
            Ok(())
        }

        fn enable_all(&self) -> Cores {
            self.all_enabled.set(true);
            Cores(self.there.into())
        }
    }

    const EQUAL: fn(u32) -> u32 = |bit| bit;
    const REVERSED: fn(u32) -> u32 = |bit| 14 - bit.min(14);
    const NEVER: fn(u32) -> u32 = |_| 31;

    #[test]
    fn a_good_guess_is_the_end_of_it() {
        for there in [1, 0b1000, 0b110_0000] {
            let package = Package::new(there, EQUAL);
            assert_eq!(package.selftest(), (Ok(CoreMap::IDENTITY), 2));
            assert_eq!(package.triggered.get(), 1);
            assert!(package.set.get().is_none());
        }
        assert_eq!(CoreMap::IDENTITY.bit_for(3, BITS), Some(3));
        assert_eq!(CoreMap::IDENTITY.bit_for(15, BITS), None);
    }

    #[test]
    fn every_core_that_is_there_is_found() -> Result<(), PollReason> {
        // The last has a core whose number is that of no bit.
        for there in [0b1, 0b10_0101_1011, 0x7fff] {
            let (found, ms) = Package::new(there, REVERSED).selftest();
            let map = found?;
            for core in 0..u32::from(BITS) {
                let bit = (there >> core & 1 != 0).then_some(14 - core as u8);
                assert_eq!(map.bit_for(core, BITS), bit);
            }
            assert!(ms < 15_000);
        }
        Ok(())
    }

    /// Bits that number the existing cores, and not the places for cores.
    #[test]
    fn a_union_has_the_cores_of_both() {
        assert_eq!(Cores(0b011).union(Cores(0b110)), Cores(0b111));
    }

    #[test]
    fn bits_may_number_the_cores_that_are_there() -> Result<(), PollReason> {
        let dense = |bit| [2, 3, 9, 14].get(bit as usize).copied().unwrap_or(31);
        let map = Package::new(0b100_0010_0000_1100, dense).selftest().0?;
        let bits = [2, 3, 9, 14, 0].map(|core| map.bit_for(core, BITS));
        assert_eq!(bits, [Some(0), Some(1), Some(2), Some(3), None]);
        Ok(())
    }

    /// If any bit interrupts all cores, any bit will do.
    #[test]
    fn the_core_select_may_not_be_heeded() -> Result<(), PollReason> {
        let package = Package {
            all: true,
            ..Package::new(0b1101, REVERSED)
        };
        assert_eq!(package.selftest().0, Ok(CoreMap::IDENTITY));
        let package = Package {
            all: true,
            ..Package::new(1 << 20 | 1 << 16, EQUAL)
        };
        assert_eq!(package.selftest().0?.bit_for(16, BITS), Some(0));
        Ok(())
    }

    /// Bits of missing cores cost no time once the others are found.
    #[test]
    fn the_search_ends_with_the_last_core() {
        let swapped = |bit: u32| bit ^ 1;
        let package = Package::new(0b1111, swapped);
        assert!(package.selftest().0.is_ok());
        // A guess, all, and four.
        assert_eq!(package.triggered.get(), 6);
    }

    #[test]
    fn a_core_may_be_late() {
        let package = Package {
            latency: 400 * MILLISECOND,
            takes: 1500 * MILLISECOND,
            ..Package::new(0b1000, EQUAL)
        };
        assert_eq!(package.selftest().0, Ok(CoreMap::IDENTITY));
        let package = Package {
            latency: 400 * MILLISECOND,
            ..Package::new(0b1000, REVERSED)
        };
        assert_eq!(
            package.selftest().0.map(|map| map.bit_for(3, BITS)),
            Ok(Some(11))
        );
    }

    #[test]
    fn a_counter_that_stands_still_is_given_up_quickly() {
        let package = Package {
            counts: false,
            ..Package::new(1, EQUAL)
        };
        assert_eq!(package.selftest(), (Err(PollReason::Still), 100));
        // It is left as it was.
        assert!(package.set.get().is_none());
    }

    #[test]
    fn a_counter_that_does_not_overflow_is_given_up() {
        let package = Package {
            overflows: false,
            ..Package::new(1, EQUAL)
        };
        assert_eq!(package.selftest(), (Err(PollReason::NoOverflow), 2000));
    }

    #[test]
    fn bits_are_not_tried_one_by_one_where_nobody_hears() {
        let package = Package::new(1, NEVER);
        assert_eq!(package.selftest().0, Err(PollReason::Unheard));
        assert_eq!(package.triggered.get(), 2);
    }

    #[test]
    fn a_target_that_no_bit_stands_for_is_deaf() {
        let others = |bit| bit + 1;
        assert_eq!(
            Package::new(0b1101, others).selftest().0,
            Err(PollReason::NoBit)
        );
    }

    #[test]
    fn registers_that_fail_end_the_trial() {
        for accesses in 0..9 {
            let package = Package {
                takes: 5 * MILLISECOND,
                fails_after: Cell::new(accesses),
                ..Package::new(1, EQUAL)
            };
            let expected = match accesses {
                0..=7 => Err(PollReason::Unreachable),
                _ => Ok(CoreMap::IDENTITY),
            };
            assert_eq!(package.selftest().0, expected);
        }
    }
}
