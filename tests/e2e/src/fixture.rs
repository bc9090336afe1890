// SPDX-License-Identifier: GPL-2.0

//! What the end-to-end tests stand on: a booted machine to share, commands
//! that must succeed, counts that must be exact.
//!
//! A test is [`on`] a machine. Booting takes seconds, so a machine is handed
//! on to the next test that wants one of the same configuration, unless a test
//! failed on it. After each test the kernel's log and the model's violations
//! are looked at, and either makes the test fail. A failing test prints the
//! `make` line that repeats its last command.

pub mod probe;

use crate::perf::{Event, Place, Stat, Table};
use crate::{Config, Faults, Guest, Output};
use probe::{Beside, Probe};
use std::fmt::Write as _;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::{Mutex, PoisonError};

/// Machines that wait for a test; more than this many are switched off.
const IDLE_MACHINES: usize = 4;

/// Mismatches that are printed; more only say the same again.
const MISMATCHES_SHOWN: usize = 20;

static IDLE: Mutex<Vec<Session>> = Mutex::new(Vec::new());

/// Runs a test on a machine of this configuration.
///
/// # Panics
///
/// If the machine cannot be booted, the test panics, the kernel complains or
/// the model records a violation.
pub fn on(config: &Config, test: impl FnOnce(&mut Session)) {
    let mut session = Session::take(config);
    let outcome = catch_unwind(AssertUnwindSafe(|| test(&mut session)));
    let faults = session.judge();
    match (outcome, faults) {
        (Ok(()), None) => session.give_back(),
        (Ok(()), Some(faults)) => {
            session.print_how_to_repeat();
            panic!("{faults}");
        }
        (Err(panic), faults) => {
            session.print_how_to_repeat();
            if let Some(faults) = faults {
                println!("{faults}");
            }
            resume_unwind(panic);
        }
    }
}

/// A machine in the hands of one test.
pub struct Session {
    guest: Guest,
    config: Config,
    last_command: String,
    tolerant: bool,
}

impl Session {
    fn take(config: &Config) -> Self {
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        let same = idle.iter().position(|session| session.config == *config);
        if let Some(index) = same {
            return idle.remove(index);
        }
        drop(idle);
        let guest = Guest::boot(config).unwrap_or_else(|error| panic!("{error}"));
        Self {
            guest,
            config: config.clone(),
            last_command: "true".to_owned(),
            tolerant: false,
        }
    }

    fn give_back(mut self) {
        self.tolerant = false;
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(self);
        if idle.len() > IDLE_MACHINES {
            let oldest = idle.remove(0);
            drop(idle);
            drop(oldest);
        }
    }

    /// What the machine has to say about the test, if anything.
    fn judge(&mut self) -> Option<String> {
        let mut faults = match self.guest.faults() {
            Ok(faults) => faults,
            Err(error) => return Some(error.to_string()),
        };
        if self.tolerant {
            faults.violations.clear();
        }
        (!faults.is_empty()).then(|| faults.to_string())
    }

    fn print_how_to_repeat(&self) {
        println!("to repeat: {}", self.config.make_line(&self.last_command));
    }

    /// From here on the model's violations are not held against the test.
    pub fn tolerate_violations(&mut self) {
        self.tolerant = true;
    }

    /// Complaints of the kernel and the model since the last look.
    ///
    /// # Panics
    ///
    /// If the machine does not answer.
    pub fn faults(&mut self) -> Faults {
        self.guest
            .faults()
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Runs a shell command, whatever its status.
    ///
    /// # Panics
    ///
    /// If the machine does not answer.
    pub fn run(&mut self, command: &str) -> Output {
        command.clone_into(&mut self.last_command);
        let output = self.guest.run(command);
        output.unwrap_or_else(|error| panic!("`{command}`: {error}"))
    }

    /// Runs a shell command that must succeed; its standard output.
    ///
    /// # Panics
    ///
    /// If it fails.
    pub fn ok(&mut self, command: &str) -> String {
        let output = self.run(command);
        assert_eq!(output.status, 0, "`{command}` failed:\n{}", output.stderr);
        output.stdout
    }

    /// Runs a shell command that must fail; its standard error.
    ///
    /// # Panics
    ///
    /// If it succeeds.
    pub fn fails(&mut self, command: &str) -> String {
        let output = self.run(command);
        assert_ne!(
            output.status, 0,
            "`{command}` succeeded:\n{}",
            output.stdout
        );
        output.stderr
    }

    /// A command of the machine itself, see `machine help`.
    pub fn machine(&mut self, command: &str) -> String {
        self.ok(&format!("machine {command}"))
    }

    /// Runs `perf stat`, which must succeed, and reads its table.
    ///
    /// # Panics
    ///
    /// If perf fails or prints what is no table.
    pub fn stat(&mut self, stat: &Stat) -> Table {
        let command = stat.json();
        let output = self.run(&command);
        assert_eq!(output.status, 0, "`{command}` failed:\n{}", output.stderr);
        Table::parse(&output.stderr).unwrap_or_else(|error| panic!("`{command}`: {error}"))
    }

    /// Takes steps with `perf-open`; what it prints, a line for each answer.
    pub fn perf_open<S: AsRef<str>>(&mut self, steps: &[S]) -> Vec<String> {
        let mut command = "perf-open".to_owned();
        for step in steps {
            let _ = write!(command, " '{}'", step.as_ref());
        }
        self.ok(&command).lines().map(str::to_owned).collect()
    }

    /// The refusals that the driver remembers, oldest first.
    pub fn rejections(&mut self) -> Vec<String> {
        let text = self.ok("cat /sys/kernel/debug/ivbep_uncore/rejections");
        text.lines().map(str::to_owned).collect()
    }

    /// Counts a burst with one perf run and holds every value in every
    /// package against the traffic definition; events are not grouped.
    ///
    /// # Panics
    ///
    /// If any differs.
    pub fn counts(&mut self, uclk: u64, packages: &[u8], wanted: &[Wanted]) {
        let apart: Vec<&[Wanted]> = wanted.chunks(1).collect();
        self.counts_of(Stat::event_list, uclk, packages, &apart);
    }

    /// The same for groups, all in one perf run.
    ///
    /// # Panics
    ///
    /// If any count differs.
    pub fn counts_groups(&mut self, uclk: u64, packages: &[u8], groups: &[Vec<Wanted>]) {
        let groups: Vec<&[Wanted]> = groups.iter().map(Vec::as_slice).collect();
        self.counts_of(Stat::group, uclk, packages, &groups);
    }

    fn counts_of(&mut self, add: Add, uclk: u64, packages: &[u8], groups: &[&[Wanted]]) {
        let mut stat = Stat::burst(uclk).option("--per-socket");
        let mut names = (0..).map(tag);
        let mut asked = Vec::new();
        for group in groups {
            let of_group: Vec<_> = names.by_ref().zip(group.iter()).collect();
            let events: Vec<Event> = of_group.iter().map(|(n, w)| w.event(n)).collect();
            stat = add(stat, &events);
            asked.extend(of_group);
        }
        let table = self.stat(&stat);
        let mut mismatches = Vec::new();
        for (name, wanted) in &asked {
            for &package in packages {
                mismatches.extend(wanted.mismatch(&table, name, package, uclk));
            }
        }
        assert_none(&mismatches);
    }
}

/// Puts events on perf's command line.
type Add = fn(Stat, &[Event]) -> Stat;

/// An event and what it must show.
#[derive(Clone, Debug)]
pub struct Wanted {
    event: Event,
    shows: Probe,
}

impl From<Probe> for Wanted {
    fn from(probe: Probe) -> Self {
        Self {
            event: probe.event(),
            shows: probe,
        }
    }
}

impl From<Beside> for Wanted {
    fn from(beside: Beside) -> Self {
        Self {
            event: beside.event,
            shows: beside.shows,
        }
    }
}

impl Wanted {
    /// A list of probes.
    pub fn all(probes: impl IntoIterator<Item = Probe>) -> Vec<Self> {
        probes.into_iter().map(Self::from).collect()
    }

    /// A probe asked of the kernel's own driver.
    #[must_use]
    pub fn in_kernel(probe: &Probe) -> Self {
        Self {
            event: probe.in_kernel_event(),
            shows: probe.clone(),
        }
    }

    fn event(&self, name: &str) -> Event {
        self.event.clone().named(name)
    }

    fn mismatch(&self, table: &Table, name: &str, package: u8, uclk: u64) -> Option<String> {
        let expected = self.shows.count(package, uclk);
        let event = &self.event;
        let line = match table.at(name, Place::Socket(package)) {
            Ok(line) => line,
            Err(error) => return Some(format!("{event}: {error}")),
        };
        if line.exact() == Some(expected) {
            return None;
        }
        let seen = match line.value {
            Some(value) => format!("{value} ({}% of the time)", line.running),
            None => "<not counted>".to_owned(),
        };
        Some(format!(
            "{event} in package {package}: expected {expected}, seen {seen}"
        ))
    }
}

/// The name of an event's line in perf's table.
fn tag(index: usize) -> String {
    format!("wanted{index}")
}

/// Fails with the list if there is one.
///
/// # Panics
///
/// If the list is not empty.
pub fn assert_none(mismatches: &[String]) {
    let shown = &mismatches[..mismatches.len().min(MISMATCHES_SHOWN)];
    assert!(
        mismatches.is_empty(),
        "{} wrong:\n  {}",
        mismatches.len(),
        shown.join("\n  ")
    );
}
