// SPDX-License-Identifier: GPL-2.0

//! Experiments with overflows of clocks: which bits they set, and where counters stop.

use crate::bench::Answer;
use crate::lab::{open, wait, Kept, Lab, Outcome, BEFORE, EN, OV_EN, RELEASED, WRAP_TIME};

/// Bits of a C-Box' clock with the overflow enable that the manual does not have.
const CBOX_OV_EN: u64 = EN | OV_EN;

pub(crate) fn enable_of_cbox(lab: &mut Lab) -> Outcome {
    let unit = lab.first("cbox")?;
    let kept = lab.keeps(&unit, "ctl0", 0, OV_EN)?;
    let wrapped = lab.wrap(&unit, 0, OV_EN)?;
    match (wrapped.global, kept) {
        // Those of later parts have no bit there, or one without an enable bit (H-3).
        (bits, _) if bits & 0x3_fff8 != 0 && !lab.xeon().is_late => Ok('b'),
        (_, Kept::Written) if lab.xeon().is_late => Ok('b'),
        (_, Kept::Written) => open("the bit is kept, and sends no overflow"),
        _ if lab.xeon().is_late && lab.holds("U-73", 'c') => {
            open("no overflow enable reads as written (U-73)")
        }
        _ => Ok('a'),
    }
}

pub(crate) fn status_of_cbox(lab: &mut Lab) -> Outcome {
    let unit = lab.first("cbox")?;
    let steps = [lab.get(&unit, "box_status")];
    if lab.run(&steps)?.contains(&Answer::Fault) {
        lab.note(format!("{unit} box_status: the read faults"));
        return Ok('c');
    }
    let clock = lab.clock(&unit);
    let steps = [
        lab.set(&unit, "box_ctl", RELEASED),
        lab.set(&unit, "ctl0", 0),
        lab.set(&unit, "ctr0", lab.before_overflow(&unit)),
        // Nothing else clears it.
        lab.set(&unit, "box_status", 0xf),
        lab.get(&unit, "box_status"),
        lab.set(&unit, "ctl0", clock | CBOX_OV_EN),
        wait(WRAP_TIME),
        lab.get(&unit, "ctr0"),
        lab.get(&unit, "box_status"),
        lab.set(&unit, "ctl0", 0),
    ];
    let [before, counter, after] = lab.values(&steps)?;
    lab.settle()?;
    lab.note(format!(
        "{unit} box_status: read {before:#x}; after an overflow of counter 0 {after:#x}"
    ));
    match () {
        () if counter >> 43 & 1 != 0 => open("its clock did not overflow"),
        () if after & !before & 0xf != 0 => Ok('b'),
        () if lab.holds("U-10", 'b') && !lab.holds("U-1", 'b') => {
            open("an overflow sets the status only with ov_en, which a C-Box lacks (U-1, U-10)")
        }
        () => Ok('a'),
    }
}

pub(crate) fn status_without_enable(lab: &mut Lab) -> Outcome {
    let unit = lab.first("ha")?;
    let with = lab.wrap(&unit, 0, OV_EN)?;
    if with.status == 0 {
        return open("an overflow with ov_en set no bit of the box status");
    }
    let without = lab.wrap(&unit, 0, 0)?;
    Ok(if without.status == 0 { 'b' } else { 'a' })
}

pub(crate) fn status_of_imc(lab: &mut Lab) -> Outcome {
    let unit = lab.first("imc")?;
    let mut bits = Vec::new();
    for counter in 0..4 {
        bits.push(lab.wrap(&unit, counter, OV_EN)?.status);
    }
    match bits.as_slice() {
        [0b10, 0b100, 0b1000, 0b1_0000] => Ok('a'),
        [0b1, 0b10, 0b100, 0b1000] => Ok('b'),
        _ => open("the bits are in neither order: please report them"),
    }
}

pub(crate) fn status_of_uclk(lab: &mut Lab) -> Outcome {
    let start = (1 << 48) - BEFORE;
    let wrapped = lab.overflow("ubox", ["fixed_ctl", "fixed_ctr"], start, EN | OV_EN)?;
    match (wrapped.status, wrapped.global) {
        (0, 1) => Ok('a'),
        (0b100, _) => Ok('b'),
        _ => open("it set other bits: please report them"),
    }
}

pub(crate) fn bits_of_ports(lab: &mut Lab) -> Outcome {
    let [qpi, r3qpi] = ["qpi", "r3qpi"].map(|unit| lab.boxes(unit).contains(&format!("{unit}_1")));
    let (unit, shared, own) = match (qpi, r3qpi) {
        (true, _) => ("qpi_1", 1 << 22, 1 << 23),
        (_, true) => ("r3qpi_1", 1 << 24, 1 << 25),
        _ => return open("this machine has one port and one link"),
    };
    let wrapped = lab.wrap(unit, 0, OV_EN)?;
    match wrapped.global {
        bits if bits == shared => Ok('a'),
        bits if bits == own => Ok('b'),
        _ => open("it set other bits: please report them"),
    }
}

pub(crate) fn skid(lab: &mut Lab) -> Outcome {
    let unit = lab.first("ha")?;
    let wrapped = lab.wrap(&unit, 0, OV_EN)?;
    Ok(if wrapped.counter == 0 { 'a' } else { 'b' })
}

pub(crate) fn bits_of_links(lab: &mut Lab) -> Outcome {
    /// `ov_rq`, and `ov_rq0` for links 0 and 1.
    const SHARED: u64 = 1 << 35;
    const OWN: u64 = 1 << 27;
    let unit = lab.first("r3qpi")?;
    match lab.wrap(&unit, 0, OV_EN)?.global & (SHARED | OWN) {
        SHARED => Ok('b'),
        OWN => Ok('c'),
        0 => open("it set neither bit: please report what it set"),
        _ => Ok('a'),
    }
}
