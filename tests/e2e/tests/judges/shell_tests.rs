// SPDX-License-Identifier: GPL-2.0

//! perf's own shell tests, as its package has them, and one of ours in their manner.

use super::{is_plain, machine};
use crate::names::formulas;
use std::collections::BTreeSet;
use std::time::Duration;
use uncore_e2e::prelude::*;

/// Directory of the tests, in the guest.
const DIRECTORY: &str = "/usr/lib/perf-core/tests/shell";

/// Time limit of a test: some start perf for each event or metric.
const LIMIT: Duration = Duration::from_secs(3600);

/// Exit status of a test that passes, that fails, and that is skipped.
const PASS: i32 = 0;
const FAIL: i32 = 1;
const SKIP: i32 = 2;

/// Returns a machine with Python, which one test wants, and as much time as all need.
fn patient(parameters: &[&str]) -> Config {
    let config = Layer::FrontEnds.on(machine(parameters));
    let timeout = Some(LIMIT * config.flavour.factor());
    Config { timeout, ..config }
}

/// Returns a machine with traffic all the time, and with all events and metrics of perf's own
/// lists.
fn busy() -> Config {
    patient(&["alias=all"]).with("free-run", "on")
}

/// Runs a test. Returns its exit status and what it says.
fn run(session: &mut Session, test: &str) -> (i32, String) {
    let output = session.run(&format!("bash {DIRECTORY}/{test} 2>&1"));
    (output.status, output.stdout)
}

/// Checks that a test passes, and returns what it says.
fn passes(session: &mut Session, test: &str) -> String {
    let (status, said) = run(session, test);
    assert_eq!(status, PASS, "{test}: {said}");
    said
}

/// PMUs of cores and packages, in metrics that perf has for the processor. The guest has them
/// not, or not with these events.
const OTHER_PMUS: [&str; 4] = ["cstate_core", "cstate_pkg", "msr", "power"];

/// Checks that a test of many metrics or groups fails for want of other PMUs, and for nothing
/// else. Returns what it says.
fn fails_for_other_pmus(session: &mut Session, test: &str) -> String {
    let (status, said) = run(session, test);
    assert_eq!(status, FAIL, "{test}: {said}");
    let is_excused = |part: &str| {
        let words =
            OTHER_PMUS.map(|pmu| format!("Unable to find PMU or event on a PMU of '{pmu}'"));
        words.iter().any(|words| part.contains(words))
    };
    let has_failed = |part: &&str| part.contains("[Failed ") || part.contains(" failed\n");
    let failed = said.split("Testing ").filter(has_failed);
    let failed = failed.filter(|part| !is_excused(part)).map(str::to_owned);
    assert_none(&failed.collect::<Vec<_>>());
    said
}

#[test]
#[ignore = "make test-judges runs it"]
fn the_output_of_stat_has_the_fields_of_perfs_manual() {
    on(&busy(), |session| {
        for format in ["csv", "json", "std"] {
            let said = passes(session, &format!("stat+{format}_output.sh"));
            assert!(said.matches("[Success]").count() > 10, "{said}");
        }
    });
}

#[test]
#[ignore = "make test-judges runs it"]
fn each_event_of_each_pmu_is_supported() {
    on(&busy(), |session| {
        let said = passes(session, "stat_all_pmu.sh");
        let supported: BTreeSet<&str> = said
            .lines()
            .filter_map(|line| line.strip_prefix("Testing ")?.strip_suffix(" -- supported"))
            .collect();
        let rows = Catalogue::get().rows().iter().filter(|row| is_plain(row));
        let names = rows.filter_map(|row| Some((row.kind.all_pmus(), row.name()?)));
        let names = names.map(|(pmu, name)| format!("{pmu}/{name}/"));
        let missing = names.filter(|name| !supported.contains(&**name));
        assert_none(&missing.collect::<Vec<_>>());
    });
}

/// Metrics of cores and of other processors have no value here.
#[test]
#[ignore = "make test-judges runs it"]
fn metrics_of_the_uncore_have_values() {
    const AT_LEAST: usize = 5;
    on(&busy(), |session| {
        let said = fails_for_other_pmus(session, "stat_all_metrics.sh");
        let lines: BTreeSet<&str> = said.lines().collect();
        let tried = formulas::exact().filter(|name| lines.contains(&*format!("Testing {name}")));
        let tried: Vec<&str> = tried.collect();
        assert!(tried.len() >= AT_LEAST, "{tried:?}: {said}");
        let without = tried.iter().filter(|name| {
            let marks = ["Failed", "Ignored", "Skipped"].map(|mark| format!("[{mark} {name}]"));
            marks.iter().any(|mark| said.contains(mark))
        });
        let without: Vec<String> = without.map(|name| (*name).to_owned()).collect();
        assert_none(&without);
    });
}

#[test]
#[ignore = "make test-judges runs it"]
fn groups_of_metrics_can_be_measured() {
    on(&busy(), |session| {
        let said = fails_for_other_pmus(session, "stat_all_metricgroups.sh");
        assert!(said.contains("Testing MemoryBW"), "{said}");
    });
}

#[test]
#[ignore = "make test-judges runs it"]
fn each_pmu_has_all_files_and_counts_each_event() {
    let config = busy();
    on(&config, |session| {
        let said = passes(session, "uncore_rs.sh");
        for (kind, instance) in Shape::of(&config).pmus() {
            let line = format!("Testing {}. [OK]", kind.pmu(instance));
            assert!(said.lines().any(|said| said == line), "no `{line}`: {said}");
        }
    });
}

/// That test itself can fail: it does without traffic, and is skipped without PMUs.
#[test]
#[ignore = "make test-judges runs it"]
fn a_pmu_that_counts_nothing_is_found() {
    on(&patient(&["names=compat"]), |session| {
        let (status, said) = run(session, "uncore_rs.sh");
        assert_eq!(status, FAIL, "{said}");
        assert!(!said.contains("[OK]"), "{said}");
    });
    let without = Config {
        driver: Driver::None,
        ..patient(&[])
    };
    on(&without, |session| {
        assert_eq!(run(session, "uncore_rs.sh").0, SKIP);
    });
}
