// SPDX-License-Identifier: GPL-2.0

//! Overflow interrupts of a package: from the wrap of a counter to the next one.
//!
//! ```text
//! uncore     counter wraps --> box status, global status, all boxes freeze --> PMI
//!                                                                               |
//! NMI        unmask, read and clear the global status; is it ours?  (claim.rs) <+
//!              |
//! interrupt  box by box: status, counters, clear; release           (drain.rs)
//! ```
//!
//! What is counted is what the hardware counted: while a package is frozen, nothing is. No count
//! depends on the interrupt. Counters are read, never set, and each reading adds the difference to
//! the last; who comes first, the interrupt, a user, a timer, does not matter. Should an interrupt
//! not come, a watchdog finds the status ([`watch`]).
//!
//! Whether the interrupt comes, and which bit of the core select has it come to the CPU that counts
//! for the package, is found out when that CPU comes ([`trial`]), unless the user has chosen
//! ([`mode`]). Boxes that cannot interrupt are polled in any case.
//!
//! The exception to "never set": an event whose user wants to hear of every so many counts has its
//! counter overflow just then ([`period`]).
//!
//! In the NMI nothing waits, takes a lock, or touches PCI configuration space, and nothing is
//! printed; what it leaves behind is atomics and a request for an interrupt.

mod bench;
mod claim;
mod drain;
mod handler;
mod herald;
mod line;
mod mode;
mod period;
mod service;
mod stats;
mod target;
mod text;
mod throttle;
mod trial;
mod watch;
mod watchdog;

use self::{
    bench::{
        Specimen,
        Stand, //
    },
    herald::Herald,
    line::Line,
    mode::Way,
    service::{
        Deferred,
        Service, //
    },
    target::Before,
    trial::Map,
    watchdog::Watchdog, //
};
pub(super) use self::{
    handler::Handler,
    mode::{
        Choice,
        Mode,
        Why, //
    },
    period::{
        shortest,
        Period,
        MOST_PER_SECOND, //
    }, //
};
use super::{
    box_type::Platform,
    count,
    pmus::Alarm,
    seat::Seat,
    Options, //
};
use crate::linux::{
    clock,
    context::IrqsOff,
    hrtimer::Timer,
    irq_work::IrqWork,
    smp,
    topology::{
        online_cpus,
        Cpu, //
    },
    work::Work, //
};
use kernel::{
    fmt,
    prelude::*,
    sync::Arc, //
};

/// How the overflows of a package are noticed.
pub(super) struct Overflow {
    platform: &'static Platform,
    choice: Choice,
    line: Arc<Line>,
    service: Arc<Service>,
    watchdog: Arc<Timer<Watchdog>>,
    work: Arc<IrqWork<Deferred>>,
}

impl Overflow {
    /// Of a package without a CPU, with these seats.
    pub(super) fn new(
        platform: &'static Platform,
        package: u32,
        seats: &[Arc<Seat>],
        options: &Options,
        alarm: &Arc<Alarm>,
    ) -> Result<Self> {
        let line = Arc::pin_init(Line::new(platform, package), GFP_KERNEL)?;
        let herald = Arc::pin_init(Work::new(Herald::new(&line)), GFP_KERNEL)?;
        let mut named = KVec::with_capacity(seats.len(), GFP_KERNEL)?;
        for seat in seats {
            let name = options.pmu_name(platform, &seat.name)?;
            named.push((seat.clone(), name), GFP_KERNEL)?;
        }
        let service = Service::new(&line, named, alarm, &herald);
        let service = Arc::pin_init(service, GFP_KERNEL)?;
        let poll_ns = count::shortest_poll_ns(platform, false);
        let watchdog = Timer::new(Watchdog::new(&service, poll_ns.get()));
        let watchdog = Arc::pin_init(watchdog, GFP_KERNEL)?;
        let work = IrqWork::new(Deferred {
            service: service.clone(),
            watchdog: watchdog.clone(),
        });
        Ok(Self {
            platform,
            choice: options.overflow,
            line,
            service,
            watchdog,
            work: Arc::pin_init(work, GFP_KERNEL)?,
        })
    }

    /// What the NMI handler needs.
    fn line(&self) -> (Arc<Line>, Arc<IrqWork<Deferred>>) {
        (self.line.clone(), self.work.clone())
    }

    /// How overflows are noticed now.
    pub(super) fn mode(&self) -> Mode {
        self.line.mode()
    }

    /// Whether counters interrupt now.
    pub(super) fn interrupts(&self) -> bool {
        self.line.interrupts()
    }

    /// A CPU of the package has come, the first: finds out how overflows can be noticed. In process
    /// context, while nothing of the package counts.
    pub(super) fn establish(&self, cpu: Cpu) {
        let mode = match self.learn(cpu) {
            Ok(tried) => self.aim(cpu, tried),
            Err(why) => Mode::Poll(why),
        };
        self.line.set_mode(mode);
        pr_info!(
            "package {}: overflows are noticed by {mode}\n",
            self.line.package
        );
    }

    /// Learns how the cores are selected, and tells whether that has been tried.
    fn learn(&self, cpu: Cpu) -> Result<bool, Why> {
        if !self.choice.may_interrupt() {
            return Err(Why::Chosen);
        }
        let map = match (self.try_out(cpu), self.choice) {
            (Err(why), Choice::Interrupt) => {
                pr_warn!(
                    "package {}: overflow=pmi is trusted, though {why}\n",
                    self.line.package
                );
                // Nobody knows how many hear of an overflow.
                self.line.claims.set_audience(siblings(cpu));
                None
            }
            (map, _) => Some(map?),
        };
        self.line.control.with(|_, control| {
            control.map = Some(map.unwrap_or(Map::EQUAL));
        });
        Ok(map.is_some())
    }

    /// Tries the interrupt out.
    fn try_out(&self, cpu: Cpu) -> Result<Map, Why> {
        let specimen = Specimen::find(self.platform).ok_or(Why::Impossible)?;
        let before = smp::on_cpu(cpu, Before::take).map_err(|_| Why::Unreachable)?;
        let stand = Stand::new(&self.line, cpu, &specimen);
        let map = trial::run(&stand, cpu.core(), self.line.select_bits());
        self.line.claims.set_audience(stand.audience());
        drop(stand);
        let _ = smp::on_cpu(cpu, |here| before.put_back(here));
        map
    }

    /// Has this CPU interrupted from now on, if that is possible.
    fn aim(&self, cpu: Cpu, tried: bool) -> Mode {
        let bits = self.line.select_bits();
        let way = self
            .line
            .control
            .with(|_, control| control.way(cpu, bits, tried));
        let Some(way) = way else {
            return Mode::Poll(Why::NoBit);
        };
        self.line.listen(Some(cpu.core()));
        let aimed = smp::on_cpu(cpu, |here| {
            let before = Before::take(here);
            self.service.set_interrupts(true);
            self.line.select_bit(here, way.bit);
            before
        });
        let Ok(before) = aimed else {
            return Mode::Poll(Why::Offline);
        };
        self.line
            .control
            .with(|_, control| control.target = Some((cpu, before)));
        Mode::Interrupt(cpu, way)
    }

    /// The CPU that counts for the package goes, and this one takes over, or none. In process
    /// context; counters may count. Until [`resume`](Self::resume) the package stands still: what
    /// an event does not count while it is moved, no other does.
    pub(super) fn move_to(&self, heir: Option<Cpu>) {
        self.watchdog.stop();
        self.line.set_held(heir.is_some());
        if let Some(heir) = heir {
            let _ = smp::on_cpu(heir, |here| self.line.freeze(here));
        }
        let before = self.mode();
        self.leave(heir);
        let mode = match (before, heir) {
            (_, None) => Mode::Poll(Why::Offline),
            (Mode::Interrupt(_, Way { tried, .. }), Some(heir)) => self.aim(heir, tried),
            (Mode::Poll(_), Some(_)) => before,
        };
        self.line.set_mode(mode);
        if let (Some(heir), Mode::Poll(_)) = (heir, mode) {
            let _ = smp::on_cpu(heir, |_| self.service.set_interrupts(false));
        }
    }

    /// The events have been moved to this CPU: the package runs again, once what has overflowed
    /// meanwhile, and has interrupted nobody, has been seen to.
    pub(super) fn resume(&self, heir: Cpu) {
        self.line.set_held(false);
        let _ = smp::on_cpu(heir, |here| self.work.queue(here));
    }

    /// Has nobody interrupted any more, and puts back what the CPU had that was.
    fn leave(&self, heir: Option<Cpu>) {
        let target = self.line.control.with(|_, control| control.target.take());
        let Some((cpu, before)) = target else {
            return;
        };
        let left = smp::on_cpu(cpu, |here| {
            self.line.select(here, 0);
            if heir.is_none() {
                self.service.set_interrupts(false);
                self.line.forget(here);
                self.line.release(here);
            }
            self.line.claims.expect(clock::monotonic_ns());
            before.put_back(here);
        });
        // A CPU that has gone has forgotten it.
        let _ = left;
        self.line.listen(None);
    }

    /// A counter has started that interrupts, and can overflow after so many nanoseconds. For the
    /// CPU that counts for the package.
    pub(super) fn attend(&self, here: &IrqsOff, wrap_ns: u64) {
        let first = self.watchdog.attend(here, wrap_ns);
        // While nothing counted, nobody looked.
        if first && self.line.has_overflowed(here) {
            self.line.stats.caught.add();
            self.work.queue(here);
        }
    }

    /// Counts an event that has ended because a register was changed.
    pub(super) fn tampered(&self) {
        self.line.stats.tampered.add();
    }

    /// Counts a round of polling.
    pub(super) fn polled(&self) {
        self.line.stats.polls.add();
    }
}

/// How many CPUs the package of this one has.
fn siblings(cpu: Cpu) -> u32 {
    let package = cpu.logical_package();
    let mut siblings = 0_u32;
    for other in online_cpus() {
        let is_one = other.logical_package() == package;
        siblings = siblings.saturating_add(u32::from(is_one));
    }
    siblings
}

/// As debugfs has it, behind the package's number.
impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_fmt(fmt!("{}\n{}", self.mode(), self.line.stats))
    }
}
