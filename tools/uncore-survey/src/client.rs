// SPDX-License-Identifier: GPL-2.0

//! Experiments of Sandy Bridge client. No counter sends its overflow: that could interrupt cores.

use crate::bench::Answer;
use crate::counts::{alike, compared, event, thresh, IDLE};
use crate::lab::{open, reading, Lab, Outcome, COUNT_TIME, EDGE};

/// Global control that enables the counters and selects no core or slice.
const ENABLE_ONLY: u64 = 1 << 29;

/// `invert` of event control registers.
const INVERT: u64 = 1 << 23;

/// TRK_OCCUPANCY.ALL of the ARB, and CACHE_LOOKUP.ANY_MESI of a C-Box.
const OCCUPANCY: u64 = event(0x80, 0x01);
const LOOKUP: u64 = event(0x34, 0x8f);

pub(crate) fn number_of_cboxes(lab: &mut Lab) -> Outcome {
    let number = lab.read("global", "config")? & 0xf;
    let there = lab.boxes("cbox").len() as u64;
    let step = lab.get("global", "cbox_4");
    let has_another = !lab.run(&[step])?.contains(&Answer::Fault);
    lab.note(format!(
        "CBO_CONFIG is {number}, the package has {there} C-Boxes; MSR 0x740 {}",
        if has_another { "answers" } else { "faults" }
    ));
    match number {
        _ if has_another => reading('c'),
        number if number == there + 1 => reading('a'),
        number if number == there => reading('b'),
        _ => open("CBO_CONFIG is neither the number of C-Boxes nor one more: please report it"),
    }
}

pub(crate) fn slices(lab: &mut Lab) -> Outcome {
    let unit = lab.first("cbox")?;
    let usual = lab.count_one(&unit, &[], LOOKUP)?;
    let alone = lab.count_by(&unit, ENABLE_ONLY, LOOKUP)?;
    compared(alone, usual, ['a', 'b'])
}

pub(crate) fn spare_counters(lab: &mut Lab) -> Outcome {
    let unit = lab.first("cbox")?;
    let steps = ["ctl2", "ctr2", "unit_status"].map(|register| lab.get(&unit, register));
    if lab.run(&steps)?.contains(&Answer::Fault) {
        lab.note(format!("{unit} ctl2, ctr2, unit_status: a read faults"));
        return reading('c');
    }
    lab.kept(&unit, "ctl2", 0xff, ['b', 'a'])
}

pub(crate) fn largest_occupancy(lab: &mut Lab) -> Outcome {
    let above = lab.count_one("arb", &[], OCCUPANCY | thresh(21))?;
    let any = lab.count_one("arb", &[], OCCUPANCY | thresh(1))?;
    match (above, any) {
        (1.., _) => reading('b'),
        (0, 1..) if lab.count_one("arb", &[], OCCUPANCY | thresh(18))? > 0 => reading('a'),
        _ => open("the tracker was never nearly full: run it again under load"),
    }
}

pub(crate) fn width(lab: &mut Lab) -> Outcome {
    lab.write("arb", "ctl0", 0)?;
    lab.kept("arb", "ctr0", 0xf << 44, ['b', 'a'])
}

pub(crate) fn occupancy_on_counter_1(lab: &mut Lab) -> Outcome {
    let control = OCCUPANCY | thresh(1);
    let [first, second] = lab.count("arb", &[], &[(0, control), (1, control)], COUNT_TIME)?;
    lab.note(format!(
        "arb TRK_OCCUPANCY with CMASK 1: {first} on counter 0, {second} on counter 1"
    ));
    compared(second, first, ['b', 'a'])
}

pub(crate) fn edge_without_threshold(lab: &mut Lab) -> Outcome {
    let plain = lab.count_one("arb", &[], OCCUPANCY)?;
    let edges = lab.count_one("arb", &[], OCCUPANCY | EDGE)?;
    let inverted = lab.count_one("arb", &[], OCCUPANCY | INVERT)?;
    match () {
        () if plain == 0 => open(IDLE),
        () if inverted == 0 => reading('c'),
        () if alike(plain, edges) => reading('b'),
        () => reading('a'),
    }
}
