// SPDX-License-Identifier: GPL-2.0

//! Each kind of bad request is refused with its errno and a sentence that
//! names the PMU and the offending part.
//!
//! Some requests are listed one by one, most are made from the catalogue and
//! the fields: every bit that no field owns, every event and umask bit that
//! does not exist, every filter on every event that takes none, every event
//! with an edge but no threshold and with a threshold that it cannot reach.
//! They bypass perf, which would complain (or correct them) itself.

mod counting;
mod events;
mod filters;
mod intervals;
mod listed;
mod perf;
mod reserved;

use std::collections::BTreeSet;
use std::fmt::{Display, Write as _};
use uncore_e2e::prelude::*;

/// Number of refusals that the driver remembers; as many requests are made at a time.
const REMEMBERED: usize = 60;

/// A request, what the kernel must say, and words of the driver's reason.
#[derive(Clone, Debug)]
struct Refusal {
    unit: String,
    request: String,
    errno: &'static str,
    reason: Vec<String>,
}

impl Refusal {
    /// Returns a request that is refused as invalid (EINVAL).
    fn bad(unit: &str, request: impl Display, reason: &[&str]) -> Self {
        Self {
            unit: unit.to_owned(),
            request: request.to_string(),
            errno: "EINVAL",
            reason: reason.iter().map(|&word| word.to_owned()).collect(),
        }
    }

    /// Returns a request that is refused as unsupported (EOPNOTSUPP).
    fn unsupported(unit: &str, request: &str, reason: &[&str]) -> Self {
        Self {
            errno: "EOPNOTSUPP",
            ..Self::bad(unit, request, reason)
        }
    }

    /// Returns the step of `perf-open` that makes the request.
    fn step(&self) -> String {
        format!("open bad pmu=ivbep_uncore_{} {}", self.unit, self.request)
    }

    /// Returns the error in the answer or in the reason, if there is any.
    fn verdict(&self, answer: &str, said: &str) -> Option<String> {
        let Self {
            unit,
            request,
            errno,
            reason,
        } = self;
        if answer != format!("bad {errno}") {
            return Some(format!("{unit} {request}: `{answer}`, not {errno}"));
        }
        let says = |word: &String| said.contains(word.as_str());
        let named = said.contains(&format!("{unit}: ")) && said.contains(errno);
        let explained = named && reason.iter().all(says);
        (!explained).then(|| format!("{unit} {request}: {reason:?} not in `{said}`"))
    }
}

/// Returns every request that must be refused, once: the driver does not remember a
/// repetition by itself. The event codes of the residency counters are read from the
/// driver, since no manual gives them any.
fn all(session: &mut Session) -> Vec<Refusal> {
    let pcu = BoxKind::Pcu.pmu(0);
    let taken = Residency::ALL.map(|residency| session.event_config(&pcu, residency.event()));
    let mut all = [
        listed::refusals(),
        reserved::refusals(),
        events::refusals(&taken),
        filters::refusals(),
        counting::refusals(),
        intervals::refusals(),
    ]
    .concat();
    let mut steps = BTreeSet::new();
    all.retain(|refusal| steps.insert(refusal.step()));
    all
}

/// Makes all requests and returns their number.
pub(super) fn sweep(session: &mut Session, wrong: &mut Vec<String>) -> usize {
    let all = all(session);
    for some in all.chunks(REMEMBERED) {
        let mut command = "perf-open".to_owned();
        for refusal in some {
            let _ = write!(command, " '{}'", refusal.step());
        }
        let _ = write!(
            command,
            " && tail -n {} /sys/kernel/debug/uncore_rs/rejections",
            some.len()
        );
        let output = session.ok(&command);
        let lines: Vec<&str> = output.lines().collect();
        let (answers, said) = lines.split_at(lines.len().min(some.len()));
        let reasons: Vec<&str> = said.iter().flat_map(each_time).collect();
        if reasons.len() < some.len() {
            wrong.push(format!("not an answer and a reason each: {output}"));
            continue;
        }
        let reasons = &reasons[reasons.len() - some.len()..];
        let answered = some.iter().zip(answers.iter().zip(reasons));
        wrong
            .extend(answered.filter_map(|(refusal, (answer, said))| refusal.verdict(answer, said)));
    }
    all.len()
}

/// Repeats a line as often as the reason was given: the driver merges equal reasons in a
/// row into one line with their number.
fn each_time<'a>(line: &&'a str) -> impl Iterator<Item = &'a str> {
    let times = line
        .strip_suffix(" times")
        .and_then(|line| line.rsplit_once("] "))
        .and_then(|(_, times)| times.parse().ok());
    std::iter::repeat_n(*line, times.unwrap_or(1))
}

/// Rows that can be opened alone.
fn rows() -> impl Iterator<Item = &'static Row> {
    let rows = Catalogue::get().rows().iter();
    rows.filter(|row| !row.needs.occupancy && row.name().is_some())
}

/// Returns a good request for the row, to which a test adds an error.
fn good(row: &Row) -> Words {
    let filter = Filter {
        opc: 0x182,
        nid: 1,
        address: 0x40,
        home_opcode: 0x01,
        bands: [0x10; 4],
        ..Filter::default()
    };
    let probe = Probe::of_row(row, 0, &filter);
    probe.expect("a row with a name").words()
}
