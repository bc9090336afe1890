// SPDX-License-Identifier: GPL-2.0

//! Order in which the boxes of a frozen package are serviced, from its freeze to its release.
//!
//! ```text
//! overflow --> global status, freeze --> NMI: clear the global status, note its bits
//!                                          |
//!          interrupts: for each box that the bits can stand for
//!                        box status, counters
//!                        clear the box status, preset counters
//!                      global status: more bits? once more
//!                      an interval has ended? read all counts for the trace record
//!                      release
//! ```
//!
//! Each line is a [step](Drain::step) of a box, or of the package, in an interrupt of its own, so that
//! the CPU takes other interrupts in between.
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
//! Interrupts off on a CPU of the package, no box's lock held: [`Frozen`] takes it.

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

    /// Reads the counters of a box if its status reports an overflow, or in any case if `all` is
    /// true.
    fn service(&self, index: usize, all: bool) -> Serviced;

    /// Clears these bits of a box's status, and presets counters whose interval has ended. Returns
    /// whether there are more of these.
    fn rearm(&self, index: usize, overflows: u32) -> bool;

    /// Unfreezes the package.
    fn release(&self);
}

/// Result of servicing a box.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Serviced {
    /// Overflows that the box status reported.
    pub(crate) overflows: u32,
    /// An interval of an event in the box has ended.
    pub(crate) ended: bool,
}

/// The servicing of a package, from one step to the next.
#[derive(Default)]
pub(crate) struct Drain {
    at: At,
    rounds: u32,
    /// Bits of the global status whose boxes are serviced.
    bits: u64,
    /// Bits of the boxes that have reported an overflow.
    explained: u64,
    ended: bool,
}

/// The next step of a [`Drain`].
#[derive(Clone, Copy, Default)]
enum At {
    #[default]
    Idle,
    Status,
    /// The boxes from this one on: those that report an overflow, or all of them.
    Service {
        index: usize,
        all: bool,
    },
    Rearm {
        index: usize,
        all: bool,
        overflows: u32,
    },
    Counts(usize),
    Release,
}

/// The action after a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    /// Another step.
    Step,
    /// The caller reads the counts of this box, then another step.
    Counts(usize),
    /// The package was unfrozen. An interval has ended, or not.
    Released { ended: bool },
}

impl Drain {
    /// Begins.
    pub(crate) fn begin(&mut self) {
        *self = Self {
            at: At::Status,
            ..Self::default()
        };
    }

    /// Returns whether it is under way.
    pub(crate) fn is_active(&self) -> bool {
        !matches!(self.at, At::Idle)
    }

    /// Takes the next step, and returns what comes after it. The `counts` of all boxes are wanted if
    /// an interval has ended, or not.
    pub(crate) fn step<P: Frozen>(&mut self, package: &P, counts: bool) -> Next {
        if let At::Service { index, all } = self.at {
            if self.service(package, index, all) {
                return Next::Step;
            }
        }
        match self.at {
            At::Idle => {}
            At::Status | At::Service { .. } => {
                self.rounds = self.rounds.saturating_add(1);
                self.bits = if self.rounds <= ROUNDS {
                    package.take()
                } else {
                    0
                };
                self.explained = 0;
                match (self.bits, self.ended && counts) {
                    (0, true) => return self.count(package, 0),
                    (0, false) => return self.release(package),
                    _ => {
                        self.at = At::Service {
                            index: 0,
                            all: false,
                        }
                    }
                }
            }
            At::Rearm {
                index,
                all,
                overflows,
            } => {
                // The status is cleared once.
                self.at = match package.rearm(index, overflows) {
                    true => At::Rearm {
                        index,
                        all,
                        overflows: 0,
                    },
                    false => At::Service {
                        index: index.saturating_add(1),
                        all,
                    },
                };
            }
            At::Counts(index) => return self.count(package, index),
            At::Release => return self.release(package),
        }
        Next::Step
    }

    /// Services the next box, of those from `index` on, that the bits can stand for. Returns whether
    /// there is one.
    fn service<P: Frozen>(&mut self, package: &P, index: usize, all: bool) -> bool {
        let is_meant = |&index: &usize| package.bits(index) & self.bits != 0;
        let Some(index) = (index..package.boxes()).find(is_meant) else {
            self.bits &= !self.explained;
            return !all && self.service(package, 0, true);
        };
        let Serviced { overflows, ended } = package.service(index, all);
        self.ended |= ended;
        if overflows != 0 {
            self.explained |= package.bits(index);
        }
        self.at = match overflows != 0 || ended {
            true => At::Rearm {
                index,
                all,
                overflows,
            },
            false => At::Service {
                index: index.saturating_add(1),
                all,
            },
        };
        true
    }

    /// Has the counts of the next box read.
    fn count<P: Frozen>(&mut self, package: &P, index: usize) -> Next {
        if index < package.boxes() {
            self.at = At::Counts(index.saturating_add(1));
            return Next::Counts(index);
        }
        self.at = At::Release;
        Next::Step
    }

    /// Unfreezes the package.
    fn release<P: Frozen>(&mut self, package: &P) -> Next {
        self.at = At::Idle;
        package.release();
        Next::Released { ended: self.ended }
    }
}
