// SPDX-License-Identifier: GPL-2.0

//! Packages as a picture, in the way of hwloc's lstopo: in the frame of each its memory channels,
//! home agents, the ring of C-Boxes, links, and below them I/O and the rest, and what is missing, with
//! the reason. The links of two sockets face each other.

mod loads;

use super::{by_bus, function};
use crate::drawing::{bold, rectangle, small, title, words, Drawing, FAINT, FRAME};
use crate::overview::kind;
use crate::system::{Filters, Map, Missing, Package, Placed};
use crate::table;
pub(crate) use loads::picture as of_loads;
use svg::node::element::{Group, Line};

const MARGIN: f64 = 16.0;
const GAP: f64 = 8.0;
const LINE: f64 = 16.0;
/// Height of the name in a cell, and of a line.
const NAME: f64 = 18.0;
const SMALL_LINE: f64 = 12.0;
/// Widths of letters, wide ones as most fonts have them.
const LETTER: f64 = 7.4;
const SMALL_LETTER: f64 = 6.0;
/// Least width of a cell.
const CELL: f64 = 64.0;
/// Least width of what is in a frame.
const INNER: f64 = 520.0;
/// Space in the middle of a ring.
const INSIDE: f64 = 28.0;
/// Space between two sockets, for their links.
const BETWEEN: f64 = 72.0;
/// Sockets side by side.
const PER_ROW: usize = 2;

/// Areas of a package from the memory to other packages, with their kinds of boxes, and columns.
const AREAS: [(&str, &[&str], usize); 4] = [
    ("memory", &["imc", "mbox"], 1),
    ("home agents", &["ha", "bbox"], 1),
    ("ring", &["cbox", "sbox"], 2),
    (LINKS, &["qpi", "r3qpi", "rbox"], 1),
];
const LINKS: &str = "links";

/// Fills from no load to all that is possible, from light to dark.
const RAMP: [&str; 6] = [
    "#f4f8fd", "#d0e1f2", "#94c4df", "#4a98c9", "#1764ab", "#08306b",
];
/// First of them on which letters are white.
const DARK: usize = 4;
const LACKING: &str = "#c00";

/// A picture before it is drawn.
struct Picture {
    heading: String,
    frames: Vec<Frame>,
    notes: Vec<String>,
}

/// A package.
struct Frame {
    name: String,
    known: String,
    cells: Vec<Cell>,
    /// Boxes that it lacks, and why.
    missing: Vec<String>,
}

/// A box.
struct Cell {
    name: String,
    lines: Vec<String>,
    /// Share of what it can move.
    used: Option<f64>,
    /// Load by which it is coloured, from 0 to 1.
    level: Option<f64>,
    /// True if a part of it is missing.
    is_lacking: bool,
}

/// Place of the cells of some kinds, in all packages alike.
struct Area {
    name: &'static str,
    kinds: &'static [&'static str],
    columns: usize,
    /// Size of a cell.
    cell: (f64, f64),
}

impl Area {
    fn has(&self, cell: &Cell) -> bool {
        self.kinds.contains(&kind(&cell.name))
    }

    fn width(&self) -> f64 {
        let inside = if self.columns > 1 { INSIDE } else { 0.0 };
        let letters = float(self.name.len()) * LETTER;
        letters.max(float(self.columns) * self.cell.0 + inside)
    }

    /// Draws the cells of a package at this place. Returns the line below them.
    fn draw(&self, drawing: &mut Drawing, cells: &[&Cell], x: f64, y: f64) -> f64 {
        let (width, height) = self.cell;
        let rows = cells.len().div_ceil(self.columns);
        let place = |row: usize| y + LINE + float(row) * (height + GAP);
        drawing.add(words(x, y + 10.0, self.name).set("fill", FAINT));
        if self.columns > 1 && rows > 1 {
            let (from, to) = (place(0), place(rows - 1));
            let ring = rectangle(
                x + width / 2.0,
                from + height / 2.0,
                width + INSIDE,
                to - from,
            );
            let ring = ring.set("rx", 8).set("fill", "none").set("stroke", "#bbb");
            drawing.add(ring.set("stroke-width", 8));
        }
        for (index, cell) in cells.iter().enumerate() {
            // Down on the left side, and up on the right one.
            let (column, row) = match index.checked_sub(rows) {
                None => (0.0, index),
                Some(back) => (width + INSIDE, rows - 1 - back),
            };
            drawing.add(cell.drawn(x + column, place(row), self.cell));
        }
        place(rows)
    }
}

impl Picture {
    /// Draws all frames.
    fn draw(&self) -> String {
        let areas = self.areas();
        let gaps = float(areas.len().saturating_sub(1)) * 2.0 * GAP;
        let inner = areas.iter().map(Area::width).sum::<f64>() + gaps;
        let cells = || self.frames.iter().flat_map(|frame| &frame.cells);
        let inner = cells()
            .map(|cell| cell.size().0)
            .fold(inner.max(INNER), f64::max);
        let outer = inner + 4.0 * GAP;
        let mut drawing = Drawing::at(MARGIN);
        for row in self.frames.chunks(PER_ROW) {
            let (mut bottom, mut x) = (drawing.y, MARGIN);
            for (place, frame) in row.iter().enumerate() {
                let end = frame.draw(&mut drawing, x, inner, &areas, place > 0);
                bottom = bottom.max(end);
                x += outer + BETWEEN;
            }
            let links = areas.iter().find(|area| area.name == LINKS);
            let has_links = |frame: &Frame| {
                frame
                    .cells
                    .iter()
                    .any(|cell| links.is_some_and(|area| area.has(cell)))
            };
            if row.len() > 1 && row.iter().all(has_links) {
                let (from, y) = (MARGIN + outer, drawing.y + 110.0);
                for y in [y, y + 4.0] {
                    let line = Line::new().set("x1", from).set("x2", from + BETWEEN);
                    let line = line.set("y1", y).set("y2", y).set("stroke", FRAME);
                    drawing.add(line);
                }
                let middle = from + BETWEEN / 2.0;
                drawing.add(words(middle, y - 6.0, LINKS).set("text-anchor", "middle"));
            }
            drawing.y = bottom + MARGIN;
        }
        let frames = self.frames.len().clamp(1, PER_ROW);
        let width = float(frames) * (outer + BETWEEN) - BETWEEN + 2.0 * MARGIN;
        if cells().any(|cell| cell.level.is_some()) {
            legend(&mut drawing);
        }
        for note in &self.notes {
            paragraph(&mut drawing, MARGIN, width - 2.0 * MARGIN, note);
        }
        drawing.y += MARGIN;
        let frames = self.frames.iter().map(Frame::described);
        let described: Vec<String> = frames.chain(self.notes.iter().cloned()).collect();
        let described = described.join("; ");
        drawing.document(width, &self.heading, &described)
    }

    /// The areas of which a package has boxes.
    fn areas(&self) -> Vec<Area> {
        let areas = AREAS.iter().filter_map(|(name, kinds, columns)| {
            let cells = self.frames.iter().flat_map(|frame| &frame.cells);
            let own = cells.filter(|cell| kinds.contains(&kind(&cell.name)));
            let largest = |a: (f64, f64), b: (f64, f64)| (a.0.max(b.0), a.1.max(b.1));
            Some(Area {
                name,
                kinds,
                columns: *columns,
                cell: own.map(Cell::size).reduce(largest)?,
            })
        });
        areas.collect()
    }
}

/// Draws a text in as many lines as it needs.
fn paragraph(drawing: &mut Drawing, x: f64, width: f64, text: &str) {
    for line in table::folded("", text, whole(width / LETTER)).lines() {
        drawing.y += LINE;
        drawing.add(words(x, drawing.y, line).set("fill", FAINT));
    }
}

/// Says what the colours mean.
fn legend(drawing: &mut Drawing) {
    let (mut x, y) = (MARGIN, drawing.y);
    for (place, fill) in RAMP.iter().enumerate() {
        let field = rectangle(x, y, 40.0, LINE).set("fill", *fill);
        let share = format!("{} %", 20 * place);
        drawing.add(field.set("stroke", FRAME));
        drawing.add(small(x + 6.0, y + 12.0, share).set("fill", ink(place)));
        x += 40.0;
    }
    drawing.y = y + LINE + GAP;
    let text = "of the peak; where there is none, of the busiest box of its kind";
    paragraph(drawing, MARGIN, float(text.len()) * LETTER, text);
}

/// Colour of letters on a fill.
const fn ink(place: usize) -> &'static str {
    if place >= DARK {
        "#fff"
    } else {
        "#000"
    }
}

impl Frame {
    /// Draws it, from the links to the memory if it is mirrored. Returns the line below it.
    fn draw(
        &self,
        drawing: &mut Drawing,
        left: f64,
        inner: f64,
        areas: &[Area],
        is_mirrored: bool,
    ) -> f64 {
        let x = left + 2.0 * GAP;
        let mut content = Drawing::at(drawing.y + 22.0);
        content.add(bold(x, content.y, &self.name).set("font-size", 14));
        paragraph(&mut content, x, inner, &self.known);
        content.y += GAP;
        let (mut place, top) = (x, content.y);
        let mut order: Vec<&Area> = areas.iter().collect();
        if is_mirrored {
            order.reverse();
        }
        for area in order {
            let own: Vec<_> = self.cells.iter().filter(|cell| area.has(cell)).collect();
            if !own.is_empty() {
                let below = area.draw(&mut content, &own, place, top);
                content.y = content.y.max(below);
            }
            place += area.width() + 2.0 * GAP;
        }
        content.y += GAP;
        let rest = self.cells.iter();
        let rest = rest.filter(|cell| !areas.iter().any(|area| area.has(cell)));
        let (mut place, mut height) = (x, 0.0_f64);
        for cell in rest {
            let size = cell.size();
            if place > x && place + size.0 > x + inner {
                content.y += height + GAP;
                (place, height) = (x, 0.0);
            }
            content.add(cell.drawn(place, content.y, size));
            place += size.0 + GAP;
            height = height.max(size.1);
        }
        content.y += height + GAP;
        for missing in &self.missing {
            paragraph(&mut content, x, inner, missing);
        }
        let end = content.y + GAP;
        let frame = rectangle(left, drawing.y, inner + 4.0 * GAP, end - drawing.y);
        let frame = frame.set("rx", 8).set("fill", "#fafafa");
        drawing.add(frame.set("stroke", FRAME));
        drawing.add(content.into_body());
        end
    }

    /// Returns the frame in words.
    fn described(&self) -> String {
        let cells = self.cells.iter().map(Cell::described);
        let all: Vec<_> = cells.chain(self.missing.iter().cloned()).collect();
        format!("{}: {}", self.name, all.join(", "))
    }
}

impl Cell {
    /// Width and height that its text needs.
    fn size(&self) -> (f64, f64) {
        let lines = self.lines.iter();
        let lines = lines.map(|line| float(line.chars().count()) * SMALL_LETTER);
        let head = self.name.len() + self.used.map_or(0, |_| 6);
        let width = lines.fold(float(head) * LETTER, f64::max) + 2.0 * GAP;
        let lines = float(self.lines.len());
        (width.max(CELL), NAME + lines * SMALL_LINE + GAP)
    }

    fn drawn(&self, x: f64, y: f64, (width, height): (f64, f64)) -> Group {
        let last = float(RAMP.len() - 1);
        let step = self
            .level
            .map(|level| whole((level.clamp(0.0, 1.0) * last).round()));
        let fill = step.and_then(|step| RAMP.get(step)).unwrap_or(&"#fff");
        let ink = step.map_or("#000", ink);
        let stroke = if self.is_lacking { LACKING } else { FRAME };
        let field = rectangle(x, y, width, height).set("rx", 4);
        let mut group = Group::new()
            .add(title(&self.described()))
            .add(field.set("fill", *fill).set("stroke", stroke))
            .add(bold(x + GAP, y + 15.0, &self.name).set("fill", ink));
        if let Some(used) = self.used {
            let share = small(x + width - GAP, y + 15.0, percent(used));
            group = group.add(share.set("text-anchor", "end").set("fill", ink));
        }
        let mut below = y + NAME + 9.0;
        for line in &self.lines {
            group = group.add(small(x + GAP, below, line).set("fill", ink));
            below += SMALL_LINE;
        }
        group
    }

    /// Returns the cell in words.
    fn described(&self) -> String {
        let used = self.used.map(|used| format!("{} used", percent(used)));
        let lines = self.lines.iter().cloned().chain(used);
        let all: Vec<_> = [self.name.clone()].into_iter().chain(lines).collect();
        all.join(" ")
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

#[expect(clippy::cast_precision_loss, reason = "some cells or letters")]
fn float(count: usize) -> f64 {
    count as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "some steps or letters"
)]
fn whole(number: f64) -> usize {
    number as usize
}

/// The map as SVG.
pub fn picture(map: &Map) -> String {
    let picture = Picture {
        heading: "boxes of the uncore, by package".to_owned(),
        frames: map.packages.iter().map(frame).collect(),
        notes: map.remarks.clone(),
    };
    picture.draw()
}

fn frame(package: &Package) -> Frame {
    let (name, known) = super::title(package);
    let boxes = by_bus(package).into_iter();
    let cells = boxes.flat_map(|(bus, boxes)| {
        let boxes = boxes.into_iter();
        boxes.map(move |placed| cell(bus, placed))
    });
    Frame {
        name,
        known,
        cells: cells.collect(),
        missing: package.missing.iter().map(Missing::to_string).collect(),
    }
}

fn cell(bus: &str, placed: &Placed) -> Cell {
    let (_, location) = placed.place();
    let place = match bus {
        "MSR" => format!("MSR {location}"),
        _ => format!("{bus}:{location}"),
    };
    let filters = placed.filters.as_ref().map(|filters| match filters {
        Filters::At(filters) => format!("filters {}", function(filters)),
        Filters::Missing(_) => "no filters".to_owned(),
    });
    Cell {
        name: placed.name.clone(),
        lines: [place].into_iter().chain(filters).collect(),
        used: None,
        level: None,
        is_lacking: matches!(placed.filters, Some(Filters::Missing(_))),
    }
}
