// SPDX-License-Identifier: GPL-2.0

//! Loads and unloads of the driver, many times, each time with an event open: unloading
//! must be refused until the event is closed, and must not disturb the event.

use super::baseline::{self, quarters, LOAD};
use super::{make_line, BURST};
use crate::table::Table;
use serde_json::json;
use uncore_e2e::fixture::{reads, samples, Session};
use uncore_runner::{MODULE, UNLOAD};

/// Number of loads between two readings of the memory.
const LOOK: u64 = 50;

/// Results of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reloads {
    /// Number of loads and unloads.
    pub done: u64,
    /// Number of refused unloads, one expected for each load.
    pub refused: u64,
    /// The kernel's memory at each reading, in KiB.
    pub memory: Vec<u64>,
    /// Faults of the run.
    pub faults: Vec<String>,
}

impl Reloads {
    /// Returns a table of the loads and of the memory.
    pub fn table(&self) -> Table {
        let (settled, last) = quarters(&self.memory).unzip();
        let head = [
            "loads",
            "unloads refused",
            "KiB, second quarter",
            "KiB, last quarter",
        ];
        let row = [
            json!(self.done),
            json!(self.refused),
            json!(settled),
            json!(last),
        ];
        Table::new("loads with an event open", head, [row])
    }

    /// Loads and unloads the driver this many times, and reports the number done to
    /// `progress` now and then.
    pub fn run(session: &mut Session, times: u64, mut progress: impl FnMut(u64)) -> Self {
        let mut reloads = Self::default();
        session.ok(UNLOAD);
        session.hurry(true);
        while reloads.done < times && reloads.faults.is_empty() {
            let turns = LOOK.min(times - reloads.done);
            reloads.some(session, turns);
            reloads.memory.push(baseline::memory(session));
            progress(reloads.done);
        }
        session.hurry(false);
        session.ok(LOAD);
        reloads.faults.extend(baseline::growth(&reloads.memory));
        reloads.faults.extend(baseline::lost(session));
        for fault in &mut reloads.faults {
            let line = make_line(&format!("MINUTES=0 RELOADS={times}"));
            *fault = format!("{fault}: {line}");
        }
        reloads
    }

    fn some(&mut self, session: &mut Session, turns: u64) {
        let probes: Vec<_> = samples().collect();
        let first = usize::try_from(self.done).unwrap_or(0);
        let mut probes = probes.iter().cycle().skip(first);
        let mut steps = Vec::new();
        let mut expected = Vec::new();
        for probe in probes.by_ref().take(usize::try_from(turns).unwrap_or(0)) {
            steps.extend([
                format!("load {MODULE}"),
                probe.open("event", 0),
                format!("burst {BURST}"),
                "busy uncore_rs".to_owned(),
                format!("burst {BURST}"),
                "read event".to_owned(),
                "close event".to_owned(),
                "unload uncore_rs".to_owned(),
            ]);
            expected.push((probe, 2 * probe.count(0, BURST)));
        }
        let steps: Vec<String> = steps.iter().map(|step| format!("'{step}'")).collect();
        let output = session.run(&format!("perf-open {}", steps.join(" ")));
        if output.status != 0 {
            self.faults.push(output.stderr);
        }
        let answers: Vec<String> = output.stdout.lines().map(str::to_owned).collect();
        let reads = reads(&answers, "event");
        for (index, (probe, count)) in expected.iter().enumerate() {
            let read = reads.get(index).copied().flatten();
            if read == Some(*count) {
                self.refused += 1;
                self.done += 1;
            } else {
                self.faults
                    .push(format!("{}: {read:?}, not {count}", probe.event()));
            }
        }
        let complaints = session.faults();
        if !complaints.is_empty() {
            self.faults.push(complaints.to_string());
        }
    }
}
