// SPDX-License-Identifier: GPL-2.0

//! `top`: shows live what the machine does, against what it can do.
//!
//! [`View`] holds the machine, the last minutes and what the user chose; [`screen`] draws it.
//! Neither counts nor knows a terminal. [`source`] has the intervals, which are counted or read
//! from a recording, [`live`] the terminal and its keys, and [`print`] all that is written
//! without one.

mod bars;
pub(crate) mod digest;
mod glyphs;
mod help;
mod history;
mod inputs;
mod keys;
mod live;
mod missing;
mod notes;
mod print;
mod rows;
mod screen;
mod shot;
mod source;
mod texts;
mod verdict;
mod view;

use std::io::{self, IsTerminal as _};
use std::path::Path;

use crate::cli::Top;
use crate::error::Error;
use crate::outcome::Outcome;
use crate::overview;
use source::Source;
use uncore_metrics::recording::Machine;
use uncore_metrics::Interval;
use view::{Look, View};

/// Shows intervals until the user, the arguments or the recording end it.
pub fn run(root: &Path, arguments: &Top) -> Result<Outcome, Error> {
    let is_text = arguments.once
        || arguments.svg.is_some()
        || arguments.batch
        || arguments.format().is_some();
    let has_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    if !is_text && !has_terminal {
        return Err(Error::NoTerminal);
    }
    let mut source = Source::open(root, arguments)?;
    let look = Look::of(|name| std::env::var(name).ok());
    let mut view = View::new(source.machine().clone(), look);
    view.notes = source.notes();
    view.state.delay = arguments.interval;
    view.state.replay = source.place();
    if is_text {
        print::run(&mut source, view, arguments)?;
    } else {
        live::run(&mut source, view, arguments)?;
    }
    Ok(source.end())
}

/// Says of a run that is over what was full, and where the load came from.
pub(crate) fn sentence(machine: &Machine, run: &Interval) -> String {
    let view = View::new(machine.clone(), Look::default());
    let digest = digest::Digest::of(run);
    let verdict = verdict::verdict(&digest, missing::has_gaps(&view), &verdict::PAST);
    let memory = digest.sockets.iter().filter_map(|socket| {
        let memory = socket.parts.iter().find(|part| part.is_of_socket())?;
        Some((
            socket.number,
            overview::share(Some(memory.sum.used()?), Some(1.0)),
        ))
    });
    let said = memory
        .enumerate()
        .map(|(place, (number, used))| match place {
            0 => format!(" memory of socket {number} was {used} full"),
            _ => format!(", that of socket {number} {used}"),
        });
    let said: String = said.collect();
    let end = if said.is_empty() { ":" } else { "." };
    format!("In {:.1} s{said}{end} {verdict}", run.seconds)
}
