// SPDX-License-Identifier: GPL-2.0

//! Sandy Bridge client: what the survey knows of it, and its experiments. No counter sends its
//! overflow: that could interrupt cores.

use super::{row, Description, Surveyed, GLOBAL};
use crate::bench::Answer;
use crate::counts::{alike, compared, event, thresh, IDLE};
use crate::lab::{open, Lab, Outcome, COUNT_TIME, EDGE};
use crate::points::{run, How, Listed, NO_INTERRUPT};
use crate::registers;

pub(super) const DESCRIPTION: Description = Description {
    processors: &[
        (42, "snb"),
        (58, "ivb"),
        (60, "hsw"),
        (69, "hsw"),
        (70, "hsw"),
        (61, "bdw"),
        (71, "bdw"),
    ],
    like: Some("snb"),
    own: 'S',
    points: POINTS,
    clocks: &[],
    hold: 0,
    xeon: None,
    surveyed: SURVEYED,
};

/// Those of section 9 of Documentation/hardware/snb.rst.
#[rustfmt::skip]
const POINTS: &[Listed] = &[
    ("S-16", run("counter-writes", registers::writes_to_counters)),
    ("S-1", How::Nothing(NO_INTERRUPT)),
    ("S-2", run("cbo-config", number_of_cboxes)),
    ("S-3", run("slices", slices)),
    ("S-4", run("spare-counters", spare_counters)),
    ("S-5", How::Nothing(NO_INTERRUPT)),
    ("S-6", run("largest-occupancy", largest_occupancy)),
    ("S-7", How::Nothing("not surveyed: no step makes the package sleep")),
    ("S-8", run("counter-width", width)),
    ("S-9", run("occupancy-on-counter-1", occupancy_on_counter_1)),
    ("S-11", run("edge-without-cmask", edge_without_threshold)),
    ("S-13", How::Nothing("not surveyed: without the bit the module has no box there; `setpci -s 0:0.0 48.l` tells the bit, and a boot with other firmware its meaning")),
    ("S-15", How::Nothing("not surveyed: it takes a suspend; read them before and after it")),
];

#[rustfmt::skip] // In columns.
const SURVEYED: &[Surveyed] = &[
    // Unit     register         place          bits

    // S-2: the number of C-Boxes, and the event select of a fifth.
    row(GLOBAL,   "config",        Some(0x396), 0),
    row(GLOBAL,   "cbox_4",        Some(0x740), 0),
    // S-4: a counter and a status that one list has.
    row("cbox",   "ctl2",          Some(0x2),  0xff),
    row("cbox",   "ctr2",          Some(0x8),  0),
    row("cbox",   "unit_status",   Some(0x5),  0),
    // S-8: the counters have 44 or 48 bits.
    row("arb",    "ctr",           None,       0xf << 44),
];

/// Global control that enables the counters and selects no core or slice.
const ENABLE_ONLY: u64 = 1 << 29;

/// `invert` of event control registers.
const INVERT: u64 = 1 << 23;

/// TRK_OCCUPANCY.ALL of the ARB, and CACHE_LOOKUP.ANY_MESI of a C-Box.
const OCCUPANCY: u64 = event(0x80, 0x01);
const LOOKUP: u64 = event(0x34, 0x8f);

fn number_of_cboxes(lab: &mut Lab) -> Outcome {
    let number = lab.read("global", "config")? & 0xf;
    let there = lab.boxes("cbox").len() as u64;
    let step = lab.get("global", "cbox_4");
    let has_another = !lab.run(&[step])?.contains(&Answer::Fault);
    lab.note(format!(
        "CBO_CONFIG is {number}, the package has {there} C-Boxes; MSR 0x740 {}",
        if has_another { "answers" } else { "faults" }
    ));
    match number {
        _ if has_another => Ok('c'),
        number if number == there + 1 => Ok('a'),
        number if number == there => Ok('b'),
        _ => open("CBO_CONFIG is neither the number of C-Boxes nor one more: please report it"),
    }
}

fn slices(lab: &mut Lab) -> Outcome {
    let unit = lab.first("cbox")?;
    let usual = lab.count_one(&unit, &[], LOOKUP)?;
    let alone = lab.count_by(&unit, ENABLE_ONLY, LOOKUP)?;
    compared(alone, usual, ['a', 'b'])
}

fn spare_counters(lab: &mut Lab) -> Outcome {
    let unit = lab.first("cbox")?;
    let steps = ["ctl2", "ctr2", "unit_status"].map(|register| lab.get(&unit, register));
    if lab.run(&steps)?.contains(&Answer::Fault) {
        lab.note(format!("{unit} ctl2, ctr2, unit_status: a read faults"));
        return Ok('c');
    }
    lab.kept(&unit, "ctl2", 0xff, ['b', 'a'])
}

fn largest_occupancy(lab: &mut Lab) -> Outcome {
    let above = lab.count_one("arb", &[], OCCUPANCY | thresh(21))?;
    let any = lab.count_one("arb", &[], OCCUPANCY | thresh(1))?;
    match (above, any) {
        (1.., _) => Ok('b'),
        (0, 1..) if lab.count_one("arb", &[], OCCUPANCY | thresh(18))? > 0 => Ok('a'),
        _ => open("the tracker was never nearly full: run it again under load"),
    }
}

fn width(lab: &mut Lab) -> Outcome {
    lab.write("arb", "ctl0", 0)?;
    lab.kept("arb", "ctr0", 0xf << 44, ['b', 'a'])
}

fn occupancy_on_counter_1(lab: &mut Lab) -> Outcome {
    let control = OCCUPANCY | thresh(1);
    let [first, second] = lab.count("arb", &[], &[(0, control), (1, control)], COUNT_TIME)?;
    lab.note(format!(
        "arb TRK_OCCUPANCY with CMASK 1: {first} on counter 0, {second} on counter 1"
    ));
    compared(second, first, ['b', 'a'])
}

fn edge_without_threshold(lab: &mut Lab) -> Outcome {
    let plain = lab.count_one("arb", &[], OCCUPANCY)?;
    let edges = lab.count_one("arb", &[], OCCUPANCY | EDGE)?;
    let inverted = lab.count_one("arb", &[], OCCUPANCY | INVERT)?;
    match () {
        () if plain == 0 => open(IDLE),
        () if inverted == 0 => Ok('c'),
        () if alike(plain, edges) => Ok('b'),
        () => Ok('a'),
    }
}
