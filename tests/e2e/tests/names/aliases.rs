// SPDX-License-Identifier: GPL-2.0

//! The files `alias`, by which perf takes a PMU for one of the kernel's own driver. PMUs
//! for which perf's list of events is wrong (QPI, PCU of Ivy Bridge-EP) have no such file by
//! default.

use crate::names::{is_safe, machine, BURST};
use std::collections::BTreeMap;
use uncore_e2e::perf::Event;
use uncore_e2e::prelude::*;

/// Returns each PMU and its alias.
fn aliases(session: &mut Session) -> BTreeMap<String, String> {
    let lines = session.ok(&format!(
        "cd {DEVICES} && grep -sH '' {}*/alias || true",
        Platform::current().pmu("")
    ));
    let split = |line: &str| {
        let (path, alias) = line.split_once(':').expect("a file and a line");
        let (pmu, _) = path.split_once('/').expect("a folder and a file");
        (pmu.to_owned(), alias.to_owned())
    };
    lines.lines().map(split).collect()
}

/// Returns the aliases of the boxes that have one, and of the PMUs that no catalogue has.
fn expected(has_one: fn(BoxKind) -> bool) -> BTreeMap<String, String> {
    let platform = Platform::current();
    let pmus = Shape::of(&machine(&[])).pmus().into_iter();
    let pmus = pmus.filter(|&(kind, _)| has_one(kind));
    let others = platform.other_pmus().zip(platform.other_plain_pmus());
    pmus.map(|(kind, i)| (kind.pmu(i), kind.plain_pmu(i)))
        .chain(others)
        .collect()
}

#[test]
fn without_a_parameter_those_are_aliased_whose_names_perf_has_right() {
    platforms!(; e5 client);
    on(&machine(&[]), |session| {
        assert_eq!(aliases(session), expected(is_safe));
    });
    on(&machine(&["alias=safe"]), |session| {
        assert_eq!(aliases(session), expected(is_safe));
    });
}

#[test]
fn all_or_none_may_be_aliased() {
    platforms!(; e5 client);
    on(&machine(&["alias=all"]), |session| {
        assert_eq!(aliases(session), expected(|_| true));
    });
    on(&machine(&["alias=none"]), |session| {
        assert_eq!(aliases(session), BTreeMap::new());
    });
}

/// On the command line both perfs follow an alias, with and without an index.
#[test]
fn an_alias_is_as_good_as_the_name() {
    platforms!(; e5);
    on(&machine(&[]), |session| {
        let probe = Probe::imc(3, "act_count.rd");
        let event = Event::new("uncore_imc_3", "act_count.rd").named("alias");
        for perf in crate::names::Perf::BOTH {
            let stat = Stat::burst(BURST).option("--per-socket").event(&event);
            let table = session.stat(&stat.asking(perf.program()));
            for &package in Platform::packages() {
                let line = table.at("alias", Place::Socket(package)).expect("a line");
                let count = probe.count(package, BURST);
                assert_eq!(probe.exact(line), Some(count), "{perf:?}");
            }
        }
    });
}

#[test]
fn without_an_alias_the_plain_name_is_nobodys() {
    platforms!(; e5 client);
    on(&machine(&["alias=none"]), |session| {
        for perf in crate::names::Perf::BOTH {
            let program = perf.program();
            session.fails(&format!(
                "{program} stat -a -e uncore_imc_3/clockticks/ -- true"
            ));
        }
    });
}
