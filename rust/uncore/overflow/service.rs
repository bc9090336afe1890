// SPDX-License-Identifier: GPL-2.0

//! Services the boxes of a package that have overflowed, and writes a trace record for each interval
//! that has ended.
//!
//! `drain.rs` has the order of the steps, this file the boxes and registers.
//!
//! # Contexts
//!
//! Interrupts off on a CPU of the package, from the interrupt that an NMI requests or from the
//! timer. One lock keeps the two apart; under it the lock of one box after the other is taken.

use super::{
    deferred_log::{
        DeferredLog,
        Message, //
    },
    drain::{
        self,
        Frozen,
        Serviced, //
    },
    line_buffer::LineBuffer,
    pmi::PackagePmi, //
};
use crate::{
    linux::{
        atomic::{
            AtomicBool,
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
            bus::Access,
            counters::BoxCounters,
            overflow::{
                sooner,
                Watched, //
            },
            uncore_box::UncoreBox, //
        },
        error_work::ErrorWork,
        frozen::LONGEST_LOOK_NS,
        overflow_mode::{
            Interrupts,
            PollReason, //
        },
        table::box_type::BoxType, //
    }, //
};
use kernel::{
    prelude::*,
    str::CString,
    sync::Arc, //
};

/// Longest time in nanoseconds between two looks at the level that lets the counters run. So long can
/// counters stand still that have lost it.
const LONGEST_LEVEL_NS: u64 = 100_000_000;

/// Boxes of a package, with the names of their PMUs.
#[pin_data]
pub(crate) struct Service {
    pub(crate) pmi: Arc<PackagePmi>,
    boxes: KVec<(Arc<UncoreBox>, CString)>,
    errors: Arc<ErrorWork>,
    deferred_log: Arc<Work<DeferredLog>>,
    /// Counters that interrupt if interrupts work.
    chosen: Interrupts,
    /// No counter interrupted when the timer looked last.
    idle: AtomicBool,
    /// The timer has found an overflow when it looked last, whose NMI may still come.
    overdue: AtomicBool,
    /// Time at which a pause ends.
    paused_until: AtomicU64,
    /// Counts of all events for trace records. Its lock is held while boxes are serviced.
    #[pin]
    counts: RawSpinLock<LineBuffer>,
}

impl Service {
    /// Creates the service of these boxes, which have the names of their PMUs. The `chosen` counters
    /// are to interrupt.
    pub(crate) fn new(
        pmi: &Arc<PackagePmi>,
        chosen: Interrupts,
        boxes: KVec<(Arc<UncoreBox>, CString)>,
        errors: &Arc<ErrorWork>,
        deferred_log: &Arc<Work<DeferredLog>>,
    ) -> impl PinInit<Self> {
        let (pmi, errors, deferred_log) = (pmi.clone(), errors.clone(), deferred_log.clone());
        pin_init!(Self {
            pmi,
            boxes,
            errors,
            deferred_log,
            chosen,
            idle: AtomicBool::new(false),
            overdue: AtomicBool::new(false),
            paused_until: AtomicU64::new(0),
            counts <- new_raw_spinlock!(LineBuffer::new(), c"uncore_service"),
        })
    }

    /// Services all boxes that have overflowed, unfreezes the package, and traces the intervals
    /// that have ended.
    pub(crate) fn drain(&self) {
        self.counts.with(|here, counts| {
            let since = self.pmi.nmi.frozen_since();
            let time = since.unwrap_or_else(clock::monotonic_ns);
            let frozen = FrozenBoxes {
                service: self,
                here,
            };
            let ended = drain::drain(&frozen, || self.print_counts(counts));
            self.overdue.store(false, Ordering::Relaxed);
            if ended {
                self.trace_intervals(time, counts.as_c_str());
            }
        });
    }

    /// Prints the counts of all events of the package, if the trace event is enabled.
    fn print_counts(&self, out: &mut LineBuffer) {
        out.clear();
        if !trace::is_enabled() {
            return;
        }
        for (uncore_box, _) in &self.boxes {
            self.with(uncore_box, |counters, bus| {
                counters.read_all(bus);
                for event in counters.counts() {
                    let (name, config, count) = (uncore_box.name, event.config, event.count);
                    out.add(fmt!("{name}/{config:#x}/={count}"));
                }
            });
        }
    }

    /// Writes a trace record for each interval that has ended, with the time of its overflow and
    /// the counts of all events.
    fn trace_intervals(&self, time: u64, all: &CStr) {
        for (uncore_box, pmu) in &self.boxes {
            while let Some(ended) =
                self.with(uncore_box, |counters, _| counters.take_finished_interval())
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

    /// Returns the counters that interrupt if interrupts work.
    pub(crate) fn chosen(&self) -> Interrupts {
        self.chosen
    }

    /// Returns the first box of a type.
    pub(crate) fn first_of(&self, kind: &BoxType) -> Option<&UncoreBox> {
        let mut boxes = self.boxes.iter().map(|(uncore_box, _)| &**uncore_box);
        boxes.find(|uncore_box| core::ptr::eq(uncore_box.name.kind, kind))
    }

    /// Reads the counters of the boxes whose poll is due, and returns what was found in all boxes.
    pub(crate) fn poll(&self, now: u64) -> Watched {
        let polled = self
            .busy_boxes()
            .map(|(uncore_box, _)| self.with(uncore_box, |counters, bus| counters.poll(bus, now)));
        let watched = polled.fold(Watched::default(), Watched::and);
        if watched.was_read {
            self.pmi.nmi.stats.polls.add();
        }
        watched
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
                self.stop_interrupts(here, reason, Message::Mode);
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

    /// Lets the counters of the package run, where a level decides that. Counters that were lost with
    /// the level are programmed again before. Returns whether it was lost.
    pub(crate) fn let_run(&self, here: &IrqsOff) -> bool {
        let learn = |level| {
            let boxes = self.boxes.iter();
            boxes.for_each(|(uncore_box, _)| uncore_box.reach().set_level(level));
        };
        self.pmi.keep_level(here, learn, || {
            for (uncore_box, _) in self.busy_boxes() {
                self.with(uncore_box, |counters, bus| counters.restore_lost(bus));
            }
        })
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
    pub(crate) fn watch(&self, here: &IrqsOff, now: u64, interrupts: Option<bool>) -> Option<u64> {
        let nmi = &self.pmi.nmi;
        if nmi.has_target() {
            self.look(here, now);
        }
        let mut interrupts = interrupts;
        let mut pause = None;
        if self.pmi.obstacle() == Some(PollReason::Frozen) {
            let left = self
                .paused_until
                .load(Ordering::Relaxed)
                .saturating_sub(now);
            if left == 0 {
                interrupts = Some(self.resume(here, None));
            }
            pause = Some(left).filter(|&left| left > 0);
        }
        if let Some(interrupts) = interrupts {
            let was_idle = self.idle.swap(!interrupts, Ordering::Relaxed);
            if was_idle && !interrupts && nmi.has_target() {
                self.pmi.disarm(here);
            }
        }
        let look_after = nmi.has_target().then(|| self.look_after(now));
        sooner(pause, look_after)
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
            self.catch_missed(here);
        }
    }

    /// Services an overflow that came without an NMI.
    fn catch_missed(&self, here: &IrqsOff) {
        let nmi = &self.pmi.nmi;
        nmi.stats.caught.add();
        self.drain_missed();
        if nmi.count_missed() && self.pmi.obstacle().is_none() {
            self.stop_interrupts(here, PollReason::Missed, Message::Mode);
        }
        self.pause_if_needed(here);
    }

    /// Services an overflow without an NMI, and accounts the time until the package is unfrozen.
    fn drain_missed(&self) {
        self.drain();
        self.pmi.nmi.add_missed(clock::monotonic_ns());
    }

    /// Stops interrupts for a while if they have frozen the package for too long, or were too many.
    pub(crate) fn pause_if_needed(&self, here: &IrqsOff) {
        let (nmi, now) = (&self.pmi.nmi, clock::monotonic_ns());
        let too_much = nmi.take_too_many() || nmi.frozen.look_after(now).is_none();
        if too_much && self.pmi.obstacle().is_none() {
            let until = now.saturating_add(nmi.frozen.pause_ns(now));
            self.paused_until.store(until, Ordering::Relaxed);
            nmi.stats.paused.add();
            self.stop_interrupts(here, PollReason::Frozen, Message::Paused);
        }
    }

    /// Lets the chosen counters interrupt, unless there is an `obstacle`, and takes PMIs on this CPU
    /// if one of them counts. Returns whether one does.
    pub(crate) fn resume(&self, here: &IrqsOff, obstacle: Option<PollReason>) -> bool {
        self.pmi.set_obstacle(obstacle);
        if obstacle.is_some() || !self.pmi.has_routing() {
            return false;
        }
        let interrupts = self.boxes.iter().fold(false, |any, (uncore_box, _)| {
            let interrupts = self.with(uncore_box, |counters, bus| {
                counters.set_interrupts(bus, self.chosen);
                counters.interrupt(bus)
            });
            any | interrupts
        });
        // An overflow since then has its status set, which the timer looks for.
        if interrupts {
            self.arm(here);
        }
        interrupts
    }

    /// Stops all interrupts of the package for this reason. NMIs that are on their way are still
    /// claimed.
    fn stop_interrupts(&self, here: &IrqsOff, reason: PollReason, message: Message) {
        self.pmi.set_obstacle(Some(reason));
        self.quiesce(here);
        // A counter may have overflowed before it was its turn. Nobody looks soon after this.
        if self.pmi.nmi.has_overflowed(here) {
            self.drain_missed();
        }
        self.deferred_log.queue(message);
    }

    /// Lets no counter interrupt, and selects no core.
    pub(crate) fn quiesce(&self, here: &IrqsOff) {
        if !self.pmi.has_routing() {
            // No counter has interrupted so far: `resume` lets none do that without a routing.
            return;
        }
        for (uncore_box, _) in &self.boxes {
            self.with(uncore_box, |counters, bus| {
                counters.set_interrupts(bus, Interrupts::Off)
            });
        }
        if self.pmi.nmi.has_target() {
            self.pmi.select_cores(here, 0);
        }
    }

    /// Calls `f` with the counters and registers of a box, and schedules the handling of its
    /// errors.
    fn with<R>(
        &self,
        uncore_box: &UncoreBox,
        f: impl FnOnce(&mut BoxCounters, &Access<'_>) -> R,
    ) -> R {
        let used = uncore_box.with(f);
        if used.needs_handling {
            self.errors.schedule();
        }
        used.result
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
        self.uncore_box(index).map_or(0, |uncore_box| {
            status_bits(uncore_box.name.kind, uncore_box.name.index)
        })
    }

    fn service(&self, index: usize, all: bool) -> Serviced {
        let Some(uncore_box) = self.uncore_box(index) else {
            return Serviced::default();
        };
        self.service.with(uncore_box, |counters, bus| Serviced {
            overflowed: counters.service(bus, all),
            ended: counters.has_finished_interval(),
        })
    }

    fn release(&self) {
        self.service.pmi.release(self.here);
    }
}

/// Bits of the global status that can stand for a box.
fn status_bits(kind: &BoxType, index: u8) -> u64 {
    kind.global_status
        .get(usize::from(index))
        .copied()
        .unwrap_or(0)
}
