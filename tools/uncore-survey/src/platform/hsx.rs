// SPDX-License-Identifier: GPL-2.0

//! Experiments of points that only Haswell has. Many of its points are Broadwell's under other numbers,
//! so that their experiments are those.

use super::{bdx, Description};
use crate::bench::Answer;
use crate::counts::{compared, event, on_both, thresh, whole, IDLE};
use crate::lab::{open, wait, Kept, Lab, Outcome, COUNT_TIME, EN, OV_EN, RELEASED};
use crate::registers;

pub(super) const DESCRIPTION: Description = Description {
    processors: &[(63, "hsx")],
    like: Some("bdx"),
    own: 'H',
    ..bdx::DESCRIPTION
};

pub(super) fn widths(lab: &mut Lab) -> Outcome {
    const UPPER: u64 = 0xf << 44;
    let mut keep = Vec::new();
    for unit in ["ubox", "sbox", "r3qpi"] {
        let unit = lab.first(unit)?;
        lab.write(&unit, "ctl0", 0)?;
        keep.push(lab.keeps(&unit, "ctr0", 0, UPPER)? == Kept::Written);
    }
    match keep.as_slice() {
        [true, true, true] => Ok('a'),
        [false, true, true] => Ok('b'),
        [true, false, true] => Ok('c'),
        [true, true, false] => Ok('d'),
        [false, false, false] => Ok('e'),
        _ => open("no source has these widths: please report them"),
    }
}

pub(super) fn box_enables(lab: &mut Lab) -> Outcome {
    // The letters of U-8, which has one more reading.
    match registers::box_enables(lab)? {
        'd' => Ok('c'),
        'e' => Ok('d'),
        other => Ok(other),
    }
}

pub(super) fn bits_of_status(lab: &mut Lab) -> Outcome {
    /// One bit for each C-Box.
    const OF_CBOXES: u64 = 0x1f_fff8;
    /// Bits of port 1 of QPI, and of link 1 of R3QPI, if those of ports 2 are not theirs.
    const OF_PORTS: u64 = 1 << 26 | 1 << 28;
    let cbox = lab.first("cbox")?;
    // The bit may be there as long as that of the box.
    lab.write(&cbox, "box_status", 0xf)?;
    let new = lab.wrap(&cbox, 0, 0)?.global;
    if new & OF_CBOXES != 0 {
        return Ok('b');
    }
    let ports = ["qpi_1", "r3qpi_1"];
    let all = [lab.boxes("qpi"), lab.boxes("r3qpi")].concat();
    let Some(port) = ports
        .into_iter()
        .find(|port| all.contains(&(*port).to_owned()))
    else {
        return open("this machine has one port and one link");
    };
    match lab.wrap(port, 0, OV_EN)?.global {
        0 => open("it set no bit"),
        bits if bits & OF_PORTS != 0 => Ok('c'),
        _ => Ok('a'),
    }
}

/// Tells whether the register behind the controls of an S-Box is its status.
pub(super) fn status_of_sbox(lab: &mut Lab) -> Outcome {
    let unit = lab.first("sbox")?;
    match lab.keeps(&unit, "at_5", 0, 0xf)? {
        Kept::Written => Ok('c'),
        _ if lab.boxes("sbox").len() == 2 => Ok('a'),
        _ => open("it is a status; this part has all S-Boxes, whatever the fuses are without any"),
    }
}

/// EVENT_MSG.DOORBELL_RCVD.
const EVENT_MSG: u64 = event(0x42, 0x08);

pub(super) fn filter_of_ubox(lab: &mut Lab) -> Outcome {
    /// A thread that sends few messages.
    const THREAD: u64 = 0x3d;
    let read = lab.get("ubox", "filter0");
    if lab.run(&[read])?.contains(&Answer::Fault) {
        lab.note("ubox filter0: the read faults");
        return Ok('b');
    }
    if lab.keeps("ubox", "filter0", 0, 0x3f)? != Kept::Written {
        return open("it does not keep what is written: please report this");
    }
    let all = lab.count_one("ubox", &[], EVENT_MSG)?;
    let some = lab.count_one("ubox", &[(0, THREAD)], EVENT_MSG)?;
    compared(some, all, ['c', 'a'])
}

pub(super) fn link_and_c6(lab: &mut Lab) -> Outcome {
    const LINK: u64 = 0x7 << 6;
    // The letters of U-4 are the other way round.
    if registers::link_and_c6(lab)? == 'a' {
        return Ok('b');
    }
    let unit = lab.first("cbox")?;
    let inserts = event(0x35, 0x01);
    for opcode in [0x182, 0x180, 0x181, 0x187, 0x190, 0x194, 0x1e6, 0x1c8] {
        let opcode = opcode << 20;
        let all = lab.count_one(&unit, &[(1, opcode)], inserts)?;
        if all > 0 {
            let some = lab.count_one(&unit, &[(0, LINK), (1, opcode)], inserts)?;
            return compared(some, all, ['a', 'c']);
        }
    }
    open(IDLE)
}

pub(super) fn counters_of_distress(lab: &mut Lab) -> Outcome {
    let control = whole(lab, 0x09);
    on_both(lab, "cbox", 1, control, ['a', 'b'])
}

pub(super) fn counters_of_link_clock(lab: &mut Lab) -> Outcome {
    let control = whole(lab, 0x01);
    on_both(lab, "r3qpi", 2, control, ['a', 'b'])
}

pub(super) fn counters_of_link_credits(lab: &mut Lab) -> Outcome {
    on_both(lab, "r3qpi", 1, event(0x2a, 0x01), ['b', 'a'])
}

pub(super) fn counters_of_pressure(lab: &mut Lab) -> Outcome {
    on_both(lab, "ha", 3, event(0x61, 0x03), ['b', 'a'])
}

/// Place of the match and mask of QPI port 2.
const MATCH_OF_PORT_2: &str = "0a.6";

pub(super) fn match_of_port_2(lab: &mut Lab) -> Outcome {
    if !lab.boxes("qpi").contains(&"qpi_2".to_owned()) {
        return open("this machine has no third QPI port");
    }
    match lab.function(MATCH_OF_PORT_2) {
        Some(0x2f46) => Ok('a'),
        None => Ok('b'),
        Some(_) => open("it has another ID: please report it"),
    }
}

pub(super) fn one_write(lab: &mut Lab) -> Outcome {
    let of_sbox = bdx::one_write(lab)?;
    if of_sbox != 'a' {
        return Ok(of_sbox);
    }
    // Events of home agents and memory channels, of more boxes than the manual of Broadwell names.
    let unit = lab.first("ha")?;
    let control = event(0x01, 0x03) | EN;
    let read = bdx::written_once(lab, &unit, control)?;
    Ok(if read & 0xff == 0x01 { 'a' } else { 'c' })
}

pub(super) fn reset_of_qpi(lab: &mut Lab) -> Outcome {
    const RST: u64 = 1 << 17;
    let read = registers::reset_of_qpi(lab)?;
    if read != 'b' {
        return Ok(read);
    }
    // It reads 0: does it hold the counter all the same?
    let unit = lab.first("qpi")?;
    let clock = lab.clock(&unit) | RST;
    let steps = [
        lab.set(&unit, "box_ctl", RELEASED),
        // H-23: it may take two writes.
        lab.set(&unit, "ctl0", clock),
        lab.set(&unit, "ctl0", clock | EN),
        wait(COUNT_TIME),
        lab.get(&unit, "ctr0"),
        lab.set(&unit, "ctl0", 0),
    ];
    let [count] = lab.counts(&steps)?;
    lab.note(format!("{unit} ctl0={clock:#x}: counted {count}"));
    Ok(if count > 0 { 'c' } else { 'b' })
}

pub(super) fn invert_of_cbox(lab: &mut Lab) -> Outcome {
    let unit = lab.first("cbox")?;
    let clock = lab.clock(&unit) | thresh(1);
    let events = [(0, clock), (1, clock | 1 << 23)];
    let [plain, inverted] = lab.count(&unit, &[], &events, COUNT_TIME)?;
    lab.note(format!("{unit} clock: {plain}, with invert {inverted}"));
    compared(inverted, plain, ['b', 'a'])
}
