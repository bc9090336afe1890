// SPDX-License-Identifier: GPL-2.0

//! The map as a picture: a frame for each package, in it a row of boxes for each
//! bus, and those that are missing, with the reason.

use std::fmt::Write as _;

use super::{by_bus, title};
use crate::system::{Filters, Map, Missing, Package, Placed};

const MARGIN: usize = 16;
const WIDTH: usize = 700;
const LABEL: usize = 92;
const CELL: (usize, usize) = (112, 40);
const GAP: usize = 6;
const LINE: usize = 18;
const HEAD: usize = 30;
const PER_ROW: usize = 5;
/// Fill colours of the kinds of boxes, in the order they appear.
const COLOURS: [&str; 9] = [
    "#cfe3f7", "#fde2c4", "#d6efd1", "#f6d0d0", "#e3d8f1", "#eadfd6", "#fadcee", "#e6e6e6",
    "#e9eec3",
];

/// The map as SVG.
pub fn picture(map: &Map) -> String {
    let mut units: Vec<&str> = Vec::new();
    let boxes = map.packages.iter().flat_map(|package| &package.boxes);
    for unit in boxes.map(|placed| unit(&placed.name)) {
        if !units.contains(&unit) {
            units.push(unit);
        }
    }
    let mut drawing = Drawing {
        body: String::new(),
        y: MARGIN,
    };
    for package in &map.packages {
        drawing.package(package, &units);
    }
    for remark in &map.remarks {
        drawing.y += LINE;
        drawing.text(MARGIN, drawing.y, "", remark);
    }
    let (width, height) = (WIDTH + 2 * MARGIN, drawing.y + MARGIN);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n{}</svg>\n",
        drawing.body
    )
}

struct Drawing {
    body: String,
    y: usize,
}

impl Drawing {
    fn package(&mut self, package: &Package, units: &[&str]) {
        let top = self.y;
        let inside = std::mem::take(&mut self.body);
        self.y += HEAD;
        for (bus, boxes) in by_bus(package) {
            self.bus(bus, &boxes, units);
        }
        for missing in &package.missing {
            self.missing(missing);
        }
        self.y += GAP;
        let content = std::mem::replace(&mut self.body, inside);
        let height = self.y - top;
        let _ = writeln!(
            self.body,
            "<rect x=\"{MARGIN}\" y=\"{top}\" width=\"{WIDTH}\" height=\"{height}\" rx=\"8\" \
             fill=\"#fafafa\" stroke=\"#555\"/>"
        );
        let (name, known) = title(package);
        let weight = "font-weight=\"bold\" font-size=\"14\"";
        self.text(MARGIN + GAP * 2, top + 20, weight, &name);
        self.text(MARGIN + LABEL + GAP * 2, top + 20, "", &known);
        self.body.push_str(&content);
        self.y += MARGIN;
    }

    fn bus(&mut self, bus: &str, boxes: &[&Placed], units: &[&str]) {
        let label = if bus == "MSR" {
            "MSRs".to_owned()
        } else {
            format!("bus {bus}")
        };
        self.text(MARGIN + GAP * 2, self.y + 24, "", &label);
        for row in boxes.chunks(PER_ROW) {
            for (column, placed) in row.iter().enumerate() {
                self.cell(
                    MARGIN + LABEL + GAP * 2 + column * (CELL.0 + GAP),
                    placed,
                    units,
                );
            }
            self.y += CELL.1 + GAP;
        }
    }

    fn cell(&mut self, x: usize, placed: &Placed, units: &[&str]) {
        let place = units.iter().position(|known| *known == unit(&placed.name));
        let colour = COLOURS[place.unwrap_or_default() % COLOURS.len()];
        let (_, location) = placed.place();
        let (stroke, below) = match &placed.filters {
            None => ("#777", location.to_owned()),
            Some(Filters::At(filters)) => {
                let function = filters
                    .rsplit_once(':')
                    .map_or(filters.as_str(), |(_, at)| at);
                ("#777", format!("{location}, filters {function}"))
            }
            Some(Filters::Missing(_)) => ("#c00", format!("{location}, no filters")),
        };
        let (width, height) = CELL;
        let y = self.y;
        let _ = writeln!(
            self.body,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"4\" \
             fill=\"{colour}\" stroke=\"{stroke}\"/>"
        );
        self.text(x + GAP, y + 16, "font-weight=\"bold\"", &placed.name);
        self.text(x + GAP, y + 32, "font-size=\"10\"", &below);
    }

    fn missing(&mut self, missing: &Missing) {
        self.y += LINE;
        let text = format!("no {}: {}", missing.boxes, missing.reason);
        self.text(MARGIN + GAP * 2, self.y - GAP, "fill=\"#777\"", &text);
    }

    fn text(&mut self, x: usize, y: usize, attributes: &str, text: &str) {
        let text = escaped(text);
        let _ = writeln!(
            self.body,
            "<text x=\"{x}\" y=\"{y}\" {attributes}>{text}</text>"
        );
    }
}

/// The kind of a box.
fn unit(name: &str) -> &str {
    match name.rsplit_once('_') {
        Some((unit, index)) if index.parse::<u32>().is_ok() => unit,
        _ => name,
    }
}

/// Text that XML takes.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => {
                out.push('\u{fffd}');
            }
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_what_xml_does_not_take() {
        assert_eq!(escaped("a<b>&\u{1}\""), "a&lt;b&gt;&amp;\u{fffd}\"");
    }
}
