// SPDX-License-Identifier: GPL-2.0

//! Experiments with the PCU: bands, states of cores and packages, what waits for a change of frequency.

use crate::counts::{alike, compared, event, thresh, EXT, IDLE, SWEEP_TIME};
use crate::lab::{open, wait, Lab, Outcome, Stop, COUNT_TIME, EDGE, EN};

pub(crate) fn demotions(lab: &mut Lab) -> Outcome {
    let events = [(0, 0x1e), (1, 0x1f), (2, 0x20), (3, 0x21)];
    let mut with_none = 0;
    let mut any = 0;
    for reason in 0..256 {
        let counts = lab.count("pcu", &[(0, reason)], &events, SWEEP_TIME / 4)?;
        let count: u64 = counts.iter().sum();
        any += count;
        if reason == 0 {
            with_none = count;
        }
    }
    lab.note(format!(
        "pcu DEMOTIONS of 4 cores: filter 0 {with_none}, all filters {any}"
    ));
    match (with_none, any) {
        (_, 0) => open("no core was demoted: run it again while cores fall asleep"),
        (0, _) => Ok('a'),
        _ => Ok('b'),
    }
}

pub(crate) fn bands(lab: &mut Lab) -> Outcome {
    // The band is 0 from before: the control counts with it until the filter acts.
    let (none, all) = (0xff, 0);
    let band = event(0x0b, 0) | EN;
    let steps = [
        lab.set("pcu", "filter0", all),
        lab.set("pcu", "ctl0", 0),
        lab.set("pcu", "ctr0", 0),
        lab.set("pcu", "ctl0", band),
        wait(COUNT_TIME),
        lab.get("pcu", "ctr0"),
        // No read here: time passes with each access, and the frequency may change in it.
        lab.set("pcu", "filter0", none),
        wait(COUNT_TIME),
        lab.get("pcu", "ctr0"),
        lab.set("pcu", "ctl0", 0),
        lab.set("pcu", "filter0", 0),
    ];
    let [counted, late] = lab.prompt_counts(&steps)?;
    let after = late.saturating_sub(counted);
    lab.note(format!(
        "pcu FREQ_BAND0: counted {counted} at any frequency, then {after} after a change to none"
    ));
    match () {
        () if counted == 0 && after == 0 => open("the band of any frequency counted nothing"),
        () if after > counted / 2 => Ok('b'),
        // It counts from the read to the change.
        () if after <= counted / 10 => Ok('a'),
        () => open("the change held for a part of the time"),
    }
}

/// Tells if more registers of the PCU than its filter wait for a change of frequency.
pub(crate) fn bands_and_controls(lab: &mut Lab) -> Outcome {
    let clock = lab.clock("pcu") | EN;
    let steps = [
        lab.set("pcu", "ctl0", 0),
        lab.set("pcu", "ctr0", 0),
        lab.set("pcu", "ctl1", clock),
        wait(COUNT_TIME),
        // Counter 1 runs now. No read after the write: the frequency may change in it.
        lab.get("pcu", "ctr1"),
        lab.set("pcu", "ctl0", clock),
        wait(COUNT_TIME),
        lab.get("pcu", "ctr0"),
        lab.get("pcu", "ctr1"),
        lab.set("pcu", "ctl0", 0),
        lab.set("pcu", "ctl1", 0),
    ];
    let [before, late, after] = lab.prompt_counts(&steps)?;
    let running = after.saturating_sub(before);
    lab.note(format!(
        "pcu clock: {late} from the write of its control register on, {running} on a counter that ran"
    ));
    match running {
        0 => open("no clock counted"),
        _ if late < running / 10 * 9 => Ok('c'),
        _ => bands(lab),
    }
}

/// Ends an experiment on a machine whose registers of the PCU act late.
fn needs_prompt_pcu(lab: &Lab) -> Result<(), Stop> {
    if lab.holds("B-14", 'c') {
        return open("registers of the PCU act late (B-14)");
    }
    Ok(())
}

/// POWER_STATE_OCCUPANCY with cores in C0.
const CORES_C0: u64 = 0x80 | 1 << 14;

pub(crate) fn occupancy_bits(lab: &mut Lab) -> Outcome {
    needs_prompt_pcu(lab)?;
    if lab.holds("U-65", 'c') {
        return open("bit 18 is reserved (U-65)");
    }
    let c0 = lab.count_one("pcu", &[], CORES_C0)?;
    if c0 == 0 {
        return open("no core was seen in C0");
    }
    if lab.count_one("pcu", &[], 0x80)? > 0 {
        return Ok('b');
    }
    let events = [
        (0, CORES_C0 | thresh(1)),
        (1, CORES_C0 | thresh(1) | EDGE),
        (2, CORES_C0 | thresh(1) | 1 << 31),
    ];
    let [plain, edge, other] = lab.count("pcu", &[], &events, COUNT_TIME)?;
    lab.note(format!(
        "pcu clocks with a core in C0: {plain}; with bit 18: {edge}; with bit 31: {other}"
    ));
    match () {
        () if alike(plain, edge) && alike(plain, other) => open("neither bit has an effect"),
        () if alike(plain, edge) => Ok('c'),
        () if alike(plain, other) => Ok('d'),
        () => Ok('a'),
    }
}

pub(crate) fn residency(lab: &mut Lab) -> Outcome {
    let cores = lab.site.cores.clone();
    let ([first, .., last], package) = (cores.as_slice(), lab.site.package.clone()) else {
        return open("one core is online");
    };
    let at = |cpu: &u32, register: &str| format!("pcu {package}@{cpu} {register}");
    let mut own = false;
    let mut moved = false;
    for register in ["fixed_ctr", "fixed_ctr1"] {
        let steps = [
            at(first, register),
            at(last, register),
            at(first, register),
            at(last, register),
        ];
        let [one, two, three, four] = lab.values(&steps)?;
        lab.note(format!(
            "pcu {register}: {one:#x} on CPU {first}, {two:#x} on CPU {last}, then {three:#x} and \
             {four:#x}"
        ));
        moved |= one | two != 0;
        own |= !(one <= two && two <= three && three <= four);
    }
    match (moved, own) {
        (false, _) => open("no core has slept in C3 or C6"),
        (true, true) => Ok('a'),
        (true, false) => Ok('b'),
    }
}

pub(crate) fn min_perf(lab: &mut Lab) -> Outcome {
    let with = lab.count_one("pcu", &[], EXT | 0x02)?;
    let without = lab.count_one("pcu", &[], 0x62)?;
    match (with, without) {
        (0, 0) => open("the frequency was never at its minimum: run it again on an idle machine"),
        (1.., _) => Ok('a'),
        _ => Ok('b'),
    }
}

pub(crate) fn package_states(lab: &mut Lab) -> Outcome {
    let (mut with, mut without) = (0, 0);
    for select in 0x2a..=0x2d {
        with += lab.count_one("pcu", &[], EXT | select)?;
        without += lab.count_one("pcu", &[], select)?;
    }
    match (with, without) {
        (0, 0) => open("no code counted"),
        (1.., 1..) => Ok('a'),
        (1.., 0) => Ok('b'),
        (0, 1..) => Ok('c'),
    }
}

pub(crate) fn joined_counters(lab: &mut Lab) -> Outcome {
    needs_prompt_pcu(lab)?;
    // Any event of the PCU that counts now. Counter 2 has it for the same time: another time may be
    // much longer.
    for select in [0x00, 0x60, 0x61, 0x70, 0x71] {
        let events = [(0, CORES_C0 | thresh(1)), (1, select), (2, select)];
        let [_, beside, alone] = lab.count("pcu", &[], &events, COUNT_TIME)?;
        if alone > 0 {
            lab.note(format!(
                "pcu event {select:#x} beside an occupancy with a threshold on counter 0: {beside} \
                 on counter 1, {alone} on counter 2"
            ));
            return compared(beside, alone, ['a', 'b']);
        }
    }
    open("no event of the PCU counted")
}

pub(crate) fn occupancy_on_counter_0(lab: &mut Lab) -> Outcome {
    let [first, second] = lab.count("pcu", &[], &[(0, CORES_C0), (1, CORES_C0)], COUNT_TIME)?;
    lab.note(format!(
        "pcu POWER_STATE_OCCUPANCY: {first} on counter 0, {second} on counter 1"
    ));
    compared(first, second, ['a', 'b'])
}

pub(crate) fn inverted_occupancy(lab: &mut Lab) -> Outcome {
    let plain = CORES_C0 | thresh(1);
    let events = [(1, plain), (2, plain | 1 << 23)];
    let [plain, inverted] = lab.count("pcu", &[], &events, COUNT_TIME)?;
    lab.note(format!(
        "pcu clocks with a core in C0: {plain}, with bit 23: {inverted}"
    ));
    match plain {
        0 => open("no core was seen in C0"),
        _ if alike(plain, inverted) => Ok('b'),
        _ => Ok('a'),
    }
}

pub(crate) fn inverted_edges(lab: &mut Lab) -> Outcome {
    let unit = lab.first("imc")?;
    for rank in 0..8 {
        let control = event(0x83, 1 << rank) | thresh(1);
        if lab.count_one(&unit, &[], control)? > 0 {
            let edges = lab.count_one(&unit, &[], control | EDGE | 1 << 23)?;
            return Ok(if edges > 0 { 'a' } else { 'b' });
        }
    }
    open(IDLE)
}

pub(crate) fn most_cores(lab: &mut Lab) -> Outcome {
    needs_prompt_pcu(lab)?;
    let above = lab.count_one("pcu", &[], CORES_C0 | thresh(9))?;
    if above > 0 {
        return Ok('b');
    }
    match lab.count_one("pcu", &[], CORES_C0 | thresh(8))? {
        0 => open("fewer than 8 cores were in C0 at once"),
        _ => Ok('a'),
    }
}
