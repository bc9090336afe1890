// SPDX-License-Identifier: GPL-2.0

//! The platforms that the tests run on, and their processors, each a table of what it has.
//!
//! The environment variable `UNCORE_PLATFORM` names the processor of a run. All else of this crate
//! takes what differs between processors from the [`Description`] of the current one.

mod asked;
mod bdx;
mod hsx;
mod ivbep;
mod jkt;
mod nhmex;
mod snb;

use crate::catalogue::{BoxKind, Facts, Oddities, Umasks};
use crate::differences::Case;
use crate::expect::{Link, MemoryCounter, Residency, Special, SubRegister};
use crate::fixture::{probe::Probe, repeats_all};
use crate::formats::field;
use crate::sweep::refusals::listed::Refused;
use crate::units::WithUnit;
pub use asked::{Asked, Known};
use std::cell::Cell;
use std::sync::OnceLock;
use uncore_catalogue::Row;
use uncore_runner::Config;

/// A platform: the processors with one kind of uncore.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Platform {
    /// Ivy Bridge-EP/EX: Xeon E5 v2 and E7 v2.
    Ivbep,
    /// Broadwell-EP/EX: Xeon E5 v4 and E7 v4.
    Bdx,
    /// Haswell-EP/EX: Xeon E5 v3 and E7 v3.
    Hsx,
    /// Sandy Bridge-EP: Xeon E5.
    Jkt,
    /// Sandy Bridge client and its successors: Core 2xxx to 5xxx.
    Snb,
    /// Nehalem-EX: Xeon 7500 and 6500.
    Nhmex,
}

/// A processor that the machine can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Processor {
    /// Ivy Bridge-EP/EX.
    Ivbep,
    /// Broadwell-EP/EX.
    Bdx,
    /// Broadwell-DE: Xeon D-1500.
    BdxDe,
    /// Haswell-EP/EX.
    Hsx,
    /// Sandy Bridge-EP.
    Jkt,
    /// Sandy Bridge client.
    Snb,
    /// Ivy Bridge client.
    Ivb,
    /// Haswell client.
    Hsw,
    /// Broadwell client.
    Bdw,
    /// Nehalem-EX.
    Nhmex,
    /// Westmere-EX: the first Xeon E7.
    Wsmex,
}

/// Facts about a processor, from its register reference and from traffic.rst.
pub(crate) struct Description {
    /// First word of the names of its PMUs.
    pub(crate) name: &'static str,
    /// Packages of the usual machine.
    pub(crate) packages: &'static [u8],
    /// Each core has a C-Box: firmware says how many cores there are, and of C-Boxes only
    /// how many there are at most.
    pub(crate) cboxes_of_cores: bool,
    /// S-Boxes of a package of the usual machine.
    pub(crate) sboxes: u8,
    /// Box types of its platform that it has not.
    pub(crate) lacks: &'static [BoxKind],
    /// The PMUs beside those of the catalogue's boxes, in every package.
    pub(crate) others: &'static [&'static str],
    /// Makes its rows of those of the reference data.
    pub(crate) rows: fn(&[Row]) -> Vec<Row>,
    /// Rows that are more, or less, than an event of their name.
    pub(crate) oddities: Oddities,
    /// Events not all of whose sub-events may be combined.
    pub(crate) umasks: &'static [Umasks],
    /// Events that look at filters.
    pub(crate) special: &'static [Special],
    /// Registers that choose what events count, in place of an umask.
    pub(crate) sub_registers: &'static [&'static [SubRegister]],
    /// Events whose counts have a unit.
    pub(crate) with_unit: WithUnit,
    /// Counters of its cores that the PCU's PMU has.
    pub(crate) residency: &'static [Residency],
    /// Counters of its QPI ports that always run.
    pub(crate) links: &'static [Link],
    /// Counters of its memory controller that always run.
    pub(crate) memory: &'static [MemoryCounter],
    /// Bits of an address that the home agent compares.
    pub(crate) line_bits: u64,
    /// Cores that a package has room for.
    pub(crate) core_slots: u64,
    /// Options of a machine whose last package lacks some boxes of the first. One package has
    /// all its boxes.
    pub(crate) uneven: &'static [(&'static str, &'static str)],
    /// Requests with an error of their own.
    pub(crate) refused: &'static [&'static [Refused]],
    /// Questions about defects of the kernel's own driver.
    pub(crate) cases: &'static [Case],
    /// Parts of tests of `uncore check` in which there is nothing to test: in other packages where
    /// there is but one, of overflows in boxes that do not interrupt or have a clock on only one of
    /// their counters.
    pub(crate) untested: &'static [&'static str],
    /// Type of box and names of events of a group that needs every counter of the box, with few
    /// legal placements.
    pub(crate) full_group: (BoxKind, &'static [&'static str]),
    /// Pairs that cannot count at the same time.
    pub(crate) conflicting: fn() -> Vec<[Probe; 2]>,
    /// Requests of single tests.
    pub(crate) asked: &'static Asked,
    /// What the definition of counts calls it.
    pub(crate) counted_as: uncore_catalogue::Platform,
    /// An event of a box.
    pub(crate) sample: fn(BoxKind, u8) -> Probe,
    /// Name of it in libpfm4, and the least number of events that libpfm4 has by the names of the
    /// reference.
    pub(crate) libpfm4: Option<(&'static str, usize)>,
}

/// Pairs of both Xeon E5 that cannot count at the same time.
fn conflicting() -> Vec<[Probe; 2]> {
    let opcode = |opc| Probe::cbox(0, "tor_inserts.opcode").opc(opc);
    let line = |line| Probe::ha(0, "addr_opc_match.addr").address(line);
    let state = Probe::cbox(0, "llc_lookup.any").state(0x01);
    vec![
        [opcode(0x182), opcode(0x1e6)],
        [line(0x2000_0000_0000), line(0x3fff_ffff_ffc0)],
        // Of which a C-Box may compare one (U-21).
        [state, opcode(0x182)],
    ]
}

/// An event of a box of both Xeon E5, with a filter where there is one.
fn sample(kind: BoxKind, instance: u8) -> Probe {
    let event = |name| Probe::new(kind, instance, name);
    match kind {
        BoxKind::Cbox => event("llc_lookup.any"),
        BoxKind::Ha => event("addr_opc_match.opc").home_opcode(0x3f),
        BoxKind::Imc => event("cas_count.rd"),
        BoxKind::Irp => event("transactions.writes"),
        BoxKind::Pcu => event("freq_band1_cycles").band(1, 30),
        BoxKind::R2pcie => event("rxr_occupancy.drs"),
        _ => event("ring_bl_used.cw"),
    }
}

thread_local! {
    /// The processor that [`Processor::on`] chose.
    static CHOSEN: Cell<Option<Processor>> = const { Cell::new(None) };
}

impl Processor {
    /// All processors.
    pub const ALL: [Self; 11] = [
        Self::Ivbep,
        Self::Bdx,
        Self::BdxDe,
        Self::Hsx,
        Self::Jkt,
        Self::Snb,
        Self::Ivb,
        Self::Hsw,
        Self::Bdw,
        Self::Nhmex,
        Self::Wsmex,
    ];

    /// Returns all processors, or without all repetitions the usual one of each platform that is not
    /// like another one.
    pub fn few() -> impl Iterator<Item = Self> {
        let is_wanted = |processor: &Self| {
            let facts = uncore_catalogue::Processor::named(processor.name());
            repeats_all() || *processor == processor.platform().usual() && facts.like.is_empty()
        };
        Self::ALL.into_iter().filter(is_wanted)
    }

    /// Returns the processor of this run: that of `UNCORE_PLATFORM`, or Ivy Bridge-EP if that is
    /// not set.
    pub fn current() -> Self {
        static OF_RUN: OnceLock<Processor> = OnceLock::new();
        CHOSEN.get().unwrap_or_else(|| {
            *OF_RUN.get_or_init(|| {
                let name = std::env::var("UNCORE_PLATFORM").unwrap_or_default();
                Self::named(&name).unwrap_or_else(|| panic!("UNCORE_PLATFORM=`{name}`"))
            })
        })
    }

    /// Runs something on this processor.
    pub fn on<T>(self, run: impl FnOnce() -> T) -> T {
        let before = CHOSEN.replace(Some(self));
        let result = run();
        CHOSEN.set(before);
        result
    }

    /// Returns the processor of a name; none at all is Ivy Bridge-EP.
    fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|processor| processor.name() == name || name.is_empty())
    }

    /// Returns its name, as in the option `platform` of the machine.
    pub fn name(self) -> &'static str {
        match self {
            Self::BdxDe => "bdx-de",
            Self::Wsmex => "wsmex",
            _ => self.description().name,
        }
    }

    /// Returns its platform.
    pub fn platform(self) -> Platform {
        match self {
            Self::Ivbep => Platform::Ivbep,
            Self::Bdx | Self::BdxDe => Platform::Bdx,
            Self::Hsx => Platform::Hsx,
            Self::Jkt => Platform::Jkt,
            Self::Snb | Self::Ivb | Self::Hsw | Self::Bdw => Platform::Snb,
            Self::Nhmex | Self::Wsmex => Platform::Nhmex,
        }
    }

    /// Returns the box types of its platform, in the order of the catalogue.
    pub(crate) fn kinds(self) -> &'static [(BoxKind, Facts)] {
        static KINDS: [OnceLock<Vec<(BoxKind, Facts)>>; Processor::ALL.len()] =
            [const { OnceLock::new() }; Processor::ALL.len()];
        KINDS[self as usize].get_or_init(|| {
            let data = uncore_catalogue::Facts::of(self.name());
            let rows = data.boxes.iter();
            rows.map(|row| Facts::of(data, row, self.name())).collect()
        })
    }

    pub(crate) fn description(self) -> &'static Description {
        match self {
            Self::Ivbep => &ivbep::DESCRIPTION,
            Self::Bdx => &bdx::DESCRIPTION,
            Self::BdxDe => &bdx::DE,
            Self::Hsx => &hsx::DESCRIPTION,
            Self::Jkt => &jkt::DESCRIPTION,
            Self::Snb => &snb::DESCRIPTION,
            Self::Ivb => &snb::IVB,
            Self::Hsw => &snb::HSW,
            Self::Bdw => &snb::BDW,
            Self::Nhmex => &nhmex::DESCRIPTION,
            Self::Wsmex => &nhmex::WESTMERE,
        }
    }
}

impl Platform {
    /// All platforms.
    pub const ALL: [Self; 6] = [
        Self::Ivbep,
        Self::Bdx,
        Self::Hsx,
        Self::Jkt,
        Self::Snb,
        Self::Nhmex,
    ];

    /// Returns the platform of this run.
    pub fn current() -> Self {
        Processor::current().platform()
    }

    /// Runs something on this platform, with the usual processor, for tests that need no guest.
    pub fn on<T>(self, run: impl FnOnce() -> T) -> T {
        self.usual().on(run)
    }

    /// Returns the first platform with boxes of a type.
    pub fn with(kind: BoxKind) -> Self {
        let mut all = Self::ALL.into_iter();
        let found = all.find(|platform| platform.on(|| kind.exists()));
        found.unwrap_or_else(|| panic!("no platform with {kind:?}"))
    }

    /// Returns its processors, the usual one first.
    pub fn processors(self) -> impl Iterator<Item = Processor> {
        let all = Processor::ALL.into_iter();
        all.filter(move |processor| processor.platform() == self)
    }

    /// Returns the processor of its usual machine.
    fn usual(self) -> Processor {
        let first = self.processors().next();
        first.expect("a processor of each platform")
    }

    /// Its name in names of PMUs: that of the current processor, if that is of the platform.
    pub fn name(self) -> &'static str {
        self.description().name
    }

    /// Returns what libpfm4 calls it, and the least number of events that it has.
    pub fn libpfm4() -> (&'static str, usize) {
        let known = Processor::current().description().libpfm4;
        known.expect("a platform that libpfm4 knows")
    }

    /// Returns true if there is a part with a third link.
    pub fn has_large_part() -> bool {
        BoxKind::Qpi.exists() && BoxKind::Qpi.function(2).is_some()
    }

    /// Returns the packages of the usual machine.
    pub fn packages() -> &'static [u8] {
        Processor::current().description().packages
    }

    /// Returns the parts of tests of `uncore check` in which there is nothing to test.
    pub fn untested() -> &'static [&'static str] {
        Processor::current().description().untested
    }

    /// Returns a group that needs every counter of its box, with few legal placements.
    pub fn full_group() -> Vec<Probe> {
        let (kind, names) = Processor::current().description().full_group;
        let probes = names.iter().map(|name| Probe::new(kind, 0, name));
        probes.collect()
    }

    /// Returns pairs that cannot count at the same time.
    pub fn conflicting() -> Vec<[Probe; 2]> {
        (Processor::current().description().conflicting)()
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

    /// Returns what single tests ask for on the platform of this run.
    pub fn asked() -> &'static Asked {
        Processor::current().description().asked
    }

    /// Returns a configuration whose last package lacks some boxes of the first, if it has
    /// several.
    pub fn uneven_machine() -> Config {
        Config::default().with_all(Processor::current().description().uneven)
    }

    /// Returns the facts about the current processor if that is of the platform, else about the usual
    /// one.
    fn description(self) -> &'static Description {
        let current = Some(Processor::current()).filter(|current| current.platform() == self);
        current.unwrap_or_else(|| self.usual()).description()
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
    fn processors_have_names() {
        for processor in Processor::ALL {
            assert_eq!(Processor::named(processor.name()), Some(processor));
        }
        assert_eq!(Processor::named(""), Some(Processor::Ivbep));
        assert_eq!(Processor::named("core"), None);
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
