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
        Place,
        Read, //
    }, //
};
use crate::{
    linux::{
        atomic::{
            AtomicBool,
            Ordering, //
        },
        context::Pinned,
        rcu::{
            Published,
            Retired, //
        }, //
    },
    uncore::users::Users, //
};
use core::ops::Deref;
use kernel::{
    prelude::*,
    sync::{
        Arc,
        UniqueArc, //
    }, //
};

/// The counters of a box that can be reached without the lock.
pub(crate) struct Reach {
    /// A read has failed since the holder of the lock last asked.
    failed: AtomicBool,
    /// The PCI function with the counters, if they are in one.
    function: Published<FunctionRegisters>,
    /// Users of the counters of all boxes.
    users: Arc<Users>,
}

impl Reach {
    /// Makes the counters of an absent box.
    ///
    /// # Errors
    ///
    /// [`ENOMEM`].
    pub(crate) fn absent(users: Arc<Users>) -> Result<Arc<Self>> {
        let reach = Self {
            failed: AtomicBool::new(false),
            function: Published::none(),
            users,
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
    pub(super) fn read_at<P: Pinned>(&self, here: &P, place: Place) -> Read {
        let function = self.function.get(here);
        match function.and_then(|at| at.read_mapped(place.register(), place.is_dword())) {
            Some(value) => Read::from(Ok(value)),
            None => self.read_otherwise(here, place),
        }
    }

    /// Reads a counter that [`read_at`](Self::read_at) cannot read at once. The errors are the same.
    #[cold]
    #[inline(never)]
    fn read_otherwise<P: Pinned>(&self, here: &P, place: Place) -> Read {
        let read = match self.function.get(here) {
            Some(function) => function.read_counter(place.register(), place.is_dword()),
            None => Err(ENODEV),
        };
        read.into()
    }

    /// Notes that a read has failed, for the holder of the lock.
    pub(super) fn set_failed(&self) {
        self.failed.store(true, Ordering::Release);
    }

    /// Returns whether a read has failed since the last call.
    pub(super) fn take_failed(&self) -> bool {
        self.failed.swap(false, Ordering::AcqRel)
    }
}

/// The counters of a box, used by an open event. The survey waits until it is dropped.
pub(crate) struct ReachUse(Arc<Reach>);

impl ReachUse {
    /// Begins the use; `None` while the survey has the counters.
    pub(crate) fn begin(reach: &Arc<Reach>) -> Option<Self> {
        reach.users.begin_event().then(|| Self(reach.clone()))
    }
}

impl Deref for ReachUse {
    type Target = Reach;

    fn deref(&self) -> &Reach {
        &self.0
    }
}

impl Drop for ReachUse {
    fn drop(&mut self) {
        self.users.end_event();
    }
}
