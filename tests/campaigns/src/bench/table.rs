// SPDX-License-Identifier: GPL-2.0

//! The results as tables for the terminal, and as JSON.

use super::{Operation, Row, DRIVERS};
use crate::table::Table;
use serde_json::{json, Map, Value};
use uncore_e2e::cost::{Cost, Spread};
use uncore_runner::Driver;

/// A figure of a cost that is shown.
struct Figure {
    name: &'static str,
    of: fn(&Cost) -> i64,
}

/// All figures that are shown.
const FIGURES: [Figure; 5] = [
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
    fn title(&self) -> String {
        super::title(self.operation, self.subject)
    }

    /// Returns the spread of a figure with each driver.
    fn spreads(&self, figure: &Figure) -> [Spread; 2] {
        [0, 1].map(|driver| Spread::of(&self.costs[driver], figure.of))
    }
}

/// Returns the ratio of our figure to theirs, or a dash if there is none.
fn ratio([ours, theirs]: [i64; 2]) -> String {
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

/// Returns the tables for the terminal, one for each figure.
pub fn tables(rows: &[Row]) -> Vec<Table> {
    let [ours, theirs] = DRIVERS.map(Driver::name);
    let of_figure = |figure: &Figure| {
        let rows = rows.iter().map(|row| {
            let spreads = row.spreads(figure);
            let medians = spreads.map(|spread| spread.median);
            let [ours, theirs] = spreads.map(|spread| json!(spread.to_string()));
            [json!(row.title()), ours, theirs, json!(ratio(medians))]
        });
        Table::new(figure.name, ["operation", ours, theirs, "ratio"], rows)
    };
    FIGURES.iter().map(of_figure).collect()
}

/// Returns all figures of all rows.
pub fn json(rows: &[Row]) -> Value {
    let rows = rows.iter().map(|row| {
        let mut drivers = Map::new();
        for (driver, costs) in DRIVERS.iter().zip(&row.costs) {
            drivers.insert(driver.name().to_owned(), costs_json(costs));
        }
        let Operation { boots, rounds, .. } = row.operation;
        json!({ "operation": row.title(), "boots": boots, "rounds": rounds, "drivers": drivers })
    });
    json!({ "operations": rows.collect::<Vec<_>>() })
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
