// SPDX-License-Identifier: GPL-2.0

//! Stand-ins of the wrappers in `rust/linux` that the driver's tables and discovery use, with the same
//! names and signatures, over a [`Host`](crate::host::Host).

pub(crate) mod context;
pub(crate) mod msr;
pub(crate) mod pci;
pub(crate) mod topology;

pub(crate) mod clock {
    //! Time. The probe of the driver does not run here, and nothing else asks for it.

    pub(crate) fn tick_ms() -> u64 {
        0
    }

    pub(crate) fn monotonic_ns() -> u64 {
        0
    }
}

pub(crate) mod perf {
    //! Words of an event.

    /// The words of `perf_event_attr` that describe an event.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) struct ConfigWords {
        pub(crate) config: u64,
        pub(crate) config1: u64,
        pub(crate) config2: u64,
        pub(crate) config3: u64,
        pub(crate) config4: u64,
    }
}

pub(crate) mod smp {
    //! Runs a closure for a chosen CPU.

    use super::{context::IrqsOff, topology::Cpu};
    use kernel::prelude::*;

    /// Calls `function`. The MSRs that it accesses are those of the CPU.
    pub(crate) fn on_cpu<R>(cpu: Cpu, function: impl FnOnce(&IrqsOff) -> R) -> Result<R> {
        Ok(function(&IrqsOff::on(cpu)))
    }
}
