// SPDX-License-Identifier: GPL-2.0

//! The help: keys, marks, and all notes.

use super::glyphs::{Glyphs, BARELY, PARTLY};
use super::verdict::FULL;
use super::view::View;
use crate::{overview, table};
use uncore_metrics::Descriptions;

/// Keys and what they do.
const KEYS: [(&str, &str); 9] = [
    ("?  h", "show or leave this help"),
    ("q", "quit, also ctrl-C"),
    (
        "s",
        "change the order: by socket, fullest first, busiest first",
    ),
    (
        "/",
        "show only rows that have some words, such as s1 link; Esc shows all",
    ),
    ("d", "change the time between two intervals"),
    ("p  space", "stand still, or go on"),
    ("r", "forget the lowest and highest values"),
    ("arrows", "scroll, also with the page keys, home and end"),
    ("Esc", "leave a question, the filter or this help"),
];

/// Keys of a recording that is shown again.
const KEYS_OF_REPLAY: [(&str, &str); 2] = [
    (
        "t  T",
        "show the next interval of the recording, or the one before",
    ),
    ("+  -", "show it faster, or slower"),
];

/// Returns the lines.
pub(super) fn lines(view: &View, width: usize) -> Vec<String> {
    let glyphs = Glyphs::of(view.look.has_unicode);
    let full = 100.0 * FULL;
    let [first, second, _] = glyphs.fills;
    let at_least = glyphs.at_least;
    let marks = [
        (
            format!("{first} {second} {}", glyphs.free),
            "the first amount of the row, the second, and what is free".to_owned(),
        ),
        (
            "used".to_owned(),
            format!("share of what the clock of the box allows; from {full:.0} % it is full"),
        ),
        (
            "low-high".to_owned(),
            "the lowest and highest interval of the last 5 minutes at most".to_owned(),
        ),
        (
            PARTLY.to_string(),
            "was counted a part of the time, as other events had their turn".to_owned(),
        ),
        (
            BARELY.to_string(),
            "was counted less than 5 % of the time, too short to rely on".to_owned(),
        ),
        (
            at_least.to_string(),
            "is without the boxes that are not counted".to_owned(),
        ),
    ];
    let of_replay = KEYS_OF_REPLAY
        .iter()
        .filter(|_| view.state.replay.is_some());
    let keys = KEYS
        .iter()
        .chain(of_replay)
        .map(|(key, what)| ((*key).to_owned(), (*what).to_owned()));
    let mut lines = vec!["Keys".to_owned()];
    let entry = |lines: &mut Vec<String>, (head, text): (String, String)| {
        let folded = table::folded(&format!("  {head:10}"), &text, width);
        lines.extend(folded.lines().map(str::to_owned));
    };
    for one in keys {
        entry(&mut lines, one);
    }
    lines.push("Marks".to_owned());
    for one in marks {
        entry(&mut lines, one);
    }
    let descriptions = Descriptions::of(&view.machine.platform).ok();
    let packages = view.machine.packages.iter();
    let kinds = packages.flat_map(|package| &package.boxes);
    let kinds = overview::unique(kinds.map(|name| overview::kind(name)));
    let about = kinds.into_iter().filter_map(|kind| {
        let about = descriptions.as_ref()?.box_type(kind)?;
        Some((kind.to_owned(), about.to_owned()))
    });
    for (place, one) in about.enumerate() {
        if place == 0 {
            lines.push("Boxes".to_owned());
        }
        entry(&mut lines, one);
    }
    let notes = view.notes.iter().chain(&view.machine.notes);
    let notes: Vec<&String> = notes.collect();
    if !notes.is_empty() {
        lines.push("Notes".to_owned());
        for note in notes {
            let folded = table::folded("  ", note, width);
            lines.extend(folded.lines().map(str::to_owned));
        }
    }
    lines
}
