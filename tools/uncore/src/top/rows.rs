// SPDX-License-Identifier: GPL-2.0

//! The rows of a screen: which there are, in which order, and which a filter hides.

use super::digest::{Digest, Load, Part, Socket};
use super::glyphs::Glyphs;
use super::history::Key;
use super::view::{Order, State, View};
use super::{missing, texts};
use crate::overview::{share, BY_BOX};
use uncore_metrics::{Digits, Prefixes};

/// A row.
pub(super) enum Row {
    /// A load, its peak, and what it was before.
    Bar(Bar),
    /// Text about a socket, or about all.
    Text(Option<u32>, String),
    /// Space between two sockets.
    Space,
}

/// A row with a bar.
pub(super) struct Bar {
    pub(super) label: String,
    pub(super) key: Key,
    pub(super) load: Load,
}

impl Row {
    /// Returns it as a sentence.
    pub(super) fn described(&self) -> Option<String> {
        let words = match self {
            Self::Bar(Bar { label, load, .. }) => {
                let amounts = load.amounts.iter();
                let amounts = amounts
                    .map(|one| format!("{} {}", one.what, one.text(Prefixes::Si, Digits::Three)));
                let used = load
                    .used()
                    .map(|used| share(Some(used), Some(1.0)) + " used");
                let words: Vec<String> = amounts.chain(used).collect();
                format!("{}: {}", label.trim(), words.join(", "))
            }
            Self::Text(_, text) => {
                let words = text.split("  ").map(str::trim);
                let words = words.filter(|words| !words.is_empty());
                words.collect::<Vec<_>>().join(", ")
            }
            Self::Space => return None,
        };
        Some(words + ".")
    }
}

/// Room for the rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// Each part has a line.
    Ample,
    /// Parts without bars share lines.
    Scarce,
}

/// Returns the row of the whole machine, if it has several sockets.
pub(super) fn machine(digest: &Digest) -> Option<Bar> {
    let part = digest.machine.iter().find(|part| part.is_of_socket())?;
    (digest.sockets.len() > 1).then(|| sum("all", None, part))
}

/// Returns all rows.
pub(super) fn all(view: &View, digest: &Digest, room: Room, width: usize) -> Vec<Row> {
    let maker = Maker {
        view,
        glyphs: Glyphs::of(view.look.has_unicode),
        room,
        width,
    };
    match view.state.order {
        Order::Machine => maker.by_socket(digest),
        order => maker.by_load(digest, order),
    }
}

/// Returns whether a row has all words of a filter, in letters of any case.
pub(super) fn has_words(row: &Row, filter: &str) -> bool {
    let socket = |number: &Option<u32>| {
        number.map_or(String::new(), |number| format!("s{number} socket {number}"))
    };
    let text = match row {
        Row::Bar(Bar { label, key, .. }) => {
            format!("{label} {} {}", socket(&key.socket), key.part)
        }
        Row::Text(number, text) => format!("{} {text}", socket(number)),
        Row::Space => return filter.trim().is_empty(),
    };
    let text = text.to_lowercase();
    let mut words = filter.split_whitespace();
    words.all(|word| text.contains(&word.to_lowercase()))
}

/// Maker of rows.
struct Maker<'a> {
    view: &'a View,
    glyphs: &'static Glyphs,
    room: Room,
    width: usize,
}

impl Maker<'_> {
    /// The rows socket by socket.
    fn by_socket(&self, digest: &Digest) -> Vec<Row> {
        let mut rows = Vec::new();
        for socket in &digest.sockets {
            let number = Some(socket.number);
            if self.room == Room::Ample {
                rows.push(Row::Space);
            }
            let label = format!("socket {}", socket.number);
            match socket.parts.iter().find(|part| part.is_of_socket()) {
                Some(part) => rows.push(Row::Bar(sum(&label, number, part))),
                None => rows.push(Row::Text(number, label)),
            }
            for (name, _) in BY_BOX {
                if let Some(part) = socket.part(name) {
                    rows.extend(bars(socket, part, self.before(socket.number)).map(Row::Bar));
                }
                self.missing(socket.number, name, &mut rows);
            }
            self.texts(socket, &mut rows);
        }
        self.rest(&mut rows);
        rows
    }

    /// All boxes with bars, the largest first, and then the rest.
    fn by_load(&self, digest: &Digest, order: Order) -> Vec<Row> {
        let bars = digest.sockets.iter().flat_map(|socket| {
            let parts = socket.parts.iter().filter(|part| part.is_by_box());
            parts.flat_map(|part| bars(socket, part, self.before(socket.number)))
        });
        let mut bars: Vec<Bar> = bars.collect();
        let value = |bar: &Bar| match order {
            Order::Used => bar.load.used(),
            _ => bar.load.total()?.known(),
        };
        let rank = |bar: &Bar| value(bar).unwrap_or(f64::NEG_INFINITY);
        bars.sort_by(|one, other| rank(other).total_cmp(&rank(one)));
        let mut rows: Vec<Row> = bars.into_iter().map(Row::Bar).collect();
        for socket in &digest.sockets {
            for (name, _) in BY_BOX {
                self.missing(socket.number, name, &mut rows);
            }
            self.texts(socket, &mut rows);
        }
        self.rest(&mut rows);
        rows
    }

    /// The boxes of a part that a socket lacks.
    fn missing(&self, socket: u32, part: &str, rows: &mut Vec<Row>) {
        let texts = missing::of_socket(self.view, socket, part).into_iter();
        rows.extend(texts.map(|text| {
            let text = format!("{}{text}", self.before(socket));
            Row::Text(Some(socket), self.glyphs.fit(&text, self.width))
        }));
    }

    /// The begin of the row of a box: its socket, unless the row of that is above.
    fn before(&self, socket: u32) -> String {
        let State { order, filter, .. } = &self.view.state;
        if *order == Order::Machine && filter.trim().is_empty() {
            "  ".to_owned()
        } else {
            format!("s{socket} ")
        }
    }

    /// The parts of a socket that have no bars.
    fn texts(&self, socket: &Socket, rows: &mut Vec<Row>) {
        let parts = socket.parts.iter().filter(|part| !part.is_by_box());
        let before = self.before(socket.number);
        let width = self.width.saturating_sub(before.len());
        let lines = match self.room {
            Room::Ample => parts
                .flat_map(|part| texts::lines(part, self.glyphs, width))
                .collect(),
            Room::Scarce => {
                let cells = parts.map(|part| texts::cell(part, self.glyphs));
                texts::packed(&cells.collect::<Vec<_>>(), width)
            }
        };
        rows.extend(lines.into_iter().map(|line| {
            let text = format!("{before}{line}");
            Row::Text(Some(socket.number), text)
        }));
    }

    /// Boxes that are missing besides, where there is room for them.
    fn rest(&self, rows: &mut Vec<Row>) {
        let texts = match self.room {
            Room::Ample => missing::all_others(self.view),
            Room::Scarce => missing::everywhere(self.view),
        };
        if self.room == Room::Ample && !texts.is_empty() {
            rows.push(Row::Space);
        }
        for text in texts {
            rows.push(Row::Text(None, self.glyphs.fit(&text, self.width)));
        }
    }
}

/// Returns the row of all boxes of a part.
fn sum(label: &str, socket: Option<u32>, part: &Part) -> Bar {
    Bar {
        label: label.to_owned(),
        key: Key {
            socket,
            part: part.name.clone(),
            box_name: None,
        },
        load: part.sum.clone(),
    }
}

/// Returns a row for each box of a part.
fn bars<'a>(socket: &'a Socket, part: &'a Part, before: String) -> impl Iterator<Item = Bar> + 'a {
    part.boxes.iter().map(move |(name, load)| Bar {
        label: format!("{before}{name}"),
        key: Key {
            socket: Some(socket.number),
            part: part.name.clone(),
            box_name: Some(name.clone()),
        },
        load: load.clone(),
    })
}
