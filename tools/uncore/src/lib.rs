// SPDX-License-Identifier: GPL-2.0

//! Shows what the uncore counters of `uncore_rs` can measure on a machine, and
//! what prevents it.
//!
//! [`Root`] reads files, [`system`] makes PMUs, events and a map of them, and
//! each command makes its report from those. Only the commands that count or
//! change drivers touch anything else: all others work on a recorded system, too.

mod bandwidth;
mod boot;
pub mod check;
pub mod cli;
mod counting;
pub mod diff;
pub mod doctor;
pub mod doubts;
mod drawing;
mod encode;
mod error;
pub mod explain;
pub mod export;
pub mod handover;
pub mod list;
mod mean;
mod names;
mod outcome;
mod overview;
pub mod platform;
mod replay;
mod request;
mod root;
mod run;
mod sampler;
#[cfg(test)]
mod scene;
pub mod stat;
pub mod survey;
pub mod system;
mod table;
pub mod terminal;
pub mod top;
pub mod topology;
mod version;
mod waiting;

pub use error::Error;
pub use outcome::Outcome;
pub use root::Root;
pub use run::run;
