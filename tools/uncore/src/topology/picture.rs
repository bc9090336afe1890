// SPDX-License-Identifier: GPL-2.0

//! Packages as a picture: a frame for each, in it rows of boxes, and those that are missing, with
//! the reason.

mod loads;

use super::{by_bus, function};
use crate::drawing::{bold, rectangle, small, title, words, Drawing, FAINT, FRAME};
use crate::overview::kind;
use crate::system::{Filters, Map, Missing, Package, Placed};
pub(crate) use loads::Loads;
use svg::node::element::Group;

const MARGIN: f64 = 16.0;
const WIDTH: f64 = 700.0;
/// Width of the label of a row.
const LABEL: f64 = 92.0;
const CELL: f64 = 112.0;
/// Height of the name in a cell.
const NAME: f64 = 22.0;
/// Height of a line in a cell.
const SMALL_LINE: f64 = 13.0;
const BAR: f64 = 7.0;
const GAP: f64 = 6.0;
const LINE: f64 = 18.0;
const HEAD: f64 = 30.0;
const PER_ROW: usize = 5;
/// Place at which rows begin.
const INSIDE: f64 = MARGIN + GAP * 2.0;
/// Fill colours of the kinds of boxes, in the order they appear.
const COLOURS: [&str; 9] = [
    "#cfe3f7", "#fde2c4", "#d6efd1", "#f6d0d0", "#e3d8f1", "#eadfd6", "#fadcee", "#e6e6e6",
    "#e9eec3",
];
const USED: &str = "#333";
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
    rows: Vec<Row>,
    /// Boxes that it lacks, and why.
    missing: Vec<String>,
}

/// Boxes side by side.
struct Row {
    label: String,
    cells: Vec<Cell>,
}

/// A box.
struct Cell {
    name: String,
    lines: Vec<String>,
    /// Share of what it can move.
    used: Option<f64>,
    /// True if a part of it is missing.
    is_lacking: bool,
}

impl Picture {
    /// Draws all frames.
    fn draw(&self) -> String {
        let rows = self.frames.iter().flat_map(|frame| &frame.rows);
        let mut units: Vec<&str> = Vec::new();
        for unit in rows.flat_map(|row| &row.cells).map(|cell| kind(&cell.name)) {
            if !units.contains(&unit) {
                units.push(unit);
            }
        }
        let mut drawing = Drawing::at(MARGIN);
        for frame in &self.frames {
            frame.draw(&mut drawing, &units);
        }
        for note in &self.notes {
            drawing.y += LINE;
            drawing.add(words(MARGIN, drawing.y, note));
        }
        drawing.y += MARGIN;
        let described = self.frames.iter().map(Frame::described);
        let described = described.collect::<Vec<_>>().join("; ");
        drawing.document(WIDTH + 2.0 * MARGIN, &self.heading, &described)
    }
}

impl Frame {
    fn draw(&self, drawing: &mut Drawing, units: &[&str]) {
        let top = drawing.y;
        let mut content = Drawing::at(top + HEAD);
        for row in &self.rows {
            row.draw(&mut content, units);
        }
        for missing in &self.missing {
            content.y += LINE;
            let missing = words(INSIDE, content.y - GAP, missing);
            content.add(missing.set("fill", FAINT));
        }
        let height = content.y + GAP - top;
        let frame = rectangle(MARGIN, top, WIDTH, height).set("rx", 8);
        drawing.add(frame.set("fill", "#fafafa").set("stroke", FRAME));
        drawing.add(bold(INSIDE, top + 20.0, &self.name).set("font-size", 14));
        drawing.add(words(INSIDE + LABEL, top + 20.0, &self.known));
        drawing.y = content.y + GAP + MARGIN;
        drawing.add(content.into_body());
    }

    /// Returns the frame in words.
    fn described(&self) -> String {
        let cells = self.rows.iter().flat_map(|row| &row.cells);
        let cells = cells.map(Cell::described);
        let all: Vec<_> = cells.chain(self.missing.iter().cloned()).collect();
        format!("{}: {}", self.name, all.join(", "))
    }
}

impl Row {
    fn draw(&self, drawing: &mut Drawing, units: &[&str]) {
        drawing.add(words(INSIDE, drawing.y + 24.0, &self.label));
        let heights = self.cells.iter().map(Cell::height);
        let height = heights.fold(0.0, f64::max);
        for cells in self.cells.chunks(PER_ROW) {
            let mut x = INSIDE + LABEL;
            for cell in cells {
                drawing.add(cell.drawn(x, drawing.y, height, units));
                x += CELL + GAP;
            }
            drawing.y += height + GAP;
        }
    }
}

impl Cell {
    fn height(&self) -> f64 {
        let bar = if self.used.is_some() { BAR + GAP } else { 0.0 };
        let lines = self.lines.iter().map(|_| SMALL_LINE).sum::<f64>();
        NAME + lines + bar + GAP
    }

    fn drawn(&self, x: f64, y: f64, height: f64, units: &[&str]) -> Group {
        let place = units.iter().position(|known| *known == kind(&self.name));
        let colour = COLOURS[place.unwrap_or_default() % COLOURS.len()];
        let stroke = if self.is_lacking { LACKING } else { FRAME };
        let field = rectangle(x, y, CELL, height).set("rx", 4);
        let mut group = Group::new()
            .add(title(&self.described()))
            .add(field.set("fill", colour).set("stroke", stroke))
            .add(bold(x + GAP, y + 16.0, &self.name));
        let mut below = y + NAME + 10.0;
        for line in &self.lines {
            group = group.add(small(x + GAP, below, line));
            below += SMALL_LINE;
        }
        if let Some(used) = self.used {
            let (width, y) = (CELL - 2.0 * GAP, y + height - BAR - GAP);
            let share = small(x + CELL - GAP, y - height + NAME + 7.0, percent(used));
            let whole = rectangle(x + GAP, y, width, BAR);
            let load = rectangle(x + GAP, y, width * used.clamp(0.0, 1.0), BAR);
            group = group
                .add(share.set("text-anchor", "end"))
                .add(whole.set("fill", "white").set("stroke", USED))
                .add(load.set("fill", USED));
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

/// The map as SVG.
pub fn picture(map: &Map) -> String {
    let picture = Picture {
        heading: "boxes of the uncore, by package and bus".to_owned(),
        frames: map.packages.iter().map(frame).collect(),
        notes: map.remarks.clone(),
    };
    picture.draw()
}

fn frame(package: &Package) -> Frame {
    let (name, known) = super::title(package);
    let absent = |missing: &Missing| format!("no {}: {}", missing.boxes, missing.reason);
    let row = |(bus, boxes): (&str, Vec<&Placed>)| Row {
        label: match bus {
            "MSR" => "MSRs".to_owned(),
            _ => format!("bus {bus}"),
        },
        cells: boxes.into_iter().map(cell).collect(),
    };
    Frame {
        name,
        known,
        rows: by_bus(package).into_iter().map(row).collect(),
        missing: package.missing.iter().map(absent).collect(),
    }
}

fn cell(placed: &Placed) -> Cell {
    let (_, location) = placed.place();
    let line = match &placed.filters {
        None => location.to_owned(),
        Some(Filters::At(filters)) => format!("{location}, filters {}", function(filters)),
        Some(Filters::Missing(_)) => format!("{location}, no filters"),
    };
    Cell {
        name: placed.name.clone(),
        lines: vec![line],
        used: None,
        is_lacking: matches!(placed.filters, Some(Filters::Missing(_))),
    }
}
