// SPDX-License-Identifier: GPL-2.0

//! Results of a run as tables: aligned text for the terminal, JSON for programs.

use serde_json::{json, Map, Value};
use std::fmt;
use std::path::Path;

/// A table with a title; a cell is a number or a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    title: String,
    head: Vec<&'static str>,
    rows: Vec<Vec<Value>>,
}

impl Table {
    /// Creates a table; its rows are as long as its head.
    pub(crate) fn new<const COLUMNS: usize>(
        title: impl Into<String>,
        head: [&'static str; COLUMNS],
        rows: impl IntoIterator<Item = [Value; COLUMNS]>,
    ) -> Self {
        Self {
            title: title.into(),
            head: head.to_vec(),
            rows: rows.into_iter().map(Vec::from).collect(),
        }
    }

    /// Returns an object with the title and, for each row, an object of its cells by
    /// column.
    pub(crate) fn json(&self) -> Value {
        let row = |cells: &Vec<Value>| {
            let names = self.head.iter().map(|name| (*name).to_owned());
            Value::Object(names.zip(cells.iter().cloned()).collect::<Map<_, _>>())
        };
        json!({ "title": self.title, "rows": self.rows.iter().map(row).collect::<Vec<_>>() })
    }
}

/// Prints texts at the left of their columns and numbers at the right.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = |index: usize| self.rows.iter().map(move |row| &row[index]);
        let widths: Vec<usize> = (self.head.iter().enumerate())
            .map(|(index, name)| {
                let widest = column(index).map(|cell| text(cell).len()).max();
                widest.unwrap_or(0).max(name.len())
            })
            .collect();
        let mut line = |cells: Vec<(String, bool)>| {
            let cells = cells
                .into_iter()
                .zip(&widths)
                .map(|((cell, right), width)| {
                    if right {
                        format!("{cell:>width$}")
                    } else {
                        format!("{cell:width$}")
                    }
                });
            writeln!(f, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())
        };
        line(vec![(self.title.clone(), false)])?;
        let head = self.head.iter().enumerate().map(|(index, name)| {
            let right = column(index).next().is_some_and(Value::is_number);
            ((*name).to_owned(), right)
        });
        line(head.collect())?;
        for row in &self.rows {
            line(
                row.iter()
                    .map(|cell| (text(cell), cell.is_number()))
                    .collect(),
            )?;
        }
        Ok(())
    }
}

fn text(cell: &Value) -> String {
    cell.as_str()
        .map_or_else(|| cell.to_string(), str::to_owned)
}

/// Prints the tables, and writes them to a JSON file. The error names the file.
pub fn publish(path: &Path, tables: &[Table]) -> Result<(), String> {
    for table in tables {
        println!("{table}");
    }
    let json: Value = tables.iter().map(Table::json).collect();
    write(path, &format!("{json:#}\n"))
}

/// Writes a file. The error names the file.
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Table {
        let rows = [[json!("long"), json!(5)], [json!("b"), json!(12)]];
        Table::new("What there is", ["a", "times"], rows)
    }

    #[test]
    fn a_table_is_as_wide_as_it_needs_to_be() {
        let text = "What there is\na     times\nlong      5\nb        12\n";
        assert_eq!(example().to_string(), text);
    }

    #[test]
    fn a_row_is_an_object() {
        let json = example().json();
        assert_eq!(json["rows"][1], json!({ "a": "b", "times": 12 }));
    }
}
