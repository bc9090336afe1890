// SPDX-License-Identifier: GPL-2.0

//! Model-specific registers: those of the machine's model.

use super::{context::Pinned, topology};
use crate::host::host;
use kernel::prelude::*;
use std::ops::RangeInclusive;

#[path = "../../../../rust/linux/msr/window.rs"]
pub(crate) mod window;

/// Reads a register of this CPU.
pub(crate) fn read(here: &impl Pinned, register: u32) -> Result<u64> {
    let (host, cpu) = (host(), here.number());
    let value = host.access(cpu, |machine| machine.rdmsr(host.place(cpu), register));
    value.and_then(Result::ok).ok_or(EIO)
}

/// The model of the machine's processors.
fn model() -> u32 {
    let processor = topology::processor();
    window::intel(processor.family, processor.model)
}

/// Consecutive registers that may be written.
#[derive(Clone)]
pub(crate) struct Writable(Option<RangeInclusive<u32>>);

impl Writable {
    /// Finds the registers around this one; none if it may not be written itself.
    pub(crate) fn around(register: u32) -> Self {
        Self(window::range_of(model(), register).cloned())
    }

    /// Writes a register of this CPU, which must be in the range or in the window.
    pub(crate) fn write(&self, here: &impl Pinned, register: u32, value: u64) -> Result {
        let range = self.0.as_ref();
        if range.is_some_and(|range| range.contains(&register)) {
            assert!(window::contains(model(), register));
        }
        write(here, register, value)
    }
}

/// Writes a register of this CPU.
pub(crate) fn write(here: &impl Pinned, register: u32, value: u64) -> Result {
    let (host, cpu) = (host(), here.number());
    if !window::contains(model(), register) {
        return Err(EPERM);
    }
    let written = host.access(cpu, |machine| {
        machine.wrmsr(host.place(cpu), register, value)
    });
    written.and_then(Result::ok).ok_or(EIO)
}
