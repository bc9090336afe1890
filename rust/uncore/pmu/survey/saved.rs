// SPDX-License-Identifier: GPL-2.0

//! Values of the registers from before the survey wrote them.
//!
//! Before a box is written for the first time, the values of all its registers are kept that the
//! driver writes. When the survey ends, the boxes are reset in the reverse order and get these values.
//! The counters were stopped before, as no event was open.

use super::register::{
    kept,
    At,
    GlobalRegister,
    Register, //
};
use crate::{
    linux::smp,
    uncore::{
        counter_box::{
            bus::{
                write_control,
                BoxAccess, //
            },
            probe,
            uncore_box::UncoreBox, //
        },
        machine::{
            package::Package,
            Machine, //
        },
        table::{
            box_type::{
                BoxType,
                Platform, //
            },
            field::low_half, //
        }, //
    }, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// The values of all boxes and packages that were written, oldest first.
#[derive(Default)]
pub(super) struct Saved {
    boxes: KVec<SavedBox>,
    /// Numbers of packages, and the values of their global control.
    globals: KVec<(u32, u64)>,
}

/// The values of a box.
struct SavedBox {
    package: u32,
    uncore_box: Arc<UncoreBox>,
    values: KVec<(At, u64)>,
    /// Registers that are cleared by writing 1, and that a reset leaves.
    cleared: KVec<At>,
}

impl Saved {
    /// Keeps the values of a box, a register of which is about to be written.
    ///
    /// # Errors
    ///
    /// [`ENOMEM`], [`ENODEV`] without a CPU of the package.
    pub(super) fn keep_box(
        &mut self,
        package: &Package,
        uncore_box: &Arc<UncoreBox>,
        register: Register,
    ) -> Result {
        let is_same = |kept: &SavedBox| Arc::ptr_eq(&kept.uncore_box, uncore_box);
        let index = match self.boxes.iter().position(is_same) {
            Some(index) => index,
            None => {
                let kept = SavedBox::new(package, uncore_box)?;
                self.boxes.push(kept, GFP_KERNEL)?;
                self.boxes.len().saturating_sub(1)
            }
        };
        match self.boxes.get_mut(index) {
            Some(kept) if register.clears && !kept.cleared.contains(&register.at) => {
                Ok(kept.cleared.push(register.at, GFP_KERNEL)?)
            }
            _ => Ok(()),
        }
    }

    /// Keeps the global control of a package, a register of which is about to be written.
    ///
    /// # Errors
    ///
    /// [`ENOMEM`], [`ENODEV`] without a CPU of the package, those of the access.
    pub(super) fn keep_global(&mut self, platform: &Platform, package: &Package) -> Result {
        let number = package.number;
        if self.globals.iter().any(|&(kept, _)| kept == number) {
            return Ok(());
        }
        let cpu = package.designated().ok_or(ENODEV)?;
        let Some(control) = GlobalRegister::control(platform) else {
            return Ok(());
        };
        let before = smp::on_cpu(cpu, |here| control.read(here))??;
        Ok(self.globals.push((number, before), GFP_KERNEL)?)
    }

    /// Restores all boxes, the last one first, then the global registers.
    pub(super) fn restore(&self, machine: &Machine) {
        for kept in self.boxes.iter().rev() {
            let package = machine.package(kept.package);
            if let Some(cpu) = package.and_then(Package::designated) {
                let _ = smp::on_cpu(cpu, |_| kept.restore());
            }
        }
        for &(number, before) in self.globals.iter().rev() {
            if let Some(package) = machine.package(number) {
                restore_global(machine, package, before);
            }
        }
    }
}

/// Restores the global registers of a package.
fn restore_global(machine: &Machine, package: &Package, before: u64) {
    let platform = machine.platform;
    let (Some(cpu), Some(control)) = (package.designated(), GlobalRegister::control(platform))
    else {
        return;
    };
    let status = GlobalRegister::status(platform);
    let _ = smp::on_cpu(cpu, |here| -> Result {
        if let Some(status) = status {
            // Bits are cleared by writing 1.
            status.write(here, status.read(here)? & status.bits)?;
        }
        control.write(here, before | control.command)
    });
}

impl SavedBox {
    /// Reads the values of a box.
    fn new(package: &Package, uncore_box: &Arc<UncoreBox>) -> Result<Self> {
        let cpu = package.designated().ok_or(ENODEV)?;
        let mut values = kept(uncore_box.kind(), uncore_box.filters().is_usable())?;
        smp::on_cpu(cpu, |_| {
            uncore_box.with(|_, bus| -> Result {
                for (at, value) in &mut values {
                    *value = at.read(bus)?;
                }
                Ok(())
            })
        })??;
        Ok(Self {
            package: package.number,
            uncore_box: uncore_box.clone(),
            values,
            cleared: KVec::new(),
        })
    }

    /// Resets the box and writes the values. On a CPU of the package.
    fn restore(&self) {
        self.uncore_box.with(|counters, bus| {
            let kind = counters.kind();
            for at in &self.cleared {
                let _ = at.read(bus).and_then(|bits| at.write(bus, bits));
            }
            if self.has_filters() {
                let _ = probe::clear_filters(bus, kind);
            }
            let _ = probe::reset(bus, kind);
            for &(at, value) in &self.values {
                if value != 0 {
                    let _ = restore_register(kind, bus, at, value);
                }
            }
        });
    }

    fn has_filters(&self) -> bool {
        let mut values = self.values.iter();
        values.any(|(at, _)| matches!(at, At::Filter(_)))
    }
}

/// Writes the value of a register from before. It is 0 now.
fn restore_register(kind: &BoxType, bus: &BoxAccess<'_>, at: At, value: u64) -> Result {
    match at {
        At::Word(offset) => write_control(bus, &kind.control, offset, low_half(value)),
        At::Counter(_, bits) => {
            let misread = kind.misread;
            let value = misread.map_or(value, |misread| misread.writable(value));
            at.write(bus, value & bits)
        }
        At::Filter(_) => at.write(bus, value),
    }
}
