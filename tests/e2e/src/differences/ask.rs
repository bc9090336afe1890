// SPDX-License-Identifier: GPL-2.0

//! Access to either driver by the same names, though their PMUs have different ones.

use crate::fixture::probe::{Probe, Words};
use crate::fixture::{Session, DEVICES};
use crate::perf::{Event, Place, Stat, Table};
use crate::platform::Platform;
use uncore_runner::Driver;

/// Cycles of traffic for a question.
pub(crate) const BURST: u64 = 1_000_000;

/// Answer of a driver that refuses the event.
pub(crate) const REFUSED: &str = "refused";

/// Answer of a driver that has no such PMU.
pub(crate) const NO_PMU: &str = "no PMU";

/// A machine with one of the drivers.
pub(crate) struct Asked<'a> {
    /// The machine.
    pub(crate) session: &'a mut Session,
    driver: Driver,
}

impl<'a> Asked<'a> {
    pub(crate) fn new(session: &'a mut Session, driver: Driver) -> Self {
        Self { session, driver }
    }

    /// Returns the name of a PMU from the part that both drivers share, for example
    /// `cbox_0`.
    pub(crate) fn pmu(&self, unit: &str) -> String {
        match self.driver {
            Driver::IntelUncore => format!("uncore_{unit}"),
            _ => Platform::current().pmu(unit),
        }
    }

    /// Returns the number of PMUs whose names begin with that of `unit`.
    pub(crate) fn pmus(&mut self, unit: &str) -> usize {
        let pmu = self.pmu(unit);
        let listed = self.session.ok(&format!("ls {DEVICES}"));
        listed.lines().filter(|name| name.starts_with(&pmu)).count()
    }

    /// Loads the driver for a question.
    pub(crate) fn while_loaded(&mut self, ask: impl Fn(&mut Self) -> String) -> String {
        self.session.load(self.driver, &[]);
        let answer = ask(self);
        self.session.unload(self.driver);
        answer
    }

    /// Returns the count of the first event that a driver programs on a box.
    pub(crate) fn first(&mut self, probe: &Probe) -> String {
        self.while_loaded(|asked| asked.count(probe))
    }

    /// Returns the count that a burst adds to an event in package 0.
    pub(crate) fn count(&mut self, probe: &Probe) -> String {
        self.counts(std::slice::from_ref(probe), false)
    }

    /// Returns the counts of a burst for several events of a box, side by side or as a group.
    pub(crate) fn counts(&mut self, probes: &[Probe], group: bool) -> String {
        let unit = probes[0].kind.box_name(probes[0].instance);
        let events: Vec<Words> = probes.iter().map(Probe::words).collect();
        self.of_words(&unit, &events, group)
    }

    /// Returns the counts of a burst for a group of one event, several times.
    pub(crate) fn group_of(&mut self, times: usize, probe: &Probe) -> String {
        self.counts(&vec![probe.clone(); times], true)
    }

    /// Returns the count that a burst adds to an event that is given by its config words.
    pub(crate) fn raw(&mut self, unit: &str, words: [u64; 3]) -> String {
        self.of_words(unit, &[Words(words)], false)
    }

    fn of_words(&mut self, unit: &str, events: &[Words], group: bool) -> String {
        let pmu = self.pmu(unit);
        let mut steps = Vec::new();
        for (index, words) in events.iter().enumerate() {
            let leader = if group && index > 0 {
                " group=event0"
            } else {
                ""
            };
            steps.push(format!("open event{index} pmu={pmu} {words} cpu=0{leader}"));
        }
        steps.push(format!("burst {BURST}"));
        steps.extend((0..events.len()).map(|index| format!("read event{index}")));
        let quoted: Vec<String> = steps.iter().map(|step| format!("'{step}'")).collect();
        let output = self.session.run(&format!("perf-open {}", quoted.join(" ")));
        let answers: Vec<&str> = output.stdout.lines().collect();
        if answers.is_empty() {
            return NO_PMU.to_owned();
        }
        let (opened, read) = answers.split_at(events.len().min(answers.len()));
        if opened.iter().any(|answer| !answer.ends_with(" ok")) {
            return REFUSED.to_owned();
        }
        let value = |answer: &&str| answer.split(' ').nth(1).unwrap_or("?").to_owned();
        read.iter().map(value).collect::<Vec<_>>().join(", ")
    }

    /// Returns the value that perf shows for an event, given by its terms, in package 0.
    pub(crate) fn perf(&mut self, unit: &str, terms: &str) -> String {
        let event = Event::new(self.pmu(unit), terms).named("asked");
        self.typed(&event.to_string(), "asked")
    }

    /// Returns the value that perf shows for an event of its own list, in package 0.
    pub(crate) fn perfs_own(&mut self, name: &str) -> String {
        self.typed(name, name)
    }

    /// Returns the value that perf shows for an event as a user types it.
    fn typed(&mut self, typed: &str, name: &str) -> String {
        let stat = Stat::burst(BURST).option("--per-socket").typed(typed);
        let output = self.session.run(&stat.json());
        if output.status != 0 || output.stderr.contains("<not supported>") {
            return REFUSED.to_owned();
        }
        let table = Table::parse(&output.stderr).unwrap_or_else(|error| panic!("{error}"));
        let line = table.at(name, Place::Socket(0));
        let value = line.ok().and_then(|line| line.exact(1.0));
        value.map_or_else(|| "not counted".to_owned(), |value| value.to_string())
    }
}

/// Returns the right count of a probe in package 0.
pub(crate) fn right(probe: &Probe) -> String {
    probe.count(0, BURST).to_string()
}
