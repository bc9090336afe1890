// SPDX-License-Identifier: GPL-2.0

//! Whose an NMI is.
//!
//! The NMI of a counter that overflowed has no sender. What is known when it comes:
//!
//! * The interrupt controller masks its entry for counters (LVTPC) when it delivers: a mask bit
//!   nobody has cleared yet means that *this* NMI, or one merged with it, is a PMI. It may be the
//!   core PMU's, whose handler was asked before and clears the bit too.
//! * The global status says which boxes have overflowed, unless somebody has seen to it already.
//!
//! An overflow can send more NMIs than one: to two threads of a core, twice to one CPU, or once
//! more while the first is still being handled. The later ones find no status, and an NMI that
//! nobody claims is reported as unknown or panics. So, in this order:
//!
//! 1. The mask bit is looked at and cleared. First, and whatever else is found: a PMI that comes
//!    while it is set is lost.
//! 2. If there is a status of ours, it is cleared and the NMI is ours.
//! 3. If the mask bit was set, it is ours: late, or spurious if nothing has overflowed lately.
//! 4. If something has overflowed lately, one more NMI is ours, or as many as an overflow sends.
//!    (The core PMU's handler has cleared the mask bit.)
//! 5. Otherwise it is not ours.
//!
//! Step 4 can take somebody else's NMI for ours, at most so many for each overflow and within
//! [`LATELY_NS`] of it.
//!
//! An NMI on a CPU that is not meant to get any can be ours all the same: it is not certain that
//! the core select is heeded where cores sleep. But there a mask bit alone says nothing, and unless
//! something has overflowed it is left as it is.
//!
//! # Contexts
//!
//! [`Claims::claim`] in NMI, on any CPU of the package: atomics only, and nothing waits.

use core::sync::atomic::{
    AtomicU32,
    AtomicU64,
    Ordering, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

/// How long after an overflow another NMI can be its.
const LATELY_NS: u64 = 100_000_000;

/// What a claim looks at and changes, on the CPU that the NMI came to.
pub(super) trait Lines {
    /// Whether a PMI was delivered here and its mask bit is still set.
    fn is_masked(&self) -> bool;

    /// Clears the mask bit.
    fn unmask(&self);

    /// The bits of the global status that are ours.
    fn status(&self) -> u32;

    /// Clears these bits of the global status.
    fn clear(&self, bits: u32);

    /// What time it is, in nanoseconds.
    fn now(&self) -> u64;
}

/// Whose an NMI is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// Ours: boxes have overflowed, as these bits of the global status say.
    Overflow(u32),
    /// Ours, but there is nothing left to do: another NMI was quicker.
    Late,
    /// Ours, but nothing has overflowed.
    Spurious,
    /// Not ours.
    Foreign,
}

/// What is remembered of a package's overflows, in order to claim what comes after them.
pub(super) struct Claims {
    /// When something overflowed last; 0 if nothing has.
    last: AtomicU64,
    /// How many more NMIs can be ours without any other sign.
    tokens: AtomicU32,
    /// How many NMIs an overflow sends.
    audience: AtomicU32,
}

impl Claims {
    /// Nothing has overflowed.
    pub(super) const fn new() -> Self {
        Self {
            last: AtomicU64::new(0),
            tokens: AtomicU32::new(0),
            audience: AtomicU32::new(1),
        }
    }

    /// From now on an overflow sends so many NMIs, or one.
    pub(super) fn set_audience(&self, nmis: u32) {
        self.audience.store(nmis.max(1), Ordering::Relaxed);
    }

    /// Finds out whose an NMI is, and sees to the registers that say so. This CPU is `meant` to get
    /// them, or not.
    pub(super) fn claim<L: Lines>(&self, lines: &L, meant: bool) -> Verdict {
        // In this order: whoever clears the status has said before that there was one.
        let ours = meant || lines.status() != 0 || self.was_lately(lines.now());
        if !ours {
            return Verdict::Foreign;
        }
        let masked = lines.is_masked();
        if masked {
            lines.unmask();
        }
        match self.take_status(lines) {
            0 => {}
            bits => return Verdict::Overflow(bits),
        }
        match (masked, self.was_lately(lines.now())) {
            (true, true) => Verdict::Late,
            (true, false) => Verdict::Spurious,
            (false, true) if self.spend_token() => Verdict::Late,
            (false, _) => Verdict::Foreign,
        }
    }

    /// Takes one of the NMIs that can be ours without any other sign, if there is one left.
    fn spend_token(&self) -> bool {
        let (set, fetch) = (Ordering::Relaxed, Ordering::Relaxed);
        let spend = |left: u32| left.checked_sub(1);
        self.tokens.fetch_update(set, fetch, spend).is_ok()
    }

    /// Reads the status and clears what it says, and remembers that.
    ///
    /// Two CPUs that do so at the same time can both be given the same bits. To have one of them
    /// step back would be wrong: it may know of an overflow that came after the other has read.
    pub(super) fn take_status<L: Lines>(&self, lines: &L) -> u32 {
        let bits = lines.status();
        if bits != 0 {
            // First, so that an NMI that comes right after the status is gone is known.
            self.expect(lines.now());
            lines.clear(bits);
        }
        bits
    }

    /// Something has overflowed now, or may have; its NMI may be still to come.
    pub(super) fn expect(&self, now: u64) {
        self.last.store(now.max(1), Ordering::Release);
        let audience = self.audience.load(Ordering::Relaxed);
        self.tokens.store(audience, Ordering::Relaxed);
    }

    /// Whether something has overflowed not long before.
    pub(super) fn was_lately(&self, now: u64) -> bool {
        match self.last.load(Ordering::Acquire) {
            0 => false,
            // The clock can seem to go back a little from one NMI to the next.
            last => now.saturating_sub(last) <= LATELY_NS,
        }
    }
}
