// SPDX-License-Identifier: GPL-2.0

//! Sandy Bridge-EP: what the survey knows of it, and experiments of points that only it has. It has no
//! registers of a whole package, and no overflow shows anywhere.

use super::{row, xeon, Description, Surveyed, Xeon};
use crate::counts::{alike, event, of_lists, on_both, whole, EXT, IDLE, MASK0, MASK1, SWEEP_TIME};
use crate::lab::{open, Lab, Outcome, Stop, COUNT_TIME};

pub(super) const DESCRIPTION: Description = Description {
    processors: &[(45, "jkt")],
    like: Some("ivbep"),
    own: 'J',
    xeon: Some(Xeon {
        whole: &[
            ("qpi", 0x0c),
            ("qpi", 0x0f),
            ("ha", 0x0e),
            ("qpi", 0x08),
            ("ubox", 0x44),
        ],
        states: 0x1f << 18,
        opcode: (0, 23),
        ..xeon::XEON
    }),
    surveyed: SURVEYED,
    ..xeon::DESCRIPTION
};

#[rustfmt::skip] // In columns.
const SURVEYED: &[Surveyed] = &[
    // Unit     register         place          bits

    // J-4: reset bits that the manual does not have there.
    row("imc",    "box_ctl",       None,       0b10),
    // J-5: "link".
    row("cbox",   "filter0",       None,       0xe0),
    // J-7: the counter has 44 or 48 bits.
    row("ubox",   "fixed_ctr",     None,       0xf << 44),
    // J-21: rst of a counter.
    row("r2pcie", "ctl",           None,       RST),
    // U-20: the half that an MSR of 32 bits lacks.
    row("ubox",   "ctl",           None,       1 << 32),
];

/// `rst` of a control register.
const RST: u64 = 1 << 17;

/// A value for a counter that a reset clears.
const MARK: u64 = 0x1234;

/// Box control of a box that counts: `frz_en`.
const RELEASED: u64 = 1 << 16;

pub(super) fn freeze_enable(lab: &mut Lab) -> Outcome {
    let unit = lab.first("cbox")?;
    lab.write(&unit, "box_ctl", RELEASED)?;
    let read = lab.read(&unit, "box_ctl")?;
    lab.note(format!(
        "{unit} box_ctl: wrote {RELEASED:#x}, read {read:#x}"
    ));
    Ok(if read & RELEASED != 0 { 'a' } else { 'b' })
}

/// Counts an event without the extended select bit and with it, on counters 0 and 1.
fn both_selects(
    lab: &mut Lab,
    unit: &str,
    filters: &[(usize, u64)],
    control: u64,
) -> Result<[u64; 2], Stop> {
    let events = [(0, control), (1, control | EXT)];
    let [plain, extended] = lab.count(unit, filters, &events, COUNT_TIME)?;
    lab.note(format!(
        "{unit} ctl={control:#x}: {plain}, with bit 21 {extended}"
    ));
    Ok([plain, extended])
}

/// Names the reading by which of two event selects counts.
fn by_select(counts: [u64; 2], [plain, extended]: [char; 2]) -> Outcome {
    match counts {
        [0, 0] => open(IDLE),
        [(1..), _] => Ok(plain),
        [0, _] => Ok(extended),
    }
}

pub(super) fn extended_of_pcu(lab: &mut Lab) -> Outcome {
    // The clock, or FREQ_TRANS_CYCLES.
    match both_selects(lab, "pcu", &[], 0x00)? {
        [0, _] => open("no clock counted"),
        [plain, extended] if alike(plain, extended) => Ok('b'),
        _ => Ok('a'),
    }
}

/// Writes a counter, then a register, and names the first letter if that leaves the counter.
fn cleared_by(
    lab: &mut Lab,
    unit: &str,
    (register, value): (&str, u64),
    letters: [char; 2],
) -> Outcome {
    let unit = lab.first(unit)?;
    lab.write(&unit, "ctl0", 0)?;
    lab.write(&unit, "ctr0", MARK)?;
    lab.write(&unit, register, value)?;
    let released = lab.hold(&unit, false);
    lab.values::<0>(released.as_slice())?;
    let read = lab.read(&unit, "ctr0")?;
    lab.write(&unit, "ctr0", 0)?;
    lab.note(format!(
        "{unit} ctr0={MARK:#x}, {register}={value:#x}: then ctr0={read:#x}"
    ));
    Ok(letters[usize::from(read & MARK == 0)])
}

pub(super) fn resets_of_memory(lab: &mut Lab) -> Outcome {
    cleared_by(lab, "imc", ("box_ctl", 0b10), ['a', 'b'])
}

pub(super) fn resets_of_rings(lab: &mut Lab) -> Outcome {
    cleared_by(lab, "r2pcie", ("ctl0", RST), ['b', 'a'])
}

pub(super) fn link(lab: &mut Lab) -> Outcome {
    let unit = lab.first("cbox")?;
    lab.kept(&unit, "filter0", 0xe0, ['b', 'a'])
}

/// Device ID of the function that each C-Box has.
const UNICAST: u16 = 0x3ce8;

/// C-Boxes of the largest part.
const MOST: usize = 8;

pub(super) fn functions_of_cboxes(lab: &mut Lab) -> Outcome {
    let functions = lab.site.functions.values();
    let functions = functions.filter(|id| **id == UNICAST).count();
    let there = lab.boxes("cbox").len();
    lab.note(format!(
        "{functions} functions {UNICAST:04x}, {there} C-Boxes"
    ));
    match functions {
        0 => Ok('b'),
        MOST if there == MOST => open("this part has as many C-Boxes as the largest one"),
        MOST => Ok('c'),
        _ if functions == there => Ok('a'),
        _ => open("they are neither as many as the C-Boxes nor all: please report it"),
    }
}

pub(super) fn counters_of_egress(lab: &mut Lab) -> Outcome {
    let control = whole(lab, 0x24);
    on_both(lab, "r2pcie", 1, control, ['b', 'a'])
}

pub(super) fn counters_of_starved(lab: &mut Lab) -> Outcome {
    // TxR_STARVED.
    on_both(lab, "cbox", 2, event(0x03, 0x06), ['b', 'a'])
}

pub(super) fn extended_of_packets(lab: &mut Lab) -> Outcome {
    let mut counts = [0; 2];
    lab.first("qpi")?;
    for port in lab.boxes("qpi") {
        // All packets: filters are 0 before, which fits any, or by another polarity of the mask none
        // (U-23). Firmware may hide them.
        for filters in [&[][..], &[(2, MASK0), (3, MASK1)]] {
            if counts == [0, 0] {
                let control = whole(lab, 0x38);
                counts = both_selects(lab, &port, filters, control)?;
            }
        }
    }
    by_select(counts, ['b', 'a'])
}

pub(super) fn extended_of_demotions(lab: &mut Lab) -> Outcome {
    if lab.holds("J-2", 'b') {
        return open("the PCU takes no notice of the bit (J-2)");
    }
    let mut counts = [0; 2];
    for reason in 0..256 {
        let events = [(0, 0x1e), (1, EXT | 0x1e)];
        let more = lab.count("pcu", &[(0, reason)], &events, SWEEP_TIME / 4)?;
        counts = [counts[0] + more[0], counts[1] + more[1]];
    }
    lab.note(format!(
        "pcu DEMOTIONS_CORE0 over all filters: {}, with bit 21 {}",
        counts[0], counts[1]
    ));
    by_select(counts, ['a', 'b'])
}

pub(super) fn extended_of_stalls(lab: &mut Lab) -> Outcome {
    let mut counts = [0; 2];
    lab.first("qpi")?;
    for port in lab.boxes("qpi") {
        let more = both_selects(lab, &port, &[], event(0x35, 0xff))?;
        counts = [counts[0] + more[0], counts[1] + more[1]];
    }
    by_select(counts, ['a', 'b'])
}

/// REQUESTS.READS of the home agent.
const READS: u64 = event(0x01, 0x03);

pub(super) fn broken_events(lab: &mut Lab) -> Outcome {
    let events = [
        event(0x0b, 0x01),
        event(0x0c, 0x03),
        event(0x0d, 0x03),
        whole(lab, 0x11),
        whole(lab, 0x12),
        whole(lab, 0x13),
    ];
    of_lists(lab, &events.map(|control| ("ha", control)), READS)
}

pub(super) fn events_of_lists(lab: &mut Lab) -> Outcome {
    let events = [
        ("cbox", 0x03, 0x06),
        ("cbox", 0x06, 0x0f),
        ("ha", 0x3e, 0x0f),
        ("ha", 0x28, 0x03),
        ("r2pcie", 0x26, 0x07),
    ];
    of_lists(
        lab,
        &events.map(|(unit, select, umask)| (unit, event(select, umask))),
        READS,
    )
}
