// SPDX-License-Identifier: GPL-2.0

//! One metric, ready to be planned.

use crate::formula::Expr;
use crate::unit::Unit;

/// A metric of a type of box.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// Type of box, as in the name of its PMU, or the name of one box: `cbox`, `cbox_3`.
    pub box_type: String,
    /// Name of the metric.
    pub name: String,
    /// Over events only: other metrics have been put in.
    pub formula: Expr,
    /// Unit of the value.
    pub unit: Unit,
    /// Level at which the metric has a value.
    pub level: Level,
    /// In one line.
    pub description: String,
}

/// Level at which a metric has values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Each box.
    Box,
    /// Each box, and each package from the sums of every event over its boxes.
    Package,
}
