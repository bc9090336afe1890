// SPDX-License-Identifier: GPL-2.0

//! The platforms that the tests run on, each a table of what it has.
//!
//! The environment variable `UNCORE_PLATFORM` names that of a run. All else of this crate
//! takes what differs between platforms from the [`Description`] of the current one.

mod bdx;
mod ivbep;
mod nhmex;
mod snb;

use crate::catalogue::{BoxKind, Facts, Oddities, Umasks};
use crate::expect::{Link, MemoryCounter, Special, SubRegister, Traffic};
use crate::formats::field;
use crate::units::WithUnit;
use std::cell::Cell;
use std::sync::OnceLock;
use uncore_catalogue::Metric;
use uncore_runner::Config;

/// A platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Platform {
    /// Ivy Bridge-EP/EX: Xeon E5 v2 and E7 v2.
    Ivbep,
    /// Broadwell-EP/EX: Xeon E5 v4 and E7 v4.
    Bdx,
    /// Sandy Bridge client: Core 2xxx.
    Snb,
    /// Nehalem-EX: Xeon 7500 and 6500.
    Nhmex,
}

/// Facts about a platform, from its register reference and from traffic.rst.
pub(crate) struct Description {
    /// Its name in options, and the first word of the names of its PMUs.
    pub(crate) name: &'static str,
    /// Family, model and stepping of its processors.
    pub(crate) processor: &'static str,
    /// Packages of the usual machine.
    pub(crate) packages: &'static [u8],
    /// Each core has a C-Box: firmware says how many cores there are, and of C-Boxes only
    /// how many there are at most.
    pub(crate) cboxes_of_cores: bool,
    /// S-Boxes of a package of the usual machine.
    pub(crate) sboxes: u8,
    /// Its box types, in the order of its catalogue.
    pub(crate) kinds: &'static [(BoxKind, Facts)],
    /// The PMUs beside those of the catalogue's boxes, in every package.
    pub(crate) others: &'static [&'static str],
    /// Device and function of the match and mask registers of each QPI port.
    pub(crate) packet_functions: &'static [&'static str],
    /// Its rows of the reference data.
    pub(crate) rows: fn() -> &'static [uncore_catalogue::Row],
    /// Its manual's metrics, if the reference data has any.
    pub(crate) metrics: fn() -> &'static [Metric],
    /// Rows that are more, or less, than an event of their name.
    pub(crate) oddities: Oddities,
    /// Events not all of whose sub-events may be combined.
    pub(crate) umasks: &'static [Umasks],
    /// Events whose umask does more than select signals.
    pub(crate) special: &'static [Special],
    /// Registers that choose what events count, in place of an umask.
    pub(crate) sub_registers: &'static [&'static [SubRegister]],
    /// Events whose counts have a unit.
    pub(crate) with_unit: WithUnit,
    /// Counters of its QPI ports that always run.
    pub(crate) links: &'static [Link],
    /// Counters of its memory controller that always run.
    pub(crate) memory: &'static [MemoryCounter],
    /// Sizes of what its traffic consists of.
    pub(crate) traffic: Traffic,
    /// Options of a machine whose last package lacks some boxes of the first. One package has
    /// all its boxes.
    pub(crate) uneven: &'static [(&'static str, &'static str)],
}

thread_local! {
    /// The platform that [`Platform::on`] chose.
    static CHOSEN: Cell<Option<Platform>> = const { Cell::new(None) };
}

impl Platform {
    /// All platforms.
    pub const ALL: [Self; 4] = [Self::Ivbep, Self::Bdx, Self::Snb, Self::Nhmex];

    /// Returns the platform of this run: that of `UNCORE_PLATFORM`, or Ivy Bridge-EP if
    /// that is not set.
    pub fn current() -> Self {
        static OF_RUN: OnceLock<Platform> = OnceLock::new();
        CHOSEN.get().unwrap_or_else(|| {
            *OF_RUN.get_or_init(|| {
                let name = std::env::var("UNCORE_PLATFORM").unwrap_or_default();
                Self::named(&name).unwrap_or_else(|| panic!("UNCORE_PLATFORM=`{name}`"))
            })
        })
    }

    /// Runs something on this platform, for tests that need no guest.
    pub fn on<T>(self, run: impl FnOnce() -> T) -> T {
        let before = CHOSEN.replace(Some(self));
        let result = run();
        CHOSEN.set(before);
        result
    }

    /// Returns the platform of a name; none at all is Ivy Bridge-EP.
    fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|platform| platform.name() == name || name.is_empty())
    }

    /// Its name, as in options of the machine and in names of PMUs.
    pub fn name(self) -> &'static str {
        self.description().name
    }

    /// Returns the metrics of the manual.
    pub fn metrics() -> &'static [Metric] {
        (Self::current().description().metrics)()
    }

    /// Returns the packages of the usual machine.
    pub fn packages() -> &'static [u8] {
        Self::current().description().packages
    }

    /// Returns true if boxes interrupt when their counters overflow.
    pub fn interrupts() -> bool {
        BoxKind::all().any(|kind| field(kind, "interval").is_some())
    }

    /// Returns the PMUs beside those of the catalogue's boxes, which every package has.
    pub fn other_pmus(self) -> impl Iterator<Item = String> {
        let others = self.description().others.iter();
        others.map(move |unit| self.pmu(unit))
    }

    /// Returns the names that the kernel's own driver gives these PMUs, in the same order.
    pub fn other_plain_pmus(self) -> impl Iterator<Item = String> {
        let others = self.description().others.iter();
        others.map(|unit| format!("uncore_{unit}"))
    }

    /// Returns the content of `identifier`.
    pub fn identifier(self) -> String {
        format!("{}-{}", self.name(), self.description().processor)
    }

    /// Returns a configuration whose last package lacks some boxes of the first, if it has
    /// several.
    pub fn uneven_machine() -> Config {
        let options = Self::current().description().uneven.iter();
        options.fold(Config::default(), |config, (name, value)| {
            config.with(name, value)
        })
    }

    pub(crate) fn description(self) -> &'static Description {
        match self {
            Self::Ivbep => &ivbep::DESCRIPTION,
            Self::Bdx => &bdx::DESCRIPTION,
            Self::Snb => &snb::DESCRIPTION,
            Self::Nhmex => &nhmex::DESCRIPTION,
        }
    }

    /// Returns the name of the PMU of a box, such as `cbox_0`; of `cbox` the name of all of
    /// that type.
    pub fn pmu(self, unit: &str) -> String {
        format!("{}_uncore_{unit}", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_have_names() {
        for platform in Platform::ALL {
            assert_eq!(Platform::named(platform.name()), Some(platform));
        }
        assert_eq!(Platform::named(""), Some(Platform::Ivbep));
        assert_eq!(Platform::named("hsx"), None);
    }

    #[test]
    fn a_platform_is_chosen_for_a_while() {
        let before = Platform::current();
        for platform in Platform::ALL {
            assert_eq!(platform.on(Platform::current), platform);
        }
        assert_eq!(Platform::current(), before);
    }
}
