// SPDX-License-Identifier: GPL-2.0

//! The module's tracepoint, for tools such as `perf record`.
//!
//! C header: [`include/linux/tracepoint.h`](srctree/include/linux/tracepoint.h); the tracepoint
//! itself is in `include/trace.h`.
//!
//! Without CONFIG_TRACEPOINTS the functions here do nothing.
//!
//! # Contexts
//!
//! Any, NMI included; not under a lock that a probe on the tracepoint may take (a BPF program may
//! read events).

use super::bindings;
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
    // SAFETY: Has no requirements.
    unsafe { bindings::helper_trace_interval_enabled() }
}

impl Interval<'_> {
    /// Emits the trace event.
    pub(crate) fn emit(&self) {
        let raw = bindings::helper_interval {
            pmu: self.pmu.as_char_ptr(),
            package: self.package,
            id: self.id,
            config: self.config,
            count: self.count,
            time: self.time,
            all: self.all.as_char_ptr(),
        };
        // SAFETY: The strings are valid for the duration of the call, which copies them.
        unsafe { bindings::helper_trace_interval(&raw const raw) };
    }
}
