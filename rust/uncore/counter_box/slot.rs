// SPDX-License-Identifier: GPL-2.0

//! One event on one counter.
//!
//! [`Slot`] programs one counter and reads it ([`reading`](super::reading)). [`Slots`] finds the slot
//! of an event, which has its index, or of a counter. [`BoxIo`] gives them the registers of the box.
//! The caller freezes the box where the events of a group must change together.
//!
//! A counter without a control register always runs, and several events can have it at a time. To
//! start an event on it, the driver notes the value of the counter and writes nothing. Such a counter
//! may belong to a core: what other cores read under its number is another counter. Perf calls on the
//! core on which the event started; timers and interrupts may run on others, and leave the counter
//! out then.
//!
//! The driver writes a counter only for an event with an interval, so that the counter overflows
//! when the interval ends: before the event starts, and in [`Slot::reload`]. The exception is a
//! stopped counter of which a defect leaves open what it holds ([`Misread`]): it is written when an
//! event starts.

use super::{
    box_io::{
        BoxIo,
        Control,
        CounterRegisters, //
    },
    bus::Bus,
    count::delta,
    modified::{
        ModifiedRegister,
        Register,
        Verification, //
    },
    open_event::OpenEvent,
    reading::{
        Found,
        Missed,
        VALUE, //
    }, //
};
use crate::uncore::{
    request::{
        assign::MAX_EVENTS,
        group::{
            Assignment,
            CounterIndex, //
        },
        interval::Period,
        Request, //
    },
    table::box_type::Needs, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// An event that has a counter.
///
/// ```text
///                              new
///                               |
///                               v
///          start           +---------+   start, no control register
///      +------------------ | stopped | ------------------+
///      |                   +---------+                   |
///      |                    ^   ^   ^                    v
///      v         stop       |   |   |   stop    +------------------+
/// +---------+ --------------+   |   +---------- | running          |
/// | running |                   | stop          | (no control word)|
/// +---------+                   |               +------------------+
///   |     ^    start       +----------+
///   |     +--------------- | selected |
///   +--------------------> +----------+
///       stop_reading
/// ```
///
/// | state | `running` | `is_programmed` |
/// |---|---|---|
/// | stopped | no | no |
/// | running | yes | yes |
/// | running (no control word) | yes | no |
/// | selected | no | yes |
///
/// A *selected* slot is that of a source event that perf has stopped or deleted while a dependent
/// event still counts what its control word selects. [`relocate`](Self::relocate) and
/// [`switch_interrupts`](Self::switch_interrupts) pass through *stopped* and come back.
/// [`discard_unverified`](Self::discard_unverified) ends in *stopped*, and the event never starts
/// again. When the box fails, `running` becomes false and no register is written.
pub(crate) struct Slot {
    /// The event and its counter.
    pub(crate) binding: Binding,
    /// Tells whether the event counts.
    pub(crate) running: bool,
    /// Tells whether perf has deleted the event to add it on another CPU. It counts on.
    pub(super) kept: bool,
    /// Control register with what it holds; `None` if it holds 0.
    pub(crate) programmed: Option<Control>,
    /// The core whose counter it may be; `None` if it belongs to the package.
    core: Option<u32>,
    /// Counts of the event, as timers and interrupts have seen them.
    pub(crate) progress: Progress,
    /// The interval, if the event has `interval=`.
    pub(crate) interval: Option<Interval>,
    /// Verification of the event's registers.
    pub(crate) verification: Verification,
}

/// The event of a slot, and the counter that it has.
pub(crate) struct Binding {
    owner: Owner,
    /// The counter of the event.
    pub(crate) counter: CounterIndex,
}

impl Binding {
    /// Returns the request of the event: control word, filters and possible counters.
    #[inline]
    pub(crate) fn request(&self) -> &Request {
        match &self.owner {
            Owner::Event(event) => &event.request,
            Owner::Deleted(request) => request,
        }
    }

    /// Returns the event, unless perf has deleted it.
    #[inline]
    pub(crate) fn event(&self) -> Option<&OpenEvent> {
        match &self.owner {
            Owner::Event(event) => Some(event),
            Owner::Deleted(_) => None,
        }
    }

    /// Returns another reference to the event, unless perf has deleted it.
    fn share(&self) -> Option<Arc<OpenEvent>> {
        match &self.owner {
            Owner::Event(event) => Some(event.clone()),
            Owner::Deleted(_) => None,
        }
    }

    /// Returns the registers of the counter.
    fn registers<B>(&self, io: &BoxIo<'_, B>) -> Result<CounterRegisters> {
        io.registers(self.request(), self.counter)
    }

    /// Returns whether perf has deleted the event.
    pub(crate) fn is_deleted(&self) -> bool {
        matches!(self.owner, Owner::Deleted(_))
    }
}

/// Owner of a slot.
enum Owner {
    /// An event that perf has added.
    Event(Arc<OpenEvent>),
    /// The request of an event that perf has deleted, while a dependent event still uses its
    /// selection.
    Deleted(Request),
}

/// Counts of an event, as the holder of the lock sees them. Readers without the lock leave them
/// alone.
#[derive(Default)]
pub(crate) struct Progress {
    /// Width of the counter, as a mask.
    mask: u64,
    /// Value of the counter when it was last read under the lock.
    seen: u64,
    /// Counts since the event was opened.
    pub(crate) total: u64,
    /// That at the last poll.
    polled: u64,
    /// Tells whether the event counted between the last poll and the one before.
    moved: bool,
}

impl Progress {
    /// Returns whether the event has counted between the last two polls and nothing since. For a poll.
    pub(crate) fn stands_still(&mut self) -> bool {
        let moves = self.total != self.polled;
        self.polled = self.total;
        core::mem::replace(&mut self.moved, moves) && !moves
    }

    /// Begins with a counter that has this width and value.
    fn begin(&mut self, mask: u64, value: u64) {
        self.mask = mask & VALUE;
        self.seen = value;
    }

    /// Adds the counts up to this value of the counter, and returns them.
    fn advance(&mut self, value: u64) -> u64 {
        let count = delta(self.seen, value, self.mask);
        self.seen = value;
        self.total = self.total.wrapping_add(count);
        count
    }
}

/// Progress of an event with `interval=`.
pub(crate) struct Interval {
    /// Progress in the current interval.
    period: Period,
    /// Tells whether the counter was preset to overflow when an interval ends.
    preset: bool,
    /// Tells whether it interrupts then. A counter whose interrupt was disabled meanwhile does not.
    interrupts: bool,
    /// Tells whether an interval has ended since the counter was preset.
    needs_reload: bool,
    /// Count at the end of the last interval, not yet traced.
    pub(crate) finished: Option<u64>,
}

impl Interval {
    /// Begins the first interval; `None` for a length of 0, which means no interval.
    fn new(length: u64) -> Option<Self> {
        Some(Self {
            period: Period::new(length)?,
            preset: false,
            interrupts: false,
            needs_reload: false,
            finished: None,
        })
    }

    /// Begins the first interval of another event with the same length, on the same counter.
    fn restart(&mut self, length: u64) {
        if let Some(period) = Period::new(length) {
            self.period = period;
        }
        self.finished = None;
    }

    /// Adds counts to the interval. `total` is the count of the event. The end of an interval is
    /// noted only if the counter interrupts: otherwise nobody knows when it was.
    #[inline]
    fn add(&mut self, count: u64, total: u64) {
        if self.period.advance(count) > 0 && self.interrupts {
            self.needs_reload = true;
            self.finished = Some(total);
        }
    }
}

impl Slot {
    /// Makes a stopped slot for an event that was assigned a counter.
    pub(crate) fn new(event: Arc<OpenEvent>, assignment: &Assignment) -> Self {
        Self {
            interval: Interval::new(event.request.interval),
            binding: Binding {
                counter: assignment.counter(),
                owner: Owner::Event(event),
            },
            running: false,
            kept: false,
            programmed: None,
            core: None,
            progress: Progress::default(),
            verification: Verification::default(),
        }
    }

    /// Keeps the stopped slot of an event that perf deletes, for what its control word selects.
    fn abandon(&mut self) {
        self.binding.owner = Owner::Deleted(*self.binding.request());
    }

    /// Gives the slot of a deleted event to a new event with the same request.
    fn rebind(&mut self, event: Arc<OpenEvent>) {
        self.progress.total = 0;
        self.verification.modified = None;
        if let Some(interval) = &mut self.interval {
            interval.restart(event.request.interval);
        }
        self.binding.owner = Owner::Event(event);
    }

    /// Returns whether the slot is that of this event.
    #[inline]
    pub(crate) fn is_of(&self, event: &OpenEvent) -> bool {
        self.binding
            .event()
            .is_some_and(|owner| core::ptr::eq(owner, event))
    }

    /// Returns whether the control register is not 0.
    #[inline]
    pub(crate) fn is_programmed(&self) -> bool {
        self.programmed.is_some()
    }

    /// Returns whether the event is a dependent one that counts what a source event selects.
    pub(crate) fn uses_source(&self) -> bool {
        self.running && self.binding.request().needs == Needs::SourceOnCounter0
    }

    /// Returns whether the event is a source for dependent events.
    pub(crate) fn is_source(&self) -> bool {
        self.binding.request().needs == Needs::Source
    }

    /// Returns whether the event starts and stops together with others.
    pub(crate) fn is_grouped(&self) -> bool {
        self.binding.event().is_some_and(OpenEvent::is_grouped)
    }

    /// Returns whether perf has deleted the event in a batch that has not ended.
    pub(super) fn has_left(&self) -> bool {
        self.binding.event().is_some_and(OpenEvent::has_left)
    }

    /// Returns whether perf has deleted the event, which counts on, as perf may add it again.
    pub(super) fn may_go(&self) -> bool {
        self.kept || self.has_left()
    }

    /// Returns whether the event runs and its counter can be read from this core.
    #[inline(always)]
    pub(crate) fn is_readable<B: Bus>(&self, bus: &B) -> bool {
        self.running && self.core.is_none_or(|core| core == bus.core())
    }

    /// Returns whether the event runs, and all CPUs of the package find its counter.
    pub(super) fn runs_everywhere(&self) -> bool {
        self.running && self.core.is_none()
    }

    /// Returns whether the event neither counts nor was ended by a modified register.
    pub(crate) fn can_start(&self) -> bool {
        !self.running && self.verification.modified.is_none()
    }

    /// Starts to count. A queue that the event needs empty is cleared.
    pub(crate) fn start<B: Bus>(&mut self, io: &BoxIo<'_, B>) -> Result {
        self.program(io, self.binding.request().starting())
    }

    /// Stops the counter and reads it. A preset counter is cleared, so that the next event does not
    /// begin near an overflow.
    pub(crate) fn stop<B: Bus>(&mut self, io: &BoxIo<'_, B>) -> Result {
        if let Some(control) = self.programmed {
            io.write_control(control.register, 0)?;
            self.programmed = None;
        }
        self.stop_reading(io)?;
        if let Some(interval) = &mut self.interval {
            if interval.preset {
                let at = self.binding.registers(io)?;
                io.bus.write_counter(at.counter, at.bits(), 0)?;
                interval.preset = false;
                interval.interrupts = false;
            }
        }
        Ok(())
    }

    /// Reads the counter for the last time. The control word stays. The caller has verified the
    /// registers.
    #[inline(always)]
    pub(crate) fn stop_reading<B: Bus>(&mut self, io: &BoxIo<'_, B>) -> Result {
        if self.running {
            if let Some(event) = self.binding.event() {
                match event.finish(io.bus) {
                    Ok(found) => self.account(&found),
                    Err(missed) => {
                        self.miss(io.bus, missed)?;
                        self.halt();
                    }
                }
            }
            self.verification.accept();
            self.running = false;
        }
        Ok(())
    }

    /// Records a modified register that ends the event, if its control register is in use.
    pub(crate) fn record_modified(&mut self, register: Option<ModifiedRegister>) {
        if self.is_programmed() {
            self.verification.record(register);
        }
    }

    /// Notes that the registers were as written at the last read.
    pub(crate) fn mark_verified(&mut self, now_ms: u64) {
        self.verification.accept();
        self.verification.checked_at_ms = now_ms;
    }

    /// Stops the counter and discards the counts since the registers were last verified.
    pub(crate) fn discard_unverified<B: Bus>(&mut self, io: &BoxIo<'_, B>) -> Result {
        self.halt();
        if let Some(event) = self.binding.event() {
            let discarded = event.reading.discard(self.verification.unverified);
            self.progress.total = self.progress.total.wrapping_sub(discarded);
        }
        self.verification.accept();
        if let Some(interval) = &mut self.interval {
            interval.finished = None;
        }
        self.stop(io)
    }

    /// Reads the counter, and returns whether it was modified. The counts are kept for perf.
    #[inline(always)]
    pub(crate) fn collect<B: Bus>(&mut self, bus: &B) -> Result<bool> {
        if let Some(event) = self.binding.event() {
            match event.collect(bus) {
                Ok(found) => self.account(&found),
                Err(missed) => {
                    self.miss(bus, missed)?;
                    return Ok(self.verification.modified.is_some());
                }
            }
        }
        Ok(false)
    }

    /// Accounts for a read of the counter that found no counts. A counter that cannot have counted up
    /// to its value goes on from there, and is a modified register.
    #[cold]
    #[inline(never)]
    fn miss<B: Bus>(&mut self, bus: &B, missed: Missed) -> Result {
        let Some(event) = self.binding.event() else {
            return Ok(());
        };
        let reading = &event.reading;
        let last = reading.value();
        match missed {
            Missed::Refused(error) => Err(error),
            Missed::Lost | Missed::Overtaken => {
                self.account(&Found {
                    count: 0,
                    value: last,
                });
                Ok(())
            }
            Missed::Behind => {
                let register = Register::Counter(reading.register());
                let found = event.skip(bus)?;
                self.progress.seen = found;
                self.verification.record(Some(ModifiedRegister {
                    register,
                    written: last,
                    found,
                }));
                Ok(())
            }
        }
    }

    /// Accounts for a read of the counter.
    #[inline(always)]
    fn account(&mut self, found: &Found) {
        self.verification.add(found.count);
        let count = self.progress.advance(found.value);
        if let Some(interval) = &mut self.interval {
            interval.add(count, self.progress.total);
        }
    }

    /// Leaves out what the counter has counted since it was read.
    pub(crate) fn skip<B: Bus>(&mut self, bus: &B) -> Result {
        if let Some(event) = self.binding.event() {
            self.progress.seen = event.skip(bus)?;
        }
        Ok(())
    }

    /// Ends the event without a read, as its registers do not answer or its counts are wrong.
    pub(crate) fn halt(&mut self) {
        self.running = false;
        if let Some(event) = self.binding.event() {
            event.reading.halt();
        }
    }

    /// Programs the counter again, as its registers were lost.
    pub(crate) fn restore<B: Bus>(&mut self, io: &BoxIo<'_, B>) -> Result {
        let running = self.running;
        if running || self.is_programmed() {
            self.program(io, self.binding.request().starting())?;
            if !running {
                self.halt();
            }
        }
        Ok(())
    }

    /// Moves the event to another general counter.
    pub(crate) fn relocate<B: Bus>(&mut self, io: &BoxIo<'_, B>, to: u8) -> Result {
        let was_running = self.running;
        self.stop(io)?;
        self.binding.counter = CounterIndex::General(to);
        if was_running {
            // The event has counted its queue up to here: the queue must not be cleared.
            self.program(io, 0)?;
        }
        Ok(())
    }

    /// Enables or disables the interrupt of the counter, as the box is set.
    pub(crate) fn switch_interrupts<B: Bus>(&mut self, io: &BoxIo<'_, B>) -> Result {
        if !self.is_programmed() {
            return Ok(());
        }
        let at = self.binding.registers(io)?;
        let restarts = self.running && at.interrupts && self.interval.is_some();
        if let Some(interval) = &mut self.interval {
            interval.interrupts = false;
            // It is preset anew below, or counts on.
            interval.preset &= !restarts;
        }
        if restarts {
            // The counter must not run while it is preset.
            self.stop(io)?;
            return self.program(io, 0);
        }
        self.write_word(io, at.control, 0)
    }

    /// Returns whether an interval has ended, and the counter is to be preset for the next one.
    pub(crate) fn needs_reload(&self) -> bool {
        let interval = self.interval.as_ref();
        self.running && interval.is_some_and(|of| of.interrupts && of.needs_reload)
    }

    /// Presets the stopped counter for the next interval, as one has ended.
    pub(crate) fn reload<B: Bus>(&mut self, io: &BoxIo<'_, B>) -> Result {
        let (Some(interval), Some(event)) = (&mut self.interval, self.binding.event()) else {
            return Ok(());
        };
        interval.needs_reload = false;
        let at = self.binding.registers(io)?;
        event.reading.halt();
        let value = at.preset(io.bus, &interval.period)?;
        event.reading.publish(io.bus, at.counter, at.bits(), value);
        self.progress.begin(at.bits(), value);
        Ok(())
    }

    /// Notes the value of the counter, or presets it, and enables it. The bits of `once` are added
    /// to the control word in this write only.
    fn program<B: Bus>(&mut self, io: &BoxIo<'_, B>, once: u32) -> Result {
        let at = self.binding.registers(io)?;
        let is_of_package = self.binding.request().is_of_package(io.setup.kind);
        self.core = (!is_of_package).then(|| io.bus.core());
        if let Some(event) = self.binding.event() {
            event.reading.halt();
        }
        let value = match &mut self.interval {
            Some(interval) if at.interrupts => {
                interval.preset = true;
                interval.interrupts = true;
                interval.needs_reload = false;
                at.preset(io.bus, &interval.period)?
            }
            _ => at.settle(io.bus, io.setup.presets)?,
        };
        self.write_word(io, at.control, once)?;
        if let Some(event) = self.binding.event() {
            event.reading.publish(io.bus, at.counter, at.bits(), value);
        }
        self.progress.begin(at.bits(), value);
        self.running = true;
        self.verification.checked_at_ms = io.bus.now_ms();
        Ok(())
    }

    /// Writes the control register, if there is one. The bits of `once` are added in this write only.
    #[inline(always)]
    fn write_word<B: Bus>(
        &mut self,
        io: &BoxIo<'_, B>,
        control: Option<Control>,
        once: u32,
    ) -> Result {
        if let Some(Control { register, word }) = control {
            io.write_control(register, word | once)?;
            self.programmed = control;
        }
        Ok(())
    }
}

/// A set of slots, as a bit mask of their indexes.
pub(crate) type SlotSet = u16;

const _: () = assert!(MAX_EVENTS <= SlotSet::BITS as usize);

/// Returns the set of one slot.
pub(super) fn slot_bit(index: usize) -> SlotSet {
    let index = u32::try_from(index).unwrap_or(u32::MAX);
    SlotSet::checked_shl(1, index).unwrap_or(0)
}

/// Returns the index of each slot of a set.
pub(super) fn each(set: SlotSet) -> impl Iterator<Item = usize> {
    let mut rest = set;
    core::iter::from_fn(move || {
        let index = usize::try_from(rest.trailing_zeros()).ok()?;
        let found = rest != 0;
        rest &= rest.wrapping_sub(1);
        found.then_some(index)
    })
}

/// Events of a box. Each reference may become the last one: it must not be dropped under the lock.
pub(crate) type Events = [Option<Arc<OpenEvent>>; MAX_EVENTS];

/// The slots of a box: one for each counter in use.
#[derive(Default)]
pub(crate) struct Slots {
    entries: [Option<Slot>; MAX_EVENTS],
    /// Entries from this index on are free, so that a box with few events searches few entries.
    end: usize,
}

impl Slots {
    /// Returns all slots.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Slot> {
        let used = self.entries.get(..self.end).unwrap_or_default();
        used.iter().filter_map(Option::as_ref)
    }

    /// Returns all slots.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Slot> {
        let used = self.entries.get_mut(..self.end).unwrap_or_default();
        used.iter_mut().filter_map(Option::as_mut)
    }

    /// Returns the index of the first slot from an index on that is `wanted`.
    #[inline(always)]
    pub(super) fn find(&self, from: usize, wanted: impl Fn(&Slot) -> bool) -> Option<usize> {
        let rest = self.entries.get(from..self.end)?;
        let is_wanted = |entry: &Option<Slot>| entry.as_ref().is_some_and(&wanted);
        rest.iter().position(is_wanted)?.checked_add(from)
    }

    /// Returns the slots that are `wanted`.
    pub(crate) fn set_of(&self, wanted: impl Fn(&Slot) -> bool) -> SlotSet {
        let used = self.entries.get(..self.end).unwrap_or_default();
        used.iter().rev().fold(0, |set, entry| {
            let is_wanted = entry.as_ref().is_some_and(&wanted);
            set << 1 | SlotSet::from(is_wanted)
        })
    }

    /// Returns the slots of a set.
    pub(crate) fn of_set(&mut self, set: SlotSet) -> impl Iterator<Item = &mut Slot> {
        let used = self.entries.get_mut(..self.end).unwrap_or_default();
        let mut rest = set;
        used.iter_mut().filter_map(move |entry| {
            let is_wanted = rest & 1 != 0;
            rest >>= 1;
            entry.as_mut().filter(|_| is_wanted)
        })
    }

    /// Returns whether no event has a slot.
    pub(crate) fn is_empty(&self) -> bool {
        self.end == 0
    }

    /// Returns the slot of an event.
    #[inline]
    pub(crate) fn of(&mut self, event: &OpenEvent) -> Option<&mut Slot> {
        let slot = self.entries.get_mut(event.slot()?)?.as_mut();
        slot.filter(|slot| slot.is_of(event))
    }

    /// Returns the index of an event's slot.
    #[inline]
    pub(crate) fn index_of(&self, event: &OpenEvent) -> Option<usize> {
        let index = event.slot()?;
        let slot = self.entries.get(index)?.as_ref()?;
        slot.is_of(event).then_some(index)
    }

    /// Returns the slot with an index.
    #[inline]
    pub(super) fn at(&mut self, index: usize) -> Option<&mut Slot> {
        self.entries.get_mut(index)?.as_mut()
    }

    /// Returns the event of the slot with an index.
    #[inline]
    pub(super) fn event(&self, index: usize) -> Option<&OpenEvent> {
        self.entries.get(index)?.as_ref()?.binding.event()
    }

    /// Returns the slot of a general counter.
    pub(crate) fn on(&mut self, counter: u8) -> Option<&mut Slot> {
        self.iter_mut()
            .find(|slot| slot.binding.counter == CounterIndex::General(counter))
    }

    /// Adds a slot for an event. The allocation of counters has ensured that there is room.
    pub(crate) fn insert(&mut self, event: Arc<OpenEvent>, assignment: &Assignment) {
        let mut entries = self.entries.iter_mut().enumerate();
        if let Some((index, entry)) = entries.find(|(_, entry)| entry.is_none()) {
            event.set_slot(index);
            *entry = Some(Slot::new(event, assignment));
            self.end = self.end.max(index.saturating_add(1));
        }
    }

    /// Returns the events that are `wanted`; `None` if there is none.
    pub(super) fn events(&self, wanted: impl Fn(&Slot) -> bool) -> Option<Events> {
        let event = |entry: &Option<Slot>| {
            let slot = entry.as_ref().filter(|slot| wanted(slot))?;
            slot.binding.share()
        };
        self.iter()
            .any(&wanted)
            .then(|| self.entries.each_ref().map(event))
    }

    /// Keeps the slot of an event that perf deletes, for what its control word selects.
    pub(crate) fn abandon(&mut self, index: usize) {
        if let Some(slot) = self.at(index) {
            slot.abandon();
        }
    }

    /// Gives a new event the slot of a deleted event with the same request, whose selection a
    /// dependent event still uses. Returns whether there is one.
    pub(crate) fn take_over(&mut self, event: &Arc<OpenEvent>) -> bool {
        let mut entries = self.entries.iter_mut().enumerate();
        let found = entries.find_map(|(index, entry)| {
            let slot = entry.as_mut()?;
            let is_like = slot.binding.is_deleted() && *slot.binding.request() == event.request;
            is_like.then_some((index, slot))
        });
        let Some((index, slot)) = found else {
            return false;
        };
        event.set_slot(index);
        slot.rebind(event.clone());
        true
    }

    /// Removes a slot, after a call of `removed`.
    pub(crate) fn remove(&mut self, index: usize, removed: impl FnOnce(&Slot)) {
        if let Some(entry) = self.entries.get_mut(index) {
            if let Some(slot) = entry {
                removed(slot);
                *entry = None;
                self.find_end();
            }
        }
    }

    /// Removes the slots that are not `kept`, each after a call of `removed`.
    pub(crate) fn retain(&mut self, kept: impl Fn(&Slot) -> bool, mut removed: impl FnMut(&Slot)) {
        let used = self.entries.get_mut(..self.end).unwrap_or_default();
        for entry in used {
            if let Some(slot) = entry.as_ref().filter(|slot| !kept(slot)) {
                removed(slot);
                *entry = None;
            }
        }
        self.find_end();
    }

    /// Finds the end again, after slots were removed.
    fn find_end(&mut self) {
        while let Some((None, before)) = self
            .entries
            .get(..self.end)
            .and_then(<[Option<Slot>]>::split_last)
        {
            self.end = before.len();
        }
    }
}
