// SPDX-License-Identifier: GPL-2.0

//! Writing metrics, one finished interval at a time.
//!
//! An interval is made ready as a whole, then written at once and flushed: who interrupts the
//! program loses no interval that was over.

pub(crate) mod record;
mod table;

use crate::outcome::Outcome;
use crate::round::Prefixes;
use record::Record;
use std::io;

/// The metrics of an interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    /// When it ended, in seconds since the start.
    pub end: f64,
    /// Length of the interval in seconds.
    pub seconds: f64,
    /// The metrics.
    pub outcomes: Vec<Outcome>,
}

/// Format of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people: values are rounded, see `round.rs`.
    Table,
    /// One line for each metric, one head line. The fields are separated by this byte.
    Csv(u8),
    /// One object on a line of its own for each interval.
    Json,
}

/// Writer of intervals.
#[derive(Debug)]
pub struct Output<W> {
    format: Format,
    prefixes: Prefixes,
    writer: W,
    has_head: bool,
}

impl<W: io::Write> Output<W> {
    /// Writes to `writer`.
    pub const fn new(format: Format, writer: W) -> Self {
        Output {
            format,
            prefixes: Prefixes::Si,
            writer,
            has_head: false,
        }
    }

    /// Shows bytes in tables with these prefixes.
    pub fn with_prefixes(self, prefixes: Prefixes) -> Self {
        Output { prefixes, ..self }
    }

    /// Writes an interval.
    pub fn write(&mut self, interval: &Interval) -> io::Result<()> {
        let text = match self.format {
            Format::Table => table::table(interval, self.prefixes).into_bytes(),
            Format::Csv(separator) => csv_lines(interval, separator, !self.has_head)?,
            Format::Json => record::json_line(interval)?,
        };
        self.writer.write_all(&text)?;
        self.has_head = true;
        self.writer.flush()
    }

    /// The writer.
    pub fn into_inner(self) -> W {
        self.writer
    }
}

fn csv_lines(interval: &Interval, separator: u8, with_head: bool) -> io::Result<Vec<u8>> {
    let mut lines = csv::WriterBuilder::new()
        .has_headers(false)
        .delimiter(separator)
        .from_writer(Vec::new());
    if with_head {
        lines.write_record(Record::COLUMNS)?;
    }
    for outcome in &interval.outcomes {
        lines.serialize((interval.end, Record::of(outcome)))?;
    }
    lines.into_inner().map_err(csv::IntoInnerError::into_error)
}

#[cfg(test)]
mod tests;
