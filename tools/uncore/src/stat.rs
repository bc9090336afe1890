// SPDX-License-Identifier: GPL-2.0

//! `stat`: shows metrics while they are counted.
//!
//! The groups of events are planned once, by asking the driver which events fit
//! together. All groups stay open, and take turns if there are more groups than
//! counters. Each interval is written as a whole when it ends.

mod events;
mod overview;
mod pace;
mod page;
mod selection;

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use uncore_metrics::recording::Machine;
use uncore_metrics::{Format, Output, Prefixes, Scope};

use crate::bandwidth::{self, History};
use crate::cli::Stat;
use crate::counting::{self, Hold};
use crate::error::Error;
use crate::mean::Run;
use crate::outcome::Outcome;
use crate::sampler::{self, Sampler};
use crate::system::{self, System};
use crate::{drawing, replay, table, top};
use overview::Lines;
use pace::End;
use selection::Known;

/// Counts and writes until the user or the arguments end it.
pub fn run(root: &Path, arguments: &Stat) -> Result<Outcome, Error> {
    let file = arguments.svg.as_ref().or(arguments.html.as_ref());
    if let (Some(recording), Some(file)) = (&arguments.replay, file) {
        return replayed(recording, file, arguments);
    }
    let system = System::with_pmus(root)?;
    Ok(measure(&system, arguments)?.with_defects(&system))
}

/// Draws a recording.
fn replayed(recording: &Path, file: &Path, arguments: &Stat) -> Result<Outcome, Error> {
    let (mut history, mut run) = (History::default(), Run::default());
    let (machine, notes) = replay::each(recording, |interval| {
        history.push(&interval);
        run.push(&interval);
    })?;
    if history.is_empty() {
        return Ok(nothing(notes));
    }
    let text = picture(&machine, &history, &run, &notes, arguments);
    drawing::write(file, &text)?;
    Ok(Outcome::noted(notes))
}

/// Returns the picture or the page that the user wants.
fn picture(
    machine: &Machine,
    history: &History,
    run: &Run,
    notes: &[String],
    arguments: &Stat,
) -> String {
    if arguments.html.is_some() {
        page::page(machine, history, run, notes)
    } else {
        bandwidth::picture(machine, history, notes)
    }
}

/// Returns that a picture would show nothing.
fn nothing(mut notes: Vec<String>) -> Outcome {
    notes.push("there is nothing to draw: no channel or link was counted".to_owned());
    Outcome::noted(notes).with_trouble(true)
}

fn measure(system: &System, arguments: &Stat) -> Result<Outcome, Error> {
    let cpus = arguments.cpu.as_ref().map(|cpus| cpus.0.as_slice());
    let places = counting::places_on(system, cpus)?;
    let known = Known::new(system.platform()?.name, &counting::own_nodes(&places))?;
    if arguments.list {
        return Ok(selection::list(&known.all()));
    }
    let metrics = known.select(system, arguments)?;
    let mut sampler = Sampler::open(system, &places, metrics, Hold::InTurns)?;
    if selection::is_overview(arguments) {
        sampler = sampler.with_energy(system, &places);
    }
    let is_named = !arguments.metrics.is_empty() || !arguments.event.is_empty();
    let mut notes = sampler.notes(is_named);
    if sampler.plan().metrics.is_empty() {
        return Ok(Outcome::noted(notes).with_trouble(true));
    }
    let pictures = [&arguments.svg, &arguments.html];
    let mut paths = pictures.into_iter().chain([&arguments.output]);
    let path = paths.find_map(Option::as_deref);
    let name = path.map_or("standard output".into(), Path::to_path_buf);
    let wrong = |error| Error::writing(&name)(error);
    let writer: Box<dyn Write> = match path {
        Some(path) => Box::new(File::create(path).map_err(wrong)?),
        None => Box::new(io::stdout()),
    };
    let mut report = Report::new(system, arguments, writer)?;
    let mut has_counted = false;
    let ended = count(&mut sampler, arguments, |sampler| {
        has_counted |= sampler.has_counted();
        report.write(sampler, arguments).map_err(wrong)
    });
    match ended {
        Err(Error::Write { source, .. }) if source.kind() == io::ErrorKind::BrokenPipe => {}
        ended => notes.extend(ended?),
    }
    let uncounted = sampler::uncounted(&sampler.interval(Scope::Box));
    notes.extend(uncounted.map(|what| what + &system::holders(&system.root)));
    if let (Report::Picture(_, history, ..), Some(path)) = (&report, path) {
        if history.is_empty() {
            std::fs::remove_file(path).map_err(Error::writing(path))?;
            return Ok(nothing(notes));
        }
    }
    let machine = || system.machine().unwrap_or_default();
    report.end(&mut notes, arguments, machine).map_err(wrong)?;
    Ok(Outcome::noted(notes).with_trouble(!has_counted))
}

/// Writer of intervals in the way the user wants them.
enum Report {
    /// The overview, for people: a line for each socket, or else a page.
    Overview(Option<Lines>, Run, Box<dyn Write>),
    /// One entry for each metric, of these parts of the machine.
    Entries(Scope, Output<Box<dyn Write>>),
    /// A picture of the machine or a page, which is made at the end.
    Picture(Box<Machine>, History, Run, Box<dyn Write>),
}

impl Report {
    fn new(system: &System, arguments: &Stat, writer: Box<dyn Write>) -> Result<Self, Error> {
        let format = arguments.style.format().unwrap_or(Format::Table);
        let scope = match (arguments.no_aggr, arguments.per_socket) {
            (true, _) => Scope::Box,
            (_, true) => Scope::Package,
            _ => Scope::Machine,
        };
        let prefixes = prefixes(arguments);
        Ok(if arguments.svg.is_some() || arguments.html.is_some() {
            let machine = Box::new(system.machine()?);
            Self::Picture(machine, History::default(), Run::default(), writer)
        } else if format == Format::Table && selection::is_overview(arguments) {
            let lines = (!arguments.no_aggr).then(|| Lines::new(prefixes));
            Self::Overview(lines, Run::default(), writer)
        } else {
            Self::Entries(scope, Output::new(format, writer).with_prefixes(prefixes))
        })
    }

    fn write(&mut self, sampler: &Sampler, arguments: &Stat) -> io::Result<()> {
        match self {
            Self::Overview(lines, run, writer) => {
                let interval = sampler.interval(Scope::Box);
                run.push(&interval);
                let text = match lines {
                    Some(lines) => lines.text(&interval),
                    None => overview::page(&interval, prefixes(arguments)),
                };
                writer.write_all(text.as_bytes())?;
                writer.flush()
            }
            Self::Entries(scope, output) => output.write(&sampler.interval(*scope)),
            Self::Picture(_, history, run, _) => {
                let interval = sampler.interval(Scope::Box);
                history.push(&interval);
                run.push(&interval);
                Ok(())
            }
        }
    }

    /// Writes what is written at the end: of a command also what was full while it ran.
    fn end(
        &mut self,
        notes: &mut Vec<String>,
        arguments: &Stat,
        machine: impl FnOnce() -> Machine,
    ) -> io::Result<()> {
        match self {
            Self::Overview(lines, run, writer) => {
                notes.extend(lines.as_ref().and_then(Lines::note));
                if arguments.command.is_empty() {
                    return Ok(());
                }
                let sentence = top::sentence(&machine(), &run.interval());
                writeln!(writer, "\n{}", table::paragraph("", &sentence).trim_end())?;
                writer.flush()
            }
            Self::Picture(machine, history, run, writer) => {
                let picture = picture(machine, history, run, notes, arguments);
                writer.write_all(picture.as_bytes())
            }
            Self::Entries(..) => Ok(()),
        }
    }
}

/// Returns the prefixes of bytes that the user wants.
fn prefixes(arguments: &Stat) -> Prefixes {
    if arguments.iec {
        Prefixes::Iec
    } else {
        Prefixes::Si
    }
}

/// Counts interval by interval. Returns the failure of the command, if it failed.
fn count(
    sampler: &mut Sampler,
    arguments: &Stat,
    mut write: impl FnMut(&Sampler) -> Result<(), Error>,
) -> Result<Option<String>, Error> {
    let ends = pace::ends()?;
    sampler.start()?;
    let mut begin = Instant::now();
    pace::follow(&ends, &arguments.command)?;
    let step = arguments.step();
    let mut left = arguments.count.unwrap_or(u64::MAX);
    loop {
        let end = ends.wait(step.map(|step| begin + step));
        begin = Instant::now();
        if end.is_some() {
            sampler.stop()?;
        }
        sampler.read()?;
        write(sampler)?;
        left = left.saturating_sub(1);
        match end {
            None if left > 0 => {}
            None | Some(End::Signal) => return Ok(None),
            Some(End::Command(Ok(status))) if status.success() => return Ok(None),
            Some(End::Command(Ok(status))) => return Ok(Some(format!("the command: {status}"))),
            Some(End::Command(Err(error))) => return Ok(Some(format!("the command: {error}"))),
        }
    }
}
