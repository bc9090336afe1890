// SPDX-License-Identifier: GPL-2.0

//! The platforms that the driver knows, one folder each.
//!
//! A platform is data: [`Platform`] and the tables of its box types. What several have in common is
//! in [`xeon`]. A platform that is the design of another one names its folder, and states what
//! differs ([`like`]).

use crate::uncore::table::box_type::Platform;

mod bdx;
mod hsx;
mod ivbep;
mod jkt;
mod like;
mod nhmex;
mod snb;
mod xeon;

pub(crate) const ALL: &[&Platform] = &[
    &ivbep::IVBEP,
    &jkt::JKT,
    &bdx::BDX,
    &bdx::BDX_DE,
    &hsx::HSX,
    &snb::SNB,
    &snb::IVB,
    &snb::HSW,
    &snb::BDW,
    &nhmex::NHMEX,
    &nhmex::WSMEX,
];
