// SPDX-License-Identifier: GPL-2.0

//! The adapter's state of each virtual processor.
//!
//! An answered instruction still runs in the emulator, which gets it wrong (an
//! unknown MSR reads 0, an absent function all-ones); the right result is put
//! into the registers before the next instruction. That keeps the flags exact,
//! which jumping over the instruction would not.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use uncore_machine::Cpu;

use crate::apic::{self, Layout};
use crate::core_pmu::CorePmu;
use crate::cost::{self, Cost, Instructions};
use crate::delivery::Tally;
use crate::guest::{Guest, Register};
use crate::lvtpc::Lvtpc;
use crate::section::{Event, Sections};

/// Registers an instruction changes, at most four.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Changes([Option<(Register, u64)>; 4]);

impl Changes {
    pub(crate) fn one(register: Register, value: u64) -> Self {
        Self([Some((register, value)), None, None, None])
    }

    /// A 64-bit value in EDX:EAX; the upper halves are cleared.
    pub(crate) fn edx_eax(value: u64) -> Self {
        Self([
            Some((Register::Rax, value & 0xffff_ffff)),
            Some((Register::Rdx, value >> 32)),
            None,
            None,
        ])
    }

    /// EDX:EAX and a third register, RCX.
    pub(crate) fn edx_eax_ecx(value: u64, rcx: u64) -> Self {
        let Self([rax, rdx, _, _]) = Self::edx_eax(value);
        Self([rax, rdx, Some((Register::Rcx, rcx)), None])
    }

    /// CPUID's four registers.
    pub(crate) fn cpuid([rax, rbx, rcx, rdx]: [u64; 4]) -> Self {
        Self([
            Some((Register::Rax, rax)),
            Some((Register::Rbx, rbx)),
            Some((Register::Rcx, rcx)),
            Some((Register::Rdx, rdx)),
        ])
    }

    /// Returns these changes, with `register` in place of the last one.
    pub(crate) fn and(mut self, register: Register, value: u64) -> Self {
        self.0[3] = Some((register, value));
        self
    }

    pub(crate) fn apply(self, guest: &mut impl Guest) {
        for (register, value) in self.0.into_iter().flatten() {
            guest.set_register(register, value);
        }
    }
}

/// The place of a vCPU.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Identity {
    pub(crate) apic_id: u8,
    pub(crate) cpu: Cpu,
}

/// State that only callbacks of this vCPU use.
#[derive(Default)]
struct Local {
    core_pmu: CorePmu,
    /// The result of the instruction that is running.
    result: Option<Changes>,
    /// A register that holds something else while the instruction runs.
    displaced: Option<(Register, u64)>,
    sections: Sections,
}

/// One PMI or none that waits for something; more of them merge.
#[derive(Default)]
pub(crate) struct Waiting(AtomicBool);

impl Waiting {
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Takes it, if there is one.
    pub(crate) fn take(&self) -> bool {
        self.0.swap(false, Ordering::SeqCst)
    }
}

/// A virtual processor.
#[derive(Default)]
pub(crate) struct Vcpu {
    identity: OnceLock<Identity>,
    pub(crate) lvtpc: Lvtpc,
    pub(crate) tally: Tally,
    pub(crate) accesses: cost::AccessCounts,
    /// The timer's entry of its APIC, 0 until it is written.
    lvt_timer: AtomicU32,
    /// The value that RDTSCP returns for it.
    pub(crate) tsc_aux: AtomicU64,
    halted: AtomicBool,
    /// A PMI that came while LVTPC was masked (U-45:b).
    pub(crate) waits_for_unmask: Waiting,
    /// A PMI that came while the core was asleep (U-45:c).
    pub(crate) waits_for_wake: Waiting,
    x2apic: AtomicBool,
    local: Mutex<Local>,
}

impl Vcpu {
    /// Returns the processor's identity. The first call must come before the guest
    /// leaves xAPIC mode, and from this vCPU; firmware's own CPUID and WRMSR do
    /// both.
    pub(crate) fn identify(&self, guest: &impl Guest, layout: Layout) -> Identity {
        *self.identity.get_or_init(|| {
            let id = guest.read_physical(apic::ID).unwrap_or(0).to_be_bytes()[0];
            Identity {
                apic_id: id,
                cpu: layout.cpu(id),
            }
        })
    }

    /// Returns the processor's identity, if it has executed anything yet.
    pub(crate) fn identity(&self) -> Option<Identity> {
        self.identity.get().copied()
    }

    /// Tells if the processor waits for an interrupt.
    pub(crate) fn is_halted(&self) -> bool {
        self.halted.load(Ordering::SeqCst)
    }

    pub(crate) fn set_halted(&self, halted: bool) {
        self.halted.store(halted, Ordering::SeqCst);
    }

    pub(crate) fn in_x2apic_mode(&self) -> bool {
        self.x2apic.load(Ordering::SeqCst)
    }

    /// The guest writes `IA32_APIC_BASE`.
    pub(crate) fn set_apic_base(&self, value: u64) {
        let x2apic = value & apic::X2APIC_ENABLED == apic::X2APIC_ENABLED;
        self.x2apic.store(x2apic, Ordering::SeqCst);
    }

    /// The processor starts anew: its interrupt entry for PMIs is as after INIT.
    pub(crate) fn start_anew(&self) {
        self.lvtpc.reset();
        self.waits_for_unmask.take();
        self.waits_for_wake.take();
    }

    /// The processor loses its power: its registers have their reset values afterwards.
    pub(crate) fn lose_power(&self) {
        self.start_anew();
        self.set_lvt_timer(0);
        self.set_apic_base(0);
        self.tsc_aux.store(0, Ordering::SeqCst);
        self.with_core_pmu(|pmu| *pmu = CorePmu::default());
    }

    /// Returns the cost of all that it has done, with its instructions.
    pub(crate) fn cost(&self, instructions: Instructions) -> Cost {
        Cost::new(instructions, self.accesses.counts())
    }

    /// Takes an event of the interrupt flag, and returns the section that ends there.
    pub(crate) fn flag(&self, event: Event, instructions: Instructions) -> Option<Cost> {
        let now = self.cost(instructions);
        self.local().sections.take(event, now)
    }

    /// Calls a function with the core's own monitors.
    pub(crate) fn with_core_pmu<T>(&self, f: impl FnOnce(&mut CorePmu) -> T) -> T {
        f(&mut self.local().core_pmu)
    }

    /// The guest writes the timer's entry of its APIC.
    pub(crate) fn set_lvt_timer(&self, value: u32) {
        self.lvt_timer.store(value, Ordering::SeqCst);
    }

    /// The vector of its timer, if that may interrupt.
    pub(crate) fn timer_vector(&self) -> Option<u32> {
        const MASKED: u32 = 1 << 16;
        const VECTOR: u32 = 0xff;
        let entry = self.lvt_timer.load(Ordering::SeqCst);
        let vector = entry & VECTOR;
        (entry & MASKED == 0 && vector != 0).then_some(vector)
    }

    /// Keeps the result of the instruction that is about to run.
    pub(crate) fn keep(&self, result: Changes) {
        self.local().result = Some(result);
    }

    /// Puts the kept result into the registers.
    pub(crate) fn finish(&self, guest: &mut impl Guest) {
        let result = {
            let mut local = self.local();
            local.displaced = None;
            local.result.take()
        };
        if let Some(result) = result {
            result.apply(guest);
        }
    }

    /// Makes the RDMSR or WRMSR that is about to run raise #GP, by naming an MSR
    /// that does so in the emulator too.
    pub(crate) fn provoke_fault(&self, guest: &mut impl Guest) {
        self.displace(Register::Rcx, apic::X2APIC_RESERVED, guest);
    }

    /// Changes a register for the instruction that is about to run. The old value
    /// is put back if the instruction faults; otherwise its result must overwrite
    /// the register.
    pub(crate) fn displace(&self, register: Register, value: u64, guest: &mut impl Guest) {
        let before = guest.register(register);
        self.local().displaced = Some((register, before));
        guest.set_register(register, value);
    }

    /// An interrupt or exception is about to be delivered: a faulting instruction
    /// has no result, and its registers are as they were.
    pub(crate) fn interrupted(&self, guest: &mut impl Guest) {
        let displaced = {
            let mut local = self.local();
            local.result = None;
            local.displaced.take()
        };
        if let Some((register, value)) = displaced {
            guest.set_register(register, value);
        }
    }

    fn local(&self) -> MutexGuard<'_, Local> {
        self.local.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
