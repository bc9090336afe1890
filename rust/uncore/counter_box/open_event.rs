// SPDX-License-Identifier: GPL-2.0

//! An open event of a box: what perf's event and the box's slot share.
//!
//! Perf's event owns it from `event_init` on. While the event has a counter, its slot refers to it
//! as well. Perf deletes an event before it frees it, so that the last reference is perf's, which
//! is dropped in process context and never under the lock of the box.

use super::{
    bus::Bus,
    reach::Reach,
    reading::{
        CounterPlace,
        Found,
        Missed,
        Read,
        Reading,
        Source, //
    }, //
};
use crate::{
    linux::{
        atomic::{
            AtomicBool,
            AtomicU32,
            Ordering, //
        },
        context::Pinned,
        msr,
        perf::Link, //
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
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// Index of the slot of an event that has none.
const NO_SLOT: u32 = u32::MAX;

/// A reader without the lock of the box.
struct Reader<'a, P> {
    event: &'a OpenEvent,
    here: &'a P,
}

impl<P: Pinned> Source for Reader<'_, P> {
    #[inline(always)]
    fn read_at(&self, place: CounterPlace, _mask: impl FnOnce() -> u64) -> Result<u64> {
        match place.msr() {
            Some(number) => msr::read(self.here, number),
            None => self.event.reach.read_at(self.here, place).into_result(),
        }
    }

    fn lacks_level(&self, global: &GlobalMsrs) -> Result<bool> {
        let now = msr::read(self.here, global.control)?;
        Ok(self.event.reach.lacks_level(global, low_half(now)))
    }

    fn pace(&self) -> &Pace {
        &self.event.request.pace
    }
}

/// The holder of the lock of the box.
struct Holder<'a, B> {
    event: &'a OpenEvent,
    bus: &'a B,
}

impl<B: Bus> Source for Holder<'_, B> {
    #[inline(always)]
    fn read_at(&self, place: CounterPlace, mask: impl FnOnce() -> u64) -> Result<u64> {
        self.bus.read_counter(place.register(), mask())
    }

    fn lacks_level(&self, global: &GlobalMsrs) -> Result<bool> {
        let now = self.bus.read_msr(global.control)?;
        Ok(self.event.reach.lacks_level(global, low_half(now)))
    }

    fn pace(&self) -> &Pace {
        &self.event.request.pace
    }
}

/// An open event.
pub(crate) struct OpenEvent {
    /// Number of the event.
    pub(crate) id: u64,
    /// Perf's event.
    pub(crate) link: Link,
    /// Control word, filters and possible counters.
    pub(crate) request: Request,
    /// Logical number of the package.
    pub(crate) package: u32,
    /// The counters of the box in this package, without its lock.
    pub(super) reach: Arc<Reach>,
    /// The counter, and the counts read from it.
    pub(crate) reading: Reading,
    /// Index of the slot, or [`NO_SLOT`]. Used under the lock of the box.
    slot: AtomicU32,
    /// The event is, or was, in a group with other events of the box.
    grouped: AtomicBool,
    /// Perf has deleted the event in a batch that has not ended. The event counts on.
    left: AtomicBool,
    /// The event ended because another tool modified a register.
    modified: AtomicBool,
    /// The event was logged as one with a modified register, and counts on.
    warned: AtomicBool,
    /// The event was logged as one whose registers a sleep of the package cleared.
    cleared: AtomicBool,
}

impl OpenEvent {
    /// Makes an event that has no counter.
    pub(crate) fn new(
        id: u64,
        request: Request,
        package: u32,
        kind: &'static BoxType,
        reach: Arc<Reach>,
    ) -> Self {
        Self {
            id,
            link: Link::none(),
            request,
            package,
            reading: Reading::new(kind, &request),
            reach,
            slot: AtomicU32::new(NO_SLOT),
            grouped: AtomicBool::new(false),
            left: AtomicBool::new(false),
            modified: AtomicBool::new(false),
            warned: AtomicBool::new(false),
            cleared: AtomicBool::new(false),
        }
    }

    /// Returns the counts since the last read; `None` if there are none. For a CPU of the package, or
    /// the core to which the counter belongs.
    ///
    /// This is the hot path, and takes no lock. All of it inlines into one function, if the counter
    /// is an MSR.
    ///
    /// # Errors
    ///
    /// Errors of the access; [`EAGAIN`] if the registers of the box are to be looked at.
    #[inline(always)]
    pub(crate) fn read(&self, here: &impl Pinned) -> Result<Option<u64>> {
        match self.reading.read(&Reader { event: self, here }) {
            Ok(None) if self.reach.is_look_due() => Err(self.reach.look_at_still()),
            Ok(count) => Ok(count),
            Err((word, read)) => self.recover(here, word, read).into_result().map(Some),
        }
    }

    /// Goes on with a read that is in doubt, as [`Reading::recover`].
    #[cold]
    #[inline(never)]
    fn recover<P: Pinned>(&self, here: &P, word: u64, read: Read) -> Read {
        self.recover_with(&Reader { event: self, here }, word, read)
            .into()
    }

    /// Reads the counter by this source.
    fn recover_with<S: Source>(&self, source: &S, word: u64, read: Read) -> Result<u64> {
        match self.reading.recover(source, 0, word, read) {
            Ok(found) => Ok(found.count.wrapping_add(self.reading.take())),
            Err(missed) => self.miss(missed),
        }
    }

    /// Reads by the registers of a suite.
    #[cfg(KUNIT_SUITES)]
    pub(crate) fn read_with<B: Bus>(&self, bus: &B) -> Result<u64> {
        let source = Holder { event: self, bus };
        match self.reading.read(&source) {
            Ok(count) => Ok(count.unwrap_or(0)),
            Err((word, read)) => self.recover_with(&source, word, read),
        }
    }

    /// Notes what a read that found no counts has found for the holder of the lock. A counter that
    /// cannot be reached in an NMI keeps the count last known.
    fn miss(&self, missed: Missed) -> Result<u64> {
        match missed {
            Missed::Lost | Missed::Overtaken => Ok(self.reading.take()),
            Missed::Refused(EAGAIN) => Ok(0),
            Missed::Refused(error) => {
                self.reach.set_failed();
                Err(error)
            }
            Missed::Behind => {
                self.reach.look();
                Err(EAGAIN)
            }
        }
    }

    /// Reads the counter under the lock. See [`Reading::collect`].
    #[inline(always)]
    pub(super) fn collect<B: Bus>(&self, bus: &B) -> Result<Found, Missed> {
        self.reading.collect(Holder { event: self, bus })
    }

    /// Reads the counter for the last time under the lock. See [`Reading::finish`].
    #[inline(always)]
    pub(super) fn finish<B: Bus>(&self, bus: &B) -> Result<Found, Missed> {
        self.reading.finish(Holder { event: self, bus })
    }

    /// Leaves out what the counter has counted since the last read. See [`Reading::skip`].
    pub(super) fn skip<B: Bus>(&self, bus: &B) -> Result<u64> {
        self.reading.skip(Holder { event: self, bus })
    }

    /// Returns the index of the slot that the event had last.
    #[inline]
    pub(super) fn slot(&self) -> Option<usize> {
        match self.slot.load(Ordering::Relaxed) {
            NO_SLOT => None,
            index => usize::try_from(index).ok(),
        }
    }

    /// Notes the index of the event's slot.
    pub(super) fn set_slot(&self, index: usize) {
        let index = u32::try_from(index).unwrap_or(NO_SLOT);
        self.slot.store(index, Ordering::Relaxed);
    }

    /// Returns whether the event starts and stops together with others.
    pub(crate) fn is_grouped(&self) -> bool {
        self.grouped.load(Ordering::Relaxed)
    }

    /// Marks the event as member of a group.
    pub(crate) fn set_grouped(&self) {
        self.grouped.store(true, Ordering::Relaxed);
    }

    /// Notes that perf has deleted the event in a batch that has not ended.
    pub(crate) fn leave(&self) {
        self.left.store(true, Ordering::Relaxed);
    }

    /// Returns whether perf has deleted the event in a batch that has not ended.
    pub(super) fn has_left(&self) -> bool {
        self.left.load(Ordering::Relaxed)
    }

    /// Notes that the event is gone, as it has not come back.
    pub(super) fn go(&self) {
        self.left.store(false, Ordering::Relaxed);
    }

    /// Notes that the event is back, or that it is gone. Returns whether perf has deleted it in the
    /// batch.
    pub(crate) fn come_back(&self) -> bool {
        // In one order with what ends an event, and whether perf has it then: the event ends before
        // it is found to run, or perf has it when it ends.
        self.has_left() && self.left.swap(false, Ordering::SeqCst)
    }

    /// Returns whether a modified register has ended the event.
    pub(crate) fn is_modified(&self) -> bool {
        self.modified.load(Ordering::Relaxed)
    }

    /// Notes that a register of the event was found modified, and whether that has `ended` the
    /// event. Returns whether one was noted before that has not.
    pub(super) fn note_modified(&self, ended: bool) -> bool {
        if ended {
            self.modified.store(true, Ordering::Relaxed);
            self.is_warned()
        } else {
            self.warned.swap(true, Ordering::Relaxed)
        }
    }

    /// Notes that a sleep of the package cleared registers of the event. Returns whether that was
    /// noted before.
    pub(super) fn note_cleared(&self) -> bool {
        self.cleared.swap(true, Ordering::Relaxed)
    }

    /// Returns whether a register of the event was found modified, and the event counts on.
    pub(crate) fn is_warned(&self) -> bool {
        self.warned.load(Ordering::Relaxed)
    }
}
