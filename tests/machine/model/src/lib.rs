// SPDX-License-Identifier: GPL-2.0

//! The uncore performance monitors of an Ivy Bridge-EP/EX machine, of a Broadwell-EP/EX
//! one, or of another platform, as a pure model.
//!
//! Written from Documentation/hardware/ivbep.rst ("the spec"), the other pages there alone; it
//! shares nothing with the driver, so that each checks the other. Plain state: no
//! clock, no threads, no emulator, no input or output.
//!
//! Modelled: every register of UBox, C-Box, S-Box, iMC, HA, IRP, PCU, QPI, R2PCIe, R3QPI and ARB
//! monitoring with its access type, freeze, overflow, messages and PMIs, the discovery functions,
//! and the traffic that `Documentation/development/traffic.rst` defines with its filters, and the
//! residency MSRs of the cores, and the counters of a memory controller in memory. Not modelled:
//! anything else of these PCI functions.
//!
//! Time enters by [`Machine::burst`] and [`Machine::burst_through`] (traffic on
//! demand, an axis of its own each time) and [`Machine::advance`] (the endless axis
//! of the free-running mode). [`Machine::lose_power`] is a sleep without power. Registers
//! are reached by [`Machine::rdmsr`],
//! [`Machine::wrmsr`], [`Machine::config_read`], [`Machine::config_write`],
//! [`Machine::memory_read`] and [`Machine::memory_write`].
//! Tests control the machine by [`Machine::command`].
//!
//! Map of the files: `platform.rs` lists what a platform has, `boxes/` describes the box types,
//! `pmon.rs` and `register.rs` are the engine behind them. `traffic.rs`, `transaction.rs` and
//! `filter.rs` define the counts, `count.rs` returns them without a machine; `time.rs`,
//! `counting.rs` and `overflow.rs` define the effects of time; `readings.rs` the points that the
//! sources leave open, `interrupts.rs` and `step.rs` the order of interrupts and of the software's
//! steps; `sleep.rs` the loss of power; `defect.rs` the defects that tests plant.

#![expect(
    clippy::doc_markdown,
    reason = "names of the manual are words of the text"
)]

mod bits;
mod boxes;
mod catalogue;
mod clock;
mod command;
mod control;
mod core_map;
mod count;
mod counting;
mod defect;
mod faults;
mod filter;
mod flow;
mod global;
mod host_bridge;
mod interrupts;
mod layout;
mod log;
mod machine;
mod memory_counters;
mod message;
mod options;
mod overflow;
mod package;
mod pci;
mod platform;
mod pmon;
mod program;
mod readings;
mod register;
mod residency;
mod shapes;
mod share;
mod sleep;
mod span;
mod state;
mod step;
mod time;
mod topology;
mod traffic;
mod transaction;
mod violation;
mod words;

use std::fmt;

pub use core_map::CoreMap;
pub use count::{count, count_of_flows};
pub use interrupts::{Gate, Processors};
pub use machine::Machine;
pub use options::TopologyError;
pub use platform::Platform;
pub use readings::{rows_of, Readings, Row, TABLE};
pub use shapes::RealShape;
pub use topology::{Buses, PackageShape, Part, Topology};
pub use transaction::{DESTINATIONS, LINES, OPCODES, REASONS};
pub use violation::{Rule, Violation};
pub use words::CommandError;

/// The processor that executes an MSR access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cpu {
    /// Physical package number.
    pub package: u8,
    /// Core slot within the package.
    pub core: u8,
    /// Thread of the core.
    pub thread: u8,
}

/// A PCI function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Function {
    /// Bus number.
    pub bus: u8,
    /// Device number, 0 to 31.
    pub device: u8,
    /// Function number, 0 to 7.
    pub function: u8,
}

impl Function {
    /// `7f:10.4`, all hexadecimal.
    fn parse(word: &str) -> Option<Self> {
        let (bus, rest) = word.split_once(':')?;
        let (device, function) = rest.split_once('.')?;
        let number = |text, most| {
            let value = u8::from_str_radix(text, 16).ok()?;
            (value <= most).then_some(value)
        };
        Some(Self {
            bus: number(bus, 0xff)?,
            device: number(device, 0x1f)?,
            function: number(function, 7)?,
        })
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02x}:{:02x}.{}", self.bus, self.device, self.function)
    }
}

/// A general protection fault, raised by an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GeneralProtection;

/// A performance monitoring interrupt for some cores of a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pmi {
    /// Physical package number.
    pub package: u8,
    /// Bit k: core slot k.
    pub cores: u32,
    /// Sleeping cores of the mask are woken first.
    pub wake: bool,
    /// Only the first thread of a core gets it.
    pub first_thread: bool,
}

/// The effect of a [`Pmi`] on a processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The PMI is not for this processor.
    Passes,
    /// The PMI is for this processor, but its core sleeps and is not woken.
    Sleeps,
    /// The processor gets it.
    Arrives,
}
