// SPDX-License-Identifier: GPL-2.0

//! The results as tables for the terminal, and as JSON.

use super::{boxes, Operation, Results, Row, DRIVERS};
use crate::table::Table;
use serde_json::{json, Map, Value};
use uncore_e2e::cost::{Cost, Spread};
use uncore_runner::Driver;

/// A figure of a cost that is shown.
pub(super) struct Figure {
    pub(super) name: &'static str,
    pub(super) of: fn(&Cost) -> i64,
}

/// All figures that are shown.
pub(super) const FIGURES: [Figure; 5] = [
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
    Figure {
        name: "longest section with interrupts off: accesses",
        of: |cost| cost.longest().accesses,
    },
    Figure {
        name: "longest section with interrupts off: instructions",
        of: |cost| cost.longest().instructions,
    },
];

impl Row {
    pub(super) fn title(&self) -> String {
        super::title(self.operation, self.subject)
    }

    /// Returns the spread of a figure with each driver.
    pub(super) fn spreads(&self, figure: &Figure) -> [Spread; 2] {
        [0, 1].map(|driver| Spread::of(&self.costs[driver], figure.of))
    }
}

/// Returns the ratio of our figure to theirs, or a dash if there is none.
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

/// Returns the instructions of a load per PMU and per file in sysfs.
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

/// Returns the footprint of both drivers.
pub(super) fn footprint(results: &Results) -> Vec<(&'static str, [i64; 2])> {
    let [ours, theirs] = results.footprints.each_ref().map(super::Footprint::lines);
    let lines = ours.iter().zip(theirs);
    let mut lines: Vec<_> = lines
        .map(|(ours, theirs)| (ours.0, [ours.1, theirs.1]))
        .collect();
    lines.extend(shares(results));
    lines
}

/// Returns the tables for the terminal: one for each figure, and one of the footprint.
pub fn tables(results: &Results) -> Vec<Table> {
    let [ours, theirs] = DRIVERS.map(Driver::name);
    let mut tables: Vec<Table> = (FIGURES.iter())
        .map(|figure| {
            let rows = results.rows.iter().map(|row| {
                let spreads = row.spreads(figure);
                let medians = spreads.map(|spread| spread.median);
                let [ours, theirs] = spreads.map(|spread| json!(spread.to_string()));
                [json!(row.title()), ours, theirs, json!(ratio(medians))]
            });
            Table::new(figure.name, ["operation", ours, theirs, "ratio"], rows)
        })
        .collect();
    let loaded = footprint(results).into_iter().map(|(what, figures)| {
        let [ours, theirs] = figures.map(|figure| json!(figure));
        [json!(what), ours, theirs, json!(ratio(figures))]
    });
    let head = ["what", ours, theirs, "ratio"];
    tables.push(Table::new("once it is loaded", head, loaded));
    tables.push(boxes::table(&results.readings));
    tables
}

/// Returns all figures of all rows.
pub fn json(results: &Results) -> Value {
    let rows = results.rows.iter().map(|row| {
        let mut drivers = Map::new();
        for (driver, costs) in DRIVERS.iter().zip(&row.costs) {
            drivers.insert(driver.name().to_owned(), costs_json(costs));
        }
        let Operation { boots, rounds, .. } = row.operation;
        json!({ "operation": row.title(), "boots": boots, "rounds": rounds, "drivers": drivers })
    });
    let footprint: Vec<Value> = footprint(results)
        .into_iter()
        .map(|(what, [ours, theirs])| {
            json!({ "what": what, DRIVERS[0].name(): ours, DRIVERS[1].name(): theirs })
        })
        .collect();
    json!({
        "operations": rows.collect::<Vec<_>>(),
        "loaded": footprint,
        "boxes": boxes::table(&results.readings).json(),
    })
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
}
