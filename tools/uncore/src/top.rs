// SPDX-License-Identifier: GPL-2.0

//! `top`: shows live what the machine does, against what it can do.
//!
//! [`View`](view::View) holds the machine, the last minutes and what the user chose;
//! [`screen`] draws it. Neither counts nor knows a terminal.
#![expect(
    dead_code,
    reason = "the command that draws the screens is not there yet"
)]

mod bars;
mod digest;
mod glyphs;
mod help;
mod history;
mod missing;
mod notes;
mod rows;
#[cfg(test)]
mod scene;
pub(crate) mod screen;
mod texts;
mod verdict;
pub(crate) mod view;
