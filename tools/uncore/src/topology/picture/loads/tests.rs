// SPDX-License-Identifier: GPL-2.0

use uncore_metrics::recording::Missing;
use uncore_metrics::{Interval, NoValue, Outcome};

use super::*;
use crate::scene::amount;

fn outcome(name: &str, metric: &str, unit: Unit, value: Result<f64, NoValue>) -> Outcome {
    amount(0, name, metric, unit, value)
}

fn machine() -> Machine {
    let boxes = ["ubox", "pcu", "imc_0", "imc_1", "cbox_0", "ha_0"];
    Machine {
        platform: "ivbep".to_owned(),
        packages: vec![Package {
            number: 0,
            boxes: boxes.iter().map(|name| (*name).to_owned()).collect(),
            missing: vec![Missing {
                boxes: "cbox_1-14".to_owned(),
                reason: "the package has <1>".to_owned(),
            }],
        }],
        ..Machine::default()
    }
}

/// Two seconds: the second channel is lost in one of them, and was never full.
fn drawn() -> String {
    let mut run = Run::default();
    for second in 1..=2 {
        let second = f64::from(second);
        let rate = |rate: f64| Ok(rate * 1e9);
        let lost = |value| {
            if second > 1.0 {
                Err(NoValue::NotCounted)
            } else {
                value
            }
        };
        let (bytes, cycles) = (Unit::Bytes, Unit::Cycles);
        run.push(&Interval {
            end: second,
            seconds: 1.0,
            outcomes: vec![
                outcome("ubox", "uncore_clock_cycles", cycles, rate(2.4)),
                outcome("pcu", "power_clock_cycles", cycles, rate(0.8)),
                outcome("pcu", "power_budget_cycles", cycles, rate(0.2)),
                outcome("imc_0", "memory_read_bytes", bytes, rate(5.0 * second)),
                outcome("imc_0", "memory_write_bytes", bytes, rate(1.5)),
                outcome("imc_0", "memory_capacity_bytes", bytes, rate(15.0)),
                outcome("imc_1", "memory_read_bytes", bytes, lost(rate(1.5))),
                outcome("imc_1", "memory_write_bytes", bytes, lost(rate(0.0))),
                outcome("imc_1", "memory_capacity_bytes", bytes, lost(rate(15.0))),
                outcome("cbox_0", "llc_lookup_requests", Unit::Requests, rate(0.001)),
                outcome(
                    "cbox_0",
                    "llc_miss_requests",
                    Unit::Requests,
                    Err(NoValue::NotOpened),
                ),
            ],
        });
    }
    picture(&machine(), &run, &["the end is missing".to_owned()])
}

#[test]
fn one_socket() {
    insta::assert_snapshot!(drawn());
}
