// SPDX-License-Identifier: GPL-2.0

//! Accesses to hardware while interrupts are off. The tables give the limits for each type of boxes.

use super::*;
use crate::{computer::attributes, host::Opener, platforms, uncore::table::box_type::BoxType};
use uncore_e2e::{
    formats::{fields, INTERVAL as INTERVAL_FIELD},
    prelude::{BoxKind, Config, Platform, Probe, Processor, Shape},
    sweep::events,
};

/// Most accesses to a counter, one of whose halves is read twice.
const COUNTER: usize = 3;

/// Most accesses of a section in which a box comes: the driver tries its bits.
const ATTACH: usize = 80;

/// Accesses to registers of the package.
const GLOBAL: usize = 4;

/// Returns the driver's table of a type of boxes.
fn table(kind: BoxKind) -> &'static BoxType {
    let name = Platform::current().name();
    let tables = platforms::ALL.iter().filter(|table| table.name == name);
    let mut kinds = tables.flat_map(|table| table.box_types);
    let found = kinds.find(|table| table.name == kind.unit());
    found.unwrap_or_else(|| panic!("no {kind:?} of {name}"))
}

/// Most accesses of a section that the driver opens: twice the counters of one box, which can be two
/// dwords, and its other registers, of which some take a value only from two writes.
fn own_limit(kind: &BoxType) -> usize {
    let fixed = kind.fixed.iter().filter(|fixed| fixed.control.is_some());
    let writes = 1 + usize::from(kind.control.twice);
    let controls = kind.counters.len() * writes + fixed.count();
    let controls = controls + usize::from(kind.box_control.is_some());
    2 * (kind.counters.len() + kind.fixed.len()) + controls + kind.filters.len()
}

/// Most accesses for events on some boxes in which the computer falls asleep and wakes up: each
/// counter is read, and read or written and read again; each control register is read and written,
/// once in two writes; box controls and filters are read, and written twice.
fn sleep_limit(kind: &BoxType, boxes: usize, events: usize) -> usize {
    events * (3 * COUNTER + 3) + boxes * (4 + 3 * kind.filters.len()) + GLOBAL
}

/// Opens as many events as fit on two boxes of a type, with an interval if they can interrupt. Returns
/// them with the number of boxes.
fn fill(kind: BoxKind, shape: &Shape) -> (Vec<Event>, usize) {
    let has_interval = fields(kind).contains(&INTERVAL_FIELD);
    let words = |probe: &Probe| match has_interval {
        true => probe.words_every(INTERVAL),
        false => probe.words(),
    };
    let all = [events::rows(shape), events::fixed(shape)].concat();
    let boxes = (0..shape.most(kind).min(2)).filter(|&index| has_pmu(&kind.box_name(index)));
    let boxes: Vec<u8> = boxes.collect();
    let mut opened = Vec::new();
    for &instance in &boxes {
        let mine = all
            .iter()
            .filter(|probe| probe.kind == kind && probe.instance == 0);
        for probe in mine.map(|probe| probe.on(instance)) {
            let open = || known(&probe.pmu()).open(&attributes(words(&probe), 0), None);
            let counting = std::iter::from_fn(|| open().ok().filter(Event::is_active));
            // A counter that always runs takes any number.
            opened.extend(counting.take(table(kind).counters.len().max(1)));
        }
    }
    (opened, boxes.len())
}

#[test]
fn a_section_handles_one_box_or_what_changes() {
    let mut wrong = Vec::new();
    for processor in Processor::ALL {
        processor.on(|| {
            let shape = Shape::of(&Config::default());
            let machine = format!("platform={},packages=1,cores=2,cboxes=3", processor.name());
            let largest = BoxKind::all().map(|kind| own_limit(table(kind))).max();
            let largest = largest.expect("there are boxes");
            for kind in BoxKind::all() {
                on_computer(&machine, |host| {
                    let limit = own_limit(table(kind));
                    let mut check = |what: &str, opener, limit: usize| {
                        let longest = host.take_longest(opener);
                        if usize::try_from(longest).expect("few") > limit {
                            wrong.push(format!(
                                "{processor:?} {kind:?} {what}: {longest} of {limit}"
                            ));
                        }
                    };
                    let driver = load("auto").expect("the driver loads");
                    check("load", Opener::Driver, ATTACH);
                    if Platform::interrupts() {
                        test_interrupts(host);
                        check("self-test", Opener::Driver, limit);
                    }
                    let (opened, boxes) = fill(kind, &shape);
                    assert!(opened.len() >= table(kind).counters.len(), "{kind:?}");
                    check("start", Opener::Driver, limit);
                    // Intervals end, in all counters of the boxes.
                    host.traffic(4 * INTERVAL);
                    check("overflow", Opener::Driver, limit);
                    verify(host);
                    check("poll", Opener::Driver, limit);
                    host.command("pmi drop");
                    host.traffic(4 * INTERVAL);
                    pass_slowly(host, 2 * LONGEST_LOOK_NS);
                    check("lost interrupt", Opener::Driver, limit);
                    host.command("pmi normal");
                    host.offline(0);
                    host.online(0);
                    check("move", Opener::Driver, limit);
                    host.take_longest(Opener::Kernel);
                    host.suspend_to_ram(1_000_000_000, || ());
                    check("prepare to sleep", Opener::Driver, limit);
                    let sleep = sleep_limit(table(kind), boxes, opened.len());
                    check("sleep", Opener::Kernel, sleep);
                    for at in host.functions() {
                        host.remove_function(at);
                    }
                    check("remove", Opener::Driver, largest);
                    drop((opened, driver));
                    check("unload", Opener::Driver, largest);
                });
            }
        });
    }
    uncore_e2e::prelude::assert_none(&wrong);
}
