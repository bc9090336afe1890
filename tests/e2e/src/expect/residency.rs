// SPDX-License-Identifier: GPL-2.0

//! The residency counters that belong to each core (traffic.rst, "PCU
//! residency").

use crate::catalogue::BoxKind;
use crate::platform::Processor;

/// One of the two residency counters of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Residency {
    /// MSR 0x3FC.
    C3,
    /// MSR 0x3FD.
    C6,
}

impl Residency {
    /// Both counters.
    pub const ALL: [Self; 2] = [Self::C3, Self::C6];

    /// Returns those of the platform, which are with the PCU.
    pub fn all() -> &'static [Self] {
        if BoxKind::Pcu.exists() {
            &Self::ALL
        } else {
            &[]
        }
    }

    /// The PCU's event of that name.
    pub fn event(self) -> &'static str {
        match self {
            Self::C3 => "core_c3_ctr",
            Self::C6 => "core_c6_ctr",
        }
    }

    /// Returns the count that a burst of `uclk` cycles adds on a core of a package.
    pub fn count(self, package: u8, core: u8, uclk: u64) -> u64 {
        let slots = Processor::current().description().traffic.core_slots;
        let share = slots * u64::from(package) + u64::from(core) + 1;
        let third = uclk * share / 1024;
        match self {
            Self::C3 => third,
            Self::C6 => 2 * third,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::Platform;

    #[test]
    fn each_core_has_its_own_share() {
        assert_eq!(Residency::C3.count(0, 0, 1_000_000), 976);
        assert_eq!(Residency::C6.count(0, 0, 1_000_000), 1952);
        assert_eq!(Residency::C3.count(1, 0, 1024), 16);
        Platform::Bdx.on(|| assert_eq!(Residency::C3.count(1, 0, 1024), 25));
        assert_eq!(Residency::C3.count(0, 14, 1024), 15);
    }
}
