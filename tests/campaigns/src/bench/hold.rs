// SPDX-License-Identifier: GPL-2.0

//! Holds our driver to a baseline, or renews the baseline.

use super::baseline::Baseline;
use super::build::build;
use super::exact::{compare, Verdict};
use super::{measure_exact, titles, Operation};
use crate::table::write;
use std::path::Path;

/// Outcome of a run.
#[derive(Clone, Debug)]
pub struct Held {
    /// A line for each row.
    pub report: String,
    /// The measured rows, as a baseline.
    pub measured: String,
    /// The failure of the run, if it fails.
    pub failure: Option<String>,
}

/// Measures the wanted operations and compares them with the rows of a file of baselines
/// that are of the module's build. If `renew`, writes them into the file instead. The error
/// names the file that cannot be used.
pub fn hold(
    module: &Path,
    path: &Path,
    renew: bool,
    wanted: impl Fn(&Operation) -> bool,
) -> Result<Held, String> {
    let build = build(module)?;
    let mut baseline = Baseline::read(path)?;
    let known = titles();
    let rows = measure_exact(wanted);
    let mut measured = Baseline::default();
    measured.renew(&build, &rows, &known);
    let mut verdicts = compare(&rows, baseline.rows(&build), &known);
    if renew {
        baseline.renew(&build, &rows, &known);
        write(path, &baseline.text())?;
        verdicts = compare(&rows, baseline.rows(&build), &known);
    }
    let lines: Vec<String> = verdicts.iter().map(Verdict::line).collect();
    let failures = verdicts.iter().filter(|verdict| verdict.is_failure());
    let failures = failures.count();
    Ok(Held {
        report: format!("{build}\n{}", lines.join("\n")),
        measured: measured.text(),
        failure: (failures > 0)
            .then(|| format!("{failures} rows are not as {} has them", path.display())),
    })
}
