// SPDX-License-Identifier: GPL-2.0

//! `stat`: shows metrics while they are counted.
//!
//! The groups of events are planned once, by asking the driver which events fit
//! together. All groups stay open, and take turns if there are more groups than
//! counters. Each interval is written as a whole when it ends.

mod events;
mod overview;
mod pace;
mod selection;

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use uncore_metrics::{BoxReading, Format, Interval, Output, Plan, Scope};

use crate::cli::Stat;
use crate::counting::{self, Session};
use crate::error::Error;
use crate::system::System;
use crate::Outcome;
use pace::{End, Pace};
use selection::Known;

/// Counts and writes until the user or the arguments end it.
pub fn run(root: &Path, arguments: &Stat) -> Result<Outcome, Error> {
    let system = System::with_pmus(root)?;
    Ok(measure(&system, arguments)?.with_defects(&system))
}

fn measure(system: &System, arguments: &Stat) -> Result<Outcome, Error> {
    let mut places = counting::places(system)?;
    if let Some(cpus) = &arguments.cpu {
        places = counting::places_of(system, places, &cpus.0)?;
    }
    let own_nodes: Vec<u8> = places.iter().map(|place| place.nodes.own).collect();
    let known = Known::new(system.platform()?.name, &own_nodes)?;
    if arguments.list {
        return Ok(selection::list(&known.all()));
    }
    let metrics = known.select(system, arguments)?;
    counting::begin(system, &places)?;
    let plan = counting::plan(system, &places, metrics);
    let mut session = Session::open(system, &places, &plan, &|_, _, _| true)?;
    let is_named = !arguments.metrics.is_empty() || !arguments.event.is_empty();
    let mut notes = selection::left_out(&plan, is_named);
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
    let mut report = Report::new(arguments, &plan, writer);
    let ended = count(&mut session, arguments, |stretch| report.write(&stretch));
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

/// Writer of intervals in the way the user wants them.
struct Report<'a> {
    plan: &'a Plan,
    form: Form,
}

/// Form of an interval.
enum Form {
    /// The overview, for people.
    Overview(Box<dyn Write>),
    /// One entry for each metric, of these parts of the machine.
    Entries(Scope, Output<Box<dyn Write>>),
}

impl<'a> Report<'a> {
    fn new(arguments: &Stat, plan: &'a Plan, writer: Box<dyn Write>) -> Self {
        let format = match arguments.style.field_separator {
            Some(separator) => Format::Csv(separator),
            None if arguments.style.json => Format::Json,
            None => Format::Table,
        };
        let scope = match (arguments.no_aggr, arguments.per_socket) {
            (true, _) => Scope::Box,
            (_, true) => Scope::Package,
            _ => Scope::Machine,
        };
        let is_plain = format == Format::Table && !arguments.no_aggr;
        let form = if is_plain && selection::is_overview(arguments) {
            Form::Overview(writer)
        } else {
            Form::Entries(scope, Output::new(format, writer))
        };
        Self { plan, form }
    }

    fn write(&mut self, stretch: &Stretch) -> io::Result<()> {
        let interval = |scope| Interval {
            end: stretch.end.as_secs_f64(),
            seconds: stretch.length.as_secs_f64(),
            outcomes: self.plan.evaluate(&stretch.readings, scope),
        };
        match &mut self.form {
            Form::Overview(writer) => {
                let text = overview::text(&interval(Scope::Package), &interval(Scope::Box));
                writer.write_all(text.as_bytes())?;
                writer.flush()
            }
            Form::Entries(scope, output) => output.write(&interval(*scope)),
        }
    }
}

/// Interval that has ended.
struct Stretch {
    readings: Vec<BoxReading>,
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
