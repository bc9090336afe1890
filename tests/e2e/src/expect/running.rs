// SPDX-License-Identifier: GPL-2.0

//! Counters that always run, whose codes are the driver's own. Each counts a share of 1024 of the
//! cycles of a clock (traffic.rst).

use crate::catalogue::BoxKind;
use crate::fixture::probe::Words;
use crate::platform::{Platform, Processor};

/// Returns the events of such counters that are with a box of the catalogue.
pub fn always_running() -> Vec<(BoxKind, &'static str)> {
    let of_cores = Residency::all().iter();
    let of_cores = of_cores.map(|residency| (BoxKind::Pcu, residency.event()));
    let of_ports = Link::all().iter().map(|link| (BoxKind::Qpi, link.event()));
    of_cores.chain(of_ports).collect()
}

/// One of the two residency counters of a core ("PCU residency").
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
        Processor::current().description().residency
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
        let slots = Processor::current().description().core_slots;
        let share = slots * u64::from(package) + u64::from(core) + 1;
        let third = uclk * share / 1024;
        match self {
            Self::C3 => third,
            Self::C6 => 2 * third,
        }
    }
}

/// A counter of a QPI port ("QPI: free-running counters").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// LINK_IDLE.
    Idle,
    /// LINK_LLR.
    Retry,
}

impl Link {
    /// Returns those of the platform.
    pub fn all() -> &'static [Self] {
        Processor::current().description().links
    }

    /// The event of that name.
    pub fn event(self) -> &'static str {
        match self {
            Self::Idle => "link_idle",
            Self::Retry => "link_llr",
        }
    }

    /// Returns the count that a burst of `uclk` cycles adds on a port of a package.
    pub fn count(self, port: u8, package: u8, uclk: u64) -> u64 {
        let share = 8 * u64::from(port) + u64::from(package) + 1;
        let of_1024 = match self {
            Self::Idle => 512 + share,
            Self::Retry => share,
        };
        BoxKind::Qpi.cycles(uclk) * of_1024 / 1024
    }
}

/// A counter of a client's memory controller (section 7 of its page).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryCounter {
    /// The event of it.
    pub event: &'static str,
    /// Its event select.
    pub code: u64,
    /// Its share of 1024 cycles.
    pub(crate) share: u64,
}

impl MemoryCounter {
    /// The box that they are in.
    pub const BOX: &'static str = "imc";

    /// Returns those of the platform.
    pub fn all() -> &'static [Self] {
        Processor::current().description().memory
    }

    /// Returns the name of their PMU.
    pub fn pmu() -> String {
        Platform::current().pmu(Self::BOX)
    }

    /// Returns the count that a burst of `uclk` cycles adds.
    pub fn count(&self, uclk: u64) -> u64 {
        uclk * self.share / 1024
    }

    /// Returns a step of `perf-open` that opens the event on a CPU under a name.
    pub fn open(&self, name: &str, cpu: u16) -> String {
        Words([self.code, 0, 0]).open(&Self::pmu(), name, cpu)
    }
}
