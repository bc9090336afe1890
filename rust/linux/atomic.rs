// SPDX-License-Identifier: GPL-2.0

//! Atomics, by the kernel's or the host's memory model.
//!
//! C header: none.
//!
//! The engine takes its atomics from here, so that the tests on the host can run it with atomics
//! that let another thread go on at each access.
//!
//! # Contexts
//!
//! Any, NMI included.

pub(crate) use core::sync::atomic::{
    AtomicBool,
    AtomicU32,
    AtomicU64,
    AtomicUsize,
    Ordering, //
};
