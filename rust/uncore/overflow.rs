// SPDX-License-Identifier: GPL-2.0

//! Overflow interrupts of a package: from the wrap of a counter to the next one.
//!
//! ```text
//! first CPU  does an overflow interrupt the CPU,          selftest.rs (algorithm),
//! of the     and by which bit of the core select?         selftest_rig.rs (its counter)
//! package    enable PMIs on the CPU, route them to it     pmi_state.rs, pmi.rs
//!
//! uncore     counter wraps --> box status, global status, all boxes freeze --> PMI
//!                                                                               |
//! NMI        find the package of this CPU                 handler.rs          <-+
//!            is the NMI a PMI? unmask, clear the status   nmi_claims.rs (policy)
//!            note the status, count the NMI               nmi.rs, stats.rs, throttle.rs
//!              |
//! interrupt  one for all NMIs before it                   deferred.rs
//!            box by box: status, counters, clear          drain.rs (order), service.rs (boxes)
//!            trace record of all counts                   line_buffer.rs
//!            unfreeze                                     pmi.rs
//!              |
//! process    kernel log                                   deferred_log.rs
//!
//! timer      an overflow without an NMI?                  watchdog.rs
//!            end of throttling
//! ```
//!
//! A count is what the hardware has counted: while a package is frozen, nothing is counted. No
//! count depends on the interrupt. Counters are read, never set, and each reading adds the
//! difference to the last. The interrupt, a user and a timer may read in any order. If an interrupt
//! is lost, the watchdog finds the global status.
//!
//! When the first CPU of a package comes online, a self-test finds out whether overflows interrupt
//! it, unless the user has chosen polling. Boxes that cannot interrupt are always polled.
//!
//! The exception to "never set": the counter of an event with `interval=` is preset to overflow at
//! the end of each interval ([`interval`](super::request::interval)).
//!
//! The NMI does not wait, takes no lock, does not access PCI configuration space and prints
//! nothing. It writes atomics and requests an interrupt.

pub(crate) mod deferred;
pub(crate) mod deferred_log;
pub(crate) mod drain;
pub(crate) mod handler;
pub(crate) mod line_buffer;
pub(crate) mod nmi;
pub(crate) mod nmi_claims;
pub(crate) mod pmi;
pub(crate) mod pmi_state;
pub(crate) mod selftest;
pub(crate) mod selftest_rig;
pub(crate) mod service;
pub(crate) mod stats;
pub(crate) mod throttle;
pub(crate) mod watchdog;

use self::{
    deferred::Deferred,
    deferred_log::DeferredLog,
    handler::PmiWork,
    pmi::PackagePmi,
    pmi_state::SavedPmiState,
    selftest::CoreMap,
    selftest_rig::{
        TestCounter,
        TestRig, //
    },
    service::Service, //
};
use super::{
    counter_box::{
        count,
        uncore_box::UncoreBox, //
    },
    error_work::ErrorWork,
    options::Options,
    overflow_mode::{
        Mode,
        OverflowOption,
        PollReason, //
    },
    table::box_type::Platform, //
};
use crate::linux::{
    clock,
    context::IrqsOff,
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

/// The overflow interrupts of a package.
pub(crate) struct Overflow {
    platform: &'static Platform,
    option: OverflowOption,
    pmi: Arc<PackagePmi>,
    service: Arc<Service>,
    work: Arc<IrqWork<Deferred>>,
}

impl Overflow {
    /// Creates those of a package with these boxes and no CPU yet.
    pub(crate) fn new(
        platform: &'static Platform,
        package: u32,
        boxes: &[Arc<UncoreBox>],
        options: &Options,
        errors: &Arc<ErrorWork>,
    ) -> Result<Self> {
        let pmi = Arc::pin_init(PackagePmi::new(platform, package), GFP_KERNEL)?;
        let deferred_log = Arc::pin_init(Work::new(DeferredLog::new(&pmi)), GFP_KERNEL)?;
        let mut named = KVec::with_capacity(boxes.len(), GFP_KERNEL)?;
        for uncore_box in boxes {
            let name = options.pmu_name(platform, &uncore_box.name)?;
            named.push((uncore_box.clone(), name), GFP_KERNEL)?;
        }
        let service = Arc::pin_init(Service::new(&pmi, named, errors, &deferred_log), GFP_KERNEL)?;
        let poll_ns = count::shortest_poll_ns(platform);
        let work = IrqWork::new(Deferred::new(&service, poll_ns.get()));
        Ok(Self {
            platform,
            option: options.overflow,
            pmi,
            service,
            work: Arc::pin_init(work, GFP_KERNEL)?,
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

    /// Chooses the mode of the package for its first CPU. In process context, while no event of the
    /// package counts.
    pub(crate) fn setup(&self, cpu: Cpu) {
        let mode = match self.probe_routing(cpu) {
            Ok(tested) => self.route_to(cpu, tested),
            Err(reason) => Mode::Poll(reason),
        };
        self.pmi.set_mode(mode);
        pr_info!("package {}: overflow mode: {mode}\n", self.pmi.package);
    }

    /// Finds out which bit of the core select interrupts which core. Returns whether the self-test
    /// has shown it.
    fn probe_routing(&self, cpu: Cpu) -> Result<bool, PollReason> {
        if !self.option.may_interrupt() {
            return Err(PollReason::Chosen);
        }
        let (map, tested) = match self.run_selftest(cpu) {
            Ok(map) => (map, true),
            Err(reason) if self.option == OverflowOption::Interrupt => {
                pr_warn!(
                    "package {}: using PMIs as requested, although {reason}\n",
                    self.pmi.package
                );
                // Without a self-test the number of CPUs that one overflow interrupts is unknown.
                let claims = &self.pmi.nmi.claims;
                claims.set_nmis_per_overflow(cpus_of_package(cpu));
                (CoreMap::IDENTITY, false)
            }
            Err(reason) => return Err(reason),
        };
        self.pmi.control.with(|_, control| control.map = Some(map));
        Ok(tested)
    }

    /// Runs the self-test of the interrupt with this CPU as its target.
    fn run_selftest(&self, cpu: Cpu) -> Result<CoreMap, PollReason> {
        let counter = TestCounter::find(self.platform).ok_or(PollReason::Impossible)?;
        let saved = smp::on_cpu(cpu, SavedPmiState::enable).map_err(|_| PollReason::Unreachable)?;
        let rig = TestRig::new(&self.pmi, cpu, &counter);
        let map = selftest::run(&rig, cpu.core(), self.pmi.select_bits());
        let claims = &self.pmi.nmi.claims;
        claims.set_nmis_per_overflow(rig.most_nmis());
        drop(rig);
        let _ = smp::on_cpu(cpu, |here| saved.restore(here));
        map
    }

    /// Routes PMIs to this CPU, if a bit of the core select stands for it, and returns the mode
    /// that results.
    fn route_to(&self, cpu: Cpu, tested: bool) -> Mode {
        let bits = self.pmi.select_bits();
        let route = self
            .pmi
            .control
            .with(|_, control| control.route(cpu, bits, tested));
        let Some(route) = route else {
            return Mode::Poll(PollReason::NoBit);
        };
        self.pmi.nmi.set_target(Some(cpu.core()));
        let routed = smp::on_cpu(cpu, |here| {
            let saved = SavedPmiState::enable(here);
            self.service.set_interrupts(true);
            self.pmi.select_bit(here, route.bit);
            saved
        });
        let Ok(saved) = routed else {
            return Mode::Poll(PollReason::Offline);
        };
        self.pmi
            .control
            .with(|_, control| control.target = Some((cpu, saved)));
        Mode::Interrupt(cpu, route)
    }

    /// Routes PMIs to `target`, or to no CPU, before the designated CPU goes offline. In process
    /// context; counters may count. The package stays frozen until
    /// [`finish_migration`](Self::finish_migration), so that all its events lose the same time.
    pub(crate) fn migrate(&self, target: Option<Cpu>) {
        self.work.watchdog.stop();
        self.pmi.set_stay_frozen(target.is_some());
        if let Some(target) = target {
            let _ = smp::on_cpu(target, |here| self.pmi.freeze(here));
        }
        let mode = self.mode();
        self.unroute(target);
        let Some(target) = target else {
            self.pmi.set_mode(Mode::Poll(PollReason::Offline));
            return;
        };
        let mode = match mode {
            Mode::Interrupt(_, route) => self.route_to(target, route.tested),
            Mode::Poll(_) => mode,
        };
        self.pmi.set_mode(mode);
        if matches!(mode, Mode::Poll(_)) {
            let _ = smp::on_cpu(target, |_| self.service.set_interrupts(false));
        }
    }

    /// Unfreezes the package after its events have moved to `target`. Overflows that have
    /// interrupted no CPU meanwhile are serviced first.
    pub(crate) fn finish_migration(&self, target: Cpu) {
        self.pmi.set_stay_frozen(false);
        let _ = smp::on_cpu(target, |here| self.work.queue(here));
    }

    /// Stops PMIs and restores LVTPC and IA32_DEBUGCTL of the CPU that took them.
    fn unroute(&self, target: Option<Cpu>) {
        let routed = self.pmi.control.with(|_, control| control.target.take());
        let Some((cpu, saved)) = routed else {
            return;
        };
        // A CPU that is offline already has lost these registers.
        let _ = smp::on_cpu(cpu, |here| {
            self.pmi.select_cores(here, 0);
            if target.is_none() {
                self.service.set_interrupts(false);
                self.pmi.nmi.forget(here);
                self.pmi.release(here);
            }
            self.pmi.nmi.claims.note_overflow(clock::monotonic_ns());
            saved.restore(here);
        });
        self.pmi.nmi.set_target(None);
    }

    /// Arms the watchdog for a newly started counter that interrupts and can overflow after
    /// `wrap_ns`. On the designated CPU.
    pub(crate) fn arm(&self, here: &IrqsOff, wrap_ns: u64) {
        let was_stopped = self.work.watchdog.arm(here, wrap_ns);
        // A stopped watchdog has not looked for overflows.
        if was_stopped && self.pmi.nmi.has_overflowed(here) {
            self.pmi.nmi.stats.caught.add();
            self.work.queue(here);
        }
    }

    /// Counts an event that the driver has ended because another tool changed a register.
    pub(crate) fn count_modified(&self) {
        self.pmi.nmi.stats.modified.add();
    }

    /// Counts a round of polling.
    pub(crate) fn count_poll(&self) {
        self.pmi.nmi.stats.polls.add();
    }
}

/// Number of online CPUs in the package of `cpu`.
fn cpus_of_package(cpu: Cpu) -> u32 {
    let package = cpu.logical_package();
    let cpus = online_cpus()
        .filter(|other| other.logical_package() == package)
        .count();
    u32::try_from(cpus).unwrap_or(u32::MAX)
}

/// Prints the mode and the statistics as debugfs shows them after the number of the package.
impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_fmt(fmt!("{}\n{}", self.mode(), self.pmi.nmi.stats))
    }
}
