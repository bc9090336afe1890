// SPDX-License-Identifier: GPL-2.0

//! Services the boxes of a package that have overflowed, writes a trace record for each interval
//! that has ended, switches interrupts on and off, and programs counters again that a sleep has
//! cleared.
//!
//! All this goes over many boxes. It is [requested](Service::request), and done in
//! [steps](Service::step), each of which accesses the registers of one box at most, about as often as
//! the box has registers. Whoever takes the steps lets the CPU take interrupts in between.
//!
//! `drain.rs` has the order of the steps after an overflow, this file the boxes and registers.
//!
//! # Contexts
//!
//! Interrupts off on a CPU of the package. The interrupt that an NMI requests, the timer and process
//! context take steps. One lock keeps them apart; under it the lock of one box is taken. Requests are
//! made in any context.

use super::{
    deferred_log::{
        DeferredLog,
        Message, //
    },
    drain::{
        Drain,
        Frozen,
        Next,
        Serviced, //
    },
    line_buffer::LineBuffer,
    pmi::PackagePmi, //
};
use crate::{
    linux::{
        atomic::{
            AtomicBool,
            AtomicU32,
            AtomicU64,
            Ordering, //
        },
        clock,
        context::IrqsOff,
        lock::{
            new_raw_spinlock,
            RawSpinLock, //
        },
        trace,
        work::Work, //
    },
    uncore::{
        counter_box::{
            overflow::{
                sooner,
                Watched, //
            },
            uncore_box::UncoreBox, //
        },
        frozen::LONGEST_LOOK_NS,
        overflow_mode::{
            Interrupts,
            PollReason, //
        },
        table::box_type::BoxType, //
    }, //
};
use core::mem;
use kernel::{
    prelude::*,
    str::CString,
    sync::Arc, //
};

/// Longest time in nanoseconds between two looks at the level that lets the counters run. Counters that
/// have lost it can stand still for this time.
const LONGEST_LEVEL_NS: u64 = 100_000_000;

/// Requests: service the boxes that have overflowed; those of an overflow that came without an NMI;
/// switch the interrupts of the counters on or off; log that, and look for a last overflow; program
/// the counters again that were lost with the level.
pub(crate) const OVERFLOW: u32 = 1 << 0;
const MISSED: u32 = 1 << 1;
const SWITCH: u32 = 1 << 2;
const LOG: u32 = 1 << 3;
const RESTORE: u32 = 1 << 4;

/// Result of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stepped {
    /// There was nothing to do.
    Idle,
    /// Nothing is left to do.
    Last,
    /// More is left to do.
    More,
}

/// What is being done, from one step to the next.
struct Tasks {
    drain: Drain,
    /// There was another overflow since the boxes were serviced.
    again: bool,
    /// The overflow came without an NMI.
    missed: bool,
    /// Time of the overflow.
    time: u64,
    /// Counts of all events for trace records.
    counts: LineBuffer,
    /// The next box whose interrupts are switched on or off, as the obstacle says.
    switch: Option<usize>,
    /// Interrupts stop while events count: the log is to have the new mode.
    log: bool,
    /// The next box, and slot of it, whose counter is programmed again.
    restore: Option<(usize, usize)>,
}

impl Tasks {
    /// Begins to service the boxes that have overflowed.
    fn begin_drain(&mut self) {
        self.time = clock::monotonic_ns();
        self.drain.begin();
    }
}

/// Boxes of a package, with the names of their PMUs.
#[pin_data]
pub(crate) struct Service {
    pub(crate) pmi: Arc<PackagePmi>,
    boxes: KVec<(Arc<UncoreBox>, CString)>,
    deferred_log: Arc<Work<DeferredLog>>,
    /// Counters that interrupt if interrupts work.
    pub(crate) chosen: Interrupts,
    /// No counter interrupted when the timer looked last.
    idle: AtomicBool,
    /// The timer has found an overflow when it looked last, whose NMI may still come.
    overdue: AtomicBool,
    /// Time at which a pause ends.
    paused_until: AtomicU64,
    /// What is requested.
    requests: AtomicU32,
    #[pin]
    tasks: RawSpinLock<Tasks>,
}

impl Service {
    /// Creates the service of these boxes, which have the names of their PMUs. The `chosen` counters
    /// are to interrupt.
    pub(crate) fn new(
        pmi: &Arc<PackagePmi>,
        chosen: Interrupts,
        boxes: KVec<(Arc<UncoreBox>, CString)>,
        deferred_log: &Arc<Work<DeferredLog>>,
    ) -> impl PinInit<Self> {
        let (pmi, deferred_log) = (pmi.clone(), deferred_log.clone());
        let tasks = init!(Tasks {
            drain: Drain::default(),
            again: false,
            missed: false,
            time: 0,
            counts <- LineBuffer::new(),
            switch: None,
            log: false,
            restore: None,
        });
        pin_init!(Self {
            pmi,
            boxes,
            deferred_log,
            chosen,
            idle: AtomicBool::new(false),
            overdue: AtomicBool::new(false),
            paused_until: AtomicU64::new(0),
            requests: AtomicU32::new(0),
            tasks <- new_raw_spinlock!(tasks, c"uncore_service"),
        })
    }

    /// Requests something to be done in steps. In any context.
    pub(crate) fn request(&self, what: u32) {
        self.requests.fetch_or(what, Ordering::Relaxed);
    }

    /// Returns whether something is requested of which no step was taken yet.
    pub(crate) fn is_requested(&self) -> bool {
        self.requests.load(Ordering::Relaxed) != 0
    }

    /// Takes the next step of what is requested.
    pub(crate) fn step(&self) -> Stepped {
        self.tasks.with(|here, tasks| {
            let requests = self.requests.swap(0, Ordering::Relaxed);
            if requests & (OVERFLOW | MISSED) != 0 {
                tasks.missed |= requests & MISSED != 0;
                if tasks.drain.is_active() {
                    tasks.again = true;
                } else {
                    tasks.begin_drain();
                }
            }
            if requests & SWITCH != 0 {
                tasks.switch = Some(0);
                tasks.log |= requests & LOG != 0;
            }
            if requests & RESTORE != 0 {
                tasks.restore.get_or_insert((0, 0));
            }
            if tasks.drain.is_active() {
                self.step_drain(here, tasks);
            } else if let Some(first) = tasks.switch {
                self.step_switch(here, tasks, first);
            } else if let Some(first) = tasks.restore {
                tasks.restore = self.restore_from(here, first);
            } else {
                return Stepped::Idle;
            }
            let is_busy = tasks.switch.is_some() || tasks.restore.is_some();
            match is_busy || tasks.drain.is_active() || self.is_requested() {
                true => Stepped::More,
                false => Stepped::Last,
            }
        })
    }

    /// Takes all steps at once. Only for code that may not take interrupts.
    pub(crate) fn finish(&self, _here: &IrqsOff) {
        while self.step() == Stepped::More {}
    }

    /// Takes a step after an overflow. The last one unfreezes the package, and traces the intervals
    /// that have ended.
    fn step_drain(&self, here: &IrqsOff, tasks: &mut Tasks) {
        if let Some(since) = self.pmi.nmi.frozen_since() {
            tasks.time = since;
        }
        let frozen = FrozenBoxes {
            service: self,
            here,
        };
        let mut next = tasks.drain.step(&frozen, trace::is_enabled());
        while let Next::Counts(index) = next {
            if self.print_counts(index, &mut tasks.counts) {
                return;
            }
            next = tasks.drain.step(&frozen, true);
        }
        let Next::Released { ended } = next else {
            return;
        };
        self.overdue.store(false, Ordering::Relaxed);
        let time = tasks.time;
        if mem::take(&mut tasks.again) {
            tasks.begin_drain();
        }
        if ended {
            self.trace_intervals(time, tasks.counts.as_c_str());
            tasks.counts.clear();
        }
        if mem::take(&mut tasks.missed) {
            self.pmi.nmi.add_missed(clock::monotonic_ns());
        }
        self.pause_if_needed();
    }

    /// Prints the counts of the events of a box, and returns whether it has any.
    fn print_counts(&self, index: usize, out: &mut LineBuffer) -> bool {
        let uncore_box = self.boxes.get(index).map(|(uncore_box, _)| uncore_box);
        let Some(uncore_box) = uncore_box.filter(|of| of.may_have_events()) else {
            return false;
        };
        uncore_box.with(|counters, bus| {
            counters.read_all(bus);
            for event in counters.counts() {
                let (name, config, count) = (uncore_box.name, event.config, event.count);
                out.add(fmt!("{name}/{config:#x}/={count}"));
            }
        });
        true
    }

    /// Takes a step to let the chosen counters interrupt, or none if there is an obstacle.
    fn step_switch(&self, here: &IrqsOff, tasks: &mut Tasks, first: usize) {
        let obstacle = self.pmi.obstacle();
        let interrupts = match obstacle {
            None => self.chosen,
            Some(_) => Interrupts::Off,
        };
        let boxes = self.boxes.get(first..).unwrap_or_default();
        for (index, (uncore_box, _)) in (first..).zip(boxes) {
            let accessed =
                uncore_box.with(|counters, bus| counters.step_interrupts(bus, interrupts));
            if accessed {
                tasks.switch = Some(index);
                return;
            }
        }
        tasks.switch = None;
        let log = mem::take(&mut tasks.log);
        if obstacle.is_none() {
            // An overflow since then has its status set, which the timer looks for.
            if self.interrupts() {
                self.arm(here);
            }
            return;
        }
        if self.pmi.nmi.has_target() {
            self.pmi.select_cores(here, 0);
        }
        if log {
            // A counter may have overflowed before it was its turn. Nobody looks soon after this.
            if self.pmi.nmi.has_overflowed(here) {
                self.request(MISSED);
            }
            self.deferred_log.queue(match obstacle {
                Some(PollReason::Frozen) => Message::Paused,
                _ => Message::Mode,
            });
        }
    }

    /// Returns whether a running counter interrupts on overflow.
    fn interrupts(&self) -> bool {
        self.busy_boxes()
            .any(|(of, _)| of.with(|counters, bus| counters.interrupt(bus)))
    }

    /// Takes a step to program the counters again that were lost with the level, from this box and
    /// slot on. The last step sets the level. Returns what the next step begins with.
    fn restore_from(&self, here: &IrqsOff, first: (usize, usize)) -> Option<(usize, usize)> {
        let (first, slot) = first;
        let mut boxes = (first..).zip(self.boxes.get(first..).unwrap_or_default());
        let Some((index, (uncore_box, _))) = boxes.find(|(_, (of, _))| of.may_have_events()) else {
            self.pmi.renew_level(here);
            return None;
        };
        // Another box than the one that the slot is of has all of its slots before it.
        let slot = if index == first { slot } else { 0 };
        let next = uncore_box.with(|counters, bus| counters.restore_lost(bus, slot));
        Some(next.map_or((index.saturating_add(1), 0), |slot| (index, slot)))
    }

    /// Writes a trace record for each interval that has ended, with the time of its overflow and
    /// the counts of all events.
    fn trace_intervals(&self, time: u64, all: &CStr) {
        for (uncore_box, pmu) in &self.boxes {
            while let Some(ended) = uncore_box.with(|counters, _| counters.take_finished_interval())
            {
                self.pmi.nmi.stats.intervals.add();
                let interval = trace::Interval {
                    pmu,
                    package: self.pmi.package,
                    id: ended.event_id,
                    config: ended.config,
                    count: ended.count,
                    time,
                    all,
                };
                interval.emit();
            }
        }
    }

    /// Returns the first box of a type.
    pub(crate) fn first_of(&self, kind: &BoxType) -> Option<&UncoreBox> {
        let mut boxes = self.boxes.iter().map(|(uncore_box, _)| &**uncore_box);
        boxes.find(|uncore_box| core::ptr::eq(uncore_box.name.kind, kind))
    }

    /// Reads the counters of the first box from this one on whose poll is due, or verifies its
    /// registers if they are. Returns the box, if there is one.
    pub(crate) fn poll_from(&self, first: usize, now: u64) -> Option<usize> {
        let boxes = self.boxes.get(first..).unwrap_or_default();
        let is_due = |uncore_box: &UncoreBox| {
            uncore_box.may_have_events() && uncore_box.with(|counters, bus| counters.poll(bus, now))
        };
        let mut boxes = (first..).zip(boxes);
        boxes.find_map(|(index, (uncore_box, _))| is_due(uncore_box).then_some(index))
    }

    /// Returns what runs in all boxes.
    pub(crate) fn watched(&self) -> Watched {
        self.busy_boxes()
            .map(|(uncore_box, _)| uncore_box.with(|counters, bus| counters.watched(bus)))
            .fold(Watched::default(), Watched::and)
    }

    /// Takes PMIs on this CPU, as a counter is about to start that interrupts. Returns whether there
    /// is an overflow already.
    pub(crate) fn arm(&self, here: &IrqsOff) -> bool {
        match self.pmi.arm(here) {
            Ok(()) => {
                self.idle.store(false, Ordering::Relaxed);
                self.pmi.nmi.note_counting(clock::monotonic_ns());
                self.pmi.nmi.has_overflowed(here)
            }
            Err(reason) => {
                self.stop_interrupts(reason);
                false
            }
        }
    }

    /// Lets the counters of the package run again if they have lost their level while events count.
    /// Returns the time in nanoseconds after which this must be called again, if a level lets them
    /// run.
    pub(crate) fn keep_level(&self, here: &IrqsOff) -> Option<u64> {
        if self.let_run(here) {
            self.deferred_log.queue(Message::Level);
        }
        self.level_after()
    }

    /// Lets the counters of the package run, where a level decides that: sets it for the first event.
    /// If it was lost, requests that it be set again, after the counters that were lost with it were
    /// programmed. Returns whether it was.
    pub(crate) fn let_run(&self, here: &IrqsOff) -> bool {
        let learn = |level| {
            let boxes = self.boxes.iter();
            boxes.for_each(|(uncore_box, _)| uncore_box.reach().set_level(level));
        };
        let lost = self.pmi.keep_level(here, learn);
        if lost && self.requests.fetch_or(RESTORE, Ordering::Relaxed) & RESTORE == 0 {
            self.pmi.nmi.stats.level_lost.add();
        }
        lost
    }

    /// Returns the boxes that may have events.
    fn busy_boxes(&self) -> impl Iterator<Item = &(Arc<UncoreBox>, CString)> {
        self.boxes.iter().filter(|(of, _)| of.may_have_events())
    }

    /// Returns the time after which the level must be looked at, if one lets the counters run.
    pub(crate) fn level_after(&self) -> Option<u64> {
        self.pmi.has_level().then_some(LONGEST_LEVEL_NS)
    }

    /// Looks for an overflow without an NMI, ends a pause, and restores the registers of the CPU if
    /// two polls in a row have found no counter that interrupts; `interrupts` is what a poll has
    /// found just now. Returns the time in nanoseconds after which this must be called again.
    /// Something may be requested after that.
    pub(crate) fn watch(&self, here: &IrqsOff, now: u64, interrupts: Option<bool>) -> Option<u64> {
        let nmi = &self.pmi.nmi;
        if nmi.has_target() {
            self.look(here, now);
        }
        let pause = self.end_pause(now);
        if let Some(interrupts) = interrupts {
            self.disarm_if_idle(here, interrupts);
        }
        let look_after = nmi.has_target().then(|| self.look_after(now));
        sooner(pause, look_after)
    }

    /// Ends the pause of interrupts if its time is over. Returns the time in nanoseconds that is left
    /// of a pause.
    fn end_pause(&self, now: u64) -> Option<u64> {
        if self.pmi.obstacle() != Some(PollReason::Frozen) {
            return None;
        }
        let end = self.paused_until.load(Ordering::Relaxed);
        let left = end.saturating_sub(now);
        if left == 0 {
            self.resume(None);
        }
        Some(left).filter(|&left| left > 0)
    }

    /// Notes whether a poll has found a counter that `interrupts`. Restores the registers of this CPU
    /// if the poll before has found none either.
    fn disarm_if_idle(&self, here: &IrqsOff, interrupts: bool) {
        let was_idle = self.idle.swap(!interrupts, Ordering::Relaxed);
        if was_idle && !interrupts && self.pmi.nmi.has_target() {
            self.pmi.disarm(here);
        }
    }

    /// Returns the time after which the status must be looked at.
    pub(crate) fn look_after(&self, now: u64) -> u64 {
        let look_after = self.pmi.nmi.frozen.look_after(now);
        look_after.unwrap_or(LONGEST_LOOK_NS)
    }

    /// Looks for an overflow. One that was there at the last look has lost its NMI.
    fn look(&self, here: &IrqsOff, now: u64) {
        let overflowed = self.pmi.nmi.has_overflowed(here);
        if !overflowed {
            self.pmi.nmi.note_counting(now);
        }
        let was_there = self.overdue.swap(overflowed, Ordering::Relaxed);
        if overflowed && was_there {
            self.catch_missed();
        }
    }

    /// Has an overflow serviced that came without an NMI.
    fn catch_missed(&self) {
        let nmi = &self.pmi.nmi;
        nmi.stats.caught.add();
        self.request(MISSED);
        if nmi.count_missed() && self.pmi.obstacle().is_none() {
            self.stop_interrupts(PollReason::Missed);
        }
    }

    /// Stops interrupts for a while if they have frozen the package for too long, or were too many.
    pub(crate) fn pause_if_needed(&self) {
        let (nmi, now) = (&self.pmi.nmi, clock::monotonic_ns());
        let too_much = nmi.take_too_many() || nmi.frozen.look_after(now).is_none();
        if too_much && self.pmi.obstacle().is_none() {
            let until = now.saturating_add(nmi.frozen.pause_ns(now));
            self.paused_until.store(until, Ordering::Relaxed);
            nmi.stats.paused.add();
            self.stop_interrupts(PollReason::Frozen);
        }
    }

    /// Requests that the chosen counters interrupt, and that this CPU takes PMIs if one of them
    /// counts, unless there is an `obstacle`.
    pub(crate) fn resume(&self, obstacle: Option<PollReason>) {
        self.pmi.set_obstacle(obstacle);
        if obstacle.is_none() && self.pmi.has_routing() {
            self.request(SWITCH);
        }
    }

    /// Requests that no counter of the package interrupts, for this reason. NMIs that are on their
    /// way are still claimed.
    fn stop_interrupts(&self, reason: PollReason) {
        self.quiesce(reason);
        self.request(LOG);
    }

    /// Requests that no counter interrupts, and no core is selected, for this reason.
    pub(crate) fn quiesce(&self, reason: PollReason) {
        self.pmi.set_obstacle(Some(reason));
        // Without a routing no counter has interrupted, and `resume` lets none do that.
        if self.pmi.has_routing() {
            self.request(SWITCH);
        }
    }
}

/// Boxes of a frozen package.
struct FrozenBoxes<'a> {
    service: &'a Service,
    here: &'a IrqsOff,
}

impl FrozenBoxes<'_> {
    fn uncore_box(&self, index: usize) -> Option<&UncoreBox> {
        self.service
            .boxes
            .get(index)
            .map(|(uncore_box, _)| &**uncore_box)
    }
}

impl Frozen for FrozenBoxes<'_> {
    fn take(&self) -> u64 {
        self.service.pmi.nmi.take_overflows(self.here)
    }

    fn boxes(&self) -> usize {
        self.service.boxes.len()
    }

    fn bits(&self, index: usize) -> u64 {
        let name = self.uncore_box(index).map(|uncore_box| uncore_box.name);
        let bits = name.and_then(|of| of.kind.global_status.get(usize::from(of.index)));
        bits.copied().unwrap_or(0)
    }

    fn service(&self, index: usize, all: bool) -> Serviced {
        let Some(uncore_box) = self.uncore_box(index) else {
            return Serviced::default();
        };
        uncore_box.with(|counters, bus| Serviced {
            overflows: counters.service(bus, all),
            ended: counters.has_finished_interval(),
        })
    }

    fn rearm(&self, index: usize, overflows: u32) -> bool {
        let uncore_box = self.uncore_box(index);
        uncore_box.is_some_and(|uncore_box| {
            uncore_box.with(|counters, bus| counters.rearm(bus, overflows))
        })
    }

    fn release(&self) {
        self.service.pmi.release(self.here);
    }
}
