// SPDX-License-Identifier: GPL-2.0

//! Picture of the bandwidth over time: a panel for each channel and link of each socket.
//!
//! All panels of a part have the same axes, so that they can be compared; those of a socket have
//! others. What moved is drawn as areas on top of each other, in steps, since a rate is the mean of
//! an interval. Where nothing was counted there is no area.

mod history;
mod panel;
mod scale;
mod utc;

use uncore_metrics::recording::{Machine, Missing, Package};

use crate::drawing::{bold, words, Drawing, FAINT};
use crate::overview::{kind, unique};
use crate::table::counted;
pub(crate) use history::History;
use history::Series;
use panel::Panel;
use scale::Scale;

const MARGIN: f64 = 16.0;
const LINE: f64 = 18.0;
/// Distance between sockets.
const SPACE: f64 = 8.0;
/// Panels side by side.
const COLUMNS: usize = 2;
const WIDTH: f64 = 2.0 * MARGIN + 2.0 * panel::WIDTH + panel::GAP;
/// Time of a picture without any interval.
const SECOND: f64 = 1.0;

/// Draws what was counted on a machine. `notes` are added to those of the machine.
pub(crate) fn picture(machine: &Machine, history: &History, notes: &[String]) -> String {
    let mut drawing = Drawing::at(MARGIN + LINE);
    let heading = format!(
        "bandwidth on {}, {}, {:.1} s from {} on",
        machine.platform,
        counted(machine.packages.len(), "socket", "sockets"),
        history.end(),
        utc::text(machine.start)
    );
    drawing.add(bold(MARGIN, drawing.y, &heading).set("font-size", 14));
    drawing.y += LINE;
    let mut described = Vec::new();
    for part in history.parts() {
        let all: Vec<_> = history.of_part(part).collect();
        draw_part(&mut drawing, part, &all, machine, history.end());
        described.extend(all.iter().map(|series| series.summary()));
    }
    let merged = history.merged();
    let merged = (merged > 1).then(|| format!("Each step is the mean of {merged} intervals."));
    for note in merged.iter().chain(&machine.notes).chain(notes) {
        drawing.add(words(MARGIN, drawing.y, note));
        drawing.y += LINE;
    }
    drawing.document(WIDTH, &heading, &described.join("; "))
}

/// Draws the panels of a part, socket by socket.
fn draw_part(drawing: &mut Drawing, part: &str, all: &[&Series], machine: &Machine, end: f64) {
    let totals = machine.packages.iter();
    let totals = totals.filter_map(|package| Series::total(part, package.number, all));
    let totals: Vec<Series> = totals.collect();
    let most = all.iter().map(|series| series.most());
    let rates = Scale::of_rates(most.fold(0.0, f64::max));
    let most = totals.iter().map(Series::most);
    let sums = Scale::of_rates(most.fold(0.0, f64::max));
    let times = Scale::of_times(if end > 0.0 { end } else { SECOND });
    let lines = all.iter().flat_map(|series| &series.lines);
    let lines = unique(lines.map(|line| line.what.as_str()));
    let has_peak = all.iter().any(|series| series.peak.is_some());
    drawing.y += SPACE;
    panel::legend(drawing, MARGIN, part, &lines, has_peak);
    for package in &machine.packages {
        let of_socket = |series: &&&Series| series.socket == package.number;
        let own: Vec<_> = all.iter().filter(of_socket).copied().collect();
        drawing.add(bold(
            MARGIN,
            drawing.y,
            format!("socket {}", package.number),
        ));
        drawing.y += LINE / 2.0;
        let total = totals.iter().filter(|total| total.socket == package.number);
        let rows = total.map(|total| (vec![total], &sums, WIDTH - 2.0 * MARGIN));
        let boxes = own.chunks(COLUMNS);
        let boxes = boxes.map(|row| (row.to_vec(), &rates, panel::WIDTH));
        for (row, rates, width) in rows.chain(boxes) {
            let mut x = MARGIN;
            for series in row {
                let panel = Panel {
                    series,
                    lines: &lines,
                    rates,
                    times: &times,
                    width,
                };
                panel.draw(drawing, x);
                x += width + panel::GAP;
            }
            drawing.y += panel::HEIGHT;
        }
        for line in absences(package, all) {
            drawing.add(words(MARGIN, drawing.y + SPACE, line).set("fill", FAINT));
            drawing.y += LINE;
        }
        drawing.y += SPACE;
    }
}

/// Says which boxes of these kinds a package lacks, and which of its boxes have no panel.
fn absences(package: &Package, all: &[&Series]) -> Vec<String> {
    let is_meant = |name: &str| {
        let mut kinds = all.iter().map(|series| series.box_type.as_str());
        kinds.any(|known| known == kind(name))
    };
    let is_drawn = |name: &str| {
        let mut own = all.iter().filter(|series| series.socket == package.number);
        own.any(|series| series.box_name == name)
    };
    let missing = package
        .missing
        .iter()
        .filter(|missing| is_meant(&missing.boxes));
    let missing = missing.map(Missing::to_string);
    let silent = package.boxes.iter();
    let silent = silent.filter(|name| is_meant(name) && !is_drawn(name));
    missing
        .chain(silent.map(|name| format!("{name} was not counted")))
        .collect()
}

#[cfg(test)]
mod tests;
