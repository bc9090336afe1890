// SPDX-License-Identifier: GPL-2.0

//! Clocks that can be read anywhere.
//!
//! C headers: [`include/linux/jiffies.h`](srctree/include/linux/jiffies.h),
//! [`include/linux/sched/clock.h`](srctree/include/linux/sched/clock.h),
//! [`include/linux/timekeeping.h`](srctree/include/linux/timekeeping.h)
//!
//! # Contexts
//!
//! Any, NMI included, unless a function says otherwise.

use super::bindings;
use core::num::NonZeroU64;

/// Returns the nanoseconds since boot, on the clock of the kernel log's time stamps.
pub(crate) fn uptime_ns() -> u64 {
    // SAFETY: Has no requirements.
    unsafe { bindings::helper_local_clock() }
}

/// Returns the nanoseconds of the monotonic clock.
///
/// An NMI that interrupts the adjustment of the clock can read a time slightly ahead of the next
/// one that is read, so a difference of two times can be negative.
pub(crate) fn monotonic_ns() -> u64 {
    // SAFETY: Has no requirements.
    unsafe { bindings::helper_ktime_get_mono_fast_ns() }
}

/// Returns the nanoseconds since boot in which the computer slept and the monotonic clock stood
/// still. Not for NMIs.
pub(crate) fn suspended_ns() -> u64 {
    // SAFETY: Has no requirements outside NMIs.
    unsafe { bindings::helper_suspended_ns() }
}

/// Returns the milliseconds of a clock that goes on with the timer tick. It costs a load, and may be
/// a tick late.
#[inline]
pub(crate) fn tick_ms() -> u64 {
    const MS: u64 = bindings::HZ_TO_MSEC_NUM as u64;
    const TICKS: NonZeroU64 = match NonZeroU64::new(bindings::HZ_TO_MSEC_DEN as u64) {
        Some(ticks) => ticks,
        None => NonZeroU64::MIN,
    };
    let count = &raw const bindings::jiffies_64;
    // SAFETY: The kernel's count of ticks is one word, which it writes as a whole.
    let ticks = unsafe { count.read_volatile() };
    ticks.wrapping_mul(MS) / TICKS
}
