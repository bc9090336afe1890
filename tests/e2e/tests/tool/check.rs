// SPDX-License-Identifier: GPL-2.0

//! `uncore check` passes on a sound machine, and fails on each of these faulty ones, for
//! the right reason.

use super::{free_running, rounds};
use std::collections::BTreeSet;
use std::time::Duration;
use uncore_e2e::prelude::*;

platforms!(; e5);

/// A fault of the machine, which stands for a fault of hardware or driver.
#[derive(Clone, Copy)]
struct Mutant {
    /// Description of the fault in hardware or driver.
    fault: &'static str,
    /// Command that gives the machine the fault.
    command: &'static str,
    /// Part of the check that catches the fault, and the test in it.
    caught_by: (&'static str, &'static str),
    /// The fault shows only while the driver loads.
    at_load: bool,
}

const fn mutant(
    fault: &'static str,
    command: &'static str,
    part: &'static str,
    test: &'static str,
) -> Mutant {
    Mutant {
        fault,
        command,
        caught_by: (part, test),
        at_load: false,
    }
}

const fn at_load(mutant: Mutant) -> Mutant {
    Mutant {
        at_load: true,
        ..mutant
    }
}

#[rustfmt::skip]
const ON_IVBEP: [Mutant; 32] = [
    mutant("wrong event code of a clock", "defect event r2pcie 0x01 0x07", "relations", "r2pcie.uclk"),
    mutant("wrong event code of another clock", "defect event ha 0x00 0x01", "relations", "agreement.uclk"),
    mutant("wrong event code of one end's flits", "defect event qpi 0x100 0x000 1", "relations", "qpi.data_flits"),
    mutant("umask not programmed", "defect umask imc 0x03", "relations", "imc.cas"),
    mutant("umask of a ring not programmed", "defect umask r2pcie 0x01", "relations", "r2pcie.ring_slots"),
    mutant("extended select lost", "defect ignore qpi ext", "relations", "qpi.packets"),
    mutant("state filter ignored", "defect ignore cbox state", "relations", "cbox.states"),
    mutant("node filter ignored", "defect ignore cbox nid", "relations", "cbox.nodes"),
    mutant("opcode filter ignored", "defect ignore cbox opc", "relations", "cbox.opcodes"),
    mutant("thread filter ignored", "defect ignore cbox tid", "relations", "cbox.threads"),
    mutant("address match ignored", "defect ignore ha line", "relations", "ha.no_such_address"),
    mutant("opcode match ignored", "defect ignore ha opc", "relations", "ha.no_such_opcode"),
    mutant("packet match ignored", "defect ignore qpi message", "relations", "qpi.no_such_class"),
    mutant("frequency band ignored", "defect ignore pcu frequency", "relations", "pcu.no_such_frequency"),
    mutant("threshold ignored", "defect ignore cbox thresh", "relations", "cbox.occupancy_threshold"),
    mutant("edge ignored", "defect ignore imc edge", "relations", "imc.edge"),
    mutant("invert ignored", "defect ignore pcu invert", "relations", "pcu.occupancy_invert"),
    mutant("clock too slow", "defect clock cbox 3/4", "relations", "agreement.uclk"),
    mutant("fixed counter at half speed", "defect rate ubox fixed 1/2", "relations", "ubox.fixed_counter"),
    mutant("control written to the next counter", "defect next imc control", "relations", "registers"),
    mutant("stuck counter", "defect rate cbox 1 0/1", "counters", "cbox.equal"),
    mutant("counter that counts twice", "defect rate imc 2 2/1", "counters", "imc.equal"),
    mutant("freeze ignored", "defect ignore imc freeze", "counters", "imc.equal"),
    mutant("torn read", "defect torn imc 2/6", "counters", "imc.onward"),
    mutant("bit that flips", "defect flip cbox 33 1/2", "counters", "cbox.onward"),
    mutant("counter narrower than taken for", "defect narrow imc 24", "counters", "imc.onward"),
    mutant("packages mixed up on MSRs", "defect misroute 0 1", "packages", "cbox"),
    mutant("missing wrap", "defect saturate ha", "overflow", "ha"),
    mutant("start value lost", "defect ignore r2pcie value", "overflow", "r2pcie"),
    mutant("start value written to the next counter", "defect next ha value", "overflow", "ha"),
    at_load(mutant("swapped sockets", "defect swap-nodes 0 1", "places", "nodes")),
    // Last, since the driver polls from then on.
    mutant("dropped PMI", "pmi drop", "overflow", "ha"),
];

/// Faults in what Broadwell has of its own, and one for each other part of the check.
#[rustfmt::skip]
const ON_BDX: [Mutant; 16] = [
    mutant("wrong event code of a clock", "defect event sbox 0x00 0x01", "relations", "agreement.uclk"),
    mutant("umask of a ring not programmed", "defect umask r2pcie 0x01", "relations", "r2pcie.ring_slots"),
    mutant("invert ignored", "defect ignore r3qpi invert", "relations", "r3qpi.invert"),
    mutant("threshold ignored", "defect ignore cbox thresh", "relations", "cbox.occupancy_threshold"),
    mutant("edge ignored", "defect ignore sbox edge", "relations", "sbox.edge"),
    mutant("received flits not counted", "defect event qpi 0x102 0x001 1", "relations", "qpi.data_flits"),
    mutant("state filter ignored", "defect ignore cbox state", "relations", "cbox.states"),
    mutant("address match ignored", "defect ignore ha line", "relations", "ha.no_such_address"),
    mutant("umask of writes not programmed", "defect umask imc 0x04", "relations", "imc.cas_writes"),
    mutant("frequency band ignored", "defect ignore pcu frequency", "relations", "pcu.no_such_frequency"),
    mutant("stuck counter", "defect rate sbox 1 0/1", "counters", "sbox.equal"),
    mutant("freeze ignored", "defect ignore imc freeze", "counters", "imc.equal"),
    mutant("packages mixed up on MSRs", "defect misroute 0 1", "packages", "cbox"),
    mutant("missing wrap", "defect saturate irp", "overflow", "irp"),
    mutant("start value lost", "defect ignore r2pcie value", "overflow", "r2pcie"),
    at_load(mutant("swapped sockets", "defect swap-nodes 0 1", "places", "nodes")),
];

/// Faults of Sandy Bridge, whose boxes have neither filters nor interrupts.
#[rustfmt::skip]
const ON_SNB: [Mutant; 12] = [
    mutant("threshold ignored", "defect ignore cbox thresh", "relations", "cbox.uclk"),
    mutant("another threshold ignored", "defect ignore arb thresh", "relations", "arb.fixed_counter"),
    mutant("invert ignored", "defect ignore cbox invert", "relations", "cbox.uclk"),
    mutant("edge ignored", "defect ignore arb edge", "relations", "arb.clock_edge"),
    mutant("umask not programmed", "defect umask cbox 0x88", "relations", "cbox.states"),
    mutant("fixed counter at half speed", "defect rate arb fixed 1/2", "relations", "arb.fixed_counter"),
    mutant("clock too slow", "defect clock cbox 3/4", "relations", "agreement.uclk"),
    mutant("control written to the next counter", "defect next cbox control", "relations", "registers"),
    mutant("stuck counter", "defect rate cbox 1 0/1", "counters", "cbox.equal"),
    mutant("counter that counts twice", "defect rate arb 1 2/1", "counters", "arb.equal"),
    mutant("bit that flips", "defect flip cbox 33 1/2", "counters", "cbox.onward"),
    mutant("counter narrower than taken for", "defect narrow arb 24", "counters", "arb.onward"),
];

/// Faults of Nehalem-EX, whose boxes have no interrupts. The fixed counter of the W-Box and an
/// event of the M-Box are its clocks.
#[rustfmt::skip]
const ON_NHMEX: [Mutant; 18] = [
    mutant("threshold ignored", "defect ignore cbox thresh", "relations", "cbox.invert"),
    mutant("another threshold ignored", "defect ignore sbox thresh", "relations", "sbox.uclk"),
    mutant("invert ignored", "defect ignore wbox invert", "relations", "wbox.invert"),
    mutant("edge ignored", "defect ignore sbox edge", "relations", "sbox.clock_edge"),
    mutant("umask not programmed", "defect umask cbox 0x01", "relations", "cbox.hits"),
    mutant("address match ignored", "defect ignore sbox line", "relations", "sbox.no_such_address"),
    mutant("address match of memory ignored", "defect ignore mbox line", "relations", "mbox.no_such_address"),
    mutant("packet match ignored", "defect ignore rbox message", "relations", "rbox.no_such_class"),
    mutant("fixed counter at half speed", "defect rate wbox fixed 1/2", "relations", "wbox.invert"),
    mutant("clock too slow", "defect clock cbox 3/4", "relations", "agreement.uclk"),
    mutant("control written to the next counter", "defect next wbox control", "relations", "registers"),
    mutant("counter of a match that counts twice", "defect rate rbox 3 2/1", "relations", "rbox.xbr"),
    mutant("counter of memory at half speed", "defect rate mbox 2 1/2", "relations", "mbox.reads"),
    mutant("stuck counter", "defect rate mbox 1 0/1", "counters", "mbox.equal"),
    mutant("counter that counts twice", "defect rate cbox 2 2/1", "counters", "cbox.equal"),
    mutant("bit that flips", "defect flip mbox 33 1/2", "counters", "mbox.onward"),
    mutant("counter narrower than taken for", "defect narrow sbox 24", "counters", "registers"),
    mutant("packages mixed up", "defect misroute 0 1", "packages", "cbox"),
];

/// Things that the check meets on a platform.
struct Subject {
    /// Machine of the platform.
    config: Config,
    mutants: &'static [Mutant],
    /// Number of tests at least.
    tests: usize,
    /// Tests that find nothing to test: in other packages where there is but one, of overflows
    /// in boxes that do not interrupt or have a clock on only one of their counters.
    untested: &'static [&'static str],
}

impl Subject {
    /// Returns what the check meets on the platform of a machine.
    fn of(config: Config) -> Self {
        match config.option("platform") {
            Some("bdx") => Self {
                config,
                mutants: &ON_BDX,
                tests: 100,
                untested: &["cbox", "sbox", "ubox"],
            },
            Some("snb") => Self {
                config,
                mutants: &ON_SNB,
                tests: 30,
                untested: &["arb", "cbox", "imc", "imc.equal", "nodes"],
            },
            Some("nhmex") => Self {
                config,
                mutants: &ON_NHMEX,
                tests: 80,
                untested: &[
                    "bbox",
                    "bbox.equal",
                    "cbox",
                    "mbox",
                    "nodes",
                    "rbox",
                    "rbox.equal",
                    "sbox",
                    "ubox",
                    "ubox.equal",
                    "wbox",
                ],
            },
            _ => Self {
                config,
                mutants: &ON_IVBEP,
                tests: 100,
                untested: &["cbox", "irp"],
            },
        }
    }

    /// Returns what the check meets on the platform of this run.
    fn of_run() -> Self {
        Self::of(free_running())
    }

    /// Returns what the check meets on Broadwell.
    fn bdx() -> Self {
        Self::of(free_running().with("platform", "bdx"))
    }

    /// Returns what the check meets on Sandy Bridge.
    fn snb() -> Self {
        Self::of(free_running().with("platform", "snb"))
    }

    /// Returns what the check meets on Nehalem-EX.
    fn nhmex() -> Self {
        Self::of(free_running().with("platform", "nhmex"))
    }
}

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

/// Asserts that the whole check passes.
fn passes(subject: Subject) {
    let config = Config {
        timeout: Some(LONGEST),
        ..subject.config
    };
    on(&config, |session| {
        let output = session.run("uncore check");
        let output = format!("{}{}", output.stdout, output.stderr);
        let failed: Vec<&str> = output.lines().filter(|line| is_fault(line)).collect();
        assert_eq!(failed, Vec::<&str>::new());
        let tests = output.lines().filter(|line| line.starts_with("    ok "));
        assert!(tests.count() >= subject.tests, "{output}");
        let skipped = output.lines().filter(|line| line.contains("# SKIP"));
        let skipped: Vec<&str> = skipped.collect();
        let untested = |line: &str, unit| line.contains(&format!(" {unit} #"));
        let known = |line: &&str| subject.untested.iter().any(|unit| untested(line, unit));
        assert!(skipped.iter().all(known), "{skipped:?}");
    });
}

#[test]
fn passes_whole() {
    passes(Subject::of_run());
}

#[test]
fn passes_whole_on_broadwell() {
    platforms!(; first);
    passes(Subject::bdx());
}

#[test]
fn passes_whole_on_sandy_bridge() {
    platforms!(; first);
    passes(Subject::snb());
}

#[test]
fn passes_whole_on_nehalem_ex() {
    platforms!(; first);
    passes(Subject::nhmex());
}

impl Mutant {
    /// Returns the type of the faulty box, if its own tests catch the fault and no other
    /// tests can fail because of it.
    fn box_type(&self) -> Option<&'static str> {
        let (_, test) = self.caught_by;
        let (name, _) = test.split_once('.').unwrap_or((test, ""));
        let mut words = self.command.strip_prefix("defect ")?.split(' ');
        words.any(|word| word == name).then_some(name)
    }
}

/// Returns true if one check can tell a mutant from those of a round: they are in
/// different boxes, and the same part finds them.
fn is_apart(round: &[&Mutant], mutant: &Mutant) -> bool {
    let ours = mutant.box_type();
    let part = |mutant: &Mutant| mutant.caught_by.0;
    round.iter().all(|other| {
        let theirs = other.box_type();
        theirs.is_some() && ours.is_some() && theirs != ours && part(other) == part(mutant)
    })
}

/// Returns rounds of mutants that one check can tell apart: with `UNCORE_REPEAT=all` all
/// rounds, else the first round of each part.
fn in_rounds(mutants: &'static [Mutant]) -> Vec<Vec<&'static Mutant>> {
    let mut parts = BTreeSet::new();
    let mut rounds = rounds(mutants, |round, mutant| is_apart(round, mutant));
    rounds.retain(|round| parts.insert(round[0].caught_by.0) || repeats_all());
    rounds
}

/// Asserts that the check finds the mutants.
fn finds_mutants(subject: &Subject) {
    on(&subject.config, |session| {
        let mut survivors = Vec::new();
        for round in in_rounds(subject.mutants) {
            let at_load = round.iter().any(|mutant| mutant.at_load);
            for mutant in &round {
                session.machine(mutant.command);
            }
            if at_load {
                session.reload();
            }
            let part = round[0].caught_by.0;
            let failures = failures(session, &format!("--quick {part}"));
            println!("{part}: {}", failures.join(" "));
            for mutant in round {
                let (_, test) = mutant.caught_by;
                if !failures.iter().any(|failure| failure == test) {
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
        assert_eq!(failures(session, "--quick"), Vec::<String>::new());
    });
}

#[test]
fn finds_every_mutant() {
    finds_mutants(&Subject::of_run());
}

#[test]
fn finds_every_mutant_on_broadwell() {
    platforms!(; first);
    finds_mutants(&Subject::bdx());
}

#[test]
fn finds_every_mutant_on_sandy_bridge() {
    platforms!(; first);
    finds_mutants(&Subject::snb());
}

#[test]
fn finds_every_mutant_on_nehalem_ex() {
    platforms!(; first);
    finds_mutants(&Subject::nhmex());
}

/// The driver limits for how long interrupts freeze a package, and the emulated processor takes long
/// to handle each.
#[test]
fn a_pause_of_interrupts_is_no_loss() {
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
