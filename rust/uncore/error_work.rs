// SPDX-License-Identifier: GPL-2.0

//! Handles errors of boxes in process context.
//!
//! Perf, timers and interrupt handlers read counters with interrupts off. A read can find that a box
//! has stopped answering, or that another tool has modified a register. Ending the events and logging
//! need process context. So does the test of an interrupt for which an event waits.

use crate::linux::work::{
    Run,
    Work, //
};
use kernel::sync::Arc;

/// Ends events that can no longer count, in process context.
pub(crate) trait HandleErrors: Send + Sync {
    /// Ends the events of boxes that failed and the events whose registers were modified, and logs
    /// both. Tests the interrupts for which events wait. One call answers any number of
    /// [`ErrorWork::schedule`] before it.
    fn handle_errors(&self);
}

/// Calls a [`HandleErrors`] soon; can be scheduled in any context.
pub(crate) type ErrorWork = Work<Handler>;

/// The data of an [`ErrorWork`].
pub(crate) struct Handler(pub(crate) Arc<dyn HandleErrors>);

impl Run for Handler {
    fn run(&self) {
        self.0.handle_errors();
    }
}
