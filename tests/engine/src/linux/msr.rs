// SPDX-License-Identifier: GPL-2.0

//! Model-specific registers: those of the machine's model.

use super::{context::Pinned, topology};
use crate::host::host;
use kernel::prelude::*;

#[path = "../../../../rust/linux/msr/window.rs"]
pub(crate) mod window;

/// Reads a register of this CPU.
pub(crate) fn read(here: &impl Pinned, register: u32) -> Result<u64> {
    let (host, cpu) = (host(), here.number());
    let value = host.access(cpu, |machine| machine.rdmsr(host.place(cpu), register));
    value.and_then(Result::ok).ok_or(EIO)
}

/// Writes a register of this CPU.
pub(crate) fn write(here: &impl Pinned, register: u32, value: u64) -> Result {
    let (host, cpu) = (host(), here.number());
    let processor = topology::processor();
    let model = window::intel(processor.family, processor.model);
    if !window::contains(model, register) {
        return Err(EPERM);
    }
    let written = host.access(cpu, |machine| {
        machine.wrmsr(host.place(cpu), register, value)
    });
    written.and_then(Result::ok).ok_or(EIO)
}
