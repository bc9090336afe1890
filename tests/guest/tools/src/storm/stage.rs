// SPDX-License-Identifier: GPL-2.0

//! The stage of the actors: their shared state, their results, and the check for
//! actors that hang.

use super::bursts::Bursts;
use super::step::Step;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// An action and its result.
pub(super) type Outcome = (&'static str, String);

/// Time between two checks for actors that hang.
const TICK: Duration = Duration::from_millis(200);
/// Time of the guest's clock after which a step is late and the clock is not moved
/// on.
const LATE: Duration = Duration::from_secs(10);

/// The plan from the host: `for MS`, `patience MS`, and actors with their steps,
/// each after a line `actor NAME`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Plan {
    time: Duration,
    patience: Duration,
    actors: Vec<(String, Vec<Step>)>,
}

impl FromStr for Plan {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut plan = Self::default();
        for line in text.lines() {
            let wrong = || format!("`{line}` is out of place");
            let milliseconds = |word: &str| word.parse().map(Duration::from_millis);
            match line.split_once(' ') {
                Some(("for", time)) => plan.time = milliseconds(time).map_err(|_| wrong())?,
                Some(("patience", time)) => {
                    plan.patience = milliseconds(time).map_err(|_| wrong())?;
                }
                Some(("actor", name)) => plan.actors.push((name.to_owned(), Vec::new())),
                _ => {
                    let (_, steps) = plan.actors.last_mut().ok_or_else(wrong)?;
                    steps.push(line.parse()?);
                }
            }
        }
        Ok(plan)
    }
}

/// The state that all actors share.
#[derive(Debug)]
pub struct Stage {
    pub(super) bursts: Bursts,
    end: Instant,
    skipped: AtomicU64,
    late: AtomicBool,
    /// Number of occurrences by actor, action and result.
    tally: Mutex<BTreeMap<(String, &'static str, String), u64>>,
    /// Step of each actor, and the time of its begin.
    doing: Vec<Mutex<Option<(Instant, Step)>>>,
}

impl Stage {
    /// Plays the plan until its time is up and every actor has finished its step.
    /// Returns the results, or the actor that hangs. Fails if a step takes longer than
    /// patience lasts.
    pub fn play(plan: &Plan) -> Result<String, String> {
        // The threads of hanging actors cannot be waited for: they outlive this
        // function.
        let stage: &'static Self = Box::leak(Box::new(Self {
            bursts: Bursts::default(),
            end: Instant::now() + plan.time,
            skipped: AtomicU64::new(0),
            late: AtomicBool::new(false),
            tally: Mutex::default(),
            doing: plan.actors.iter().map(|_| Mutex::default()).collect(),
        }));
        let begin = Instant::now();
        let mut threads = Vec::new();
        for (number, (name, steps)) in plan.actors.iter().cloned().enumerate() {
            threads.push(thread::spawn(move || stage.act(number, &name, &steps)));
        }
        while !threads.iter().all(thread::JoinHandle::is_finished) {
            thread::sleep(TICK);
            let longest = stage.longest();
            let lasts = longest.as_ref().map_or(Duration::ZERO, |(lasts, _)| *lasts);
            stage.late.store(lasts > LATE, Ordering::SeqCst);
            if let Some((lasts, step)) = longest.filter(|_| lasts > plan.patience) {
                return Err(format!("since {} s: {step:?}", lasts.as_secs()));
            }
        }
        for thread in threads {
            thread.join().map_err(|_| "an actor has panicked")?;
        }
        Ok(stage.report(begin.elapsed()))
    }

    /// Reports in the kernel's log which actor hangs, and makes the kernel show all
    /// blocked tasks.
    pub fn complain(reason: &str) {
        for (path, text) in [
            ("/dev/kmsg", format!("storm: {reason}\n")),
            ("/proc/sysrq-trigger", "w".to_owned()),
        ] {
            let file = OpenOptions::new().write(true).open(path);
            let _ = file.and_then(|mut file| file.write_all(text.as_bytes()));
        }
    }

    /// Tells if a step is so late that the clock should not be moved on.
    pub(super) fn somebody_is_late(&self) -> bool {
        self.late.load(Ordering::SeqCst)
    }

    pub(super) fn add_skipped(&self, milliseconds: u64) {
        self.skipped.fetch_add(milliseconds, Ordering::SeqCst);
    }

    fn act(&self, number: usize, name: &str, steps: &[Step]) {
        for step in steps.iter().cycle() {
            if Instant::now() >= self.end {
                break;
            }
            self.note(number, Some((Instant::now(), step.clone())));
            let outcomes = step.take(self);
            self.note(number, None);
            let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
            for (what, outcome) in outcomes {
                *tally.entry((name.to_owned(), what, outcome)).or_default() += 1;
            }
        }
    }

    fn note(&self, number: usize, doing: Option<(Instant, Step)>) {
        let place = &self.doing[number];
        *place.lock().unwrap_or_else(PoisonError::into_inner) = doing;
    }

    /// Returns the step that takes longest, and its time so far.
    fn longest(&self) -> Option<(Duration, Step)> {
        let now = |place: &Mutex<Option<(Instant, Step)>>| {
            let doing = place.lock().unwrap_or_else(PoisonError::into_inner);
            let (since, step) = doing.as_ref()?;
            Some((since.elapsed(), step.clone()))
        };
        let all = self.doing.iter().filter_map(now);
        all.max_by_key(|(lasts, _)| *lasts)
    }

    /// Returns a line for each result, with tabs: actor, action, result,
    /// occurrences; then the time it took and the part that was skipped.
    fn report(&self, time: Duration) -> String {
        let tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        let mut report = String::new();
        for ((actor, what, outcome), times) in tally.iter() {
            let _ = writeln!(report, "{actor}\t{what}\t{outcome}\t{times}");
        }
        let skipped = self.skipped.load(Ordering::SeqCst);
        let _ = writeln!(report, "time\t{}\t{skipped}", time.as_millis());
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_played_until_its_time_is_up() {
        let plan =
            "for 30\npatience 60000\nactor a\npause 1\nlook /\nactor b\nlook /nowhere\npause 1";
        let report = Stage::play(&plan.parse().expect("a plan")).expect("nobody hangs");
        let lines: Vec<&str> = report.lines().collect();
        assert!(lines[0].starts_with("a\tlook\tdone\t"), "{report}");
        assert!(lines[1].starts_with("b\tlook\tgone\t"), "{report}");
        assert!(lines[2].starts_with("time\t"), "{report}");
    }

    #[test]
    fn who_hangs_is_told() {
        let plan = "for 10\npatience 300\nactor a\npause 60000";
        let hangs = Stage::play(&plan.parse().expect("a plan")).expect_err("a hang");
        assert!(hangs.contains("Pause(60000)"), "{hangs}");
    }

    #[test]
    fn mistakes_are_told() {
        for wrong in ["pause 1", "for ever", "actor a\ndance"] {
            assert!(wrong.parse::<Plan>().is_err(), "{wrong}");
        }
    }
}
