// SPDX-License-Identifier: GPL-2.0

//! Names of families and labels, by rule from those of the overview: no platform is known here.

use super::family::Labels;
use crate::overview;

/// First word of each name.
const PREFIX: &str = "uncore_";

/// Parts whose boxes have a label of their own, by their index.
pub(super) const OWN_LABELS: [(&str, &str); 2] = [("memory", "channel"), ("link", "link")];

/// Returns the name of a family: `uncore_memory_read_bytes` of `memory_read_bytes`.
pub(super) fn family(metric: &str) -> String {
    if metric.starts_with(PREFIX) {
        metric.to_owned()
    } else {
        format!("{PREFIX}{metric}")
    }
}

/// Returns the part of a metric.
pub(super) fn part(metric: &str) -> &str {
    overview::split(metric).map_or(metric, |(part, _)| part)
}

/// Returns the labels of a metric's value: the socket, and the box if it may be one of several.
pub(super) fn labels(metric: &str, package: u32, box_name: &str) -> Labels {
    let mut labels = vec![socket(package)];
    if let Some(index) = index(box_name) {
        let part = part(metric);
        let own = OWN_LABELS.iter().find(|(known, _)| *known == part);
        labels.push(match own {
            Some((_, label)) => (*label, index.to_owned()),
            None => ("box", box_name.to_owned()),
        });
    }
    labels
}

/// Returns the labels of a box, of whatever kind.
pub(super) fn of_box(package: u32, box_name: &str) -> Labels {
    vec![socket(package), ("box", box_name.to_owned())]
}

/// Returns the label of a package.
pub(super) fn socket(package: u32) -> (&'static str, String) {
    ("socket", package.to_string())
}

/// Returns the index in the name of a box that may be one of several.
fn index(box_name: &str) -> Option<&str> {
    let (_, index) = box_name.rsplit_once('_')?;
    index
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then_some(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_name_the_channel_the_link_or_the_box() {
        let text = |metric: &str, box_name: &str| {
            let labels = labels(metric, 1, box_name);
            let labels = labels.iter().map(|(name, value)| format!("{name}={value}"));
            labels.collect::<Vec<_>>().join(",")
        };
        for (metric, box_name, expected) in [
            ("memory_read_bytes", "imc_3", "socket=1,channel=3"),
            ("link_data_bytes", "qpi_0", "socket=1,link=0"),
            ("llc_miss_requests", "cbox_12", "socket=1,box=cbox_12"),
            ("memory_read_bytes", "imc", "socket=1"),
            ("power_clock_cycles", "pcu", "socket=1"),
        ] {
            assert_eq!(text(metric, box_name), expected);
        }
    }

    #[test]
    fn the_prefix_is_there_once() {
        assert_eq!(family("uncore_clock_cycles"), "uncore_clock_cycles");
        assert_eq!(family("llc_miss_requests"), "uncore_llc_miss_requests");
    }
}
