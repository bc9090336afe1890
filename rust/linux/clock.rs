// SPDX-License-Identifier: GPL-2.0

//! The clock of the kernel log.
//!
//! C header: [`include/linux/sched/clock.h`](srctree/include/linux/sched/clock.h)
//!
//! # Contexts
//!
//! Any.

use super::bindings;

/// Nanoseconds since boot, as the kernel log's time stamps have them.
pub(crate) fn uptime_ns() -> u64 {
    // SAFETY: Has no requirements.
    unsafe { bindings::helper_local_clock() }
}
