// SPDX-License-Identifier: GPL-2.0

//! NMIs of a package: finding out whether one is a PMI, and noting what has overflowed.
//!
//! NMIs touch only the atomics of [`NmiState`], the global status and the interrupt controller.
//!
//! # Contexts
//!
//! [`NmiState::handle`] in NMI; functions that take an [`IrqsOff`] on a CPU of the package; the rest
//! anywhere.

use super::{
    nmi_claims::{
        NmiClaims,
        PmiRegisters,
        Verdict, //
    },
    selftest::Cores,
    stats::Stats, //
};
use crate::{
    linux::{
        apic::Lvtpc,
        atomic::{
            AtomicBool,
            AtomicU32,
            AtomicU64,
            Ordering, //
        },
        clock,
        context::{
            IrqsOff,
            Nmi,
            Pinned, //
        },
        msr,
        nmi, //
    },
    uncore::{
        frozen::FrozenTime,
        table::box_type::{
            Interrupt,
            Platform, //
        }, //
    }, //
};

/// Number of no core.
const NO_CORE: u32 = u32::MAX;

/// Points for an overflow without an NMI; one with an NMI takes one away, an NMI that comes late all
/// of them.
const POINTS_MISSED: u32 = 3;

/// Number of points from which interrupts are not relied on: three overflows in a row without an
/// NMI, or more than a quarter of them for a while.
const TOO_MANY_POINTS: u32 = 3 * POINTS_MISSED;

/// Result of an NMI.
pub(crate) enum NmiOutcome {
    /// A PMI of this package; its boxes must be serviced.
    Work,
    /// A PMI of this package; there is nothing left to do.
    Nothing,
    /// An NMI of another source.
    Foreign,
}

/// State that the NMIs of a package share with its interrupts, timers and users.
pub(crate) struct NmiState {
    interrupt: Option<&'static Interrupt>,
    /// Bits of the global status that stand for boxes.
    status_bits: u64,
    pub(crate) claims: NmiClaims,
    pub(crate) frozen: FrozenTime,
    pub(crate) stats: Stats,
    /// Bits of the global status that NMIs have cleared and no interrupt has serviced.
    pending: AtomicU64,
    /// Time of the first NMI that set `pending`; 0 if there was none.
    frozen_since: AtomicU64,
    /// Time in nanoseconds from an overflow to its NMI, as the self-test has found it.
    latency: AtomicU64,
    /// Last time at which the package is known not to have been frozen.
    counting_at: AtomicU64,
    /// Core that PMIs are routed to.
    target: AtomicU32,
    /// Points for overflows without an NMI.
    missed: AtomicU32,
    /// There were too many NMIs.
    too_many: AtomicBool,
    /// Bits of the global status of the counter whose interrupt is tested; 0 without a self-test.
    testing: AtomicU64,
    /// Cores on which an NMI of the self-test has found its overflow.
    cores_interrupted: AtomicU64,
    /// Number of PMIs of the self-test.
    test_nmis: AtomicU32,
    /// Time of the last NMI that has found the overflow of the self-test; 0 if there was none.
    test_found_at: AtomicU64,
}

impl NmiState {
    /// Creates the state of a package without PMIs.
    ///
    /// Interrupts may freeze it for `frozen_limit` percent of any second.
    pub(crate) fn new(platform: &'static Platform, frozen_limit: u8) -> Self {
        let status_bits = platform
            .box_types
            .iter()
            .flat_map(|kind| kind.global_status)
            .fold(0, |all, bits| all | bits);
        Self {
            interrupt: platform.interrupt(),
            status_bits,
            claims: NmiClaims::new(),
            frozen: FrozenTime::new(frozen_limit),
            stats: Stats::default(),
            pending: AtomicU64::new(0),
            frozen_since: AtomicU64::new(0),
            latency: AtomicU64::new(0),
            counting_at: AtomicU64::new(0),
            target: AtomicU32::new(NO_CORE),
            missed: AtomicU32::new(0),
            too_many: AtomicBool::new(false),
            testing: AtomicU64::new(0),
            cores_interrupted: AtomicU64::new(0),
            test_nmis: AtomicU32::new(0),
            test_found_at: AtomicU64::new(0),
        }
    }

    /// Handles an NMI on a CPU of the package.
    pub(crate) fn handle(&self, here: &Nmi) -> NmiOutcome {
        let target = self.target.load(Ordering::Relaxed);
        if target == NO_CORE {
            return NmiOutcome::Foreign;
        }
        let (core, now) = (here.cpu().core(), clock::monotonic_ns());
        let tested = self.testing.load(Ordering::Relaxed);
        let has_overflowed = match self.claims.claim(&self.registers(here), core == target) {
            Verdict::Foreign => return NmiOutcome::Foreign,
            verdict if tested != 0 => {
                let overflows = matches!(verdict, Verdict::Overflow(bits) if bits & tested != 0);
                self.note_test(overflows.then_some(core), now);
                return NmiOutcome::Nothing;
            }
            Verdict::Overflow(bits) => {
                self.stats.taken.add();
                self.take_points(1);
                self.note(bits, now);
                true
            }
            Verdict::Late => {
                self.stats.late.add();
                // The overflow that was taken for one without an NMI.
                self.take_points(POINTS_MISSED);
                false
            }
            Verdict::Spurious => {
                self.stats.spurious.add();
                false
            }
        };
        let too_many = self.frozen.count_nmi(now);
        if too_many {
            self.too_many.store(true, Ordering::Relaxed);
        }
        if has_overflowed || too_many {
            NmiOutcome::Work
        } else {
            NmiOutcome::Nothing
        }
    }

    /// Notes a PMI of the self-test, and the core on which it has found the overflow, if it has.
    fn note_test(&self, core: Option<u32>, now: u64) {
        if let Some(core) = core {
            let core = Cores::single(core).0;
            self.cores_interrupted.fetch_or(core, Ordering::Relaxed);
            self.test_found_at.store(now, Ordering::Relaxed);
        }
        self.test_nmis.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes the bits of an overflow, and the time of the first since the last release.
    fn note(&self, bits: u64, now: u64) {
        self.pending.fetch_or(bits, Ordering::Relaxed);
        let (set, fetch) = (Ordering::Relaxed, Ordering::Relaxed);
        // The first overflow has frozen the package.
        let _ = self.frozen_since.compare_exchange(0, now, set, fetch);
    }

    /// Clears the global status and returns its bits, with those that NMIs have noted.
    pub(crate) fn take_overflows(&self, here: &IrqsOff) -> u64 {
        let still_to_come = self.claims.nmis_per_overflow();
        let found = self
            .claims
            .take_status(&self.registers(here), still_to_come);
        found | self.pending.swap(0, Ordering::Relaxed)
    }

    /// Returns whether the global status has a bit of a box.
    pub(crate) fn has_overflowed(&self, here: &IrqsOff) -> bool {
        self.registers(here).status() != 0
    }

    /// Returns whether there were too many NMIs since the last call.
    pub(crate) fn take_too_many(&self) -> bool {
        self.too_many.swap(false, Ordering::Relaxed)
    }

    /// Takes away points for overflows without an NMI.
    fn take_points(&self, less: u32) {
        let (set, fetch) = (Ordering::Relaxed, Ordering::Relaxed);
        let update = |points: u32| Some(points.saturating_sub(less));
        let _ = self.missed.fetch_update(set, fetch, update);
    }

    /// Counts an overflow without an NMI, and returns whether such overflows are too many.
    pub(crate) fn count_missed(&self) -> bool {
        let points = self.missed.fetch_add(POINTS_MISSED, Ordering::Relaxed);
        points.saturating_add(POINTS_MISSED) >= TOO_MANY_POINTS
    }

    /// Time of the NMI of the overflow that froze the package; `None` if there was no NMI.
    pub(crate) fn frozen_since(&self) -> Option<u64> {
        Some(self.frozen_since.load(Ordering::Relaxed)).filter(|&since| since != 0)
    }

    /// Like [`frozen_since`](Self::frozen_since), and forgets that time.
    pub(crate) fn take_frozen_since(&self) -> Option<u64> {
        Some(self.frozen_since.swap(0, Ordering::Relaxed)).filter(|&since| since != 0)
    }

    /// Accounts a freeze that ends now, and began some time before an NMI at `since`.
    pub(crate) fn end_freeze(&self, since: u64) {
        let now = clock::monotonic_ns();
        let latency = self.latency.load(Ordering::Relaxed);
        let frozen = now.saturating_sub(since).saturating_add(latency);
        self.stats.longest_freeze.max(frozen);
        self.add_frozen(now, frozen);
        self.note_counting(now);
    }

    /// Accounts a freeze that began without an NMI, at the earliest when the package was last known
    /// to count.
    pub(crate) fn add_missed(&self, now: u64) {
        let since = self.counting_at.load(Ordering::Relaxed);
        self.add_frozen(now, now.saturating_sub(since));
        self.note_counting(now);
    }

    /// Notes that the package is not frozen.
    pub(crate) fn note_counting(&self, now: u64) {
        self.counting_at.store(now, Ordering::Relaxed);
    }

    /// Accounts time for which the package was frozen.
    pub(crate) fn add_frozen(&self, now: u64, ns: u64) {
        self.stats.frozen.add_many(ns);
        self.frozen.add(now, ns);
    }

    /// Returns the time to wait after an overflow of the self-test that froze the package for `ns`.
    pub(crate) fn rest_ns(&self, ns: u64) -> u64 {
        self.frozen.rest_ns(ns)
    }

    /// Sets the core that PMIs are routed to; without one, all NMIs are foreign.
    pub(crate) fn set_target(&self, core: Option<u32>) {
        self.target
            .store(core.unwrap_or(NO_CORE), Ordering::Relaxed);
    }

    /// Returns whether PMIs are, or were lately, routed to a core.
    pub(crate) fn has_target(&self) -> bool {
        self.target.load(Ordering::Relaxed) != NO_CORE
    }

    /// Starts a self-test of the counter with these bits of the global status, or ends it with 0.
    /// NMIs are only recorded meanwhile.
    pub(crate) fn set_testing(&self, bits: u64) {
        self.testing.store(bits, Ordering::Relaxed);
    }

    /// Cores on which an NMI of the self-test has found its overflow.
    pub(crate) fn cores_interrupted(&self) -> Cores {
        Cores(self.cores_interrupted.load(Ordering::Relaxed))
    }

    /// Number of PMIs of the self-test.
    pub(crate) fn test_nmis(&self) -> u32 {
        self.test_nmis.load(Ordering::Relaxed)
    }

    /// Time of the last NMI that has found the overflow of the self-test; `None` if there was none.
    pub(crate) fn test_found_at(&self) -> Option<u64> {
        Some(self.test_found_at.load(Ordering::Relaxed)).filter(|&at| at != 0)
    }

    /// Sets the time in nanoseconds from an overflow to its NMI.
    pub(crate) fn set_latency(&self, ns: u64) {
        self.latency.store(ns, Ordering::Relaxed);
    }

    /// Forgets all overflows.
    pub(crate) fn forget(&self, here: &IrqsOff) {
        self.take_overflows(here);
        self.frozen_since.store(0, Ordering::Relaxed);
        self.cores_interrupted.store(0, Ordering::Relaxed);
        self.test_nmis.store(0, Ordering::Relaxed);
        self.test_found_at.store(0, Ordering::Relaxed);
        self.missed.store(0, Ordering::Relaxed);
    }

    fn registers<'a, P: Pinned>(&'a self, here: &'a P) -> PmiRegs<'a, P> {
        PmiRegs { state: self, here }
    }
}

/// The PMI registers of a package and of the CPU `here`, which belongs to it.
struct PmiRegs<'a, P: Pinned> {
    state: &'a NmiState,
    here: &'a P,
}

impl<P: Pinned> PmiRegisters for PmiRegs<'_, P> {
    fn is_masked(&self) -> bool {
        let entry = Lvtpc::read(self.here);
        entry.is_nmi() && entry.is_masked()
    }

    fn unmask(&self) {
        Lvtpc::NMI.write(self.here);
    }

    fn status(&self) -> u64 {
        let read = |interrupt: &Interrupt| msr::read(self.here, interrupt.status).ok();
        // A register that cannot be read reports no overflow.
        self.state.interrupt.and_then(read).unwrap_or(0) & self.state.status_bits
    }

    fn clear(&self, bits: u64) {
        if let Some(interrupt) = self.state.interrupt {
            // The register could be read, so it can be written.
            let _ = msr::write(self.here, interrupt.status, bits);
        }
    }

    fn is_of_chipset(&self) -> bool {
        nmi::is_of_chipset(self.here)
    }

    fn now(&self) -> u64 {
        clock::monotonic_ns()
    }
}
