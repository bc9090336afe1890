// SPDX-License-Identifier: GPL-2.0

//! The platforms that the machine can be, each as a table of what it has.
//!
//! This file has the only `match` on the platform. All else of the model takes what
//! differs from the [`Description`], or from the layout of a box.

mod hsx;
mod jkt;
mod nhmex;
mod snb;

use crate::boxes::{self, PlainFunction};
use crate::global::{self, GlobalLayout};
use crate::host_bridge::BridgeLayout;
use crate::layout::{BoxLayout, Place, SBOXES};
use crate::shapes::{self, RealShape};
use crate::topology::ALL_CHANNELS;
use std::sync::LazyLock;

/// A platform of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Platform {
    /// Ivy Bridge-EP/EX: Xeon E5 v2 and E7 v2.
    #[default]
    Ivbep,
    /// Broadwell-EP/EX: Xeon E5 v4 and E7 v4.
    Bdx,
    /// Broadwell-DE: Xeon D-1500.
    BdxDe,
    /// Haswell-EP/EX: Xeon E5 v3 and E7 v3.
    Hsx,
    /// Sandy Bridge-EP: Xeon E5.
    Jkt,
    /// Sandy Bridge client: Core 2xxx.
    Snb,
    /// Ivy Bridge client: Core 3xxx.
    Ivb,
    /// Haswell client: Core 4xxx.
    Hsw,
    /// Broadwell client: Core 5xxx.
    Bdw,
    /// Nehalem-EX: Xeon 7500.
    Nhmex,
    /// Westmere-EX: the first Xeon E7.
    Wsmex,
}

impl Platform {
    /// All platforms, with their names in options.
    pub const ALL: [(&'static str, Self); 11] = [
        ("ivbep", Self::Ivbep),
        ("bdx", Self::Bdx),
        ("bdx-de", Self::BdxDe),
        ("hsx", Self::Hsx),
        ("jkt", Self::Jkt),
        ("snb", Self::Snb),
        ("ivb", Self::Ivb),
        ("hsw", Self::Hsw),
        ("bdw", Self::Bdw),
        ("nhmex", Self::Nhmex),
        ("wsmex", Self::Wsmex),
    ];

    /// The platform of a name in options.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        let (_, found) = all.find(|(known, _)| *known == name)?;
        Some(found)
    }

    /// The names in options.
    pub(crate) fn names() -> String {
        Self::ALL.map(|(name, _)| name).join(", ")
    }

    /// Returns the name in options.
    pub fn name(self) -> &'static str {
        let mut all = Self::ALL.into_iter();
        let found = all.find(|(_, known)| *known == self);
        found.map_or("", |(name, _)| name)
    }

    /// Tells if its memory controller has counters, which are in memory behind the host bridge.
    pub fn has_memory_counters(self) -> bool {
        self.description().host_bridge.is_some()
    }

    pub(crate) fn description(self) -> &'static Description {
        match self {
            Self::Ivbep => &IVBEP,
            Self::Bdx => &BDX,
            Self::BdxDe => &BDX_DE,
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

/// The PCI functions of a platform.
#[derive(Debug)]
pub(crate) struct PciSide {
    /// The functions that hold registers but no counters.
    pub(crate) plain_functions: &'static [&'static [PlainFunction]],
    /// The upper byte of their device IDs, and of those of the C-Boxes. The lower byte is the same on
    /// some platforms.
    pub(crate) ids: u16,
    /// The function that each C-Box has beside its MSRs.
    pub(crate) cbox_function: fn(u8) -> Place,
    /// Device and function of the discovery function, on the bus of the UBox.
    pub(crate) discovery: (u8, u8),
    /// Bus of the UBox if there is one package only.
    pub(crate) lone_bus: u8,
}

impl PciSide {
    /// Returns the place of a function that holds no counters.
    pub(crate) fn plain(&self, place: Place) -> Place {
        let id = self.ids | place.id & 0xff;
        Place { id, ..place }
    }
}

/// The parts of a platform.
#[derive(Debug)]
pub(crate) struct Description {
    /// Every box type; their order is the order of the boxes in a package.
    pub(crate) layouts: &'static LazyLock<Vec<&'static BoxLayout>>,
    /// The PCI functions, if the uncore has any.
    pub(crate) pci: Option<PciSide>,
    /// The host bridge, if the memory controller has counters behind it.
    pub(crate) host_bridge: Option<&'static BridgeLayout>,
    /// The global registers.
    pub(crate) global: &'static GlobalLayout,
    /// The largest number of packages.
    pub(crate) most_packages: u8,
    /// Core slots of a package, and the largest number of C-Boxes.
    pub(crate) most_cores: u8,
    /// The largest number of home agents of a package.
    pub(crate) most_home_agents: u8,
    /// S-Boxes of a package, if no option says otherwise.
    pub(crate) sboxes: u8,
    /// S-Boxes of a small part, whose fuses name none.
    pub(crate) fewest_sboxes: u8,
    /// Bit k: channel k has memory, if no option says otherwise.
    pub(crate) channels: u32,
    /// Options that other platforms do not have.
    pub(crate) options: &'static [&'static str],
    /// Machines that people have listed.
    pub(crate) shapes: &'static [RealShape],
}

/// Options of servers: the first seven of all, the next one where there are two parts.
const SERVER_OPTIONS: [&str; 11] = [
    "uncore-buses",
    "iio-buses",
    "nodes",
    "gidnidmap",
    "hidden",
    "dimms",
    "cbox-mask",
    "part",
    "sboxes",
    "home-agents",
    "cluster-on-die",
];

const IVBEP: Description = Description {
    layouts: &boxes::IVBEP,
    pci: Some(PciSide {
        plain_functions: &boxes::IVBEP_FUNCTIONS,
        ids: 0x0e00,
        cbox_function: boxes::caching_agent,
        discovery: (11, 0),
        lone_bus: 0x7f,
    }),
    host_bridge: None,
    global: &global::IVBEP,
    most_packages: 8,
    most_cores: 15,
    most_home_agents: 2,
    sboxes: 0,
    fewest_sboxes: 0,
    channels: ALL_CHANNELS,
    options: SERVER_OPTIONS.split_at(8).0,
    shapes: shapes::IVBEP,
};

const BDX_PCI: PciSide = PciSide {
    plain_functions: &boxes::BDX_FUNCTIONS,
    ids: 0x6f00,
    cbox_function: boxes::caching_agent_bdx,
    discovery: (16, 5),
    lone_bus: 0x7f,
};

const BDX: Description = Description {
    layouts: &boxes::BDX,
    pci: Some(BDX_PCI),
    global: &global::BDX,
    most_cores: 24,
    sboxes: SBOXES,
    options: &SERVER_OPTIONS,
    shapes: shapes::BDX,
    ..IVBEP
};

/// SPEC: the fuses are where BDX has them, and two of four channels have no memory (B-21).
const BDX_DE: Description = Description {
    layouts: &boxes::BDX_DE,
    pci: Some(PciSide {
        plain_functions: &boxes::BDX_DE_FUNCTIONS,
        lone_bus: 0xff,
        ..BDX_PCI
    }),
    most_packages: 1,
    most_home_agents: 1,
    sboxes: 0,
    channels: 0x03,
    options: SERVER_OPTIONS.split_at(7).0,
    shapes: shapes::BDX_DE,
    ..BDX
};

/// A platform whose uncore has no PCI functions, and so no memory channels that can be programmed.
const WITHOUT_PCI: Description = Description {
    pci: None,
    most_home_agents: 0,
    channels: 0,
    options: &[],
    shapes: &[],
    ..IVBEP
};
