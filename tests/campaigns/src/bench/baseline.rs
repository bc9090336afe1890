// SPDX-License-Identifier: GPL-2.0

//! The exact figures that a commit is held to, in one JSON file: for each build, which is
//! a kernel and its compilers, the figures of each row.

use super::exact::{Exact, FIGURES};
use serde_json::{json, Map, Value};
use std::collections::BTreeMap;
use std::path::Path;

/// Exact figures of rows by their titles.
pub(super) type Rows = BTreeMap<String, Exact>;

/// All rows of all builds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Baseline(BTreeMap<String, Rows>);

impl Baseline {
    /// Reads a baseline. The error names the file, and the build and the row if it has one.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| wrong(&error))?;
        Self::parse(&text).map_err(|error| wrong(&error))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let all: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let mut baseline = Self::default();
        for (build, rows) in object(&all).ok_or("not an object of builds")? {
            let rows = object(rows).ok_or_else(|| format!("{build}: not an object of rows"))?;
            let mut parsed = Rows::new();
            for (title, figures) in rows {
                let exact = parse_row(figures);
                let exact = exact.map_err(|error| format!("{build}: {title}: {error}"))?;
                parsed.insert(title.clone(), exact);
            }
            baseline.0.insert(build.clone(), parsed);
        }
        Ok(baseline)
    }

    /// Returns the rows of a build.
    pub(super) fn rows(&self, build: &str) -> Option<&Rows> {
        self.0.get(build)
    }

    /// Renews the rows of a build that are measured, and drops those that are no longer
    /// `known`. Rows of other builds stay.
    pub(super) fn renew(&mut self, build: &str, measured: &Rows, known: &[String]) {
        let rows = self.0.entry(build.to_owned()).or_default();
        rows.retain(|title, _| known.contains(title));
        rows.extend(
            measured
                .iter()
                .map(|(title, exact)| (title.clone(), *exact)),
        );
    }

    /// Returns the text of the file.
    pub(super) fn text(&self) -> String {
        let builds = self.0.iter().map(|(build, rows)| {
            let rows = rows.iter().map(|(title, exact)| {
                let figures = FIGURES.iter().zip(exact.0);
                let figures = figures.map(|(figure, value)| (figure.name.to_owned(), json!(value)));
                (title.clone(), Value::Object(figures.collect()))
            });
            (build.clone(), Value::Object(rows.collect()))
        });
        format!("{:#}\n", Value::Object(builds.collect()))
    }
}

fn object(value: &Value) -> Option<&Map<String, Value>> {
    value.as_object()
}

fn parse_row(figures: &Value) -> Result<Exact, String> {
    let figures = object(figures).ok_or("not an object of figures")?;
    let mut exact = Exact::default();
    for (figure, value) in FIGURES.iter().zip(&mut exact.0) {
        // A figure that was not measured then is 0, so that it has to be renewed.
        if let Some(found) = figures.get(figure.name) {
            let found = found.as_i64();
            *value = found.ok_or_else(|| format!("no number `{}`", figure.name))?;
        }
    }
    let known = |name: &str| FIGURES.iter().any(|figure| figure.name == name);
    match figures.keys().find(|name| !known(name)) {
        Some(name) => Err(format!("no figure is named `{name}`")),
        None => Ok(exact),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{ "a kernel": { "read": { "in the module": 155, "accesses": 1,
                                                    "accesses of the longest section": 1 } } }"#;

    #[test]
    fn a_baseline_is_read_as_it_is_written() {
        let baseline = Baseline::parse(TEXT).expect("sound");
        let rows = baseline.rows("a kernel").expect("rows");
        assert_eq!(rows["read"], Exact([155, 1, 1]));
        assert_eq!(baseline.rows("another kernel"), None);
        assert_eq!(Baseline::parse(&baseline.text()), Ok(baseline));
        let old = r#"{ "a kernel": { "read": { "in the module": 155, "accesses": 1 } } }"#;
        let baseline = Baseline::parse(old).expect("sound");
        assert_eq!(baseline.0["a kernel"]["read"], Exact([155, 1, 0]));
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said() {
        let number = TEXT.replace("155", "\"155\"");
        let more = TEXT.replace("155,", "155, \"seconds\": 1,");
        for (text, wanted) in [
            ("", "EOF while parsing"),
            (&TEXT[..20], "EOF while parsing"),
            ("[]", "not an object of builds"),
            (r#"{ "k": 1 }"#, "k: not an object of rows"),
            (
                r#"{ "k": { "read": [] } }"#,
                "k: read: not an object of figures",
            ),
            (&number, "a kernel: read: no number `in the module`"),
            (&more, "a kernel: read: no figure is named `seconds`"),
        ] {
            let said = Baseline::parse(text).expect_err(text);
            assert!(said.contains(wanted), "{text}: {said}");
        }
        let missing = Baseline::read(Path::new("/nowhere.json")).expect_err("no file");
        assert!(missing.starts_with("/nowhere.json: "), "{missing}");
    }

    #[test]
    fn renewing_keeps_other_builds_and_rows() {
        let rows = |rows: &[(&str, [i64; 3])]| -> Rows {
            let rows = rows.iter();
            rows.map(|&(title, exact)| (title.to_owned(), Exact(exact)))
                .collect()
        };
        let mut baseline = Baseline::default();
        let known = ["open", "read"].map(str::to_owned);
        baseline.renew("a", &rows(&[("read", [1; 3])]), &known);
        baseline.renew("b", &rows(&[("read", [2; 3]), ("gone", [3; 3])]), &known);
        baseline.renew("b", &rows(&[("open", [4; 3])]), &known);
        assert_eq!(baseline.rows("a"), Some(&rows(&[("read", [1; 3])])));
        let of_b = rows(&[("open", [4; 3]), ("read", [2; 3])]);
        assert_eq!(baseline.rows("b"), Some(&of_b));
    }
}
