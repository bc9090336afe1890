// SPDX-License-Identifier: GPL-2.0

//! A fuzzer over perf_event_open on our PMUs, with an oracle.
//!
//! A case is a handful of operations on perf events (`operation`), made from a seed and
//! the case's number (`generate`). The guest's `perf-ops` runs them and prints the
//! kernel's answers (`exchange`). The `oracle` computes the expected answers, and
//! `compare` compares both. A failing case is reduced (`shrink`) and printed with the
//! command line that repeats it.
//!
//! Documentation/development/fuzzing.rst says more.

mod attr;
mod compare;
mod composed;
mod describe;
mod env;
mod exchange;
mod generate;
mod operation;
mod oracle;
mod shrink;
mod totals;

use crate::panic_context::PanicContext;
use compare::Mismatch;
use env::Env;
use operation::Operation;
use std::fmt::Write as _;
use std::ops::Range;
use uncore_e2e::prelude::*;

pub use totals::{Count, Totals};

/// The default seed.
pub const SEED: u64 = 1;
/// The default number of cases.
pub const CASES: u64 = 10_000;
/// Failures after which a run ends, because more of them would repeat the same failure.
const MOST_FAILURES: usize = 10;

/// Returns the machine to fuzz on.
pub fn config() -> Config {
    env::config()
}

/// The model's words about a box that a package lacks.
const NO_SUCH_BOX: &str = "the package has no such box";

/// Loads the module again. Panics if something is wrong with that.
pub fn reload(session: &mut Session) {
    session.reload();
    check_load(session);
}

/// Takes what the kernel and the model say of a load. Where each core has a C-Box, the module
/// looks in each package for as many as the first has cores, and finds what answers.
fn check_load(session: &mut Session) {
    let mut faults = session.faults();
    faults
        .violations
        .retain(|violation| !violation.ends_with(NO_SUCH_BOX));
    assert!(faults.is_empty(), "{faults}");
}

/// A run over some cases of a seed.
pub struct Fuzzer<'a> {
    session: &'a mut Session,
    env: Env,
    seed: u64,
    totals: Totals,
    failures: Vec<String>,
}

impl<'a> Fuzzer<'a> {
    /// Creates a run on a machine of [`config`].
    pub fn new(session: &'a mut Session, seed: u64) -> Self {
        check_load(session);
        let env = Env::of(session);
        Self {
            session,
            env,
            seed,
            totals: Totals::default(),
            failures: Vec::new(),
        }
    }

    /// Returns the totals of all cases so far.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Returns the failures, each with the command line that repeats it.
    pub fn failures(&self) -> &[String] {
        &self.failures
    }

    /// Returns the oracle's expectations of these cases, without the guest.
    pub fn expected(&self, cases: Range<u64>) -> Totals {
        let mut totals = Totals::default();
        for case in cases {
            compare::expect(&self.env, &self.case(case), &mut totals);
        }
        totals
    }

    fn case(&self, case: u64) -> Vec<Operation> {
        generate::operations(&self.env, self.seed, case)
    }

    /// Runs these cases and gives `progress` the number of finished ones after each
    /// exchange. Stops after some failures.
    pub fn run(&mut self, cases: Range<u64>, mut progress: impl FnMut(u64)) {
        let mut next = cases.start;
        while next < cases.end && self.failures.len() < MOST_FAILURES {
            let window = next..cases.end.min(next + 1000);
            let window: Vec<Vec<Operation>> = window.map(|case| self.case(case)).collect();
            let lines = window.iter();
            let lines: Vec<String> = lines
                .map(|operations| exchange::lines(operations, &self.env))
                .collect();
            let size = exchange::batch(lines.iter());
            self.batch(next, &window[..size], &lines[..size]);
            next += u64::try_from(size).unwrap_or(1);
            progress(next - cases.start);
        }
    }

    fn batch(&mut self, first: u64, cases: &[Vec<Operation>], lines: &[String]) {
        let _context = PanicContext(format!(
            "the guest was lost in {} cases of seed {} from {first} on",
            cases.len(),
            self.seed
        ));
        match exchange::ask(self.session, lines) {
            Ok(answers) => {
                for ((case, operations), answers) in (first..).zip(cases).zip(answers) {
                    self.look(case, operations, &answers);
                }
            }
            Err(error) => self.failures.push(format!("from case {first} on: {error}")),
        }
        let faults = self.session.faults();
        if !faults.is_empty() {
            let culprit = self.culprit(first, lines);
            self.failures.push(format!("{culprit}\n{faults}"));
        }
    }

    fn look(&mut self, case: u64, operations: &[Operation], answers: &str) {
        let mismatch = compare::compare(&self.env, operations, answers, &mut self.totals);
        if mismatch.is_none() || self.failures.len() >= MOST_FAILURES {
            return;
        }
        let (env, session) = (&self.env, &mut *self.session);
        let mut ask = |operations: &[Operation]| {
            let lines = [exchange::lines(operations, env)];
            let answers = exchange::ask(session, &lines).ok()?;
            compare::compare(env, operations, &answers[0], &mut Totals::default())
        };
        let smaller = shrink::shrink(operations.to_vec(), |part| ask(part).is_some());
        let (operations, mismatch) = match ask(&smaller) {
            Some(mismatch) => (smaller, Some(mismatch)),
            None => (operations.to_vec(), mismatch),
        };
        let report = mismatch.map(|mismatch| self.report(case, &operations, &mismatch));
        self.failures.extend(report);
    }

    fn report(&self, case: u64, operations: &[Operation], mismatch: &Mismatch) -> String {
        let mut report = self.title(case);
        for (place, operation) in operations.iter().enumerate() {
            let mark = if place == mismatch.place { ">" } else { " " };
            let line = describe::operation(operation, &self.env);
            let _ = write!(report, "\n  {mark} {line}");
        }
        let Mismatch {
            expected, answer, ..
        } = mismatch;
        let _ = write!(report, "\n  expected {expected}\n  but got  {answer}");
        report
    }

    /// Returns the name of a case, with the command line that repeats it.
    fn title(&self, case: u64) -> String {
        let (seed, make) = (self.seed, config().make("fuzz"));
        format!("case {case} of seed {seed}: {make} SEED={seed} ONLY={case}")
    }

    /// Runs the cases one by one and returns the first with complaints of the guest, if
    /// they occur again.
    fn culprit(&mut self, first: u64, lines: &[String]) -> String {
        for (case, lines) in (first..).zip(lines) {
            let _ = exchange::ask(self.session, std::slice::from_ref(lines));
            if !self.session.faults().is_empty() {
                return self.title(case);
            }
        }
        let cases = lines.len();
        format!(
            "one of {cases} cases of seed {} from {first} on, and not again:",
            self.seed
        )
    }
}
