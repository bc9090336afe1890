// SPDX-License-Identifier: GPL-2.0

//! Decides whether an NMI is a PMI of this package.
//!
//! An NMI does not name its source. Two registers give evidence:
//!
//! * The interrupt controller sets the mask bit of its entry for counters (LVTPC) when it delivers
//!   a PMI. A mask bit that is still set means that *this* NMI, or one merged with it, is a PMI. It
//!   may be a PMI of the core PMU, whose handler runs first and clears the bit too.
//! * The global status says which boxes have overflowed, until an NMI or an interrupt clears it.
//!
//! One overflow can send several NMIs: to both threads of a core, twice to one CPU, or once more
//! while the handler runs. The later NMIs find no status. The kernel reports an NMI that no handler
//! claims as unknown, or panics. So the handler does this, in this order:
//!
//! 1. It reads and clears the mask bit, in any case and before all else: a PMI that comes while the
//!    bit is set is lost.
//! 2. If the global status has bits of our boxes, it clears them and claims the NMI.
//! 3. If the mask bit was set, it claims the NMI: as late, or as spurious if there was no overflow
//!    recently.
//! 4. If there was an overflow recently, it claims as many more NMIs as one overflow sends. (The
//!    core PMU's handler has cleared the mask bit.)
//! 5. Otherwise it does not claim the NMI.
//!
//! Step 4 can claim an NMI of another source, at most as many for each overflow as that sends, and
//! within [`RECENT_NS`] of it.
//!
//! A CPU that PMIs are not routed to can get one all the same: hardware may ignore the core select
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
    AtomicU32,
    AtomicU64,
    Ordering, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

/// Longest time from an overflow to a late NMI of it.
const RECENT_NS: u64 = 100_000_000;

/// Registers that a claim reads and writes, on the CPU that has the NMI. KUnit has others.
pub(crate) trait PmiRegisters {
    /// Returns whether this CPU has got a PMI whose mask bit is still set.
    fn is_masked(&self) -> bool;

    /// Clears the mask bit.
    fn unmask(&self);

    /// Reads the bits of the global status that stand for boxes.
    fn status(&self) -> u32;

    /// Clears these bits of the global status.
    fn clear(&self, bits: u32);

    /// Returns the time in nanoseconds.
    fn now(&self) -> u64;
}

/// Source of an NMI.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// A PMI: boxes with these bits of the global status have overflowed.
    Overflow(u32),
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
}

impl NmiClaims {
    /// Creates the claims of a package without an overflow.
    pub(crate) const fn new() -> Self {
        Self {
            last: AtomicU64::new(0),
            credits: AtomicU32::new(0),
            nmis_per_overflow: AtomicU32::new(1),
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
        match self.take_status(registers) {
            0 => {}
            bits => return Verdict::Overflow(bits),
        }
        match (masked, self.overflowed_recently(registers.now())) {
            (true, true) => Verdict::Late,
            (true, false) => Verdict::Spurious,
            (false, true) if self.use_credit() => Verdict::Late,
            (false, _) => Verdict::Foreign,
        }
    }

    /// Uses a credit, if one is left, and returns whether it did.
    fn use_credit(&self) -> bool {
        let (set, fetch) = (Ordering::Relaxed, Ordering::Relaxed);
        self.credits
            .fetch_update(set, fetch, |left| left.checked_sub(1))
            .is_ok()
    }

    /// Reads the global status, clears its bits, notes an overflow if there are any, and returns
    /// them.
    ///
    /// Two CPUs that read at the same time can both get the same bits. Both must report them: the
    /// later reader may have seen a newer overflow.
    pub(crate) fn take_status<R: PmiRegisters>(&self, registers: &R) -> u32 {
        let bits = registers.status();
        if bits != 0 {
            // Before the status is cleared, so that an NMI right after that is late.
            self.note_overflow(registers.now());
            registers.clear(bits);
        }
        bits
    }

    /// Notes that there is, or may be, an overflow now. Its NMI may be still to come.
    pub(crate) fn note_overflow(&self, now: u64) {
        self.last.store(now.max(1), Ordering::Release);
        let nmis = self.nmis_per_overflow.load(Ordering::Relaxed);
        self.credits.store(nmis, Ordering::Relaxed);
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
