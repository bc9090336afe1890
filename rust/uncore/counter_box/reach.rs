// SPDX-License-Identifier: GPL-2.0

//! The counters of a box for readers without its lock: where they are, and whether a read has
//! failed.
//!
//! The holder of the lock changes it. A reader that has found registers may use them until it ends:
//! those in a PCI function are dropped after a grace period ([`rcu`](crate::linux::rcu)).

use super::{
    bus::{
        FunctionRegisters,
        MsrCounters,
        Registers, //
    },
    reading::Reading, //
};
use crate::linux::{
    atomic::{
        AtomicBool,
        AtomicU32,
        Ordering, //
    },
    context::Pinned,
    rcu::{
        Published,
        Retired, //
    }, //
};
use kernel::prelude::*;

/// Value of [`Reach::msr`] while the counters are no MSRs.
const NO_MSR: u32 = u32::MAX;

/// The counters of a box that can be reached without the lock.
pub(super) struct Reach {
    /// The MSR that offsets are relative to, or [`NO_MSR`].
    msr: AtomicU32,
    /// A read has failed since the holder of the lock last asked.
    failed: AtomicBool,
    /// The PCI function with the counters, if they are in one.
    function: Published<FunctionRegisters>,
}

/// Outcome of reading an event.
pub(crate) struct ReadCount {
    /// Counts since the last read, for perf.
    pub(crate) count: u64,
    /// Tells whether the access to the counter has failed.
    pub(crate) failed: bool,
}

impl Reach {
    /// Makes the counters of an absent box.
    pub(super) fn absent() -> Self {
        Self {
            msr: AtomicU32::new(NO_MSR),
            failed: AtomicBool::new(false),
            function: Published::none(),
        }
    }

    /// Lets readers have these registers, or none. What is returned must be dropped in process
    /// context.
    pub(super) fn replace(&self, registers: Option<&Registers>) -> Retired<FunctionRegisters> {
        let (msr, function) = match registers {
            Some(Registers::Msr { base, .. }) => (*base, None),
            Some(Registers::Function(function)) => (NO_MSR, Some(function.clone())),
            None => (NO_MSR, None),
        };
        self.msr.store(msr, Ordering::Release);
        self.function.replace(function)
    }

    /// Reads the counter of an event, and takes the counts that are pending.
    #[inline(always)]
    pub(super) fn read(&self, here: &impl Pinned, reading: &Reading) -> ReadCount {
        let advanced = match self.msr.load(Ordering::Acquire) {
            NO_MSR => match self.function.get(here) {
                Some(function) => reading.advance(&*function),
                None => Ok(0),
            },
            base => reading.advance(&MsrCounters(base, here)),
        };
        let pending = reading.take();
        match advanced {
            Ok(count) => ReadCount {
                count: count.wrapping_add(pending),
                failed: false,
            },
            Err(error) => ReadCount {
                count: pending,
                failed: self.note(error),
            },
        }
    }

    /// Notes a failed read. Returns `false` if the counter could only not be reached from here.
    #[cold]
    fn note(&self, error: Error) -> bool {
        let failed = error != EAGAIN;
        if failed {
            self.failed.store(true, Ordering::Release);
        }
        failed
    }

    /// Returns whether a read has failed since the last call.
    pub(super) fn take_failed(&self) -> bool {
        self.failed.swap(false, Ordering::AcqRel)
    }
}
