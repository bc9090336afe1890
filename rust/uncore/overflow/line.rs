// SPDX-License-Identifier: GPL-2.0

//! What NMIs, interrupts, timers and users of one package share.
//!
//! NMIs touch atomics only ([`nmi`]). Everything else about the global control register goes
//! through the lock of [`Control`], so that nobody writes a core select that is no longer wanted;
//! it is taken inside all others, for one register access.

use super::{
    super::box_type::{
        GlobalMsrs,
        Platform, //
    },
    claim::Claims,
    mode::{
        Mode,
        Way,
        Why, //
    },
    stats::Stats,
    target::Before,
    throttle::Throttle,
    trial::{
        self,
        Map, //
    },
};
use crate::linux::{
    clock,
    context::IrqsOff,
    lock::{
        new_raw_spinlock,
        RawSpinLock, //
    },
    msr,
    topology::Cpu, //
};
use core::sync::atomic::{
    AtomicBool,
    AtomicU32,
    AtomicU64,
    Ordering, //
};
use kernel::prelude::*;

mod nmi;

pub(super) use self::nmi::Heard;

/// No core.
const NOBODY: u32 = u32::MAX;

/// A package's overflow interrupt.
#[pin_data]
pub(in super::super) struct Line {
    /// The kernel's number of the package.
    pub(super) package: u32,
    pub(super) global: Option<&'static GlobalMsrs>,
    /// The bits of the global status that boxes have.
    ours: u32,
    pub(super) claims: Claims,
    throttle: Throttle,
    pub(super) stats: Stats,
    /// What NMIs have found and nobody has seen to.
    pending: AtomicU32,
    /// When the first of those came; 0 if none has.
    since: AtomicU64,
    /// The core that is meant to get NMIs.
    core: AtomicU32,
    /// Overflows since the last NMI that came without one.
    missed: AtomicU32,
    /// Whether counters interrupt.
    interrupts: AtomicBool,
    /// Whether there were too many NMIs, and whether counters are not to run for that.
    storm: AtomicBool,
    held: AtomicBool,
    /// Whether the interrupt is being tried out, the cores that heard of it, and how often they
    /// did.
    trying: AtomicBool,
    heard: AtomicU64,
    answers: AtomicU32,
    #[pin]
    pub(super) control: RawSpinLock<Control>,
}

/// Who is interrupted, and why.
pub(super) struct Control {
    /// The core select, in place.
    select: u32,
    pub(super) mode: Mode,
    /// What was learnt of the core select.
    pub(super) map: Option<Map>,
    /// The CPU that takes interrupts, and what it had before.
    pub(super) target: Option<(Cpu, Before)>,
}

impl Line {
    /// A package without a CPU.
    pub(super) fn new(platform: &'static Platform, package: u32) -> impl PinInit<Self> {
        let kinds = platform.box_types.iter();
        let bits = kinds.flat_map(|kind| kind.global_status);
        let control = Control {
            select: 0,
            mode: Mode::Poll(Why::Offline),
            map: None,
            target: None,
        };
        pin_init!(Self {
            package,
            global: platform.global.as_ref(),
            ours: bits.fold(0, |all, bits| all | bits),
            claims: Claims::new(),
            throttle: Throttle::new(),
            stats: Stats::new(),
            pending: AtomicU32::new(0),
            since: AtomicU64::new(0),
            core: AtomicU32::new(NOBODY),
            missed: AtomicU32::new(0),
            interrupts: AtomicBool::new(false),
            storm: AtomicBool::new(false),
            held: AtomicBool::new(false),
            trying: AtomicBool::new(false),
            heard: AtomicU64::new(0),
            answers: AtomicU32::new(0),
            control <- new_raw_spinlock!(control, c"uncore_overflow"),
        })
    }

    /// How overflows are noticed.
    pub(in super::super) fn mode(&self) -> Mode {
        self.control.with(|_, control| control.mode)
    }

    /// Changes how overflows are noticed.
    pub(super) fn set_mode(&self, mode: Mode) {
        self.control.with(|_, control| control.mode = mode);
    }

    /// Whether counters interrupt now.
    pub(super) fn interrupts(&self) -> bool {
        self.interrupts.load(Ordering::Relaxed)
    }

    /// Notes whether counters interrupt.
    pub(super) fn set_interrupts(&self, interrupts: bool) {
        self.interrupts.store(interrupts, Ordering::Relaxed);
    }

    /// Has the counters not run, or run again, from the next release on.
    pub(super) fn set_held(&self, held: bool) {
        self.held.store(held, Ordering::Relaxed);
    }

    /// Lets the counters run again, unless they are held.
    pub(super) fn release(&self, here: &IrqsOff) {
        let since = self.since.swap(0, Ordering::Relaxed);
        if !self.held.load(Ordering::Relaxed) {
            self.command(here, |global| global.unfreeze);
        }
        if since != 0 {
            let now = clock::monotonic_ns();
            let frozen = now.saturating_sub(since);
            self.stats.longest_freeze.raise(frozen);
            if self.throttle.spend(now, frozen) {
                // There is a rest after the next one.
                self.storm.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Freezes the counters.
    pub(super) fn freeze(&self, here: &IrqsOff) {
        self.command(here, |global| global.freeze);
    }

    /// Has other cores interrupted, or none, and the counters neither freeze nor run again. Cores
    /// that sleep are woken, as what they sleep through is lost.
    pub(super) fn select(&self, here: &IrqsOff, cores: u32) {
        let wake = self.global.map_or(0, |global| global.wake);
        let select = match cores {
            0 => 0,
            cores => self.place(cores) | wake,
        };
        self.control.with(|_, control| control.select = select);
        self.command(here, |_| 0);
    }

    /// Has the core of a bit interrupted.
    pub(super) fn select_bit(&self, here: &IrqsOff, bit: u8) {
        self.select(here, trial::one(bit));
    }

    /// Bits of the core select, in place.
    fn place(&self, cores: u32) -> u32 {
        let low = self.global.map_or(0, |global| global.core_select.low);
        cores.checked_shl(low.into()).unwrap_or(0)
    }

    /// How many bits the core select has.
    pub(super) fn select_bits(&self) -> u8 {
        self.global.map_or(0, |global| {
            let bits = global.core_select;
            bits.high.saturating_sub(bits.low).saturating_add(1)
        })
    }

    /// Writes the global control register. If that is not possible, nothing is to be done: the
    /// counters behind it are gone as well.
    fn command(&self, here: &IrqsOff, bits: impl FnOnce(&GlobalMsrs) -> u32) {
        if let Some(global) = self.global {
            let bits = bits(global);
            self.control.with(|_, control| {
                let _ = msr::write(here, global.control, u64::from(bits | control.select));
            });
        }
    }
}

impl Control {
    /// The way by which a CPU can be interrupted, as far as that has been learnt.
    pub(super) fn way(&self, cpu: Cpu, bits: u8, tried: bool) -> Option<Way> {
        let bit = self.map?.bit(cpu.core(), bits)?;
        Some(Way { bit, tried })
    }
}
