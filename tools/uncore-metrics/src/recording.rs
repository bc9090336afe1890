// SPDX-License-Identifier: GPL-2.0

//! Recordings: the intervals of a machine in a file, to be shown again elsewhere.
//!
//! A recording is text: a line of JSON that describes the machine ([`Machine`]), then the lines
//! of [`Format::Json`], one for each interval, with the values of each box. What
//! `uncore stat -A -j` writes is thus a recording without its first line.
//!
//! [`Writer`] writes each line at once. [`Reader`] takes a file whose last line was cut off, as
//! of a machine that lost power, and fields that only a later version writes.

mod reader;

use crate::output::{Format, Interval, Output};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;
use std::time::{Duration, SystemTime};

pub use crate::output::record::Wrong;
pub use reader::{Fault, ReadError, Reader};

/// Number of the format that this version writes, and the only one that it reads. New fields
/// leave it as it is.
const FORMAT: u32 = 1;

/// The first line of a recording.
#[derive(Serialize, Deserialize)]
struct Head<M> {
    /// Number of the format.
    uncore_recording: u32,
    #[serde(flatten)]
    machine: M,
}

/// Machine that is counted, or was when the recording began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Name of the platform, as in the names of its PMUs.
    pub platform: String,
    /// Version of the tool that counts.
    pub version: String,
    /// Time at which counting began: seconds since 1970 in UTC.
    pub start: u64,
    /// Packages.
    pub packages: Vec<Package>,
    /// Notes on what is not counted, and anything else the user must know.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// A package.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Package {
    /// Number of the package, as in [`Outcome`](crate::Outcome).
    pub number: u32,
    /// Names of its boxes.
    pub boxes: Vec<String>,
    /// Boxes that it lacks.
    #[serde(default)]
    pub missing: Vec<Missing>,
}

/// Boxes that are not there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// `cbox_3-14`.
    pub boxes: String,
    /// Reason.
    pub reason: String,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no {}: {}", self.boxes, self.reason)
    }
}

impl Missing {
    /// Each of them by name.
    pub fn names(&self) -> Vec<String> {
        /// More boxes of one kind than any package has.
        const MOST: u32 = 256;
        match self.split() {
            Some((unit, first, last)) if first <= last && last < MOST => (first..=last)
                .map(|index| format!("{unit}_{index}"))
                .collect(),
            _ => vec![self.boxes.clone()],
        }
    }

    fn split(&self) -> Option<(&str, u32, u32)> {
        let (unit, range) = self.boxes.rsplit_once('_')?;
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some((unit, first.parse().ok()?, last.parse().ok()?))
    }

    /// Returns whether a box, or boxes of a kind, are among them.
    pub fn has(&self, name: &str) -> bool {
        let is_kind = self.split().is_some_and(|(unit, ..)| unit == name);
        is_kind || self.names().iter().any(|known| known == name)
    }
}

impl Machine {
    /// Sets the start to the present time.
    pub fn started_now(mut self) -> Self {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        self.start = since.as_ref().map_or(0, Duration::as_secs);
        self
    }
}

/// Writer of a recording.
#[derive(Debug)]
pub struct Writer<W> {
    lines: Output<W>,
}

impl<W: io::Write> Writer<W> {
    /// Begins a recording of a machine: writes the first line to `writer`.
    pub fn new(mut writer: W, machine: &Machine) -> io::Result<Self> {
        let mut line = serde_json::to_vec(&Head {
            uncore_recording: FORMAT,
            machine,
        })?;
        line.push(b'\n');
        writer.write_all(&line)?;
        writer.flush()?;
        let lines = Output::new(Format::Json, writer);
        Ok(Writer { lines })
    }

    /// Writes an interval, whose values belong to boxes ([`Scope::Box`](crate::Scope::Box)).
    pub fn write(&mut self, interval: &Interval) -> io::Result<()> {
        self.lines.write(interval)
    }

    /// The writer.
    pub fn into_inner(self) -> W {
        self.lines.into_inner()
    }
}

#[cfg(test)]
mod tests;
