// SPDX-License-Identifier: GPL-2.0

//! Events as the user writes them, as metrics of one term.

use std::collections::BTreeMap;

use uncore_metrics::{Expr, Level, Metric, Op, Term, Unit, Value};

use crate::encode::encode;
use crate::error::Error;
use crate::request::{self, Meant, Request};
use crate::system::{number, Event, Pmu, System, Word};

/// Bytes of the unit MiB, in which sysfs gives amounts of data.
const MEBIBYTE: f64 = 1_048_576.0;

/// Makes metrics of events in perf's form, several of them separated by commas.
pub(super) fn metrics(system: &System, written: &[String]) -> Result<Vec<Metric>, Error> {
    let events = request::events(written);
    events.iter().map(|event| metric(system, event)).collect()
}

fn metric(system: &System, text: &str) -> Result<Metric, Error> {
    let Meant {
        pmu, pmus, terms, ..
    } = Request::parse(text)?.here(system)?;
    let encoded = encode(pmu, &terms);
    if let Some(fault) = encoded.faults.into_iter().next() {
        return Err(Error::Event {
            text: text.to_owned(),
            fault,
        });
    }
    let event = encoded.named.and_then(|name| pmu.event(&name));
    let all = system.pmus.iter().filter(|other| other.unit == pmu.unit);
    let is_one_of_several = pmus.len() == 1 && all.count() > 1;
    let (formula, unit) = formula(term(pmu, event, &terms), event);
    Ok(Metric {
        box_type: if is_one_of_several {
            pmu.box_name()
        } else {
            pmu.unit.clone()
        },
        name: text.trim().to_owned(),
        formula,
        unit,
        level: Level::Package,
        description: String::new(),
    })
}

/// Returns the term with the fields that the user gives.
fn term(pmu: &Pmu, event: Option<&Event>, terms: &[(String, Option<String>)]) -> Term {
    let given = terms.iter().filter_map(|(field, value)| {
        let is_known = pmu.format(field).is_some() || Word::of(field).is_some();
        let value = number(value.as_deref().unwrap_or("1")).filter(|_| is_known)?;
        Some((field.clone(), Value::Number(value)))
    });
    Term {
        event: event.map(|event| event.name.clone()).unwrap_or_default(),
        settings: given.collect::<BTreeMap<_, _>>(),
    }
}

/// Returns the formula of an event and its unit, with the scale of sysfs.
fn formula(term: Term, event: Option<&Event>) -> (Expr, Unit) {
    let scaled = |factor: f64| {
        let term = Box::new(Expr::Term(term.clone()));
        Expr::Binary(Op::Multiply, term, Box::new(Expr::Number(factor)))
    };
    let scale = event.and_then(|event| event.scale).unwrap_or(1.0);
    match event.and_then(|event| event.unit.as_deref()) {
        Some("MiB") => (scaled(scale * MEBIBYTE), Unit::Bytes),
        Some("ns") => (scaled(scale), Unit::Nanoseconds),
        _ => (Expr::Term(term), Unit::Counts),
    }
}
