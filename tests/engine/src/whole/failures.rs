// SPDX-License-Identifier: GPL-2.0

//! Each register in MSRs and each PCI function of package 1 fails, one at a time. What comes of it
//! follows from what the register or function is for. Other boxes of the package, and the same box of
//! the other one, count exactly whatever fails.

use super::{
    boxes::{events, load_all, Watched, MACHINE},
    *,
};
use kernel::error::Result;
use uncore_e2e::prelude::{BoxKind, Config, Function as Place, Probe, Shape};

/// Cycles of a burst, in which each event counts another number.
const BURST: u64 = 1_000_000;

/// CPUs of package 1, in which things fail.
const CPU: u32 = 2;
const ANOTHER_CPU: u32 = 3;

/// Registers of the C-Boxes, the PCU, the UBox and the package, from the specification's tables
/// (Documentation/hardware/ivbep.rst, sections 3, 7.1, 7.2 and 7.6). Each C-Box is 0x20 after the one
/// before.
const NEEDED: [(BoxKind, &[u32]); 3] = [
    (BoxKind::Ubox, &[0xc08, 0xc09, 0xc10, 0xc11, 0xc16, 0xc17]),
    (
        BoxKind::Pcu,
        &[
            0xc24, 0xc30, 0xc31, 0xc32, 0xc33, 0xc34, 0xc36, 0xc37, 0xc38, 0xc39,
        ],
    ),
    (
        BoxKind::Cbox,
        &[
            0xd04, 0xd10, 0xd11, 0xd12, 0xd13, 0xd14, 0xd16, 0xd17, 0xd18, 0xd19, 0xd1a,
        ],
    ),
];
const STRIDE: u32 = 0x20;
/// Box status, which is cleared when the box comes and read on an interrupt.
const STATUS: [(BoxKind, u32); 2] = [(BoxKind::Ubox, 0xc15), (BoxKind::Pcu, 0xc35)];
/// Global control, status and configuration; residency in C3 and C6, which no event here counts.
const NOT_NEEDED: [(BoxKind, u32); 5] = [
    (BoxKind::Ubox, 0xc00),
    (BoxKind::Ubox, 0xc01),
    (BoxKind::Ubox, 0xc06),
    (BoxKind::Pcu, 0x3fc),
    (BoxKind::Pcu, 0x3fd),
];

/// A failure.
#[derive(Debug)]
struct Failure {
    kind: BoxKind,
    instance: u8,
    /// Commands of the machine that begin and end it.
    fails: String,
    heals: String,
    /// The function that fails, if it is one.
    place: Option<String>,
    /// The filters of the box fail, which are in a function of their own.
    of_filters: bool,
    /// The box, or its filters, are missing if it fails from the beginning.
    is_missing: bool,
    /// Their events end if it fails while they count.
    ends: bool,
}

impl Failure {
    /// A failure from which a box is missing, and which ends its events.
    fn of_box(kind: BoxKind, instance: u8, fails: String, heals: String) -> Self {
        Self {
            kind,
            instance,
            fails,
            heals,
            place: None,
            of_filters: false,
            is_missing: true,
            ends: true,
        }
    }

    fn unit(&self) -> String {
        self.kind.box_name(self.instance)
    }

    /// Returns the function that fails.
    fn function(&self, host: &Host) -> Option<Function> {
        let place = self.place.as_ref()?;
        let mut functions = host.functions().into_iter();
        functions.find(|at| at.to_string() == *place)
    }

    /// Returns whether the event of this number needs what fails.
    fn is_victim(&self, index: usize) -> bool {
        !self.of_filters || index == 0
    }

    /// Returns the name of what fails in the log.
    fn subject(&self) -> String {
        let unit = self.unit();
        match self.of_filters {
            true => format!("the filter function of {unit}"),
            false => unit,
        }
    }
}

/// Returns the failures of all registers.
fn registers() -> Vec<Failure> {
    let failure = |kind, instance, msr: u32, is_missing, ends| {
        let [fails, heals] = ["fail", "heal"].map(|word| format!("{word}-msr 1 {msr:#x}"));
        Failure {
            is_missing,
            ends,
            ..Failure::of_box(kind, instance, fails, heals)
        }
    };
    let needed = NEEDED.iter().flat_map(|&(kind, msrs)| {
        let boxes = 0..Shape::of(&Config::default()).most(kind);
        boxes.flat_map(move |instance| {
            let place = STRIDE * u32::from(instance);
            msrs.iter()
                .map(move |msr| failure(kind, instance, msr + place, true, true))
        })
    });
    let status = STATUS.map(|(kind, msr)| failure(kind, 0, msr, true, false));
    let others = NOT_NEEDED.map(|(kind, msr)| failure(kind, 0, msr, false, false));
    needed.chain(status).chain(others).collect()
}

/// Returns the failures of all functions.
fn functions() -> Vec<Failure> {
    let shape = Shape::of(&Config::default());
    let failure = |kind, instance, of_filters, place: Place| {
        let [fails, heals] = ["hide", "show"].map(|word| format!("{word} {place}"));
        Failure {
            place: Some(place.to_string()),
            of_filters,
            ..Failure::of_box(kind, instance, fails, heals)
        }
    };
    let mut all = Vec::new();
    for kind in BoxKind::all() {
        for instance in 0..shape.most(kind) {
            let place = Place::of(1, kind, instance);
            all.extend(place.map(|place| failure(kind, instance, false, place)));
            let filters = Place::of_filters(1, instance).filter(|_| kind == BoxKind::Qpi);
            all.extend(filters.map(|place| failure(kind, instance, true, place)));
        }
    }
    // Both sets of the IRP are in one function.
    all.dedup_by(|one, before| one.place == before.place);
    all
}

/// Returns locks of firmware, of a box of each type: its registers read as before, and writes are
/// ignored or, to MSRs, fault.
fn locks() -> Vec<Failure> {
    let lock = |kind: BoxKind, how: &str| {
        let [fails, heals] =
            ["lock", "unlock"].map(|word| format!("{word} 1 {}", kind.box_name(0)));
        Failure::of_box(kind, 0, fails + how, heals)
    };
    let hows = |kind: BoxKind| match kind.function(0) {
        Some(_) => &[""][..],
        None => &["", " fault"],
    };
    let of_kind = |kind| hows(kind).iter().map(move |how| lock(kind, how));
    BoxKind::all().flat_map(of_kind).collect()
}

/// Loads the driver with interrupts, as it uses more registers then. Nothing overflows meanwhile: a
/// package whose global control register alone fails would stay frozen.
fn load_pmi() -> crate::uncore::Uncore {
    load_all("pmi").expect("the driver loads")
}

/// Events of a box on a CPU.
fn own(failure: &Failure, cpu: u32) -> Vec<Result<Watched>> {
    let events = events(failure.kind, failure.instance);
    let opened = events.iter().map(|probe| Watched::open(probe, cpu));
    opened.collect()
}

/// Opens what a failure does not touch: events of two other boxes of the package, one with MSRs and
/// one with a function, and those of the box in package 0.
fn untouched(failure: &Failure) -> Vec<Watched> {
    let other = |of, wanted| u8::from((failure.kind, failure.instance) == (of, wanted)) + wanted;
    let beside = [
        Probe::cbox(other(BoxKind::Cbox, 1), "llc_lookup.any"),
        Probe::ha(other(BoxKind::Ha, 0), "requests.reads"),
    ];
    let beside = beside.map(|probe| Watched::open(&probe, CPU));
    let all = beside.into_iter().chain(own(failure, 0));
    all.map(|opened| opened.expect("it does not fail"))
        .collect()
}

fn assert_exact(failure: &Failure, watched: &[Watched], bursts: u64) {
    for one in watched {
        let expected = one.after(bursts, BURST);
        assert_eq!(one.event.read(), expected, "{failure:?}: {:?}", one.probe);
    }
}

/// Runs a test on a computer of its own with the driver loaded. Afterwards what failed is mended, and
/// the box counts.
fn trial(failure: &Failure, from_load: bool, test: impl FnOnce(&Host)) {
    on_computer(MACHINE, |host| {
        match failure.function(host).filter(|_| from_load) {
            // The PCI core has read its ID before.
            Some(at) => host.redirect(at, None),
            None if from_load => _ = host.command(&failure.fails),
            None => {}
        }
        let driver = load_pmi();
        test(host);
        host.command(&failure.heals);
        if let Some(at) = failure.function(host) {
            host.redirect(at, Some(at));
        }
        drop(driver);
        let _driver = load_pmi();
        let all = own(failure, CPU).into_iter().collect::<Result<Vec<_>>>();
        let all = all.unwrap_or_else(|error| panic!("{failure:?}: {error:?}"));
        host.traffic(BURST);
        assert_exact(failure, &all, 1);
    });
}

/// What fails from the beginning is named as missing, and its events are refused.
fn fails_from_load(failure: &Failure) {
    trial(failure, true, |host| {
        let log = kernel::print::take().concat();
        let missing = format!("package 1: missing {}: ", failure.subject());
        let silent = format!("package 1: {} no longer answers", failure.subject());
        let is_named = log.contains(&missing) || log.contains(&silent);
        assert_eq!(is_named, failure.is_missing, "{failure:?}: {log}");
        let topology = debugfs("topology");
        let (_, mine) = topology.split_once("package 1:").expect("two packages");
        let line = mine
            .lines()
            .find(|line| line.trim().starts_with(&failure.unit()));
        let words = if failure.of_filters {
            "filters: missing: "
        } else {
            "missing: "
        };
        let is_shown = line.is_some_and(|line| line.contains(words));
        assert_eq!(is_shown, failure.is_missing, "{failure:?}: {topology}");
        let pmu = known(&failure.kind.pmu(failure.instance));
        let mask = if failure.is_missing && !failure.of_filters {
            "0"
        } else {
            "0,2"
        };
        let shown = pmu.show(None, "cpumask").expect("a file");
        assert_eq!(shown.trim(), mask, "{failure:?}");
        let mut counting = untouched(failure);
        for (index, opened) in own(failure, CPU).into_iter().enumerate() {
            let is_refused = failure.is_missing && failure.is_victim(index);
            let error = opened.map(|watched| counting.push(watched)).err();
            assert_eq!(error, is_refused.then_some(ENODEV), "{failure:?}");
        }
        host.traffic(BURST);
        assert_exact(failure, &counting, 1);
    });
}

/// What fails while it counts is named once. Its events have counted all bursts up to some point and
/// none after that.
fn fails_while_counting(failure: &Failure) {
    trial(failure, false, |host| {
        let untouched = untouched(failure);
        let mut own: Vec<Watched> = own(failure, CPU).into_iter().flatten().collect();
        let mut counts = vec![Vec::new(); own.len()];
        let mut burst = |own: &[Watched]| {
            host.traffic(BURST);
            host.settle();
            let first = counts.len() - own.len();
            for (counts, one) in counts[first..].iter_mut().zip(own) {
                counts.push(one.event.read());
            }
        };
        burst(&own);
        assert_exact(failure, &own, 1);
        kernel::print::take();
        host.command(&failure.fails);
        burst(&own);
        let first = own.remove(0);
        let probe = first.probe.clone();
        drop(first);
        let again = Watched::open(&probe, ANOTHER_CPU);
        burst(&own);
        own.iter().for_each(|one| one.event.disable());
        own.iter().for_each(|one| one.event.enable());
        burst(&own);
        drop(again);
        let late = Watched::open(&probe, CPU);
        let error = late.as_ref().err().copied();
        assert_eq!(error, failure.ends.then_some(ENODEV), "{failure:?}");
        burst(&own);
        assert_exact(failure, &untouched, 5);
        for (index, one) in (1..).zip(&own) {
            // Its running time ends with its counts.
            let ended = failure.ends && failure.is_victim(index);
            assert_eq!(
                one.event.is_active(),
                !ended,
                "{failure:?}: {:?}",
                one.probe
            );
        }
        for (index, (counts, probe)) in counts
            .iter()
            .zip(events(failure.kind, failure.instance))
            .enumerate()
        {
            let each = probe.count(1, BURST);
            let exact: Vec<u64> = (1..)
                .map(|bursts| bursts * each)
                .take(counts.len())
                .collect();
            let counted = counts
                .iter()
                .zip(&exact)
                .take_while(|(now, exact)| now == exact);
            let counted = counted.count();
            let (_, rest) = counts.split_at(counted);
            let may_end = failure.ends && failure.is_victim(index);
            let ended = may_end && rest.iter().all(|now| *now == exact[counted - 1]);
            assert!(
                rest.is_empty() || ended,
                "{failure:?}: {probe:?}: {counts:?}"
            );
        }
        let log = kernel::print::take().concat();
        let silent = format!("package 1: {} no longer answers", failure.subject());
        for words in [silent.as_str(), "no longer answers"] {
            let named = log.matches(words).count();
            assert_eq!(named, usize::from(failure.ends), "{failure:?}: {log}");
        }
        assert!(!log.contains("another tool"), "{failure:?}: {log}");
    });
}

/// The kernel removes a function while its box counts, and finds it again.
fn is_removed_while_counting(failure: &Failure) {
    trial(failure, false, |host| {
        let at = failure.function(host).expect("a function");
        let untouched = untouched(failure);
        let mut own: Vec<Watched> = own(failure, CPU).into_iter().flatten().collect();
        let is_told = |what: &str| {
            let log = kernel::print::take();
            let words = format!("package 1: {} {what}", failure.subject());
            assert!(
                log.len() == 1 && log[0].ends_with(&words),
                "{words}: {log:?}"
            );
        };
        host.traffic(BURST);
        assert_exact(failure, &own, 1);
        kernel::print::take();
        host.remove_function(at);
        host.settle();
        is_told("removed");
        host.traffic(BURST);
        let others = own.split_off(if failure.of_filters { 1 } else { own.len() });
        assert_exact(failure, &own, 1);
        assert!(!own.iter().any(|one| one.event.is_active()), "{failure:?}");
        let topology = debugfs("topology");
        assert!(topology.contains("removed"), "{failure:?}: {topology}");
        let probe = own.remove(0).probe;
        let refused = Watched::open(&probe, ANOTHER_CPU).err();
        assert_eq!(refused, Some(ENODEV), "{failure:?}");
        host.rescan(at);
        is_told("added");
        let late = Watched::open(&probe, ANOTHER_CPU).expect("it is back");
        host.traffic(BURST);
        assert_exact(failure, &[late], 1);
        assert_exact(failure, &own, 2);
        assert_exact(failure, &others, 3);
        assert_exact(failure, &untouched, 3);
    });
}

#[test]
fn each_register_that_fails_takes_its_box_alone() {
    let all = registers();
    assert_eq!(all.len(), 10 + 13 + 3 * 11);
    for failure in &all {
        fails_from_load(failure);
        fails_while_counting(failure);
    }
}

#[test]
fn each_function_that_fails_takes_its_box_alone() {
    let all = functions();
    assert_eq!(all.len(), 2 + 8 + 1 + 2 + 1 + 2 + 2);
    for failure in &all {
        fails_from_load(failure);
        fails_while_counting(failure);
        is_removed_while_counting(failure);
    }
}

#[test]
fn a_box_that_firmware_has_locked_is_missing() {
    locks().iter().for_each(fails_from_load);
}

/// An event that counts keeps its counter. A later one cannot be programmed: it ends, or is refused.
#[test]
fn a_box_that_is_locked_later_counts_nothing_wrong() {
    for how in ["", " fault"] {
        on_computer(MACHINE, |host| {
            let _driver = load_pmi();
            let [probe, later] = ["llc_lookup.any", "tor_inserts.all"].map(|n| Probe::cbox(0, n));
            let [counting, elsewhere] =
                [CPU, 0].map(|cpu| Watched::open(&probe, cpu).expect("an event"));
            host.traffic(BURST);
            host.command(&format!("lock 1 cbox_0{how}"));
            host.traffic(BURST);
            assert_eq!(counting.event.read(), counting.after(2, BURST), "{how}");
            let later = Watched::open(&later, CPU);
            host.traffic(BURST);
            verify(host);
            assert!(!later.is_ok_and(|later| later.event.is_active()), "{how}");
            let goes_on = counting.event.is_active();
            let bursts = if goes_on { 3 } else { 2 };
            assert_eq!(
                counting.event.read(),
                counting.after(bursts, BURST),
                "{how}"
            );
            assert_eq!(elsewhere.event.read(), elsewhere.after(3, BURST), "{how}");
        });
    }
}
