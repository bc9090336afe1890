// SPDX-License-Identifier: GPL-2.0

//! Safe wrappers around the C interfaces that the driver needs and the kernel crate lacks.
//!
//! All `unsafe` code of the module is in this directory, and all code that depends on the kernel
//! release. A port to a new release changes nothing else. Nothing here knows what an uncore is, but
//! [`msr`] knows which registers of a processor may be written.
//!
//! # Contexts
//!
//! Functions that must run with interrupts off on one CPU take an [`context::IrqsOff`]. Those that
//! may also run in an NMI take a [`context::Pinned`]. All others are for process context unless
//! their documentation says otherwise.

pub(crate) mod apic;
pub(crate) mod atomic;
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
pub(crate) mod module_file;
pub(crate) mod msr;
pub(crate) mod nmi;
pub(crate) mod param;
pub(crate) mod pci;
pub(crate) mod perf;
pub(crate) mod power;
pub(crate) mod rcu;
pub(crate) mod smp;
pub(crate) mod sysfs;
#[cfg(KUNIT_SUITES)]
mod tests;
pub(crate) mod text;
pub(crate) mod topology;
pub(crate) mod trace;
pub(crate) mod user;
pub(crate) mod work;
