// SPDX-License-Identifier: GPL-2.0

//! The platforms that the machine can be, each as a table of what it has.
//!
//! This file has the only `match` on the platform. All else of the model takes what
//! differs from the [`Description`], or from the layout of a box.

use crate::boxes::{self, PlainFunction};
use crate::global::{self, GlobalLayout};
use crate::layout::{BoxLayout, Place};

/// A platform of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Platform {
    /// Ivy Bridge-EP/EX: Xeon E5 v2 and E7 v2.
    #[default]
    Ivbep,
    /// Broadwell-EP/EX: Xeon E5 v4 and E7 v4.
    Bdx,
}

impl Platform {
    /// The platform of a name in options.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "ivbep" => Some(Self::Ivbep),
            "bdx" => Some(Self::Bdx),
            _ => None,
        }
    }

    pub(crate) fn description(self) -> &'static Description {
        match self {
            Self::Ivbep => &IVBEP,
            Self::Bdx => &BDX,
        }
    }
}

/// The parts of a platform.
#[derive(Debug)]
pub(crate) struct Description {
    /// Every box type; their order is the order of the boxes in a package.
    pub(crate) layouts: &'static [&'static BoxLayout],
    /// The functions that hold registers but no counters.
    pub(crate) plain_functions: &'static [&'static [PlainFunction]],
    /// The function that each C-Box has beside its MSRs.
    pub(crate) cbox_function: Option<fn(u8) -> Place>,
    /// Device and function of the discovery function, on the bus of the UBox.
    pub(crate) discovery: (u8, u8),
    /// The global registers.
    pub(crate) global: GlobalLayout,
    /// Core slots of a package, and the largest number of C-Boxes.
    pub(crate) most_cores: u8,
    /// Options that other platforms do not have.
    pub(crate) options: &'static [&'static str],
}

const IVBEP: Description = Description {
    layouts: &boxes::IVBEP,
    plain_functions: &boxes::IVBEP_FUNCTIONS,
    cbox_function: Some(boxes::caching_agent),
    discovery: (11, 0),
    global: global::IVBEP,
    most_cores: 15,
    options: &[],
};

const BDX: Description = Description {
    layouts: &boxes::BDX,
    plain_functions: &boxes::BDX_FUNCTIONS,
    cbox_function: None,
    discovery: (16, 5),
    global: global::BDX,
    most_cores: 24,
    options: &["cbox-mask", "sboxes", "irp", "cto"],
};
