// SPDX-License-Identifier: GPL-2.0

//! `perf list` shows every event, and has nothing to complain about.

use crate::names::{machine, rows, Perf};
use std::collections::BTreeSet;
use uncore_e2e::prelude::*;

platforms!(; e5 polled client);

/// Events that perf lists as `PLATFORM_uncore_UNIT/NAME/`, without parameters.
fn events(list: &str) -> BTreeSet<String> {
    let words = list.split_whitespace();
    let prefix = Platform::current().pmu("");
    let ours = words.filter(|word| word.starts_with(&prefix));
    let name = |word: &str| {
        let (unit, event) = word.split_once('/')?;
        let event = event.split([',', '/']).next()?;
        Some(format!("{unit}/{event}"))
    };
    ours.filter_map(name).collect()
}

#[test]
fn every_event_is_listed() {
    on(&machine(&[]), |session| {
        for perf in Perf::BOTH {
            let output = session.run(&format!("{} list --no-desc", perf.program()));
            assert_eq!(output.status, 0, "{perf:?}");
            let complaints = output.stderr.lines();
            let complaints = complaints.filter(|line| !line.contains("tracing"));
            assert_eq!(complaints.collect::<String>(), "", "{perf:?}");
            let listed = events(&output.stdout);
            let mut missing = Vec::new();
            for kind in BoxKind::all() {
                // The newest perf lists an event that it has itself only without the PMU.
                let is_own = |row: &&Row| ["LLC_MISSES", "LLC_REFERENCES"].contains(&&*row.event);
                let names = rows(kind).filter(|row| !is_own(row)).filter_map(Row::name);
                let names = names.map(|name| format!("{}/{name}", kind.all_pmus()));
                missing.extend(names.filter(|name| !listed.contains(name)));
            }
            assert_none(&missing);
        }
    });
}
