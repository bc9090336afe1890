// SPDX-License-Identifier: GPL-2.0

//! The platforms that have metrics.

/// A platform and its data file.
#[derive(Debug)]
pub struct Platform {
    /// Name, as in the names of its PMUs: `ivbep`.
    pub name: &'static str,
    /// Name of the processors.
    pub processors: &'static str,
    /// Number of Intel's manual whose metrics the file has.
    pub manual: &'static str,
    /// The data file.
    pub(crate) file: &'static str,
}

impl Platform {
    /// All platforms.
    pub const ALL: [Platform; 2] = [
        Platform {
            name: "ivbep",
            processors: "Xeon E5 v2 and E7 v2",
            manual: "329468-002",
            file: include_str!("../metrics/ivbep.csv"),
        },
        Platform {
            name: "bdx",
            processors: "Xeon E5 v4, E7 v4 and D-1500",
            manual: "334291-001",
            file: include_str!("../metrics/bdx.csv"),
        },
    ];
}
