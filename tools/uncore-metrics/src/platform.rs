// SPDX-License-Identifier: GPL-2.0

//! The platforms and their data files.

/// A platform.
#[derive(Debug)]
pub struct Platform {
    /// Name, as in the names of its PMUs: `ivbep`.
    pub name: &'static str,
    /// Name of the processors.
    pub processors: &'static str,
    /// Metrics of Intel's manual; `None` if the manual has none.
    pub manual: Option<Manual>,
    /// The data file of the overview.
    pub(crate) overview: &'static str,
    /// The data files that describe its events, its own first, compressed.
    pub(crate) events: &'static [&'static [u8]],
}

/// A manual with metrics.
#[derive(Debug)]
pub struct Manual {
    /// Intel's number of it.
    pub number: &'static str,
    /// The data file.
    pub(crate) file: &'static str,
}

/// The data file of the overview of both Xeon E5, whose events are the same as far as it goes.
const OF_XEONS: &str = include_str!("../metrics/overview/xeon.csv");

/// A file of descriptions, as `build.rs` has compressed it.
macro_rules! events {
    ($name:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".csv"))
    };
}
pub(crate) use events;

/// Descriptions of events that both Xeon E5 have.
const EVENTS_OF_XEONS: &[u8] = events!("xeon");

/// That of Broadwell, whose C-Boxes have room on counter 0 for one event more.
const OF_BROADWELL: &str = concat!(
    include_str!("../metrics/overview/xeon.csv"),
    include_str!("../metrics/overview/bdx.csv")
);

impl Platform {
    /// All platforms.
    pub const ALL: [Platform; 4] = [
        Platform {
            name: "ivbep",
            processors: "Xeon E5 v2 and E7 v2",
            manual: Some(Manual {
                number: "329468-002",
                file: include_str!("../metrics/ivbep.csv"),
            }),
            overview: OF_XEONS,
            events: &[events!("ivbep"), EVENTS_OF_XEONS],
        },
        Platform {
            name: "bdx",
            processors: "Xeon E5 v4, E7 v4 and D-1500",
            manual: Some(Manual {
                number: "334291-001",
                file: include_str!("../metrics/bdx.csv"),
            }),
            overview: OF_BROADWELL,
            events: &[events!("bdx"), EVENTS_OF_XEONS],
        },
        Platform {
            name: "snb",
            processors: "Core 2xxx",
            manual: None,
            overview: include_str!("../metrics/overview/snb.csv"),
            events: &[events!("snb")],
        },
        Platform {
            name: "nhmex",
            processors: "Xeon 7500, 6500 and first E7",
            manual: None,
            overview: include_str!("../metrics/overview/nhmex.csv"),
            events: &[events!("nhmex")],
        },
    ];

    /// Returns the platform of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name == name)
    }
}
