// SPDX-License-Identifier: GPL-2.0

//! Overflows of a package: from the wrap of a counter to the next one.
//!
//! ```text
//! timer      reads each box at the pace of its events,    timer.rs
//!            so that no counter wraps twice unseen
//! ```
//!
//! That is all, unless an event has `interval=` (or `overflow=pmi` was chosen). Then:
//!
//! ```text
//! open       does an overflow interrupt the CPU,          selftest.rs (algorithm),
//!            and by which bit of the core select?         selftest_rig.rs (its counter)
//! start      enable PMIs on the CPU, route them to it     pmi.rs
//!
//! uncore     counter wraps --> box status, global status, all boxes freeze --> PMI
//!                                                                               |
//! NMI        find the package of this CPU                 handler.rs          <-+
//!            is the NMI a PMI? unmask, clear the status   nmi_claims.rs (policy)
//!            note the status, count the NMI               nmi.rs, stats.rs
//!              |
//! interrupt  one for all NMIs before it                   handler.rs
//!            box by box: status, counters, clear          drain.rs (order), service.rs (boxes)
//!            trace record of all counts                   line_buffer.rs
//!            unfreeze                                     pmi.rs
//!            frozen for too long? pause                   frozen.rs
//!              |
//! process    kernel log                                   deferred_log.rs
//!
//! timer      an overflow without an NMI? end of a pause?  timer.rs, service.rs
//!            no event interrupts any more: restore the registers of the CPU
//! ```
//!
//! While no such event counts, the module handles no NMI, freezes nothing, and writes neither LVTPC
//! nor IA32_DEBUGCTL nor the global control register. On a platform whose counters run while bits
//! of that register are 1, they are set when the first event starts, and set again when they were
//! lost: at once when an event starts, and within a tenth of a second while one counts. At unload
//! they get the values that they had before.
//!
//! A count is what the hardware has counted: while a package is frozen, nothing is counted. No
//! count depends on the interrupt. Counters are read, never set, and each reading adds the
//! difference to the last. The interrupt, a user and a timer may read in any order. If an interrupt
//! is lost, the timer finds the global status.
//!
//! The exception to "never set": the counter of an event with `interval=` is preset to overflow at
//! the end of each interval ([`interval`](super::request::interval)).
//!
//! The NMI does not wait, takes no lock, does not access PCI configuration space and prints
//! nothing. It writes atomics and requests an interrupt.

pub(crate) mod deferred_log;
pub(crate) mod drain;
pub(crate) mod handler;
pub(crate) mod line_buffer;
pub(crate) mod nmi;
pub(crate) mod nmi_claims;
pub(crate) mod pmi;
pub(crate) mod selftest;
pub(crate) mod selftest_rig;
pub(crate) mod service;
pub(crate) mod stats;
pub(crate) mod timer;

use self::{
    deferred_log::DeferredLog,
    handler::{
        Deferred,
        PmiWork, //
    },
    pmi::{
        EnabledPmi,
        PackagePmi,
        Routing, //
    },
    selftest::{
        CoreMap,
        PmiTest, //
    },
    selftest_rig::{
        cpus_of_package,
        TestCounter,
        TestRig, //
    },
    service::{
        Service,
        Stepped,
        OVERFLOW, //
    }, //
};
use super::{
    counter_box::{
        modified::Cause,
        uncore_box::UncoreBox, //
    },
    options::Options,
    overflow_mode::{
        Mode,
        OverflowOption,
        PollReason, //
    },
    request::Request,
    table::box_type::{
        BoxType,
        Platform, //
    }, //
};
use crate::linux::{
    atomic::{
        AtomicBool,
        Ordering, //
    },
    clock,
    context::IrqsOff,
    irq_work::IrqWork,
    smp,
    topology::Cpu,
    work::Work, //
};
use kernel::{
    fmt,
    new_mutex,
    prelude::*,
    sync::{
        Arc,
        Mutex, //
    },
    time::{
        delay::fsleep,
        Delta, //
    }, //
};

/// Time in milliseconds after which a PMI that was on its way has arrived.
const PMI_LATENCY_MS: i64 = 1;

/// Longest time in milliseconds for which an event waits that joins a group, until the interrupt is
/// tested. An interrupt that works takes a part of that.
const LONGEST_WAIT_MS: u32 = 500;

/// The overflows of a package.
pub(crate) struct Overflow {
    platform: &'static Platform,
    option: OverflowOption,
    pmi: Arc<PackagePmi>,
    service: Arc<Service>,
    work: Arc<IrqWork<Deferred>>,
    /// Tells whether the package counts, as far as is known.
    counts: AtomicBool,
    /// Held while the interrupt is tested, and while it is moved to another CPU.
    setup: Pin<KBox<Mutex<()>>>,
    /// An event waits for the test of the interrupt.
    awaited: AtomicBool,
}

impl Overflow {
    /// Creates those of a package with these boxes and no CPU yet.
    pub(crate) fn new(
        platform: &'static Platform,
        package: u32,
        boxes: &[Arc<UncoreBox>],
        options: &Options,
    ) -> Result<Self> {
        let pmi = PackagePmi::new(platform, package, options.frozen_limit);
        let pmi = Arc::pin_init(pmi, GFP_KERNEL)?;
        let deferred_log = Arc::pin_init(Work::new(DeferredLog::new(&pmi)), GFP_KERNEL)?;
        let mut named = KVec::with_capacity(boxes.len(), GFP_KERNEL)?;
        for uncore_box in boxes {
            let name = options.pmu_name(platform, &uncore_box.name)?;
            named.push_within_capacity((uncore_box.clone(), name))?;
        }
        let chosen = options.overflow.interrupts();
        let service = Service::new(&pmi, chosen, named, &deferred_log);
        let service = Arc::pin_init(service, GFP_KERNEL)?;
        Ok(Self {
            platform,
            option: options.overflow,
            pmi,
            work: Arc::pin_init(IrqWork::new(Deferred::new(&service)), GFP_KERNEL)?,
            service,
            counts: AtomicBool::new(false),
            setup: KBox::pin_init(new_mutex!(()), GFP_KERNEL)?,
            awaited: AtomicBool::new(false),
        })
    }

    /// Returns the part of the package in the NMI handler.
    pub(crate) fn pmi_work(&self) -> PmiWork {
        (self.pmi.clone(), self.work.clone())
    }

    /// Returns how the driver notices overflows now.
    pub(crate) fn mode(&self) -> Mode {
        self.pmi.mode()
    }

    /// Notes time for which groups have frozen one of the boxes.
    pub(crate) fn note_frozen(&self, ns: u64) {
        self.pmi.nmi.stats.frozen.add_many(ns);
    }

    /// Returns for how many thousandths of the last second interrupts have frozen the package.
    pub(crate) fn frozen_permille(&self) -> u64 {
        self.pmi.nmi.frozen.permille(clock::monotonic_ns())
    }

    /// Lets the counters of the package run. Another tool or an earlier kernel may have left the
    /// package frozen. In process context, before its boxes are added.
    pub(crate) fn let_run(&self, cpu: Cpu) {
        // Where a level lets counters run, the first event sets it.
        let counter = TestCounter::find(self.platform).filter(|_| !self.pmi.has_level());
        let unfreeze = |counter: TestCounter| -> Result<bool> {
            let was_still = !counter.counts(cpu)?;
            if was_still {
                smp::on_cpu(cpu, |here| {
                    self.pmi.nmi.forget(here);
                    self.pmi.release(here);
                })?;
            }
            let counts = !was_still || counter.counts(cpu)?;
            self.counts.store(counts, Ordering::Relaxed);
            Ok(was_still)
        };
        let package = self.pmi.package;
        match counter.map_or(Ok(false), unfreeze) {
            Ok(true) => pr_notice!("package {package}: its counters stood still: unfroze them\n"),
            Ok(false) => {}
            Err(_) => pr_warn!("package {package}: the global registers cannot be accessed\n"),
        }
    }

    /// Returns whether the package was seen to count when its first CPU came.
    pub(crate) fn counts(&self) -> bool {
        self.counts.load(Ordering::Relaxed)
    }

    /// Lets the counters of the package run or stand still, as they did before the first event, where
    /// a level decides that. On a CPU of the package, after its boxes were removed.
    pub(crate) fn restore(&self, cpu: Cpu) {
        let _ = smp::on_cpu(cpu, |here| self.pmi.restore_level(here));
    }

    /// Chooses how overflows of a package are noticed, whose first CPU has come online. In process
    /// context, after its boxes were added.
    pub(crate) fn setup(&self, cpu: Cpu) {
        let _setup = self.setup.lock();
        let obstacle = match self.option {
            OverflowOption::Poll => Some(PollReason::Chosen),
            OverflowOption::Auto => None,
            OverflowOption::Interrupt => self.test_anyway(cpu),
        };
        self.resume(cpu, obstacle);
        let mode = self.mode();
        pr_info!("package {}: overflow mode: {mode}\n", self.pmi.package);
    }

    /// Tests the interrupt, if it was not tested yet, and assumes that it works if the test fails.
    fn test_anyway(&self, cpu: Cpu) -> Option<PollReason> {
        let reason = self.test(cpu).err()?;
        pr_warn!(
            "package {}: using PMIs as requested, although {reason}\n",
            self.pmi.package
        );
        // Without a self-test the number of CPUs that one overflow interrupts is unknown.
        let claims = &self.pmi.nmi.claims;
        let cpus = cpus_of_package(cpu).fold(0_u32, |cpus, _| cpus.saturating_add(1));
        claims.set_nmis_per_overflow(cpus);
        self.pmi.set_routing(Routing {
            map: CoreMap::IDENTITY,
            tested: false,
        });
        None
    }

    /// Makes sure that events with an interval can interrupt. Tests the interrupt when the first such
    /// event of the package is opened. In process context; counters may count.
    ///
    /// # Errors
    ///
    /// The reason why they cannot.
    pub(crate) fn allow_intervals(&self, cpu: Cpu) -> Result<(), PollReason> {
        let _setup = self.setup.lock();
        match self.pmi.obstacle() {
            // The event is polled until the pause ends.
            None | Some(PollReason::Frozen) => {}
            Some(reason) => return Err(reason),
        }
        if self.pmi.has_routing() {
            return Ok(());
        }
        if let Err(reason) = self.test(cpu) {
            if reason != PollReason::InUse {
                self.pmi.set_obstacle(Some(reason));
                pr_info!(
                    "package {}: overflow mode: poll: {reason}\n",
                    self.pmi.package
                );
            }
            return Err(reason);
        }
        self.resume(cpu, None);
        Ok(())
    }

    /// Makes sure that an event that joins a group can interrupt: perf holds a mutex then, for which
    /// others wait. `schedule`
    /// has process context call [`test_if_awaited`](Self::test_if_awaited) if the interrupt was not
    /// tested yet. This waits for the result no longer than [`LONGEST_WAIT_MS`].
    ///
    /// # Errors
    ///
    /// The reason why they cannot.
    pub(crate) fn allow_intervals_soon(&self, schedule: impl FnOnce()) -> Result<(), PollReason> {
        let mut schedule = Some(schedule);
        for _ in 0..LONGEST_WAIT_MS {
            match self.pmi.obstacle() {
                // The event is polled until the pause, or the move to another CPU, ends.
                None | Some(PollReason::Frozen | PollReason::Offline) => {}
                Some(reason) => return Err(reason),
            }
            if self.pmi.has_routing() {
                return Ok(());
            }
            if let Some(schedule) = schedule.take() {
                self.awaited.store(true, Ordering::Relaxed);
                schedule();
            } else if !self.awaited.load(Ordering::Relaxed) {
                return Err(PollReason::InUse);
            }
            fsleep(Delta::from_millis(1));
        }
        Err(PollReason::Untested)
    }

    /// Tests the interrupt if an event waits for that. In process context, without a lock.
    pub(crate) fn test_if_awaited(&self, cpu: Option<Cpu>) {
        if self.awaited.load(Ordering::Relaxed) {
            if let Some(cpu) = cpu {
                let _ = self.allow_intervals(cpu);
            }
            self.awaited.store(false, Ordering::Relaxed);
        }
    }

    /// Finds out, if it is not known yet, which bit of the core select interrupts which core.
    fn test(&self, cpu: Cpu) -> Result<(), PollReason> {
        if self.pmi.has_routing() {
            return Ok(());
        }
        let counter = TestCounter::find(self.platform).ok_or(PollReason::Impossible)?;
        let uncore_box = self.service.first_of(counter.kind);
        let uncore_box = uncore_box.filter(|uncore_box| uncore_box.absence().is_none());
        let uncore_box = uncore_box.ok_or(PollReason::Unreachable)?;
        let reserved = uncore_box.with(|counters, _| counters.reserve_fixed(counter.index));
        if !reserved {
            return Err(PollReason::InUse);
        }
        let map = self.run_selftest(cpu, &counter);
        uncore_box.with(|counters, _| counters.release_fixed());
        self.pmi.set_routing(Routing {
            map: map?,
            tested: true,
        });
        Ok(())
    }

    /// Runs the self-test of the interrupt with this CPU as its target.
    fn run_selftest(&self, cpu: Cpu, counter: &TestCounter) -> Result<CoreMap, PollReason> {
        let _ = smp::on_cpu(cpu, |here| self.service.let_run(here));
        self.finish(cpu);
        let _enabled = EnabledPmi::on(cpu)?;
        let rig = TestRig::new(&self.pmi, cpu, counter);
        let bits = self.pmi.select_bits();
        let map = selftest::run(&rig, cpu.core(), bits);
        let measured = match map.ok().and_then(|map| map.bit_for(cpu.core(), bits)) {
            Some(bit) => rig.measure_wakeup(bit),
            None => Ok(()),
        };
        self.pmi.nmi.claims.set_nmis_per_overflow(rig.most_nmis());
        self.pmi.nmi.set_latency(rig.latency());
        measured.and(map)
    }

    /// Lets counters interrupt from now on, unless there is an obstacle, or the self-test has frozen
    /// the package for too long.
    fn resume(&self, cpu: Cpu, obstacle: Option<PollReason>) {
        self.service.resume(obstacle);
        self.finish(cpu);
        self.service.pause_if_needed();
        self.finish(cpu);
        if self.pmi.nmi.has_target() || self.pmi.obstacle() == Some(PollReason::Frozen) {
            let _ = smp::on_cpu(cpu, |here| self.look_soon(here));
        }
    }

    /// Does on this CPU what is requested. In process context: between two boxes the CPU takes
    /// interrupts.
    fn finish(&self, cpu: Cpu) {
        let mut more = self.service.is_requested();
        while more {
            more = smp::on_cpu(cpu, |_| self.service.step()) == Ok(Stepped::More);
        }
    }

    /// Stops interrupts and the timer before the designated CPU goes offline, or at unload. Returns
    /// why counters did not interrupt, if they did not. In process context; counters may count.
    pub(crate) fn leave(&self, cpu: Cpu) -> Option<PollReason> {
        let _setup = self.setup.lock();
        self.work.timer.stop();
        let obstacle = self.pmi.obstacle();
        // Events that start on this CPU meanwhile do not interrupt.
        self.service.quiesce(PollReason::Offline);
        self.finish(cpu);
        if let Some(target) = self.pmi.target() {
            fsleep(Delta::from_millis(PMI_LATENCY_MS));
            self.service.request(OVERFLOW);
            self.finish(target);
            let disarmed = smp::on_cpu(target, |here| self.pmi.disarm(here));
            if disarmed.is_err() {
                self.pmi.forget_target();
            }
        }
        obstacle.filter(|&reason| reason != PollReason::Frozen)
    }

    /// Lets counters interrupt again after the events have moved to `target`, unless there was an
    /// obstacle before.
    pub(crate) fn enter(&self, target: Cpu, obstacle: Option<PollReason>) {
        let _setup = self.setup.lock();
        self.resume(target, obstacle);
    }

    /// Stops interrupts before the registers may be lost. On the designated CPU.
    pub(crate) fn suspend(&self, here: &IrqsOff) {
        if self.pmi.target().is_some() {
            self.pmi.select_cores(here, 0);
            self.service.request(OVERFLOW);
            self.service.finish(here);
            self.pmi.disarm(here);
        }
    }

    /// Lets the counters run and interrupt again, after their registers were programmed. On the
    /// designated CPU.
    pub(crate) fn wake(&self, here: &IrqsOff) {
        self.pmi.renew_level(here);
        self.service.resume(self.pmi.obstacle());
        self.service.finish(here);
        if self.pmi.nmi.has_target() {
            self.look_soon(here);
        }
    }

    /// Returns whether [`before_start`](Self::before_start) has something to do for an event.
    pub(crate) fn prepares_start(&self, kind: &BoxType, request: &Request) -> bool {
        let chosen = self.service.chosen;
        self.pmi.has_level() || request.overflow_enable(kind, chosen).is_some()
    }

    /// Lets the counters run if this is the first event or their level was lost, and takes PMIs on
    /// this CPU if the counter of the event that is about to start interrupts. On a CPU of the
    /// package.
    pub(crate) fn before_start(&self, here: &IrqsOff, kind: &BoxType, request: &Request) {
        // If the level was lost, no event need have counted meanwhile.
        let mut requested = self.service.let_run(here);
        let enable = request.overflow_enable(kind, self.service.chosen);
        if enable.is_some() && self.pmi.obstacle().is_none() {
            if self.service.arm(here) {
                self.pmi.nmi.stats.caught.add();
                self.service.request(OVERFLOW);
            }
            requested |= self.service.is_requested();
            self.look_soon(here);
        }
        if requested {
            self.work.queue(here);
        }
    }

    /// Makes the timer look for lost interrupts.
    fn look_soon(&self, here: &IrqsOff) {
        let delay_ns = self.service.look_after(clock::monotonic_ns());
        self.work.timer.fire_within(here, delay_ns);
    }

    /// Makes the timer read the counters within `poll_ns`, for an event that has started, and look
    /// at the level. On the designated CPU.
    pub(crate) fn after_start(&self, here: &IrqsOff, poll_ns: u64) {
        let level_after = self.service.level_after();
        let delay_ns = level_after.map_or(poll_ns, |level_after| poll_ns.min(level_after));
        self.work.timer.fire_within(here, delay_ns);
    }

    /// Counts an event with a modified register, by its cause.
    pub(crate) fn count_modified(&self, cause: Cause) {
        let stats = &self.pmi.nmi.stats;
        match cause {
            Cause::Tool { .. } => stats.modified.add(),
            Cause::Sleep => stats.cleared.add(),
        }
    }
}

/// Prints the mode and the statistics as debugfs shows them after the number of the package.
impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mode, stats, permille) = (self.mode(), &self.pmi.nmi.stats, self.frozen_permille());
        f.write_fmt(fmt!("{mode}\n{stats}  frozen_permille {permille}\n"))?;
        if self.pmi.has_level() {
            let (level_lost, cleared) = (stats.level_lost.get(), stats.cleared.get());
            f.write_fmt(fmt!("  level_lost {level_lost}\n  cleared {cleared}\n"))?;
        }
        Ok(())
    }
}
