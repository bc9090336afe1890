// SPDX-License-Identifier: GPL-2.0

//! `top`: shows live what the machine does, against what it can do.
//!
//! [`View`] holds the machine, the last minutes and what the user chose; [`screen`] draws it.
//! Neither counts nor knows a terminal. [`source`] has the intervals, which are counted or read
//! from a recording, [`live`] the terminal and its keys, and [`print`] all that is written
//! without one.

mod bars;
mod digest;
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
mod source;
mod texts;
mod verdict;
mod view;

use std::io::{self, IsTerminal as _};
use std::path::Path;

use crate::cli::Top;
use crate::error::Error;
use crate::outcome::Outcome;
use source::Source;
use view::{Look, View};

/// Shows intervals until the user, the arguments or the recording end it.
pub fn run(root: &Path, arguments: &Top) -> Result<Outcome, Error> {
    let is_text = arguments.once || arguments.batch || arguments.format().is_some();
    let has_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    if !is_text && !has_terminal {
        return Err(Error::NoTerminal);
    }
    let mut source = Source::open(root, arguments)?;
    let look = Look::of(|name| std::env::var(name).ok());
    let mut view = View::new(source.machine().clone(), look);
    view.notes = source.notes();
    view.state.delay = arguments.delay;
    view.state.replay = source.place();
    if is_text {
        print::run(&mut source, view, arguments)?;
    } else {
        live::run(&mut source, view, arguments)?;
    }
    Ok(source.end())
}
