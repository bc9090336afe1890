// SPDX-License-Identifier: GPL-2.0

//! Each kind of NMI in each state of the registers.

use kernel::prelude::kunit_tests;

#[kunit_tests(uncore_overflow_claim)]
mod suite {
    use super::super::*;
    use core::cell::Cell;

    const MILLISECOND: u64 = 1_000_000;

    /// A CPU, its interrupt controller and its package's global status.
    #[derive(Default)]
    struct Machine<'a> {
        masked: Cell<bool>,
        status: Cell<u64>,
        now: Cell<u64>,
        /// Boxes that overflow just after the mask bit was cleared, with a PMI.
        after_unmask: Cell<u64>,
        /// Boxes that overflow just after the status was read, with a PMI.
        after_status: Cell<u64>,
        /// Claims of another NMI, which comes just after the status was cleared.
        after_clear: Cell<Option<&'a NmiClaims>>,
        /// Verdict on that NMI.
        second: Cell<Option<Verdict>>,
        /// Number of PMIs that came while the mask bit was set.
        lost: Cell<u32>,
        /// Number of NMIs that are still to be handled.
        latched: Cell<u32>,
        /// The chipset reports an NMI.
        chipset: Cell<bool>,
    }

    impl Machine<'_> {
        fn overflow(&self, bits: u64) {
            if bits == 0 {
                return;
            }
            self.status.set(self.status.get() | bits);
            self.interrupt();
        }

        fn interrupt(&self) {
            if self.masked.replace(true) {
                self.lost.set(self.lost.get() + 1);
            } else {
                // A second NMI before the first is handled merges with it.
                self.latched.set(1);
            }
        }

        /// Handles the next NMI.
        fn nmi(&self, claims: &NmiClaims) -> Verdict {
            self.latched.set(0);
            claims.claim(self, true)
        }

        /// Handles the next NMI on a CPU that PMIs are not routed to.
        fn nmi_elsewhere(&self, claims: &NmiClaims) -> Verdict {
            self.latched.set(0);
            claims.claim(self, false)
        }
    }

    impl PmiRegisters for Machine<'_> {
        fn is_masked(&self) -> bool {
            self.masked.get()
        }

        fn unmask(&self) {
            self.masked.set(false);
            self.overflow(self.after_unmask.take());
        }

        fn status(&self) -> u64 {
            let status = self.status.get();
            self.overflow(self.after_status.take());
            status
        }

        fn clear(&self, bits: u64) {
            self.status.set(self.status.get() & !bits);
            if let Some(claims) = self.after_clear.take() {
                self.second.set(Some(self.nmi(claims)));
            }
        }

        fn is_of_chipset(&self) -> bool {
            self.chipset.get()
        }

        fn now(&self) -> u64 {
            self.now.get()
        }
    }

    /// The core PMU's handler has cleared the mask bit of the second one.
    #[test]
    fn an_nmi_right_after_the_status_was_cleared_is_late() {
        let claims = NmiClaims::new();
        let machine = Machine::default();
        claims.set_nmis_per_overflow(2);
        machine.overflow(1);
        machine.after_clear.set(Some(&claims));
        assert_eq!(machine.nmi(&claims), Verdict::Overflow(1));
        assert_eq!(machine.second.get(), Some(Verdict::Late));
    }

    #[test]
    fn an_overflow_is_claimed_with_all_its_boxes() {
        let (machine, claims) = (Machine::default(), NmiClaims::new());
        machine.overflow(1);
        machine.overflow(1 << 35);
        assert_eq!(machine.nmi(&claims), Verdict::Overflow(1 << 35 | 1));
        assert_eq!(machine.status.get(), 0);
        assert!(!machine.masked.get());
    }

    #[test]
    fn a_pmi_of_nothing_is_spurious() {
        let (machine, claims) = (Machine::default(), NmiClaims::new());
        machine.interrupt();
        assert_eq!(machine.nmi(&claims), Verdict::Spurious);
        assert!(!machine.masked.get());
        machine.overflow(1);
        assert_eq!(machine.nmi(&claims), Verdict::Overflow(1));
        machine.now.set(RECENT_NS + 2);
        machine.interrupt();
        assert_eq!(machine.nmi(&claims), Verdict::Spurious);
    }

    #[test]
    fn a_second_pmi_of_an_overflow_is_late() {
        let (machine, claims) = (Machine::default(), NmiClaims::new());
        machine.overflow(1);
        assert_eq!(machine.nmi(&claims), Verdict::Overflow(1));
        for _ in 0..3 {
            machine.interrupt();
            assert_eq!(machine.nmi(&claims), Verdict::Late);
        }
    }

    /// An NMI with evidence is one of those that were still to come.
    #[test]
    fn a_late_nmi_with_its_mask_bit_is_counted() {
        let (machine, claims) = (Machine::default(), NmiClaims::new());
        claims.set_nmis_per_overflow(2);
        machine.overflow(1);
        assert_eq!(machine.nmi(&claims), Verdict::Overflow(1));
        machine.interrupt();
        assert_eq!(machine.nmi(&claims), Verdict::Late);
        assert_eq!(machine.nmi(&claims), Verdict::Foreign);
    }

    #[test]
    fn a_clock_that_goes_back_does_not_matter() {
        let (machine, claims) = (Machine::default(), NmiClaims::new());
        claims.set_nmis_per_overflow(2);
        machine.now.set(10 * MILLISECOND);
        machine.overflow(1);
        assert_eq!(machine.nmi(&claims), Verdict::Overflow(1));
        machine.now.set(9 * MILLISECOND);
        assert_eq!(machine.nmi(&claims), Verdict::Late);
    }

    /// An overflow while an NMI is handled is found by it or sends another NMI, which is claimed.
    #[test]
    fn overflows_during_a_claim_are_not_lost() {
        for (after_unmask, after_status) in [(2, 0), (0, 2), (2, 4)] {
            let (machine, claims) = (Machine::default(), NmiClaims::new());
            machine.overflow(1);
            machine.after_unmask.set(after_unmask);
            machine.after_status.set(after_status);
            let mut seen = 0;
            while machine.latched.get() != 0 {
                match machine.nmi(&claims) {
                    Verdict::Overflow(bits) => seen |= bits,
                    verdict => assert_eq!(verdict, Verdict::Late),
                }
            }
            assert_eq!(seen, 1 | after_unmask | after_status);
            assert_eq!(machine.status.get(), 0);
        }
    }

    #[test]
    fn status_found_without_an_nmi_makes_its_nmi_late() {
        let (machine, claims) = (Machine::default(), NmiClaims::new());
        for masked in [true, false] {
            machine.overflow(3);
            machine.masked.set(masked);
            assert_eq!(claims.take_status(&machine, 1), 3);
            assert_eq!(machine.nmi(&claims), Verdict::Late);
            assert_eq!(machine.nmi(&claims), Verdict::Foreign);
        }
    }

    #[test]
    fn a_cpu_that_is_not_meant_has_its_own_masked() {
        let (machine, claims) = (Machine::default(), NmiClaims::new());
        machine.interrupt();
        assert_eq!(machine.nmi_elsewhere(&claims), Verdict::Foreign);
        assert!(machine.masked.get());
    }

    #[test]
    fn a_cpu_that_is_not_meant_can_be_the_first_to_hear() {
        let (machine, claims) = (Machine::default(), NmiClaims::new());
        machine.overflow(1);
        assert_eq!(machine.nmi_elsewhere(&claims), Verdict::Overflow(1));
        assert!(!machine.masked.get());
        machine.interrupt();
        assert_eq!(machine.nmi_elsewhere(&claims), Verdict::Late);
    }

    /// `perf record` samples the cores: its NMI on another CPU comes between the overflow and the
    /// PMI, whose mask bit the core PMU's handler clears.
    #[test]
    fn an_nmi_of_another_source_leaves_the_pmi_its_claim() {
        let (machine, claims) = (Machine::default(), NmiClaims::new());
        machine.overflow(1);
        machine.masked.set(false);
        assert_eq!(machine.nmi_elsewhere(&claims), Verdict::Overflow(1));
        assert_eq!(machine.nmi(&claims), Verdict::Late);
        assert_eq!(machine.nmi(&claims), Verdict::Foreign);
    }
}
