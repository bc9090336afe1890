// SPDX-License-Identifier: GPL-2.0

//! The panel of a channel, link or socket: axes, areas, peak and gaps.

use std::fmt::Write as _;

use svg::node::element::{Group, Path};

use super::history::{Line, Series, Step};
use super::scale::Scale;
use crate::drawing::{bold, rectangle, small, tenth, title, words, Drawing, FRAME};

/// Width of a panel with its numbers.
pub(super) const WIDTH: f64 = 360.0;
/// Distance of two panels.
pub(super) const GAP: f64 = 12.0;
/// Height of a panel with its numbers and the distance of the next.
pub(super) const HEIGHT: f64 = 156.0;
/// Width of the numbers of the rates.
const LEFT: f64 = 40.0;
/// Height of the heading.
const TOP: f64 = 34.0;
/// Height of the field of the areas.
const FIELD: f64 = 92.0;

/// Fill, and colour and dashes of the upper edge, of the areas: they differ in brightness, too.
const AREAS: [(&str, (&str, &str)); 3] = [
    ("#5a9fd4", ("#004b7a", "none")),
    ("#fdbf85", ("#a04000", "5 2")),
    ("#7fd1b5", ("#00614a", "1 2")),
];
const PEAK: (&str, &str) = ("#000", "8 3 2 3");
const GAP_FILL: &str = "#e4e4e4";

/// A panel before it is drawn.
pub(super) struct Panel<'a> {
    /// Box that it shows.
    pub(super) series: &'a Series,
    /// All kinds of lines of the part, in the order of the legend.
    pub(super) lines: &'a [&'a str],
    /// Axis of the rates.
    pub(super) rates: &'a Scale,
    /// Axis of the times.
    pub(super) times: &'a Scale,
    /// Width with the numbers.
    pub(super) width: f64,
}

/// Draws the legend of a part.
pub(super) fn legend(drawing: &mut Drawing, x: f64, part: &str, lines: &[&str], has_peak: bool) {
    let (mut x, y) = (x, drawing.y + 4.0);
    drawing.add(bold(x, y, part).set("font-size", 14));
    x += 80.0;
    let areas = lines.iter().enumerate();
    let areas = areas.map(|(place, what)| (*what, Some(place)));
    for (what, place) in areas.chain(has_peak.then_some(("peak", None))) {
        let data = format!("M{} {}h28", tenth(x), tenth(y - 10.0));
        let (fill, edge) = place.map_or(("none", PEAK), style);
        drawing.add(rectangle(x, y - 10.0, 28.0, 12.0).set("fill", fill));
        drawing.add(stroke(data, edge));
        drawing.add(words(x + 34.0, y, what));
        x += 90.0;
    }
    drawing.add(rectangle(x, y - 10.0, 28.0, 12.0).set("fill", GAP_FILL));
    drawing.add(words(x + 34.0, y, "not counted"));
    drawing.y += 26.0;
}

impl Panel<'_> {
    /// Draws it below all that is there.
    pub(super) fn draw(&self, drawing: &mut Drawing, x: f64) {
        let (y, left) = (drawing.y, x + LEFT);
        let mut group = Group::new()
            .set("role", "img")
            .add(title(&self.series.summary()))
            .add(bold(x, y + 10.0, &self.series.box_name))
            .add(small(left + 20.0, y + 10.0, self.series.means()))
            .add(small(x, y + 26.0, &self.rates.unit))
            .add(small(left + 20.0, y + 24.0, self.series.turns()));
        let (top, bottom) = (y + TOP, y + TOP + FIELD);
        for gap in self.gaps() {
            let (from, to) = (self.x(left, gap.begin), self.x(left, gap.end));
            group = group.add(rectangle(from, top, to - from, FIELD).set("fill", GAP_FILL));
        }
        let areas = self.series.stacked();
        for (line, area) in self.series.lines.iter().zip(&areas) {
            let (fill, _) = self.style(line);
            let fill = stroke(self.area(area, left, bottom), (fill, "none")).set("fill", fill);
            group = group.add(
                fill.set("stroke", "none")
                    .set("shape-rendering", "crispEdges"),
            );
        }
        for (value, number) in self.rates.ticks() {
            let y = self.y(bottom, value);
            let rule = format!("M{} {}h{}", tenth(left), tenth(y), self.field());
            let number = small(left - 4.0, y + 3.5, number).set("text-anchor", "end");
            group = group
                .add(stroke(rule, ("#ccc", "none")).set("stroke-width", 0.5))
                .add(number);
        }
        let mut times = self.times.ticks().peekable();
        while let Some((value, mut number)) = times.next() {
            if times.peek().is_none() {
                number = format!("{number} {}", self.times.unit);
            }
            let x = self.x(left, value);
            let mark = format!("M{} {}v4", tenth(x), tenth(bottom));
            let number = small(x, bottom + 14.0, number).set("text-anchor", "middle");
            group = group.add(stroke(mark, (FRAME, "none"))).add(number);
        }
        let axes = format!(
            "M{} {}V{}h{}",
            tenth(left),
            tenth(top),
            tenth(bottom),
            self.field()
        );
        group = group.add(stroke(axes, (FRAME, "none")));
        if let Some(peak) = &self.series.peak {
            group = group.add(stroke(self.path(&peak.drawn(), left, bottom), PEAK));
        }
        for (line, area) in self.series.lines.iter().zip(&areas) {
            let tops: Vec<Step> = area.iter().map(|(step, _)| *step).collect();
            let (_, edge) = self.style(line);
            group = group.add(stroke(self.path(&tops, left, bottom), edge));
        }
        drawing.add(group);
    }

    /// Number of strokes of the first line, and of gaps.
    #[cfg(test)]
    pub(super) fn moves(&self) -> (usize, usize) {
        let path = self.path(&self.series.lines[0].drawn(), 0.0, 0.0);
        (path.matches('M').count(), self.gaps().len())
    }

    /// Width of the field.
    fn field(&self) -> f64 {
        self.width - LEFT - 4.0
    }

    /// The look of a line's area.
    fn style(&self, line: &Line) -> (&'static str, (&'static str, &'static str)) {
        let place = self.lines.iter().position(|what| *what == line.what);
        style(place.unwrap_or_default())
    }

    /// An area of steps above what is below.
    fn area(&self, steps: &[(Step, f64)], left: f64, bottom: f64) -> String {
        let mut path = String::new();
        for (step, base) in steps {
            if let Some(top) = step.rate {
                let [from, to] = [step.begin, step.end].map(|time| tenth(self.x(left, time)));
                let [base, top] = [*base, top].map(|rate| tenth(self.y(bottom, rate)));
                let _ = write!(path, "M{from} {base}V{top}H{to}V{base}z");
            }
        }
        path
    }

    fn x(&self, left: f64, time: f64) -> f64 {
        left + self.field() * time / self.times.end
    }

    fn y(&self, bottom: f64, rate: f64) -> f64 {
        bottom - FIELD * rate / self.rates.end
    }

    /// A line of steps, which is cut where nothing was counted.
    fn path(&self, steps: &[Step], left: f64, bottom: f64) -> String {
        let mut path = String::new();
        let mut last: Option<Step> = None;
        for &step in steps {
            let Some(rate) = step.rate else {
                last = None;
                continue;
            };
            let (from, to) = (self.x(left, step.begin), self.x(left, step.end));
            let y = tenth(self.y(bottom, rate));
            let _ = match last {
                Some(last) if step.follows(last) => write!(path, "V{y}H{}", tenth(to)),
                _ => write!(path, "M{} {y}H{}", tenth(from), tenth(to)),
            };
            last = Some(step);
        }
        path
    }

    /// The times in which none of the lines was counted.
    fn gaps(&self) -> Vec<Step> {
        let lines: Vec<_> = self.series.lines.iter().map(Line::drawn).collect();
        let counted = lines.iter().flatten().filter(|step| step.rate.is_some());
        let mut counted: Vec<Step> = counted.copied().collect();
        counted.sort_by(|one, other| one.begin.total_cmp(&other.begin));
        let (mut gaps, mut end) = (Vec::new(), 0.0);
        let gap = |begin, end| Step::gap(begin, end);
        for step in counted {
            gaps.extend(gap(end, step.begin));
            end = step.end.max(end);
        }
        gaps.extend(gap(end, self.times.end));
        gaps
    }
}

fn style(place: usize) -> (&'static str, (&'static str, &'static str)) {
    AREAS[place % AREAS.len()]
}

fn stroke(data: String, (colour, dashes): (&str, &str)) -> Path {
    Path::new()
        .set("d", data)
        .set("fill", "none")
        .set("stroke", colour)
        .set("stroke-dasharray", dashes)
}
