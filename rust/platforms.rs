// SPDX-License-Identifier: GPL-2.0

//! The platforms that the driver knows, one folder each.
//!
//! A platform is data: [`Platform`] and the tables of its box types. No platform names the folder
//! of another; what several have in common is in [`xeon`].

use crate::uncore::table::box_type::Platform;

mod bdx;
mod ivbep;
mod nhmex;
mod snb;
mod xeon;

pub(crate) const ALL: &[&Platform] = &[
    &ivbep::IVBEP,
    &bdx::BDX,
    &bdx::BDX_DE,
    &snb::SNB,
    &nhmex::NHMEX,
    &nhmex::WSMEX,
];
