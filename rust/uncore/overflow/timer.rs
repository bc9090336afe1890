// SPDX-License-Identifier: GPL-2.0

//! The timer of a package. It reads the counters before they wrap twice, and looks for overflows
//! without an interrupt and for a lost level.
//!
//! The timer runs while an event counts, on the designated CPU. Each box is read at the pace of the
//! events that run on it ([`interval`](crate::uncore::request::interval)), one box each time that the timer
//! fires: it fires again at once for the next one. While counters interrupt, the
//! timer fires more often and looks at the global status: a lost interrupt would leave all counters
//! of the package frozen. Counters that have lost their interrupt and their status go on, and are
//! read like all others.
//!
//! Where a level lets the counters run, sleep of the package can clear it. The timer fires ten times
//! a second there, and sets it again.
//!
//! An event that starts on a CPU that is no longer the designated one is about to move: the first
//! event that starts on the new CPU arms the timer there.

use super::service::{
    Service,
    Stepped, //
};
use crate::{
    linux::{
        atomic::{
            AtomicU64,
            AtomicUsize,
            Ordering, //
        },
        clock,
        context::IrqsOff,
        hrtimer::{
            Again,
            Expire,
            Timer, //
        }, //
    },
    uncore::{
        counter_box::overflow::sooner,
        cpu_cell::CpuCell, //
    }, //
};
use core::num::NonZeroU64;
use kernel::sync::Arc;

/// State of the timer.
pub(crate) struct OverflowTimer {
    service: Arc<Service>,
    /// CPU on which the timer is armed.
    armed: CpuCell,
    /// Time, in nanoseconds, for which it was armed.
    delay: AtomicU64,
    /// Time of the last poll.
    polled_at: AtomicU64,
    /// One more than the index of the box that a poll under way has come to; 0 if none is under way.
    reached: AtomicUsize,
}

/// Time between two polls while the timer fires more often, to look at the status.
const POLL_NS: u64 = 40_000_000;

/// Time between two boxes, for what else the CPU has to do. The kernel fires a timer again in one
/// interrupt if its time has come before that ends.
const BETWEEN_NS: u64 = 50_000;

impl OverflowTimer {
    /// Creates the timer of a package.
    pub(crate) fn new(service: &Arc<Service>) -> Self {
        Self {
            service: service.clone(),
            armed: CpuCell::new(),
            delay: AtomicU64::new(0),
            polled_at: AtomicU64::new(0),
            reached: AtomicUsize::new(0),
        }
    }

    /// Notes that the timer fires once more, after a time of at least 1 ns.
    fn again(&self, here: &IrqsOff, delay: u64) -> Again {
        let Some(after) = NonZeroU64::new(delay) else {
            return Again::Never;
        };
        self.set_armed(here, delay);
        Again::After(after)
    }

    fn set_armed(&self, here: &IrqsOff, delay: u64) {
        self.delay.store(delay, Ordering::Relaxed);
        self.armed.set(Some(here.cpu()));
    }
}

impl Expire for OverflowTimer {
    /// Polls the boxes and looks at the status. A timer whose CPU went offline can fire on a CPU of
    /// another package, where the registers are those of that package.
    fn expire(&self, here: &IrqsOff) -> Again {
        self.armed.set(None);
        if here.cpu().logical_package() != Some(self.service.pmi.package) {
            return Again::Never;
        }
        if self.service.step() != Stepped::Idle {
            return self.again(here, BETWEEN_NS);
        }
        let now = clock::monotonic_ns();
        let since_poll = now.saturating_sub(self.polled_at.load(Ordering::Relaxed));
        let is_due = since_poll >= POLL_NS || !self.service.pmi.nmi.has_target();
        let reached = self.reached.swap(0, Ordering::Relaxed);
        let is_round = reached > 0 || is_due;
        if is_round {
            // The box whose counters were read comes once more, as its registers may be verified.
            if let Some(read) = self.service.poll_from(reached.saturating_sub(1), now) {
                self.reached
                    .store(read.saturating_add(1), Ordering::Relaxed);
                return self.again(here, BETWEEN_NS);
            }
        }
        if reached > 0 {
            self.service.pmi.nmi.stats.polls.add();
        }
        let watched = is_round.then(|| {
            self.polled_at.store(now, Ordering::Relaxed);
            self.service.watched()
        });
        let interrupts = watched.map(|watched| watched.interrupts);
        let look_after = self.service.watch(here, now, interrupts);
        let poll_ns = watched.and_then(|watched| watched.poll_ns);
        let next = sooner(poll_ns, look_after).map(|next| {
            let level_after = self.service.keep_level(here);
            level_after.map_or(next, |level_after| next.min(level_after))
        });
        let next = match self.service.is_requested() {
            true => Some(BETWEEN_NS),
            false => next,
        };
        next.map_or(Again::Never, |delay| self.again(here, delay))
    }
}

impl Timer<OverflowTimer> {
    /// Makes the timer fire on this CPU within `delay_ns`.
    pub(crate) fn fire_within(&self, here: &IrqsOff, delay_ns: u64) {
        let is_armed = self.armed.is(here.cpu());
        if !is_armed || delay_ns < self.delay.load(Ordering::Relaxed) {
            self.set_armed(here, delay_ns);
            self.start(here, delay_ns);
        }
    }

    /// Stops the timer.
    pub(crate) fn stop(&self) {
        self.cancel();
        self.armed.set(None);
        self.reached.store(0, Ordering::Relaxed);
    }
}
