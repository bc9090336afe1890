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
    stats::Stats,
    throttle::Throttle, //
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
        msr, //
    },
    uncore::table::{
        box_type::{
            GlobalMsrs,
            Platform, //
        },
        field::low_half, //
    }, //
};

/// Number of no core.
const NO_CORE: u32 = u32::MAX;

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
    global: Option<&'static GlobalMsrs>,
    /// Bits of the global status that stand for boxes.
    status_bits: u32,
    pub(crate) claims: NmiClaims,
    throttle: Throttle,
    pub(crate) stats: Stats,
    /// Bits of the global status that NMIs have cleared and no interrupt has serviced.
    pending: AtomicU32,
    /// Time of the first NMI that set `pending`; 0 if there was none.
    frozen_since: AtomicU64,
    /// Core that PMIs are routed to.
    target: AtomicU32,
    /// Overflows without an NMI since the last one with an NMI.
    missed: AtomicU32,
    /// There were too many NMIs, or handling them took too long.
    too_many: AtomicBool,
    /// The self-test of the interrupt is running.
    testing: AtomicBool,
    /// Cores that PMIs of the self-test have interrupted.
    cores_interrupted: AtomicU64,
    /// Number of PMIs of the self-test.
    test_nmis: AtomicU32,
}

impl NmiState {
    /// Creates the state of a package without PMIs.
    pub(crate) fn new(platform: &'static Platform) -> Self {
        let status_bits = platform
            .box_types
            .iter()
            .flat_map(|kind| kind.global_status)
            .fold(0, |all, bits| all | bits);
        Self {
            global: platform.global.as_ref(),
            status_bits,
            claims: NmiClaims::new(),
            throttle: Throttle::new(),
            stats: Stats::new(),
            pending: AtomicU32::new(0),
            frozen_since: AtomicU64::new(0),
            target: AtomicU32::new(NO_CORE),
            missed: AtomicU32::new(0),
            too_many: AtomicBool::new(false),
            testing: AtomicBool::new(false),
            cores_interrupted: AtomicU64::new(0),
            test_nmis: AtomicU32::new(0),
        }
    }

    /// Handles an NMI on a CPU of the package.
    pub(crate) fn handle(&self, here: &Nmi) -> NmiOutcome {
        let (core, now) = (here.cpu().core(), clock::monotonic_ns());
        let target = self.target.load(Ordering::Relaxed);
        let testing = self.testing.load(Ordering::Relaxed);
        if target == NO_CORE && !testing && !self.claims.overflowed_recently(now) {
            return NmiOutcome::Foreign;
        }
        let verdict = self
            .claims
            .claim(&self.registers(here), testing || core == target);
        if verdict != Verdict::Foreign && testing {
            self.cores_interrupted
                .fetch_or(Cores::single(core).0, Ordering::Relaxed);
            self.test_nmis.fetch_add(1, Ordering::Relaxed);
            return NmiOutcome::Nothing;
        }
        match verdict {
            Verdict::Overflow(bits) => {
                self.stats.taken.add();
                self.missed.store(0, Ordering::Relaxed);
                self.note(bits, now);
            }
            Verdict::Late => self.stats.late.add(),
            Verdict::Spurious => self.stats.spurious.add(),
            Verdict::Foreign => return NmiOutcome::Foreign,
        }
        let too_many = self.throttle.count(now);
        if too_many {
            self.too_many.store(true, Ordering::Relaxed);
        }
        match verdict {
            Verdict::Overflow(_) => NmiOutcome::Work,
            _ if too_many => NmiOutcome::Work,
            _ => NmiOutcome::Nothing,
        }
    }

    /// Notes the bits of an overflow, and the time of the first since the last release.
    fn note(&self, bits: u32, now: u64) {
        self.pending.fetch_or(bits, Ordering::Relaxed);
        let (set, fetch) = (Ordering::Relaxed, Ordering::Relaxed);
        // The first overflow has frozen the package.
        let _ = self.frozen_since.compare_exchange(0, now, set, fetch);
    }

    /// Clears the global status and returns its bits, with those that NMIs have noted.
    pub(crate) fn take_overflows(&self, here: &IrqsOff) -> u32 {
        let found = self.claims.take_status(&self.registers(here));
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

    /// Counts an overflow without an NMI, and returns how many there were in a row.
    pub(crate) fn count_missed(&self) -> u32 {
        self.missed
            .fetch_add(1, Ordering::Relaxed)
            .saturating_add(1)
    }

    /// Time of the NMI of the overflow that froze the package; `None` if there was no NMI.
    pub(crate) fn frozen_since(&self) -> Option<u64> {
        Some(self.frozen_since.load(Ordering::Relaxed)).filter(|&since| since != 0)
    }

    /// Like [`frozen_since`](Self::frozen_since), and forgets that time.
    pub(crate) fn take_frozen_since(&self) -> Option<u64> {
        Some(self.frozen_since.swap(0, Ordering::Relaxed)).filter(|&since| since != 0)
    }

    /// Accounts a freeze that ends now and began with an NMI at `since`.
    pub(crate) fn end_freeze(&self, since: u64) {
        let now = clock::monotonic_ns();
        let frozen = now.saturating_sub(since);
        self.stats.longest_freeze.max(frozen);
        if self.throttle.add_time(now, frozen) {
            // The driver throttles the package after the next interrupt.
            self.too_many.store(true, Ordering::Relaxed);
        }
    }

    /// Sets the core that PMIs are routed to.
    pub(crate) fn set_target(&self, core: Option<u32>) {
        self.target
            .store(core.unwrap_or(NO_CORE), Ordering::Relaxed);
    }

    /// Starts or ends the self-test, in which NMIs on any CPU are only recorded.
    pub(crate) fn set_testing(&self, testing: bool) {
        self.testing.store(testing, Ordering::Relaxed);
    }

    /// Cores that PMIs of the self-test have interrupted.
    pub(crate) fn cores_interrupted(&self) -> Cores {
        Cores(self.cores_interrupted.load(Ordering::Relaxed))
    }

    /// Number of PMIs of the self-test.
    pub(crate) fn test_nmis(&self) -> u32 {
        self.test_nmis.load(Ordering::Relaxed)
    }

    /// Forgets all overflows. An NMI of one may still come.
    pub(crate) fn forget(&self, here: &IrqsOff) {
        self.take_overflows(here);
        self.frozen_since.store(0, Ordering::Relaxed);
        self.cores_interrupted.store(0, Ordering::Relaxed);
        self.test_nmis.store(0, Ordering::Relaxed);
        self.claims.note_overflow(clock::monotonic_ns());
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

    fn status(&self) -> u32 {
        let read = |global: &GlobalMsrs| msr::read(self.here, global.status).ok();
        // A register that cannot be read reports no overflow.
        low_half(self.state.global.and_then(read).unwrap_or(0)) & self.state.status_bits
    }

    fn clear(&self, bits: u32) {
        if let Some(global) = self.state.global {
            // The register could be read, so it can be written.
            let _ = msr::write(self.here, global.status, u64::from(bits));
        }
    }

    fn now(&self) -> u64 {
        clock::monotonic_ns()
    }
}
