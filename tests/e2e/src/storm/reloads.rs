// SPDX-License-Identifier: GPL-2.0

//! The driver loaded and unloaded many times, each time with an event open: it must not
//! go before that is closed, and the event must not notice.

use super::calm::{self, LOAD};
use super::{make_line, BURST};
use crate::fixture::{reads, samples, Session};
use crate::{MODULE, UNLOAD};

/// Loads from one look at the memory to the next.
const LOOK: u64 = 50;

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reloads {
    /// How often the driver was loaded and unloaded.
    pub done: u64,
    /// How often unloading was refused, as it should be.
    pub refused: u64,
    /// The kernel's memory from time to time, in KiB.
    pub memory: Vec<u64>,
    /// What went wrong.
    pub faults: Vec<String>,
}

impl Reloads {
    /// Loads and unloads it so many times, and tells now and then how many are done.
    #[must_use]
    pub fn run(session: &mut Session, times: u64, mut progress: impl FnMut(u64)) -> Self {
        let mut reloads = Self::default();
        session.ok(UNLOAD);
        session.hurry(true);
        while reloads.done < times && reloads.faults.is_empty() {
            let turns = LOOK.min(times - reloads.done);
            reloads.some(session, turns);
            reloads.memory.push(calm::memory(session));
            progress(reloads.done);
        }
        session.hurry(false);
        session.ok(LOAD);
        reloads.faults.extend(calm::growth(&reloads.memory));
        reloads.faults.extend(calm::lost(session));
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
                "busy ivbep_uncore".to_owned(),
                format!("burst {BURST}"),
                "read event".to_owned(),
                "close event".to_owned(),
                "unload ivbep_uncore".to_owned(),
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
