// SPDX-License-Identifier: GPL-2.0

//! Overflow interrupt (PMI) of a package: its global control register, its mode, and the state that
//! NMIs, interrupts, timers and users share.
//!
//! NMIs use [`NmiState`] only. All writes of the global control register hold the lock of
//! [`Control`], so that no CPU writes an old core select. It is the innermost lock, held for one
//! register access.

use super::{
    nmi::NmiState,
    pmi_state::SavedPmiState,
    selftest::{
        self,
        CoreMap, //
    }, //
};
use crate::{
    linux::{
        atomic::{
            AtomicBool,
            Ordering, //
        },
        context::IrqsOff,
        lock::{
            new_raw_spinlock,
            RawSpinLock, //
        },
        msr,
        topology::Cpu, //
    },
    uncore::{
        overflow_mode::{
            Mode,
            PmiRoute,
            PollReason, //
        },
        table::box_type::{
            GlobalMsrs,
            Platform, //
        }, //
    }, //
};
use kernel::prelude::*;

/// The overflow interrupt of a package.
#[pin_data]
pub(crate) struct PackagePmi {
    /// The kernel's number of the package.
    pub(crate) package: u32,
    global: Option<&'static GlobalMsrs>,
    pub(crate) nmi: NmiState,
    /// Counters interrupt when they overflow.
    interrupts: AtomicBool,
    /// The package stays frozen at the next release.
    stay_frozen: AtomicBool,
    #[pin]
    pub(crate) control: RawSpinLock<Control>,
}

/// PMI routing of a package.
pub(crate) struct Control {
    /// Bits of the core select, at their place in the global control register.
    select: u32,
    pub(crate) mode: Mode,
    /// Cores that each bit of the core select interrupts, if known.
    pub(crate) map: Option<CoreMap>,
    /// CPU that takes PMIs, and its registers as they were before.
    pub(crate) target: Option<(Cpu, SavedPmiState)>,
}

impl PackagePmi {
    /// Creates the interrupt of a package without a CPU.
    pub(crate) fn new(platform: &'static Platform, package: u32) -> impl PinInit<Self> {
        let control = Control {
            select: 0,
            mode: Mode::Poll(PollReason::Offline),
            map: None,
            target: None,
        };
        pin_init!(Self {
            package,
            global: platform.global.as_ref(),
            nmi: NmiState::new(platform),
            interrupts: AtomicBool::new(false),
            stay_frozen: AtomicBool::new(false),
            control <- new_raw_spinlock!(control, c"uncore_overflow"),
        })
    }

    /// Returns how the driver notices overflows.
    pub(crate) fn mode(&self) -> Mode {
        self.control.with(|_, control| control.mode)
    }

    /// Sets how the driver notices overflows.
    pub(crate) fn set_mode(&self, mode: Mode) {
        self.control.with(|_, control| control.mode = mode);
    }

    /// Returns whether counters interrupt now.
    pub(crate) fn interrupts(&self) -> bool {
        self.interrupts.load(Ordering::Relaxed)
    }

    /// Notes whether counters interrupt.
    pub(crate) fn set_interrupts(&self, interrupts: bool) {
        self.interrupts.store(interrupts, Ordering::Relaxed);
    }

    /// Keeps the package frozen at the next release, or not.
    pub(crate) fn set_stay_frozen(&self, stay_frozen: bool) {
        self.stay_frozen.store(stay_frozen, Ordering::Relaxed);
    }

    /// Unfreezes the package, unless it is to stay frozen.
    pub(crate) fn release(&self, here: &IrqsOff) {
        let since = self.nmi.take_frozen_since();
        if !self.stay_frozen.load(Ordering::Relaxed) {
            self.write_control(here, |global| global.unfreeze);
        }
        if let Some(since) = since {
            self.nmi.end_freeze(since);
        }
    }

    /// Freezes the package.
    pub(crate) fn freeze(&self, here: &IrqsOff) {
        self.write_control(here, |global| global.freeze);
    }

    /// Routes PMIs to the cores of these bits of the core select, or to none, without freezing or
    /// unfreezing the package. Selected cores that sleep are woken: they would lose the PMI.
    pub(crate) fn select_cores(&self, here: &IrqsOff, bits: u32) {
        let wake = self.global.map_or(0, |global| global.wake);
        let select = match bits {
            0 => 0,
            bits => self.core_select(bits) | wake,
        };
        self.control.with(|_, control| control.select = select);
        self.write_control(here, |_| 0);
    }

    /// Routes PMIs to the core of one bit of the core select.
    pub(crate) fn select_bit(&self, here: &IrqsOff, bit: u8) {
        self.select_cores(here, selftest::bit_mask(bit));
    }

    /// Bits of the core select, at their place in the global control register.
    fn core_select(&self, bits: u32) -> u32 {
        let low = self.global.map_or(0, |global| global.core_select.low);
        bits.checked_shl(low.into()).unwrap_or(0)
    }

    /// Number of bits of the core select.
    pub(crate) fn select_bits(&self) -> u8 {
        self.global.map_or(0, |global| {
            let bits = global.core_select;
            bits.high.saturating_sub(bits.low).saturating_add(1)
        })
    }

    /// Writes the global control register. A failure needs no handling: the counters that the
    /// register controls cannot be accessed either.
    fn write_control(&self, here: &IrqsOff, bits: impl FnOnce(&GlobalMsrs) -> u32) {
        if let Some(global) = self.global {
            let bits = bits(global);
            self.control.with(|_, control| {
                let _ = msr::write(here, global.control, u64::from(bits | control.select));
            });
        }
    }
}

impl Control {
    /// Returns the route of PMIs to a CPU, if a bit, of so many `bits`, is known to interrupt it.
    pub(crate) fn route(&self, cpu: Cpu, bits: u8, tested: bool) -> Option<PmiRoute> {
        let bit = self.map?.bit_for(cpu.core(), bits)?;
        Some(PmiRoute { bit, tested })
    }
}
