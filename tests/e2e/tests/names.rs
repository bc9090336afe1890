// SPDX-License-Identifier: GPL-2.0

//! Names of PMUs and events, our own and those of other tools: alias files, the names
//! that perf itself has for this processor, plain names for tools that know no other; on
//! the newest perf and on a stable Debian's.

mod aliases;
mod built_in;
mod compat;
pub(crate) mod formulas;
mod lists;
mod self_tests;

use uncore_e2e::perf::Event;
use uncore_e2e::prelude::*;

const BURST: u64 = 1_000_000;

/// Version of perf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Perf {
    /// The guest's own, the newest that Debian offers.
    Newest,
    /// The one of Debian's stable release.
    Stable,
}

impl Perf {
    const BOTH: [Self; 2] = [Self::Newest, Self::Stable];

    fn program(self) -> &'static str {
        match self {
            Self::Newest => "perf",
            Self::Stable => "perf-stable",
        }
    }
}

/// The usual machine with parameters for the module, and with both perfs.
fn machine(parameters: &[&str]) -> Config {
    let config = Config {
        parameters: parameters.iter().map(|&word| word.to_owned()).collect(),
        ..Config::default()
    };
    Layer::StablePerf.on(config)
}

/// Counts a burst with both perfs, and compares the count with that of a probe.
fn both_perfs_count(session: &mut Session, event: Event, probe: &Probe) {
    let event = event.named("theirs");
    for perf in Perf::BOTH {
        let stat = Stat::burst(BURST).option("--per-socket").event(&event);
        let table = session.stat(&stat.asking(perf.program()));
        for &package in Platform::packages() {
            let line = table.at("theirs", Place::Socket(package)).expect("a line");
            let count = probe.count(package, BURST);
            assert_eq!(probe.exact(line), Some(count), "{event} {perf:?}");
        }
    }
}

/// Returns the name that perf's own list has for a row.
pub(crate) fn built_in_name(row: &Row) -> String {
    let letters = match row.kind {
        BoxKind::Arb => "arb",
        // Those of a client.
        BoxKind::Cbox if BoxKind::Arb.exists() => "cbo",
        BoxKind::Ubox => "u",
        BoxKind::Cbox => "c",
        BoxKind::Sbox => "s",
        BoxKind::Ha => "h",
        BoxKind::Imc | BoxKind::Mbox => "m",
        BoxKind::Irp => "i",
        BoxKind::Pcu => "p",
        BoxKind::Qpi => "q",
        BoxKind::R2pcie => "r2",
        BoxKind::R3qpi => "r3",
        // perf has no list of its platform.
        BoxKind::Rbox => "r",
        BoxKind::Bbox => "b",
        BoxKind::Wbox => "w",
    };
    let mut name = format!("unc_{letters}_{}", row.event.to_lowercase());
    if !row.subevent.is_empty() {
        name.push('.');
        name.push_str(&row.subevent.to_lowercase());
    }
    name
}

/// Returns true if perf's list has the row right and its name is enough to count it. This
/// excludes rows with an extended select, whose bit perf's list has lost, rows with a
/// filter that no name sets, and events that only a group can have.
fn named_right(row: &Row) -> bool {
    let needs = &row.needs;
    let filter = needs.nid || needs.opc || needs.address || needs.home_opcode;
    let other = needs.band.is_some() || needs.occupancy || needs.undocumented;
    row.ext == Some(false) && !filter && !other && !is_narrowed(row)
}

/// Returns true if perf's name sets a filter of its own, and counts only a part of what
/// the row counts: LLC_LOOKUP.ANY of Broadwell counts lookups of lines in state I.
fn is_narrowed(row: &Row) -> bool {
    let name = (&*row.event, &*row.subevent);
    Platform::asked().named_by_perf.contains(&name)
}

/// Returns the probe for a row by our own name, on the first box.
fn first_box(row: &Row) -> Option<Probe> {
    Probe::of_row(row, 0, &Filter::default())
}

/// Returns true if the type has an alias by default.
fn is_safe(kind: BoxKind) -> bool {
    !Platform::asked().without_alias.contains(&kind)
}

/// Returns the count of a name without an index in a package: the sum over its boxes. The
/// IRP's sets are one box; the name stands for the first set.
fn sum(probe: &Probe, package: u8) -> u64 {
    let boxes = match probe.kind {
        BoxKind::Irp => 1,
        kind => Shape::of(&Config::default()).boxes(kind, package),
    };
    let counts = (0..boxes).map(|instance| probe.on(instance).count(package, BURST));
    counts.sum()
}

/// Rows of a type.
fn rows(kind: BoxKind) -> impl Iterator<Item = &'static Row> {
    Catalogue::get().of(kind)
}
