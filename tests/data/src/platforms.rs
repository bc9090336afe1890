// SPDX-License-Identifier: GPL-2.0

//! The list of platforms, with the files of their folders, and of what the definition of counts
//! tells apart.

use crate::Processor;

/// The files of a platform, as text.
pub(crate) struct Texts {
    pub(crate) name: &'static str,
    pub(crate) processors: &'static str,
    pub(crate) events: &'static str,
    pub(crate) metrics: &'static str,
    pub(crate) boxes: &'static str,
    pub(crate) registers: &'static str,
    pub(crate) fields: &'static str,
    pub(crate) machines: &'static str,
    pub(crate) readings: &'static str,
    pub(crate) mutants: &'static str,
    pub(crate) flows: &'static str,
}

macro_rules! texts {
    ($($name:literal),*) => {
        [$(Texts {
            name: $name,
            processors: include_str!(concat!("../", $name, "/processors.csv")),
            events: include_str!(concat!("../", $name, "/events.csv")),
            metrics: include_str!(concat!("../", $name, "/metrics.csv")),
            boxes: include_str!(concat!("../", $name, "/boxes.csv")),
            registers: include_str!(concat!("../", $name, "/registers.csv")),
            fields: include_str!(concat!("../", $name, "/fields.csv")),
            machines: include_str!(concat!("../", $name, "/machines.csv")),
            readings: include_str!(concat!("../", $name, "/readings.csv")),
            mutants: include_str!(concat!("../", $name, "/mutants.csv")),
            flows: include_str!(concat!("../", $name, "/flows.csv")),
        }),*]
    };
}

/// The platforms: one folder each.
pub(crate) const TEXTS: [Texts; 6] = texts!("ivbep", "bdx", "hsx", "jkt", "snb", "nhmex");

/// The platform of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    /// Xeon E5 v2 and E7 v2.
    Ivbep,
    /// Xeon E5 v4 and E7 v4.
    Bdx,
    /// Core 2xxx to 4xxx, of which the first has all events.
    Snb,
    /// Core 5xxx, which has other events.
    Bdw,
    /// Xeon 7500.
    Nhmex,
    /// The first Xeon E7, whose M-Box has fields in other places.
    Wsmex,
}

impl Platform {
    /// All platforms.
    pub const ALL: [Self; 6] = [
        Self::Ivbep,
        Self::Bdx,
        Self::Snb,
        Self::Bdw,
        Self::Nhmex,
        Self::Wsmex,
    ];

    /// Returns the name of its usual processor.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ivbep => "ivbep",
            Self::Bdx => "bdx",
            Self::Snb => "snb",
            Self::Bdw => "bdw",
            Self::Nhmex => "nhmex",
            Self::Wsmex => "wsmex",
        }
    }

    /// Returns that of a processor; none for one whose boxes are all another one's.
    pub fn of(processor: &Processor) -> Option<Self> {
        let names = [&processor.name, &processor.like];
        let mut all = Self::ALL.into_iter();
        all.find(|platform| names.iter().any(|name| *name == platform.name()))
    }

    /// Tells if it is a client: without filters, with umask bits that ask for an attribute.
    pub fn is_client(self) -> bool {
        matches!(self, Self::Snb | Self::Bdw)
    }

    /// Tells if it has an uncore of boxes with event selects in several fields.
    pub fn has_sub_registers(self) -> bool {
        matches!(self, Self::Nhmex | Self::Wsmex)
    }

    /// Returns by how many bits fields of the M-Box behind FVID are higher.
    pub fn wider_fvid(self) -> u32 {
        (self == Self::Wsmex).into()
    }
}

#[cfg(test)]
mod tests {
    use crate::rows_of;

    #[test]
    fn every_row_is_read() {
        // The sources have 1338 rows of bdx, 1334 of hsx, 564 of jkt and 970 of both models of nhmex;
        // fixed counters are none, and jkt has no IRP.
        for (name, rows) in [
            ("ivbep", 1078),
            ("bdx", 1336),
            ("bdx-de", 1336),
            ("hsx", 1332),
            ("jkt", 525),
            ("snb", 47),
            ("ivb", 47),
            ("hsw", 45),
            ("bdw", 31),
            ("nhmex", 604 + 141),
            ("wsmex", 604 + 224),
        ] {
            assert_eq!(rows_of(name).len(), rows, "{name}");
        }
    }
}
