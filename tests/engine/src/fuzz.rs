// SPDX-License-Identifier: GPL-2.0

//! Random requests, right and wrong, alone and in groups, and what the driver must say of them.
//!
//! A case is a handful of events that are opened one after the other (`generate`). The expectations
//! are written from the registers' reference and the user's page, with the help of the catalogue and
//! of the end-to-end tests' expectations, never from the driver:
//!
//! - `request`, `event`, `filters`, `composed`: events that a box can count;
//! - `groups`: events that can be counted at the same time;
//! - `reason`: why a request is refused, and with which errno.
//!
//! What the driver accepts must then count, if nothing else is on its box.
//! Documentation/development/fuzzing.rst says more.

mod composed;
mod event;
mod filters;
mod generate;
mod groups;
mod reason;
mod request;
mod rng;

use crate::{
    computer::{self, attr, known, number_of, usual_config, with_driver, Event as Opened},
    host::Host,
    linux::perf::{Attr, ConfigWords},
    sweep::named,
};
use composed::Composed;
use generate::Open;
use reason::Reason;
use request::Request;
use std::{collections::BTreeMap, fmt::Write as _};
use uncore_e2e::{
    formats::field,
    prelude::{
        always_running, assert_none, packet_functions, BoxKind, Config, Platform, Probe, Shape,
        Words,
    },
};

/// Cases of a platform, if `make fuzz` asks for no other number.
const CASES: u64 = 2000;

/// Failures after which a run ends, because more of them would repeat the same failure.
const MOST_FAILURES: usize = 10;

/// The port whose match and mask registers the second package lacks.
const HIDDEN_PORT: u8 = 1;

/// Events of a PMU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Events {
    /// Those that the catalogue lists for the type of the box, on this instance; 0 for the IRP,
    /// whose events select their set.
    Listed(BoxKind, u8),
    Composed(Composed),
    /// Counters of the memory controller, which always run.
    Memory,
}

/// Properties of the machine that decide which events are valid.
struct Env {
    /// Names of the PMUs, each with its events.
    pmus: Vec<(String, Events)>,
    /// The package of each CPU.
    packages: Vec<u8>,
    /// Events of counters that always run, with the codes that the driver chooses.
    running: Vec<(BoxKind, u64)>,
    shape: Shape,
}

/// Returns a machine on which one of two packages lacks some boxes and filters, so that the validity
/// of a request depends on its package. A client has one package, with all its boxes.
fn machine() -> Config {
    let uneven = Platform::uneven_machine();
    let options = uneven.machine.iter();
    let machine = options.fold(usual_config(), |machine, (name, value)| {
        machine.with(name, value)
    });
    match packet_functions().get(usize::from(HIDDEN_PORT)) {
        Some(function) => machine.with("hidden", &format!("ff:{function}")),
        None => machine,
    }
}

impl Env {
    /// Describes the machine whose driver has chosen these codes.
    fn new(packages: Vec<u8>, running: Vec<(BoxKind, u64)>) -> Self {
        let shape = Shape::of(&machine());
        let listed = shape.pmus().into_iter();
        let listed =
            listed.map(|(kind, instance)| (kind.pmu(instance), Events::Listed(kind, instance)));
        let others = Platform::current().other_pmus();
        let all = listed.chain(others.map(|name| (name, Events::Memory)));
        let pmus = all.map(|(name, events)| {
            let composed = Composed::of_pmu(&name).map(Events::Composed);
            (name, composed.unwrap_or(events))
        });
        Self {
            pmus: pmus.collect(),
            packages,
            running,
            shape,
        }
    }

    /// Returns an environment for tests of the expectations.
    fn example() -> Self {
        let running = always_running().into_iter().zip([0, 1].into_iter().cycle());
        let running = running.map(|((kind, _), number)| {
            let (_, select) = field(kind, "event").expect("an event select");
            (kind, select & !1 | number)
        });
        Self::new(Vec::new(), running.collect())
    }

    /// Returns the index of a PMU.
    fn pmu(&self, name: &str) -> usize {
        let index = self.pmus.iter().position(|(pmu, _)| pmu == name);
        index.unwrap_or_else(|| panic!("no {name}"))
    }

    /// Returns the events of a type of box that counters count which always run.
    fn running(&self, kind: BoxKind) -> Vec<u64> {
        let of_kind = self.running.iter().filter(|(of, _)| *of == kind);
        of_kind.map(|(_, code)| *code).collect()
    }

    fn has_box(&self, kind: BoxKind, instance: u8, package: u8) -> bool {
        self.shape.having(kind, instance).contains(&package)
    }

    /// Returns whether the package has the filter registers of the box.
    fn has_filters(kind: BoxKind, instance: u8, package: u8) -> bool {
        (kind, instance, package) != (BoxKind::Qpi, HIDDEN_PORT, 1)
    }
}

/// An event that is open.
struct Live {
    event: Opened,
    request: Request,
    pmu: usize,
    package: u8,
    /// Place of its leader in the case.
    leader: usize,
}

/// Numbers of requests that were tried.
#[derive(Default)]
struct Totals {
    legal: u64,
    reasons: BTreeMap<Reason, u64>,
}

/// Returns the reasons to refuse an event beside those that are open.
fn objections(env: &Env, live: &[Option<Live>], open: &Open, request: &Request) -> Vec<Reason> {
    let package = env.packages[open.cpu];
    let mut reasons = Vec::from_iter(open.ask.map(|(_, reason)| reason));
    reasons.extend(request.objections());
    reasons.extend(request.missing(env, package));
    if open.group.is_none() && request.is_view() {
        reasons.push(Reason::NoOccupancy);
    }
    // A group is checked only with events that are valid by themselves.
    let Some(leader) = open.group.filter(|_| reasons.is_empty()) else {
        return reasons;
    };
    let members = || live.iter().flatten().filter(|one| one.leader == leader);
    if members().any(|member| member.package != package) {
        return vec![Reason::Member];
    }
    let group: Vec<&Request> = members().map(|member| &member.request).collect();
    groups::objections(&[&group[..], &[request]].concat())
}

fn attributes(open: &Open) -> Attr {
    let [config, config1, config2, config3, config4] = open.words;
    let mut attr = Attr {
        words: ConfigWords {
            config,
            config1,
            config2,
            config3,
            config4,
        },
        ..attr(u32::try_from(open.cpu).expect("few CPUs"), 0)
    };
    if let Some((set, _)) = open.ask {
        set(&mut attr);
    }
    attr
}

/// Opens the events of a case, and returns what is wrong with the first that is answered wrongly.
fn run(env: &Env, case: &[Open], totals: &mut Totals) -> Option<String> {
    let mut live: Vec<Option<Live>> = Vec::new();
    for (place, open) in case.iter().enumerate() {
        let request = Request::new(env, open.pmu, open.words);
        // The leader may have been refused.
        let leads = |leader: &usize| live[*leader].as_ref().is_some_and(|of| of.pmu == open.pmu);
        let open = &Open {
            group: open.group.filter(leads),
            ..*open
        };
        let reasons = objections(env, &live, open, &request);
        for &reason in &reasons {
            *totals.reasons.entry(reason).or_default() += 1;
        }
        let leader = open.group.and_then(|leader| live[leader].as_ref());
        let leader = leader.map(|leader| &leader.event);
        let answer = known(&env.pmus[open.pmu].0).open(&attributes(open), leader);
        let wrong = match &answer {
            Ok(_) => !reasons.is_empty(),
            Err(error) => !reasons.iter().any(|reason| reason.errno() == *error),
        };
        if wrong {
            let answer = answer.err();
            return Some(format!("{reasons:?}, but the driver said {answer:?}"));
        }
        totals.legal += u64::from(reasons.is_empty());
        live.push(answer.ok().map(|event| Live {
            event,
            request,
            pmu: open.pmu,
            package: env.packages[open.cpu],
            leader: open.group.unwrap_or(place),
        }));
        let Some(Some(last)) = live.last() else {
            continue;
        };
        let mine = || {
            live.iter()
                .flatten()
                .filter(|one| (one.pmu, one.package) == (last.pmu, last.package))
        };
        let alone = mine().all(|other| other.leader == last.leader);
        if alone && !mine().all(|one| one.event.is_active()) {
            return Some("it was accepted, and does not count".to_owned());
        }
    }
    None
}

fn describe(env: &Env, case: &[Open]) -> String {
    case.iter().fold(String::new(), |mut text, open| {
        let (pmu, _) = &env.pmus[open.pmu];
        let (attr, group) = (attributes(open), open.group);
        let _ = write!(text, "\n  {pmu} {attr:x?}, group {group:?}");
        text
    })
}

/// Returns the case without the events that the failure does not need.
fn shrink(env: &Env, mut case: Vec<Open>) -> Vec<Open> {
    let fails = |case: &[Open]| run(env, case, &mut Totals::default()).is_some();
    for place in (0..case.len()).rev() {
        let mut smaller = case.clone();
        smaller.remove(place);
        let stays = |leader: usize| (leader != place).then(|| leader - usize::from(leader > place));
        for open in &mut smaller {
            open.group = open.group.and_then(stays);
        }
        if fails(&smaller) {
            case = smaller;
        }
    }
    case
}

/// Names the case if the driver panics.
struct Case(u64, u64);

impl Drop for Case {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!(
                "case {1} of seed {0}: make fuzz SEED={0} ONLY={1}",
                self.0, self.1
            );
        }
    }
}

/// Runs cases on a computer with the driver. Returns the failures.
fn fuzz(host: &Host, totals: &mut Totals) -> Vec<String> {
    let running = always_running().into_iter().map(|(kind, event)| {
        let Words([config, ..]) = named(kind, event, Words([0; 3]));
        (kind, config)
    });
    let packages = (0..host.cpus()).map(|cpu| host.place(cpu).package);
    let env = Env::new(packages.collect(), running.collect());
    // On an idle machine no counter overflows: the driver sees no interrupt, and polls from then on.
    let interrupting = BoxKind::all().filter(|kind| field(*kind, "interval").is_some());
    let mut clocks = interrupting
        .filter(|kind| *kind != BoxKind::Ubox)
        .filter_map(Probe::clock);
    if let Some(clock) = clocks.next() {
        for cpu in 0..host.cpus() {
            let opened = known(&clock.pmu())
                .open(&computer::attributes(clock.words_every(1 << 20), cpu), None);
            assert!(opened.is_err(), "an interval on an idle machine");
        }
    }
    let seed = number_of("UNCORE_SEED").unwrap_or(1);
    let cases = match number_of("UNCORE_ONLY") {
        Some(only) => only..only + 1,
        None => 0..number_of("UNCORE_CASES").unwrap_or(CASES),
    };
    // Where each core has a C-Box, the module asks each package for as many as the first has cores.
    let of_load = host.command("violations");
    let lacks = |line: &str| line.ends_with("the package has no such box");
    assert!(of_load.lines().all(lacks), "{of_load}");
    let mut failures = Vec::new();
    for number in cases {
        let name = Case(seed, number);
        let title = format!("make fuzz SEED={seed} ONLY={number}");
        let case = generate::case(&env, seed, number);
        if run(&env, &case, totals).is_some() {
            let case = shrink(&env, case);
            let wrong = run(&env, &case, &mut Totals::default()).unwrap_or_default();
            failures.push(format!("{title}: {wrong}{}", describe(&env, &case)));
        }
        let violations = host.command("violations");
        if violations != of_load {
            failures.push(format!("{title}: {violations}"));
        }
        drop(name);
        if failures.len() == MOST_FAILURES {
            break;
        }
    }
    failures
}

#[test]
fn what_is_legal_is_accepted_and_nothing_else() {
    for platform in Platform::ALL {
        platform.on(|| {
            with_driver(&machine().machine_word(), "auto", |host| {
                let mut totals = Totals::default();
                let failures = fuzz(host, &mut totals);
                assert_none(&failures);
                if number_of("UNCORE_ONLY").is_none() {
                    let untried = Reason::ALL.into_iter().filter(|reason| reason.occurs());
                    let untried = untried.filter(|reason| !totals.reasons.contains_key(reason));
                    let untried: Vec<String> =
                        untried.map(|reason| format!("{reason:?}")).collect();
                    assert_none(&untried);
                    assert!(totals.legal > 0);
                }
            });
        });
    }
}
