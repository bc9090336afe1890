// SPDX-License-Identifier: GPL-2.0

//! The terminal: taken for the screen, and given back as it was on every way out.

use std::io;
use std::mem::ManuallyDrop;

use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{enable_raw_mode, EnterAlternateScreen};
use ratatui::DefaultTerminal;
use signal_hook::consts::SIGTSTP;
use signal_hook::low_level::emulate_default_handler;

use super::screen;
use super::view::View;

/// Terminal that shows the screen. It is given back when this is dropped, and by a panic.
pub(super) struct Terminal {
    /// Never dropped: it would complain about a terminal that is lost.
    terminal: ManuallyDrop<DefaultTerminal>,
}

impl Terminal {
    /// Takes the terminal.
    pub(super) fn take() -> io::Result<Self> {
        let taken = ratatui::try_init();
        if taken.is_err() {
            let _ = ratatui::try_restore();
        }
        Ok(Self {
            terminal: ManuallyDrop::new(taken?),
        })
    }

    /// Draws a view. Fails if the terminal is lost.
    pub(super) fn draw(&mut self, view: &mut View) -> io::Result<()> {
        if view.state.scroll > 0 {
            let size = self.terminal.size()?;
            let last = screen::last_scroll(view, size.width, size.height);
            view.state.scroll = view.state.scroll.min(last);
        }
        self.terminal.draw(|frame| screen::draw(frame, view))?;
        Ok(())
    }

    /// Draws all of the screen the next time, whatever it shows.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        self.terminal.clear()
    }

    /// Lets the shell have the terminal until the user wants this program again.
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        self.give_back();
        emulate_default_handler(SIGTSTP)?;
        self.take_again()
    }

    /// Takes the terminal after the program did not run for some time.
    pub(super) fn take_again(&mut self) -> io::Result<()> {
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
