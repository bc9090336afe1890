// SPDX-License-Identifier: GPL-2.0

//! Selection of what is counted.

use uncore_metrics::{Catalogue, CatalogueError, Metric};

use super::events;
use crate::cli::Stat;
use crate::error::Error;
use crate::outcome::Outcome;
use crate::system::System;
use crate::table;

/// The metrics of a machine.
pub(super) struct Known {
    overview: Vec<Metric>,
    /// Those of Intel's manual.
    manual: Vec<Metric>,
}

/// Returns whether the user asks for nothing in particular.
pub(super) fn is_overview(arguments: &Stat) -> bool {
    arguments.event.is_empty() && arguments.metrics.is_empty() && !arguments.all
}

impl Known {
    /// Returns the metrics of a platform, on a machine with these node IDs.
    pub(super) fn new(platform: &str, nodes: &[u8]) -> Result<Self, Error> {
        let manual = match Catalogue::of(platform) {
            Ok(catalogue) => catalogue.metrics(nodes)?,
            Err(CatalogueError::NoMetrics(_)) => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        Ok(Self {
            overview: Catalogue::overview(platform)?.metrics(nodes)?,
            manual,
        })
    }

    /// Returns all metrics.
    pub(super) fn all(self) -> Vec<Metric> {
        self.overview.into_iter().chain(self.manual).collect()
    }

    /// Selects what the user wants: events, metrics, all metrics, or else the overview.
    pub(super) fn select(self, system: &System, arguments: &Stat) -> Result<Vec<Metric>, Error> {
        if is_overview(arguments) {
            return Ok(self.overview);
        }
        if arguments.all {
            return Ok(self.all());
        }
        let mut wanted = events::metrics(system, &arguments.event)?;
        wanted.extend(self.named(&arguments.metrics)?);
        Ok(wanted)
    }

    /// Selects metrics by name, by box type, or by both as `imc.NAME`.
    fn named(self, wanted: &[String]) -> Result<Vec<Metric>, Error> {
        let all = self.all();
        let is_meant = |metric: &Metric, word: &str| {
            let (box_type, name) = (metric.box_type.as_str(), metric.name.as_str());
            word == name || word == box_type || word.split_once('.') == Some((box_type, name))
        };
        let unknown = |word: &&String| !all.iter().any(|metric| is_meant(metric, word));
        if let Some(word) = wanted.iter().find(unknown) {
            return Err(Error::UnknownMetric(word.clone()));
        }
        let is_wanted = |metric: &Metric| wanted.iter().any(|word| is_meant(metric, word));
        Ok(all.into_iter().filter(is_wanted).collect())
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use uncore_metrics::Platform;

    fn chosen(platform: &str, words: &[&str]) -> Result<Vec<String>, Error> {
        let known = Known::new(platform, &[0, 1]).expect("the data files");
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        let chosen = known.named(&words)?.into_iter();
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
            assert_eq!(chosen(&["memory_read_bytes"]), ["imc.memory_read_bytes"]);
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
