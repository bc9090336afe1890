// SPDX-License-Identifier: GPL-2.0

//! Cost of operations with our driver and with the kernel's own: the same steps run on
//! the same machine, and instructions and register accesses are counted.
//!
//! `make bench` prints the tables and writes all figures to build/bench.json. `make bench
//! CHECK=1` compares those of our driver that are exact with a baseline. `make bench-load`
//! measures loading on each platform beside a plain module with the same files.
//! Documentation/development/bench.rst has the method.

mod baseline;
mod boxes;
mod build;
mod exact;
mod footprint;
mod hold;
mod load;
mod operations;
mod plain;
mod table;
mod vectors;

pub use boxes::Reading;
pub use footprint::Footprint;
pub use hold::{hold, Held};
pub use load::{measure_loads, write_plain};
pub use operations::{Operation, Subject, OPERATIONS};
pub use table::{json, tables};

use baseline::Rows;
use exact::Exact;
use operations::Names;
use std::path::Path;
use uncore_e2e::cost::Cost;
use uncore_e2e::prelude::*;

/// Both drivers, ours first.
pub const DRIVERS: [Driver; 2] = [Driver::UncoreRs, Driver::IntelUncore];

/// An operation on one kind of box, with its cost in each of [`DRIVERS`].
#[derive(Clone, Debug)]
pub struct Row {
    /// The operation.
    pub operation: &'static Operation,
    /// Subject of the operation.
    pub subject: Subject,
    /// The costs of all rounds, by driver.
    pub costs: [Vec<Cost>; 2],
}

/// All measurements of a run.
#[derive(Clone, Debug)]
pub struct Results {
    /// The operations.
    pub rows: Vec<Row>,
    /// Footprint after loading, by driver.
    pub footprints: [Footprint; 2],
    /// Readings of every box.
    pub readings: Vec<Reading>,
}

/// Measures the operations whose names contain `wanted`, with the module files of both
/// drivers.
pub fn measure(wanted: &str, modules: [&Path; 2]) -> Results {
    let readings = boxes::TITLE.contains(wanted).then(boxes::measure);
    let wanted: Vec<_> = subjects()
        .filter(|(operation, _)| operation.name.contains(wanted))
        .collect();
    let [ours, theirs] =
        [0, 1].map(|index| measure_driver(&wanted, DRIVERS[index], modules[index]));
    let costs = ours.0.into_iter().zip(theirs.0);
    let rows = wanted.into_iter().zip(costs);
    let rows = rows.map(|((operation, subject), (ours, theirs))| Row {
        operation,
        subject,
        costs: [ours, theirs],
    });
    Results {
        rows: rows.collect(),
        footprints: [ours.1, theirs.1],
        readings: readings.unwrap_or_default(),
    }
}

/// Largest number of measured rounds of exact figures, which should all be equal.
const EXACT_ROUNDS: usize = 3;

/// Measures the exact figures of our driver, all on one machine.
fn measure_exact(wanted: impl Fn(&Operation) -> bool) -> Rows {
    let driver = Driver::UncoreRs;
    let wanted = subjects().filter(|(operation, _)| wanted(operation));
    on_machine(driver, |session| {
        let rows = wanted.map(|(operation, subject)| {
            let rounds = operation.rounds.min(EXACT_ROUNDS);
            let names = Names { driver, subject };
            let costs = measure_operation(session, operation, names, rounds);
            let exact = Exact::of(&costs, operation.is_short);
            (title(operation, subject), exact)
        });
        rows.collect()
    })
}

/// Returns the titles of all rows.
fn titles() -> Vec<String> {
    subjects()
        .map(|(operation, subject)| title(operation, subject))
        .collect()
}

fn title(operation: &Operation, subject: Subject) -> String {
    format!("{}{subject}", operation.name)
}

/// Returns each operation with each kind of box that it applies to.
fn subjects() -> impl Iterator<Item = (&'static Operation, Subject)> {
    OPERATIONS
        .iter()
        .flat_map(|operation| operation.subjects.iter().map(move |&s| (operation, s)))
}

/// Returns the machine both drivers are measured on: it has as many C-Boxes as cores,
/// because the kernel's own driver derives the number of C-Boxes from the number of
/// cores.
fn machine() -> Config {
    Config::of(Driver::None)
        .with("count", "on")
        .with("cboxes", "2")
}

/// Measures the footprint, then each operation on freshly booted machines.
fn measure_driver(
    wanted: &[(&'static Operation, Subject)],
    driver: Driver,
    module: &Path,
) -> (Vec<Vec<Cost>>, Footprint) {
    let footprint = on_machine(driver, |session| {
        Footprint::measure(session, driver, module)
    });
    let costs = wanted.iter().map(|&(operation, subject)| {
        eprintln!("{}: {}", driver.name(), title(operation, subject));
        let names = Names { driver, subject };
        let measure = |_| {
            on_machine(driver, |session| {
                measure_operation(session, operation, names, operation.rounds)
            })
        };
        (0..operation.boots).flat_map(measure).collect()
    });
    (costs.collect(), footprint)
}

fn on_machine<T>(driver: Driver, measure: impl FnOnce(&mut Session) -> T) -> T {
    on_driver(&machine(), driver, measure)
}

/// Measures on a new machine. `intel_uncore` is known to break rules.
fn on_driver<T>(machine: &Config, driver: Driver, measure: impl FnOnce(&mut Session) -> T) -> T {
    on_new(machine, |session| {
        if driver == Driver::IntelUncore {
            session.tolerate_violations();
        }
        measure(session)
    })
}

/// Returns the costs of so many rounds. The output of the steps is kept for the end, because
/// sending it to the host meanwhile would be counted too.
fn measure_operation(
    session: &mut Session,
    operation: &Operation,
    names: Names,
    rounds: usize,
) -> Vec<Cost> {
    let script = (operation.script)(names);
    let mut steps = script.before;
    let rounds = rounds + 1;
    steps.push(format!("times {rounds} {}", script.each.join("; ")));
    steps.extend(script.after);
    let steps: Vec<String> = steps.iter().map(|step| format!("'{step}'")).collect();
    let command = format!(
        "taskset 1 perf-open {} >/tmp/costs && cat /tmp/costs",
        steps.join(" ")
    );
    let costs = Cost::all(&session.ok(&command));
    let measured = script.each.iter().filter(|step| step.starts_with("cost "));
    let each = measured.count();
    assert_eq!(costs.len(), rounds * each, "costs of `{command}`");
    let shares = script.shares;
    costs
        .chunks(each)
        .skip(1)
        .map(|costs| match costs {
            [without, with] => with.less(without).shared(shares),
            _ => costs[0],
        })
        .collect()
}
