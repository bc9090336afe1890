// SPDX-License-Identifier: GPL-2.0

//! Expected counts: the traffic definition, in closed form.
//!
//! Written from `Documentation/development/traffic.rst` and the catalogue only,
//! independently of the machine's model and the driver's tables. A disagreement between
//! this and either of them is a bug in one of the three. The unit tests compare it with
//! the page's worked examples and with a second, cycle-by-cycle reading of the same page
//! (`uncore-definition`).
//!
//! `expect/setting.rs` has the programming of a counter, `condition.rs` the effect of
//! umask and filters on each event, `transaction.rs` the blocks that pass, `wave.rs` the
//! counts of a block. Limits: no freeze, no disabled time (a burst is counted as a whole
//! or not at all).

mod condition;
mod link;
mod memory;
mod message;
mod residency;
mod setting;
mod sub_register;
mod transaction;
mod wave;

#[cfg(test)]
mod brute;
#[cfg(test)]
mod tests;

use crate::catalogue::{BoxKind, Catalogue, EventFacts, FIXED_EVENT};
use condition::{conditions, selected};
use wave::{steps_at_least, Gain, Signal};

pub(crate) use condition::Special;
pub use condition::{band, rule, Rule};
pub use link::Link;
pub use memory::MemoryCounter;
pub use residency::Residency;
pub use setting::{Filter, Setting};
pub(crate) use sub_register::{Chosen, EventSelect, Number, Part, SubRegister, NONE};
pub(crate) use transaction::Traffic;
pub use transaction::{all_states, threads, DESTINATIONS, LINES, OPCODES, REASONS};

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

/// Returns the package at the other end of a package's links, or the package itself if
/// there is no other.
pub fn peer(package: u8, packages: u8) -> u8 {
    let neighbour = package ^ 1;
    if neighbour < packages {
        neighbour
    } else {
        package
    }
}

/// Returns the events of counters that always run, whose codes are the driver's own.
pub fn always_running() -> Vec<(BoxKind, &'static str)> {
    let of_cores = Residency::all().iter();
    let of_cores = of_cores.map(|residency| (BoxKind::Pcu, residency.event()));
    let of_ports = Link::all().iter().map(|link| (BoxKind::Qpi, link.event()));
    of_cores.chain(of_ports).collect()
}

/// Returns the count that a burst of `uclk` cycles adds to a counter with this setting.
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
    let is_over = match setting.thresh {
        0 => true,
        // One in every cycle.
        thresh => (1 >= thresh) != setting.invert,
    };
    match (is_over, setting.edge) {
        (false, _) => 0,
        (true, true) => cycles.min(1),
        (true, false) => cycles,
    }
}

fn signal_count(site: Site, setting: &Setting, facts: &EventFacts, cycles: u64) -> u64 {
    let Some(conditions) = conditions(site.kind, setting, facts) else {
        return 0;
    };
    let signals = selected(site.kind, setting, facts);
    let signals: Vec<Signal> = signals
        .into_iter()
        .map(|(select, number)| Signal::new(site, select, number))
        .collect();
    let occupancy = is_occupancy(site.kind, setting);
    let max_inc = setting.max_inc.unwrap_or(facts.max_inc);
    let edge = setting.edge || occupancy && setting.occ_edge;
    let invert = setting.invert || occupancy && setting.occ_invert;
    let sum = |of_signal: &dyn Fn(&Signal) -> u64| signals.iter().map(of_signal).sum::<u64>();
    let upright = |edge| {
        let gain = Gain::new(max_inc, setting.thresh, edge);
        sum(&|signal| signal.count(gain, &conditions, cycles))
    };
    if !invert || setting.thresh == 0 || signals.is_empty() {
        return upright(edge);
    }
    if !edge {
        return cycles - upright(false);
    }
    // One edge in cycle 0, one behind each block that reaches the threshold.
    let behind = match steps_at_least(max_inc, setting.thresh) {
        0 => 0,
        step => sum(&|signal| signal.reaching(step, &conditions, cycles)),
    };
    if cycles == 0 {
        0
    } else {
        1 + behind
    }
}

/// Returns true if the event has the PCU's own inversion and edge detector.
fn is_occupancy(kind: BoxKind, setting: &Setting) -> bool {
    kind == BoxKind::Pcu && setting.event & 0x80 != 0
}
