// SPDX-License-Identifier: GPL-2.0

//! The counters of a box for readers without its lock: the PCI function that they are in, if they are
//! in one, and whether a read has failed. A counter that is an MSR is found by its number.
//!
//! The holder of the lock changes it. A reader that has found the function may use it until it ends:
//! it is dropped after a grace period ([`rcu`](crate::linux::rcu)).

use super::{
    bus::{
        FunctionRegisters,
        Registers, //
    },
    reading::{
        CounterPlace,
        Read, //
    }, //
};
use crate::{
    linux::{
        atomic::{
            AtomicBool,
            AtomicU32,
            AtomicU64,
            Ordering, //
        },
        clock,
        context::Pinned,
        rcu::{
            Published,
            Retired, //
        }, //
    },
    uncore::{
        options::Tamper,
        table::box_type::GlobalMsrs, //
    }, //
};
use kernel::{
    prelude::*,
    sync::{
        Arc,
        UniqueArc, //
    }, //
};

/// Shortest time in milliseconds between two looks at the registers of a box because counters do not
/// move.
const LOOK_MS: u64 = 1000;

/// The counters of a box that can be reached without the lock.
pub(crate) struct Reach {
    /// A read has failed since the holder of the lock last asked.
    failed: AtomicBool,
    /// A read has found what only the registers can explain since the holder of the lock last asked.
    doubtful: AtomicBool,
    /// There may be something to be handled in process context.
    news: AtomicBool,
    /// Time in milliseconds from which on a counter that does not move is reason enough for a look.
    look_after_ms: AtomicU64,
    /// Bits of the level that can be read.
    level: AtomicU32,
    /// The PCI function with the counters, if they are in one.
    function: Published<FunctionRegisters>,
}

impl Reach {
    /// Makes the counters of an absent box.
    ///
    /// # Errors
    ///
    /// [`ENOMEM`].
    pub(crate) fn absent(tamper: Tamper) -> Result<Arc<Self>> {
        // Without verification a look finds nothing.
        let look_after_ms = if tamper == Tamper::Off { u64::MAX } else { 0 };
        let reach = Self {
            failed: AtomicBool::new(false),
            doubtful: AtomicBool::new(false),
            news: AtomicBool::new(false),
            look_after_ms: AtomicU64::new(look_after_ms),
            level: AtomicU32::new(u32::MAX),
            function: Published::none(),
        };
        Ok(UniqueArc::new(reach, GFP_KERNEL)?.into())
    }

    /// Lets readers have these registers, or none. What is returned must be dropped in process
    /// context.
    pub(super) fn replace(&self, registers: Option<&Registers>) -> Retired<FunctionRegisters> {
        self.function.replace(match registers {
            Some(Registers::Function(function)) => Some(function.clone()),
            Some(Registers::Msr(_)) | None => None,
        })
    }

    /// Reads a counter that is no MSR.
    ///
    /// # Errors
    ///
    /// [`EAGAIN`] if the counter cannot be reached in an NMI, [`ENODEV`] if the box is absent.
    #[inline(never)]
    pub(super) fn read_at<P: Pinned>(&self, here: &P, place: CounterPlace) -> Read {
        let function = self.function.get(here);
        match function.and_then(|at| at.read_mapped(place.register(), place.is_dword())) {
            Some(value) => Read::from(Ok(value)),
            None => self.read_otherwise(here, place),
        }
    }

    /// Reads a counter that [`read_at`](Self::read_at) cannot read at once, with its errors.
    #[cold]
    #[inline(never)]
    fn read_otherwise<P: Pinned>(&self, here: &P, place: CounterPlace) -> Read {
        let read = match self.function.get(here) {
            Some(function) => function.read_counter(place.register(), place.is_dword()),
            None => Err(ENODEV),
        };
        read.into()
    }

    /// Notes that a read has failed, for the holder of the lock.
    pub(super) fn set_failed(&self) {
        self.failed.store(true, Ordering::Release);
        self.set_news();
    }

    /// Makes the holder of the lock look at the registers.
    pub(super) fn look(&self) {
        self.doubtful.store(true, Ordering::Release);
        self.set_news();
    }

    /// Notes that there is something to be handled in process context.
    pub(super) fn set_news(&self) {
        self.news.store(true, Ordering::Release);
    }

    /// Returns whether there may be something to be handled in process context, once.
    pub(crate) fn take_news(&self) -> bool {
        self.news.load(Ordering::Relaxed) && self.news.swap(false, Ordering::AcqRel)
    }

    /// Returns whether a counter that does not move is reason enough for a look.
    #[inline(always)]
    pub(super) fn is_look_due(&self) -> bool {
        clock::tick_ms() >= self.look_after_ms.load(Ordering::Relaxed)
    }

    /// Makes the holder of the lock look at the registers, as a counter does not move, and returns
    /// the error that says so. The next such look is due after [`LOOK_MS`].
    #[cold]
    #[inline(never)]
    pub(super) fn look_at_still(&self) -> Error {
        let next = clock::tick_ms().saturating_add(LOOK_MS);
        self.look_after_ms.store(next, Ordering::Relaxed);
        self.look();
        EAGAIN
    }

    /// Returns whether the registers are to be looked at, once.
    pub(crate) fn take_look(&self) -> bool {
        self.doubtful.load(Ordering::Relaxed) && self.doubtful.swap(false, Ordering::AcqRel)
    }

    /// Sets which bits of the level can be read.
    pub(crate) fn set_level(&self, bits: u32) {
        self.level.store(bits, Ordering::Relaxed);
    }

    /// Returns whether the global control, with the value `now`, lacks a bit of the level that can be
    /// read.
    pub(super) fn lacks_level(&self, global: &GlobalMsrs, now: u32) -> bool {
        global.lacks_level(now, self.level.load(Ordering::Relaxed))
    }

    /// Returns whether a read has failed since the last call.
    pub(super) fn take_failed(&self) -> bool {
        self.failed.swap(false, Ordering::AcqRel)
    }
}
