// SPDX-License-Identifier: GPL-2.0

//! The sweeps of the end-to-end tests over the driver on the host: every named event, every filter,
//! every request that must be refused. [`uncore_e2e`] has the requests and the right answers.

mod readings;

use crate::{
    computer::{
        attr, attributes, debugfs, is_refused, known, load, on_computer, processors, statistic,
        test_interrupts, try_probe, usual_machine, Event,
    },
    host::Host,
    linux::{
        errno::eopnotsupp,
        perf::{find, Attr},
        topology::Cpu,
    },
    uncore::pmu::UncorePmu,
};
use kernel::{
    error::code::{EINVAL, ENODEV},
    str::CStr,
};
use std::{cell::RefCell, collections::BTreeSet, rc::Rc, sync::Arc, thread::LocalKey};
use uncore_catalogue::readings_with;
use uncore_e2e::{
    fixture::pack::pack,
    formats::{bits, deposit, field, fields, views, Field, INTERVAL as INTERVAL_FIELD},
    prelude::{
        always_running, assert_none, number, BoxKind, Catalogue, Config, Link, Platform, Probe,
        Processor, Residency, Row, Shape, Words,
    },
    sweep::{
        events, filters,
        refusals::{refusals, sentences, Refusal, REMEMBERED},
    },
    units::unit,
};

mod together;

/// The packages of the usual machine of the end-to-end tests, and the CPU that counts for each.
fn packages() -> impl Iterator<Item = (u8, u32)> {
    let packages = Platform::packages().iter();
    packages.map(|&package| (package, 2 * u32::from(package)))
}

/// Runs a test on the usual machine of each platform, with the driver loaded.
fn on_each_platform(test: impl Fn(&Arc<Host>)) {
    on_each_platform_that(|| true, test);
}

/// Runs a test on the usual machine of each processor that has what the test needs, with the driver
/// loaded. The driver breaks no rule of the hardware.
fn on_each_platform_that(has: impl Fn() -> bool, test: impl Fn(&Arc<Host>)) {
    on_each_machine_that(has, |host| {
        let _driver = load("auto").expect("the driver loads");
        test(host);
        assert_eq!(host.command("violations"), "");
    });
}

/// Runs a test on the usual machine of each processor that has what the test needs. `readings` counts
/// the events of Broadwell-DE.
fn on_each_machine_that(has: impl Fn() -> bool, test: impl Fn(&Arc<Host>)) {
    let having = processors().filter(|processor| processor.on(&has));
    let tested = having.map(|processor| processor.on(|| on_computer(&usual_machine(), &test)));
    assert_ne!(tested.count(), 0);
}

fn has_residencies() -> bool {
    !Residency::all().is_empty()
}

/// A burst in which a signal is on exactly K times, so that all differ.
const BURST: u64 = 1 << 26;

/// Returns the content of a file of a PMU.
pub(crate) fn file(pmu: &str, group: &CStr, name: &str) -> String {
    let text = known(pmu).show(Some(group), name);
    let text = text.unwrap_or_else(|| panic!("{pmu} has no {group:?}/{name}"));
    text.trim_end().to_owned()
}

fn all_fields(kind: BoxKind) -> Vec<Field> {
    [fields(kind), views(kind)].concat()
}

/// Returns the config words of a PMU's event by its name, as perf makes them of its file. `place` has
/// the word and the bits of a field, `asked` the word of a field whose value the user must give.
pub(crate) fn of_file(
    pmu: &str,
    name: &str,
    place: impl Fn(&str) -> (usize, u64),
    mut asked: impl FnMut(usize, u64) -> u64,
) -> Words {
    let mut words = Words([0; 3]);
    for term in file(pmu, c"events", name).split(',') {
        let (field, value) = term.split_once('=').unwrap_or((term, "1"));
        let (word, mask) = place(field);
        words.0[word] |= match value {
            "?" => asked(word, mask),
            value => deposit(mask, number(value)),
        };
    }
    words
}

/// Returns the config words of a PMU's event by its name. A field whose value the user must give has
/// that of `user`.
pub(crate) fn named(kind: BoxKind, name: &str, user: Words) -> Words {
    let place = |field: &str| {
        let found = all_fields(kind).into_iter().find(|(own, _)| *own == field);
        bits(found.unwrap_or_else(|| panic!("{name}: {field}")))
    };
    let asked = |word: usize, mask| user.0[word] & mask;
    let mut words = of_file(&kind.pmu(0), name, place, asked);
    // What the user adds to the name.
    for (word, added) in words.0.iter_mut().zip(user.0).skip(1) {
        *word |= added;
    }
    words
}

/// The boxes that may count an event; the IRP's sets are no boxes.
fn places(shape: &Shape, probe: Probe) -> Vec<Probe> {
    match probe.kind {
        BoxKind::Irp => vec![probe],
        kind => (0..shape.most(kind))
            .map(|instance| probe.on(instance))
            .collect(),
    }
}

/// Counts each event on some box of each package, as many at a time as fit, and returns what is
/// wrong. `words` makes the request of an event.
fn mismatches(
    host: &Host,
    events: impl Iterator<Item = Probe>,
    words: impl Fn(&Probe) -> Words,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let shape = Shape::of(&Config::default());
    for run in pack(events.map(|probe| places(&shape, probe))) {
        let mut opened = Vec::new();
        for probe in &run {
            for (package, cpu) in packages() {
                let event = known(&probe.pmu()).open(&attributes(words(probe), cpu), None);
                let event = event.unwrap_or_else(|error| panic!("{}: {error:?}", probe.event()));
                opened.push((event, probe, package));
            }
        }
        host.traffic(BURST);
        for (event, probe, package) in &opened {
            let (seen, right) = (event.read(), probe.count(*package, BURST));
            if !event.is_active() || seen != right {
                wrong.push(format!(
                    "{} in package {package}: {seen}, not {right}",
                    probe.event()
                ));
            }
        }
    }
    wrong
}

#[test]
fn every_event_counts_its_traffic() {
    on_each_platform(|host| {
        let shape = Shape::of(&Config::default());
        let all = [events::rows(&shape), events::fixed(&shape)].concat();
        let events = all.into_iter();
        let on_one_box = |probe: &Probe| probe.instance == 0 || probe.kind == BoxKind::Irp;
        let wrong = mismatches(host, events.filter(on_one_box), |probe| {
            let Words(mut asked) = probe.words();
            // The driver fills in all states.
            asked[1] &= !field(probe.kind, "filter_state").map_or(0, |(_, states)| states);
            let Words(mut words) = named(probe.kind, probe.name(), Words(asked));
            // The set is no part of the name.
            words[0] |= u64::from(probe.kind == BoxKind::Irp && probe.instance == 1) << 32;
            Words(words)
        });
        assert_none(&wrong);
    });
}

/// The bit of the fixed counter, above those of the others.
const FIXED: u32 = 1 << 8;

/// Returns the counters of its PMU on which the driver counts an event.
fn counters(probe: &Probe) -> u32 {
    let Some(counters) = probe.counters() else {
        return FIXED;
    };
    let own = u32::from(counters) & ((1 << probe.kind.counters()) - 1);
    match probe.kind {
        BoxKind::Irp => own << (probe.kind.counters() * probe.instance),
        _ => own,
    }
}

/// A group takes an event as often as counters can count it, and no more.
#[test]
fn every_event_has_its_counters() {
    on_each_platform(|_| {
        let mut wrong = Vec::new();
        for probe in events::rows(&Shape::of(&Config::default())) {
            let on_one_box = probe.instance == 0 || probe.kind == BoxKind::Irp;
            if probe.counters().is_none() || !on_one_box {
                continue;
            }
            let right = counters(&probe).count_ones();
            let mut group: Vec<Event> = Vec::new();
            while let Ok(event) = try_probe(&probe, 0, group.first()) {
                group.push(event);
            }
            if u32::try_from(group.len()) != Ok(right) {
                let event = probe.event();
                wrong.push(format!("{event}: {} counters, not {right}", group.len()));
            }
        }
        assert_none(&wrong);
    });
}

#[test]
fn every_filter_selects_its_share() {
    on_each_platform(|host| {
        let settings = filters::settings().into_iter();
        assert_none(&mismatches(host, settings, Probe::words));
    });
}

/// By the other reading of their masks B-Box and M-Box count the same shares.
#[test]
fn every_mask_that_compares_selects_its_share() {
    on_each_machine_that(
        || BoxKind::Bbox.exists(),
        |host| {
            host.command("reading X-3:b");
            let _driver = load("auto").expect("the driver loads");
            let settings = filters::where_masks_compare().into_iter();
            assert_none(&mismatches(host, settings, Probe::words));
            assert_eq!(host.command("violations"), "");
        },
    );
}

#[test]
fn each_overflow_interrupts_and_is_found_in_its_box() {
    const INTERVAL: u64 = 8_000_000;
    on_each_platform_that(Platform::interrupts, |host| {
        test_interrupts(host);
        let shape = Shape::of(&Config::default());
        let mut kinds = BoxKind::all().collect::<Vec<_>>();
        kinds.retain(|&kind| fields(kind).contains(&INTERVAL_FIELD));
        let general = kinds
            .iter()
            .filter_map(|&kind| Probe::clock(kind))
            .flat_map(|probe| (0..shape.most(probe.kind)).map(move |instance| probe.on(instance)));
        for probe in general.chain(events::fixed(&shape)) {
            let request = attributes(probe.words_every(INTERVAL), 0);
            let event = known(&probe.pmu()).open(&request, None);
            let event = event.unwrap_or_else(|_| panic!("{}", debugfs("rejections")));
            let before = statistic("taken");
            host.traffic(4 * INTERVAL);
            let taken = statistic("taken") - before;
            assert!((1..=8).contains(&taken), "{}: {taken}", probe.event());
            assert_eq!(event.read(), probe.count(0, 4 * INTERVAL));
        }
        assert_eq!(statistic("caught_by_timer"), 0);
        assert_eq!(statistic("spurious"), 0);
    });
}

/// Returns the readings of the current processor by which counters ignore writes.
fn without_writes() -> Vec<String> {
    readings_with("CountersIgnore", Processor::current().name())
}

/// Words of the refusal of what needs a written counter.
const NEEDS_WRITES: &str = "needs counters that can be written";

/// Counts from wherever the counters stand, twice, and refuses what needs a written counter.
#[test]
fn counters_that_cannot_be_written_count() {
    // They ignore the write, or it faults.
    for nth in 0..2 {
        let any = || true;
        on_each_machine_that(any, |host| {
            host.command(&format!("reading {}", without_writes()[nth]));
            let _driver = load("auto").expect("the driver loads");
            let missing = |kind: &BoxKind| find::<UncorePmu>(&kind.pmu(0)).is_none();
            let missing: Vec<_> = BoxKind::all().filter(missing).collect();
            // Only a write tells which of two places its counters have.
            let places = readings_with("IrpOfKernel", Processor::current().name()).len();
            assert_eq!(missing, [BoxKind::Irp][..places]);
            let shape = Shape::of(&Config::default());
            let clocks = BoxKind::all().filter_map(Probe::clock);
            let all = clocks.chain(events::fixed(&shape));
            let all: Vec<_> = all.filter(|probe| !missing.contains(&probe.kind)).collect();
            for _ in 0..2 {
                assert_none(&mismatches(host, all.iter().cloned(), Probe::words));
            }
            for probe in all {
                if fields(probe.kind).contains(&INTERVAL_FIELD) {
                    let request = attributes(probe.words_every(1 << 24), 0);
                    let opened = known(&probe.pmu()).open(&request, None);
                    is_refused(opened, EINVAL, NEEDS_WRITES);
                }
            }
            assert_eq!(host.command("violations"), "");
        });
    }
}

#[test]
fn residencies_are_those_of_the_core_that_counts() {
    on_each_platform_that(has_residencies, |host| {
        for residency in Residency::ALL {
            let words = named(BoxKind::Pcu, residency.event(), Words([0; 3]));
            let open = |(package, cpu)| {
                let opened = known(&BoxKind::Pcu.pmu(0)).open(&attributes(words, cpu), None);
                (opened.expect("a residency"), package, cpu)
            };
            let opened: Vec<_> = packages().map(open).collect();
            // They take no general counter.
            let clocks = vec![Probe::clock(BoxKind::Pcu).expect("a clock"); 4];
            assert_none(&mismatches(host, clocks.into_iter(), Probe::words));
            for (event, package, cpu) in &opened {
                let right = residency.count(*package, 0, BURST);
                // What another core has under that number is another counter.
                assert_eq!(event.read_on(cpu + 1), None);
                assert_eq!((event.read_on(*cpu), event.read()), (Some(right), right));
            }
        }
    });
}

/// The counters of a QPI port that always run.
#[test]
fn links_count_on_each_port() {
    on_each_platform_that(
        || !Link::all().is_empty(),
        |host| {
            for port in 0..Shape::of(&Config::default()).most(BoxKind::Qpi) {
                for link in Link::all() {
                    let words = named(BoxKind::Qpi, link.event(), Words([0; 3]));
                    let open = |(package, cpu)| {
                        let opened =
                            known(&BoxKind::Qpi.pmu(port)).open(&attributes(words, cpu), None);
                        (opened.expect("a counter that runs"), package)
                    };
                    let opened: Vec<_> = packages().map(open).collect();
                    host.traffic(BURST);
                    for (event, package) in &opened {
                        let right = link.count(port, *package, BURST);
                        assert_eq!(event.read(), right, "{}", link.event());
                    }
                }
            }
        },
    );
}

#[test]
fn a_residency_that_cannot_be_read_is_refused() {
    const C6: &str = "0x3fd";
    on_each_machine_that(has_residencies, |host| {
        host.command(&format!("fail-msr 0 {C6}"));
        let _driver = load("auto").expect("the driver loads");
        let pmu = known(&BoxKind::Pcu.pmu(0));
        let open = |residency: Residency, cpu| {
            let words = named(BoxKind::Pcu, residency.event(), Words([0; 3]));
            pmu.open(&attributes(words, cpu), None)
        };
        is_refused(open(Residency::C6, 0), ENODEV, "core_c6_ctr");
        assert!(open(Residency::C6, 2).is_ok());
        assert!(open(Residency::C3, 0).is_ok());
    });
}

#[test]
fn files_are_those_of_the_catalogue() {
    on_each_platform(|_| {
        for kind in BoxKind::all() {
            let pmu = kind.pmu(0);
            for (name, places) in all_fields(kind) {
                assert_eq!(file(&pmu, c"format", name), places, "{pmu} {name}");
            }
            for name in Catalogue::get().of(kind).filter_map(Row::name) {
                let own = |what| known(&pmu).show(Some(c"events"), &format!("{name}.{what}"));
                let scale = own("scale").map(|text| text.trim_end().parse::<f64>());
                assert_eq!(
                    own("unit").as_deref().map(str::trim_end),
                    unit(kind, &name).map(|unit| unit.name),
                    "{pmu} {name}"
                );
                assert_eq!(
                    scale,
                    unit(kind, &name).map(|unit| Ok(unit.scale)),
                    "{pmu} {name}"
                );
            }
            let caps = ["counters", "width"].map(|name| file(&pmu, c"caps", name));
            let sets = if kind == BoxKind::Irp { 2 } else { 1 };
            let right = [
                (sets * kind.counters()).to_string(),
                kind.width().to_string(),
            ];
            assert_eq!(caps, right, "{pmu}");
        }
    });
}

/// Makes a request in the words of `perf-open`.
fn request(text: &str) -> Attr {
    let mut attr = attr(0, 0);
    for word in text.split(' ') {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        let exclude = &mut attr.exclude;
        match name {
            "config" => attr.words.config = number(value),
            "config1" => attr.words.config1 = number(value),
            "config2" => attr.words.config2 = number(value),
            "cpu" => attr.cpu = value.parse().ok().and_then(Cpu::new),
            "pid" => attr.task = true,
            "period" | "freq" => attr.sampling = true,
            "sample_type" | "branch" => attr.branches = true,
            "exclude_user" => exclude.user = true,
            "exclude_kernel" => exclude.kernel = true,
            "exclude_hv" => exclude.hypervisor = true,
            "exclude_idle" => exclude.idle = true,
            "exclude_host" => exclude.host = true,
            "exclude_guest" => exclude.guest = true,
            _ => panic!("{word}"),
        }
    }
    attr
}

/// Makes a request and returns the errno.
fn answer(refusal: &Refusal) -> String {
    let pmu = known(&Platform::current().pmu(&refusal.unit));
    match pmu.open(&request(&refusal.request), None) {
        Ok(_) => "ok".to_owned(),
        // The kernel crate has no name for it.
        Err(error) if error == eopnotsupp() => "EOPNOTSUPP".to_owned(),
        Err(error) => format!("{error:?}"),
    }
}

/// A list, and what it was made of.
type Made<K, V> = RefCell<Option<(K, Rc<[V]>)>>;

/// Returns what `make` makes of `of`, or what it has made of the same the last time: many readings
/// need the same lists.
fn made<K: PartialEq, V>(
    last: &'static LocalKey<Made<K, V>>,
    of: K,
    make: impl FnOnce(&K) -> Vec<V>,
) -> Rc<[V]> {
    let known = last.take().filter(|(before, _)| *before == of);
    let (of, made) = known.unwrap_or_else(|| {
        let made = make(&of).into();
        (of, made)
    });
    last.set(Some((of, Rc::clone(&made))));
    made
}

/// Makes one in `step` of the requests that must be refused, and returns what is wrong.
fn mismatched_refusals(step: usize) -> Vec<String> {
    let pmu = |unit: &str| find::<UncorePmu>(&Platform::current().pmu(unit));
    let taken = always_running().into_iter().filter_map(|(kind, event)| {
        find::<UncorePmu>(&kind.pmu(0))?.show(Some(c"events"), event)?;
        let Words([config, ..]) = named(kind, event, Words([0; 3]));
        Some((kind, config))
    });
    type Taken = (Processor, Vec<(BoxKind, u64)>);
    thread_local!(static LAST: Made<Taken, Refusal> = const { RefCell::new(None) });
    let of = (Processor::current(), taken.collect());
    let all = made(&LAST, of, |(_, taken)| refusals(taken));
    let all = all.iter().filter(|refusal| pmu(&refusal.unit).is_some());
    let all: Vec<&Refusal> = all.step_by(step).collect();
    let mut wrong = Vec::new();
    for some in all.chunks(REMEMBERED) {
        let answers: Vec<String> = some.iter().map(|refusal| answer(refusal)).collect();
        let rejections = debugfs("rejections");
        let lines: Vec<&str> = rejections.lines().collect();
        let said = sentences(&lines, some.len()).expect("a sentence each");
        for ((refusal, answer), said) in some.iter().zip(&answers).zip(said) {
            wrong.extend(refusal.mismatch(answer, said));
        }
    }
    wrong
}

#[test]
fn every_refusal_names_what_is_wrong_and_changes_nothing() {
    on_each_platform(|host| {
        let state = host.command("state");
        assert_none(&mismatched_refusals(1));
        assert_eq!(host.command("state"), state);
    });
}
