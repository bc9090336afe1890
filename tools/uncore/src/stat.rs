// SPDX-License-Identifier: GPL-2.0

//! `stat`: shows metrics while they are counted.
//!
//! The groups of events are planned once, by asking the driver which events fit
//! together. All groups stay open, and take turns if there are more groups than
//! counters. Each interval is written as a whole when it ends.

mod pace;
mod selection;

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use uncore_metrics::{Catalogue, CatalogueError, Format, Interval, Output};

use crate::cli::{Stat, Style};
use crate::counting::{self, Session};
use crate::error::Error;
use crate::system::System;
use crate::Outcome;
use pace::{End, Pace};

/// Counts and writes until the user or the arguments end it.
pub fn run(root: &Path, arguments: &Stat) -> Result<Outcome, Error> {
    let system = System::with_pmus(root)?;
    Ok(measure(&system, arguments)?.with_defects(&system))
}

fn measure(system: &System, arguments: &Stat) -> Result<Outcome, Error> {
    let places = counting::places(system)?;
    let known: Vec<u8> = places.iter().map(|place| place.nodes.own).collect();
    let platform = system.platform()?;
    let catalogue = Catalogue::of(platform.name).map_err(|error| match error {
        CatalogueError::NoMetrics(_) => Error::NoMetrics(platform.processors()),
        other => other.into(),
    })?;
    let all = catalogue.metrics(&known)?;
    let metrics = selection::select(all, &arguments.metrics)?;
    if arguments.list {
        return Ok(selection::list(&metrics));
    }
    counting::begin(system, &places)?;
    let plan = counting::plan(system, &places, metrics);
    let mut session = Session::open(system, &places, &plan, &|_, _, _| true)?;
    let mut notes = selection::left_out(&plan, !arguments.metrics.is_empty());
    let notes_of_boxes = session.notes.drain(..);
    notes.extend(notes_of_boxes.map(|note| note.to_string()));
    if plan.metrics.is_empty() {
        return Ok(Outcome {
            notes,
            trouble: true,
            ..Outcome::default()
        });
    }
    let path = arguments.output.as_deref();
    let name = path.map_or("standard output".into(), Path::to_path_buf);
    let wrong = |source| Error::Write {
        path: name.clone(),
        source,
    };
    let writer: Box<dyn Write> = match path {
        Some(path) => Box::new(File::create(path).map_err(wrong)?),
        None => Box::new(io::stdout()),
    };
    let mut output = Output::new(format(&arguments.style), writer);
    let ended = count(&mut session, arguments, |interval: Stretch| {
        let mut outcomes = plan.evaluate(&interval.readings);
        if !arguments.boxes {
            selection::keep_summaries(&mut outcomes);
        }
        output.write(&Interval {
            end: interval.end.as_secs_f64(),
            seconds: interval.length.as_secs_f64(),
            outcomes,
        })
    });
    match ended {
        Err(Stop::Writing(error)) if error.kind() == io::ErrorKind::BrokenPipe => {}
        Err(Stop::Writing(error)) => return Err(wrong(error)),
        Err(Stop::Counting(error)) => return Err(error),
        Ok(None) => {}
        Ok(Some(failure)) => notes.push(failure),
    }
    Ok(Outcome {
        notes,
        ..Outcome::default()
    })
}

const fn format(style: &Style) -> Format {
    if style.csv {
        Format::Csv
    } else if style.json {
        Format::Json
    } else {
        Format::Table
    }
}

/// Interval that has ended.
struct Stretch {
    readings: Vec<uncore_metrics::BoxReading>,
    /// Time since the start.
    end: Duration,
    length: Duration,
}

/// Reason to stop before the end.
enum Stop {
    Counting(Error),
    Writing(io::Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Counting(error)
    }
}

/// Counts interval by interval. Returns the failure of the command, if it failed.
fn count(
    session: &mut Session,
    arguments: &Stat,
    mut write: impl FnMut(Stretch) -> io::Result<()>,
) -> Result<Option<String>, Stop> {
    let pace = Pace::new()?;
    session.start()?;
    let start = Instant::now();
    pace.follow(&arguments.command)?;
    let step = arguments.step();
    let mut begin = start;
    let mut left = arguments.count.unwrap_or(u64::MAX);
    loop {
        let end = pace.wait(step.map(|step| begin + step));
        if !matches!(end, End::Time) {
            session.stop()?;
        }
        let now = Instant::now();
        write(Stretch {
            readings: session.read()?,
            end: now - start,
            length: now - begin,
        })
        .map_err(Stop::Writing)?;
        // Lost time does not shorten the next interval.
        begin = now;
        left = left.saturating_sub(1);
        match end {
            End::Time if left > 0 => {}
            End::Time | End::Signal => return Ok(None),
            End::Command(Ok(status)) if status.success() => return Ok(None),
            End::Command(Ok(status)) => return Ok(Some(format!("the command: {status}"))),
            End::Command(Err(error)) => return Ok(Some(format!("the command: {error}"))),
        }
    }
}
