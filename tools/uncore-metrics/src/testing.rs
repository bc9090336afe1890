// SPDX-License-Identifier: GPL-2.0

//! Boxes, metrics and outcomes for tests.

use crate::box_type::{BoxType, Event};
use crate::metric::{Level, Metric};
use crate::outcome::Outcome;
use crate::reading::NoValue;
use crate::unit::Unit;

/// An event for these counters.
pub(crate) fn event(counters: u64) -> Event {
    Event {
        counters,
        ..Event::default()
    }
}

/// A type of box with these events, and the filter `opc` with these fields.
pub(crate) fn box_type<const N: usize>(events: [(&str, Event); N], opc: &[&str]) -> BoxType {
    let filter = Some("opc".to_owned());
    let fields = opc
        .iter()
        .map(|field| ((*field).to_owned(), filter.clone()));
    BoxType {
        events: events.map(|(name, event)| (name.to_owned(), event)).into(),
        fields: fields.collect(),
    }
}

/// A metric that has its formula for a name.
pub(crate) fn metric(box_type: &str, formula: &str) -> Metric {
    Metric {
        box_type: box_type.to_owned(),
        name: formula.to_owned(),
        formula: formula.parse().expect("a formula"),
        unit: Unit::Ratio,
        level: Level::Box,
        description: String::new(),
    }
}

/// Returns the outcome of a memory channel in a second, counted all of the time.
pub(crate) fn outcome(metric: &str, unit: Unit, value: Result<f64, NoValue>) -> Outcome {
    Outcome {
        package: Some(1),
        box_type: "imc".to_owned(),
        box_name: Some("imc_0".to_owned()),
        metric: metric.to_owned(),
        value,
        unit,
        seconds: 1.0,
        counted: 1.0,
        apart: false,
    }
}
