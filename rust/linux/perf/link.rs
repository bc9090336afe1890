// SPDX-License-Identifier: GPL-2.0

//! The way from the driver's data of an event back to perf's event.
//!
//! Perf gives a driver no list of its events. The driver needs perf's event to give it the last counts
//! after a batch of changes.
//!
//! # Contexts
//!
//! Any but NMI for visitors, who do not sleep; process context for the rest.

use super::bindings;
use core::{
    ptr,
    sync::atomic::{
        AtomicPtr,
        AtomicU32,
        Ordering, //
    }, //
};
use kernel::time::{
    delay::fsleep,
    Delta, //
};

/// Time in milliseconds between two looks whether an event is still visited.
const PATIENCE_MS: i64 = 1;

/// Refers to perf's event, from its `event_init` until it is destroyed.
///
/// # Invariants
///
/// The pointer is null, or is of an event that is not destroyed before it is null and there are no
/// `visitors`.
pub(crate) struct Link {
    event: AtomicPtr<bindings::perf_event>,
    /// Number of callers that visit the event.
    visitors: AtomicU32,
}

impl Link {
    /// Makes a link to no event.
    pub(crate) fn none() -> Self {
        // INVARIANT: Null.
        Self {
            event: AtomicPtr::new(ptr::null_mut()),
            visitors: AtomicU32::new(0),
        }
    }

    /// Refers to an event.
    ///
    /// # Safety
    ///
    /// The event must be valid until [`close`](Self::close) has returned.
    pub(super) unsafe fn open(&self, event: *mut bindings::perf_event) {
        // INVARIANT: By the function's contract.
        self.event.store(event, Ordering::Release);
    }

    /// Refers to no event any more. Waits while the event is visited, which is rare.
    pub(super) fn close(&self) {
        // In one order with the accesses of `visit`: if that has found the event, it is seen here.
        self.event.swap(ptr::null_mut(), Ordering::SeqCst);
        while self.visitors.load(Ordering::SeqCst) != 0 {
            fsleep(Delta::from_millis(PATIENCE_MS));
        }
    }

    /// Calls `f` with the event, which is valid and not destroyed meanwhile, unless it is gone.
    pub(super) fn visit(&self, f: impl FnOnce(*mut bindings::perf_event)) {
        self.visitors.fetch_add(1, Ordering::SeqCst);
        let event = self.event.load(Ordering::SeqCst);
        if !event.is_null() {
            f(event);
        }
        self.visitors.fetch_sub(1, Ordering::SeqCst);
    }
}
