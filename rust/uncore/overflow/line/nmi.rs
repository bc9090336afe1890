// SPDX-License-Identifier: GPL-2.0

//! What NMIs find and note, and what is made of it in interrupts.
//!
//! # Contexts
//!
//! [`Line::nmi`] in NMI; what takes an [`IrqsOff`] on a CPU of the package; the rest anywhere.

use super::{
    super::{
        super::{
            box_type::GlobalMsrs,
            field::low_half, //
        },
        claim::{
            Lines,
            Verdict, //
        },
        trial::Cores, //
    },
    Line,
    NOBODY, //
};
use crate::linux::{
    apic::Lvtpc,
    clock,
    context::{
        IrqsOff,
        Nmi,
        Pinned, //
    },
    msr, //
};
use core::sync::atomic::Ordering;

/// What an NMI was, and whether it leaves something to do.
pub(in super::super) enum Heard {
    /// Ours, and boxes are to be seen to.
    Work,
    /// Ours, and that is all.
    Nothing,
    /// Not ours.
    Foreign,
}

impl Line {
    /// Looks at an NMI.
    pub(in super::super) fn nmi(&self, here: &Nmi) -> Heard {
        let (core, now) = (here.cpu().core(), clock::monotonic_ns());
        let target = self.core.load(Ordering::Relaxed);
        let trying = self.trying.load(Ordering::Relaxed);
        if target == NOBODY && !trying && !self.claims.was_lately(now) {
            return Heard::Foreign;
        }
        let near = Near { line: self, here };
        let verdict = self.claims.claim(&near, trying || core == target);
        if verdict != Verdict::Foreign && trying {
            self.heard.fetch_or(Cores::one(core).0, Ordering::Relaxed);
            self.answers.fetch_add(1, Ordering::Relaxed);
            return Heard::Nothing;
        }
        match verdict {
            Verdict::Overflow(bits) => {
                self.stats.taken.add();
                self.missed.store(0, Ordering::Relaxed);
                self.note(bits, now);
            }
            Verdict::Late => self.stats.late.add(),
            Verdict::Spurious => self.stats.spurious.add(),
            Verdict::Foreign => return Heard::Foreign,
        }
        let storm = self.throttle.count(now);
        if storm {
            self.storm.store(true, Ordering::Relaxed);
        }
        match verdict {
            Verdict::Overflow(_) => Heard::Work,
            _ if storm => Heard::Work,
            _ => Heard::Nothing,
        }
    }

    /// Notes what has overflowed, and when.
    fn note(&self, bits: u32, now: u64) {
        self.pending.fetch_or(bits, Ordering::Relaxed);
        let (set, fetch) = (Ordering::Relaxed, Ordering::Relaxed);
        // The first of them has frozen the package.
        let _ = self.since.compare_exchange(0, now, set, fetch);
    }

    /// What has overflowed and nobody has seen to, as bits of the global status, which are cleared.
    pub(in super::super) fn take(&self, here: &IrqsOff) -> u32 {
        let found = self.claims.take_status(&Near { line: self, here });
        found | self.pending.swap(0, Ordering::Relaxed)
    }

    /// Whether the global status says that something has overflowed.
    pub(in super::super) fn has_overflowed(&self, here: &IrqsOff) -> bool {
        Near { line: self, here }.status() != 0
    }

    /// Whether there were too many NMIs since this was last asked.
    pub(in super::super) fn take_storm(&self) -> bool {
        self.storm.swap(false, Ordering::Relaxed)
    }

    /// Counts an overflow whose NMI did not come, and gives how many there were in a row.
    pub(in super::super) fn miss(&self) -> u32 {
        self.missed
            .fetch_add(1, Ordering::Relaxed)
            .saturating_add(1)
    }

    /// When the package was frozen, as far as its NMI can tell; `None` if it came without one.
    pub(in super::super) fn frozen_since(&self) -> Option<u64> {
        Some(self.since.load(Ordering::Relaxed)).filter(|&since| since != 0)
    }

    /// The core that is meant to get NMIs from now on.
    pub(in super::super) fn listen(&self, core: Option<u32>) {
        self.core.store(core.unwrap_or(NOBODY), Ordering::Relaxed);
    }

    /// The interrupt is being tried out from now on, or no longer: NMIs only say where they are
    /// heard, on whatever CPU.
    pub(in super::super) fn set_trying(&self, trying: bool) {
        self.trying.store(trying, Ordering::Relaxed);
    }

    /// The cores that heard of the interrupt that is being tried out.
    pub(in super::super) fn heard(&self) -> Cores {
        Cores(self.heard.load(Ordering::Relaxed))
    }

    /// How often they did.
    pub(in super::super) fn answers(&self) -> u32 {
        self.answers.load(Ordering::Relaxed)
    }

    /// Forgets everything that has overflowed. An NMI of it may still come.
    pub(in super::super) fn forget(&self, here: &IrqsOff) {
        self.take(here);
        self.since.store(0, Ordering::Relaxed);
        self.heard.store(0, Ordering::Relaxed);
        self.answers.store(0, Ordering::Relaxed);
        self.claims.expect(clock::monotonic_ns());
    }
}

/// The registers of a line, seen from a CPU of its package.
struct Near<'a, P: Pinned> {
    line: &'a Line,
    here: &'a P,
}

impl<P: Pinned> Lines for Near<'_, P> {
    fn is_masked(&self) -> bool {
        let entry = Lvtpc::read(self.here);
        entry.is_nmi() && entry.is_masked()
    }

    fn unmask(&self) {
        Lvtpc::NMI.write(self.here);
    }

    fn status(&self) -> u32 {
        let read = |global: &GlobalMsrs| msr::read(self.here, global.status).ok();
        // Registers that do not answer say that nothing has overflowed.
        low_half(self.line.global.and_then(read).unwrap_or(0)) & self.line.ours
    }

    fn clear(&self, bits: u32) {
        if let Some(global) = self.line.global {
            // It could be read.
            let _ = msr::write(self.here, global.status, u64::from(bits));
        }
    }

    fn now(&self) -> u64 {
        clock::monotonic_ns()
    }
}
