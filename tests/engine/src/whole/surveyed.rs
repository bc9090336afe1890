// SPDX-License-Identifier: GPL-2.0

//! `uncore survey` on machines of each reading: its experiments, run by the driver, name the reading.

use super::*;
use crate::linux::debugfs::OpenDialog;
use std::{collections::BTreeMap, fmt::Write as _};
use uncore_machine::{rows_of, Platform, Row};
use uncore_survey::{
    layout, survey, Answer, Bench, Finding, Found, How, LinkRegister, Refusal, Site,
};

/// A machine to survey.
#[derive(Clone, Copy)]
struct Subject {
    platform: Platform,
    name: &'static str,
    /// Its cores and C-Boxes are not as many as `num_c` says at reset.
    shape: &'static str,
    /// Device ID of its first QPI port, if there are any.
    link: Option<u32>,
    /// Number of its cores.
    cores: u32,
}

const IVBEP: Subject = Subject {
    platform: Platform::Ivbep,
    name: "ivbep",
    shape: "packages=2,cores=4,cboxes=3,part=ex",
    link: Some(QPI_ID),
    cores: 4,
};

const BDX: Subject = Subject {
    platform: Platform::Bdx,
    name: "bdx",
    shape: "platform=bdx,packages=2,cores=4,cboxes=3",
    link: Some(0x6f32),
    cores: 4,
};

const SNB: Subject = Subject {
    platform: Platform::Snb,
    name: "snb",
    shape: "platform=snb,packages=1,cores=4,cboxes=4",
    link: None,
    cores: 4,
};

const NHMEX: Subject = Subject {
    platform: Platform::Nhmex,
    name: "nhmex",
    shape: "platform=nhmex,packages=2,cores=4,cboxes=4",
    link: None,
    cores: 4,
};

const WSMEX: Subject = Subject {
    platform: Platform::Wsmex,
    name: "wsmex",
    shape: "platform=wsmex,packages=1,cores=10,cboxes=10",
    link: None,
    cores: 10,
};

const SUBJECTS: [Subject; 5] = [IVBEP, BDX, SNB, NHMEX, WSMEX];

/// Points that stay open on this machine, whatever holds: no core has two threads, and the traffic
/// does not tell the direction of packets.
const OPEN: &[&str] = &["U-43", "U-23"];

/// Points of which the stand-ins of LVTPC and IA32_DEBUGCTL have one reading: guests have the others.
const IN_GUESTS: &[&str] = &["U-43", "U-45", "U-46"];

/// The reading that the stand-in of IA32_DEBUGCTL takes: PMIs come only with the bit.
const GATED: (&str, char) = ("U-46", 'b');

/// Readings that follow from another one: event select 0 of the UBox is an event of the lists.
const FOLLOWS: (&str, &str, char) = ("U-41", "U-17", 'b');

/// The driver's file.
struct File<'a> {
    dialog: OpenDialog,
    host: &'a Host,
    /// A function of the first link.
    link: Option<Function>,
}

impl Bench for File<'_> {
    fn run(&mut self, steps: &[String]) -> Result<Vec<Answer>, Refusal> {
        let written = self.dialog.write(&steps.join("\n"));
        let answer = self.dialog.read();
        match written {
            Ok(()) => Ok(answer
                .lines()
                .map(|line| Answer::parse(line).unwrap_or_else(|| panic!("{line}")))
                .collect()),
            Err(_) => Err(Refusal::Step(answer)),
        }
    }

    fn of_link(&mut self, _: &str, _: &str, register: &LinkRegister) -> Option<u32> {
        let at = Function {
            function: register.function,
            ..self.link?
        };
        self.host.pass(1_000_000);
        self.host.machine().config_read(at, register.offset, 4)
    }
}

/// The first package, as `topology` shows it.
fn site(host: &Host, subject: Subject, link: Option<Function>) -> Site {
    let topology = debugfs("topology");
    let lines = topology.lines().skip(1);
    let boxes = lines.take_while(|line| line.starts_with("  "));
    let locations: BTreeMap<String, String> = boxes
        .filter(|line| !line.contains(" missing: ") || line.contains(" filters: "))
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            Some((words.next()?.to_owned(), words.next()?.to_owned()))
        })
        .collect();
    let on_bus = host.functions().into_iter();
    let on_bus = on_bus.filter(|at| link.is_some_and(|link| link.bus == at.bus));
    let ids = on_bus.filter_map(|at| {
        let id = host.machine().config_read(at, 2, 2)?;
        let place = format!("{:02x}.{}", at.device, at.function);
        Some((place, u16::try_from(id).ok()?))
    });
    let functions = ids.collect();
    Site {
        platform: subject.name.to_owned(),
        package: "0".to_owned(),
        boxes: locations.keys().cloned().collect(),
        locations,
        cores: (0..subject.cores).collect(),
        core_ids: (0..subject.cores).collect(),
        threads: 1,
        layout: layout(subject.name),
        functions,
    }
}

/// Surveys a machine that takes these readings from its start.
fn surveyed(subject: Subject, readings: &[String]) -> Vec<Found> {
    let mut found = Vec::new();
    let reading = match readings {
        [] => String::new(),
        some => format!(",reading={}", some.join("+")),
    };
    with_driver(&format!("{}{reading}", subject.shape), "auto", |host| {
        host.command("free-run on");
        host.asleep.store(true, Relaxed);
        let link = subject.link.map(|id| function(host, id));
        let site = site(host, subject, link);
        let dialog = OpenDialog::open("survey").expect("no event is open");
        let mut file = File { dialog, host, link };
        found = survey(&mut file, subject.name, &site, true, |_| true).expect("the file answers");
        host.command("free-run off");
    });
    found
}

/// Returns what is wrong: a point of another reading than the machine's, and unless `may_be_open`
/// one that stays open.
fn wrong(found: &[Found], planted: &[&Row], may_be_open: bool) -> String {
    let mut text = String::new();
    for Found {
        point,
        finding,
        evidence,
    } in found
    {
        let row = planted.iter().find(|row| row.point == point.name);
        let follows = |row: &&Row| row.point == FOLLOWS.0 && point.name == FOLLOWS.1;
        let right = match row {
            _ if point.name == GATED.0 => GATED.1,
            _ if planted.iter().any(follows) => FOLLOWS.2,
            row => row.map_or('a', |row| row.letter),
        };
        let is_right = match finding {
            Finding::Reading(letter) => *letter == right,
            // One reading can hide that of another point.
            Finding::Open(_) => {
                let is_hidden = may_be_open || row.is_none() && !planted.is_empty();
                is_hidden || matches!(point.how, How::Nothing(_)) || OPEN.contains(&point.name)
            }
        };
        if !is_right {
            let _ = writeln!(
                text,
                "{}:{right} {finding:?}\n    {}",
                point.name,
                evidence.join("\n    ")
            );
        }
    }
    text
}

/// Points and readings that other means tell, for the reason that the report gives. Tests of the
/// machine hold what it does under them.
const NOT_SURVEYED: &[&str] = &[
    "U-50", "B-21", "B-22", "S-1", "S-3:c", "S-5", "S-7", "S-13", "S-15", "X-9", "X-22",
];

/// Number of combinations of readings of each machine; each has its number as the seed.
/// `make test-all` takes all.
fn combinations() -> u64 {
    let all = std::env::var("UNCORE_REPEAT").as_deref() == Ok("all");
    if all {
        200
    } else {
        10
    }
}

/// Returns readings of some points of a machine, one of each, that follow from a seed.
fn combination(subject: Subject, seed: u64) -> Vec<&'static Row> {
    // xorshift64*
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = move |below: u64| {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % below
    };
    let rows: Vec<&Row> = plantable(subject).collect();
    let mut chosen: Vec<&Row> = Vec::new();
    for _ in 0..random(12) + 1 {
        let row = rows[usize::try_from(random(rows.len() as u64)).expect("few rows")];
        if chosen.iter().all(|other| other.point != row.point) {
            chosen.push(row);
        }
    }
    chosen
}

/// A reading can hide another one: its point stays open, with the reason.
#[test]
fn no_wrong_reading_is_named_in_combinations() {
    let mut text = String::new();
    for subject in SUBJECTS {
        for seed in 0..combinations() {
            let planted = combination(subject, seed);
            let names: Vec<String> = planted.iter().map(|row| row.name()).collect();
            let wrong = wrong(&surveyed(subject, &names), &planted, true);
            if !wrong.is_empty() {
                let (name, names) = (subject.name, names.join("+"));
                let _ = write!(text, "{name}, seed {seed}, {names}:\n{wrong}");
            }
        }
    }
    assert_eq!(text, "");
}

/// The rows that the machine of these tests can take.
fn plantable(subject: Subject) -> impl Iterator<Item = &'static Row> {
    rows(subject).filter(|row| !IN_GUESTS.contains(&row.point))
}

/// The rows that the survey must have an experiment for.
fn rows(subject: Subject) -> impl Iterator<Item = &'static Row> {
    rows_of(subject.platform).filter(|row| {
        let excepted = [row.point, &row.name()].map(|name| NOT_SURVEYED.contains(&name));
        !excepted.contains(&true)
    })
}

#[test]
fn the_first_reading_of_each_point_is_named() {
    for subject in SUBJECTS {
        assert_eq!(wrong(&surveyed(subject, &[]), &[], false), "");
    }
}

#[test]
fn each_other_reading_is_named() {
    assert_eq!(wrong_alone(IVBEP), "");
}

#[test]
fn each_other_reading_of_broadwell_is_named() {
    assert_eq!(wrong_alone(BDX), "");
}

#[test]
fn each_other_reading_of_a_client_and_of_nehalem_is_named() {
    for subject in [SNB, NHMEX, WSMEX] {
        assert_eq!(wrong_alone(subject), "");
    }
}

/// Surveys under each reading alone, and returns what is wrong.
fn wrong_alone(subject: Subject) -> String {
    let mut text = String::new();
    for row in plantable(subject) {
        let wrong = wrong(&surveyed(subject, &[row.name()]), &[row], false);
        if !wrong.is_empty() {
            let _ = write!(text, "under {}:\n{wrong}", row.name());
        }
    }
    text
}
