// SPDX-License-Identifier: GPL-2.0

//! Random machines and runs. A seed and a number make each, whatever was made before.

use super::list::{readings, Reading};
use crate::rng::Rng;
use std::collections::BTreeMap;
use std::fmt;
use uncore_e2e::formats::field;
use uncore_e2e::prelude::*;
use uncore_e2e::sweep::events::{fixed, rows};
use uncore_e2e::sweep::filters::settings;

/// Numbers of machines begin here, so that they are no numbers of runs.
const MACHINES: u64 = 1 << 32;

/// Runs on one machine.
const RUNS: u64 = 20;

/// Events of a run beside one of each box.
const MORE: usize = 12;

/// Value of a control register whose counter counts event 0, and types of boxes that have this
/// event.
const ENABLE: u32 = 1 << 22;
const CLOCKED: [BoxKind; 4] = [BoxKind::Cbox, BoxKind::Ha, BoxKind::Imc, BoxKind::Pcu];

/// First MSR of a C-Box, and distance to that of the next one.
const CBOXES: [(Platform, u32, u32); 2] =
    [(Platform::Ivbep, 0xd04, 0x20), (Platform::Bdx, 0xe00, 0x10)];

/// Parameters by which the driver notices overflows. An emulated processor takes longer than a driver with
/// the usual limit lets counters be frozen.
const PARAMETERS: [&[&str]; 4] = [
    &["overflow=pmi", "frozen_limit=100"],
    &["overflow=pmi"],
    &["overflow=poll"],
    &[],
];

/// Values of an option of the machine, each as likely as the others.
type Choice = (&'static str, &'static [&'static str]);

/// Returns the choices of the current platform.
fn choices() -> &'static [Choice] {
    match Platform::current() {
        Platform::Ivbep => &[
            ("packages", &["2", "2", "2", "1", "4"]),
            ("cores", &["2", "1"]),
            ("cboxes", &["3", "1", "2", "4", "7"]),
            ("part", &["ep", "ex"]),
            ("smt", &["1", "2"]),
            ("core-map", &["slot", "reversed"]),
        ],
        Platform::Bdx => &[
            ("packages", &["2", "2", "2", "1"]),
            ("cores", &["2", "1", "3"]),
            ("cbox-mask", &["000007", "00001d", "000101"]),
            ("home-agents", &["2", "1"]),
            ("part", &["ep", "ex"]),
            ("smt", &["1", "2"]),
            ("core-map", &["slot", "reversed"]),
        ],
        Platform::Snb => &[("cores", &["2", "1", "3", "4"]), ("cboxes", &["4"])],
        Platform::Nhmex => &[
            ("packages", &["2", "2", "2", "1", "4"]),
            ("cores", &["2", "1", "4"]),
            ("cboxes", &["4"]),
        ],
    }
}

/// A machine, which some runs share.
pub(super) struct Machine {
    pub(super) config: Config,
    pub(super) shape: Shape,
    /// The readings that hold from its start.
    pub(super) at_start: Vec<Reading>,
    /// Every event on every box, and every setting of a filter.
    events: Vec<Probe>,
}

impl Machine {
    /// Returns the machine of a run.
    pub(super) fn of(seed: u64, run: u64) -> Self {
        let (config, at_start) = Self::choose(seed, run / RUNS);
        Self::new(config, at_start)
    }

    /// Returns what a machine is, and the readings that hold from its start, by its number.
    fn choose(seed: u64, number: u64) -> (Config, Vec<Reading>) {
        let mut rng = Rng::of_case(seed, MACHINES + number);
        // A stall detector does not know how long an emulated processor waits for a real one.
        let mut config = Config::of(Driver::None).with_jumps();
        for (option, values) in choices() {
            let value: &&str = rng.pick(values);
            config.set(option, value);
        }
        config.x2apic = rng.chance(50);
        let at_start = choose(&mut rng, 30, |reading| reading.at_start);
        (config, at_start)
    }

    /// Creates a machine that takes these readings from its start.
    pub(super) fn new(mut config: Config, at_start: Vec<Reading>) -> Self {
        if !at_start.is_empty() {
            let names: Vec<&str> = at_start.iter().map(|reading| reading.name).collect();
            config.set("reading", &names.join("+"));
        }
        let shape = Shape::of(&config);
        let mut events = [rows(&shape), fixed(&shape)].concat();
        let on_boxes = |probe: Probe| {
            let boxes = 0..shape.most(probe.kind);
            boxes.map(move |instance| probe.on(instance))
        };
        events.extend(settings().into_iter().flat_map(on_boxes));
        if BoxKind::Pcu.exists() {
            // Bit 18 of its control registers is uncertain.
            events.push(Probe::pcu("prochot_external_cycles").thresh(1).edge());
        }
        Self {
            config,
            shape,
            at_start,
            events,
        }
    }

    /// Returns the events of one box of each type.
    pub(super) fn events(&self) -> impl Iterator<Item = &Probe> {
        // The instances of an IRP are sets of counters of one box.
        let first = |probe: &&Probe| probe.instance == 0 || probe.kind == BoxKind::Irp;
        self.events.iter().filter(first)
    }

    /// Returns the number of the first run on the machine after that of `run`.
    pub(super) fn next(run: u64) -> u64 {
        (run / RUNS + 1) * RUNS
    }
}

/// Something that a real machine may do beside any reading.
#[derive(Clone, Debug, Default)]
pub(super) struct Condition {
    /// Commands of the machine before the driver is loaded, and after it.
    pub(super) begins: Vec<String>,
    pub(super) ends: Vec<String>,
    /// Name of the box that is missing by it, and its package.
    pub(super) lacks: Option<(String, u8)>,
}

/// A load of the driver: what it meets and what it counts.
pub(super) struct Run {
    pub(super) readings: Vec<Reading>,
    pub(super) condition: Condition,
    pub(super) parameters: &'static [&'static str],
    pub(super) events: Vec<Probe>,
}

impl Run {
    /// Returns a run on its machine.
    pub(super) fn of(machine: &Machine, seed: u64, run: u64) -> Self {
        let mut rng = Rng::of_case(seed, run);
        let share = rng.between(1, 40);
        Self {
            readings: choose(&mut rng, share, |reading| !reading.at_start),
            condition: condition(&mut rng, machine),
            parameters: PARAMETERS[rng.index(PARAMETERS.len())],
            events: events(&mut rng, machine),
        }
    }

    /// Returns the command of the machine that chooses the readings.
    pub(super) fn command(&self, machine: &Machine) -> String {
        let all = machine.at_start.iter().chain(&self.readings);
        let names: Vec<&str> = all.map(|reading| reading.name).collect();
        match &names[..] {
            [] => "reading a".to_owned(),
            names => format!("reading {}", names.join(" ")),
        }
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.readings.iter().map(|reading| reading.name).collect();
        let parameters = self.parameters.join(" ");
        write!(f, "readings {}; parameters {parameters}", names.join(" "))?;
        for words in &self.condition.begins {
            write!(f, "; {words}")?;
        }
        Ok(())
    }
}

/// Returns for a share of the points, in percent, one of the wanted readings.
pub(super) fn choose(
    rng: &mut Rng,
    percent: u64,
    wanted: impl Fn(&Reading) -> bool,
) -> Vec<Reading> {
    let mut points = BTreeMap::<&str, Vec<Reading>>::new();
    for reading in readings().into_iter().filter(wanted) {
        points.entry(reading.point).or_default().push(reading);
    }
    let mut chosen = Vec::new();
    for of_point in points.into_values() {
        if rng.chance(percent) {
            chosen.push(*rng.pick(&of_point));
        }
    }
    chosen
}

/// Returns an event of each box, and some more.
fn events(rng: &mut Rng, machine: &Machine) -> Vec<Probe> {
    let mut of_boxes = BTreeMap::<(BoxKind, u8), Vec<&Probe>>::new();
    for probe in &machine.events {
        of_boxes
            .entry((probe.kind, probe.instance))
            .or_default()
            .push(probe);
    }
    let mut chosen: Vec<Probe> = Vec::new();
    for events in of_boxes.values() {
        chosen.push((*rng.pick(events)).clone());
    }
    chosen.extend((0..MORE).map(|_| rng.pick(&machine.events).clone()));
    chosen.into_iter().map(|probe| varied(rng, probe)).collect()
}

/// Returns an event with a threshold now and then, as level or edge, if it can have one.
fn varied(rng: &mut Rng, probe: Probe) -> Probe {
    let Setting { ext, event, .. } = probe.setting;
    let facts = Catalogue::get().facts(probe.kind, ext, event);
    let (Some(facts), Some(_)) = (facts, field(probe.kind, "thresh")) else {
        return probe;
    };
    // The PCU's occupancies have an edge detector of their own.
    if probe.kind == BoxKind::Pcu || probe.counters().is_none() || !rng.chance(30) {
        return probe;
    }
    let most = facts.max_inc.min(u32::from(u8::MAX));
    let thresh = u8::try_from(rng.between(1, most.into())).unwrap_or(1);
    let level = probe.thresh(thresh);
    if rng.chance(50) {
        level.edge()
    } else {
        level
    }
}

/// Returns a condition, often none.
fn condition(rng: &mut Rng, machine: &Machine) -> Condition {
    let package = *rng.pick(&machine.shape.packages());
    let boxes = machine.shape.pmus();
    let has = |&(kind, instance): &(BoxKind, u8)| machine.shape.has(kind, instance, package);
    let boxes: Vec<(BoxKind, u8)> = boxes.into_iter().filter(has).collect();
    let &(kind, instance) = rng.pick(&boxes);
    let name = kind.box_name(instance);
    let lacks = Some((name.clone(), package));
    let found = match rng.below(10) {
        0 => hidden(machine, kind, instance, package)
            .map(|condition| Condition { lacks, ..condition }),
        1 => faulting(kind, instance, package).map(|condition| Condition { lacks, ..condition }),
        2 => Some(Condition {
            begins: vec![format!("lock {package} {name}")],
            ends: vec![format!("unlock {package} {name}")],
            lacks,
        }),
        3 if CLOCKED.contains(&kind) => Some(Condition {
            begins: vec![format!("firmware {package} {name} 0 {ENABLE:#x}")],
            ends: vec!["firmware off".to_owned()],
            lacks: None,
        }),
        4..=7 if Platform::interrupts() => Some(interrupts(rng)),
        _ => None,
    };
    found.unwrap_or_default()
}

/// Returns a box whose PCI function firmware hides, on a machine with the usual buses.
fn hidden(machine: &Machine, kind: BoxKind, instance: u8, package: u8) -> Option<Condition> {
    let is_usual = machine.shape.packages().len() == 2;
    let function = Function::of(package.into(), kind, instance).filter(|_| is_usual)?;
    Some(Condition {
        begins: vec![format!("hide {function}")],
        ends: vec![format!("show {function}")],
        lacks: None,
    })
}

/// Returns a C-Box one of whose registers faults.
fn faulting(kind: BoxKind, instance: u8, package: u8) -> Option<Condition> {
    let platform = Platform::current();
    let found = CBOXES.into_iter().find(|(of, ..)| *of == platform);
    let (_, first, distance) = found.filter(|_| kind == BoxKind::Cbox)?;
    let msr = first + distance * u32::from(instance);
    Some(Condition {
        begins: vec![format!("fail-msr {package} {msr:#x}")],
        ends: vec![format!("heal-msr {package} {msr:#x}")],
        lacks: None,
    })
}

/// Returns something that becomes of interrupts.
fn interrupts(rng: &mut Rng) -> Condition {
    const WORDS: [(&str, &str); 7] = [
        ("pmi drop", "pmi normal"),
        ("pmi drop 1/3", "pmi normal"),
        ("pmi delay 100", "pmi normal"),
        ("pmi delay clear", "pmi normal"),
        ("pmi repeat", "pmi normal"),
        ("pmi repeat unmask", "pmi normal"),
        ("freeze-delay 400 100", "freeze-delay 16"),
    ];
    let (begins, ends) = *rng.pick(&WORDS);
    Condition {
        begins: vec![begins.to_owned()],
        ends: vec![ends.to_owned()],
        lacks: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Calls `look` with the first runs of seed 1 on each platform.
    fn each(runs: u64, mut look: impl FnMut(&Machine, &Run)) {
        let mut machine = Machine::of(1, 0);
        for run in 0..runs {
            if run % RUNS == 0 {
                machine = Machine::of(1, run);
            }
            look(&machine, &Run::of(&machine, 1, run));
        }
    }

    #[test]
    fn a_run_has_an_event_of_each_box_and_one_reading_of_a_point() {
        let place = |probe: &Probe| (probe.kind, probe.instance);
        for platform in Platform::ALL {
            platform.on(|| {
                each(2 * RUNS, |machine, run| {
                    let boxes: BTreeSet<_> = machine.events.iter().map(place).collect();
                    let counted: BTreeSet<_> = run.events.iter().map(place).collect();
                    assert_eq!(counted, boxes);
                    let all = machine.at_start.iter().chain(&run.readings);
                    let points: Vec<&str> = all.map(|reading| reading.point).collect();
                    let different: BTreeSet<&&str> = points.iter().collect();
                    assert_eq!(different.len(), points.len(), "{run}");
                });
            });
        }
    }

    #[test]
    fn each_reading_is_met() {
        for platform in Platform::ALL {
            platform.on(|| {
                let mut met = BTreeSet::new();
                for number in 0..10 * RUNS {
                    met.extend(Machine::choose(1, number).1.iter().map(|it| it.name));
                }
                each(10 * RUNS, |_, run| {
                    met.extend(run.readings.iter().map(|reading| reading.name));
                });
                let all = readings().into_iter().map(|reading| reading.name);
                assert_eq!(met, all.collect(), "{platform:?}");
            });
        }
    }
}
