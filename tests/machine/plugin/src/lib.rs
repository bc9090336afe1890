// SPDX-License-Identifier: GPL-2.0

//! Puts the modelled uncore into a stock QEMU, as a TCG plugin.
//!
//! The plugin looks at each instruction when it is translated (`decode`, `site`).
//! It is called before an instruction that may access the uncore runs (`entry`),
//! converts the access, calls the model and applies the answer (`adapter`). Logic
//! of the uncore found here belongs in the model.
//!
//! Also here, because these are parts of the processor or the chipset and not of the uncore: sleep
//! and the sources of external NMIs (`chipset`), the core's own monitors (`core_pmu`), the local
//! APIC's interrupt entry (`lvtpc`), the delivery of interrupts (`delivery`), a clock that
//! can jump (`tsc`), the cost of the guest's work (`cost`, `section`), and CPUID leaves for commands
//! of guest programs (`hypercall`). `internals` reaches functions of QEMU that the plugin API lacks.
//!
//! Limits: QEMU 11.1 (plugin API 7), `-accel tcg,thread=multi` without icount, 64-bit
//! guests without KASLR, q35.

#[cfg(not(test))]
mod abi;
mod adapter;
mod apic;
mod chipset;
mod clock;
mod command;
mod config_space;
mod core_pmu;
mod cost;
mod decode;
mod delivery;
#[cfg(not(test))]
mod entry;
#[cfg(test)]
mod fake;
mod guest;
mod hypercall;
#[cfg(not(test))]
mod internals;
mod lvtpc;
mod options;
#[cfg(not(test))]
mod qemu;
mod report;
mod section;
mod site;
mod tsc;
mod uncore;
mod vcpu;
