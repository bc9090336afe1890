// SPDX-License-Identifier: GPL-2.0

//! Screens and intervals as text, for files, pipes and other programs.

use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use uncore_metrics::Output;

use super::inputs;
use super::screen;
use super::source::Source;
use super::view::{Look, View};
use crate::cli::Top;
use crate::drawing;
use crate::error::Error;

/// Columns and lines of a screen, unless the environment has others.
const SIZE: (u16, u16) = (80, 24);

/// Prints intervals until there are no more, the user has enough, or nobody reads them.
pub(super) fn run(source: &mut Source, mut view: View, arguments: &Top) -> Result<(), Error> {
    let inputs = inputs::of_end()?;
    let size = size(|name| std::env::var(name).ok());
    let mut lines = arguments
        .format()
        .map(|format| Output::new(format, io::stdout()));
    let mut print = |view: &View| {
        if arguments.svg.is_some() {
            return Ok(());
        }
        if let (Some(lines), Some(interval)) = (&mut lines, view.history.last()) {
            return lines.write(interval);
        }
        let text = screen::text(view, size.0, size.1);
        io::stdout().write_all(format!("{text}\n").as_bytes())
    };
    let is_replay = arguments.replay.is_some();
    // The end of a recording has all that was before it.
    let is_once = arguments.once || arguments.svg.is_some();
    let only_last = is_once && is_replay;
    let count = if is_once && !is_replay {
        Some(1)
    } else {
        arguments.iterations
    };
    source.start()?;
    let mut begin = Instant::now();
    for _ in 0..count.unwrap_or(u64::MAX) {
        // Recordings are read as fast as they can be.
        let delay = if is_replay {
            Duration::ZERO
        } else {
            arguments.interval
        };
        if inputs.wait(Some(begin + delay)).is_some() {
            break;
        }
        begin = Instant::now();
        let Some(interval) = source.next()? else {
            break;
        };
        view.history.push(interval);
        view.notes = source.notes();
        view.state.replay = source.place();
        if !only_last && !written(print(&view))? {
            return Ok(());
        }
    }
    if only_last {
        written(print(&view))?;
    }
    if let Some(file) = &arguments.svg {
        view.look = Look {
            has_colour: true,
            has_unicode: true,
        };
        drawing::write(file, &screen::picture(&view, size.0, size.1))?;
    }
    Ok(())
}

/// Returns whether somebody still reads.
fn written(result: io::Result<()>) -> Result<bool, Error> {
    match result.and_then(|()| io::stdout().flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Error::writing("standard output")(error)),
    }
}

/// Returns the size that the variables of the environment ask for.
fn size(variable: impl Fn(&str) -> Option<String>) -> (u16, u16) {
    let number = |name| variable(name)?.parse().ok().filter(|number| *number > 0);
    (
        number("COLUMNS").unwrap_or(SIZE.0),
        number("LINES").unwrap_or(SIZE.1),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_is_that_of_the_environment() {
        let of = |columns: &'static str, lines: &'static str| {
            size(|name| match name {
                "COLUMNS" => Some(columns.to_owned()),
                "LINES" => Some(lines.to_owned()),
                _ => None,
            })
        };
        assert_eq!(of("120", "40"), (120, 40));
        assert_eq!(of("0", "-3"), SIZE);
        assert_eq!(of("99999", ""), SIZE);
        assert_eq!(size(|_| None), SIZE);
    }
}
