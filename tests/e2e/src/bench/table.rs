// SPDX-License-Identifier: GPL-2.0

//! The results as a table for the terminal, and as JSON.

use super::{Cost, Results, Row, Spread, DRIVERS};
use serde_json::{json, Map, Value};
use std::fmt::Write as _;

/// A figure of a cost that is shown.
pub(super) struct Figure {
    pub(super) name: &'static str,
    pub(super) of: fn(&Cost) -> i64,
}

/// All of them.
pub(super) const FIGURES: [Figure; 3] = [
    Figure {
        name: "instructions",
        of: Cost::instructions,
    },
    Figure {
        name: "in the module",
        of: Cost::in_module,
    },
    Figure {
        name: "accesses",
        of: Cost::accesses,
    },
];

impl Row {
    pub(super) fn title(&self) -> String {
        format!("{}{}", self.operation.name, self.subject)
    }

    /// A figure with each driver.
    pub(super) fn spreads(&self, figure: &Figure) -> [Spread; 2] {
        [0, 1].map(|driver| Spread::of(&self.costs[driver], figure.of))
    }
}

/// Ours by theirs, if that is a number.
pub(super) fn ratio([ours, theirs]: [i64; 2]) -> String {
    match (ours, theirs) {
        (0, 0) => "1.00".to_owned(),
        (_, ..=0) => "-".to_owned(),
        (..0, _) => "0.00".to_owned(),
        _ => {
            let hundredths = (200 * ours + theirs) / (2 * theirs);
            format!("{}.{:02}", hundredths / 100, hundredths % 100)
        }
    }
}

/// What is loaded, for each PMU and for each file in sysfs.
pub(super) fn shares(results: &Results) -> Vec<(&'static str, [i64; 2])> {
    let Some(load) = results.rows.iter().find(|row| row.operation.name == "load") else {
        return Vec::new();
    };
    let instructions = load.spreads(&FIGURES[0]).map(|spread| spread.median);
    let by = |count: fn(&super::Footprint) -> usize| {
        [0, 1].map(|driver| {
            let count = count(&results.footprints[driver]).max(1);
            instructions[driver] / i64::try_from(count).unwrap_or(i64::MAX)
        })
    };
    vec![
        (
            "load: instructions for each PMU",
            by(|footprint| footprint.pmus),
        ),
        (
            "load: instructions for each file in sysfs",
            by(|footprint| footprint.files),
        ),
    ]
}

/// What is there once they are loaded.
pub(super) fn footprint(results: &Results) -> Vec<(&'static str, [i64; 2])> {
    let [ours, theirs] = results.footprints.each_ref().map(super::Footprint::lines);
    let lines = ours.iter().zip(theirs);
    let mut lines: Vec<_> = lines
        .map(|(ours, theirs)| (ours.0, [ours.1, theirs.1]))
        .collect();
    lines.extend(shares(results));
    lines
}

/// A table for the terminal.
#[must_use]
pub fn table(results: &Results) -> String {
    let mut text = String::new();
    for figure in &FIGURES {
        let mut lines = vec![head(figure.name)];
        for row in &results.rows {
            let spreads = row.spreads(figure);
            let medians = spreads.map(|spread| spread.median);
            let [ours, theirs] = spreads.map(|spread| spread.to_string());
            lines.push([row.title(), ours, theirs, ratio(medians)]);
        }
        print(&mut text, &lines);
    }
    let mut lines = vec![head("once it is loaded")];
    for (what, figures) in footprint(results) {
        let [ours, theirs] = figures.map(|figure| figure.to_string());
        lines.push([what.to_owned(), ours, theirs, ratio(figures)]);
    }
    print(&mut text, &lines);
    text
}

fn head(title: &str) -> [String; 4] {
    let [ours, theirs] = DRIVERS.map(|driver| driver.name().to_owned());
    [title.to_owned(), ours, theirs, "ratio".to_owned()]
}

/// The first column to the left, the others to the right.
fn print(text: &mut String, lines: &[[String; 4]]) {
    let width = |column: usize| {
        let widths = lines.iter().map(|line| line[column].len());
        widths.max().unwrap_or(0)
    };
    let [first, second, third, fourth] = [0, 1, 2, 3].map(width);
    for [what, ours, theirs, ratio] in lines {
        let _ = writeln!(
            text,
            "{what:first$}  {ours:>second$}  {theirs:>third$}  {ratio:>fourth$}"
        );
    }
    text.push('\n');
}

/// All figures of all rows.
#[must_use]
pub fn json(results: &Results) -> Value {
    let rows = results.rows.iter().map(|row| {
        let mut drivers = Map::new();
        for (driver, costs) in DRIVERS.iter().zip(&row.costs) {
            drivers.insert(driver.name().to_owned(), costs_json(costs));
        }
        json!({ "operation": row.title(), "rounds": row.operation.rounds, "drivers": drivers })
    });
    let footprint: Vec<Value> = footprint(results)
        .into_iter()
        .map(|(what, [ours, theirs])| {
            json!({ "what": what, DRIVERS[0].name(): ours, DRIVERS[1].name(): theirs })
        })
        .collect();
    json!({ "operations": rows.collect::<Vec<_>>(), "loaded": footprint })
}

fn costs_json(costs: &[Cost]) -> Value {
    let mut figures = Map::new();
    for figure in &FIGURES {
        figures.insert(
            figure.name.to_owned(),
            spread_json(Spread::of(costs, figure.of)),
        );
    }
    let names: Vec<&str> = costs[0].figures().map(|(name, _)| name).collect();
    for (index, name) in names.into_iter().enumerate() {
        let of = |cost: &Cost| cost.figures().nth(index).map_or(0, |(_, figure)| figure);
        figures.insert(name.to_owned(), spread_json(Spread::of(costs, of)));
    }
    Value::Object(figures)
}

fn spread_json(spread: Spread) -> Value {
    json!({
        "median": spread.median,
        "quartiles": [spread.lower, spread.upper],
        "extremes": [spread.least, spread.most],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_rounded() {
        for (figures, text) in [
            ([1, 3], "0.33"),
            ([2, 3], "0.67"),
            ([3, 2], "1.50"),
            ([0, 5], "0.00"),
            ([-1, 5], "0.00"),
            ([0, 0], "1.00"),
            ([5, 0], "-"),
        ] {
            assert_eq!(ratio(figures), text, "{figures:?}");
        }
    }

    #[test]
    fn columns_are_as_wide_as_their_widest() {
        let mut text = String::new();
        let line = |words: [&str; 4]| words.map(str::to_owned);
        print(
            &mut text,
            &[
                line(["a", "b", "c", "d"]),
                line(["long", "10", "9", "1.11"]),
            ],
        );
        assert_eq!(text, "a      b  c     d\nlong  10  9  1.11\n\n");
    }
}
