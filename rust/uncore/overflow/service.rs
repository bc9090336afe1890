// SPDX-License-Identifier: GPL-2.0

//! Seeing to the boxes of a package that have overflowed, and telling users whose intervals end.
//!
//! # Contexts
//!
//! Interrupts off on a CPU of the package, from the interrupt that an NMI asks for or from the
//! watchdog. One lock keeps them apart; under it the boxes' locks are taken one at a time.

use super::{
    super::{
        box_type::BoxType,
        bus::Access,
        counter_box::{
            Attention,
            CounterBox, //
        },
        pmus::Alarm,
        seat::Seat, //
    },
    drain::{
        self,
        Frozen, //
    },
    herald::{
        Herald,
        News, //
    },
    line::Line,
    mode::{
        Mode,
        Why, //
    },
    text::Text,
    throttle::REST_NS,
    watchdog::Watchdog, //
};
use crate::linux::{
    clock,
    context::IrqsOff,
    hrtimer::Timer,
    irq_work,
    lock::{
        new_raw_spinlock,
        RawSpinLock, //
    },
    trace,
    work::Work, //
};
use core::cell::Cell;
use kernel::{
    prelude::*,
    str::CString,
    sync::Arc, //
};

/// Overflows without an NMI, one after the other, after which none is expected any more.
const MOST_MISSED: u32 = 3;

/// The boxes of a package, for whoever sees to them.
#[pin_data]
pub(in super::super) struct Service {
    pub(super) line: Arc<Line>,
    seats: KVec<(Arc<Seat>, CString)>,
    alarm: Arc<Alarm>,
    herald: Arc<Work<Herald>>,
    /// Held by whoever sees to them.
    #[pin]
    text: RawSpinLock<Text>,
}

impl Service {
    /// The boxes with the names of their PMUs.
    pub(super) fn new(
        line: &Arc<Line>,
        seats: KVec<(Arc<Seat>, CString)>,
        alarm: &Arc<Alarm>,
        herald: &Arc<Work<Herald>>,
    ) -> impl PinInit<Self> {
        let (line, alarm, herald) = (line.clone(), alarm.clone(), herald.clone());
        pin_init!(Self {
            line,
            seats,
            alarm,
            herald,
            text <- new_raw_spinlock!(Text::new(), c"uncore_service"),
        })
    }

    /// Sees to everything that has overflowed, and lets the counters run again.
    pub(super) fn drain(&self) {
        self.text.with(|here, text| {
            let frozen = Draining {
                service: self,
                here,
                text: Cell::new(Some(text)),
                ended: Cell::new(false),
                time: self.line.frozen_since().unwrap_or_else(clock::monotonic_ns),
            };
            drain::drain(&frozen);
            frozen.tell();
        });
    }

    /// Looks whether something has overflowed without an NMI, and sees to it.
    pub(super) fn look(&self, here: &IrqsOff) {
        if !self.line.has_overflowed(here) {
            return;
        }
        self.line.stats.caught.add();
        self.drain();
        let expected = matches!(self.line.mode(), Mode::Interrupt(..));
        if expected && self.line.miss() >= MOST_MISSED {
            self.line.set_mode(Mode::Poll(Why::Missed));
            self.line.select(here, 0);
            self.set_interrupts(false);
            self.herald.announce(News::Mode);
        }
    }

    /// Reads all counters and looks at their registers, and tells what must be done next so that no
    /// overflow is missed.
    pub(super) fn check_all(&self) -> Attention {
        let mut attention = Attention::default();
        for (seat, _) in &self.seats {
            attention = attention.and(self.with(seat, |counters, bus| {
                counters.check_all(bus);
                counters.attention(bus)
            }));
        }
        attention
    }

    /// Has the counters of all boxes interrupt when they overflow, or not.
    pub(super) fn set_interrupts(&self, interrupts: bool) {
        self.line.set_interrupts(interrupts);
        for (seat, _) in &self.seats {
            self.with(seat, |counters, bus| {
                counters.set_interrupts(bus, interrupts)
            });
        }
    }

    /// Has the package stand still from the next release on, until [`rested`](Self::rested).
    fn hold(&self) {
        self.line.stats.throttled.add();
        self.line.set_held(true);
        self.herald.announce(News::Storm);
    }

    /// Lets the counters run that were held.
    pub(super) fn rested(&self) {
        self.line.set_held(false);
        self.drain();
    }

    /// Does something with a box, and has it seen to if need be.
    fn with<R>(&self, seat: &Seat, f: impl FnOnce(&mut CounterBox, &Access<'_>) -> R) -> R {
        let used = seat.with(f);
        if used.alarming {
            self.alarm.schedule();
        }
        used.result
    }
}

/// What an NMI leaves to an interrupt.
pub(in super::super) struct Deferred {
    pub(super) service: Arc<Service>,
    pub(super) watchdog: Arc<Timer<Watchdog>>,
}

impl irq_work::Run for Deferred {
    fn run(&self, here: &IrqsOff) {
        let storm = self.service.line.take_storm();
        if storm {
            self.service.hold();
        }
        self.service.drain();
        if storm {
            self.watchdog.rest(here, REST_NS);
        }
    }
}

/// A package while its counters stand still.
struct Draining<'a> {
    service: &'a Service,
    here: &'a IrqsOff,
    text: Cell<Option<&'a mut Text>>,
    /// Whether an interval is over.
    ended: Cell<bool>,
    /// When they stopped.
    time: u64,
}

impl Draining<'_> {
    fn seat(&self, index: usize) -> Option<&Seat> {
        self.service.seats.get(index).map(|(seat, _)| &**seat)
    }

    /// Writes down what all events of the package have counted.
    fn describe(&self, text: &mut Text) {
        text.clear();
        for (seat, _) in &self.service.seats {
            self.service.with(seat, |counters, bus| {
                counters.read_all(bus);
                for event in counters.counts() {
                    let (name, config, count) = (seat.name, event.config, event.count);
                    text.add(fmt!("{name}/{config:#x}/={count}"));
                }
            });
        }
    }

    /// Tells users whose intervals are over.
    fn tell(&self) {
        if !self.ended.get() {
            return;
        }
        let text = self.text.take();
        let all = text.as_ref().map_or(c"", |text| text.as_c_str());
        for (seat, pmu) in &self.service.seats {
            while let Some(ended) = self.service.with(seat, |counters, _| counters.take_ended()) {
                self.service.line.stats.intervals.add();
                let interval = trace::Interval {
                    pmu,
                    package: self.service.line.package,
                    id: ended.owner,
                    config: ended.config,
                    count: ended.count,
                    time: self.time,
                    all,
                };
                interval.tell();
            }
        }
    }
}

impl Frozen for Draining<'_> {
    fn take(&self) -> u32 {
        self.service.line.take(self.here)
    }

    fn boxes(&self) -> usize {
        self.service.seats.len()
    }

    fn bits(&self, index: usize) -> u32 {
        self.seat(index)
            .map_or(0, |seat| bits(seat.name.kind, seat.name.index))
    }

    fn service(&self, index: usize, all: bool) -> bool {
        let Some(seat) = self.seat(index) else {
            return false;
        };
        self.service.with(seat, |counters, bus| {
            let told = counters.service(bus, all);
            self.ended.set(self.ended.get() || counters.has_ended());
            told
        })
    }

    fn complete(&self) {
        if let (Some(text), true) = (self.text.take(), self.ended.get()) {
            text.clear();
            if trace::listens() {
                self.describe(text);
            }
            self.text.set(Some(text));
        }
    }

    fn release(&self) {
        self.service.line.release(self.here);
    }
}

/// The bits of the global status that can stand for a box.
fn bits(kind: &BoxType, index: u8) -> u32 {
    kind.global_status
        .get(usize::from(index))
        .copied()
        .unwrap_or(0)
}
