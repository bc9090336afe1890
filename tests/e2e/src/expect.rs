// SPDX-License-Identifier: GPL-2.0

//! What a counter must show: the traffic definition, in closed form.
//!
//! Written from `Documentation/development/traffic.rst` and the catalogue
//! only, without a look at the machine's model or the driver's tables; a
//! disagreement between this and either of them is a bug in one of the three.
//! The unit tests hold it against the page's worked examples and against a
//! second, cycle-by-cycle reading of the same page (`expect/brute.rs`).
//!
//! `expect/setting.rs` says how a counter is programmed, `condition.rs` what
//! an event makes of that, `transaction.rs` which blocks pass, `wave.rs` what
//! a block adds. Limits: no freeze, no disabled time (a burst is counted whole
//! or not at all).

mod condition;
mod message;
mod residency;
mod setting;
mod transaction;
mod wave;

#[cfg(test)]
mod brute;
#[cfg(test)]
mod tests;

use crate::catalogue::{BoxKind, Catalogue, EventFacts, FIXED_EVENT};
use condition::{conditions, selected};
use wave::{steps_at_least, Gain, Signal};

pub use residency::Residency;
pub use setting::{Filter, Setting};
pub use transaction::{DESTINATIONS, LINES, OPCODES, REASONS};

/// One box of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    /// Its type.
    pub kind: BoxKind,
    /// Its index within the type, as in the PMU's name; the IRP's set.
    pub instance: u8,
    /// The physical package.
    pub package: u8,
    /// The package at the other end of its links.
    pub peer: u8,
}

/// The package that a package is linked with: none other if that is not there.
#[must_use]
pub fn peer(package: u8, packages: u8) -> u8 {
    let neighbour = package ^ 1;
    if neighbour < packages {
        neighbour
    } else {
        package
    }
}

/// What a burst of `uclk` cycles adds to a counter with this setting.
#[must_use]
pub fn count(site: Site, setting: &Setting, uclk: u64) -> u64 {
    let cycles = site.kind.cycles(uclk);
    if setting.event == FIXED_EVENT {
        return cycles;
    }
    match Catalogue::get().facts(site.kind, setting.ext, setting.event) {
        None => 0,
        Some(facts) if facts.clock => clock_count(setting, cycles),
        Some(facts) => signal_count(site, setting, facts, cycles),
    }
}

fn clock_count(setting: &Setting, cycles: u64) -> u64 {
    match (setting.thresh, setting.edge) {
        (2.., _) => 0,
        (_, true) => cycles.min(1),
        (_, false) => cycles,
    }
}

fn signal_count(site: Site, setting: &Setting, facts: &EventFacts, cycles: u64) -> u64 {
    let Some(conditions) = conditions(site.kind, setting) else {
        return 0;
    };
    let signals = selected(site.kind, setting, facts);
    let signals: Vec<Signal> = signals
        .map(|signal| Signal::new(site, setting, signal))
        .collect();
    let occupancy = is_occupancy(site.kind, setting);
    let edge = setting.edge || occupancy && setting.occ_edge;
    let sum = |of_signal: &dyn Fn(&Signal) -> u64| signals.iter().map(of_signal).sum::<u64>();
    let upright = |edge| {
        let gain = Gain::new(facts.max_inc, setting.thresh, edge);
        sum(&|signal| signal.count(gain, &conditions, cycles))
    };
    if !occupancy || !setting.occ_invert || setting.thresh == 0 || signals.is_empty() {
        return upright(edge);
    }
    if !edge {
        return cycles - upright(false);
    }
    // One edge in cycle 0, one behind each block that reaches the threshold.
    let behind = match steps_at_least(facts.max_inc, setting.thresh) {
        0 => 0,
        step => sum(&|signal| signal.reaching(step, &conditions, cycles)),
    };
    if cycles == 0 {
        0
    } else {
        1 + behind
    }
}

/// Whether the event has the PCU's own inversion and edge detector.
fn is_occupancy(kind: BoxKind, setting: &Setting) -> bool {
    kind == BoxKind::Pcu && setting.event & 0x80 != 0
}
