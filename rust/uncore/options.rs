// SPDX-License-Identifier: GPL-2.0

//! What the user may choose when the module is loaded.
//!
//! The names by which tools know the PMUs are of two kinds. perf finds PMUs by whatever name they
//! have, but its built-in events and metrics are tied to the names of the in-tree driver, as are
//! other tools altogether:
//!
//! ```text
//!                        PMU's name             its file alias    perf's built-in events
//! names=native           PLATFORM_uncore_UNIT
//!   alias=safe                                  uncore_UNIT       where their codes are right
//!   alias=all                                   uncore_UNIT       for all units
//!   alias=none                                  (no file)         none
//! names=compat           uncore_UNIT            (no file)         for all units
//! ```
//!
//! The in-tree driver, loaded afterwards, does not look whether somebody has the counters, whatever
//! they are called: it resets those behind MSRs and counts on them. With its own names taken it
//! loads all the same, without a PMU for them, and the kernel logs a stack trace for each.

use super::{
    box_type::{
        BoxType,
        Platform, //
    },
    name::BoxName,
    overflow::Choice, //
};
use kernel::{
    prelude::*,
    str::{
        BStr,
        CString, //
    }, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

/// What the user may choose when the module is loaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Options {
    /// Load under a hypervisor, too.
    pub(super) allow_virtual: bool,
    pub(super) alias: Alias,
    pub(super) names: Names,
    /// How overflows are noticed.
    pub(super) overflow: Choice,
}

/// Which PMUs have the in-tree driver's name as a second one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Alias {
    /// Those for whose unit perf's built-in events are right.
    Safe,
    /// All.
    All,
    /// None.
    None,
}

/// What the PMUs are called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Names {
    /// By the platform, so that nobody takes them for another driver's.
    Native,
    /// As the in-tree driver calls them, for tools that look for just these names.
    Compat,
}

impl Options {
    /// Reads the parameters.
    ///
    /// # Errors
    ///
    /// [`EINVAL`] for a text that is none of those a parameter can have; the log says which.
    pub(crate) fn new(
        allow_virtual: bool,
        alias: &BStr,
        names: &BStr,
        overflow: &BStr,
    ) -> Result<Self> {
        let choices = (Alias::of(alias), Names::of(names), Choice::of(overflow));
        let (alias, names, overflow) = match choices {
            (Some(alias), Some(names), Some(overflow)) => (alias, names, overflow),
            (None, _, _) => {
                pr_err!("alias={alias} is no choice: safe, all or none\n");
                return Err(EINVAL);
            }
            (_, None, _) => {
                pr_err!("names={names} is no choice: native or compat\n");
                return Err(EINVAL);
            }
            (_, _, None) => {
                pr_err!("overflow={overflow} is no choice: auto, pmi or poll\n");
                return Err(EINVAL);
            }
        };
        Ok(Self {
            allow_virtual,
            alias,
            names,
            overflow,
        })
    }

    /// Whether PMUs of this type have the in-tree driver's name as a second one.
    pub(super) fn has_alias(&self, kind: &BoxType) -> bool {
        let wanted = match self.alias {
            Alias::Safe => kind.builtin_events,
            Alias::All => true,
            Alias::None => false,
        };
        wanted && self.names == Names::Native
    }

    /// The name of a PMU.
    pub(super) fn pmu_name(&self, platform: &Platform, name: &BoxName) -> Result<CString> {
        match self.names {
            Names::Native => CString::try_from_fmt(fmt!("{}_uncore_{name}", platform.name)),
            Names::Compat => CString::try_from_fmt(fmt!("uncore_{name}")),
        }
    }
}

impl Alias {
    /// The choice with this name.
    fn of(text: &[u8]) -> Option<Self> {
        match text {
            b"safe" => Some(Alias::Safe),
            b"all" => Some(Alias::All),
            b"none" => Some(Alias::None),
            _ => None,
        }
    }
}

impl Names {
    /// The choice with this name.
    fn of(text: &[u8]) -> Option<Self> {
        match text {
            b"native" => Some(Names::Native),
            b"compat" => Some(Names::Compat),
            _ => None,
        }
    }
}
