// SPDX-License-Identifier: GPL-2.0

//! Boxes that are serviced, and their order.

use kernel::prelude::kunit_tests;

#[kunit_tests(uncore_overflow_drain)]
mod suite {
    use super::super::*;
    use core::cell::Cell;

    /// The bits of four boxes: one alone, two that share one, one with two.
    const BITS: [u64; 4] = [0b0001, 0b0010, 0b0010, 0b0100 | HIGH];

    /// The highest bit that a platform has.
    const HIGH: u64 = 1 << 35;

    /// One step of a drain.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    enum Step {
        Status(usize),
        Whole(usize),
        Snapshot,
        Release,
    }

    use Step::{
        Release,
        Snapshot,
        Status,
        Whole, //
    };

    #[derive(Default)]
    struct Package {
        /// Values of the global status, one for each time that it is read.
        overflowed: [Cell<u64>; 6],
        taken: Cell<usize>,
        /// Status of each box.
        status: [Cell<bool>; 4],
        /// A box has more counters to preset.
        rearmed: Cell<bool>,
        steps: [Cell<Option<Step>>; 24],
    }

    impl Package {
        fn note(&self, step: Step) {
            if let Some(free) = self.steps.iter().find(|step| step.get().is_none()) {
                free.set(Some(step));
            }
        }

        /// Drains the package, and returns whether an interval has ended.
        fn drain(&self) -> bool {
            let mut drain = Drain::default();
            drain.begin();
            loop {
                let before = self.steps().count();
                let next = drain.step(self, true);
                match next {
                    Next::Counts(0) => self.note(Snapshot),
                    Next::Released { ended } => return ended,
                    Next::Counts(_) | Next::Step => {}
                }
                // One box in a step.
                assert!(self.steps().count() <= before + 1);
            }
        }

        fn steps(&self) -> impl Iterator<Item = Step> + '_ {
            self.steps.iter().filter_map(Cell::get)
        }

        fn steps_are(&self, expected: &[Step]) -> bool {
            self.steps().eq(expected.iter().copied())
        }
    }

    impl Frozen for Package {
        fn take(&self) -> u64 {
            let number = self.taken.get();
            self.taken.set(number + 1);
            self.overflowed.get(number).map_or(0, Cell::get)
        }

        fn boxes(&self) -> usize {
            BITS.len()
        }

        fn bits(&self, index: usize) -> u64 {
            BITS.get(index).copied().unwrap_or(0)
        }

        /// An interval ends with each overflow, and in each box that is serviced in any case.
        fn service(&self, index: usize, all: bool) -> Serviced {
            self.note(if all { Whole(index) } else { Status(index) });
            let overflowed = self.status.get(index).is_some_and(|status| status.take());
            Serviced {
                overflows: u32::from(overflowed),
                ended: overflowed || all,
            }
        }

        /// The counters of a box are preset in two steps.
        fn rearm(&self, index: usize, overflows: u32) -> bool {
            let _ = (index, overflows);
            !self.rearmed.replace(!self.rearmed.get())
        }

        fn release(&self) {
            self.note(Release);
        }
    }

    #[test]
    fn a_package_without_status_is_released() {
        let package = Package::default();
        assert!(!package.drain());
        assert!(package.steps_are(&[Release]));
    }

    #[test]
    fn boxes_that_share_a_bit_are_told_apart_by_their_status() {
        let package = Package::default();
        package.overflowed[0].set(0b0010);
        package.status[2].set(true);
        assert!(package.drain());
        assert!(package.steps_are(&[Status(1), Status(2), Snapshot, Release]));
    }

    #[test]
    fn either_of_its_bits_stands_for_a_box() {
        for bits in [0b0100, HIGH, 0b0100 | HIGH] {
            let package = Package::default();
            package.overflowed[0].set(bits);
            package.status[3].set(true);
            assert!(package.drain());
            assert!(package.steps_are(&[Status(3), Snapshot, Release]));
        }
    }

    #[test]
    fn a_bit_that_no_box_owns_up_to_is_every_box() {
        let package = Package::default();
        package.overflowed[0].set(0b0011);
        package.status[0].set(true);
        assert!(package.drain());
        let steps = [
            Status(0),
            Status(1),
            Status(2),
            Whole(1),
            Whole(2),
            Snapshot,
            Release,
        ];
        assert!(package.steps_are(&steps));
    }

    #[test]
    fn what_overflows_meanwhile_is_seen_to_before_the_release() {
        let package = Package::default();
        package.overflowed[0].set(0b0001);
        package.overflowed[1].set(HIGH);
        package.status[0].set(true);
        package.status[3].set(true);
        assert!(package.drain());
        assert!(package.steps_are(&[Status(0), Status(3), Snapshot, Release]));
    }

    #[test]
    fn status_that_does_not_clear_does_not_hold_up_the_release() {
        let package = Package::default();
        for overflowed in &package.overflowed {
            overflowed.set(0b0001);
        }
        assert!(package.drain());
        assert_eq!(package.taken.get(), 4);
        assert_eq!(package.steps().last(), Some(Release));
    }
}
