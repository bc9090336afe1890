// SPDX-License-Identifier: GPL-2.0

//! `uncore check` passes on a sound machine, and fails on each of these faulty ones, for
//! the right reason.

use super::{free_running, rounds};
use std::collections::BTreeSet;
use std::time::Duration;
use uncore_catalogue::{Facts, Mutant};
use uncore_e2e::prelude::*;

platforms!(each);

/// Time limit of the whole check, on a real machine, too.
const LONGEST: Duration = Duration::from_secs(300);

/// Returns the tests that a check fails, without the part.
fn failures(session: &mut Session, arguments: &str) -> Vec<String> {
    let output = session.run(&format!("uncore check {arguments}"));
    let lines = output.stdout.lines();
    let failed = lines.filter_map(|line| line.strip_prefix("    not ok "));
    let names = failed.filter_map(|line| line.split_once(' '));
    let faults = output.stdout.lines().filter(|line| is_fault(line));
    // The prefix keeps them from being taken for results of this test.
    faults.for_each(|line| println!("check: {line}"));
    let failures: Vec<String> = names.map(|(_, name)| name.to_owned()).collect();
    let status = i32::from(!failures.is_empty());
    assert_eq!(output.status, status, "{}{}", output.stdout, output.stderr);
    failures
}

fn is_fault(line: &str) -> bool {
    line.starts_with("    # ") || line.trim_start().starts_with("not ok")
}

#[test]
fn passes_whole() {
    let config = Config {
        timeout: Some(LONGEST),
        ..free_running()
    };
    on(&config, |session| {
        for command in ["uncore top --once -d 1s", "uncore stat sleep 1"] {
            let shown = session.ok(command);
            assert!(!shown.contains("mpossible"), "{shown}");
        }
        let output = session.run("uncore check");
        let output = format!("{}{}", output.stdout, output.stderr);
        let failed: Vec<&str> = output.lines().filter(|line| is_fault(line)).collect();
        assert_eq!(failed, Vec::<&str>::new());
        let passed = output
            .lines()
            .filter_map(|line| line.strip_prefix("    ok "));
        let passed: BTreeSet<&str> = passed.filter_map(|line| line.split(' ').nth(1)).collect();
        let missing = mutants()
            .iter()
            .find(|mutant| !passed.contains(&*mutant.test));
        assert!(missing.is_none(), "{missing:?}: {output}");
        let skipped = output.lines().filter(|line| line.contains("# SKIP"));
        let skipped: Vec<&str> = skipped.collect();
        let untested = |line: &str, unit| line.contains(&format!(" {unit} #"));
        let units = Platform::untested();
        let known = |line: &&str| units.iter().any(|unit| untested(line, unit));
        assert!(skipped.iter().all(known), "{skipped:?}");
    });
}

/// Returns the faults of the machine that the check finds.
fn mutants() -> &'static [Mutant] {
    &Facts::of(Platform::current().name()).mutants
}

/// Returns the type of the faulty box, if its own tests catch the fault and no other tests can fail
/// because of it.
fn box_type(mutant: &Mutant) -> Option<&str> {
    let (name, _) = mutant.test.split_once('.').unwrap_or((&mutant.test, ""));
    let mut words = mutant.command.strip_prefix("defect ")?.split(' ');
    words.any(|word| word == name).then_some(name)
}

/// Returns true if one check can tell a mutant from those of a round: they are in
/// different boxes, and the same part finds them.
fn is_apart(round: &[&Mutant], mutant: &Mutant) -> bool {
    let ours = box_type(mutant);
    round.iter().all(|other| {
        let theirs = box_type(other);
        theirs.is_some() && ours.is_some() && theirs != ours && other.part == mutant.part
    })
}

/// Returns rounds of mutants that one check can tell apart: with `UNCORE_REPEAT=all` all
/// rounds, else the first round of each part.
fn in_rounds() -> Vec<Vec<&'static Mutant>> {
    let mut parts = BTreeSet::new();
    let mut rounds = rounds(mutants(), |round, mutant| is_apart(round, mutant));
    rounds.retain(|round| parts.insert(&round[0].part) || repeats_all());
    rounds
}

#[test]
fn finds_every_mutant() {
    on(&free_running(), |session| {
        let mut survivors = Vec::new();
        for round in in_rounds() {
            let at_load = round.iter().any(|mutant| mutant.load);
            for mutant in &round {
                session.machine(&mutant.command);
            }
            if at_load {
                session.reload();
            }
            let part = &round[0].part;
            let failures = failures(session, &format!("--quick {part}"));
            println!("{part}: {}", failures.join(" "));
            for mutant in round {
                if !failures.contains(&mutant.test) {
                    survivors.push(format!("{}: {}", mutant.fault, mutant.command));
                }
            }
            session.machine("clear-defects");
            session.machine("pmi normal");
            if at_load {
                session.reload();
            }
        }
        assert_eq!(survivors, Vec::<String>::new());
        session.reload();
        // `passes_whole` runs all parts on each platform.
        if Platform::current() == Platform::Ivbep || repeats_all() {
            assert_eq!(failures(session, "--quick"), Vec::<String>::new());
        }
    });
}

/// The driver limits for how long interrupts freeze a package, and the emulated processor takes long
/// to handle each.
#[test]
fn a_pause_of_interrupts_is_no_loss() {
    platforms!(; e5);
    let config = Config {
        parameters: vec!["frozen_limit=1".to_owned()],
        ..free_running()
    };
    on(&config, |session| {
        let output = session.run("uncore check --quick overflow");
        let faults: Vec<&str> = output
            .stdout
            .lines()
            .filter(|line| is_fault(line))
            .collect();
        assert_eq!(faults, Vec::<&str>::new());
        let skipped = output.stdout.contains("# SKIP interrupts are paused");
        assert!(skipped, "{}", output.stdout);
    });
}
