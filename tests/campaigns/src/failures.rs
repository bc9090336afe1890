// SPDX-License-Identifier: GPL-2.0

//! Fault injection: on the debug kernel each allocation of memory fails, one at a time. After that
//! the driver is loaded anew, and every box must count a burst exactly.
//!
//! Documentation/development/failures.rst says more.

mod memory;

use crate::panic_context::PanicContext;
use crate::table::Table;
use memory::{Walk, Walks};
use std::time::Duration;
use uncore_e2e::fixture::samples;
use uncore_e2e::prelude::*;

/// Failed cases after which a run ends, because more of them would repeat the same
/// failure.
const MOST_FAULTS: usize = 10;
/// Time limit of a command: hundreds of loads that fail, each later than the one before.
const PATIENCE: Duration = Duration::from_secs(900);
/// Uncore cycles of a burst; each event counts a different number of events in it.
const BURST: u64 = 1_000_000;
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

/// A run over all faults, or over some of them.
pub struct Failures<'a> {
    session: &'a mut Session,
    /// Parts of the titles of the selected faults.
    only: Vec<String>,
    walks: Walks,
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
            walks: Walks::default(),
            done: 0,
            faults: Vec::new(),
        }
    }

    /// Returns the unexpected outcomes, each with the command line that repeats it.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    /// Returns the number of walks over allocations so far.
    pub fn done(&self) -> usize {
        self.done
    }

    /// Returns a table of the outcomes so far.
    pub fn table(&self) -> Table {
        self.walks.table()
    }

    /// Injects each fault, with its title given to `progress` first. Stops after some
    /// failed cases.
    pub fn run(&mut self, mut progress: impl FnMut(&str)) {
        assert_eq!(
            config().flavour,
            Flavour::Debug,
            "only it fails allocations"
        );
        self.session.hurry(true);
        self.session.ok(&load());
        for walk in memory::all() {
            self.case(&walk, &mut progress);
        }
        self.session.ok(UNLOAD);
        self.session.hurry(false);
        let lost = self.session.leaks();
        if !lost.is_empty() {
            self.faults.push(format!("memory is lost: {lost}"));
        }
    }

    /// Takes one walk on a machine with the driver loaded, and loads the driver anew at
    /// the end.
    fn case(&mut self, walk: &Walk, progress: &mut impl FnMut(&str)) {
        let title = walk.title();
        let wanted = |text: &String| title.contains(text.as_str());
        if self.faults.len() >= MOST_FAULTS {
            return;
        }
        if !self.only.is_empty() && !self.only.iter().any(wanted) {
            return;
        }
        progress(&title);
        self.done += 1;
        let context = PanicContext(format!("{title}: {}", make_line(&title)));
        let mut faults = walk.take(self.session, &mut self.walks);
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

    /// Loads the driver anew and returns the wrong counts of all boxes.
    fn miscounts(&mut self) -> Vec<String> {
        self.session.ok(&format!("{UNLOAD} && {}", load()));
        let wanted = Wanted::all(samples());
        self.session.mismatches(BURST, &PACKAGES, &wanted)
    }
}

/// Returns the command line that repeats a case.
fn make_line(title: &str) -> String {
    format!("{} ONLY='{title}'", config().make("failures"))
}
