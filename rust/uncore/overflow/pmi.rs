// SPDX-License-Identifier: GPL-2.0

//! Overflow interrupt (PMI) of a package: its global control register, its mode, the registers of the
//! CPU that takes it (LVTPC, IA32_DEBUGCTL), and the state that NMIs, interrupts, timers and users
//! share.
//!
//! A CPU takes the PMI of an uncore counter if the core select of its package has its bit, if its
//! LVTPC is an unmasked NMI, and if its IA32_DEBUGCTL lets PMIs of the uncore through. The last two
//! have other owners: the kernel's driver of the core PMU also sets LVTPC to an unmasked NMI. So only
//! what this driver has changed is restored. A CPU that goes offline loses its LVTPC.
//!
//! NMIs use [`NmiState`] only. All writes of the global control register hold the lock of
//! [`PmiControl`], so that no CPU writes an old core select. It is the innermost lock, held for one
//! register access.

use super::{
    nmi::NmiState,
    selftest::CoreMap, //
};
use crate::{
    linux::{
        apic::Lvtpc,
        context::IrqsOff,
        debugctl,
        lock::{
            new_raw_spinlock,
            RawSpinLock, //
        },
        msr,
        smp,
        topology::Cpu, //
    },
    uncore::{
        overflow_mode::{
            Mode,
            PmiRoute,
            PollReason, //
        },
        table::{
            box_type::{
                GlobalMsrs,
                Interrupt,
                Platform,
                Run, //
            },
            field::{
                index_bit,
                low_half, //
            }, //
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
    interrupt: Option<&'static Interrupt>,
    pub(crate) nmi: NmiState,
    #[pin]
    control: RawSpinLock<PmiControl>,
}

/// PMI routing of a package.
struct PmiControl {
    /// Bits of the core select, at their place in the global control register.
    select: u32,
    /// Why no counter may interrupt; `None` if counters may.
    obstacle: Option<PollReason>,
    /// Cores that each bit of the core select interrupts, if known.
    routing: Option<Routing>,
    target: Option<Target>,
    /// The level as it was before the driver set it; `None` while the driver has not.
    level_before: Option<u32>,
    /// Bits of the level that read 1 after the driver has set them first.
    level_read: u32,
}

/// Cores that the bits of the core select interrupt.
#[derive(Clone, Copy)]
pub(crate) struct Routing {
    pub(crate) map: CoreMap,
    /// The self-test has found it out; otherwise it is assumed.
    pub(crate) tested: bool,
}

/// CPU that takes PMIs.
#[derive(Clone, Copy)]
struct Target {
    cpu: Cpu,
    route: PmiRoute,
    /// Its registers as they were before.
    saved: SavedPmiState,
}

impl PackagePmi {
    /// Creates the interrupt of a package without a CPU. It may freeze the package for
    /// `frozen_limit` percent of any second.
    pub(crate) fn new(
        platform: &'static Platform,
        package: u32,
        frozen_limit: u8,
    ) -> impl PinInit<Self> {
        let control = PmiControl {
            select: 0,
            obstacle: Some(PollReason::Offline),
            routing: None,
            target: None,
            level_before: None,
            level_read: 0,
        };
        pin_init!(Self {
            package,
            global: platform.global.as_ref(),
            interrupt: platform.interrupt(),
            nmi: NmiState::new(platform, frozen_limit),
            control <- new_raw_spinlock!(control, c"uncore_overflow"),
        })
    }

    /// Returns how the driver notices overflows.
    pub(crate) fn mode(&self) -> Mode {
        self.control.with(|_, control| match control.target {
            Some(Target { cpu, route, .. }) if control.select != 0 => Mode::Interrupt(cpu, route),
            _ => Mode::Poll(control.obstacle.unwrap_or(PollReason::Unneeded)),
        })
    }

    /// Returns why no counter may interrupt; `None` if counters may.
    pub(crate) fn obstacle(&self) -> Option<PollReason> {
        self.control.with(|_, control| control.obstacle)
    }

    /// Sets why no counter may interrupt.
    pub(crate) fn set_obstacle(&self, obstacle: Option<PollReason>) {
        self.control.with(|_, control| control.obstacle = obstacle);
    }

    /// Returns whether it is known which cores the bits of the core select interrupt.
    pub(crate) fn has_routing(&self) -> bool {
        self.control.with(|_, control| control.routing.is_some())
    }

    /// Sets which cores the bits of the core select interrupt.
    pub(crate) fn set_routing(&self, routing: Routing) {
        self.control
            .with(|_, control| control.routing = Some(routing));
    }

    /// Routes PMIs to the CPU that takes them. Without one that is online, this CPU takes them.
    /// Returns the reason if no bit of the core select stands for it.
    pub(crate) fn arm(&self, here: &IrqsOff) -> Result<(), PollReason> {
        let (target, select) = self
            .control
            .with(|_, control| (control.target, control.select));
        let route = match target.filter(|target| target.cpu.is_online()) {
            Some(_) if select != 0 => return Ok(()),
            Some(target) => target.route,
            None => self.take_pmis(here)?,
        };
        self.select_cores(here, index_bit(route.bit));
        Ok(())
    }

    /// Makes this CPU the one that takes PMIs. Returns the route of PMIs to it.
    fn take_pmis(&self, here: &IrqsOff) -> Result<PmiRoute, PollReason> {
        let (cpu, bits) = (here.cpu(), self.select_bits());
        let route = self.control.with(|_, control| control.route(cpu, bits));
        let route = route.ok_or(PollReason::NoBit)?;
        self.nmi.set_target(Some(cpu.core()));
        let saved = SavedPmiState::enable(here);
        let target = Target { cpu, route, saved };
        self.control
            .with(|_, control| control.target = Some(target));
        Ok(route)
    }

    /// Returns the CPU that takes PMIs, or took them lately.
    pub(crate) fn target(&self) -> Option<Cpu> {
        self.control
            .with(|_, control| control.target.map(|target| target.cpu))
    }

    /// Restores LVTPC and IA32_DEBUGCTL of this CPU, if it takes PMIs. No counter interrupts any
    /// more, and none has done so for a while: an NMI that comes later is foreign.
    pub(crate) fn disarm(&self, here: &IrqsOff) {
        self.select_cores(here, 0);
        let is_here = |target: &mut Target| target.cpu == here.cpu();
        let target = self
            .control
            .with(|_, control| control.target.take_if(is_here));
        if let Some(target) = target {
            target.saved.restore(here);
            self.nmi.set_target(None);
        }
    }

    /// Forgets the CPU that took PMIs, as it has gone offline.
    pub(crate) fn forget_target(&self) {
        self.control.with(|_, control| control.target = None);
        self.nmi.set_target(None);
    }

    /// Unfreezes the package, and accounts the time for which it was frozen.
    pub(crate) fn release(&self, here: &IrqsOff) {
        let since = self.nmi.take_frozen_since();
        self.write_control(here, true);
        if let Some(since) = since {
            self.nmi.end_freeze(since);
        }
    }

    /// Routes PMIs to the cores of these bits of the core select, or to none, without freezing or
    /// unfreezing the package. Selected cores that sleep are woken: they would lose the PMI.
    pub(crate) fn select_cores(&self, here: &IrqsOff, bits: u32) {
        let wake = self.interrupt.map_or(0, |interrupt| interrupt.wake);
        let select = match bits {
            0 => 0,
            bits => self.core_select(bits) | wake,
        };
        self.control.with(|_, control| control.select = select);
        self.write_control(here, false);
    }

    /// Bits of the core select, at their place in the global control register.
    fn core_select(&self, bits: u32) -> u32 {
        let low = self
            .interrupt
            .map_or(0, |interrupt| interrupt.core_select.low);
        bits.checked_shl(low.into()).unwrap_or(0)
    }

    /// Number of bits of the core select.
    pub(crate) fn select_bits(&self) -> u8 {
        self.interrupt.map_or(0, |interrupt| {
            let bits = interrupt.core_select;
            bits.high.saturating_sub(bits.low).saturating_add(1)
        })
    }

    /// Returns the global registers and the bits of the level that lets the counters run, if one
    /// does.
    fn level(&self) -> Option<(&'static GlobalMsrs, u32)> {
        match self.global?.run {
            Run::Level(bits) => Some((self.global?, bits)),
            Run::Command(_) => None,
        }
    }

    /// Returns whether a level lets the counters run.
    pub(crate) fn has_level(&self) -> bool {
        self.level().is_some()
    }

    /// Lets the counters of the package run, where a level decides that: sets the level for the first
    /// event. Only bits count that read 1 after the driver has set them first: `learn` is called with
    /// these. Returns whether one of them was lost since. On a CPU of the package.
    pub(crate) fn keep_level(&self, here: &IrqsOff, learn: impl FnOnce(u32)) -> bool {
        let Some((global, bits)) = self.level() else {
            return false;
        };
        let now = msr::read(here, global.control).map(low_half);
        let (is_first, expected) = self.control.with(|_, control| {
            let is_first = control.level_before.is_none();
            control.level_before.get_or_insert(now.unwrap_or(0) & bits);
            (is_first, control.level_read)
        });
        if is_first {
            self.write_control(here, true);
            let read = msr::read(here, global.control).map_or(0, low_half) & bits;
            self.control.with(|_, control| control.level_read = read);
            learn(read);
            return false;
        }
        // An overflow that freezes the package clears the level, too. Its interrupt ends that.
        now.is_ok_and(|now| expected & !now != 0)
            && self.nmi.frozen_since().is_none()
            && !self.nmi.has_overflowed(here)
    }

    /// Sets the level again, if the driver has set it before: the package has lost its registers.
    pub(crate) fn renew_level(&self, here: &IrqsOff) {
        let is_set = self
            .control
            .with(|_, control| control.level_before.is_some());
        if is_set {
            self.write_control(here, true);
        }
    }

    /// Sets the level to what it was before the driver set it. No counter of the driver runs.
    pub(crate) fn restore_level(&self, here: &IrqsOff) {
        let Some((global, _)) = self.level() else {
            return;
        };
        self.control.with(|_, control| {
            if let Some(before) = control.level_before.take() {
                write_global(here, global, before | control.select);
            }
        });
    }

    /// Writes the core select, and lets the counters of the package run or leaves them as they are.
    fn write_control(&self, here: &IrqsOff, run: bool) {
        if let Some(global) = self.global {
            self.control.with(|_, control| {
                let now = || low_half(msr::read(here, global.control).unwrap_or(0));
                write_global(here, global, global.run.bits(run, now) | control.select);
            });
        }
    }
}

/// Writes the global control register. A failure needs no handling: the counters that the register
/// controls cannot be accessed either.
fn write_global(here: &IrqsOff, global: &GlobalMsrs, value: u32) {
    let _ = msr::write(here, global.control, u64::from(value));
}

impl PmiControl {
    /// Returns the route of PMIs to a CPU, if one of this number of `bits` is known to interrupt it.
    fn route(&self, cpu: Cpu, bits: u8) -> Option<PmiRoute> {
        let Routing { map, tested } = self.routing?;
        let bit = map.bit_for(cpu.core(), bits)?;
        Some(PmiRoute { bit, tested })
    }
}

/// Registers of a CPU as they were before PMIs were enabled.
#[derive(Clone, Copy)]
struct SavedPmiState {
    /// LVTPC, if it was not an NMI.
    lvtpc: Option<Lvtpc>,
    /// The bit of IA32_DEBUGCTL, if the processor has it.
    debugctl: Option<bool>,
}

impl SavedPmiState {
    /// Enables PMIs on this CPU, and returns the registers as they were.
    fn enable(here: &IrqsOff) -> Self {
        let lvtpc = Lvtpc::read(here);
        if lvtpc != Lvtpc::NMI {
            Lvtpc::NMI.write(here);
        }
        Self {
            // An NMI entry is masked only until its last PMI is acknowledged, so masking is not
            // state to restore.
            lvtpc: (!lvtpc.is_nmi()).then_some(lvtpc),
            // A processor without the bit may not need it: the self-test shows.
            debugctl: debugctl::enable_uncore_pmi(here).ok(),
        }
    }

    /// Restores the registers of this CPU.
    fn restore(self, here: &IrqsOff) {
        if let Some(debugctl) = self.debugctl {
            // The register could be read and written before.
            let _ = debugctl::restore_uncore_pmi(here, debugctl);
        }
        if let Some(lvtpc) = self.lvtpc {
            lvtpc.write(here);
        }
    }
}

/// PMIs that are enabled on a CPU. Dropping it restores the registers of the CPU, in process context.
pub(super) struct EnabledPmi {
    cpu: Cpu,
    saved: SavedPmiState,
}

impl EnabledPmi {
    /// Enables PMIs on a CPU. In process context.
    pub(super) fn on(cpu: Cpu) -> Result<Self, PollReason> {
        match smp::on_cpu(cpu, SavedPmiState::enable) {
            Ok(saved) => Ok(Self { cpu, saved }),
            Err(_) => Err(PollReason::Unreachable),
        }
    }
}

impl Drop for EnabledPmi {
    fn drop(&mut self) {
        let saved = self.saved;
        // A CPU that is offline already has lost these registers.
        let _ = smp::on_cpu(self.cpu, move |here| saved.restore(here));
    }
}
