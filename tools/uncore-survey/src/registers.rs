// SPDX-License-Identifier: GPL-2.0

//! Experiments with registers: which bits keep what is written, what freezes and resets reach.

use crate::bench::{Answer, LinkRegister};
use crate::lab::{
    open, wait, Kept, Lab, Outcome, Stop, COUNT, COUNT_TIME, EN, FREEZE_ALL, FROZEN, OV_EN,
    RELEASED, RELEASE_ALL,
};

/// Bits 17:16 of a box control.
const BOX_ENABLES: u64 = 0x3_0000;

/// Freeze bit of a box control.
const FRZ: u64 = 1 << 8;

/// Does what [`Lab::kept`] does on the first box of a type.
fn kept(lab: &mut Lab, unit: &str, register: &str, bits: u64, letters: [char; 2]) -> Outcome {
    let unit = lab.first(unit)?;
    lab.kept(&unit, register, bits, letters)
}

/// Writes a stopped counter. Experiments that write counters stay open if it does not keep that.
pub(crate) fn writes_to_counters(lab: &mut Lab) -> Outcome {
    const PATTERNS: [u64; 2] = [0x5_5555_5555, 0x2_aaaa_aaaa];
    let unit = lab.first("cbox")?;
    lab.write(&unit, "ctl0", 0)?;
    let before = lab.read(&unit, "ctr0")?;
    let steps = PATTERNS.map(|value| [lab.set(&unit, "ctr0", value), lab.get(&unit, "ctr0")]);
    let answers = lab.run(&steps.concat())?;
    lab.note(format!(
        "{unit} ctr0: was {before:#x}, wrote {PATTERNS:x?}: {answers:x?}"
    ));
    if answers.contains(&Answer::Fault) {
        lab.only_reads = true;
        return Ok('c');
    }
    let values = answers.iter().filter_map(|answer| match answer {
        Answer::Value(value) => Some(value & COUNT),
        _ => None,
    });
    match values.collect::<Vec<_>>() {
        kept if kept == PATTERNS => Ok('a'),
        kept if kept == [before & COUNT; 2] => {
            lab.only_reads = true;
            Ok('b')
        }
        _ => open("the counter reads neither as before nor as written"),
    }
}

pub(crate) fn width_of_uclk(lab: &mut Lab) -> Outcome {
    lab.write("ubox", "fixed_ctl", 0)?;
    kept(lab, "ubox", "fixed_ctr", 0xf << 44, ['a', 'b'])
}

pub(crate) fn link_and_c6(lab: &mut Lab) -> Outcome {
    let unit = lab.first("cbox")?;
    let link = lab.keeps(&unit, "filter0", 0, lab.xeon().link)?;
    let c6 = lab.keeps(&unit, "filter1", 0, 1 << 29)?;
    match (link, c6) {
        (Kept::Written, Kept::Written) => Ok('b'),
        (Kept::Written, _) | (_, Kept::Written) => open("only one of the fields is kept"),
        _ => Ok('a'),
    }
}

pub(crate) fn node_15(lab: &mut Lab) -> Outcome {
    kept(lab, "cbox", "filter1", 1 << 15, ['a', 'b'])
}

pub(crate) fn thread_filter(lab: &mut Lab) -> Outcome {
    let unit = lab.first("cbox")?;
    match lab.keeps(&unit, "filter0", 0, lab.xeon().thread)? {
        Kept::Written => Ok('a'),
        Kept::Zero => Ok('b'),
        Kept::Other => open("tid keeps some of its bits: please report which"),
    }
}

/// Counts the clock of a box for a moment, with this box control, and returns whether it moved.
fn moves_under(lab: &mut Lab, unit: &str, control: u64) -> Result<bool, Stop> {
    let clock = lab.clock(unit) | EN;
    let steps = [
        lab.set(unit, "ctl0", 0),
        lab.set(unit, "ctr0", 0),
        lab.set(unit, "ctl0", clock),
        lab.set(unit, "box_ctl", control),
        lab.get(unit, "ctr0"),
        wait(COUNT_TIME),
        lab.get(unit, "ctr0"),
        lab.set(unit, "ctl0", 0),
        lab.set(unit, "box_ctl", RELEASED),
    ];
    let [first, second] = lab.values(&steps)?;
    let moved = first != second;
    let word = if moved { "counts" } else { "stands still" };
    lab.note(format!("{unit} box_ctl={control:#x}: its clock {word}"));
    Ok(moved)
}

pub(crate) fn box_enables(lab: &mut Lab) -> Outcome {
    let unit = lab.first("cbox")?;
    lab.write(&unit, "box_ctl", BOX_ENABLES)?;
    let read = lab.read(&unit, "box_ctl")?;
    lab.note(format!(
        "{unit} box_ctl: wrote {BOX_ENABLES:#x}, read {read:#x}"
    ));
    if read & BOX_ENABLES == 0 {
        return Ok('b');
    }
    let counts = moves_under(lab, &unit, RELEASED)?;
    // On later parts the first reading is that the bits act.
    let [idle, act] = if lab.xeon().is_late {
        ['e', 'a']
    } else {
        ['a', 'c']
    };
    let acts = counts && moves_under(lab, &unit, FRZ)?;
    if acts && act == 'c' {
        return Ok(act);
    }
    let ring = lab.first("r2pcie")?;
    match lab.keeps(&ring, "box_ctl", 0, BOX_ENABLES)? {
        Kept::Written => Ok('d'),
        _ if !counts => open("no clock counted, which would tell what the bits do"),
        _ => Ok(if acts { act } else { idle }),
    }
}

pub(crate) fn freezes(lab: &mut Lab) -> Outcome {
    let unit = lab.first("cbox")?;
    lab.write(&unit, "box_ctl", FROZEN)?;
    let by_box = lab.read(&unit, "box_ctl")? & FRZ != 0;
    lab.write(&unit, "box_ctl", RELEASED)?;
    let released = lab.read(&unit, "box_ctl")? & FRZ != 0;
    lab.write("global", "ctl", FREEZE_ALL)?;
    let by_package = lab.read(&unit, "box_ctl")? & FRZ != 0;
    lab.note(format!(
        "{unit} box_ctl: frz reads {} frozen by it, {} released, {} with the package",
        u8::from(by_box),
        u8::from(released),
        u8::from(by_package)
    ));
    let counts_anyway = moves_under(lab, &unit, RELEASED)?;
    lab.settle()?;
    let counts = moves_under(lab, &unit, RELEASED)?;
    // The release of the package must leave the freeze of the box.
    let clock = lab.clock(&unit) | EN;
    let steps = [
        lab.set(&unit, "box_ctl", FROZEN),
        lab.set("global", "ctl", FREEZE_ALL),
        lab.set("global", "ctl", RELEASE_ALL),
        lab.set(&unit, "ctr0", 0),
        lab.set(&unit, "ctl0", clock),
        wait(COUNT_TIME),
        lab.get(&unit, "ctr0"),
        lab.set(&unit, "ctl0", 0),
        lab.set(&unit, "box_ctl", RELEASED),
    ];
    let [after] = lab.values(&steps)?;
    lab.note(format!(
        "{unit} frozen, the package frozen and released: counted {after}"
    ));
    match () {
        () if !released && by_package => Ok('c'),
        () if !released && by_box => Ok('b'),
        () if counts_anyway => Ok('d'),
        () if !counts => open("no clock counted"),
        () if after & COUNT != 0 => Ok('e'),
        () => Ok('a'),
    }
}

pub(crate) fn number_of_cboxes(lab: &mut Lab) -> Outcome {
    let (bits, reset) = lab.xeon().number;
    let number = lab.read("global", "config")? & bits;
    let there = lab.boxes("cbox").len() as u64;
    lab.note(format!(
        "num_c is {number}, the package has {there} C-Boxes"
    ));
    match number {
        0 => Ok('c'),
        number if number == reset && there == reset => {
            open("this part has as many C-Boxes as the reset value says")
        }
        number if number == reset => Ok('a'),
        number if number == there => Ok('b'),
        24 if lab.xeon().is_late => Ok('d'),
        _ => open("num_c is neither the number of C-Boxes nor its reset value: please report it"),
    }
}

pub(crate) fn high_half(lab: &mut Lab) -> Outcome {
    let step = lab.set("ubox", "ctl0", 1 << 32);
    let faults = lab.faults(&[step], "ubox ctl0: a write of 0x100000000", "is ignored")?;
    Ok(if faults { 'b' } else { 'a' })
}

pub(crate) fn width_of_irp(lab: &mut Lab) -> Outcome {
    lab.first("irp")?;
    lab.write("irp", "ctl0", 0)?;
    kept(lab, "irp", "ctr0", 0xf << 44, ['a', 'b'])
}

pub(crate) fn bits_of_pcu(lab: &mut Lab) -> Outcome {
    let spare = lab.keeps("pcu", "ctl0", 0, 1 << 19 | 1 << 16)?;
    let edge = lab.keeps("pcu", "ctl0", 0, 1 << 18)?;
    match (spare, edge) {
        (Kept::Written, _) => Ok('b'),
        (_, Kept::Written) => Ok('a'),
        _ => Ok('c'),
    }
}

pub(crate) fn resets(lab: &mut Lab) -> Outcome {
    let imc = lab.first("imc")?;
    let cbox = lab.first("cbox")?;
    // rst_ctrs, then rst_ctrl.
    lab.write(&imc, "fixed_ctl", 0)?;
    lab.write(&imc, "fixed_ctr", 0x1234)?;
    lab.write(&imc, "box_ctl", RELEASED | 0b10)?;
    let fixed = lab.read(&imc, "fixed_ctr")? & 0xffff_ffff;
    lab.note(format!("{imc} fixed_ctr=0x1234, rst_ctrs: read {fixed:#x}"));
    lab.write(&cbox, "filter1", 0x5)?;
    lab.write(&cbox, "box_ctl", RELEASED | 0b01)?;
    let filter = lab.read(&cbox, "filter1")? & 0x5;
    lab.note(format!("{cbox} filter1=0x5, rst_ctrl: read {filter:#x}"));
    lab.write(&cbox, "filter1", 0)?;
    if fixed == 0x1234 {
        return Ok('b');
    }
    if filter == 0 {
        return Ok('c');
    }
    let clock = lab.clock(&cbox) | EN;
    let steps = [
        lab.set(&cbox, "ctl0", 0),
        lab.set(&cbox, "ctr0", 0),
        lab.set(&cbox, "ctl0", clock),
        wait(COUNT_TIME),
        lab.get(&cbox, "ctr0"),
        lab.set("global", "ctl", FREEZE_ALL | RELEASE_ALL),
        lab.get(&cbox, "ctr0"),
        wait(COUNT_TIME),
        lab.get(&cbox, "ctr0"),
        lab.set(&cbox, "ctl0", 0),
    ];
    let [early, frozen, late] = lab.counts(&steps)?;
    lab.settle()?;
    lab.note(format!(
        "{cbox} clock: {early}, {frozen} after frz_all with unfrz_all, then {late}"
    ));
    match (early, late.saturating_sub(frozen)) {
        (0, _) => open("no clock counted, which would tell which of frz_all and unfrz_all wins"),
        (_, 0) => Ok('a'),
        _ => Ok('d'),
    }
}

const RATE: LinkRegister = LinkRegister {
    name: "QPI_RATE_STATUS",
    function: 0,
    offset: 0xd4,
};

pub(crate) fn reset_values(lab: &mut Lab) -> Outcome {
    let cbox = lab.first("cbox")?;
    let ha = lab.first("ha")?;
    lab.write(&cbox, "ctl0", 0)?;
    lab.write(&ha, "ctr0", 0)?;
    // Bits that no source gives a meaning.
    let control = lab.read(&cbox, "ctl0")?;
    let status = if lab.has_status("ubox") {
        lab.read("ubox", "box_status")?
    } else {
        0
    };
    let counter = lab.read(&ha, "ctr0")?;
    lab.note(format!(
        "{cbox} ctl0=0x0: read {control:#x}; ubox box_status: read {status:#x}; {ha} ctr0=0x0: read \
         {counter:#x}"
    ));
    match () {
        () if control & 1 << 16 != 0 => Ok('b'),
        () if status & 0xffff_ff00 != 0 => Ok('c'),
        () if counter >> 48 != 0 => Ok('d'),
        () => match lab.of_link(&RATE) {
            Some(rate) => {
                lab.note(format!("QPI_RATE_STATUS: read {rate:#x}"));
                Ok(if rate & 0b111 == 0b011 { 'e' } else { 'a' })
            }
            None => open("no function of QPI shows its rate; reserved bits read 0"),
        },
    }
}

pub(crate) fn enable_bits(lab: &mut Lab) -> Outcome {
    let unit = lab.first("ha")?;
    let bits = lab.enables(&unit);
    let hold = |lab: &mut Lab, stopped| {
        let step = lab.hold(&unit, stopped);
        lab.values::<0>(step.as_slice())
    };
    hold(lab, true)?;
    lab.write(&unit, "ctl0", bits)?;
    let read = lab.read(&unit, "ctl0")?;
    lab.write(&unit, "ctl0", 0)?;
    hold(lab, false)?;
    lab.note(format!("{unit} ctl0: wrote {bits:#x}, read {read:#x}"));
    match read & bits {
        read if read == bits => Ok('a'),
        OV_EN => Ok('b'),
        EN => Ok('c'),
        _ if bits == EN => Ok('b'),
        _ => open("neither en nor ov_en reads as written: please report this"),
    }
}

pub(crate) fn place_of_ha1(lab: &mut Lab) -> Outcome {
    let place = lab.site.locations.get("ha_1").cloned();
    match place {
        None => open("this machine has one home agent"),
        Some(place) => {
            let place = place.rsplit(':').next().unwrap_or_default().to_owned();
            lab.note(format!("ha_1 is at {place}"));
            match place.as_str() {
                "1c.1" => Ok('a'),
                "1e.1" => Ok('b'),
                _ => open("it is at neither place: please report it"),
            }
        }
    }
}

/// Place of the match and mask of QPI port 2.
const MATCH_OF_PORT_2: &str = "18.6";

pub(crate) fn match_of_port_2(lab: &mut Lab) -> Outcome {
    match lab.function(MATCH_OF_PORT_2) {
        None => open("this machine has no third QPI port, or firmware hides its match and mask"),
        Some(0x0e46) => Ok('a'),
        Some(0x0e47) => Ok('b'),
        Some(_) => open("it has another ID: please report it"),
    }
}

pub(crate) fn places_of_irp(lab: &mut Lab) -> Outcome {
    lab.first("irp")?;
    // Counters of the manual, and of the kernel's own driver, that the other lacks.
    let manual = lab.keeps("irp", "at_c0", 0, 0xffff)?;
    let kernel = lab.keeps("irp", "at_a8", 0, 0xffff)?;
    match (manual, kernel) {
        (Kept::Written, Kept::Written) => open("both places keep what is written"),
        (Kept::Written, _) => Ok('a'),
        (_, Kept::Written) => Ok('b'),
        _ => open("neither place keeps what is written"),
    }
}

pub(crate) fn reset_of_qpi(lab: &mut Lab) -> Outcome {
    let unit = lab.first("qpi")?;
    lab.write(&unit, "box_ctl", FROZEN)?;
    let kept = lab.keeps(&unit, "ctl0", 0, 1 << 17)?;
    lab.write(&unit, "box_ctl", RELEASED)?;
    Ok(if kept == Kept::Written { 'a' } else { 'b' })
}
