// SPDX-License-Identifier: GPL-2.0

//! Events that perf itself has for this processor (`unc_c_...`). Where perf's list is
//! right, they count what our events of that name count.

use crate::names::{
    built_in_name, first_box, is_safe, machine, named_right, rows, sum, Perf, BURST,
};
use uncore_e2e::fixture::pack::pack;
use uncore_e2e::perf::Count;
use uncore_e2e::prelude::*;

/// About so many rows are counted, unless all repetitions are asked for.
const COUNTED: usize = 60;

/// Returns the list that perf prints.
fn listed(session: &mut Session, perf: Perf) -> String {
    session.ok(&format!("{} list --no-desc 2>/dev/null", perf.program()))
}

/// Returns true if a whole name is in the list, not only as the beginning of another.
fn has(list: &str, name: &str) -> bool {
    let mut places = list.match_indices(name);
    places.any(|(at, _)| {
        let rest = &list[at + name.len()..];
        !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || "._".contains(c))
    })
}

/// Returns rows of box types whose names perf finds and has right.
fn attached(list: &str, kinds: &[BoxKind]) -> Vec<&'static Row> {
    let rows = kinds.iter().flat_map(|&kind| rows(kind));
    rows.filter(|row| named_right(row) && has(list, &built_in_name(row)))
        .collect()
}

/// Returns the mismatches of these rows, requested by perf's names.
fn mismatches(session: &mut Session, perf: Perf, rows: &[&'static Row]) -> Vec<String> {
    let mut wrong = Vec::new();
    let of_name = |probe: &Probe| {
        let same = rows
            .iter()
            .find(|row| row.name().as_deref() == Some(probe.name()) && row.kind == probe.kind);
        built_in_name(same.expect("one of the rows"))
    };
    let probes = rows.iter().filter_map(|row| first_box(row));
    for run in pack(probes.map(|probe| vec![probe])) {
        let mut stat = Stat::burst(BURST).option("--per-socket");
        for probe in &run {
            stat = stat.typed(&of_name(probe));
        }
        let table = session.stat(&stat.asking(perf.program()));
        for probe in &run {
            let name = of_name(probe);
            for &package in Platform::packages() {
                let expected = sum(probe, package);
                let line = table.at(&name, Place::Socket(package));
                let seen = line.map(|line| shown(probe, line));
                if seen != Ok(Some(expected)) {
                    wrong.push(format!("{name} in {package}: {expected}, but {seen:?}"));
                }
            }
        }
    }
    wrong
}

fn counts(parameters: &[&str], perf: Perf, kinds: &[BoxKind]) {
    on(&machine(parameters), |session| {
        let list = listed(session, perf);
        let attached = attached(&list, kinds);
        let found = attached.len();
        assert!(found >= Platform::asked().right_names, "only {found} names");
        let stride = if repeats_all() {
            1
        } else {
            found.div_ceil(COUNTED)
        };
        let some: Vec<&Row> = attached.into_iter().step_by(stride).collect();
        assert_none(&mismatches(session, perf, &some));
    });
}

/// Returns the box types that have an alias by default.
fn safe() -> Vec<BoxKind> {
    BoxKind::all().filter(|kind| is_safe(*kind)).collect()
}

/// Returns the count that perf's line shows. The unit `Bytes` stands for lines.
fn shown(probe: &Probe, line: &Count) -> Option<u64> {
    match &*line.unit {
        "Bytes" => line.exact(1.0 / 64.0),
        _ => probe.exact(line),
    }
}

#[test]
fn the_newest_perfs_names_count_by_alias() {
    platforms!(; e5 polled client);
    counts(&[], Perf::Newest, &safe());
}

/// The stable perf follows an alias for PMUs, but not for the events of its own list.
#[test]
fn the_stable_perfs_names_count_with_plain_names() {
    platforms!(; e5 polled client);
    counts(&["names=compat"], Perf::Stable, &safe());
}
