// SPDX-License-Identifier: GPL-2.0

//! Random machines and runs. A seed and a number make each, whatever was made before.

mod condition;

use super::asked::{others, Asked};
use super::effects::Row;
use super::list::{processors, readings, Reading};
use crate::rng::Rng;
use std::collections::BTreeMap;
use std::fmt;
use uncore_e2e::formats::field;
use uncore_e2e::prelude::*;
use uncore_e2e::sweep::events::{fixed, rows};
use uncore_e2e::sweep::filters::settings;

use condition::condition;
pub(super) use condition::Condition;

/// Numbers of machines begin here, so that they are no numbers of runs.
const MACHINES: u64 = 1 << 32;

/// Runs on one machine.
const RUNS: u64 = 20;

/// Share of the machines, in percent, with another processor than the usual one of the platform,
/// if it has others.
const OTHERS: u64 = 40;

/// Events of a run beside one of each box.
const MORE: usize = 12;

/// Parameters of the driver.
type Parameters = &'static [&'static str];

/// Parameters by which the driver notices overflows. An emulated processor takes longer than a
/// driver with the usual limit lets counters be frozen.
const BY_INTERRUPT: Parameters = &["overflow=pmi", "frozen_limit=100"];
const PARAMETERS: [Parameters; 4] = [BY_INTERRUPT, &["overflow=pmi"], &["overflow=poll"], &[]];

/// The first parameters of a platform whose counters do not interrupt.
const BY_POLLING: usize = 2;

/// Returns the parameters that a run may have.
fn parameters() -> &'static [Parameters] {
    if Platform::interrupts() {
        &PARAMETERS
    } else {
        &PARAMETERS[BY_POLLING..]
    }
}

/// Returns the parameters of a run under one reading: by interrupt where there are some.
pub(super) fn usual_parameters() -> Parameters {
    parameters()[0]
}

/// Values of an option of the machine, each as likely as the others.
type Choice = (&'static str, &'static [&'static str]);

/// Returns the choices of the current processor.
fn choices() -> &'static [Choice] {
    match Processor::current() {
        Processor::Ivbep => &[
            ("packages", &["2", "2", "2", "1", "4"]),
            ("cores", &["2", "1"]),
            (
                "cbox-mask",
                &[
                    "000007", "000001", "00000b", "000003", "00000f", "00002d", "00007f",
                ],
            ),
            ("part", &["ep", "ex"]),
            ("smt", &["1", "2"]),
            ("core-map", &["slot", "reversed"]),
        ],
        Processor::Bdx => &[
            ("packages", &["2", "2", "2", "1", "4"]),
            ("cores", &["2", "1", "3"]),
            ("cbox-mask", &["000007", "00001d", "000101"]),
            ("home-agents", &["2", "1"]),
            ("part", &["ep", "ex"]),
            ("smt", &["1", "2"]),
            ("core-map", &["slot", "reversed"]),
        ],
        Processor::BdxDe => &[
            ("cores", &["2", "1", "3", "8"]),
            ("cbox-mask", &["000007", "00001d", "0000d7"]),
            ("smt", &["1", "2"]),
            ("core-map", &["slot", "reversed"]),
        ],
        Processor::Snb => &[("cores", &["2", "1", "3", "4"]), ("cboxes", &["4"])],
        Processor::Nhmex => &[
            ("packages", &["2", "2", "2", "1", "4"]),
            ("cores", &["2", "1", "4"]),
            ("cboxes", &["4"]),
        ],
        Processor::Wsmex => &[
            ("packages", &["2", "2", "1", "1", "4"]),
            ("cores", &["2", "1", "4"]),
            ("cboxes", &["10"]),
        ],
    }
}

/// Option of a machine whose packages are two NUMA nodes each.
const DIVIDED: (&str, &str) = ("cluster-on-die", "on");

/// Tells if each half of a package has a core and a home agent.
fn is_divisible(config: &Config) -> bool {
    let has = |name, value| config.option(name) == Some(value);
    Processor::current() == Processor::Bdx && !has("cores", "1") && has("home-agents", "2")
}

/// All cores of a package of Westmere-EX. A machine of one package has them, and so all C-Boxes.
const ALL_CORES: (&str, &str) = ("cores", "10");

fn has_all_cores(config: &Config) -> bool {
    Processor::current() == Processor::Wsmex && config.option("packages") == Some("1")
}

/// Returns the usual machine of the current processor, with memory on all channels, without a
/// driver.
pub(super) fn usual() -> Config {
    let processor = Processor::current();
    let config = Config::of(Driver::None).with("platform", processor.name());
    match processor {
        Processor::BdxDe => config.with("dimms", "0f"),
        _ => config,
    }
}

/// Returns a machine on which each reading that holds from its start can be seen.
pub(super) fn seen_from_start() -> Config {
    match Processor::current() {
        Processor::Ivbep => usual().with("part", "ex"),
        Processor::Bdx => usual().with("part", "ex").with(DIVIDED.0, DIVIDED.1),
        Processor::BdxDe | Processor::Snb | Processor::Nhmex | Processor::Wsmex => usual(),
    }
}

/// A machine, which some runs share.
pub(super) struct Machine {
    pub(super) processor: Processor,
    pub(super) config: Config,
    pub(super) shape: Shape,
    /// The readings that hold from its start.
    pub(super) at_start: Vec<Reading>,
    /// Every event on every box, and every setting of a filter.
    events: Vec<Asked>,
}

impl Machine {
    /// Returns the machine of a run.
    pub(super) fn of(seed: u64, run: u64) -> Self {
        let mut rng = Rng::of_case(seed, MACHINES + run / RUNS);
        let processor = processor(&mut rng);
        processor.on(|| {
            let (config, at_start) = Self::choose(&mut rng);
            Self::new(config, at_start)
        })
    }

    /// Returns a machine of the current processor, and the readings that hold from its start.
    fn choose(rng: &mut Rng) -> (Config, Vec<Reading>) {
        // A stall detector does not know how long an emulated processor waits for a real one.
        let mut config = usual().with_jumps();
        for (option, values) in choices() {
            let value: &&str = rng.pick(values);
            config.set(option, value);
        }
        config.x2apic = rng.chance(50);
        if is_divisible(&config) && rng.chance(50) {
            config.set(DIVIDED.0, DIVIDED.1);
        }
        if has_all_cores(&config) {
            config.set(ALL_CORES.0, ALL_CORES.1);
        }
        let at_start = choose(rng, 30, |reading| reading.at_start);
        (config, at_start)
    }

    /// Creates a machine of the current processor that takes these readings from its start.
    pub(super) fn new(mut config: Config, at_start: Vec<Reading>) -> Self {
        if !at_start.is_empty() {
            let names: Vec<&str> = at_start.iter().map(|reading| reading.name).collect();
            config.set("reading", &names.join("+"));
        }
        let shape = Shape::of(&config);
        let on_boxes = |probe: Probe| {
            let boxes = 0..shape.most(probe.kind);
            boxes.map(move |instance| probe.on(instance))
        };
        let more = settings().into_iter().chain(doubtful());
        let programmed = rows(&shape).into_iter().chain(fixed(&shape));
        let programmed = programmed.chain(more.flat_map(on_boxes));
        let mut events: Vec<Asked> = programmed.map(Asked::Programmed).collect();
        events.extend(others(&shape));
        Self {
            processor: Processor::current(),
            config,
            shape,
            at_start,
            events,
        }
    }

    /// Returns one event in `step` of one box of each type, and those that are `changed`: on all
    /// boxes, if none of these boxes has one.
    pub(super) fn events(&self, step: usize, changed: impl Fn(&Asked) -> bool) -> Vec<Asked> {
        let (first, others): (Vec<_>, Vec<_>) =
            self.events.iter().partition(|event| event.is_on_first());
        let is_elsewhere = !first.iter().any(|event| changed(event));
        let of_first = first.into_iter().enumerate();
        let of_first = of_first.filter(|(index, event)| index % step == 0 || changed(event));
        let others = others.into_iter();
        let others = others.filter(|event| is_elsewhere && changed(event));
        let wanted = of_first.map(|(_, event)| event).chain(others);
        wanted.cloned().collect()
    }

    /// Tells if it has an event of a row.
    pub(super) fn can_show(&self, row: &Row) -> bool {
        self.events.iter().any(|event| row.has(event))
    }

    /// Returns the number of the first run on the machine after that of `run`.
    pub(super) fn next(run: u64) -> u64 {
        (run / RUNS + 1) * RUNS
    }
}

/// A load of the driver: what it meets and what it counts.
pub(super) struct Run {
    pub(super) readings: Vec<Reading>,
    pub(super) condition: Condition,
    pub(super) parameters: Parameters,
    pub(super) events: Vec<Asked>,
}

impl Run {
    /// Returns a run on its machine.
    pub(super) fn of(machine: &Machine, seed: u64, run: u64) -> Self {
        machine.processor.on(|| {
            let mut rng = Rng::of_case(seed, run);
            let share = rng.between(1, 40);
            let all = parameters();
            let is_open = |reading: &Reading| {
                let mut settled = machine.at_start.iter();
                !reading.at_start && settled.all(|it| it.point != reading.point)
            };
            let mut readings = choose(&mut rng, share, is_open);
            // Where memory shows no counters, only a write tells that.
            if readings.iter().any(|reading| reading.point == "U-50") {
                readings.retain(|reading| reading.point != "U-78");
            }
            Self {
                readings,
                condition: condition(&mut rng, machine),
                parameters: all[rng.index(all.len())],
                events: events(&mut rng, machine),
            }
        })
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

/// Returns the processor of a machine.
fn processor(rng: &mut Rng) -> Processor {
    let all = processors();
    match &all[1..] {
        others @ [_, ..] if rng.chance(OTHERS) => *rng.pick(others),
        _ => all[0],
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

/// Returns events whose meaning the readings leave open, beside those with names.
fn doubtful() -> Vec<Probe> {
    if !BoxKind::Pcu.exists() {
        return Vec::new();
    }
    let cores = |state| Probe::pcu(&format!("power_state_occupancy.{state}")).thresh(2);
    vec![
        // Bit 18 of the PCU's control registers is uncertain on IVB-EP (U-65), and which bits act
        // on an occupancy (U-29, B-17).
        Probe::pcu("prochot_external_cycles").thresh(1).edge(),
        cores("cores_c3").occ_edge(),
        cores("cores_c6").occ_invert(),
        // U-75.
        Probe::cbox(0, "clockticks").tid(3),
    ]
}

/// Returns an event of each box, and some more.
fn events(rng: &mut Rng, machine: &Machine) -> Vec<Asked> {
    let mut of_boxes = BTreeMap::<(String, u8), Vec<&Asked>>::new();
    for event in &machine.events {
        of_boxes.entry(event.site()).or_default().push(event);
    }
    let mut chosen: Vec<Asked> = Vec::new();
    for events in of_boxes.values() {
        chosen.push((*rng.pick(events)).clone());
    }
    chosen.extend((0..MORE).map(|_| rng.pick(&machine.events).clone()));
    chosen.into_iter().map(|event| varied(rng, event)).collect()
}

/// Returns an event with a threshold now and then, as level or edge, if it can have one.
fn varied(rng: &mut Rng, event: Asked) -> Asked {
    let Asked::Programmed(probe) = event else {
        return event;
    };
    let Setting { ext, event, .. } = probe.setting;
    let facts = Catalogue::get().facts(probe.kind, ext, event);
    let (Some(facts), Some(_)) = (facts, field(probe.kind, "thresh")) else {
        return Asked::Programmed(probe);
    };
    // The PCU's occupancies have an edge detector of their own.
    if probe.kind == BoxKind::Pcu || probe.counters().is_none() || !rng.chance(30) {
        return Asked::Programmed(probe);
    }
    let most = facts.max_inc.min(u32::from(u8::MAX));
    let thresh = u8::try_from(rng.between(1, most.into())).unwrap_or(1);
    let level = probe.thresh(thresh);
    Asked::Programmed(if rng.chance(50) { level.edge() } else { level })
}

#[cfg(test)]
mod tests {
    use super::super::effects::{self, Effect};
    use super::*;
    use std::collections::BTreeSet;

    /// Calls `look` with the first runs of seed 1, on the processor of each.
    fn each(runs: u64, mut look: impl FnMut(&Machine, &Run)) {
        let mut machine = Machine::of(1, 0);
        for run in 0..runs {
            if run % RUNS == 0 {
                machine = Machine::of(1, run);
            }
            let run = Run::of(&machine, 1, run);
            machine.processor.on(|| look(&machine, &run));
        }
    }

    #[test]
    fn a_run_has_an_event_of_each_box_and_one_reading_of_a_point() {
        for processor in Processor::ALL {
            processor.on(|| {
                each(8 * RUNS, |machine, run| {
                    let boxes: BTreeSet<_> = machine.events.iter().map(Asked::site).collect();
                    let counted: BTreeSet<_> = run.events.iter().map(Asked::site).collect();
                    assert_eq!(counted, boxes);
                    let all = machine.at_start.iter().chain(&run.readings);
                    let points: Vec<&str> = all.map(|reading| reading.point).collect();
                    let different: BTreeSet<&&str> = points.iter().collect();
                    assert_eq!(different.len(), points.len(), "{run}");
                });
            });
        }
    }

    /// A port of QPI is the only box whose row a reading of Broadwell-DE has in vain.
    #[test]
    fn each_row_has_events_on_the_processors_of_its_reading() {
        let mut without = BTreeSet::new();
        for processor in Processor::ALL {
            processor.on(|| {
                let machine = Machine::new(seen_from_start(), Vec::new());
                let rows = effects::of_processor().filter(|row| !machine.can_show(row));
                let rows = rows.filter(|row| row.effect != Effect::TestOfItsOwn);
                without.extend(rows.map(|row| (processor, row.reading, row.events())));
            });
        }
        let of_qpi = (Processor::BdxDe, "U-42:b", "txl_occupancy".to_owned());
        assert_eq!(without, BTreeSet::from([of_qpi]));
    }

    /// Returns the names of readings that the first machines and runs of seed 1 have.
    fn met() -> BTreeMap<Processor, BTreeSet<&'static str>> {
        let mut met = BTreeMap::<Processor, BTreeSet<&str>>::new();
        for number in 0..10 * RUNS {
            let mut rng = Rng::of_case(1, MACHINES + number);
            let processor = processor(&mut rng);
            let (_, at_start) = processor.on(|| Machine::choose(&mut rng));
            let of_processor = met.entry(processor).or_default();
            of_processor.extend(at_start.iter().map(|reading| reading.name));
        }
        each(20 * RUNS, |machine, run| {
            let of_processor = met.entry(machine.processor).or_default();
            of_processor.extend(run.readings.iter().map(|reading| reading.name));
        });
        met
    }

    #[test]
    fn each_reading_of_each_processor_is_met() {
        for platform in Platform::ALL {
            let all = platform.processors().map(|processor| {
                let all = processor.on(readings).into_iter();
                (processor, all.map(|reading| reading.name).collect())
            });
            assert_eq!(platform.on(met), all.collect(), "{platform:?}");
        }
    }

    #[test]
    fn machines_have_the_processor_that_was_asked_for() {
        for processor in [Processor::BdxDe, Processor::Wsmex] {
            processor.on(|| {
                for number in 0..10 {
                    let machine = Machine::of(1, number * RUNS);
                    assert_eq!(machine.processor, processor);
                    assert_eq!(machine.config.option("platform"), Some(processor.name()));
                }
            });
        }
    }

    #[test]
    fn a_seed_is_one_plan() {
        for platform in Platform::ALL {
            platform.on(|| {
                for run in [0, 7, 3 * RUNS + 1, 8 * RUNS + 5] {
                    let [one, other] = [0, 1].map(|_| {
                        let machine = Machine::of(5, run);
                        let run = Run::of(&machine, 5, run);
                        let events: Vec<String> = run.events.iter().map(Asked::text).collect();
                        let what = (run.command(&machine), run.condition, run.parameters);
                        (machine.processor, machine.config, events, what)
                    });
                    assert_eq!(one, other, "{run}");
                }
            });
        }
    }

    /// Returns the names that the list of a processor has for events of a box, without those of
    /// the other processor's list.
    fn own_names(own: &[uncore_catalogue::Row], other: &[uncore_catalogue::Row]) -> Vec<String> {
        let name = |row: &uncore_catalogue::Row| {
            let name = format!("{}.{}", row.event, row.subevent).to_lowercase();
            name.trim_end_matches('.').to_owned()
        };
        let others: BTreeSet<String> = other.iter().map(name).collect();
        let own = own.iter().map(name);
        own.filter(|name| !others.contains(name)).collect()
    }

    /// A plan for Nehalem-EX asks for no event that only Westmere-EX has, nor the reverse.
    #[test]
    fn events_of_a_plan_exist_on_its_processor() {
        let lists = [
            uncore_catalogue::nhmex_rows(),
            uncore_catalogue::wsmex_rows(),
        ];
        let nehalem = own_names(lists[0], lists[1]);
        let westmere = own_names(lists[1], lists[0]);
        let mut asked = BTreeMap::<Processor, BTreeSet<String>>::new();
        Platform::Nhmex.on(|| {
            each(20 * RUNS, |machine, run| {
                let names = run.events.iter().filter_map(Asked::probe);
                let names = names.map(|probe| probe.name().to_owned());
                asked.entry(machine.processor).or_default().extend(names);
            });
        });
        for (processor, own, foreign) in [
            (Processor::Nhmex, &nehalem, &westmere),
            (Processor::Wsmex, &westmere, &nehalem),
        ] {
            let asked = &asked[&processor];
            assert!(own.iter().any(|name| asked.contains(name)), "{processor:?}");
            let wrong: Vec<_> = foreign.iter().filter(|it| asked.contains(*it)).collect();
            assert_eq!(wrong, [""; 0], "{processor:?}");
        }
    }

    #[test]
    fn boxes_of_a_plan_exist_on_its_processor() {
        let mut processors = BTreeSet::new();
        for platform in [Platform::Bdx, Platform::Nhmex] {
            platform.on(|| {
                each(10 * RUNS, |machine, run| {
                    processors.insert(machine.processor);
                    for probe in run.events.iter().filter_map(Asked::probe) {
                        assert!(probe.kind.exists(), "{probe:?}");
                        assert!(probe.instance < machine.shape.most(probe.kind), "{probe:?}");
                    }
                });
            });
        }
        assert_eq!(processors.len(), 4);
    }

    #[test]
    fn processors_have_their_cboxes_and_packages() {
        let most = |processor: Processor| {
            let shapes = (0..100).map(|number| {
                let mut rng = Rng::of_case(1, number);
                processor.on(|| Shape::of(&Machine::choose(&mut rng).0))
            });
            let sizes = shapes.map(|it| (it.most(BoxKind::Cbox), it.packages().len()));
            let (cboxes, packages): (Vec<_>, Vec<_>) = sizes.unzip();
            (cboxes.into_iter().max(), packages.into_iter().max())
        };
        assert_eq!(most(Processor::BdxDe), (Some(8), Some(1)));
        assert_eq!(most(Processor::Nhmex), (Some(4), Some(4)));
        assert_eq!(most(Processor::Wsmex), (Some(10), Some(4)));
    }
}
