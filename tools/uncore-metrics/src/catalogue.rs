// SPDX-License-Identifier: GPL-2.0

//! The data files of metrics, one for each platform, and the metrics of a machine made from one.
//!
//! A file has a row for each metric of the manual, in the manual's order; [`Row`] has its columns.
//!
//! The manual's SAMPLE_INTERVAL is the box's own clockticks, counted in the group of the events that
//! are divided by them. Where it adds events that differ in the umask only and exclude each other
//! in a clock, one counter counts them all (ACT of reads, writes and bypasses; CAS of reads and
//! writes), so that the page metrics fit one group.

mod expand;

use crate::formula::ParseError;
use crate::metric::Level;
use crate::metric::Metric;
use crate::platform::Platform;
use crate::unit::Unit;
use expand::Each;
use flate2::read::GzDecoder;
use serde::de::DeserializeOwned;
use serde::Deserialize;
use std::io;

/// The rows of a data file.
#[derive(Clone, Debug)]
pub struct Catalogue {
    rows: Vec<Row>,
}

/// A row, as it is in the file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Row {
    /// Type of box, as in the name of its PMU.
    #[serde(rename = "box")]
    pub box_type: String,
    /// Name; `<x>` stands for the number that `each` runs over.
    pub metric: String,
    /// Numbers that replace x: a range as `x=0-7`, or `x=nodes`, the node IDs of the machine. Empty
    /// for one metric.
    pub each: String,
    /// The formula, in the language of [`Expr`](crate::Expr), over events by their names in
    /// `events/`, with fields in braces as in `format/`, and over other metrics of the box type by
    /// name. Empty if left out.
    pub formula: String,
    /// Symbol of the unit. The value is 100 times that of the formula if the unit is `%`.
    pub unit: String,
    /// `package`: for each box, and for a package from the sums of each event over its boxes.
    /// `box`: for each box only.
    pub level: String,
    /// Section of the manual.
    pub section: String,
    /// Reason why the metric is left out; empty if it is not.
    #[serde(rename = "left out")]
    pub left_out: String,
    /// In one line.
    pub description: String,
}

/// Reason why there are no metrics.
#[derive(Debug, thiserror::Error)]
#[expect(
    missing_docs,
    reason = "the message of a variant says what its fields are"
)]
pub enum CatalogueError {
    /// No data file is that of the platform.
    #[error("there are no metrics for the platform {0}")]
    NoMetrics(String),
    /// The file is not a CSV file of rows.
    #[error("cannot read the metrics: {0}")]
    File(#[from] csv::Error),
    /// A row is wrong.
    #[error("metric {metric} of {box_type}: {problem}")]
    Row {
        box_type: String,
        metric: String,
        problem: Problem,
    },
}

/// Fault of a row.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The formula is none.
    #[error("formula: {0}")]
    Formula(#[from] ParseError),
    /// Unknown unit.
    #[error("unit: not a unit")]
    Unit,
    /// Unknown level.
    #[error("level: neither box nor package")]
    Level,
    /// `each` is neither empty nor a range nor the nodes.
    #[error("each: neither empty nor x=nodes nor a range such as x=0-7")]
    Each,
    /// The name is there twice.
    #[error("there is another of this name")]
    Twice,
    /// The formula needs its own value.
    #[error("formula: it needs its own value")]
    Circle,
}

impl Catalogue {
    /// The manual's metrics of a platform, by the name in those of its PMUs: `ivbep`. The data
    /// files are well formed, as tests say, so that this fails if the platform has none.
    pub fn of(platform: &str) -> Result<Self, CatalogueError> {
        let manual = Platform::named(platform).and_then(|known| known.manual);
        let manual = manual.ok_or_else(|| CatalogueError::NoMetrics(platform.to_owned()))?;
        let mut all = Vec::new();
        for file in manual.files {
            for row in Self::read(GzDecoder::new(*file))?.rows {
                if let Some(row) = replaced(&mut all, row) {
                    let mut others = all.iter();
                    let last = others.rposition(|other| other.box_type == row.box_type);
                    all.insert(last.map_or(all.len(), |last| last + 1), row);
                }
            }
        }
        Ok(Self { rows: all })
    }

    /// The metrics that give an overview of a machine of a platform: amounts that only grow. All
    /// events of a box count at once. The names are `PART_WHAT_UNIT`; `PART_capacity_bytes` is
    /// the peak of all that is in bytes there, and `PART_clock_cycles` of all that is in cycles.
    pub fn overview(platform: &str) -> Result<Self, CatalogueError> {
        let known = Platform::named(platform);
        let known = known.ok_or_else(|| CatalogueError::NoMetrics(platform.to_owned()))?;
        let mut all = Vec::new();
        for row in Self::read(known.overview.as_bytes())?.rows {
            let new = replaced(&mut all, row);
            all.extend(new);
        }
        Ok(Self { rows: all })
    }

    /// Reads a data file.
    pub fn read(file: impl io::Read) -> Result<Self, CatalogueError> {
        Ok(Self { rows: rows(file)? })
    }

    /// The rows, in the order of the file.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// All metrics of a machine with these node IDs, in the order of the file.
    pub fn metrics(&self, nodes: &[u8]) -> Result<Vec<Metric>, CatalogueError> {
        let mut metrics = Vec::new();
        for row in self.rows.iter().filter(|row| row.left_out.is_empty()) {
            row.expand(nodes, &mut metrics)
                .map_err(|problem| row.wrong(problem))?;
        }
        expand::put_in(&metrics).map_err(|(at, problem)| CatalogueError::Row {
            box_type: at.box_type.clone(),
            metric: at.name.clone(),
            problem,
        })
    }
}

/// Puts a row in place of the one of its name, or returns it if there is none.
fn replaced(all: &mut [Row], row: Row) -> Option<Row> {
    let is_it = |other: &&mut Row| (&other.box_type, &other.metric) == (&row.box_type, &row.metric);
    match all.iter_mut().find(is_it) {
        Some(other) => *other = row,
        None => return Some(row),
    }
    None
}

/// Reads the rows of a data file.
pub fn rows<T: DeserializeOwned>(file: impl io::Read) -> Result<Vec<T>, CatalogueError> {
    let mut reader = csv::ReaderBuilder::new();
    let reader = reader.comment(Some(b'#')).from_reader(file);
    Ok(reader.into_deserialize().collect::<Result<_, _>>()?)
}

impl Row {
    /// Returns whether it has a name, with or without the type of box, and with or without a number
    /// in place of `<x>`.
    pub fn is_called(&self, name: &str) -> bool {
        let of_box = name
            .split_once('.')
            .filter(|(kind, _)| *kind == self.box_type);
        let name = of_box.map_or(name, |(_, name)| name);
        let number = self.metric.split_once("<x>").and_then(|(before, after)| {
            let rest = name.strip_prefix(before)?;
            rest.strip_suffix(after)?.parse::<u8>().ok()
        });
        name == self.metric || number.is_some()
    }

    fn wrong(&self, problem: Problem) -> CatalogueError {
        CatalogueError::Row {
            box_type: self.box_type.clone(),
            metric: self.metric.clone(),
            problem,
        }
    }

    /// Appends the metrics that the row stands for.
    fn expand(&self, nodes: &[u8], metrics: &mut Vec<Metric>) -> Result<(), Problem> {
        let each: Each = self.each.parse()?;
        let unit = Unit::of(&self.unit).ok_or(Problem::Unit)?;
        let level = match self.level.as_str() {
            "box" => Level::Box,
            "package" => Level::Package,
            _ => return Err(Problem::Level),
        };
        for number in each.numbers(nodes) {
            let text = |text: &str| match number {
                Some(number) => text.replace("<x>", &number.to_string()),
                None => text.to_owned(),
            };
            let name = text(&self.metric);
            let same = |other: &Metric| other.box_type == self.box_type && other.name == name;
            if metrics.iter().any(same) {
                return Err(Problem::Twice);
            }
            metrics.push(Metric {
                box_type: self.box_type.clone(),
                name,
                formula: text(&self.formula).parse()?,
                unit,
                level,
                description: text(&self.description),
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
