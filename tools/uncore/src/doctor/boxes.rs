// SPDX-License-Identifier: GPL-2.0

//! Checks for missing boxes and filters, with the module's reasons.

use super::{Check, Target};
use crate::system::{Filters, Map, MODULE};
use crate::table::counted;

pub(super) fn checks(target: &Target<'_>) -> Vec<Check> {
    match target.system.map() {
        Ok(map) => {
            let mut checks = boxes(&map);
            checks.extend(filters(&map));
            checks.extend(drivers(target, &map));
            checks
        }
        Err(error) => vec![Check::warning(
            "boxes",
            error.to_string(),
            "run this as root",
        )],
    }
}

/// Word of the module's reason for boxes that a part is sold without.
const FUSED: &str = "fused off";

fn boxes(map: &Map) -> Vec<Check> {
    const NAME: &str = "boxes";
    let (mut usual, mut unusual) = (Vec::new(), Findings::default());
    for package in &map.packages {
        for missing in &package.missing {
            let (plain, odd): (Vec<String>, Vec<String>) = missing
                .names()
                .into_iter()
                .partition(|name| missing.reason.contains(FUSED) || is_usual(map, name));
            if !odd.is_empty() {
                unusual.add(odd.join(", "), missing.reason.clone(), &package.number);
            }
            let text = format!("{} ({})", missing.boxes, missing.reason);
            if !plain.is_empty() && odd.is_empty() && !usual.contains(&text) {
                usual.push(text);
            }
        }
    }
    let warn = |what: &Finding| {
        let finding = format!("{}: {}", what.lack(&what.boxes), what.reason);
        Check::warning(NAME, finding, remedy(&what.reason))
    };
    let mut checks: Vec<Check> = unusual.by_fact().0.iter().map(warn).collect();
    let remarks = map.remarks.iter();
    checks.extend(remarks.map(|text| Check::warning(NAME, text.clone(), remedy(text))));
    if !checks.is_empty() {
        return checks;
    }
    let count: usize = map.packages.iter().map(|package| package.boxes.len()).sum();
    let mut finding = format!(
        "{} in {}",
        counted(count, "box", "boxes"),
        counted(map.packages.len(), "package", "packages")
    );
    if map.incomplete.is_some() {
        finding.push_str("; missing boxes are not known");
    }
    if !usual.is_empty() {
        finding = format!("{finding}; not on this part: {}", usual.join(", "));
    }
    vec![Check::pass(NAME, finding)]
}

/// Boxes that several packages lack for one reason.
struct Finding {
    boxes: String,
    reason: String,
    packages: Vec<String>,
}

impl Finding {
    /// `package 0 lacks …`, `packages 0, 1 lack …`.
    fn lack(&self, what: &str) -> String {
        match self.packages.as_slice() {
            [only] => format!("package {only} lacks {what}"),
            all => format!("packages {} lack {what}", all.join(", ")),
        }
    }
}

#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    /// Puts boxes together that some packages lack for one reason.
    fn by_fact(self) -> Self {
        let mut all: Vec<Finding> = Vec::new();
        for one in self.0 {
            let is_same = |known: &&mut Finding| {
                (&known.reason, &known.packages) == (&one.reason, &one.packages)
            };
            match all.iter_mut().find(is_same) {
                Some(known) => known.boxes = format!("{}, {}", known.boxes, one.boxes),
                None => all.push(one),
            }
        }
        Self(all)
    }

    fn add(&mut self, boxes: String, reason: String, package: &str) {
        let mut all = self.0.iter_mut();
        match all.find(|known| known.boxes == boxes && known.reason == reason) {
            Some(known) => known.packages.push(package.to_owned()),
            None => self.0.push(Finding {
                boxes,
                reason,
                packages: vec![package.to_owned()],
            }),
        }
    }
}

/// Indexes of the channels of a memory controller. A part with two controllers may have fewer
/// channels on each.
const CHANNELS: (&str, u32) = ("imc", 4);

/// Returns whether the part simply has fewer boxes of a kind: no package has this box
/// or one with a higher index, and some have one with a lower index; or so within each memory
/// controller.
fn is_usual(map: &Map, name: &str) -> bool {
    let Some((unit, index)) = split(name) else {
        return false;
    };
    let boxes = map.packages.iter().flat_map(|package| &package.boxes);
    let indexes = boxes.filter_map(|placed| split(&placed.name));
    let same: Vec<u32> = indexes
        .filter(|(kind, _)| *kind == unit)
        .map(|(_, at)| at)
        .collect();
    let (channel, channels) = CHANNELS;
    let are_below = |index: u32, at: &dyn Fn(u32) -> u32| same.iter().all(|one| at(*one) < index);
    !same.is_empty()
        && (are_below(index, &|at| at)
            || unit == channel && are_below(index % channels, &|at| at % channels))
}

fn split(name: &str) -> Option<(&str, u32)> {
    let (unit, index) = name.rsplit_once('_')?;
    Some((unit, index.parse().ok()?))
}

/// Returns a remedy, by words in the module's reason.
fn remedy(reason: &str) -> &'static str {
    let known = [
        ("removed", "add it again: `echo 1 > /sys/bus/pci/rescan`"),
        ("MMCONFIG", "boot without pci=nommconf"),
        (
            "clock stands still",
            "none, if the channel has no memory; if it has, load uncore_rs again while programs \
             use memory: `modprobe -r uncore_rs; modprobe uncore_rs`",
        ),
        (
            "offline",
            "bring a CPU of the package online: /sys/devices/system/cpu/cpuN/online",
        ),
        (
            "hides",
            "if the part has it, look in the firmware's setup for an option that shows uncore or \
             performance monitoring devices",
        ),
    ];
    let found = known.iter().find(|(word, _)| reason.contains(word));
    found.map_or(
        "`dmesg | grep uncore_rs` may say more; all other boxes count",
        |(_, remedy)| remedy,
    )
}

fn filters(map: &Map) -> Vec<Check> {
    const NAME: &str = "filters";
    let mut lacking = Findings::default();
    for package in &map.packages {
        for placed in &package.boxes {
            if let Some(Filters::Missing(reason)) = &placed.filters {
                lacking.add(placed.name.clone(), reason.clone(), &package.number);
            }
        }
    }
    if lacking.0.is_empty() {
        return vec![Check::pass(NAME, "all boxes have their filters")];
    }
    let warn = |what: &Finding| {
        let name = &what.boxes;
        let lack = what.lack(&format!("the filters of {name}"));
        Check::warning(
            NAME,
            format!("{lack}: {}", what.reason),
            format!(
                "events of {name} that need these filters are refused, all others count; {}",
                remedy(&what.reason)
            ),
        )
    };
    lacking.by_fact().0.iter().map(warn).collect()
}

/// Finds PCI functions of boxes that another driver is bound to, on platforms where the module
/// needs to be bound itself.
fn drivers(target: &Target<'_>, map: &Map) -> Option<Check> {
    target.system.platform().ok()?.ubox?;
    let boxes = map.packages.iter().flat_map(|package| &package.boxes);
    let foreign = boxes.filter_map(|placed| {
        let link = format!("sys/bus/pci/devices/{}/driver", placed.location);
        let driver = target.system.root.link_name(&link)?;
        (driver != MODULE).then(|| format!("{} ({}) by {driver}", placed.name, placed.location))
    });
    let foreign: Vec<String> = foreign.collect();
    (!foreign.is_empty()).then(|| {
        Check::failure(
            "PCI drivers",
            format!("other drivers use boxes: {}", foreign.join(", ")),
            "unload that driver, then load uncore_rs again",
        )
    })
}
