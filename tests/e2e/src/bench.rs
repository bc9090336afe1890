// SPDX-License-Identifier: GPL-2.0

//! What operations cost with our driver and with the kernel's own: the same steps
//! on the same machine, counted in instructions and accesses to registers.
//!
//! `make bench` prints the table, and writes it as JSON and as
//! Documentation/development/bench.rst, which has the method.

mod cost;
mod footprint;
mod operations;
mod page;
mod table;

pub use cost::{Cost, Spread};
pub use footprint::Footprint;
pub use operations::{Operation, Subject, OPERATIONS};
pub use page::page;
pub use table::{json, table};

use crate::fixture::{on_new, Session};
use crate::{Config, Driver};
use operations::Names;
use std::path::Path;

/// Both drivers, ours first.
pub const DRIVERS: [Driver; 2] = [Driver::IvbepUncore, Driver::IntelUncore];

/// An operation on a kind of box, and what it costs with each of [`DRIVERS`].
#[derive(Clone, Debug)]
pub struct Row {
    /// What is done.
    pub operation: &'static Operation,
    /// To what.
    pub subject: Subject,
    /// The costs of all rounds, by driver.
    pub costs: [Vec<Cost>; 2],
}

/// All that was measured.
#[derive(Clone, Debug)]
pub struct Results {
    /// The operations.
    pub rows: Vec<Row>,
    /// What is there once a driver is loaded, by driver.
    pub footprints: [Footprint; 2],
}

/// Measures the operations whose names have this in them, with the module files of
/// both drivers.
///
/// # Panics
///
/// If a machine cannot be booted or an operation fails.
#[must_use]
pub fn measure(wanted: &str, modules: [&Path; 2]) -> Results {
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
    }
}

/// Each operation with each kind of box that it is about.
fn subjects() -> impl Iterator<Item = (&'static Operation, Subject)> {
    OPERATIONS
        .iter()
        .flat_map(|operation| operation.subjects.iter().map(move |&s| (operation, s)))
}

/// The machine both are measured on: as many C-Boxes as cores, as the kernel's own
/// driver looks at cores.
fn machine() -> Config {
    Config {
        driver: Driver::None,
        ..Config::default()
    }
    .with("count", "on")
    .with("cboxes", "2")
}

/// The footprint, then each operation on a machine that has done nothing before.
fn measure_driver(
    wanted: &[(&'static Operation, Subject)],
    driver: Driver,
    module: &Path,
) -> (Vec<Vec<Cost>>, Footprint) {
    let footprint = on_machine(driver, |session| {
        Footprint::measure(session, driver, module)
    });
    let costs = wanted.iter().map(|&(operation, subject)| {
        eprintln!("{}: {}{subject}", driver.name(), operation.name);
        let names = Names { driver, subject };
        on_machine(driver, |session| {
            measure_operation(session, operation, names)
        })
    });
    (costs.collect(), footprint)
}

fn on_machine<T>(driver: Driver, measure: impl FnOnce(&mut Session) -> T) -> T {
    on_new(&machine(), |session| {
        if driver == Driver::IntelUncore {
            session.tolerate_violations();
        }
        measure(session)
    })
}

/// The costs of all rounds. What the steps print is kept for the end, as the host
/// would be told of it meanwhile.
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
