// SPDX-License-Identifier: GPL-2.0

//! The module's tracepoint.

use crate::host::{host, plain};
use kernel::prelude::*;

/// A report that an interval of an event has ended.
pub(crate) struct Interval<'a> {
    /// Name of the PMU.
    pub(crate) pmu: &'a CStr,
    /// Logical number of the package.
    pub(crate) package: u32,
    /// ID of the event.
    pub(crate) id: u64,
    /// `config` of the event.
    pub(crate) config: u64,
    /// Count of the event.
    pub(crate) count: u64,
    /// Time of the counts on the monotonic clock, in ns.
    pub(crate) time: u64,
    /// Counts of all events of the package at that time.
    pub(crate) all: &'a CStr,
}

/// Returns whether the tracepoint is enabled.
pub(crate) fn is_enabled() -> bool {
    plain(&host().trace).is_some()
}

impl Interval<'_> {
    /// Emits the trace event.
    pub(crate) fn emit(&self) {
        if let Some(records) = &mut *plain(&host().trace) {
            let [pmu, all] = [self.pmu, self.all].map(CStr::to_string_lossy);
            records.push(format!(
                "{pmu} package={} config={:#x} count={} time={} all={all}",
                self.package, self.config, self.count, self.time
            ));
        }
    }
}
