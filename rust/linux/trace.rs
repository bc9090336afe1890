// SPDX-License-Identifier: GPL-2.0

//! The module's tracepoint, which tools such as `perf record` can listen to.
//!
//! C header: [`include/linux/tracepoint.h`](srctree/include/linux/tracepoint.h); the tracepoint
//! itself is in `include/trace.h`.
//!
//! Without CONFIG_TRACEPOINTS nobody can listen and everything here does nothing.
//!
//! # Contexts
//!
//! Any, NMI included; not under a lock that a listener may need (a BPF program may read events).

use super::bindings;
use kernel::{
    ffi::CStr,
    prelude::*, //
};

/// A counter has come round.
pub(crate) struct Interval<'a> {
    /// The PMU.
    pub(crate) pmu: &'a CStr,
    /// The package, by the kernel's number.
    pub(crate) package: u32,
    /// The event's number.
    pub(crate) id: u64,
    /// What it counts.
    pub(crate) config: u64,
    /// How much it has counted.
    pub(crate) count: u64,
    /// When, by the monotonic clock.
    pub(crate) time: u64,
    /// What all events of the package had counted then.
    pub(crate) all: &'a CStr,
}

/// Whether anybody listens.
pub(crate) fn listens() -> bool {
    // SAFETY: Has no requirements.
    unsafe { bindings::helper_trace_interval_enabled() }
}

impl Interval<'_> {
    /// Tells whoever listens.
    pub(crate) fn tell(&self) {
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
