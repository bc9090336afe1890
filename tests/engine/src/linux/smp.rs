// SPDX-License-Identifier: GPL-2.0

//! Runs a closure on a chosen CPU.

use super::{context::IrqsOff, topology::Cpu};
use crate::host::on;
use kernel::prelude::*;

/// Runs `function` on `cpu` with interrupts off and returns its result.
pub(crate) fn on_cpu<F, R>(cpu: Cpu, function: F) -> Result<R>
where
    F: FnOnce(&IrqsOff) -> R + Send,
    R: Send,
{
    on(cpu.number(), function).ok_or(ENXIO)
}
