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
pub(crate) mod listed;
mod registers;
mod reserved;
mod sub_registers;

use crate::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Display;

/// Number of refusals that the driver remembers.
pub const REMEMBERED: usize = 60;

/// A request, what the kernel must say, and words of the driver's reason.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// Name of the box.
    pub unit: String,
    /// The request, in the words of `perf-open`.
    pub request: String,
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

    /// Returns what is wrong with an errno and the driver's sentence, if anything is.
    pub fn mismatch(&self, answer: &str, said: &str) -> Option<String> {
        let Self {
            unit,
            request,
            errno,
            reason,
        } = self;
        if answer != *errno {
            return Some(format!("{unit} {request}: `{answer}`, not {errno}"));
        }
        let says = |word: &String| said.contains(word.as_str());
        let named = said.contains(&format!("{unit}: ")) && said.contains(errno);
        let explained = named && reason.iter().all(says);
        (!explained).then(|| format!("{unit} {request}: {reason:?} not in `{said}`"))
    }
}

/// Returns every request that must be refused, once. `taken` are the `config` words of
/// events of counters that always run, since no manual gives them any.
pub fn refusals(taken: &[(BoxKind, u64)]) -> Vec<Refusal> {
    let mut all = [
        listed::refusals(),
        reserved::refusals(),
        events::refusals(taken),
        filters::refusals(),
        registers::refusals(),
        sub_registers::refusals(),
        counting::refusals(),
        intervals::refusals(),
    ]
    .concat();
    let mut known = BTreeSet::new();
    all.retain(|refusal| known.insert((refusal.unit.clone(), refusal.request.clone())));
    all
}

/// Returns the last `count` sentences of the driver, from the last lines of its file; `None`
/// if there are fewer. Equal sentences in a row are one line there, with their number.
pub fn sentences<'a>(lines: &[&'a str], count: usize) -> Option<Vec<&'a str>> {
    let all: Vec<&str> = lines.iter().flat_map(each_time).collect();
    let first = all.len().checked_sub(count)?;
    Some(all[first..].to_vec())
}

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
        config1: 1 << 43 | 0x80,
        config2: 1,
    };
    let probe = Probe::of_row(row, 0, &filter);
    probe.expect("a row with a name").words()
}
