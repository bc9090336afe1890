// SPDX-License-Identifier: GPL-2.0

//! Cost of loading our driver on each platform, beside a plain module with the same files.

use super::footprint::{memory_of, Sections};
use super::operations::cost;
use super::plain::Files;
use super::table::ratio;
use super::vectors;
use crate::table::Table;
use serde_json::json;
use std::io;
use std::path::Path;
use uncore_e2e::cost::{Cost, Spread};
use uncore_e2e::prelude::*;

/// Names of the platforms that are measured.
const PLATFORMS: [&str; 4] = ["ivbep", "bdx", "snb", "nhmex"];

/// Step that unloads our driver.
const UNLOAD: &str = "unload uncore_rs";

/// Number of measured loads, after one that is thrown away.
const ROUNDS: usize = 5;

/// Cost of loading a module.
#[derive(Clone, Debug)]
struct Load {
    costs: Vec<Cost>,
    /// Kilobytes of memory; the median.
    memory: i64,
}

/// Writes the sources of the plain modules of all platforms into a directory.
pub fn write_plain(directory: &Path) -> io::Result<()> {
    for platform in PLATFORMS {
        let files = on_machine(platform, |session| files_of_ours(session, platform));
        std::fs::write(
            directory.join(format!("{}.c", plain(platform))),
            files.source(),
        )?;
    }
    Ok(())
}

/// Measures both modules on each platform: the file of ours, and the plain one in a directory.
/// Returns a table with a row for each figure.
pub fn measure_loads(module: &Path, plain_modules: &Path) -> Table {
    let mut rows = Vec::new();
    for platform in PLATFORMS {
        eprintln!("load: {platform}");
        let [free_run, load, stop] = ours();
        let ours = [free_run, cost(&load), stop, UNLOAD.to_owned()];
        let name = plain(platform);
        let theirs = [
            cost(&format!("load /lib/modules/{name}.ko")),
            format!("unload {name}"),
        ];
        let (files, vectors, ours) = on_machine(platform, |session| {
            let load = Load::measure(session, &ours);
            let vectors = vectors_of_ours(session);
            (files_of_ours(session, platform), vectors, load)
        });
        let theirs = on_machine(platform, |session| Load::measure(session, &theirs));
        let loads = [ours, theirs];
        let median = |of: fn(&Cost) -> i64| {
            loads
                .each_ref()
                .map(|load| Spread::of(&load.costs, of).median)
        };
        let sections = [
            Sections::of_file(module),
            Sections::of_file(&plain_modules.join(format!("{name}.ko"))),
        ];
        let size = |of: fn(&Sections) -> u64| {
            sections
                .each_ref()
                .map(|of_one| i64::try_from(of(of_one)).unwrap_or(i64::MAX))
        };
        let same = |count: usize| [i64::try_from(count).unwrap_or(i64::MAX); 2];
        let [count, _] = same(files.count());
        let figures = [
            ("PMUs", same(files.pmus())),
            ("files of the driver", same(files.count())),
            ("instructions", median(Cost::instructions)),
            ("in the module", median(Cost::in_module)),
            ("module: code, bytes", size(|of_one| of_one.text)),
            ("module: constants, bytes", size(|of_one| of_one.constants)),
            ("module: variables, bytes", size(|of_one| of_one.variables)),
            ("memory, kB", loads.each_ref().map(|load| load.memory)),
            // The plain module has its files in variables.
            ("allocated for files, bytes", [vectors, 0]),
            (
                "allocated for each file, bytes",
                [vectors / count.max(1), 0],
            ),
        ];
        rows.extend(figures.map(|(what, figures)| {
            let [ours, plain] = figures.map(|figure| json!(figure));
            [
                json!(platform),
                json!(what),
                ours,
                plain,
                json!(ratio(figures)),
            ]
        }));
    }
    let head = ["platform", "what", "uncore_rs", "plain module", "ratio"];
    Table::new("loading, beside a module with the same files", head, rows)
}

impl Load {
    /// Measures steps that load and unload a module, of which the load begins with `cost`.
    fn measure(session: &mut Session, steps: &[String]) -> Self {
        let rounds = ROUNDS + 1;
        let command = format!(
            "taskset 1 perf-open 'times {rounds} {}' >/tmp/costs && cat /tmp/costs",
            steps.join("; ")
        );
        let mut costs = Cost::all(&session.ok(&command));
        assert_eq!(costs.len(), rounds, "costs of `{command}`");
        costs.remove(0);
        let uncounted = |step: &String| step.replace("cost ", "");
        let (unload, load) = steps.split_last().expect("steps");
        let load: Vec<String> = load.iter().map(uncounted).collect();
        let memory = memory_of(session, &load, unload);
        Self { costs, memory }
    }
}

/// Runs on a machine of a platform, without a driver.
fn on_machine<T>(platform: &str, measure: impl FnOnce(&mut Session) -> T) -> T {
    let config = Config::of(Driver::None)
        .with("platform", platform)
        .with("count", "on");
    on_new(&config, measure)
}

/// Returns the steps that load our driver, while there is traffic.
fn ours() -> [String; 3] {
    [
        "machine free-run on".to_owned(),
        format!("load {MODULE}"),
        "machine free-run off".to_owned(),
    ]
}

/// Returns the files that our driver makes.
fn files_of_ours(session: &mut Session, platform: &str) -> Files {
    session.perf_open(&ours());
    let files = Files::read(session, &format!("{platform}_uncore_"));
    session.perf_open(&[UNLOAD]);
    files
}

/// Returns the bytes of the vectors in which our driver has its files.
fn vectors_of_ours(session: &mut Session) -> i64 {
    let bytes = vectors::kept(session, &ours());
    session.perf_open(&[UNLOAD]);
    bytes
}

/// Returns the name of the plain module of a platform.
fn plain(platform: &str) -> String {
    format!("plain_{platform}")
}
