// SPDX-License-Identifier: GPL-2.0

//! A screen as a picture: rows of text with their colours, as a terminal shows them.

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use svg::node::element::Group;

use crate::drawing::{rectangle, words, Drawing};

/// Size of a letter.
const LETTER: (f64, f64) = (8.4, 18.0);
const MARGIN: f64 = 12.0;
const FONT: &str = "DejaVu Sans Mono, Menlo, Consolas, monospace";
const BACKGROUND: &str = "#1b1f27";
const TEXT: &str = "#d8dee9";
const DIM: &str = "#949cab";

/// Look of a letter: its colour, and whether it is bold.
type Look = (&'static str, bool);

fn look(cell: &Cell) -> Look {
    let colour = match cell.fg {
        Color::Cyan => "#56b6c2",
        Color::Magenta => "#c678dd",
        Color::Yellow => "#e5c07b",
        Color::Red => "#ff6b6b",
        _ if cell.modifier.contains(Modifier::DIM) => DIM,
        _ => TEXT,
    };
    (colour, cell.modifier.contains(Modifier::BOLD))
}

/// Draws a screen, without the empty lines at its end. `described` is what it says.
pub(super) fn picture(screen: &Buffer, title: &str, described: &str) -> String {
    let width = usize::from(screen.area.width).max(1);
    let rows: Vec<&[Cell]> = screen.content().chunks(width).collect();
    let is_blank = |row: &&[Cell]| row.iter().all(|cell| cell.symbol().trim().is_empty());
    let last = rows.iter().rposition(|row| !is_blank(row)).unwrap_or(0);
    let mut group = Group::new().set("font-family", FONT).set("font-size", 14);
    let mut drawing = Drawing::at(2.0 * MARGIN);
    let wide = f64::from(screen.area.width) * LETTER.0 + 2.0 * MARGIN;
    let mut y = MARGIN;
    for row in rows.iter().take(last + 1) {
        y += LETTER.1;
        let mut x = MARGIN;
        for run in row.chunk_by(|one, next| look(one) == look(next)) {
            let text: String = run.iter().map(Cell::symbol).collect();
            // Browsers make one space of several, if these could be broken.
            let text = text.replace(' ', "\u{a0}");
            let length: f64 = run.iter().map(|_| LETTER.0).sum();
            if !text.trim().is_empty() {
                let (colour, is_bold) = look(&run[0]);
                let weight = if is_bold { "bold" } else { "normal" };
                let text = words(x, y - 4.0, text).set("fill", colour);
                let text = text.set("font-weight", weight).set("textLength", length);
                group = group.add(text.set("lengthAdjust", "spacingAndGlyphs"));
            }
            x += length;
        }
    }
    drawing.y = y + MARGIN;
    drawing.add(rectangle(0.0, 0.0, wide, drawing.y).set("fill", BACKGROUND));
    drawing.add(group);
    drawing.document(wide, title, described)
}
