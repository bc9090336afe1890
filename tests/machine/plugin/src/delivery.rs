// SPDX-License-Identifier: GPL-2.0

//! The last step of an interrupt: to the local APICs of virtual processors.
//!
//! A PMI of the uncore does not reach a processor if its core sleeps (all its
//! threads are halted), if bit 13 of `IA32_DEBUGCTL` holds it back (U-46:b), or
//! if LVTPC is masked. By U-45:b and c it waits then. A PMI of the core's own monitors needs
//! LVTPC only, a foreign NMI nothing. Every result is counted.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use uncore_machine::{Cpu, Gate, Pmi, Processors, Reach};

use crate::apic;
use crate::guest::Guest;
use crate::vcpu::{Identity, Vcpu};

/// The data of a message-signalled NMI.
const NMI: u32 = 0x400;

/// The results of interrupts for one processor.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    delivered: Count,
    masked: Count,
    gated: Count,
    asleep: Count,
    core: Count,
    core_masked: Count,
    nmi: Count,
}

#[derive(Debug, Default)]
struct Count(AtomicU64);

impl Count {
    fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.load(Ordering::Relaxed).fmt(f)
    }
}

impl Tally {
    /// Each kind with its name in the answer to `interrupts`.
    fn counts(&self) -> [(&'static str, &Count); 7] {
        [
            ("delivered", &self.delivered),
            ("masked", &self.masked),
            ("gated", &self.gated),
            ("asleep", &self.asleep),
            ("core", &self.core),
            ("core-masked", &self.core_masked),
            ("nmi", &self.nmi),
        ]
    }

    /// Counts from zero again.
    pub(crate) fn clear(&self) {
        for (_, count) in self.counts() {
            count.0.store(0, Ordering::Relaxed);
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.counts().map(|(name, count)| format!("{name} {count}"));
        f.write_str(&counts.join(", "))
    }
}

/// Sends a PMI of the uncore to the processors it is for.
pub(crate) fn uncore(pmi: Pmi, vcpus: &[Vcpu], processors: Processors, guest: &mut impl Guest) {
    for vcpu in vcpus {
        let Some(identity) = vcpu.identity() else {
            continue;
        };
        match pmi.reach(identity.cpu, is_asleep(identity.cpu, vcpus)) {
            Reach::Passes => {}
            Reach::Sleeps if processors.keep_asleep => vcpu.waits_for_wake.set(),
            Reach::Sleeps => vcpu.tally.asleep.add(),
            Reach::Arrives => arrive(vcpu, identity, processors, guest),
        }
    }
}

/// A PMI of the uncore has reached a processor that is awake.
pub(crate) fn arrive(
    vcpu: &Vcpu,
    identity: Identity,
    processors: Processors,
    guest: &mut impl Guest,
) {
    let is_gated = processors.gate == Gate::ByBit;
    if is_gated && !vcpu.with_core_pmu(|pmu| pmu.lets_uncore_interrupt()) {
        vcpu.tally.gated.add();
    } else if processors.keep_masked && vcpu.lvtpc.is_masked() {
        vcpu.waits_for_unmask.set();
        let unmasked_meanwhile = !vcpu.lvtpc.is_masked() && vcpu.waits_for_unmask.take();
        if unmasked_meanwhile {
            unmasked(vcpu, identity, guest);
        }
    } else {
        unmasked(vcpu, identity, guest);
    }
}

/// A PMI of the uncore passes LVTPC if that is not masked.
pub(crate) fn unmasked(vcpu: &Vcpu, identity: Identity, guest: &mut impl Guest) {
    let tally = &vcpu.tally;
    through_lvtpc(vcpu, identity, (&tally.delivered, &tally.masked), guest);
}

/// Sends a PMI of the core's own monitors, one of whose counters has overflowed.
pub(crate) fn core(vcpu: &Vcpu, identity: Identity, guest: &mut impl Guest) {
    let tally = &vcpu.tally;
    through_lvtpc(vcpu, identity, (&tally.core, &tally.core_masked), guest);
}

/// Sends an NMI of no known source.
pub(crate) fn foreign(vcpu: &Vcpu, identity: Identity, guest: &mut impl Guest) {
    vcpu.tally.nmi.add();
    guest.send(apic::message_address(identity.apic_id), NMI);
}

/// Lets a processor's timer interrupt now, as if it had expired.
pub(crate) fn timer(vcpu: &Vcpu, guest: &mut impl Guest) {
    if let (Some(identity), Some(vector)) = (vcpu.identity(), vcpu.timer_vector()) {
        guest.send(apic::message_address(identity.apic_id), vector);
    }
}

fn through_lvtpc(
    vcpu: &Vcpu,
    identity: Identity,
    (delivered, masked): (&Count, &Count),
    guest: &mut impl Guest,
) {
    match vcpu.lvtpc.deliver() {
        None => masked.add(),
        Some(message) => {
            delivered.add();
            guest.send(apic::message_address(identity.apic_id), message);
        }
    }
}

fn is_asleep(cpu: Cpu, vcpus: &[Vcpu]) -> bool {
    let same = |other: &Vcpu| {
        other.identity().is_some_and(|identity| {
            (identity.cpu.package, identity.cpu.core) == (cpu.package, cpu.core)
        })
    };
    vcpus.iter().filter(|vcpu| same(vcpu)).all(Vcpu::is_halted)
}
