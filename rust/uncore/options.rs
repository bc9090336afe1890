// SPDX-License-Identifier: GPL-2.0

//! Options that the user sets when the module is loaded.
//!
//! PMUs have names of two kinds. perf finds a PMU by any name, but perf's built-in events and
//! metrics need the names of the in-tree driver, and so do other tools:
//!
//! ```text
//!                        PMU's name             its file alias    perf's built-in events
//! names=native           PLATFORM_uncore_UNIT
//!   alias=safe                                  uncore_UNIT       where no code of them is wrong
//!   alias=all                                   uncore_UNIT       for all units
//!   alias=none                                  (no file)         none
//! names=compat           uncore_UNIT            (no file)         for all units
//! ```
//!
//! Tools that look for the names of the in-tree driver write whole control registers, and filters
//! for events that take none. With `names=compat` the module accepts what the in-tree driver leaves
//! out of such requests: `request/compat.rs`.
//!
//! The in-tree driver cannot be loaded beside this one, under either kind of names: `machine/detect.rs`
//! has taken the state of CPU hotplug that it needs.

use super::{
    overflow_mode::OverflowOption,
    table::box_type::{
        BoxType,
        Platform, //
    }, //
};
use crate::linux::param;
use kernel::{
    fmt,
    prelude::*,
    str::{
        BStr,
        CString, //
    }, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

/// Options that the user sets when the module is loaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Options {
    /// Load under a hypervisor, too.
    pub(crate) allow_virtual: bool,
    /// PMUs with a second name.
    pub(crate) alias: Alias,
    /// Names of the PMUs.
    pub(crate) names: Names,
    /// Way to notice overflows.
    pub(crate) overflow: OverflowOption,
    /// Treatment of events whose registers another tool modified.
    pub(crate) tamper: Tamper,
    /// Filters that a box uses at a time, where that is uncertain.
    pub(crate) filters: Criteria,
    /// Largest share of a second, in percent, for which overflow interrupts may freeze a package.
    pub(crate) frozen_limit: u8,
}

/// PMUs that have the in-tree driver's name as a second one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Alias {
    /// PMUs of units for which no built-in event of perf is wrong.
    Safe,
    /// All.
    All,
    /// None.
    None,
}

/// Names of the PMUs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Names {
    /// Names with the platform, which no other driver has.
    Native,
    /// Names of the in-tree driver, for tools that look for exactly these.
    Compat,
}

/// Treatment of events whose registers another tool modified.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Tamper {
    /// The events end.
    #[default]
    End,
    /// The registers are set back, and the events count on.
    Warn,
    /// No register is verified.
    Off,
}

/// Filters that a box uses at a time, if the manual leaves open how many it can
/// ([`BoxType::one_criterion`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Criteria {
    /// All events with filters that count use one set of filter units.
    #[default]
    One,
    /// Events share the filters unit by unit.
    Several,
}

impl Options {
    /// Reads the parameters of the module.
    ///
    /// # Errors
    ///
    /// Errors of [`Options::new`].
    pub(crate) fn from_params() -> Result<Self> {
        Self::new(
            param::allow_virtual(),
            param::frozen_limit(),
            param::alias(),
            param::names(),
            param::overflow(),
            param::tamper(),
            param::filters(),
        )
    }

    /// Makes options of the texts of the parameters.
    ///
    /// # Errors
    ///
    /// [`EINVAL`] for a value that its parameter does not take; the log names both.
    pub(crate) fn new(
        allow_virtual: bool,
        frozen_limit: u8,
        alias: &BStr,
        names: &BStr,
        overflow: &BStr,
        tamper: &BStr,
        filters: &BStr,
    ) -> Result<Self> {
        if frozen_limit > 100 {
            pr_err!("invalid frozen_limit={frozen_limit}: use 0 to 100, in percent\n");
            return Err(EINVAL);
        }
        Ok(Self {
            allow_virtual,
            frozen_limit,
            alias: choice("alias", alias, ALIASES, "safe, all or none")?,
            names: choice("names", names, NAMES, "native or compat")?,
            overflow: choice("overflow", overflow, OVERFLOWS, "auto, pmi or poll")?,
            tamper: choice("tamper", tamper, TAMPERS, "end, warn or off")?,
            filters: choice("filters", filters, CRITERIA, "one or several")?,
        })
    }

    /// Returns `true` if PMUs of this type have the in-tree driver's name as a second one.
    pub(crate) fn has_alias(&self, kind: &BoxType) -> bool {
        let wanted = match self.alias {
            Alias::Safe => kind.builtin_events,
            Alias::All => true,
            Alias::None => false,
        };
        wanted && self.names == Names::Native
    }

    /// The name of the PMU of `boxes`, e.g. `cbox_3`.
    pub(crate) fn pmu_name(
        &self,
        platform: &Platform,
        boxes: &impl fmt::Display,
    ) -> Result<CString> {
        match self.names {
            Names::Native => CString::try_from_fmt(fmt!("{}_uncore_{boxes}", platform.name)),
            Names::Compat => CString::try_from_fmt(fmt!("uncore_{boxes}")),
        }
    }
}

// The texts of the parameters, with what each chooses.

const ALIASES: &[(&str, Alias)] = &[
    ("safe", Alias::Safe),
    ("all", Alias::All),
    ("none", Alias::None),
];

const NAMES: &[(&str, Names)] = &[("native", Names::Native), ("compat", Names::Compat)];

const OVERFLOWS: &[(&str, OverflowOption)] = &[
    ("auto", OverflowOption::Auto),
    ("pmi", OverflowOption::Interrupt),
    ("poll", OverflowOption::Poll),
];

const TAMPERS: &[(&str, Tamper)] = &[
    ("end", Tamper::End),
    ("warn", Tamper::Warn),
    ("off", Tamper::Off),
];

const CRITERIA: &[(&str, Criteria)] = &[("one", Criteria::One), ("several", Criteria::Several)];

/// The value of a parameter that is set to `text`; logs a text without one.
fn choice<T: Copy>(name: &str, text: &BStr, choices: &[(&str, T)], legal: &str) -> Result<T> {
    let mut choices = choices.iter();
    let chosen = choices.find(|(choice, _)| choice.as_bytes() == &**text);
    chosen.map(|(_, value)| *value).ok_or_else(|| {
        pr_err!("invalid {name}={text}: use {legal}\n");
        EINVAL
    })
}

impl Criteria {
    /// The choice that holds for a type of box.
    pub(crate) fn for_type(self, kind: &BoxType) -> Self {
        match kind.one_criterion {
            true => self,
            false => Criteria::Several,
        }
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Criteria::One => "one",
            Criteria::Several => "several",
        }
    }
}
