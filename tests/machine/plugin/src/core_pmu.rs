// SPDX-License-Identifier: GPL-2.0

//! Registers of the core's own performance monitors, enough for the kernel's
//! core driver to load, program them and own the interrupt entry beside us.
//!
//! Architectural version 3: four general and three fixed counters of 48 bits.
//! They hold what is written and nothing counts, but a test can let a counter
//! overflow.

use std::collections::HashMap;

/// CPUID leaf 0xA: EAX, EBX, ECX, EDX.
pub(crate) const LEAF: [u32; 4] = [
    VERSION | (GENERAL << 8) | (WIDTH << 16) | (EVENTS << 24),
    0,
    0,
    FIXED | (WIDTH << 5),
];

const VERSION: u32 = 3;
const GENERAL: u32 = 4;
const FIXED: u32 = 3;
const WIDTH: u32 = 48;
const EVENTS: u32 = 7;
const COUNTER: u64 = (1 << WIDTH) - 1;

const PMC0: u32 = 0xc1;
const PERFEVTSEL0: u32 = 0x186;
/// `IA32_DEBUGCTL`.
pub(crate) const DEBUGCTL: u32 = 0x1d9;
/// The bit of it without which uncore interrupts are held back.
pub(crate) const UNCORE_PMI_ENABLE: u64 = 1 << 13;
const FIXED_CTR0: u32 = 0x309;
const PERF_CAPABILITIES: u32 = 0x345;
const FIXED_CTR_CTRL: u32 = 0x38d;
const GLOBAL_STATUS: u32 = 0x38e;
const GLOBAL_CTRL: u32 = 0x38f;
const GLOBAL_OVF_CTRL: u32 = 0x390;
/// Bits of `IA32_PERFEVTSELx`: enabled, and may interrupt.
const EVENT_ARMED: u64 = 1 << 22 | 1 << 20;
/// Fields of `IA32_FIXED_CTR_CTRL`, four bits per counter: in which rings it is
/// enabled, and whether it may interrupt.
const FIXED_ENABLED: u64 = 0b11;
const FIXED_PMI: u64 = 1 << 3;
/// The bit of the first fixed counter in the global registers.
const FIRST_FIXED_BIT: u32 = 32;
/// The RDPMC index of the first fixed counter.
const RDPMC_FIXED: u32 = 1 << 30;

/// The registers of one vCPU.
#[derive(Default)]
pub(crate) struct CorePmu(HashMap<u32, u64>);

impl CorePmu {
    /// Reads one of the registers; nothing if it is none of them.
    pub(crate) fn read(&self, msr: u32) -> Option<u64> {
        is_ours(msr).then(|| self.0.get(&msr).copied().unwrap_or(0))
    }

    /// Writes one of the registers; false if it is none of them.
    pub(crate) fn write(&mut self, msr: u32, value: u64) -> bool {
        match msr {
            // Only 32 bits can be written to a general counter, with sign.
            PMC0..=0xc4 => self.set(msr, sign_extend(value) & COUNTER),
            FIXED_CTR0..=0x30b => self.set(msr, value & COUNTER),
            PERF_CAPABILITIES | GLOBAL_STATUS => {}
            GLOBAL_OVF_CTRL => {
                let status = self.read(GLOBAL_STATUS).unwrap_or(0);
                self.set(GLOBAL_STATUS, status & !value);
            }
            _ if is_ours(msr) => self.set(msr, value),
            _ => return false,
        }
        true
    }

    /// RDPMC; nothing if there is no such counter.
    pub(crate) fn counter(&self, index: u32) -> Option<u64> {
        match index {
            0..GENERAL => self.read(PMC0 + index),
            RDPMC_FIXED..=0x4000_0002 => self.read(FIXED_CTR0 + (index - RDPMC_FIXED)),
            _ => None,
        }
    }

    /// Tells if `IA32_DEBUGCTL` lets uncore interrupts pass.
    pub(crate) fn lets_uncore_interrupt(&self) -> bool {
        self.read(DEBUGCTL).unwrap_or(0) & UNCORE_PMI_ENABLE != 0
    }

    /// Lets the first counter that is enabled and may interrupt overflow; false if
    /// there is none.
    pub(crate) fn overflow(&mut self) -> bool {
        let Some((msr, bit)) = self.interrupting() else {
            return false;
        };
        self.set(msr, 0);
        let status = self.read(GLOBAL_STATUS).unwrap_or(0);
        self.set(GLOBAL_STATUS, status | 1 << bit);
        true
    }

    /// The first such counter and its bit in the global registers.
    fn interrupting(&self) -> Option<(u32, u32)> {
        let value = |msr| self.read(msr).unwrap_or(0);
        let general = (0..GENERAL).map(|n| {
            let armed = value(PERFEVTSEL0 + n) & EVENT_ARMED == EVENT_ARMED;
            (PMC0 + n, n, armed)
        });
        let fixed = (0..FIXED).map(|n| {
            let field = value(FIXED_CTR_CTRL) >> (4 * n);
            let armed = field & FIXED_ENABLED != 0 && field & FIXED_PMI != 0;
            (FIXED_CTR0 + n, FIRST_FIXED_BIT + n, armed)
        });
        let enabled = value(GLOBAL_CTRL);
        let mut counters = general.chain(fixed);
        let found = counters.find(|(_, bit, armed)| *armed && enabled >> bit & 1 == 1);
        found.map(|(msr, bit, _)| (msr, bit))
    }

    fn set(&mut self, msr: u32, value: u64) {
        self.0.insert(msr, value);
    }
}

fn is_ours(msr: u32) -> bool {
    matches!(
        msr,
        PMC0..=0xc4
            | PERFEVTSEL0..=0x189
            | DEBUGCTL
            | FIXED_CTR0..=0x30b
            | PERF_CAPABILITIES
            | FIXED_CTR_CTRL..=GLOBAL_CTRL
            | GLOBAL_OVF_CTRL
    )
}

fn sign_extend(value: u64) -> u64 {
    let low = value & 0xffff_ffff;
    if low & 0x8000_0000 == 0 {
        low
    } else {
        low | !0xffff_ffff
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaf_says_version_3_with_4_and_3_counters_of_48_bits() {
        assert_eq!(LEAF, [0x0730_0403, 0, 0, 0x603]);
    }

    #[test]
    fn holds_what_is_written() {
        let mut pmu = CorePmu::default();
        for msr in [0x186, 0x189, 0x1d9, 0x309, 0x30b, 0x38d, 0x38f] {
            assert_eq!(pmu.read(msr), Some(0), "{msr:#x}");
            assert!(pmu.write(msr, 0x1234_5678));
            assert_eq!(pmu.read(msr), Some(0x1234_5678), "{msr:#x}");
        }
    }

    #[test]
    fn leaves_other_registers_alone() {
        let mut pmu = CorePmu::default();
        for msr in [0xc0, 0xc5, 0x185, 0x18a, 0x1d8, 0x308, 0x30c, 0x391, 0xc00] {
            assert_eq!(pmu.read(msr), None, "{msr:#x}");
            assert!(!pmu.write(msr, 1), "{msr:#x}");
        }
    }

    #[test]
    fn general_counters_take_32_bits_with_sign() {
        let mut pmu = CorePmu::default();
        pmu.write(0xc1, 0xffff_8000_8000_0001);
        assert_eq!(pmu.read(0xc1), Some(0xffff_8000_0001));
        pmu.write(0xc1, 0xffff_8000_7fff_ffff);
        assert_eq!(pmu.read(0xc1), Some(0x7fff_ffff));
        assert_eq!(pmu.counter(0), Some(0x7fff_ffff));
    }

    #[test]
    fn status_is_read_only() {
        let mut pmu = CorePmu::default();
        assert!(pmu.write(0x38e, 5));
        assert_eq!(pmu.read(0x38e), Some(0));
    }

    #[test]
    fn an_overflow_shows_in_the_status_until_it_is_cleared() {
        let mut pmu = CorePmu::default();
        assert!(!pmu.overflow(), "nothing is enabled");
        pmu.write(0xc2, 0xffff_0000);
        pmu.write(0x187, 1 << 22 | 1 << 20 | 0x3c);
        assert!(!pmu.overflow(), "not globally");
        pmu.write(0x38f, 0b10);
        assert!(pmu.overflow());
        assert_eq!((pmu.read(0x38e), pmu.read(0xc2)), (Some(0b10), Some(0)));
        pmu.write(0x187, 1 << 22 | 0x3c);
        assert!(!pmu.overflow(), "it may not interrupt");
        pmu.write(0x390, 0b10);
        assert_eq!(pmu.read(0x38e), Some(0));
    }

    #[test]
    fn fixed_counters_overflow_too() {
        let mut pmu = CorePmu::default();
        pmu.write(0x38f, 0b111 << 32);
        pmu.write(0x30a, 0xffff_ffff_0000);
        pmu.write(0x38d, 0x083);
        assert!(!pmu.overflow(), "0 may not interrupt, 1 is not enabled");
        pmu.write(0x38d, 0x0b3);
        assert!(pmu.overflow());
        assert_eq!((pmu.read(0x38e), pmu.read(0x30a)), (Some(1 << 33), Some(0)));
    }

    #[test]
    fn rdpmc_knows_seven_counters() {
        let mut pmu = CorePmu::default();
        pmu.write(0x30b, u64::MAX);
        assert_eq!(pmu.counter(0x4000_0002), Some(0xffff_ffff_ffff));
        assert_eq!(pmu.counter(3), Some(0));
        assert_eq!(pmu.counter(4), None);
        assert_eq!(pmu.counter(0x4000_0003), None);
    }
}
