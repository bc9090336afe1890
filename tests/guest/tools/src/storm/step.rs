// SPDX-License-Identifier: GPL-2.0

//! The steps of an actor.

use super::bursts::Range;
use super::stage::{Outcome, Stage};
use super::stat;
use crate::event::{self, errno_name, pmu_type, Attr};
use crate::{hypercall, power};
use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io::{Error, Write as _};
use std::path::Path;
use std::str::FromStr;
use std::thread::sleep;
use std::time::Duration;

/// File with the depth of a suspension.
const DEPTH: &str = "/sys/power/pm_test";
/// Directory of the tracepoints' numbers, if tracefs is mounted, and the type of
/// their events.
const TRACEPOINTS: &str = "/sys/kernel/tracing/events";
const TRACEPOINT: u32 = 2;
/// Places of config, config1 and config2 in an attribute.
const CONFIG_WORDS: [usize; 3] = [1, 7, 8];

/// One step, in the host's text form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// `write FILE TEXT`
    Write(String, String),
    /// `load FILE`
    Load(String),
    /// `unload MODULE`
    Unload(String),
    /// `event PMU CPU MS EACH exact|loose CONFIG CONFIG1 CONFIG2`
    Event(Event),
    /// `tracepoint SYSTEM/NAME CPU`: opens an event of the tracepoint and closes it
    Tracepoint(String, i32),
    /// `stat MS EVENTS`
    Stat(u64, String),
    /// `burst CYCLES`
    Burst(u64),
    /// `skip MS`, unless an actor is late
    Skip(u64),
    /// `machine COMMAND`
    Machine(String),
    /// `suspend LEVEL STATE`: suspends up to this level and resumes
    Suspend(String, String),
    /// `look PATH`: reads it, or all files in it
    Look(String),
    /// `pause MS`
    Pause(u64),
}

/// An event that is opened, held for a while and read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Event {
    pmu: String,
    cpu: i32,
    hold: u64,
    /// The increment of a burst; 0 if unknown.
    each: u64,
    /// True if no burst may be missing while the event is reported as running.
    exact: bool,
    config: [u64; 3],
}

impl FromStr for Step {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let step = line.split_once(' ').and_then(|(verb, rest)| {
            let pair = || rest.split_once(' ');
            Some(match verb {
                "write" => Self::Write(pair()?.0.to_owned(), pair()?.1.to_owned()),
                "load" => Self::Load(rest.to_owned()),
                "unload" => Self::Unload(rest.to_owned()),
                "event" => Self::Event(Event::parse(rest)?),
                "tracepoint" => Self::Tracepoint(pair()?.0.to_owned(), pair()?.1.parse().ok()?),
                "stat" => Self::Stat(pair()?.0.parse().ok()?, pair()?.1.to_owned()),
                "burst" => Self::Burst(rest.parse().ok()?),
                "skip" => Self::Skip(rest.parse().ok()?),
                "machine" => Self::Machine(rest.to_owned()),
                "suspend" => Self::Suspend(pair()?.0.to_owned(), pair()?.1.to_owned()),
                "look" => Self::Look(rest.to_owned()),
                "pause" => Self::Pause(rest.parse().ok()?),
                _ => return None,
            })
        });
        step.ok_or_else(|| format!("`{line}` is no step"))
    }
}

impl Step {
    /// Takes the step; returns each action with its result.
    pub(super) fn take(&self, stage: &Stage) -> Vec<Outcome> {
        match self {
            Self::Write(path, text) => vec![("write", said(write(path, text)))],
            Self::Load(path) => vec![("load", said(load(path)))],
            Self::Unload(module) => vec![("unload", said(unload(module)))],
            Self::Event(event) => event.take(stage),
            Self::Tracepoint(name, cpu) => vec![("tracepoint", said(trace(name, *cpu)))],
            Self::Stat(milliseconds, events) => stat::run(*milliseconds, events, &stage.bursts),
            Self::Burst(cycles) => vec![("burst", obeyed(stage.bursts.pass(*cycles)))],
            Self::Skip(milliseconds) => skip(*milliseconds, stage),
            Self::Machine(command) => {
                vec![("machine", obeyed(hypercall::command(command).map(drop)))]
            }
            Self::Suspend(level, target) => vec![("suspend", said(suspend(level, target)))],
            Self::Look(path) => vec![("look", look(Path::new(path)).to_owned())],
            Self::Pause(milliseconds) => {
                sleep(Duration::from_millis(*milliseconds));
                Vec::new()
            }
        }
    }
}

impl Event {
    fn parse(words: &str) -> Option<Self> {
        let words: Vec<&str> = words.split(' ').collect();
        let [pmu, cpu, hold, each, bounds, config @ ..] = &words[..] else {
            return None;
        };
        let hex = |word: &&str| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok();
        let config: Option<Vec<u64>> = config.iter().map(hex).collect();
        Some(Self {
            pmu: (*pmu).to_owned(),
            cpu: cpu.parse().ok()?,
            hold: hold.parse().ok()?,
            each: each.parse().ok()?,
            exact: match *bounds {
                "exact" => true,
                "loose" => false,
                _ => return None,
            },
            config: config?.try_into().ok()?,
        })
    }

    fn take(&self, stage: &Stage) -> Vec<Outcome> {
        let opening = stage.bursts.now();
        let Ok(number) = pmu_type(&self.pmu) else {
            return vec![("open", "no PMU".to_owned())];
        };
        let mut attr = Attr::new();
        attr.set_type(number);
        for (word, bits) in CONFIG_WORDS.into_iter().zip(self.config) {
            attr.set(word, bits);
        }
        let file = match attr.open(-1, self.cpu, -1) {
            Ok(file) => file,
            Err(error) => return vec![("open", self.refused(number, &error))],
        };
        // The module stays from here on; before that its number may have gone to
        // another PMU.
        if pmu_type(&self.pmu) != Ok(number) {
            return vec![("open", "another PMU".to_owned())];
        }
        let open = stage.bursts.now();
        sleep(Duration::from_millis(self.hold));
        let reading = stage.bursts.now();
        let words = event::read::<3>(&file);
        let read = stage.bursts.now();
        let range = Range::between([opening, open, reading, read]);
        vec![
            ("open", "done".to_owned()),
            ("count", self.judge(&words, range)),
        ]
    }

    /// Returns the reason why the event was not opened.
    fn refused(&self, number: u32, error: &Error) -> String {
        let errno = errno_name(error);
        match pmu_type(&self.pmu) {
            Ok(now) if now == number => errno,
            _ => format!("{errno}, the PMU has gone"),
        }
    }

    fn judge(&self, words: &Result<Vec<u64>, Error>, range: Range) -> String {
        let (count, enabled, running) = match words.as_deref() {
            Ok(&[count, enabled, running]) => (count, enabled, running),
            Ok(words) => return format!("wrong: {} words", words.len()),
            Err(error) => return errno_name(error),
        };
        if running > enabled {
            return format!("wrong: {running} ns of {enabled}: {self:?}");
        }
        if self.each == 0 {
            return "of a broken box".to_owned();
        }
        let throughout = running == enabled;
        match range.check(count, self.each, throughout && self.exact) {
            Ok(0) => "nothing".to_owned(),
            Ok(_) if throughout => "whole bursts, all the time".to_owned(),
            Ok(_) => "whole bursts, part of the time".to_owned(),
            Err(error) => format!("wrong: {error}: {self:?}"),
        }
    }
}

fn write(path: &str, text: &str) -> Result<(), Error> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    file.write_all(text.as_bytes())
}

fn trace(name: &str, cpu: i32) -> Result<(), Error> {
    let id = fs::read_to_string(format!("{TRACEPOINTS}/{name}/id"))?;
    let id = id.trim().parse().map_err(Error::other)?;
    let mut attr = Attr::new();
    attr.set_type(TRACEPOINT);
    attr.set(CONFIG_WORDS[0], id);
    attr.open(-1, cpu, -1).map(drop)
}

fn suspend(level: &str, state: &str) -> Result<(), Error> {
    write(DEPTH, level)?;
    power::suspend(state)
}

fn load(path: &str) -> Result<(), Error> {
    Ok(rustix::system::finit_module(File::open(path)?, c"", 0)?)
}

fn unload(module: &str) -> Result<(), Error> {
    let name = CString::new(module)?;
    Ok(rustix::system::delete_module(&name, libc::O_NONBLOCK)?)
}

fn skip(milliseconds: u64, stage: &Stage) -> Vec<Outcome> {
    if stage.somebody_is_late() {
        return Vec::new();
    }
    let skipped = hypercall::command(&format!("skip {milliseconds}"));
    if skipped.is_ok() {
        stage.add_skipped(milliseconds);
    }
    vec![("skip", obeyed(skipped.map(drop)))]
}

/// Files that go while they are read are none to complain of.
fn look(path: &Path) -> &'static str {
    let Ok(entries) = fs::read_dir(path) else {
        return match fs::read(path) {
            Ok(_) => "done",
            Err(_) => "gone",
        };
    };
    for entry in entries.flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_file()) {
            let _ = fs::read(entry.path());
        }
    }
    "done"
}

fn said(result: Result<(), Error>) -> String {
    result.map_or_else(|error| errno_name(&error), |()| "done".to_owned())
}

fn obeyed(result: Result<(), hypercall::Error>) -> String {
    result.map_or_else(|error| error.to_string(), |()| "done".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_read() {
        let step = |line: &str| line.parse::<Step>();
        let text = Step::Write("/a".to_owned(), "b c".to_owned());
        assert_eq!(step("write /a b c"), Ok(text));
        assert_eq!(step("pause 7"), Ok(Step::Pause(7)));
        let tracepoint = Step::Tracepoint("a/b".to_owned(), 2);
        assert_eq!(step("tracepoint a/b 2"), Ok(tracepoint));
        let event = Event {
            pmu: "p".to_owned(),
            cpu: 2,
            hold: 30,
            each: 44,
            exact: true,
            config: [1, 2, 0xf],
        };
        let line = "event p 2 30 44 exact 0x1 0x2 0xf";
        assert_eq!(step(line), Ok(Step::Event(event)));
        for wrong in ["dance", "pause x", "event p 2 30 44 exact 0x1", "write /a"] {
            assert!(step(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_missing_file_is_told() {
        assert_eq!(said(write("/nowhere/at/all", "1")), "ENOENT");
        assert_eq!(look(Path::new("/nowhere/at/all")), "gone");
        assert_eq!(look(Path::new("/")), "done");
    }
}
