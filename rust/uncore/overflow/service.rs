// SPDX-License-Identifier: GPL-2.0

//! Services the boxes of a package that have overflowed, and writes a trace record for each interval
//! that has ended.
//!
//! `drain.rs` has the order of the steps, this file the boxes and registers.
//!
//! # Contexts
//!
//! Interrupts off on a CPU of the package, from the interrupt that an NMI requests or from the
//! watchdog. One lock keeps the two apart; under it the lock of one box after the other is taken.

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
            overflow::WatchNeeds,
            uncore_box::UncoreBox, //
        },
        error_work::ErrorWork,
        overflow_mode::{
            Mode,
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

/// Number of overflows in a row without an NMI after which the package is polled.
const MOST_MISSED: u32 = 3;

/// Boxes of a package, with the names of their PMUs.
#[pin_data]
pub(crate) struct Service {
    pub(crate) pmi: Arc<PackagePmi>,
    boxes: KVec<(Arc<UncoreBox>, CString)>,
    errors: Arc<ErrorWork>,
    deferred_log: Arc<Work<DeferredLog>>,
    /// Counts of all events for trace records. Its lock is held while boxes are serviced.
    #[pin]
    counts: RawSpinLock<LineBuffer>,
}

impl Service {
    /// Creates the service of these boxes, which have the names of their PMUs.
    pub(crate) fn new(
        pmi: &Arc<PackagePmi>,
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

    /// Services an overflow that came without an NMI, if there is one. After several in a row the
    /// package is polled.
    pub(crate) fn catch_missed(&self, here: &IrqsOff) {
        if !self.pmi.nmi.has_overflowed(here) {
            return;
        }
        self.pmi.nmi.stats.caught.add();
        self.drain();
        let is_expected = matches!(self.pmi.mode(), Mode::Interrupt(..));
        if is_expected && self.pmi.nmi.count_missed() >= MOST_MISSED {
            self.pmi.set_mode(Mode::Poll(PollReason::Missed));
            self.pmi.select_cores(here, 0);
            self.set_interrupts(false);
            self.deferred_log.queue(Message::Mode);
        }
    }

    /// Reads all counters, verifies their registers, and returns what must be done next so that no
    /// overflow is missed.
    pub(crate) fn check_all(&self) -> WatchNeeds {
        let mut watch_needs = WatchNeeds::default();
        for (uncore_box, _) in &self.boxes {
            watch_needs = watch_needs.and(self.with(uncore_box, |counters, bus| {
                counters.verify_all(bus);
                counters.watch_needs(bus)
            }));
        }
        watch_needs
    }

    /// Lets the counters of all boxes interrupt when they overflow, or not.
    pub(crate) fn set_interrupts(&self, interrupts: bool) {
        self.pmi.set_interrupts(interrupts);
        for (uncore_box, _) in &self.boxes {
            self.with(uncore_box, |counters, bus| {
                counters.set_interrupts(bus, interrupts)
            });
        }
    }

    /// Keeps the package frozen from the next release until [`unthrottle`](Self::unthrottle).
    pub(crate) fn throttle(&self) {
        self.pmi.nmi.stats.throttled.add();
        self.pmi.set_stay_frozen(true);
        self.deferred_log.queue(Message::Throttled);
    }

    /// Ends a throttling: services all overflows, and unfreezes the package.
    pub(crate) fn unthrottle(&self) {
        self.pmi.set_stay_frozen(false);
        self.drain();
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
    fn take(&self) -> u32 {
        self.service.pmi.nmi.take_overflows(self.here)
    }

    fn boxes(&self) -> usize {
        self.service.boxes.len()
    }

    fn bits(&self, index: usize) -> u32 {
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
fn status_bits(kind: &BoxType, index: u8) -> u32 {
    kind.global_status
        .get(usize::from(index))
        .copied()
        .unwrap_or(0)
}
