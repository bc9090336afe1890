// SPDX-License-Identifier: GPL-2.0

//! Reading a recording back.

use super::{Head, Machine, FORMAT};
use crate::output::record::{Line, Wrong};
use crate::output::Interval;
use serde::Deserialize;
use std::io::{self, BufRead, Read as _};

/// Bytes of the longest line that is read. All metrics of all boxes of eight packages need less
/// than a tenth of it.
const LONGEST: u64 = 16 << 20;

/// Reader of a recording: an iterator of its intervals, which ends after the first error.
#[derive(Debug)]
pub struct Reader<R> {
    name: String,
    file: R,
    machine: Machine,
    /// Number of the last line that was read.
    line: u64,
    /// End of the last interval.
    end: f64,
    is_over: bool,
    note: Option<String>,
}

/// A recording cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{name}:{line}: {fault}")]
pub struct ReadError {
    /// Name of the file.
    pub name: String,
    /// Number of the line.
    pub line: u64,
    /// The fault.
    pub fault: Fault,
}

/// Fault of a recording.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Read(io::Error),
    /// The first line describes no machine.
    #[error("not a recording, which begins with a description of the machine: {0}")]
    NoHead(String),
    /// The format has another number.
    #[error("format {0} of a recording; this version reads format {FORMAT}")]
    OtherFormat(u32),
    /// The line is longer than any interval.
    #[error("longer than {} MiB, so it is no interval", LONGEST >> 20)]
    TooLong,
    /// The line is not the JSON of an interval.
    #[error("not an interval: {0}")]
    NotAnInterval(String),
    /// A metric of the interval is wrong.
    #[error("{metric}: {wrong}")]
    Metric {
        /// Name of the metric.
        metric: String,
        /// The fault.
        wrong: Wrong,
    },
    /// The length of the interval is no time.
    #[error("an interval of {0} s")]
    Length(f64),
    /// The interval ends before the one above.
    #[error("an interval that ended at {0} s, after one that ended at {1} s")]
    Backwards(f64, f64),
}

impl<R: BufRead> Reader<R> {
    /// Begins to read the recording with this name: reads the first line.
    pub fn new(name: impl Into<String>, reader: R) -> Result<Self, ReadError> {
        let mut reader = Reader {
            name: name.into(),
            file: reader,
            machine: Machine::default(),
            line: 0,
            end: 0.0,
            is_over: false,
            note: None,
        };
        match reader.head() {
            Ok(machine) => reader.machine = machine,
            Err(fault) => return Err(reader.error(fault)),
        }
        Ok(reader)
    }

    /// The machine.
    pub const fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Note on the end of the recording, once it is read.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    fn head(&mut self) -> Result<Machine, Fault> {
        /// The number alone, since all else may differ in another format.
        #[derive(Deserialize)]
        struct Number {
            uncore_recording: u32,
        }
        let line = self.line()?.unwrap_or_default();
        let no_head = |error| Fault::NoHead(told(&error));
        let number: Number = serde_json::from_slice(&line).map_err(no_head)?;
        if number.uncore_recording != FORMAT {
            return Err(Fault::OtherFormat(number.uncore_recording));
        }
        let head: Head<Machine> = serde_json::from_slice(&line).map_err(no_head)?;
        Ok(head.machine)
    }

    fn interval(&mut self) -> Result<Option<Interval>, Fault> {
        let Some(text) = self.line()? else {
            return Ok(None);
        };
        let line: Line = match serde_json::from_slice(&text) {
            Ok(line) => line,
            Err(error) if error.is_eof() && !text.ends_with(b"\n") => {
                self.note = Some(format!(
                    "{}:{}: the last interval is not complete and is left out",
                    self.name, self.line
                ));
                return Ok(None);
            }
            Err(error) => return Err(Fault::NotAnInterval(told(&error))),
        };
        let interval = line
            .interval()
            .map_err(|(metric, wrong)| Fault::Metric { metric, wrong })?;
        if interval.seconds < 0.0 {
            return Err(Fault::Length(interval.seconds));
        }
        if interval.end < self.end {
            return Err(Fault::Backwards(interval.end, self.end));
        }
        self.end = interval.end;
        Ok(Some(interval))
    }

    /// Reads a line with its end, or none at the end of the file.
    fn line(&mut self) -> Result<Option<Vec<u8>>, Fault> {
        let mut line = Vec::new();
        let mut limited = (&mut self.file).take(LONGEST);
        self.line += 1;
        let length = match limited.read_until(b'\n', &mut line) {
            // A compressed file was cut off.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => line.len(),
            read => read.map_err(Fault::Read)?,
        };
        match length as u64 {
            0 => Ok(None),
            LONGEST if !line.ends_with(b"\n") => Err(Fault::TooLong),
            _ => Ok(Some(line)),
        }
    }

    fn error(&self, fault: Fault) -> ReadError {
        ReadError {
            name: self.name.clone(),
            line: self.line,
            fault,
        }
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Interval, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let next = self.interval();
        self.is_over = !matches!(next, Ok(Some(_)));
        let next = next.map_err(|fault| self.error(fault));
        next.transpose()
    }
}

/// Returns what an error says of one line, whose number it does not know.
fn told(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text
        .rsplit_once(" at line ")
        .map_or(text.as_str(), |(what, _)| what);
    format!("{what}, at byte {}", error.column())
}
