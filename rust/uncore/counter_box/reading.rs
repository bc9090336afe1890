// SPDX-License-Identifier: GPL-2.0

//! The counter of an event, and the counts read from it. Readers take no lock.
//!
//! One word has the value of the counter at the last read, whether the counter runs, and a
//! generation. A reader loads the word, reads the counter and exchanges the word for one with the
//! new value. So each count is found by one reader, and never twice: a reader whose word was
//! exchanged meanwhile has read in vain. The difference is to the word that was loaded before the
//! counter was read, so it is never negative.
//!
//! ```text
//!   bit  63        62:48        47:0
//!       +---------+------------+-------------------+
//!       | stopped | generation | value of counter  |
//!       +---------+------------+-------------------+
//! ```
//!
//! The holder of the box's lock stops the word before it changes which register is read, or writes
//! the counter. Then it begins a new generation. A reader that comes from the generation before
//! fails to exchange its word, whatever it has read. (It would have to wait for 2^15 starts of one
//! event to be mistaken.)
//!
//! Differences are those of 48 bits for wider counters, too. They are read each minute at least
//! ([`poll`](crate::uncore::request::poll)), which is well before 2^48 counts.
//!
//! | reader | counts go to | registers |
//! |---|---|---|
//! | perf: [`Reading::advance`] | the caller, at once | without a lock, in any context |
//! | timers and interrupts: [`Reading::collect`] | `pending` | under the lock of the box |
//! | the end: [`Reading::finish`] | `pending` | under the lock of the box |
//!
//! Perf takes what is pending with its next read ([`Reading::take`]).

use super::{
    bus::CounterBus,
    count::delta, //
};
use crate::{
    linux::atomic::{
        AtomicU32,
        AtomicU64,
        Ordering, //
    },
    uncore::table::box_type::Misread, //
};
use kernel::prelude::*;

/// The counter does not run, or its registers are being changed.
const STOPPED: u64 = 1 << 63;

/// The least significant bit of the generation.
const GENERATION: u64 = 1 << 48;

/// The bits of the counter's value.
pub(super) const VALUE: u64 = GENERATION - 1;

/// Most tries to exchange the word. When the second one fails, somebody else has read the counter
/// since the first one began.
const TRIES: u32 = 2;

/// The counter of an event.
pub(crate) struct Reading {
    /// Value at the last read, generation, and whether the counter is stopped.
    last: AtomicU64,
    /// Counts read but not yet given to perf.
    pending: AtomicU64,
    /// Width of the counter, as a mask of at most 48 bits.
    mask: AtomicU64,
    /// The counter register.
    register: AtomicU32,
    /// A defect of the box's counters.
    misread: Option<Misread>,
}

/// What a read of the counter has found.
pub(super) struct Found {
    /// Counts since the last read by anybody.
    pub(super) count: u64,
    /// Value of the counter.
    pub(super) value: u64,
}

impl Reading {
    /// Makes a stopped counter.
    pub(crate) fn new(misread: Option<Misread>) -> Self {
        Self {
            last: AtomicU64::new(STOPPED),
            pending: AtomicU64::new(0),
            mask: AtomicU64::new(0),
            register: AtomicU32::new(0),
            misread,
        }
    }

    /// Reads the counter for perf and returns the counts since the last read, without those that
    /// are pending.
    ///
    /// # Errors
    ///
    /// Those of the access, unless the counter was stopped or started meanwhile.
    #[inline(always)]
    pub(crate) fn advance<B: CounterBus>(&self, bus: &B) -> Result<u64> {
        Ok(self.exchange(bus, 0)?.map_or(0, |found| found.count))
    }

    /// Returns the counts that are pending, once.
    #[inline(always)]
    pub(crate) fn take(&self) -> u64 {
        // Mostly there are none, and a load is cheaper.
        match self.pending.load(Ordering::Relaxed) {
            0 => 0,
            _ => self.pending.swap(0, Ordering::Relaxed),
        }
    }

    /// Reads the counter under the lock. The counts are pending then.
    ///
    /// # Errors
    ///
    /// Those of the access.
    pub(super) fn collect<B: CounterBus>(&self, bus: &B) -> Result<Found> {
        let found = self.exchange(bus, 0)?;
        Ok(self.keep(found))
    }

    /// Reads the counter for the last time, under the lock, and stops it for readers. The counts are
    /// pending then. If the counter itself was stopped before, they are all that it has counted.
    ///
    /// # Errors
    ///
    /// Those of the access.
    pub(super) fn finish<B: CounterBus>(&self, bus: &B) -> Result<Found> {
        let found = self.exchange(bus, STOPPED)?;
        // Others may have read after this began, or the word is stopped already.
        self.halt();
        Ok(self.keep(found))
    }

    /// Stops the counter for readers, under the lock. It is not read any more.
    pub(super) fn halt(&self) {
        self.last.fetch_or(STOPPED, Ordering::AcqRel);
    }

    /// Begins a new generation under the lock: the stopped counter has this register, width and
    /// value.
    pub(super) fn publish(&self, register: u16, mask: u64, value: u64) {
        // `Release`: a reader that sees one of these no longer exchanges the word of a generation
        // before, as that was stopped before.
        self.register.store(u32::from(register), Ordering::Release);
        self.mask.store(mask & VALUE, Ordering::Release);
        self.begin(value);
    }

    /// Leaves out what the counter has counted since the last read, under the lock. Returns its
    /// value.
    ///
    /// # Errors
    ///
    /// Those of the access.
    pub(super) fn skip<B: CounterBus>(&self, bus: &B) -> Result<u64> {
        self.halt();
        let mask = self.mask.load(Ordering::Relaxed);
        let value = self.value(bus, self.last.load(Ordering::Relaxed), mask)?;
        self.begin(value);
        Ok(value)
    }

    /// Takes back at most this many counts that are pending, under the lock, and returns how many.
    pub(super) fn discard(&self, count: u64) -> u64 {
        let mut pending = self.pending.load(Ordering::Relaxed);
        // A reader may take them meanwhile, so that none are left: no third try is needed.
        for _ in 0..TRIES {
            let left = pending.saturating_sub(count);
            let exchanged =
                self.pending
                    .compare_exchange(pending, left, Ordering::Relaxed, Ordering::Relaxed);
            match exchanged {
                Ok(_) => return pending.saturating_sub(left),
                Err(found) => pending = found,
            }
        }
        0
    }

    /// Lets readers have the stopped counter, with this value.
    fn begin(&self, value: u64) {
        let before = self.last.load(Ordering::Relaxed);
        let generation = before.wrapping_add(GENERATION) & !(STOPPED | VALUE);
        self.last
            .store(generation | value & VALUE, Ordering::Release);
    }

    /// Makes counts that were read under the lock pending.
    fn keep(&self, found: Option<Found>) -> Found {
        match found {
            Some(found) => {
                self.pending.fetch_add(found.count, Ordering::Relaxed);
                found
            }
            None => Found {
                count: 0,
                value: self.last.load(Ordering::Relaxed) & VALUE,
            },
        }
    }

    /// Reads the counter and exchanges the word, with this `mark`. Returns `None` if the counter is
    /// stopped, or others have read it since this began.
    ///
    /// # Errors
    ///
    /// Those of the access, unless the word was exchanged meanwhile.
    #[inline(always)]
    fn exchange<B: CounterBus>(&self, bus: &B, mark: u64) -> Result<Option<Found>> {
        for _ in 0..TRIES {
            let word = self.last.load(Ordering::Acquire);
            if word & STOPPED != 0 {
                return Ok(None);
            }
            let mask = self.mask.load(Ordering::Acquire);
            let value = match self.value(bus, word, mask) {
                Ok(value) => value & VALUE,
                Err(error) if self.last.load(Ordering::Acquire) == word => return Err(error),
                Err(_) => continue,
            };
            let next = word & !VALUE | mark | value;
            let exchanged =
                self.last
                    .compare_exchange(word, next, Ordering::AcqRel, Ordering::Relaxed);
            if exchanged.is_ok() {
                let count = delta(word, value, mask);
                return Ok(Some(Found { count, value }));
            }
        }
        Ok(None)
    }

    /// Reads the counter, whose last value is in `word`.
    #[inline(always)]
    fn value<B: CounterBus>(&self, bus: &B, word: u64, mask: u64) -> Result<u64> {
        let [low, high, ..] = self.register.load(Ordering::Acquire).to_le_bytes();
        let read = bus.read_counter(u16::from_le_bytes([low, high]), mask)?;
        Ok(match self.misread {
            Some(misread) => misread.corrected(word, read, mask),
            None => read,
        })
    }
}
