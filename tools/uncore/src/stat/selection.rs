// SPDX-License-Identifier: GPL-2.0

//! Selection of metrics and of their values.

use std::collections::BTreeSet;

use uncore_metrics::{Metric, Outcome as Value, Plan};

use crate::error::Error;
use crate::{table, Outcome};

/// Selects metrics by name, by box type, or by both as `imc.NAME`. Selects all metrics
/// if the user named none.
pub(super) fn select(all: Vec<Metric>, wanted: &[String]) -> Result<Vec<Metric>, Error> {
    let is_meant = |metric: &Metric, word: &str| {
        let (box_type, name) = (metric.box_type.as_str(), metric.name.as_str());
        word == name || word == box_type || word.split_once('.') == Some((box_type, name))
    };
    let unknown = |word: &&String| !all.iter().any(|metric| is_meant(metric, word));
    if let Some(word) = wanted.iter().find(unknown) {
        return Err(Error::UnknownMetric(word.clone()));
    }
    let is_wanted =
        |metric: &Metric| wanted.is_empty() || wanted.iter().any(|word| is_meant(metric, word));
    Ok(all.into_iter().filter(is_wanted).collect())
}

/// Lists metrics with their descriptions.
pub(super) fn list(metrics: &[Metric]) -> Outcome {
    let name = |metric: &Metric| format!("{}.{}", metric.box_type, metric.name);
    let width = metrics
        .iter()
        .map(|metric| name(metric).len())
        .max()
        .unwrap_or(0);
    let line = |metric: &Metric| {
        let head = format!("{:width$}  {:8}  ", name(metric), metric.unit);
        table::paragraph(&head, &metric.description)
    };
    Outcome::said(metrics.iter().map(line).collect::<String>())
}

/// Describes metrics that this machine cannot count. If the user named metrics, also
/// describes those whose terms are counted at different times.
pub(super) fn left_out(plan: &Plan, were_asked_for: bool) -> Vec<String> {
    let full = |metric: &Metric| format!("{}.{}", metric.box_type, metric.name);
    let none = plan.unplanned.iter().map(|unplanned| {
        let why = unplanned.misfit.as_ref().map(ToString::to_string);
        let why = why.unwrap_or_else(|| format!("there is no {}", unplanned.metric.box_type));
        format!("left out: {}: {why}", full(&unplanned.metric))
    });
    let apart = plan.metrics.iter().filter_map(|planned| {
        let why = planned.apart.as_ref()?;
        let name = full(&planned.metric);
        Some(format!(
            "{name}: its terms are counted at different times: {why}"
        ))
    });
    none.chain(apart.filter(|_| were_asked_for)).collect()
}

/// Removes the values of boxes if there is a value for the package.
pub(super) fn keep_summaries(values: &mut Vec<Value>) {
    let of_package: BTreeSet<(u32, String, String)> = values
        .iter()
        .filter(|value| value.box_name.is_none())
        .map(|value| (value.package, value.box_type.clone(), value.metric.clone()))
        .collect();
    values.retain(|value| {
        let key = (value.package, value.box_type.clone(), value.metric.clone());
        value.box_name.is_none() || !of_package.contains(&key)
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use uncore_metrics::{Catalogue, Platform};

    fn chosen(platform: &str, words: &[&str]) -> Result<Vec<String>, Error> {
        let all = Catalogue::of(platform).expect("the data file");
        let all = all.metrics(&[0, 1]).expect("metrics");
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        let chosen = select(all, &words)?.into_iter();
        Ok(chosen
            .map(|metric| format!("{}.{}", metric.box_type, metric.name))
            .collect())
    }

    #[test]
    fn takes_names_and_kinds_of_boxes() {
        let platforms = Platform::ALL.into_iter();
        for platform in platforms.filter(|platform| platform.manual.is_some()) {
            let chosen = |words: &[&str]| chosen(platform.name, words).expect("known");
            let speed = ["qpi.qpi_speed".to_owned()];
            assert_eq!(chosen(&["qpi_speed"]), speed);
            assert_eq!(chosen(&["qpi.qpi_speed"]), speed);
            let of_imc = chosen(&["imc"]);
            assert!(of_imc.len() > 1 && of_imc.iter().all(|name| name.starts_with("imc.")));
            assert!(chosen(&[]).len() > of_imc.len());
        }
    }

    #[test]
    fn says_which_it_does_not_know() {
        for unknown in ["qpi_sped", "imc.qpi_speed", "", "imc.", "sbox"] {
            let error = chosen("ivbep", &["imc", unknown]);
            let error = error.expect_err("unknown").to_string();
            assert!(
                error.contains(unknown) && error.contains("--list"),
                "{error}"
            );
        }
        let of_sbox = chosen("bdx", &["sbox"]).expect("known");
        assert_eq!(of_sbox.len(), 8);
    }
}
