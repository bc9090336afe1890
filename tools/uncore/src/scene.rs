// SPDX-License-Identifier: GPL-2.0

//! Machines and what they do, for tests.

use uncore_metrics::recording::{Machine, Missing, Package};
use uncore_metrics::{Catalogue, Interval, Metric, NoValue, Outcome, Unit};

use crate::overview::kind;

pub(crate) const GB: f64 = 1e9;
/// Peak of a memory channel.
pub(crate) const CHANNEL: f64 = 12.8 * GB;
/// Peak of a link.
pub(crate) const LINK: f64 = 16.0 * GB;

/// Function that returns the amount of a metric in a second, and the share of the time in which
/// it was counted. The arguments are socket, box and metric.
pub(crate) type Amounts<'a> = dyn Fn(u32, &str, &str) -> (Result<f64, NoValue>, f64) + 'a;

/// A machine with so many boxes of each type in each socket.
pub(crate) fn machine(platform: &str, sockets: u32, boxes: &[(&str, u32)]) -> Machine {
    let names = boxes.iter().flat_map(|(kind, count)| {
        let indexes = 0..*count;
        indexes.map(move |index| format!("{kind}_{index}"))
    });
    let names: Vec<String> = names.collect();
    let package = |number| Package {
        number,
        boxes: names.clone(),
        missing: Vec::new(),
    };
    Machine {
        platform: platform.to_owned(),
        packages: (0..sockets).map(package).collect(),
        ..Machine::default()
    }
}

pub(crate) fn xeon(sockets: u32) -> Machine {
    let boxes = [
        ("imc", 4),
        ("ha", 1),
        ("qpi", 2),
        ("cbox", 3),
        ("irp", 1),
        ("pcu", 1),
        ("ubox", 1),
    ];
    let mut machine = machine("ivbep", sockets, &boxes);
    for package in &mut machine.packages {
        package.missing = vec![
            missing("cbox_3-14", "the package has 3"),
            missing("qpi_2", "no PCI function of it"),
        ];
    }
    machine
}

pub(crate) fn missing(boxes: &str, reason: &str) -> Missing {
    Missing {
        boxes: boxes.to_owned(),
        reason: reason.to_owned(),
    }
}

/// Amounts of a machine that does little.
pub(crate) fn quiet(socket: u32, name: &str, metric: &str) -> f64 {
    let index: u32 = name
        .rsplit_once('_')
        .and_then(|(_, index)| index.parse().ok())
        .unwrap_or_default();
    let scale = f64::from(socket + 1) * f64::from(index + 1);
    match metric {
        "memory_read_bytes" => 0.2 * GB * scale,
        "memory_write_bytes" => 0.05 * GB * scale,
        "memory_capacity_bytes" => CHANNEL,
        "link_data_bytes" | "link_sent_bytes" => 0.1 * GB * scale,
        "link_other_bytes" => 0.08 * GB * scale,
        "link_capacity_bytes" => LINK,
        "home_local_read_bytes" => 64.0 * 30e6 * scale,
        "home_remote_read_bytes" => 64.0 * 1e6 * scale,
        "home_local_write_bytes" => 64.0 * 8e6 * scale,
        "home_remote_write_bytes" => 64.0 * 0.2e6 * scale,
        "llc_lookup_requests" => 70e6,
        "llc_miss_requests" => 11e6,
        "llc_latency_cycles" => 11e6 * 2.4e9 * 85e-9,
        "io_read_bytes" | "io_write_bytes" | "io_memory_bytes" => 64.0 * 1.5e6,
        "power_clock_cycles" => 0.8e9,
        "uncore_clock_cycles" => 2.4e9,
        "power_budget_cycles" | "power_heat_cycles" => 0.0,
        "power_os_cycles" => 0.02e9,
        _ => 1.5e6,
    }
}

pub(crate) fn exact(amount: f64) -> (Result<f64, NoValue>, f64) {
    (Ok(amount), 1.0)
}

/// The interval of a second of this machine.
pub(crate) fn interval(machine: &Machine, end: f64, amounts: &Amounts) -> Interval {
    let catalogue = Catalogue::overview(&machine.platform).expect("the data file");
    let mut outcomes = Vec::new();
    for metric in catalogue.metrics(&[0]).expect("metrics") {
        for package in &machine.packages {
            let is_meant = |name: &&String| kind(name) == metric.box_type;
            for name in package.boxes.iter().filter(is_meant) {
                let counted = amounts(package.number, name, &metric.name);
                outcomes.push(outcome(&metric, package.number, name, counted));
            }
        }
    }
    second(end, outcomes)
}

/// Amounts of a machine of which one channel moves what it can.
pub(crate) fn full(socket: u32, name: &str, metric: &str) -> f64 {
    match (socket, name, metric) {
        (1, "imc_2", "memory_read_bytes") => 0.7 * CHANNEL,
        (1, "imc_2", "memory_write_bytes") => 0.23 * CHANNEL,
        _ => quiet(socket, name, metric),
    }
}

/// Makes the outcome of a metric in a second of a box, from its amount and the share of the time in
/// which that was counted.
pub(crate) fn outcome(
    metric: &Metric,
    package: u32,
    box_name: &str,
    (value, counted): (Result<f64, NoValue>, f64),
) -> Outcome {
    Outcome {
        counted,
        ..amount(package, box_name, &metric.name, metric.unit, value)
    }
}

/// Makes the outcome of a metric in a second of a box, which was counted all of the time.
pub(crate) fn amount(
    package: u32,
    box_name: &str,
    metric: &str,
    unit: Unit,
    value: Result<f64, NoValue>,
) -> Outcome {
    Outcome {
        package: Some(package),
        box_type: kind(box_name).to_owned(),
        box_name: Some(box_name.to_owned()),
        metric: metric.to_owned(),
        value,
        unit,
        seconds: 1.0,
        counted: 1.0,
        apart: false,
    }
}

/// An interval of a second, in which each value is also the rate.
pub(crate) fn second(end: f64, outcomes: Vec<Outcome>) -> Interval {
    Interval {
        end,
        seconds: 1.0,
        outcomes,
    }
}
