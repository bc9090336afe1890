// SPDX-License-Identifier: GPL-2.0

//! Everything that the driver needs fails, one thing at a time: each register in MSRs, each
//! PCI function, and on the debug kernel allocations of memory.
//!
//! What fails is of package 1, so that package 0 shows what is right. What may come of it
//! follows from what the register or function is for (`registers`, `functions`), and is told
//! by what the events of the box, of others and of the other package have counted (`trial`).
//! After each failure it is mended, the driver is loaded anew, and every box must count a
//! burst exactly.
//!
//! Documentation/development/failures.rst says more, and has the tables of a run.

mod boxes;
mod functions;
mod memory;
mod page;
mod registers;
mod report;
mod trial;

use crate::catalogue::BoxKind;
use crate::fixture::{samples, Function, Session, Shape, Wanted};
use crate::notice::Notice;
use crate::{Config, Driver, Flavour, MODULE, UNLOAD};
use report::Report;
use std::time::Duration;

pub use page::page;
pub use report::Part;

/// Failed cases after which a run ends: more only say the same again.
const MOST_FAULTS: usize = 10;
/// Hundreds of loads that fail, each later than the one before.
const PATIENCE: Duration = Duration::from_secs(900);
/// Uncore cycles of a burst, in which each event counts something of its own.
const BURST: u64 = 1_000_000;
/// The package in which things fail.
const PACKAGE: u8 = 1;
const PACKAGES: [u8; 2] = [0, 1];

/// With interrupts: the driver then needs all registers that it ever does.
fn load() -> String {
    format!("load-module {MODULE} overflow=pmi")
}

/// The machine on which things fail; firmware wrote the number of C-Boxes where it belongs.
#[must_use]
pub fn config() -> Config {
    let config = Config {
        driver: Driver::None,
        timeout: Some(PATIENCE),
        ..Config::default()
    };
    config.with("numc", "3").with_leak_detector()
}

/// What a failure takes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loss {
    /// The box.
    Box,
    /// The filters of the box, which are in a function of their own.
    Filters,
}

/// When it fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    /// From before the driver is loaded.
    Before,
    /// From while all counters of the box count.
    Counting,
    /// The kernel is told, while they count, that the function goes, and later to look for
    /// it.
    Removed,
}

impl Moment {
    fn name(self) -> &'static str {
        match self {
            Self::Before => "before the driver is loaded",
            Self::Counting => "while its box counts",
            Self::Removed => "removed while it counts",
        }
    }
}

/// What comes of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Came {
    /// Nothing is missing.
    Exact,
    /// What it takes away is missing from the beginning.
    Missing,
    /// What it takes away is gone from some point on.
    Ended,
    /// It was gone, and is there again.
    Returned,
}

impl Came {
    fn name(self) -> &'static str {
        match self {
            Self::Exact => "every count is exact",
            Self::Missing => "named as missing, its events are refused",
            Self::Ended => "named, its events end with what they had, new ones are refused",
            Self::Returned => "its events end with what they had and go on when it is found again",
        }
    }
}

/// Something that can fail.
#[derive(Clone, Debug)]
struct Failure {
    part: Part,
    /// Its box, or the one whose events are watched.
    kind: BoxKind,
    instance: u8,
    /// What it is for.
    role: &'static str,
    /// Which of that role.
    which: String,
    /// What the box loses.
    loss: Loss,
    /// Commands of the machine.
    fails: String,
    heals: String,
    /// Where it is removed from the kernel, if it is a function.
    function: Option<Function>,
    /// When it fails, and what may come of that.
    may: Vec<(Moment, &'static [Came])>,
}

impl Failure {
    /// The box, as the driver names it.
    fn unit(&self) -> String {
        boxes::unit(self.kind, self.instance)
    }

    fn title(&self, moment: Moment) -> String {
        let (part, unit) = (self.part.name(), self.unit());
        format!("{part}: {unit} {}, {}", self.which, moment.name())
    }
}

/// A run over all that can fail, or some of it.
pub struct Failures<'a> {
    session: &'a mut Session,
    /// Parts of the titles of what fails.
    only: Vec<String>,
    report: Report,
    done: usize,
    faults: Vec<String>,
}

impl<'a> Failures<'a> {
    /// What fails has one of these texts in its title; all if there are none. On a machine
    /// of [`config`].
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

    /// What should not have come of it, each with the line that repeats it.
    #[must_use]
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    /// How many failures, and walks over allocations, there have been.
    #[must_use]
    pub fn done(&self) -> usize {
        self.done
    }

    /// What came of it.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Has everything fail, and tells before each what it is. Stops after some faults.
    pub fn run(&mut self, mut progress: impl FnMut(&str)) {
        self.session.hurry(true);
        self.session.ok(&load());
        for failure in registers::all().chain(functions::all()) {
            for &(moment, may) in &failure.may {
                self.case(
                    failure.part,
                    &failure.title(moment),
                    &mut progress,
                    |this| {
                        let came = this.fail(&failure, moment);
                        match came {
                            Ok(came) if may.contains(&came) => {
                                this.report.note(&failure, moment, came);
                                Vec::new()
                            }
                            Ok(came) => vec![format!("{}; that may not be", came.name())],
                            Err(faults) => faults,
                        }
                    },
                );
            }
        }
        if config().flavour == Flavour::Debug {
            for walk in memory::all() {
                self.case(Part::Memory, &walk.title(), &mut progress, |this| {
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

    /// One failure, on a machine with the driver loaded and back to that.
    fn case(
        &mut self,
        part: Part,
        title: &str,
        progress: &mut impl FnMut(&str),
        what: impl FnOnce(&mut Self) -> Vec<String>,
    ) {
        let wanted = |text: &String| title.contains(text.as_str());
        if self.faults.len() >= MOST_FAULTS {
            return;
        }
        if !self.only.is_empty() && !self.only.iter().any(wanted) {
            self.report.leave_out(part);
            return;
        }
        progress(title);
        self.done += 1;
        let notice = Notice(format!("{title}: {}", make_line(title)));
        let mut faults = what(self);
        faults.extend(self.miscounts());
        let complaints = self.session.faults();
        if !complaints.is_empty() {
            faults.push(complaints.to_string());
        }
        if !faults.is_empty() {
            let faults = format!("{}\n  {}", notice.0, faults.join("\n  "));
            progress(&faults);
            self.faults.push(faults);
        }
        drop(notice);
    }

    fn fail(&mut self, failure: &Failure, moment: Moment) -> Result<Came, Vec<String>> {
        let came = match moment {
            Moment::Before => trial::before(self.session, failure),
            Moment::Counting => trial::counting(self.session, failure),
            Moment::Removed => trial::removed(self.session, failure),
        };
        self.session.machine(&failure.heals);
        came
    }

    /// What boxes count wrong with the driver loaded anew.
    fn miscounts(&mut self) -> Vec<String> {
        self.session.ok(&format!("{UNLOAD} && {}", load()));
        let wanted = Wanted::all(samples());
        self.session.mismatches(BURST, &PACKAGES, &wanted)
    }
}

/// The boxes of a package of the machine, by type.
fn instances(kind: BoxKind) -> std::ops::Range<u8> {
    0..Shape::of(&config()).most(kind)
}

/// The command that does it again.
fn make_line(title: &str) -> String {
    format!("{} ONLY='{title}'", config().make("failures"))
}
