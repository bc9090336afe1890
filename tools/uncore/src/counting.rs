// SPDX-License-Identifier: GPL-2.0

//! Counting: plans groups of events that the driver accepts, and runs them on every box
//! of every package. The commands choose the events and the time.

mod clock;
mod driver;
mod energy;
mod group;
mod places;
mod session;

pub(crate) use clock::Clock;
pub(crate) use driver::plan;
pub(crate) use energy::Energy;
pub(crate) use group::{
    is_allowed, opens, remedy, Counts, CpuPin, Group, Hold, Manner, Refusal, RESTRICTED,
};
pub(crate) use places::{begin, own_nodes, places, places_on, Place};
pub(crate) use session::{Note, Session};
