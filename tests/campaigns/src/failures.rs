// SPDX-License-Identifier: GPL-2.0

//! Fault injection: fails every MSR, every PCI function and, on the debug kernel,
//! allocations of memory, one at a time.
//!
//! Faults are injected in package 1; package 0 is the control. The allowed outcomes
//! follow from the purpose of the register or function (`registers`, `functions`). The
//! counts of the box, of other boxes and of the other package show the outcome (`trial`).
//! After each failure the fault is removed, the driver is loaded anew, and every box must
//! count a burst exactly.
//!
//! Documentation/development/failures.rst says more.

mod boxes;
mod functions;
mod memory;
mod registers;
mod report;
mod trial;

use crate::panic_context::PanicContext;
use report::Report;
use std::time::Duration;
use uncore_e2e::fixture::samples;
use uncore_e2e::prelude::*;

pub use report::Part;

/// Failed cases after which a run ends, because more of them would repeat the same
/// failure.
const MOST_FAULTS: usize = 10;
/// Time limit of a command: hundreds of loads that fail, each later than the one before.
const PATIENCE: Duration = Duration::from_secs(900);
/// Uncore cycles of a burst; each event counts a different number of events in it.
const BURST: u64 = 1_000_000;
/// The package in which faults are injected.
const PACKAGE: u8 = 1;
const PACKAGES: [u8; 2] = [0, 1];

/// Returns the command that loads the driver with interrupts, because the driver then uses more
/// registers, and with several filters of a C-Box at a time, so that all its events count.
fn load() -> String {
    format!("load-module {MODULE} overflow=pmi filters=several")
}

/// Returns the machine of the campaign; its firmware wrote the number of C-Boxes where it
/// belongs.
pub fn config() -> Config {
    let config = Config {
        timeout: Some(PATIENCE),
        ..Config::of(Driver::None)
    };
    config.with("numc", "3")
}

/// Part of the driver's view that a fault takes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Box,
    /// Filters of the box, which are in a function of their own.
    Filters,
}

/// Phase in which the failure begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The fault is there before the driver is loaded.
    Before,
    /// The fault begins while all counters of the box count.
    Counting,
    /// The kernel is told to remove the function while all counters of the box count, and
    /// to find it again later.
    Removed,
}

impl Phase {
    fn name(self) -> &'static str {
        match self {
            Self::Before => "before the driver is loaded",
            Self::Counting => "while its box counts",
            Self::Removed => "removed while it counts",
        }
    }
}

/// Outcome of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Nothing is missing.
    Exact,
    /// The box or its filters are missing from the beginning.
    Missing,
    /// The box or its filters are gone from some point on.
    Ended,
    /// The box was gone, and has returned.
    Returned,
}

impl Outcome {
    fn name(self) -> &'static str {
        match self {
            Self::Exact => "every count is exact",
            Self::Missing => "named as missing, its events are refused",
            Self::Ended => "named, its events end with what they had, new ones are refused",
            Self::Returned => "its events end with what they had and go on when it is found again",
        }
    }
}

/// A fault to be injected.
#[derive(Clone, Debug)]
struct Failure {
    part: Part,
    /// Type of the failing box, or of the box whose events are watched.
    kind: BoxKind,
    instance: u8,
    /// Role of the failing register or function.
    role: &'static str,
    /// Name or number among those of this role.
    which: String,
    /// Part that the driver loses.
    effect: Effect,
    /// Commands of the machine that inject the fault and remove it.
    fails: String,
    heals: String,
    /// The PCI function to be removed from the kernel, if the fault is in a function.
    function: Option<Function>,
    /// Phases in which the fault is injected, each with its allowed outcomes.
    may: Vec<(Phase, &'static [Outcome])>,
}

impl Failure {
    /// Returns the name of the box in the driver's log and files.
    fn unit(&self) -> String {
        self.kind.box_name(self.instance)
    }

    fn title(&self, phase: Phase) -> String {
        let (part, unit) = (self.part.name(), self.unit());
        format!("{part}: {unit} {}, {}", self.which, phase.name())
    }
}

/// A run over all faults, or over some of them.
pub struct Failures<'a> {
    session: &'a mut Session,
    /// Parts of the titles of the selected faults.
    only: Vec<String>,
    report: Report,
    done: usize,
    faults: Vec<String>,
}

impl<'a> Failures<'a> {
    /// Selects the faults whose titles contain one of these texts; all faults if there
    /// are none. The session has a machine of [`config`].
    pub fn new(session: &'a mut Session, only: &[&str]) -> Self {
        session.forget_leaks();
        Self {
            session,
            only: only.iter().map(|&text| text.to_owned()).collect(),
            report: Report::default(),
            done: 0,
            faults: Vec::new(),
        }
    }

    /// Returns the unexpected outcomes, each with the command line that repeats it.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    /// Returns the number of injected faults and walks over allocations so far.
    pub fn done(&self) -> usize {
        self.done
    }

    /// Returns the outcomes so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Injects each fault, with its title given to `progress` first. Stops after some
    /// failed cases.
    pub fn run(&mut self, mut progress: impl FnMut(&str)) {
        self.session.hurry(true);
        self.session.ok(&load());
        for failure in registers::all().chain(functions::all()) {
            for &(phase, may) in &failure.may {
                self.case(&failure.title(phase), &mut progress, |this| {
                    let outcome = this.fail(&failure, phase);
                    match outcome {
                        Ok(outcome) if may.contains(&outcome) => {
                            this.report.note(&failure, phase, outcome);
                            Vec::new()
                        }
                        Ok(outcome) => vec![format!("{}; that may not be", outcome.name())],
                        Err(faults) => faults,
                    }
                });
            }
        }
        if config().flavour == Flavour::Debug {
            for walk in memory::all() {
                self.case(&walk.title(), &mut progress, |this| {
                    walk.take(this.session, &mut this.report)
                });
            }
        }
        self.session.ok(UNLOAD);
        self.session.hurry(false);
        let lost = self.session.leaks();
        if !lost.is_empty() {
            self.faults.push(format!("memory is lost: {lost}"));
        }
    }

    /// Runs one case on a machine with the driver loaded, and loads the driver anew at
    /// the end.
    fn case(
        &mut self,
        title: &str,
        progress: &mut impl FnMut(&str),
        what: impl FnOnce(&mut Self) -> Vec<String>,
    ) {
        let wanted = |text: &String| title.contains(text.as_str());
        if self.faults.len() >= MOST_FAULTS {
            return;
        }
        if !self.only.is_empty() && !self.only.iter().any(wanted) {
            return;
        }
        progress(title);
        self.done += 1;
        let context = PanicContext(format!("{title}: {}", make_line(title)));
        let mut faults = what(self);
        faults.extend(self.miscounts());
        let complaints = self.session.faults();
        if !complaints.is_empty() {
            faults.push(complaints.to_string());
        }
        if !faults.is_empty() {
            let faults = format!("{}\n  {}", context.0, faults.join("\n  "));
            progress(&faults);
            self.faults.push(faults);
        }
        drop(context);
    }

    fn fail(&mut self, failure: &Failure, phase: Phase) -> Result<Outcome, Vec<String>> {
        let outcome = match phase {
            Phase::Before => trial::before(self.session, failure),
            Phase::Counting => trial::counting(self.session, failure),
            Phase::Removed => trial::removed(self.session, failure),
        };
        self.session.machine(&failure.heals);
        outcome
    }

    /// Loads the driver anew and returns the wrong counts of all boxes.
    fn miscounts(&mut self) -> Vec<String> {
        self.session.ok(&format!("{UNLOAD} && {}", load()));
        let wanted = Wanted::all(samples());
        self.session.mismatches(BURST, &PACKAGES, &wanted)
    }
}

/// Returns the instances of a type of box in one package.
fn instances(kind: BoxKind) -> std::ops::Range<u8> {
    0..Shape::of(&config()).most(kind)
}

/// Returns the command line that repeats a case.
fn make_line(title: &str) -> String {
    format!("{} ONLY='{title}'", config().make("failures"))
}
