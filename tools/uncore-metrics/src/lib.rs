// SPDX-License-Identifier: GPL-2.0

//! Metrics derived from uncore events: what to count for them, and what the counts say.
//!
//! The way of a metric: [`Catalogue`] reads the data file of a platform, as
//! `metrics/ivbep.csv`, and gives [`Metric`]s, each
//! with an [`Expr`] over [`Term`]s. [`Plan`] puts the terms into groups that fit a box, as the
//! caller's [`Fit`] says. The caller opens the groups and reads them once per interval
//! ([`BoxReading`]); [`Plan::evaluate`] makes [`Outcome`]s of that, and [`Output`] writes them.
//!
//! Nothing here opens a file or a counter. No name of an event is known but from the data file.
//!
//! ```
//! use uncore_metrics::{BoxReading, BoxType, Catalogue, Format, Interval, Output, Plan, Scope};
//! use std::collections::BTreeMap;
//!
//! // What sysfs says; here a machine without boxes.
//! let boxes: BTreeMap<String, BoxType> = BTreeMap::new();
//! let metrics = Catalogue::of("ivbep")?.metrics(&[0, 1])?;
//! let plan = Plan::new(metrics, &boxes);
//! // Open plan.groups on each box of each package.
//! let mut output = Output::new(Format::Table, std::io::stdout());
//! let readings: Vec<BoxReading> = Vec::new();
//! let outcomes = plan.evaluate(&readings, Scope::Package);
//! output.write(&Interval { end: 1.0, seconds: 1.0, outcomes })?;
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! `formula.rs` has the language of formulas, `unit.rs` the units, `round.rs` the rounding of
//! values, `recording.rs` files of intervals that are read back.

mod box_type;
mod catalogue;
mod description;
mod fit;
mod formula;
pub mod layout;
mod metric;
mod outcome;
mod output;
mod page;
mod plan;
mod platform;
mod reading;
pub mod recording;
mod round;
mod sparing;
mod term;
#[cfg(test)]
mod testing;
mod unit;

pub use box_type::{BoxType, Event};
pub use catalogue::{rows, Catalogue, CatalogueError, Problem, Row};
pub use description::{glossary, Descriptions, Word};
pub use fit::{Fit, Misfit};
pub use formula::{Expr, Inputs, Op, ParseError, Undefined, Unexpected};
pub use metric::{Level, Metric};
pub use outcome::{Outcome, Scope};
pub use output::{Format, Interval, Output};
pub use page::{page, questions};
pub use plan::{Group, Input, Plan, Planned, Unplanned};
pub use platform::{Manual, Platform};
pub use reading::{BoxReading, GroupReading, NoValue};
pub use round::{number, prefixed, rounded, Digits, Prefixes};
pub use sparing::sparing;
pub use term::{NoSuchNode, Nodes, Term, Value};
pub use unit::Unit;
