// SPDX-License-Identifier: GPL-2.0

//! The platforms and their data files.

/// A platform.
#[derive(Debug)]
pub struct Platform {
    /// Name, as in the names of its PMUs: `ivbep`.
    pub name: &'static str,
    /// Names of PMUs of other processors with the same events, or some of them.
    pub also: &'static [&'static str],
    /// Name of the processors.
    pub processors: &'static str,
    /// The platform whose overview and metrics it has, but for those of its own.
    pub like: Option<&'static str>,
    /// Metrics of Intel's manual; `None` if the manual has none.
    pub manual: Option<Manual>,
    /// The data file of the overview. A later row takes the place of the one of its name.
    pub(crate) overview: &'static str,
    /// The data files that describe its events, its own first, compressed.
    pub(crate) events: &'static [&'static [u8]],
}

/// A manual with metrics.
#[derive(Debug)]
pub struct Manual {
    /// Intel's number of it.
    pub number: &'static str,
    /// The data files, compressed. A row of a later one takes the place of the one of its name.
    pub(crate) files: &'static [&'static [u8]],
}

/// The data file of the overview of all Xeon E5, whose events are the same as far as it goes.
const OF_XEONS: &str = include_str!("../metrics/overview/xeon.csv");

/// A data file, as `build.rs` has compressed it.
macro_rules! packed {
    ($name:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".csv"))
    };
}
pub(crate) use packed;

/// Descriptions of events that all Xeon E5 have.
const EVENTS_OF_XEONS: &[u8] = packed!("events/xeon");

/// Those of events that Haswell has as well as Broadwell.
const EVENTS_OF_BROADWELL: &[u8] = packed!("events/bdx");

/// Those of Ivy Bridge-EP, and of Sandy Bridge-EP as well.
const EVENTS_OF_IVY_BRIDGE: &[u8] = packed!("events/ivbep");

/// The metrics of Ivy Bridge-EP's manual.
const METRICS_OF_IVY_BRIDGE: &[u8] = packed!("metrics/ivbep");

/// The metrics of Broadwell's manual.
const METRICS_OF_BROADWELL: &[u8] = packed!("metrics/bdx");

/// That of Broadwell and Haswell, whose C-Boxes have room on counter 0 for one event more.
const OF_BROADWELL: &str = concat!(
    include_str!("../metrics/overview/xeon.csv"),
    include_str!("../metrics/overview/bdx.csv")
);

/// That of Sandy Bridge-EP, with rows in place of some.
const OF_SANDY_BRIDGE: &str = concat!(
    include_str!("../metrics/overview/xeon.csv"),
    include_str!("../metrics/overview/jkt.csv")
);

impl Platform {
    /// All platforms.
    pub const ALL: [Platform; 6] = [
        Platform {
            name: "ivbep",
            also: &[],
            processors: "Xeon E5 v2 and E7 v2",
            like: None,
            manual: Some(Manual {
                number: "329468-002",
                files: &[METRICS_OF_IVY_BRIDGE],
            }),
            overview: OF_XEONS,
            events: &[EVENTS_OF_IVY_BRIDGE, EVENTS_OF_XEONS],
        },
        Platform {
            name: "bdx",
            also: &[],
            processors: "Xeon E5 v4, E7 v4 and D-1500",
            like: None,
            manual: Some(Manual {
                number: "334291-001",
                files: &[METRICS_OF_BROADWELL],
            }),
            overview: OF_BROADWELL,
            events: &[EVENTS_OF_BROADWELL, EVENTS_OF_XEONS],
        },
        Platform {
            name: "hsx",
            also: &[],
            processors: "Xeon E5 v3 and E7 v3",
            like: Some("bdx"),
            manual: Some(Manual {
                number: "334291-001",
                files: &[METRICS_OF_BROADWELL, packed!("metrics/hsx")],
            }),
            overview: OF_BROADWELL,
            events: &[packed!("events/hsx"), EVENTS_OF_BROADWELL, EVENTS_OF_XEONS],
        },
        Platform {
            name: "jkt",
            also: &[],
            processors: "Xeon E5 v1",
            like: Some("ivbep"),
            manual: Some(Manual {
                number: "327043-001",
                files: &[METRICS_OF_IVY_BRIDGE, packed!("metrics/jkt")],
            }),
            overview: OF_SANDY_BRIDGE,
            events: &[packed!("events/jkt"), EVENTS_OF_IVY_BRIDGE, EVENTS_OF_XEONS],
        },
        Platform {
            name: "snb",
            also: &["ivb", "hsw", "bdw"],
            processors: "Core 2xxx to 5xxx",
            like: None,
            manual: None,
            overview: include_str!("../metrics/overview/snb.csv"),
            events: &[packed!("events/snb")],
        },
        Platform {
            name: "nhmex",
            also: &[],
            processors: "Xeon 7500, 6500 and first E7",
            like: None,
            manual: None,
            overview: include_str!("../metrics/overview/nhmex.csv"),
            events: &[packed!("events/nhmex")],
        },
    ];

    /// Returns whether PMUs of this name have its events.
    pub fn is(&self, name: &str) -> bool {
        self.name == name || self.also.contains(&name)
    }

    /// Returns the platform of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.is(name))
    }
}
