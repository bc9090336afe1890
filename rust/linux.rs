// SPDX-License-Identifier: GPL-2.0

//! What the kernel crate lacks: safe wrappers around the C interfaces this driver needs.
//!
//! All `unsafe` of the module is below this directory, and whatever differs between kernel
//! releases. A port to a new release touches nothing else. Nothing here knows what an uncore is.
//!
//! # Contexts
//!
//! Functions that must run with interrupts off on one CPU take an [`context::IrqsOff`], those that
//! may also run in an NMI a [`context::Pinned`]. All others are for process context unless their
//! documentation says otherwise.

pub(crate) mod apic;
mod bindings;
pub(crate) mod clock;
pub(crate) mod context;
pub(crate) mod cpuhp;
pub(crate) mod debugctl;
pub(crate) mod debugfs;
pub(crate) mod errno;
pub(crate) mod hrtimer;
pub(crate) mod init;
pub(crate) mod irq_work;
mod layout;
pub(crate) mod lock;
pub(crate) mod msr;
pub(crate) mod nmi;
pub(crate) mod param;
pub(crate) mod pci;
pub(crate) mod perf;
pub(crate) mod smp;
pub(crate) mod sysfs;
#[cfg(KUNIT_SUITES)]
mod tests;
pub(crate) mod topology;
pub(crate) mod trace;
pub(crate) mod work;
