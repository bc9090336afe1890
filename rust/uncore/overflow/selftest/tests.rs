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
        /// Result of each overflow.
        overflows: Result<(), PollReason>,
        /// Overflows, by their number, whose interrupt is lost.
        lost: fn(u32) -> bool,
        /// Overflows, by their number, that an NMI of another source finds on the target.
        noise: fn(u32) -> bool,
        /// Overflows, by their number, that an NMI of another source finds on the next core, before
        /// the interrupt comes.
        noise_elsewhere: fn(u32) -> bool,
        /// Time from an overflow to such an NMI.
        noise_after: u64,
        /// Time from overflow to interrupt.
        latency: u64,
        fails_after: Cell<u32>,

        all_enabled: Cell<bool>,
        now: Cell<u64>,
        selected: Cell<u32>,
        overflowed: Cell<Option<u64>>,
        /// Time from the last overflow to the NMI that found it.
        found_after: Cell<Option<u64>>,
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
                overflows: Ok(()),
                lost: |_| false,
                noise: |_| false,
                noise_elsewhere: |_| false,
                noise_after: 0,
                latency: 0,
                fails_after: Cell::new(u32::MAX),
                all_enabled: Cell::new(false),
                now: Cell::new(0),
                selected: Cell::new(0),
                overflowed: Cell::new(None),
                found_after: Cell::new(None),
                triggered: Cell::new(0),
            }
        }

        fn access(&self) -> Result<(), PollReason> {
            let left = self.fails_after.get().checked_sub(1);
            self.fails_after.set(left.ok_or(PollReason::Unreachable)?);
            Ok(())
        }

        /// Cores that an overflow interrupts.
        fn selected(&self) -> u32 {
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
            cores & self.there & enabled
        }

        /// Result of the self-test, and after how many milliseconds.
        fn selftest(&self) -> (Result<CoreMap, PollReason>, u64) {
            (run(self, self.target, BITS), self.now.get() / MILLISECOND)
        }
    }

    impl PmiTest for Package {
        fn overflow(&self, bits: u32) -> Result<(), PollReason> {
            self.access()?;
            self.triggered.set(self.triggered.get() + 1);
            self.selected.set(bits);
            self.overflowed.set(Some(self.now.get()));
            self.found_after.set(None);
            self.overflows
        }

        fn interrupted(&self) -> Cores {
            let number = self.triggered.get();
            let since = self.overflowed.get().map(|at| self.now.get() - at);
            let in_time = since.is_some_and(|since| since >= self.latency);
            let mut cores = 0;
            if since.is_some() && (self.noise_elsewhere)(number) {
                cores |= 1 << (self.target + 1);
            } else if in_time && !(self.lost)(number) {
                cores |= self.selected();
            }
            let is_noisy = since.is_some_and(|since| since >= self.noise_after);
            if is_noisy && (self.noise)(number) {
                cores |= 1 << self.target;
            }
            if cores != 0 {
                self.found_after.set(self.found_after.get().or(since));
            }
            Cores(cores.into())
        }

        fn latency(&self) -> u64 {
            self.found_after.get().unwrap_or(0)
        }

        fn wait(&self) {
            self.now.set(self.now.get() + MILLISECOND);
        }

        fn now(&self) -> u64 {
            self.now.get()
        }

        fn forget(&self) -> Result<(), PollReason> {
            self.access()?;
            self.overflowed.set(None);
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
            let (map, ms) = package.selftest();
            assert_eq!(map, Ok(CoreMap::IDENTITY));
            assert!(ms < 20);
            // Three with the bit, one without any.
            assert_eq!(package.triggered.get(), 4);
            assert!(package.overflowed.get().is_none());
        }
        assert_eq!(CoreMap::IDENTITY.bit_for(3, BITS), Some(3));
        assert_eq!(CoreMap::IDENTITY.bit_for(15, BITS), None);
    }

    #[test]
    fn of_two_bits_for_a_core_the_one_with_its_number_is_taken() {
        let mut cores = [Cores(0); MOST_BITS];
        cores[1] = Cores(0b1001);
        cores[3] = Cores(0b1000);
        let map = CoreMap(cores);
        assert_eq!(
            [0, 1, 3].map(|core| map.bit_for(core, BITS)),
            [Some(1), None, Some(3)]
        );
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
            assert!(ms < 2_000);
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

    /// Nobody knows what such an interrupt is good for.
    #[test]
    fn a_core_select_that_is_not_heeded_is_not_believed() {
        for there in [0b1101, 1 << 20 | 1 << 16] {
            let package = Package {
                all: true,
                ..Package::new(there, REVERSED)
            };
            assert_eq!(package.selftest().0, Err(PollReason::Unselected));
        }
        // The interrupt that must not come may be late, too.
        let package = Package {
            all: true,
            latency: 8 * MILLISECOND,
            ..Package::new(1, EQUAL)
        };
        assert_eq!(package.selftest().0, Err(PollReason::Unselected));
    }

    #[test]
    fn an_interrupt_that_comes_twice_of_three_times_is_not_believed() {
        for lost in [|number| number == 2, |number| number == 3] {
            let package = Package {
                lost,
                ..Package::new(1, EQUAL)
            };
            assert_eq!(package.selftest().0, Err(PollReason::Unreliable));
        }
    }

    /// The NMIs of `perf record`.
    #[test]
    fn nmis_of_another_source_change_nothing() {
        let package = Package {
            noise: |number| number == 1 || number == 4,
            ..Package::new(1, EQUAL)
        };
        assert_eq!(package.selftest().0, Ok(CoreMap::IDENTITY));
        let package = Package {
            noise: |number| number % 2 == 1,
            ..Package::new(1, NEVER)
        };
        assert_eq!(package.selftest().0, Err(PollReason::Unreliable));
        let package = Package {
            noise: |_| true,
            ..Package::new(1, NEVER)
        };
        assert_eq!(package.selftest().0, Err(PollReason::Unselected));
        // Few samples, each long after its overflow.
        let package = Package {
            noise: |_| true,
            noise_after: 30 * MILLISECOND,
            ..Package::new(1, NEVER)
        };
        assert_eq!(package.selftest().0, Err(PollReason::Unselected));
    }

    /// Samples that `perf record` takes on other cores.
    #[test]
    fn an_overflow_that_another_core_has_found_is_repeated() {
        let noisy = |noise_elsewhere, core| Package {
            noise_elsewhere,
            ..Package::new(0b11, core)
        };
        let sometimes = noisy(|number| matches!(number, 1 | 4 | 6), EQUAL);
        assert_eq!(sometimes.selftest().0, Ok(CoreMap::IDENTITY));
        // Three times the bit, found elsewhere twice, and none, found elsewhere once.
        assert_eq!(sometimes.triggered.get(), 7);
        let always = noisy(|_| true, EQUAL);
        assert_eq!(always.selftest().0, Err(PollReason::NoBit));
        let lost = noisy(|number| number % 2 == 1, NEVER);
        assert_eq!(lost.selftest().0, Err(PollReason::NoBit));
    }

    /// Bits of missing cores cost no time once the others are found.
    #[test]
    fn the_search_ends_with_the_last_core() {
        let swapped = |bit: u32| bit ^ 1;
        let package = Package::new(0b1111, swapped);
        assert!(package.selftest().0.is_ok());
        // A guess, all, four, two more of the target's, and one without any.
        assert_eq!(package.triggered.get(), 9);
    }

    #[test]
    fn a_core_may_be_late() {
        let package = Package {
            latency: 80 * MILLISECOND,
            ..Package::new(0b1000, EQUAL)
        };
        assert_eq!(package.selftest().0, Ok(CoreMap::IDENTITY));
        let package = Package {
            latency: 80 * MILLISECOND,
            ..Package::new(0b1000, REVERSED)
        };
        assert_eq!(
            package.selftest().0.map(|map| map.bit_for(3, BITS)),
            Ok(Some(11))
        );
    }

    #[test]
    fn a_counter_that_does_not_overflow_ends_the_test() {
        for reason in [PollReason::Still, PollReason::NoOverflow] {
            let package = Package {
                overflows: Err(reason),
                ..Package::new(1, EQUAL)
            };
            assert_eq!(package.selftest(), (Err(reason), 0));
            // It is left as it was.
            assert!(package.overflowed.get().is_none());
        }
    }

    #[test]
    fn bits_are_not_tried_one_by_one_where_nobody_hears() {
        let package = Package::new(1, NEVER);
        // Twice the timeout, and a wait after it.
        assert_eq!(package.selftest(), (Err(PollReason::Unheard), 202));
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
