// SPDX-License-Identifier: GPL-2.0

//! Stock perf and the driver on the usual machine: two packages with three
//! C-Boxes and eight memory channels each.
//!
//! Everything expected here follows from the traffic definition, the event
//! catalogue and the user's page; nothing was recorded from a run.

mod events;
mod filters;
mod groups;
mod hotplug;
mod moves;
mod refusals;
mod sysfs;
mod thresholds;
mod usage;
mod wrap;

use ivbep_e2e::catalogue::BoxKind;
use ivbep_e2e::fixture::probe::Probe;
use ivbep_e2e::fixture::{Session, Wanted};
use ivbep_e2e::Config;

/// Packages of the usual machine.
const PACKAGES: [u8; 2] = [0, 1];

/// C-Boxes in each of them.
const CBOXES: u8 = 3;

/// Memory channels in each of them.
const CHANNELS: u8 = 8;

/// A burst in which most signals differ and that takes no time.
const BURST: u64 = 1_000_000;

/// A burst in which a signal is on exactly K times, so that all differ.
const LONG_BURST: u64 = 1 << 26;

/// Counts each probe on a box of its own, as many at a time as there are
/// boxes: every value is seen once, and side by side with others.
fn spread_over_boxes(session: &mut Session, uclk: u64, probes: &[Probe]) {
    let Some(first) = probes.first() else {
        return;
    };
    for probes in probes.chunks(usize::from(boxes(first.kind))) {
        let spread = (0..)
            .zip(probes)
            .map(|(instance, probe)| probe.on(instance));
        session.counts(uclk, &PACKAGES, &Wanted::all(spread));
    }
}

/// Boxes of a type in each package.
fn boxes(kind: BoxKind) -> u8 {
    match kind {
        BoxKind::Ubox => 1,
        BoxKind::Cbox => CBOXES,
        BoxKind::Imc => CHANNELS,
    }
}

fn usual_machine() -> Config {
    Config::default()
}
