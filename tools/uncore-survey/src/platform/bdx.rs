// SPDX-License-Identifier: GPL-2.0

//! Experiments of points that only Broadwell has.

use super::xeon;
use super::{row, Description, Surveyed, Xeon, GLOBAL};
use crate::bench::LinkRegister;
use crate::counts::{compared, event, thresh, IDLE};
use crate::lab::{open, wait, Kept, Lab, Outcome, Stop, COUNT_TIME, EN, FROZEN, RELEASED};

pub(super) const DESCRIPTION: Description = Description {
    processors: &[(79, "bdx"), (86, "bdx-de")],
    own: 'B',
    xeon: Some(Xeon {
        is_late: true,
        states: 0x7f << 17,
        link: 0x3c0,
        thread: 0x3f,
        number: (0x1f, 18),
        ..xeon::XEON
    }),
    surveyed: SURVEYED,
    ..xeon::DESCRIPTION
};

#[rustfmt::skip] // In columns.
pub(super) const SURVEYED: &[Surveyed] = &[
    // Unit     register         place          bits

    // U-1: an overflow enable that the tables do not have.
    row("cbox",   "ctl",           None,       1 << 20),
    // U-4: "link" and "c6".
    row("cbox",   "filter0",       None,       0x3c0),
    row("cbox",   "filter1",       None,       1 << 29),
    // U-12: a status bit of the fixed counter.
    row("ubox",   "box_status",    None,       1 << 2),
    // U-20: the half that an MSR of 32 bits lacks.
    row("ubox",   "ctl",           None,       1 << 32),
    // U-23, B-6: TX_MATCH0 has a node that no packet is for, so that no sent packet agrees.
    row("qpi",    "filter4",       None,       0x1f << 13),
    // B-2: the counters that only one of the sources has there.
    row("irp",    "at_a8",         Some(0xa8), 0xffff),
    row("irp",    "at_c0",         Some(0xc0), 0xffff),
    // B-4: bits of the core select above those of the manual. No counter interrupts.
    row(GLOBAL,   "ctl",           None,       0x3f << 18),
    // B-9: rst of a counter.
    row("qpi",    "ctl",           None,       1 << 17),
    // H-5: a bit that one write of an S-Box has.
    row("sbox",   "box_ctl",       None,       1 << 17),
    // H-4: the status, by some sources a filter.
    row("sbox",   "at_5",          Some(0x5),  0xf),
    // B-23, H-1: the counters have 44 or 48 bits.
    row("irp",    "ctr",           None,       0xf << 44),
    row("r3qpi",  "ctr",           None,       0xf << 44),
    row("sbox",   "ctr",           None,       0xf << 44),
    row("ubox",   "ctr",           None,       0xf << 44),
    // frz_all of U_MSR_PMON_GLOBAL_CTL, section 4.1, and num_c for U-13.
    row(GLOBAL,   "ctl",           None,       1 << 31),
    row(GLOBAL,   "config",        Some(0x702), 0),
];

/// Places of channels 0 to 3 of the first memory controller, and what their device IDs end with.
const CHANNELS: [(&str, u16); 4] = [
    ("14.0", 0xb0),
    ("14.1", 0xb1),
    ("15.0", 0xb4),
    ("15.1", 0xb5),
];

pub(super) fn ids_of_channels(lab: &mut Lab) -> Outcome {
    let mut ids = Vec::new();
    for (place, _) in CHANNELS {
        ids.push(lab.function(place));
    }
    let ends = |order: [usize; 4]| {
        let mut pairs = ids.iter().zip(order);
        pairs.all(|(id, at)| id.is_none_or(|id| id & 0xff == CHANNELS[at].1))
    };
    match () {
        () if ids.iter().flatten().count() == 0 => open("no function of these channels is there"),
        () if ends([0, 1, 2, 3]) => Ok('a'),
        () if ends([2, 3, 0, 1]) => Ok('b'),
        () => open("the IDs are in neither order: please report them"),
    }
}

/// Bits of the core select above those of the manual.
const MORE_CORES: u64 = 0x3f << 18;

pub(super) fn width_of_core_select(lab: &mut Lab) -> Outcome {
    lab.kept("global", "ctl", MORE_CORES, ['b', 'a'])
}

/// Returns what a control register reads after one write.
pub(super) fn written_once(lab: &mut Lab, unit: &str, control: u64) -> Result<u64, Stop> {
    lab.write(unit, "ctl0", 0)?;
    lab.write(unit, "ctl0", control)?;
    let read = lab.read(unit, "ctl0")?;
    lab.write(unit, "ctl0", 0)?;
    lab.write(unit, "ctl0", 0)?;
    lab.note(format!(
        "{unit} ctl0: wrote {control:#x} once, read {read:#x}"
    ));
    Ok(read)
}

pub(super) fn one_write(lab: &mut Lab) -> Outcome {
    let unit = lab.first("sbox")?;
    // RING_AD_USED.ALL.
    match written_once(lab, &unit, event(0x1b, 0x0f) | EN)? & 0xff {
        0x1b => Ok('b'),
        0x00 => Ok('a'),
        _ => open("it has another event select: please report this"),
    }
}

pub(super) fn reset_at_once(lab: &mut Lab) -> Outcome {
    let unit = lab.first("sbox")?;
    // The bits that a reset in steps sets one after the other.
    let steps = [
        lab.set(&unit, "box_ctl", RELEASED),
        lab.set(&unit, "box_ctl", RELEASED | 0b11),
    ];
    let what = format!("{unit} box_ctl: a write of both reset bits");
    let faults = lab.faults(&steps, &what, "is taken")?;
    Ok(if faults { 'a' } else { 'b' })
}

pub(super) fn nodes_of_retries(lab: &mut Lab) -> Outcome {
    const RETRY: u64 = 0x33;
    const WB_CREDITS: u64 = 0x80;
    const ANY_OF_NODE: u64 = 0x41;
    let unit = lab.first("cbox")?;
    let mut count =
        |umask: u64, nodes: u64| lab.count_one(&unit, &[(1, nodes)], event(RETRY, umask));
    let [of_any, of_none] = [count(ANY_OF_NODE, 0xffff)?, count(ANY_OF_NODE, 0)?];
    let [credits, without] = [count(WB_CREDITS, 0xffff)?, count(WB_CREDITS, 0)?];
    match () {
        () if of_none > 0 => Ok('c'),
        () if of_any == 0 || credits == 0 => open(IDLE),
        () => compared(without, credits, ['a', 'b']),
    }
}

/// Opcodes of requests of PCIe.
const OF_PCIE: [u64; 4] = [0x1c8, 0x19e, 0x180, 0x1e6];

/// `tid_en` of a C-Box.
const TID_EN: u64 = 1 << 19;

pub(super) fn thread_of_pcie(lab: &mut Lab) -> Outcome {
    let unit = lab.first("cbox")?;
    for opcode in OF_PCIE {
        let mut count = |thread: u64| {
            let filters = [(0, thread), (1, opcode << 20)];
            lab.count_one(&unit, &filters, event(0x35, 0x01) | TID_EN)
        };
        let [usual, last, middle, other] = [count(0x3e)?, count(0x3f)?, count(0x1e)?, count(0x1d)?];
        match (usual, last, middle) {
            (0, 0, 0) => {}
            (1.., ..) => return Ok('a'),
            _ if middle > 2 * other => return Ok('c'),
            _ if last > 0 => return Ok('b'),
            _ => {}
        }
    }
    open("no request of PCIe was seen: run it again while a device writes")
}

/// Returns whether a counter that always runs has counted meanwhile.
fn moves(lab: &mut Lab, unit: &str, counter: &str) -> Result<bool, Stop> {
    let steps = [
        lab.get(unit, counter),
        wait(COUNT_TIME),
        lab.get(unit, counter),
    ];
    let [first, second] = lab.values(&steps)?;
    lab.note(format!("{unit} {counter}: {first:#x}, then {second:#x}"));
    Ok(first != second)
}

/// LINK_IDLE, if it is in the function with match and mask.
const LINK_IDLE: LinkRegister = LinkRegister {
    name: "LINK_IDLE",
    function: 6,
    offset: 0xc8,
};

pub(super) fn counters_of_links(lab: &mut Lab) -> Outcome {
    let unit = lab.first("qpi")?;
    let counters = ["fixed_ctr", "fixed_ctr1"];
    let mut running = None;
    for counter in counters {
        if running.is_none() && moves(lab, &unit, counter)? {
            running = Some(counter);
        }
    }
    let Some(counter) = running else {
        return match (lab.of_link(&LINK_IDLE), lab.of_link(&LINK_IDLE)) {
            (Some(first), Some(second)) if first != second => {
                lab.note(format!(
                    "in the function with match and mask: {first:#x}, then {second:#x}"
                ));
                Ok('b')
            }
            _ => open("neither counter moves in either function"),
        };
    };
    lab.write(&unit, "box_ctl", FROZEN)?;
    let frozen = moves(lab, &unit, counter)?;
    lab.write(&unit, "box_ctl", RELEASED)?;
    if !frozen {
        return Ok('c');
    }
    let before = lab.read(&unit, counter)?;
    lab.write(&unit, "box_ctl", RELEASED | 0b10)?;
    let after = lab.read(&unit, counter)?;
    lab.note(format!(
        "{unit} {counter}: {before:#x}, after rst_ctrs {after:#x}"
    ));
    Ok(if after < before { 'd' } else { 'a' })
}

pub(super) fn events_of_lists(lab: &mut Lab) -> Outcome {
    let unit = lab.first("cbox")?;
    // QLRU, of the lists only, and LLC_LOOKUP.
    let list = event(0x3c, 0x3f);
    if lab.count_one(&unit, &[], list | thresh(2))? > 0 {
        return Ok('c');
    }
    let count = lab.count_one(&unit, &[], list)?;
    let lookups = lab.count_one(&unit, &[(0, 0x7f << 17)], event(0x34, 0x11))?;
    match (count, lookups) {
        (1.., _) => Ok('a'),
        (0, 1..) => Ok('b'),
        _ => open(IDLE),
    }
}

pub(super) fn conflicts(lab: &mut Lab) -> Outcome {
    /// Requests in the time of a count that make conflicts likely.
    const MANY: u64 = 10_000;
    const CONFLICTS: u64 = 0x0b;
    let unit = lab.first("ha")?;
    let [first, second] = [
        lab.count_on(&unit, &[], 0, CONFLICTS)?,
        lab.count_on(&unit, &[], 1, CONFLICTS)?,
    ];
    // BT_OCCUPANCY and BT_CYCLES_NE, of one queue.
    let occupancy = lab.count_on(&unit, &[], 1, 0x43)?;
    let not_empty = lab.count_on(&unit, &[], 1, 0x42)?;
    let requests = lab.count_on(&unit, &[], 1, event(0x01, 0x0f))?;
    match () {
        () if first > 0 => Ok('c'),
        () if second > 0 => Ok('a'),
        () if occupancy > 0 && requests >= MANY => Ok('d'),
        () if not_empty > 0 && occupancy == 0 => Ok('b'),
        () => open("no request was in conflict: run it again under load"),
    }
}

pub(super) fn widths(lab: &mut Lab) -> Outcome {
    const UPPER: u64 = 0xf << 44;
    let (irp, link) = (lab.first("irp")?, lab.first("r3qpi")?);
    lab.write(&irp, "ctl0", 0)?;
    lab.write(&link, "ctl0", 0)?;
    let irp = lab.keeps(&irp, "ctr0", 0, UPPER)?;
    let link = lab.keeps(&link, "ctr0", 0, UPPER)?;
    match (irp, link) {
        (Kept::Written, Kept::Written) => Ok('a'),
        (_, Kept::Written) => Ok('b'),
        (Kept::Written, _) => Ok('c'),
        _ => open("neither has more than 44 bits: please report this"),
    }
}
