// SPDX-License-Identifier: GPL-2.0

//! The counters of a QPI port that always run, on platforms that have them.

use uncore_e2e::perf::Event;
use uncore_e2e::prelude::*;

/// Returns the number of events, and the mismatches of their counts on all ports.
pub(crate) fn mismatches(session: &mut Session, shape: &Shape, uclk: u64) -> (usize, Vec<String>) {
    let mut wrong = Vec::new();
    for port in 0..shape.most(BoxKind::Qpi) {
        for link in Link::all() {
            wrong.extend(mismatch(session, *link, port, uclk));
        }
    }
    (Link::all().len(), wrong)
}

fn mismatch(session: &mut Session, link: Link, port: u8, uclk: u64) -> Vec<String> {
    let name = link.event();
    let event = Event::new(BoxKind::Qpi.pmu(port), name).named(name);
    let table = session.stat(&Stat::burst(uclk).option("--per-socket").event(&event));
    let in_package = |package| {
        let expected = link.count(port, package, uclk);
        let seen = table.at(name, Place::Socket(package));
        let seen = seen.map(|line| line.exact(1.0));
        let wrong = format!("{name} of port {port} in package {package}: {seen:?}, not {expected}");
        (seen != Ok(Some(expected))).then_some(wrong)
    };
    Platform::packages()
        .iter()
        .copied()
        .filter_map(in_package)
        .collect()
}
