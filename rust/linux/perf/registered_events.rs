// SPDX-License-Identifier: GPL-2.0

//! The events of a PMU, from their `event_init` until they are destroyed.
//!
//! Perf gives a driver no list of its events. The driver needs one to restart some of them.
//!
//! # Contexts
//!
//! Process context. Perf holds the mutex of a context in `event_init`, and may hold it when an event
//! is destroyed. [`RegisteredEvents::for_each`] calls back without a lock, so that the callback can
//! take that mutex.

use super::bindings;
use kernel::{
    new_condvar,
    new_mutex,
    prelude::*,
    sync::{
        CondVar,
        Mutex, //
    }, //
};

/// The events of a PMU.
#[pin_data]
pub(super) struct RegisteredEvents {
    #[pin]
    list: Mutex<List>,
    /// Signals that an event is visited no more.
    #[pin]
    left: CondVar,
}

/// The events behind the lock.
struct List {
    events: KVec<*mut bindings::perf_event>,
    /// The event that [`RegisteredEvents::for_each`] visits; null if none.
    visited: *mut bindings::perf_event,
}

// SAFETY: Any thread may compare the pointers. Only `for_each` hands them out, and those who use
// them there show that they may.
unsafe impl Send for List {}

impl RegisteredEvents {
    /// Makes an empty list.
    pub(super) fn new() -> impl PinInit<Self> {
        let list = List {
            events: KVec::new(),
            visited: core::ptr::null_mut(),
        };
        pin_init!(Self {
            list <- new_mutex!(list),
            left <- new_condvar!(),
        })
    }

    /// Adds an event.
    ///
    /// # Errors
    ///
    /// [`ENOMEM`].
    pub(super) fn add(&self, event: *mut bindings::perf_event) -> Result {
        Ok(self.list.lock().events.push(event, GFP_KERNEL)?)
    }

    /// Removes an event. Waits while it is visited.
    pub(super) fn remove(&self, event: *mut bindings::perf_event) {
        let mut list = self.list.lock();
        while list.visited == event {
            self.left.wait(&mut list);
        }
        list.events.retain(|&mut other| other != event);
    }

    /// Returns the number of events.
    pub(super) fn count(&self) -> usize {
        self.list.lock().events.len()
    }

    /// Calls `f` with each event, which is not destroyed meanwhile. An event that is added meanwhile
    /// is left out, and one may be visited twice if another is removed. One caller at a time.
    pub(super) fn for_each(&self, f: impl Fn(*mut bindings::perf_event)) {
        for index in (0..self.count()).rev() {
            let event = {
                let mut list = self.list.lock();
                let Some(&event) = list.events.get(index) else {
                    continue;
                };
                list.visited = event;
                event
            };
            f(event);
            self.list.lock().visited = core::ptr::null_mut();
            self.left.notify_all();
        }
    }
}
