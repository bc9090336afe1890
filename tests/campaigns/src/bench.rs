// SPDX-License-Identifier: GPL-2.0

//! Cost of operations with our driver and with the kernel's own: the same steps run on
//! the same machine, and instructions and register accesses are counted.
//!
//! `make bench` prints the tables and writes all figures to build/bench.json.
//! Documentation/development/bench.rst has the method.

mod operations;
mod table;

pub use operations::{Operation, Subject, OPERATIONS};
pub use table::{json, tables};

use operations::Names;
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

/// Measures the operations whose names contain `wanted`.
pub fn measure(wanted: &str) -> Vec<Row> {
    let wanted: Vec<_> = subjects()
        .filter(|(operation, _)| operation.name.contains(wanted))
        .collect();
    let [ours, theirs] = DRIVERS.map(|driver| measure_driver(&wanted, driver));
    let costs = ours.into_iter().zip(theirs);
    let rows = wanted.into_iter().zip(costs);
    rows.map(|((operation, subject), (ours, theirs))| Row {
        operation,
        subject,
        costs: [ours, theirs],
    })
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

/// Measures each operation on freshly booted machines.
fn measure_driver(wanted: &[(&'static Operation, Subject)], driver: Driver) -> Vec<Vec<Cost>> {
    let costs = wanted.iter().map(|&(operation, subject)| {
        eprintln!("{}: {}", driver.name(), title(operation, subject));
        let names = Names { driver, subject };
        let measure = |_| {
            on_machine(driver, |session| {
                measure_operation(session, operation, names)
            })
        };
        (0..operation.boots).flat_map(measure).collect()
    });
    costs.collect()
}

/// Measures on a new machine. `intel_uncore` is known to break rules.
fn on_machine<T>(driver: Driver, measure: impl FnOnce(&mut Session) -> T) -> T {
    on_new(&machine(), |session| {
        if driver == Driver::IntelUncore {
            session.tolerate_violations();
        }
        measure(session)
    })
}

/// Returns the costs of all rounds. The output of the steps is kept for the end, because
/// sending it to the host meanwhile would be counted too.
fn measure_operation(session: &mut Session, operation: &Operation, names: Names) -> Vec<Cost> {
    let script = (operation.script)(names);
    let mut steps = script.before;
    let rounds = operation.rounds + 1;
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
