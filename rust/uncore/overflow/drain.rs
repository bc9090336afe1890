// SPDX-License-Identifier: GPL-2.0

//! Order in which the boxes of a frozen package are serviced, from its freeze to its release.
//!
//! ```text
//! overflow --> global status, freeze --> NMI: clear the global status, note its bits
//!                                          |
//!          interrupt: for each box that the bits can stand for
//!                       box status, counters, clear the box status, preset counters
//!                     global status: more bits? once more
//!                     an interval has ended? read all counts for the trace record
//!                     release
//! ```
//!
//! A bit can stand for several boxes, which their own status tells apart. If no box with that bit
//! reports an overflow (another tool has cleared its status, or the status has no bit for the
//! counter), all of them are read; an extra read is harmless.
//!
//! The order is the one that the pages in Documentation/hardware ask for: hardware reports no
//! overflow before the bits of the last one are cleared in the box and globally, so both are
//! cleared before counters run again. The global status is read again after the boxes, since a
//! counter can overflow until the freeze has reached it.
//!
//! The registers are behind the trait [`Frozen`] so that KUnit runs this order without hardware.
//! `service.rs` has those of the hardware.
//!
//! # Contexts
//!
//! Interrupts off on a CPU of the package, no box's lock held: [`Frozen::service`] takes it.

#[cfg(KUNIT_SUITES)]
mod tests;

/// Largest number of times that the boxes are serviced. Each box overflows at most once in a frozen
/// package, so that a second time is rare and a third means that a status does not clear.
const ROUNDS: u32 = 4;

/// A frozen package. KUnit has others than the hardware.
pub(crate) trait Frozen {
    /// Clears the global status and returns its bits, with those that NMIs have noted.
    fn take(&self) -> u64;

    /// Returns the number of boxes.
    fn boxes(&self) -> usize;

    /// Returns the bits of the global status that can stand for a box.
    fn bits(&self, index: usize) -> u64;

    /// Services a box if its status reports an overflow, or in any case if `all` is true.
    fn service(&self, index: usize, all: bool) -> Serviced;

    /// Unfreezes the package.
    fn release(&self);
}

/// Result of servicing a box.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Serviced {
    /// The box status reported an overflow.
    pub(crate) overflowed: bool,
    /// An interval of an event in the box has ended.
    pub(crate) ended: bool,
}

/// Services all boxes that have overflowed, and unfreezes the package. Returns whether an interval
/// has ended; if one has, calls `snapshot` before the package is unfrozen.
pub(crate) fn drain<P: Frozen>(package: &P, snapshot: impl FnOnce()) -> bool {
    let mut ended = false;
    for _ in 0..ROUNDS {
        match package.take() {
            0 => break,
            bits => ended |= service(package, bits),
        }
    }
    if ended {
        snapshot();
    }
    package.release();
    ended
}

/// Services the boxes that these bits of the global status stand for. Returns whether an interval
/// has ended.
fn service<P: Frozen>(package: &P, bits: u64) -> bool {
    let (explained, mut ended) = service_boxes(package, bits, false);
    let unexplained = bits & !explained;
    if unexplained != 0 {
        ended |= service_boxes(package, unexplained, true).1;
    }
    ended
}

/// Services the boxes that one of these bits can stand for: those that report an overflow, or `all`
/// of them. Returns the bits of the boxes that report one, and whether an interval has ended.
fn service_boxes<P: Frozen>(package: &P, bits: u64, all: bool) -> (u64, bool) {
    let (mut explained, mut ended) = (0, false);
    for index in 0..package.boxes() {
        if package.bits(index) & bits == 0 {
            continue;
        }
        let serviced = package.service(index, all);
        ended |= serviced.ended;
        if serviced.overflowed {
            explained |= package.bits(index);
        }
    }
    (explained, ended)
}
