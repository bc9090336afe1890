// SPDX-License-Identifier: GPL-2.0

//! Puts the modelled uncore into a stock QEMU, as a TCG plugin.
//!
//! The plugin looks at each instruction when it is translated (`decode`, `site`),
//! is called before those that may reach the uncore runs (`entry`), converts the
//! access, calls the model and applies what comes back (`adapter`). Logic of the
//! uncore found here belongs in the model.
//!
//! Also here, because it is the processor's and not the uncore's: the core's own
//! monitors (`core_pmu`), the local APIC's interrupt entry (`lvtpc`) and what gets
//! through it (`delivery`), a clock that can jump (`tsc`), what the guest's work costs
//! (`cost`), what ran of a module (`cover`), and CPUID leaves by which guest programs
//! talk to the machine (`hypercall`).
//!
//! Limits: QEMU 11.1 (plugin API 7), `-accel tcg,thread=multi` without icount,
//! 64-bit guests without KASLR, q35.

#[cfg(not(test))]
mod abi;
mod adapter;
mod apic;
mod clock;
mod command;
mod config_space;
mod core_pmu;
mod cost;
mod cover;
mod decode;
mod delivery;
#[cfg(not(test))]
mod entry;
#[cfg(test)]
mod fake;
mod guest;
mod hypercall;
mod lvtpc;
mod options;
#[cfg(not(test))]
mod qemu;
mod report;
mod site;
mod tsc;
mod uncore;
mod vcpu;
