// SPDX-License-Identifier: GPL-2.0

//! From the freeze of a package to its release.
//!
//! ```text
//! overflow --> global status, freeze --> NMI: global status cleared, its bits noted
//!                                          |
//!          interrupt: for each box that the bits can stand for
//!                       its status, its counters, its status cleared, counters set anew
//!                     global status: more meanwhile? once more
//!                     what else is to be read while all stand still
//!                     release
//! ```
//!
//! A bit can stand for several boxes, which their own status tells apart. Where no box of a bit
//! owns up (somebody else has cleared its status, or it has no bit for the counter), all are read:
//! more often than needed does no harm.
//!
//! The order is that of the register reference, sections 4 and 5: no overflow is seen before the
//! bits of the last one are cleared in the box and globally, so both are before counters run
//! again. The global bits are looked at once more after the boxes', as something can overflow
//! until the freeze has reached it.
//!
//! # Contexts
//!
//! Interrupts off on a CPU of the package, no lock held: a service takes its box's.

#[cfg(KUNIT_SUITES)]
mod tests;

/// How often it is tried to have no status left. Each box overflows at most once while all stand
/// still, so that a second time is rare and a third would be wrong.
const ROUNDS: u32 = 4;

/// A package whose counters stand still.
pub(super) trait Frozen {
    /// What has overflowed and nobody has seen to, as bits of the global status, which are cleared
    /// there.
    fn take(&self) -> u32;

    /// How many boxes there are.
    fn boxes(&self) -> usize;

    /// The bits that can stand for a box.
    fn bits(&self, index: usize) -> u32;

    /// Sees to a box, if its status says that it has overflowed, or `all` are said to have; tells
    /// whether it did.
    fn service(&self, index: usize, all: bool) -> bool;

    /// All boxes have been seen to and still stand still.
    fn complete(&self);

    /// Lets the counters run.
    fn release(&self);
}

/// Sees to everything that has overflowed, and lets the counters run.
pub(super) fn drain<P: Frozen>(package: &P) {
    for _ in 0..ROUNDS {
        match package.take() {
            0 => break,
            bits => service(package, bits),
        }
    }
    package.complete();
    package.release();
}

/// Sees to the boxes that these bits stand for.
fn service<P: Frozen>(package: &P, bits: u32) {
    let each = |bits: u32, all: bool| {
        let concerned = (0..package.boxes()).filter(|&index| package.bits(index) & bits != 0);
        let told = concerned.filter(|&index| package.service(index, all));
        told.fold(0, |told, index| told | package.bits(index))
    };
    let unexplained = bits & !each(bits, false);
    if unexplained != 0 {
        each(unexplained, true);
    }
}
