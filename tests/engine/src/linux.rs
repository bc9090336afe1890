// SPDX-License-Identifier: GPL-2.0

//! Stand-ins of the wrappers in `rust/linux`, with the same names and signatures, over
//! [`host`](crate::host).

pub(crate) mod apic;
pub(crate) mod atomic;
pub(crate) mod clock;
pub(crate) mod context;
pub(crate) mod cpuhp;
pub(crate) mod debugctl;
pub(crate) mod debugfs;
pub(crate) mod errno;
pub(crate) mod hrtimer;
pub(crate) mod init;
pub(crate) mod irq_work;
pub(crate) mod lock;
pub(crate) mod module_file;
pub(crate) mod msr;
pub(crate) mod nmi;
pub(crate) mod param;
pub(crate) mod pci;
pub(crate) mod perf;
pub(crate) mod power;
pub(crate) mod rcu;
mod shared;
pub(crate) mod smp;
pub(crate) mod sysfs;
#[path = "../../../rust/linux/text.rs"]
pub(crate) mod text;
pub(crate) mod topology;
pub(crate) mod trace;
pub(crate) mod user;
pub(crate) mod work;
