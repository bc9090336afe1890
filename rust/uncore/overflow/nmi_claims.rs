// SPDX-License-Identifier: GPL-2.0

//! Decides whether an NMI is a PMI of this package.
//!
//! An NMI does not name its source. Two registers give evidence:
//!
//! * The interrupt controller sets the mask bit of its entry for counters (LVTPC) when it delivers
//!   a PMI. A mask bit that is still set means that *this* NMI, or one that follows at once, is a
//!   PMI. If the core PMU counts, its handler runs first and clears the bit.
//! * The global status says which boxes have overflowed, until an NMI or an interrupt clears it.
//!
//! The kernel reports an NMI that no handler claims as unknown, or panics. An NMI that is claimed
//! reaches nobody else: no watchdog, no NMI button, no report of a broken bus. So the handler claims
//! what evidence shows to be a PMI, in this order:
//!
//! 1. It reads and clears the mask bit before all else: a PMI that comes while the bit is set is
//!    lost.
//! 2. If the global status has bits of our boxes, it clears them and claims the NMI.
//! 3. If the mask bit was set, it claims the NMI: as late, or as spurious if there was no overflow
//!    recently.
//! 4. If an NMI without evidence is still to come, it claims the NMI, unless the chipset reports
//!    another source.
//! 5. Otherwise it does not claim the NMI.
//!
//! An NMI without evidence is still to come in these cases, for [`RECENT_NS`] at most:
//!
//! * One overflow sends several NMIs: to both threads of a core, or twice to one CPU. The self-test
//!   has counted them.
//! * An NMI of another source has found the status on a CPU that PMIs are not routed to, as that of
//!   a sample that `perf record` takes there. All NMIs of the overflow come after it.
//! * The status was found without an NMI, by a timer or an interrupt.
//! * The core PMU's handler clears the mask bit on this CPU, and yet it was set: then a second PMI
//!   has come since.
//!
//! A CPU that PMIs are not routed to can get one nevertheless: hardware may ignore the core select
//! while cores sleep. On such a CPU a mask bit alone is no evidence, and the handler leaves it set
//! unless there is an overflow.
//!
//! The registers are behind the trait [`PmiRegisters`] so that KUnit runs this policy without
//! hardware, in each state of the registers. `nmi.rs` has the registers of the hardware.
//!
//! # Contexts
//!
//! [`NmiClaims::claim`] in NMI, on any CPU of the package: it uses atomics only and never waits.

use crate::linux::atomic::{
    AtomicBool,
    AtomicU32,
    AtomicU64,
    Ordering, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

/// Longest time from an overflow to a late NMI of it. Hardware takes microseconds; an emulated CPU
/// can be late.
const RECENT_NS: u64 = 100_000_000;

/// Registers that a claim reads and writes, on the CPU that has the NMI. KUnit has others.
pub(crate) trait PmiRegisters {
    /// Returns whether this CPU has got a PMI whose mask bit is still set.
    fn is_masked(&self) -> bool;

    /// Clears the mask bit.
    fn unmask(&self);

    /// Reads the bits of the global status that stand for boxes.
    fn status(&self) -> u64;

    /// Clears these bits of the global status.
    fn clear(&self, bits: u64);

    /// Returns whether the chipset reports that it has sent an NMI.
    fn is_of_chipset(&self) -> bool;

    /// Returns the time in nanoseconds.
    fn now(&self) -> u64;
}

/// Source of an NMI.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// A PMI: boxes with these bits of the global status have overflowed.
    Overflow(u64),
    /// A PMI of an overflow that another NMI has claimed.
    Late,
    /// A PMI without an overflow.
    Spurious,
    /// An NMI of another source.
    Foreign,
}

/// Recent overflows of a package, in order to claim their late NMIs.
pub(crate) struct NmiClaims {
    /// Time of the last overflow; 0 if there was none.
    last: AtomicU64,
    /// Number of NMIs that may still be claimed without any other evidence.
    credits: AtomicU32,
    /// Number of NMIs that one overflow sends.
    nmis_per_overflow: AtomicU32,
    /// The core PMU's handler had cleared the mask bit of the last overflow.
    cleared_before: AtomicBool,
}

impl NmiClaims {
    /// Creates the claims of a package without an overflow.
    pub(crate) const fn new() -> Self {
        Self {
            last: AtomicU64::new(0),
            credits: AtomicU32::new(0),
            nmis_per_overflow: AtomicU32::new(1),
            cleared_before: AtomicBool::new(false),
        }
    }

    /// Sets the number of NMIs that one overflow sends, at least 1.
    pub(crate) fn set_nmis_per_overflow(&self, nmis: u32) {
        self.nmis_per_overflow.store(nmis.max(1), Ordering::Relaxed);
    }

    /// Decides what an NMI is, and clears the registers that say so. `is_target` is whether PMIs
    /// are routed to this CPU.
    pub(crate) fn claim<R: PmiRegisters>(&self, registers: &R, is_target: bool) -> Verdict {
        // In this order: a CPU that clears the status notes the overflow before.
        let is_possible =
            is_target || registers.status() != 0 || self.overflowed_recently(registers.now());
        if !is_possible {
            return Verdict::Foreign;
        }
        let masked = registers.is_masked();
        if masked {
            registers.unmask();
        }
        let cleared_before = self.cleared_before.load(Ordering::Relaxed);
        // Without the mask bit, an NMI on another CPU can be of another source.
        let is_one_of_them = is_target || masked;
        let more = self
            .nmis_per_overflow()
            .saturating_sub(u32::from(is_one_of_them));
        let still_to_come = more.saturating_add(u32::from(masked && cleared_before));
        match self.take_status(registers, still_to_come) {
            0 => {}
            bits => {
                self.cleared_before.store(!masked, Ordering::Relaxed);
                return Verdict::Overflow(bits);
            }
        }
        let recent = self.overflowed_recently(registers.now());
        match (masked, recent) {
            (true, true) => {
                self.use_credit();
                Verdict::Late
            }
            (true, false) => Verdict::Spurious,
            (false, true) if !registers.is_of_chipset() && self.use_credit() => Verdict::Late,
            (false, _) => Verdict::Foreign,
        }
    }

    /// Number of NMIs that one overflow sends.
    pub(crate) fn nmis_per_overflow(&self) -> u32 {
        self.nmis_per_overflow.load(Ordering::Relaxed)
    }

    /// Uses a credit, if one is left, and returns whether it did.
    fn use_credit(&self) -> bool {
        let (set, fetch) = (Ordering::Relaxed, Ordering::Relaxed);
        self.credits
            .fetch_update(set, fetch, |left| left.checked_sub(1))
            .is_ok()
    }

    /// Reads the global status, clears its bits, notes an overflow if there are any, and returns
    /// them. `still_to_come` is the number of its NMIs that can come without evidence.
    ///
    /// Two CPUs that read at one time can both get the bits. Both must report them: the
    /// later reader may have seen a newer overflow.
    pub(crate) fn take_status<R: PmiRegisters>(&self, registers: &R, still_to_come: u32) -> u64 {
        let bits = registers.status();
        if bits != 0 {
            // Before the status is cleared, so that an NMI right after that is late.
            self.credits.store(still_to_come, Ordering::Relaxed);
            self.last.store(registers.now().max(1), Ordering::Release);
            registers.clear(bits);
        }
        bits
    }

    /// Returns whether there was an overflow within [`RECENT_NS`].
    pub(crate) fn overflowed_recently(&self, now: u64) -> bool {
        match self.last.load(Ordering::Acquire) {
            0 => false,
            // The clock can seem to go back a little from one NMI to the next.
            last => now.saturating_sub(last) <= RECENT_NS,
        }
    }
}
