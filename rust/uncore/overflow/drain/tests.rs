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

    /// The global status, each time that it is read, the boxes whose status is set, and the steps.
    type Overflows = (&'static [u64], &'static [usize], &'static [Step]);

    #[test]
    fn boxes_are_serviced_by_their_bits_and_their_status() {
        #[rustfmt::skip]
        const ROWS: &[Overflows] = &[
            (&[], &[], &[Release]),
            // Boxes that share a bit are told apart by their status.
            (&[0b0010], &[2], &[Status(1), Status(2), Snapshot, Release]),
            // Either of its bits stands for a box.
            (&[0b0100], &[3], &[Status(3), Snapshot, Release]),
            (&[HIGH], &[3], &[Status(3), Snapshot, Release]),
            (&[0b0100 | HIGH], &[3], &[Status(3), Snapshot, Release]),
            // A bit that no box owns up to is every box with it.
            (&[0b0011], &[0],
             &[Status(0), Status(1), Status(2), Whole(1), Whole(2), Snapshot, Release]),
            // What overflows meanwhile is seen to before the release.
            (&[0b0001, HIGH], &[0, 3], &[Status(0), Status(3), Snapshot, Release]),
        ];
        for &(overflowed, status, steps) in ROWS {
            let package = Package::default();
            for (cell, bits) in package.overflowed.iter().zip(overflowed) {
                cell.set(*bits);
            }
            for &index in status {
                package.status[index].set(true);
            }
            assert_eq!(package.drain(), !overflowed.is_empty());
            assert!(package.steps().eq(steps.iter().copied()));
        }
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
