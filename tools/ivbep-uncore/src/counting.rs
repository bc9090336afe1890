// SPDX-License-Identifier: GPL-2.0

//! Counting: what fits a box, as the driver says, and groups of it on every box
//! of every package. Who counts what, and for how long, is for others to say.

mod begin;
mod driver;
mod group;
mod places;
mod session;
mod terms;

pub(crate) use begin::begin;
pub(crate) use driver::plan;
pub(crate) use group::{opens, Counts, Group, Manner, Refusal, Visit};
pub(crate) use places::{places, Place};
pub(crate) use session::{Note, Session};
