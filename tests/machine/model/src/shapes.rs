// SPDX-License-Identifier: GPL-2.0

//! Machines that people have listed in public (`lspci`, kernel logs, PMUs in sysfs), by the
//! processor: `shape=NAME` stands for the options that make this machine so.
//!
//! The number of cores is not among them, as it decides nothing here and cores take long to start.

use crate::Platform;

/// A machine that somebody has listed.
#[derive(Debug, Clone, Copy)]
pub struct RealShape {
    /// Its name, the processor.
    pub name: &'static str,
    /// The options of such a machine.
    pub options: &'static [(&'static str, &'static str)],
}

impl RealShape {
    fn all() -> impl Iterator<Item = &'static Self> {
        let platforms = Platform::ALL.into_iter();
        platforms.flat_map(|(_, platform)| platform.description().shapes)
    }

    /// Returns the machine of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::all().find(|shape| shape.name == name)
    }

    /// Returns the names of all, as in a sentence.
    pub(crate) fn names() -> String {
        let names: Vec<&str> = Self::all().map(|shape| shape.name).collect();
        names.join(", ")
    }
}

/// Functions that firmware hides, or that the die lacks, on Ivy Bridge-EP with up to ten cores: the
/// IRP, QPI with its match functions, the second link of R3QPI, HA1 and its channels.
const IVBEP_OF_TEN: &str = "05.6+08.2+09.2+08.6+09.6+13.6+1c.1+1e.0+1e.1+1e.4+1e.5";

/// Functions that are hidden on Broadwell-EP with two home agents: the IRP and the match functions of
/// QPI. Each controller has two of its four channels.
pub(crate) const BDX_OF_TWO_AGENTS: &str = "05.6+08.6+09.6+15.0+15.1+18.0+18.1";

pub(crate) const IVBEP: &[RealShape] = &[
    // A server with two of them.
    RealShape {
        name: "e5-2640v2",
        options: &[
            ("platform", "ivbep"),
            ("packages", "2"),
            ("cboxes", "8"),
            ("hidden", IVBEP_OF_TEN),
        ],
    },
    // A workstation with two of them.
    RealShape {
        name: "e5-2680v2",
        options: &[
            ("platform", "ivbep"),
            ("packages", "2"),
            ("cboxes", "10"),
            ("uncore-buses", "3f:7f"),
            ("iio-buses", "00:40"),
            ("hidden", IVBEP_OF_TEN),
        ],
    },
];

pub(crate) const BDX: &[RealShape] = &[
    // A server with two of them.
    RealShape {
        name: "e5-2680v4",
        options: &[
            ("platform", "bdx"),
            ("packages", "2"),
            ("cboxes", "14"),
            ("hidden", BDX_OF_TWO_AGENTS),
        ],
    },
    // A server with two of them. The functions of C-Boxes 18 to 21 have no class.
    RealShape {
        name: "e5-2699v4",
        options: &[
            ("platform", "bdx"),
            ("packages", "2"),
            ("cboxes", "22"),
            ("hidden", BDX_OF_TWO_AGENTS),
        ],
    },
    // A board for the desktop. The function of channel 4 is there, and no second controller.
    RealShape {
        name: "i7-6850k",
        options: &[
            ("platform", "bdx"),
            ("packages", "1"),
            ("cboxes", "6"),
            ("sboxes", "0"),
            ("uncore-buses", "ff"),
            ("iio-buses", "00"),
            ("dimms", "0f"),
            ("hidden", "05.6+08.2+08.6+09.2+09.6+12.5+17.1+18.0+18.1"),
        ],
    },
];

pub(crate) const BDX_DE: &[RealShape] = &[
    // The four cores of a switch's controller.
    RealShape {
        name: "d-1518",
        options: &[("platform", "bdx-de"), ("cboxes", "4"), ("hidden", "05.6")],
    },
];
