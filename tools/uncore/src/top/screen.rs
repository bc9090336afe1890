// SPDX-License-Identifier: GPL-2.0

//! The screen.

use ratatui::widgets::Paragraph;
use ratatui::Frame;

use super::view::View;

/// Draws a view.
pub(crate) fn draw(frame: &mut Frame, view: &View) {
    let text = match view.history.last() {
        None => "Nothing is counted yet.".to_owned(),
        Some(interval) => format!("{} values", interval.outcomes.len()),
    };
    frame.render_widget(Paragraph::new(text), frame.area());
}
