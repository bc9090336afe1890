// SPDX-License-Identifier: GPL-2.0

//! The picture of a machine with what its boxes did: the means of a recording.

use std::collections::BTreeMap;

use uncore_metrics::recording::{Machine, Missing, Package};
use uncore_metrics::{Digits, Prefixes, Unit};

use super::{Cell, Frame, Picture};
use crate::mean::Run;
use crate::overview::{kind, share};
use crate::top::digest::{Digest, Load, Rate};

/// The machine of a run as SVG. `notes` are added to those of the machine.
pub(crate) fn picture(machine: &Machine, run: &Run, notes: &[String]) -> String {
    let interval = run.interval();
    let (platform, seconds) = (&machine.platform, interval.seconds);
    let digest = Digest::of(&interval);
    let parts = digest.sockets.iter().flat_map(|socket| &socket.parts);
    let mut most: BTreeMap<&str, f64> = BTreeMap::new();
    for (name, load) in parts.flat_map(|part| &part.boxes) {
        let known = most.entry(kind(name)).or_default();
        *known = known.max(amount(load).unwrap_or_default());
    }
    let frame = |package: &Package| {
        let mut sockets = digest.sockets.iter();
        let socket = sockets.find(|one| one.number == package.number);
        let cell = |name: &String| {
            let parts = socket.iter().flat_map(|socket| &socket.parts);
            let boxes = parts.flat_map(|part| &part.boxes);
            let loads = boxes.filter(|(known, _)| known == name);
            let loads: Vec<&Load> = loads.map(|(_, load)| load).collect();
            cell(name, &loads, most.get(kind(name)).copied())
        };
        Frame {
            name: format!("socket {}", package.number),
            known: format!("means of {seconds:.1} s"),
            cells: package.boxes.iter().map(cell).collect(),
            missing: package.missing.iter().map(Missing::to_string).collect(),
        }
    };
    let picture = Picture {
        heading: format!("boxes of {platform} and their means of {seconds:.1} s"),
        frames: machine.packages.iter().map(frame).collect(),
        notes: machine.notes.iter().chain(notes).cloned().collect(),
    };
    picture.draw()
}

/// All that a box moved. Cycles of limits are no load.
fn amount(load: &Load) -> Option<f64> {
    let total = load.total().filter(|_| !is_of_clock(load));
    total.and_then(Rate::exact)
}

/// A box, by what it did. One that the overview does not count has no figures.
fn cell(name: &str, loads: &[&Load], most: Option<f64>) -> Cell {
    let all = loads.iter().copied();
    let mut bytes = all.clone().filter(|load| !is_of_clock(load));
    let used = bytes.find_map(Load::used);
    let busy = all.clone().find_map(amount).zip(most);
    let relative = busy.map(|(busy, most)| busy / most);
    Cell {
        name: name.to_owned(),
        lines: all.clone().flat_map(lines).collect(),
        used,
        level: used.or(relative).filter(|level| level.is_finite()),
        is_lacking: false,
    }
}

/// Returns whether amounts are shares of a clock.
fn is_of_clock(load: &Load) -> bool {
    let peak = load.peak.as_ref();
    peak.is_some_and(|peak| peak.unit == Unit::Cycles)
}

/// The amounts of a load in words, or else its clock.
fn lines(load: &Load) -> Vec<String> {
    let clock = load.peak.iter().filter(|_| load.amounts.is_empty());
    let amounts = load.amounts.iter().map(|amount| {
        let text = match amount.rate {
            Rate::Exact(_) if is_of_clock(load) => share(load.share(amount.rate), Some(1.0)),
            Rate::Exact(_) => amount.text(Prefixes::Si, Digits::All),
            _ => "not counted".to_owned(),
        };
        (&amount.what, text)
    });
    let clock = clock.map(|clock| (&clock.what, clock.text(Prefixes::Si, Digits::All)));
    let all = amounts.chain(clock);
    all.map(|(what, text)| format!("{what} {text}")).collect()
}

#[cfg(test)]
mod tests;
