// SPDX-License-Identifier: GPL-2.0

//! The way from the driver's data of an event back to perf's event.
//!
//! Perf gives a driver no list of its events. The driver needs perf's event to restart it.
//!
//! # Contexts
//!
//! Process context. Perf may hold the mutex of a context when it destroys an event, but none of an
//! event that was added. Visitors take that mutex for events that are added.

use super::bindings;
use core::{
    ptr,
    sync::atomic::{
        AtomicBool,
        AtomicPtr,
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
/// The pointer is null, or is of an event that is not destroyed before it is null and `visited` is
/// false.
pub(crate) struct Link {
    event: AtomicPtr<bindings::perf_event>,
    /// Tells whether the event is visited. One caller at a time does that.
    visited: AtomicBool,
}

impl Link {
    /// Makes a link to no event.
    pub(crate) fn none() -> Self {
        // INVARIANT: Null.
        Self {
            event: AtomicPtr::new(ptr::null_mut()),
            visited: AtomicBool::new(false),
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
        while self.visited.load(Ordering::SeqCst) {
            fsleep(Delta::from_millis(PATIENCE_MS));
        }
    }

    /// Calls `f` with the event, which is valid and not destroyed meanwhile, unless it is gone. One
    /// caller at a time.
    pub(super) fn visit(&self, f: impl FnOnce(*mut bindings::perf_event)) {
        self.visited.store(true, Ordering::SeqCst);
        let event = self.event.load(Ordering::SeqCst);
        if !event.is_null() {
            f(event);
        }
        self.visited.store(false, Ordering::SeqCst);
    }
}
