// SPDX-License-Identifier: GPL-2.0

//! Atomics: those of the host's threads.

pub(crate) use kernel::sync::host::atomic::{
    AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering,
};
