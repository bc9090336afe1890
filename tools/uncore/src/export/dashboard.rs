// SPDX-License-Identifier: GPL-2.0

//! A dashboard of Grafana, with the panels for which this machine has boxes.

use std::path::Path;

use serde_json::{json, Value};
use uncore_metrics::{Metric, Unit};

use super::{collector, names};
use crate::counting;
use crate::error::Error;
use crate::overview;
use crate::system::{Pmu, System};
use crate::top::digest::{LATENCY, MISS};

/// Width of a dashboard.
const WIDTH: u32 = 24;
/// Height of a panel.
const HEIGHT: u32 = 8;

/// Returns the dashboard of this machine, for an exporter that takes all counters or leaves some.
pub(super) fn of(root: &Path, takes_all: bool) -> Result<String, Error> {
    let system = System::with_pmus(root)?;
    let places = counting::places(&system)?;
    let (metrics, _) = collector::metrics(&system, &places, takes_all)?;
    crate::outcome::json(&dashboard(&metrics, &|kind| {
        let mut of_kind = system.pmus.iter().filter(|pmu| pmu.unit == kind);
        of_kind.next().map(Pmu::box_name).unwrap_or_default()
    }))
}

/// Name of a box of a kind.
type Example<'a> = &'a dyn Fn(&str) -> String;

fn dashboard(metrics: &[Metric], example: Example) -> Value {
    let parts = metrics.iter().map(|metric| names::part(&metric.name));
    let parts = overview::unique(parts);
    let mut panels = Vec::new();
    for part in parts {
        let own: Vec<&Metric> = metrics
            .iter()
            .filter(|one| names::part(&one.name) == part)
            .collect();
        let about: Vec<&str> = own.iter().map(|one| one.description.as_str()).collect();
        let own = [
            amounts(part, &own, example),
            shares(part, &own, example),
            waits(part, &own, example),
        ];
        panels.extend(own.into_iter().flatten().map(|mut panel| {
            panel["description"] = json!(about.join("\n\n"));
            panel
        }));
    }
    panels.push(panel(
        "Counters that are not counted all of the time",
        "percentunit",
        &[(
            "{{socket}} {{box}}".to_owned(),
            "uncore_counted_ratio{job=~\"$job\",instance=~\"$instance\"} < 1".to_owned(),
        )],
    ));
    for (place, panel) in (0_u32..).zip(panels.iter_mut()) {
        let half = WIDTH / 2;
        panel["id"] = json!(place + 1);
        panel["gridPos"] = json!({
            "x": place % 2 * half, "y": place / 2 * HEIGHT, "w": half, "h": HEIGHT,
        });
    }
    json!({
        "title": "Uncore",
        "uid": "uncore",
        "tags": ["uncore"],
        "editable": true,
        "schemaVersion": 39,
        "refresh": "30s",
        "time": {"from": "now-1h", "to": "now"},
        "templating": {"list": [
            {"name": "datasource", "type": "datasource", "query": "prometheus"},
            variable("job", "label_values(uncore_build_info, job)"),
            variable("instance", "label_values(uncore_build_info{job=~\"$job\"}, instance)"),
        ]},
        "panels": panels,
    })
}

fn variable(name: &str, query: &str) -> Value {
    json!({
        "name": name, "type": "query", "query": query, "refresh": 2,
        "includeAll": true, "multi": true, "current": {"text": "All", "value": "$__all"},
        "datasource": {"type": "prometheus", "uid": "${datasource}"},
    })
}

/// Returns the panel of what a part moves in a second.
fn amounts(part: &str, metrics: &[&Metric], example: Example) -> Option<Value> {
    let moving: Vec<&&Metric> = metrics
        .iter()
        .filter(|one| one.unit != Unit::Cycles)
        .collect();
    let unit = match moving.first()?.unit {
        Unit::Bytes => "Bps",
        _ => "reqps",
    };
    let moving = moving
        .iter()
        .filter(|one| !overview::is_peak(one.unit, what(one)));
    let queries: Vec<_> = moving
        .map(|metric| (legend(metric, what(metric), example), rate(metric)))
        .collect();
    Some(panel(&format!("{part}: what moves"), unit, &queries))
}

/// The shares of a part's peak.
fn shares(part: &str, metrics: &[&Metric], example: Example) -> Option<Value> {
    let peak = metrics
        .iter()
        .find(|one| overview::is_peak(one.unit, what(one)))?;
    let mut loads = metrics
        .iter()
        .filter(|one| one.name != peak.name && one.unit == peak.unit);
    let queries: Vec<_> = if peak.unit == Unit::Bytes {
        let sum: Vec<String> = loads.map(|load| rate(load)).collect();
        let share = format!("({}) / {}", sum.join(" + "), rate(peak));
        vec![(legend(peak, "used", example), share)]
    } else {
        let first = loads.next()?;
        let all = std::iter::once(first).chain(loads);
        all.map(|load| {
            (
                legend(load, what(load), example),
                format!("{} / {}", rate(load), rate(peak)),
            )
        })
        .collect()
    };
    Some(panel(
        &format!("{part}: share of what is possible"),
        "percentunit",
        &queries,
    ))
}

/// The cycles that a request waits.
fn waits(part: &str, metrics: &[&Metric], example: Example) -> Option<Value> {
    let named = |name| metrics.iter().find(|one| what(one) == name);
    let (waited, requests) = (named(LATENCY)?, named(MISS)?);
    let query = format!("{} / {}", rate(waited), rate(requests));
    let queries = [(legend(waited, LATENCY, example), query)];
    Some(panel(
        &format!("{part}: cycles of a miss"),
        "none",
        &queries,
    ))
}

/// Name of a metric without its part and unit.
fn what(metric: &Metric) -> &str {
    overview::split(&metric.name).map_or("", |(_, what)| what)
}

fn rate(metric: &Metric) -> String {
    let name = names::family(&metric.name);
    format!("rate({name}_total{{job=~\"$job\",instance=~\"$instance\"}}[$__rate_interval])")
}

/// Names the labels that the metric's values have.
fn legend(metric: &Metric, what: &str, example: Example) -> String {
    let labels = names::labels(&metric.name, 0, &example(&metric.box_type));
    let labels = labels
        .iter()
        .map(|(name, _)| format!("{name} {{{{{name}}}}}"));
    let labels = labels.collect::<Vec<_>>().join(" ");
    format!("{{{{instance}}}} {labels}: {}", what.replace('_', " "))
}

fn panel(title: &str, unit: &str, queries: &[(String, String)]) -> Value {
    let source = json!({"type": "prometheus", "uid": "${datasource}"});
    let targets = queries.iter().zip('A'..).map(|((legend, query), letter)| {
        json!({
            "refId": letter.to_string(), "expr": query, "legendFormat": legend,
            "datasource": source,
        })
    });
    json!({
        "title": title,
        "type": "timeseries",
        "datasource": source,
        "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []},
        "targets": targets.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use uncore_metrics::{Catalogue, Platform};

    #[test]
    fn each_metric_of_the_machine_is_in_a_panel_and_no_other() {
        for Platform { name, .. } in Platform::ALL {
            let overview = Catalogue::overview(name).expect("the overview");
            let metrics = overview.metrics(&[0]).expect("metrics");
            let board = dashboard(&metrics, &|kind| format!("{kind}_0"));
            let panels = board["panels"].as_array().expect("panels");
            let queries: Vec<&str> = panels
                .iter()
                .flat_map(|panel| panel["targets"].as_array().expect("targets"))
                .map(|target| target["expr"].as_str().expect("a query"))
                .collect();
            let text = queries.join("\n");
            for metric in &metrics {
                let is_lone_clock =
                    what(metric) == "clock" && names::part(&metric.name) == "uncore";
                let family = format!("rate({}_total{{", names::family(&metric.name));
                assert!(is_lone_clock || text.contains(&family), "{name}: {family}");
            }
            for used in text.split("rate(").skip(1) {
                let (family, _) = used.split_once("_total{").expect("a counter");
                let mut known = metrics.iter().map(|metric| names::family(&metric.name));
                assert!(known.any(|known| known == family), "{name}: {family}");
            }
            let ids: Vec<u64> = panels
                .iter()
                .filter_map(|panel| panel["id"].as_u64())
                .collect();
            let places: Vec<u64> = (1..).take(panels.len()).collect();
            assert_eq!(ids, places);
        }
    }
}
