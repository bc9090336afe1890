// SPDX-License-Identifier: GPL-2.0

//! Experiments with overflow interrupts: whom they reach, and under which conditions.

use crate::lab::{first_values, open, reading, Lab, Outcome, Stop};

/// Number of overflows whose NMIs are taken together: a CPU can have its NMI late.
const TIMES: usize = 3;

/// Number of overflows at one of which a core that has nothing to do sleeps.
const TIMES_ASLEEP: usize = 8;

/// Cores and CPUs that an overflow has interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Interrupted {
    /// Cores, as bits, that it interrupted at once.
    at_once: u64,
    /// All of them, once every CPU was awake and unmasked.
    all: u64,
    /// Number of NMIs.
    nmis: u64,
    /// IA32_DEBUGCTL has its bit 13.
    has_enable: bool,
}

/// Lets an overflow interrupt the cores of these bits of the core select.
fn interrupt(lab: &mut Lab, bits: u64, conditions: &str) -> Result<Interrupted, Stop> {
    let package = lab.site.package.clone();
    let step = format!("interrupt {package} {bits:#x} {conditions}");
    let [value] = first_values(&lab.values(&[step])?);
    let found = Interrupted {
        at_once: value & 0xffff,
        all: value >> 16 & 0xffff,
        nmis: value >> 32 & 0xffff,
        has_enable: value >> 48 & 1 == 1,
    };
    lab.note(format!(
        "core select {bits:#x}, {conditions}: cores {:#x} at once, {:#x} at last, {} NMIs",
        found.at_once, found.all, found.nmis
    ));
    Ok(found)
}

/// Lets some overflows interrupt, and returns the cores that any of them has interrupted and the most
/// NMIs of one.
fn interrupts(lab: &mut Lab, bits: u64, conditions: &str) -> Result<Interrupted, Stop> {
    let mut all = interrupt(lab, bits, conditions)?;
    for _ in 1..TIMES {
        let one = interrupt(lab, bits, conditions)?;
        all = Interrupted {
            at_once: all.at_once | one.at_once,
            all: all.all | one.all,
            nmis: all.nmis.max(one.nmis),
            has_enable: all.has_enable && one.has_enable,
        };
    }
    Ok(all)
}

/// The bit of the last core: an idle one, as the first runs the experiment.
fn last_core(lab: &Lab) -> Result<u64, Stop> {
    let ids = &lab.site.core_ids;
    match ids.last() {
        Some(last) if ids.len() > 1 && *last < 15 => Ok(1 << last),
        _ => Err(Stop::Open(
            "the package needs two cores online, numbered below 15".to_owned(),
        )),
    }
}

/// Returns the bit of the core select that interrupts the last core, and that core.
fn bit_of_last(lab: &mut Lab) -> Result<(u64, u64), Stop> {
    let last = last_core(lab)?;
    for bits in [last, last << 1, last >> 1, 0x7fff] {
        if interrupt(lab, bits, "usual")?.all & last != 0 {
            return Ok((bits, last));
        }
    }
    Err(Stop::Open(
        "no bit of the core select interrupted the last core".to_owned(),
    ))
}

pub(crate) fn core_select(lab: &mut Lab) -> Outcome {
    let last = last_core(lab)?;
    let found = interrupts(lab, last, "usual")?;
    // The first core that is interrupted clears the status, and the others do not find it.
    let of_one = u64::from(lab.site.threads.max(1));
    match found.all {
        0 if interrupt(lab, 0x7fff, "usual")?.all == 0 => open("no core was interrupted"),
        0 => reading('b'),
        _ if found.nmis > of_one && lab.is_bdx() => open("all cores are interrupted (B-5)"),
        _ if found.nmis > of_one => reading('c'),
        cores if cores == last => reading('a'),
        _ => reading('b'),
    }
}

/// Tells whether a PMI that wakes cores interrupts all of them.
pub(crate) fn wakes_all(lab: &mut Lab) -> Outcome {
    let last = last_core(lab)?;
    let of_one = u64::from(lab.site.threads.max(1));
    for bits in [last, last << 1, last >> 1] {
        let nmis = interrupts(lab, bits, "usual")?.nmis;
        if nmis > 0 {
            return reading(if nmis > of_one { 'b' } else { 'a' });
        }
    }
    open("no bit of the core select interrupted a core")
}

pub(crate) fn threads(lab: &mut Lab) -> Outcome {
    if lab.site.threads != 2 {
        return open("no core has two threads online");
    }
    if lab.holds("U-18", 'c') {
        return open(
            "all cores are interrupted (U-18), so that their threads cannot be told apart",
        );
    }
    let (bits, _) = bit_of_last(lab)?;
    match interrupts(lab, bits, "usual")?.nmis {
        0 => open("no core was interrupted"),
        1 => reading('b'),
        _ => reading('a'),
    }
}

/// Results of overflows that do not wake the core they interrupt.
struct Asleep {
    /// One has never interrupted it.
    lost: bool,
    /// Number of those that did so after it had been woken.
    late: usize,
}

/// Lets overflows interrupt a core that has nothing to do and is not woken, until one is lost.
fn while_asleep(lab: &mut Lab, bits: u64, core: u64) -> Result<Asleep, Stop> {
    let mut late = 0;
    for _ in 0..TIMES_ASLEEP {
        let found = interrupt(lab, bits, "asleep")?;
        if found.all & core == 0 {
            return Ok(Asleep { lost: true, late });
        }
        late += usize::from(found.at_once & core == 0);
    }
    Ok(Asleep { lost: false, late })
}

pub(crate) fn sleeping_core(lab: &mut Lab) -> Outcome {
    let (bits, last) = bit_of_last(lab)?;
    let asleep = while_asleep(lab, bits, last)?;
    // A core that is awake by chance is interrupted as well, and a slow one late.
    reading(if asleep.lost || 2 * asleep.late >= TIMES_ASLEEP {
        'a'
    } else {
        'b'
    })
}

pub(crate) fn masked(lab: &mut Lab) -> Outcome {
    let (bits, last) = bit_of_last(lab)?;
    let masked = interrupts(lab, bits, "masked")?;
    if masked.at_once != 0 {
        return open("a CPU was interrupted although its LVTPC was masked: please report this");
    }
    if masked.all & last != 0 {
        return reading('b');
    }
    match while_asleep(lab, bits, last)? {
        Asleep { lost: true, .. } => reading('a'),
        Asleep { late: 1.., .. } => reading('c'),
        Asleep { late: 0, .. } => {
            open("the core was never asleep, so that nothing tells what becomes of a PMI then")
        }
    }
}

pub(crate) fn enable_bit(lab: &mut Lab) -> Outcome {
    let (bits, last) = bit_of_last(lab)?;
    if !interrupt(lab, bits, "usual")?.has_enable {
        return reading('c');
    }
    let disabled = interrupts(lab, bits, "disabled")?;
    reading(if disabled.all & last != 0 { 'a' } else { 'b' })
}
