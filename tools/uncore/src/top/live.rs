// SPDX-License-Identifier: GPL-2.0

//! The screen on a terminal, until the user leaves it.

use std::io;
use std::mem::ManuallyDrop;
use std::time::Instant;

use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{enable_raw_mode, EnterAlternateScreen};
use ratatui::DefaultTerminal;
use signal_hook::consts::SIGTSTP;
use signal_hook::low_level::emulate_default_handler;

use super::inputs::{self, Input};
use super::keys::{press, Request};
use super::screen;
use super::source::Source;
use super::view::View;
use crate::cli::Top;
use crate::error::Error;
use crate::waiting::Waiting;

/// Reason to stop.
enum Stop {
    /// The terminal cannot be written.
    Lost,
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<io::Error> for Stop {
    fn from(_: io::Error) -> Self {
        Self::Lost
    }
}

/// Shows intervals on the terminal.
pub(super) fn run(source: &mut Source, view: View, arguments: &Top) -> Result<(), Error> {
    let inputs = inputs::of_terminal()?;
    let mut terminal = Terminal::take().map_err(Error::writing("the terminal"))?;
    source.start()?;
    let mut show = Show {
        left: arguments.iterations.unwrap_or(u64::MAX),
        last: Instant::now(),
        is_over: false,
        source,
        view,
    };
    if show.view.state.replay.is_some() {
        show.forward()?;
    }
    match show.run(&mut terminal, &inputs) {
        Err(Stop::Failed(error)) => Err(error),
        // Nobody looks any more.
        Ok(()) | Err(Stop::Lost) => Ok(()),
    }
}

/// Intervals that are shown.
struct Show<'a> {
    source: &'a mut Source,
    view: View,
    /// End of the last interval.
    last: Instant,
    /// Intervals to show before the end.
    left: u64,
    /// True if the recording has no more intervals.
    is_over: bool,
}

impl Show<'_> {
    fn run(&mut self, terminal: &mut Terminal, inputs: &Waiting<Input>) -> Result<(), Stop> {
        while self.left > 0 {
            terminal.draw(&mut self.view)?;
            let Some(input) = inputs.wait(self.deadline()) else {
                self.forward()?;
                continue;
            };
            match input {
                Input::Resize => {}
                Input::Suspend => terminal.suspend()?,
                Input::Continue => terminal.take_again()?,
                Input::End => return Ok(()),
                Input::Key(key) => match press(&mut self.view.state, key) {
                    Request::Draw => {}
                    Request::Redraw => terminal.clear()?,
                    Request::Reset => self.view.history.reset(),
                    Request::Forward => {
                        self.view.state.paused = true;
                        self.forward()?;
                    }
                    Request::Back => self.back()?,
                    Request::Suspend => terminal.suspend()?,
                    Request::Quit => return Ok(()),
                },
            }
        }
        Ok(())
    }

    /// The end of the interval: what is counted ends while the screen stands still, too.
    fn deadline(&self) -> Option<Instant> {
        let state = &self.view.state;
        let stands = state.replay.is_some() && (state.paused || self.is_over);
        (!stands).then(|| self.last + state.delay)
    }

    /// Takes the next interval.
    fn forward(&mut self) -> Result<(), Error> {
        self.last = Instant::now();
        let is_shown = self.view.state.replay.is_some() || !self.view.state.paused;
        match self.source.next()? {
            Some(interval) => {
                self.left -= 1;
                if is_shown {
                    self.view.history.push(interval);
                    self.view.notes = self.source.notes();
                }
            }
            None => self.is_over = true,
        }
        let place = self.source.place();
        let end = if self.is_over { ", the end" } else { "" };
        self.view.state.replay = place.map(|place| place + end);
        Ok(())
    }

    /// Shows the intervals of the recording up to the one before this.
    fn back(&mut self) -> Result<(), Error> {
        self.view.history.clear();
        for interval in self.source.back()? {
            self.view.history.push(interval);
        }
        self.is_over = false;
        self.view.state.paused = true;
        self.view.state.replay = self.source.place();
        Ok(())
    }
}

/// Terminal that shows the screen. It is given back when this is dropped, and by a panic.
struct Terminal {
    /// Never dropped: it would complain about a terminal that is lost.
    terminal: ManuallyDrop<DefaultTerminal>,
}

impl Terminal {
    /// Takes the terminal.
    fn take() -> io::Result<Self> {
        let taken = ratatui::try_init();
        if taken.is_err() {
            let _ = ratatui::try_restore();
        }
        Ok(Self {
            terminal: ManuallyDrop::new(taken?),
        })
    }

    /// Draws a view. Fails if the terminal is lost.
    fn draw(&mut self, view: &mut View) -> io::Result<()> {
        if view.state.scroll > 0 {
            let size = self.terminal.size()?;
            let last = screen::last_scroll(view, size.width, size.height);
            view.state.scroll = view.state.scroll.min(last);
        }
        self.terminal.draw(|frame| screen::draw(frame, view))?;
        Ok(())
    }

    /// Draws all of the screen the next time, whatever it shows.
    fn clear(&mut self) -> io::Result<()> {
        self.terminal.clear()
    }

    /// Lets the shell have the terminal until the user wants this program again.
    fn suspend(&mut self) -> io::Result<()> {
        self.give_back();
        emulate_default_handler(SIGTSTP)?;
        self.take_again()
    }

    /// Takes the terminal after the program did not run for some time.
    fn take_again(&mut self) -> io::Result<()> {
        self.give_back();
        enable_raw_mode()?;
        execute!(io::stdout(), EnterAlternateScreen)?;
        self.clear()
    }

    /// Gives the terminal back, unless it is lost.
    fn give_back(&mut self) {
        let _ = self.terminal.show_cursor();
        let _ = ratatui::try_restore();
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.give_back();
    }
}
