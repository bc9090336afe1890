// SPDX-License-Identifier: GPL-2.0

//! The counter of an event, and the counts read from it. Readers take no lock.
//!
//! One word has the value of the counter at the last read, whether the counter runs, and a
//! generation. A reader loads the word, reads the counter and exchanges the word for one with the
//! new value. So each count is found by one reader, and never twice: a reader whose word was
//! exchanged meanwhile has read in vain.
//!
//! A difference above half of the counter's range cannot have been counted, nor can one with a wrap
//! above [`Pace::most`] ([`interval`](crate::uncore::request::interval)). Then another tool, firmware or a sleep has changed the
//! counter, or the processor has read the counter before it loaded the word, so that the other reader
//! who exchanged the word has read later: nothing orders RDMSR after the load. The second case is over
//! when the reader tries again. In the first case the reader finds no counts, and leaves the word: the
//! holder of the box's lock begins a new generation at the new value, and treats the counter as a
//! modified register.
//!
//! ```text
//!   bit  63        62:48        47:0
//!       +---------+------------+-------------------+
//!       | stopped | generation | value of counter  |
//!       +---------+------------+-------------------+
//! ```
//!
//! Another word, `place`, tells where the counter is:
//!
//! ```text
//!   bit  63:49       48         47:32      31:0
//!       +---------+----------+----------+-----------------+
//!       | 0       | one dword| register | MSR, or all ones|
//!       +---------+----------+----------+-----------------+
//! ```
//!
//! The holder of the box's lock stops the word before it changes which register is read, or writes
//! the counter. Then it begins a new generation. A reader that comes from the generation before
//! fails to exchange its word, whatever it has read. (It would have to wait for 2^15 starts of one
//! event to be mistaken.)
//!
//! A sleep of the package can clear counters, on platforms where it clears the level that lets them
//! run as well ([`Missed::Lost`]). If the level is not there, a counter that reads lower than before is
//! as good as stopped. The holder of the lock programs it again, in a new generation, before anybody
//! sets the level. A CPU that reads keeps its package awake.
//!
//! Differences are those of 48 bits for wider counters, too. They are read each minute at least
//! ([`interval`](crate::uncore::request::interval)), which is well before 2^48 counts.
//!
//! | reader | counts go to | registers |
//! |---|---|---|
//! | perf: [`Reading::read`] | the caller, at once | without a lock, in any context |
//! | timers and interrupts: [`Reading::collect`] | `pending` | under the lock of the box |
//! | the end: [`Reading::finish`] | `pending` | under the lock of the box |
//!
//! Perf takes what is pending with its next read, or when the event stops ([`Reading::take`]).

use super::{
    bus::{
        is_dword,
        Bus, //
    },
    count::delta, //
};
use crate::{
    linux::atomic::{
        AtomicU64,
        Ordering, //
    },
    uncore::{
        request::{
            interval::Pace,
            Request, //
        },
        table::{
            box_type::{
                BoxType,
                GlobalMsrs, //
            },
            field::low_half, //
        }, //
    }, //
};
use kernel::prelude::*;

/// The counter does not run, or its registers are being changed.
const STOPPED: u64 = 1 << 63;

/// The least significant bit of the generation.
const GENERATION: u64 = 1 << 48;

/// The bits of the counter's value.
pub(super) const VALUE: u64 = GENERATION - 1;

/// Value of the bits of a [`CounterPlace`] with the number of the MSR, if the counter is none.
const NO_MSR: u32 = u32::MAX;

/// A counter in configuration space is one dword.
const DWORD: u64 = 1 << 48;

/// Place of a counter.
#[derive(Clone, Copy)]
pub(crate) struct CounterPlace(u64);

impl CounterPlace {
    /// Makes the place of a counter with these bits, in this MSR if it is one.
    fn new(register: u16, msr: Option<u32>, bits: u64) -> Self {
        let dword = if is_dword(bits) { DWORD } else { 0 };
        Self(u64::from(msr.unwrap_or(NO_MSR)) | u64::from(register) << 32 | dword)
    }

    /// Returns the MSR, if the counter is one.
    #[inline(always)]
    pub(super) fn msr(self) -> Option<u32> {
        match low_half(self.0) {
            NO_MSR => None,
            msr => Some(msr),
        }
    }

    /// Returns the offset of the register, by the table.
    #[inline(always)]
    pub(super) fn register(self) -> u16 {
        let [_, _, _, _, low, high, ..] = self.0.to_le_bytes();
        u16::from_le_bytes([low, high])
    }

    /// Returns whether a counter in configuration space is one dword.
    #[inline(always)]
    pub(super) fn is_dword(self) -> bool {
        self.0 & DWORD != 0
    }
}

/// A value that was read, or an error. Unlike a `Result` it is returned in registers.
#[derive(Clone, Copy)]
pub(crate) struct Read {
    value: u64,
    error: Option<Error>,
}

impl Read {
    /// Returns it as a result.
    #[inline(always)]
    pub(super) fn into_result(self) -> Result<u64> {
        match self.error {
            None => Ok(self.value),
            Some(error) => Err(error),
        }
    }
}

impl From<Result<u64>> for Read {
    #[inline(always)]
    fn from(result: Result<u64>) -> Self {
        match result {
            Ok(value) => Self { value, error: None },
            Err(error) => Self {
                value: 0,
                error: Some(error),
            },
        }
    }
}

/// Code that reads counters.
pub(crate) trait Source {
    /// Reads the counter at a place. Its bits are those of the mask.
    ///
    /// # Errors
    ///
    /// Errors of the access.
    fn read_at(&self, place: CounterPlace, mask: impl FnOnce() -> u64) -> Result<u64>;

    /// Returns whether the package has lost the level that lets its counters run.
    ///
    /// # Errors
    ///
    /// Errors of the access.
    fn lacks_level(&self, global: &GlobalMsrs) -> Result<bool>;

    /// Returns the pace at which the counter is read.
    fn pace(&self) -> &Pace;
}

/// Returns what a counter of a box held when `read` was read of it, after it held `last`; `None` if
/// the counter is lost: a sleep of the package may clear it, together with the level of the global
/// control.
fn settled<S: Source>(source: &S, kind: &BoxType, last: u64, read: u64, mask: u64) -> Option<u64> {
    match (kind.misread, kind.lost_with) {
        (Some(misread), _) => Some(misread.corrected(read, mask)),
        (None, Some(global)) if read & mask < last & mask => {
            (!source.lacks_level(global).ok()?).then_some(read)
        }
        (None, _) => Some(read),
    }
}

/// Reason for which a read has found no counts.
#[derive(Clone, Copy)]
pub(crate) enum Missed {
    /// The counter is lost.
    Lost,
    /// Others have read the counter since this began.
    Overtaken,
    /// The counter cannot have counted from the last value to this one.
    Behind,
    /// The access has failed.
    Refused(Error),
}

/// The counter of an event.
pub(crate) struct Reading {
    /// Value at the last read, generation, and whether the counter is stopped.
    last: AtomicU64,
    /// Counts read but not yet given to perf.
    pending: AtomicU64,
    /// Width of the counter, as a mask of at most 48 bits.
    mask: AtomicU64,
    /// The [`CounterPlace`] of the counter.
    place: AtomicU64,
    /// Largest difference that is in no doubt.
    certain: u64,
    /// Type of the box.
    kind: &'static BoxType,
}

/// Counts that a read of the counter has found.
pub(super) struct Found {
    /// Counts since the last read by anybody.
    pub(super) count: u64,
    /// Value of the counter.
    pub(super) value: u64,
}

impl Reading {
    /// Makes a stopped counter of a box of this type, for a request.
    pub(crate) fn new(kind: &'static BoxType, request: &Request) -> Self {
        // With a defect each value may be misread.
        let certain = match kind.misread {
            Some(_) => 0,
            None => request.pace.half(),
        };
        Self {
            last: AtomicU64::new(STOPPED),
            pending: AtomicU64::new(0),
            mask: AtomicU64::new(0),
            place: AtomicU64::new(0),
            certain,
            kind,
        }
    }

    /// Reads the counter for perf and returns the counts that perf has not been given; `None` if there
    /// are none, as the counter has not moved, or is stopped. If the read is in doubt, returns the word that was loaded and what was read: see
    /// [`recover`](Self::recover).
    #[inline(always)]
    pub(super) fn read<S: Source>(&self, source: &S) -> Result<Option<u64>, (u64, Read)> {
        let found = self.attempt(source, 0)?;
        // Mostly none are pending, and a load is cheaper.
        if self.pending.load(Ordering::Relaxed) == 0 {
            return Ok(found.map(|found| found.count));
        }
        Ok(Some(self.add_pending(found.map_or(0, |found| found.count))))
    }

    /// Takes what is pending, and adds it to counts.
    #[cold]
    fn add_pending(&self, count: u64) -> u64 {
        count.wrapping_add(self.take())
    }

    /// Returns the counts that are pending, once.
    pub(crate) fn take(&self) -> u64 {
        self.pending.swap(0, Ordering::Relaxed)
    }

    /// Reads the counter under the lock. The counts are pending then.
    ///
    /// # Errors
    ///
    /// The reason for which the counter gave none.
    #[inline(always)]
    pub(super) fn collect<S: Source>(&self, source: S) -> Result<Found, Missed> {
        self.exchange(source, 0)
    }

    /// Reads the counter for the last time, under the lock, and stops it for readers. The counts are
    /// pending then. If the counter itself was stopped before, they are all that it has counted.
    ///
    /// # Errors
    ///
    /// The reason for which the counter gave none. It is stopped for readers only if it was before.
    #[inline(always)]
    pub(super) fn finish<S: Source>(&self, source: S) -> Result<Found, Missed> {
        self.exchange(source, STOPPED)
    }

    /// Returns the register of the counter, by the table.
    pub(super) fn register(&self) -> u16 {
        CounterPlace(self.place.load(Ordering::Relaxed)).register()
    }

    /// Returns the value of the counter at the last read.
    pub(super) fn value(&self) -> u64 {
        self.last.load(Ordering::Relaxed) & VALUE
    }

    /// Returns whether the counter runs.
    pub(crate) fn runs(&self) -> bool {
        self.last.load(Ordering::SeqCst) & STOPPED == 0
    }

    /// Stops the counter for readers, under the lock. It is not read any more.
    pub(super) fn halt(&self) {
        self.last.fetch_or(STOPPED, Ordering::AcqRel);
    }

    /// Begins a new generation under the lock: the stopped counter has this register, width and
    /// value.
    pub(super) fn publish<B: Bus>(&self, bus: &B, register: u16, mask: u64, value: u64) {
        let place = CounterPlace::new(register, bus.msr(register), mask);
        // `Release`: a reader that sees one of these no longer exchanges the word of a generation
        // before, as that was stopped before.
        self.place.store(place.0, Ordering::Release);
        self.mask.store(mask & VALUE, Ordering::Release);
        self.begin(value);
    }

    /// Leaves out what the counter has counted since the last read, under the lock. Returns its
    /// value.
    ///
    /// # Errors
    ///
    /// Errors of the access.
    pub(super) fn skip<S: Source>(&self, source: S) -> Result<u64> {
        self.halt();
        let mask = self.mask.load(Ordering::Relaxed);
        let read = source.read_at(CounterPlace(self.place.load(Ordering::Relaxed)), || mask)?;
        let last = self.last.load(Ordering::Relaxed);
        // A counter that is lost goes on from where it is, too.
        let value = settled(&source, self.kind, last, read, mask).unwrap_or(read);
        self.begin(value);
        Ok(value)
    }

    /// Takes back at most this many counts that are pending, under the lock, and returns how many.
    pub(super) fn discard(&self, count: u64) -> u64 {
        let mut pending = self.pending.load(Ordering::Relaxed);
        // A reader may take them meanwhile, so that none are left: no third try is needed.
        for _ in 0..2 {
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

    /// Reads the counter under the lock, and exchanges the word with this `mark`. The counts are
    /// pending then.
    ///
    /// # Errors
    ///
    /// The reason for which the counter gave none.
    #[inline(always)]
    fn exchange<S: Source>(&self, source: S, mark: u64) -> Result<Found, Missed> {
        let found = match self.attempt(&source, mark) {
            Ok(Some(found)) => found,
            Ok(None) => return Ok(self.nothing()),
            Err((word, read)) => self.recover(&source, mark, word, read)?,
        };
        self.pending.fetch_add(found.count, Ordering::Relaxed);
        Ok(found)
    }

    /// Returns what a read finds that has not changed the word.
    fn nothing(&self) -> Found {
        Found {
            count: 0,
            value: self.value(),
        }
    }

    /// Tries once to read the counter and to exchange the word; returns `None` if the counter is
    /// stopped, or the word stays as it is. If the read is in doubt, or others have exchanged the word,
    /// returns the word and what was read.
    #[inline(always)]
    fn attempt<S: Source>(&self, source: &S, mark: u64) -> Result<Option<Found>, (u64, Read)> {
        let word = self.last.load(Ordering::Acquire);
        if word & STOPPED != 0 {
            return Ok(None);
        }
        let place = CounterPlace(self.place.load(Ordering::Acquire));
        let value = match source.read_at(place, || self.mask.load(Ordering::Acquire)) {
            Ok(value) => value,
            Err(error) => return Err((word, Read::from(Err(error)))),
        };
        let in_doubt = (word, Read::from(Ok(value)));
        let next = word ^ (word ^ value) & VALUE;
        // Both have equal bits above the value. It is negative if the counter has wrapped.
        let count = next.wrapping_sub(word);
        if count == 0 && mark == 0 {
            return Ok(None);
        }
        if count > self.certain {
            return Err(in_doubt);
        }
        match self.swap(word, next | mark, count) {
            Ok(found) => Ok(Some(found)),
            Err(_) => Err(in_doubt),
        }
    }

    /// Finds out what a try has found that was in doubt, and tries once more if it was overtaken, or read
    /// an impossible value. If the second one is overtaken as well, somebody has read the counter since
    /// the first one began.
    ///
    /// # Errors
    ///
    /// The reason for which the counter gave no counts.
    #[cold]
    #[inline(never)]
    pub(super) fn recover<S: Source>(
        &self,
        source: &S,
        mark: u64,
        mut word: u64,
        mut read: Read,
    ) -> Result<Found, Missed> {
        let mut again = true;
        loop {
            match self.settle(source, mark, word, read) {
                Err(Missed::Overtaken | Missed::Behind) if again => {
                    again = false;
                    match self.attempt(source, mark) {
                        Ok(found) => return Ok(found.unwrap_or_else(|| self.nothing())),
                        Err(doubt) => (word, read) = doubt,
                    }
                }
                settled => return settled,
            }
        }
    }

    /// Finds out what a try has found that was in doubt.
    #[inline(always)]
    fn settle<S: Source>(
        &self,
        source: &S,
        mark: u64,
        word: u64,
        read: Read,
    ) -> Result<Found, Missed> {
        if let Some(error) = read.error {
            return Err(self.refused(word, error));
        }
        let mask = self.mask.load(Ordering::Acquire);
        let value = settled(source, self.kind, word, read.value, mask).ok_or(Missed::Lost)?;
        let count = delta(word, value, mask);
        let has_wrapped = value & mask < word & mask;
        let pace = source.pace();
        if count > pace.half() || has_wrapped && count > pace.most() {
            return Err(Missed::Behind);
        }
        let next = word ^ (word ^ value) & VALUE;
        self.swap(word, next | mark, count)
    }

    /// Exchanges the word for the `next` one, if it still is as it was, and returns the counts.
    #[inline(always)]
    fn swap(&self, word: u64, next: u64, count: u64) -> Result<Found, Missed> {
        let exchanged = self
            .last
            .compare_exchange(word, next, Ordering::AcqRel, Ordering::Relaxed);
        match exchanged {
            Ok(_) => Ok(Found {
                count,
                value: next & VALUE,
            }),
            Err(_) => Err(Missed::Overtaken),
        }
    }

    /// Returns why an access has failed: registers may be gone that were given up meanwhile.
    #[cold]
    fn refused(&self, word: u64, error: Error) -> Missed {
        if self.last.load(Ordering::Acquire) == word {
            Missed::Refused(error)
        } else {
            Missed::Overtaken
        }
    }
}
