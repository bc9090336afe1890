// SPDX-License-Identifier: GPL-2.0

//! An overflow for the survey, and the cores that it interrupts under some conditions.
//!
//! It uses the counter and the registers of the self-test. All CPUs of the package take PMIs
//! meanwhile, unless the conditions forbid that; their registers are restored afterwards. A CPU whose
//! LVTPC was masked gets an NMI then, in which the core PMU serves what it has missed. In process
//! context, while no event of the uncore counts.

use super::{
    pmi::PackagePmi,
    selftest::{
        Cores,
        PmiTest, //
    },
    selftest_rig::{
        cpus_of_package,
        TestCounter,
        TestRig, //
    }, //
};
use crate::{
    linux::{
        apic::Lvtpc,
        context::IrqsOff,
        debugctl,
        smp,
        topology::Cpu, //
    },
    uncore::overflow_mode::PollReason, //
};

/// Number of waits of the self-test after which an idle core sleeps.
const IDLE_WAITS: u32 = 10;

/// Number of waits after which an awake core has taken its NMI.
const PROMPT_WAITS: u32 = 3;

/// Number of waits in which an NMI comes, if one does, on a computer that emulates this one and has
/// other work.
const LONGEST_WAITS: u32 = 50;

/// Number of waits without another NMI after which the other CPUs have theirs.
const QUIET_WAITS: u32 = 10;

/// Conditions of an overflow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Conditions {
    /// Bits of the core select, lowest first.
    pub(crate) bits: u32,
    /// The hardware wakes sleeping cores for the PMI.
    pub(crate) wakes: bool,
    /// IA32_DEBUGCTL enables PMIs of the uncore.
    pub(crate) enabled: bool,
    /// LVTPC drops PMIs until a moment after the overflow.
    pub(crate) masked: bool,
}

/// Result of an overflow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Interrupted {
    /// Cores that it interrupted at once.
    pub(crate) at_once: Cores,
    /// All cores that it interrupted, after each CPU was woken and took PMIs.
    pub(crate) all: Cores,
    /// Number of NMIs.
    pub(crate) nmis: u32,
    /// The processor has the bit of IA32_DEBUGCTL.
    pub(crate) has_enable: bool,
}

/// Lets a counter overflow once. `target` runs the code, and takes PMIs already.
pub(super) fn run(
    pmi: &PackagePmi,
    target: Cpu,
    counter: &TestCounter,
    conditions: &Conditions,
) -> Result<Interrupted, PollReason> {
    let rig = TestRig::new(pmi, target, counter);
    rig.enable_all();
    let mut has_enable = true;
    for cpu in cpus_of_package(target) {
        let prepared = smp::on_cpu(cpu, |here| conditions.prepare(here));
        has_enable &= prepared == Ok(true);
    }
    // Cores that have nothing to do fall asleep.
    (0..IDLE_WAITS).for_each(|_| rig.wait());
    let overflowed = rig.overflow_with(conditions.bits, conditions.wakes);
    (0..PROMPT_WAITS).for_each(|_| rig.wait());
    let at_once = rig.interrupted();
    for cpu in cpus_of_package(target) {
        // A call wakes the CPU.
        let _ = smp::on_cpu(cpu, |here| conditions.end(here));
    }
    if overflowed.is_ok() {
        await_nmis(&rig);
    }
    let all = rig.interrupted();
    let nmis = rig.most_nmis();
    let forgotten = rig.forget();
    if conditions.masked {
        for cpu in cpus_of_package(target) {
            // The core PMU may have overflowed meanwhile. No PMI comes of that any more.
            let _ = smp::on_cpu(cpu, |here| pmi.nmi.send(here));
        }
    }
    overflowed.and(forgotten)?;
    Ok(Interrupted {
        at_once,
        all,
        nmis,
        has_enable,
    })
}

/// Waits until the CPUs that an overflow interrupts have had their NMIs.
fn await_nmis(rig: &TestRig<'_>) {
    let (mut nmis, mut quiet) = (0, 0_u32);
    for _ in 0..LONGEST_WAITS {
        rig.wait();
        let before = nmis;
        nmis = rig.nmis();
        quiet = if nmis == before {
            quiet.saturating_add(1)
        } else {
            0
        };
        if nmis > 0 && quiet >= QUIET_WAITS {
            break;
        }
    }
}

impl Conditions {
    /// Sets the registers of this CPU. Returns whether the processor has the bit of IA32_DEBUGCTL.
    fn prepare(&self, here: &IrqsOff) -> bool {
        let has_enable = debugctl::restore_uncore_pmi(here, self.enabled).is_ok();
        if self.masked {
            Lvtpc::MASKED.write(here);
        }
        has_enable
    }

    /// Lets this CPU take PMIs.
    fn end(&self, here: &IrqsOff) {
        if self.masked {
            Lvtpc::NMI.write(here);
        }
    }
}
