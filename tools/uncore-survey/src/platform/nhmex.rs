// SPDX-License-Identifier: GPL-2.0

//! Nehalem-EX and Westmere-EX: what the survey knows of them, and their experiments. No counter sends
//! its overflow: that would interrupt a core.

use super::{row, Description, Surveyed};
use crate::counts::{alike, event, thresh, IDLE};
use crate::lab::{open, Lab, Outcome, Stop, COUNT_TIME};
use crate::points::{run, How, Listed, NO_INTERRUPT};
use crate::registers;

pub(super) const DESCRIPTION: Description = Description {
    processors: &[(46, "nhmex"), (47, "wsmex")],
    like: None,
    own: 'X',
    points: POINTS,
    clocks: &[],
    hold: 1 << 28,
    xeon: None,
    surveyed: SURVEYED,
};

/// Those of section 18 of Documentation/hardware/nhmex.rst. Results of X-3 are needed by others.
#[rustfmt::skip]
const POINTS: &[Listed] = &[
    ("X-21", run("counter-writes", registers::writes_to_counters)),
    ("X-3", run("mask-sense", sense_of_mask)),
    ("X-1", run("packet-match", layout_of_match)),
    ("X-2", run("node-mask", mask_of_node)),
    ("X-4", run("long-codes", long_codes)),
    ("X-5", How::Nothing("not surveyed: the bit reads 0, and the module never sets it")),
    ("X-6", run("fixed-control", fixed_overflow)),
    ("X-8", run("address-match", address_of_match)),
    ("X-9", How::Nothing(NO_INTERRUPT)),
    ("X-11", run("dimm-number", number_of_dimm)),
    ("X-12", run("command-0", command_zero)),
    ("X-14", run("arb-wins", wins)),
    ("X-16", run("pld-fields", fields_of_pld)),
    ("X-19", run("increments", increments)),
    ("X-20", run("match-faults", guarded_match)),
    ("X-22", How::Nothing("not surveyed: the module takes either answer")),
    ("X-7", run("core-pairs", pairs_of_cores)),
    ("X-10", run("map-command", command_in_map)),
    ("X-13", run("sub-registers", sub_registers)),
    ("X-15", run("ring-codes", codes_of_rings)),
];

/// No counter runs with such a bit: see [`Step`](crate::machine::Step).
#[rustfmt::skip] // In columns.
const SURVEYED: &[Surveyed] = &[
    // a PMI enable of the fixed counter.
    row("wbox", "fixed_ctl", None, 1 << 20),
];

/// MM_CFG bit that enables a match.
const ENABLED: u64 = 1 << 63;

/// S_MSR_MASK that leaves out the address, and that which leaves out the home node as well.
const NO_ADDRESS: u64 = 0x7f_ffff_fffe;
const NO_NODE: u64 = NO_ADDRESS | 1;

/// All bits of response, opcode and message class of S_MSR_MATCH.
const EVERY_CHOICE: u64 = u64::MAX << 43;

/// Counts TO_R_PROG_EV of the S-Box with this match and mask.
fn packets(lab: &mut Lab, unit: &str, value: u64, mask: u64) -> Result<u64, Stop> {
    let filters = [(0, 0), (1, value), (2, mask), (0, ENABLED)];
    lab.count_one(unit, &filters, 0)
}

/// Returns the first S-Box with packets that the match finds.
fn busy_sbox(lab: &mut Lab) -> Result<String, Stop> {
    for unit in lab.boxes("sbox") {
        if packets(lab, &unit, 0, NO_NODE)? > 0 {
            return Ok(unit);
        }
    }
    open(IDLE)
}

fn layout_of_match(lab: &mut Lab) -> Outcome {
    let mut sent = 0;
    for unit in lab.boxes("sbox") {
        if packets(lab, &unit, EVERY_CHOICE, NO_NODE)? > 0 {
            return Ok('a');
        }
        // PKTS_SENT_HOM.ALL.
        sent += lab.count_one(&unit, &[], event(0x60, 0x03))?;
    }
    if sent > 0 {
        Ok('b')
    } else {
        open(IDLE)
    }
}

fn mask_of_node(lab: &mut Lab) -> Outcome {
    let unit = busy_sbox(lab)?;
    let mut nodes = Vec::new();
    for node in 0..32 {
        nodes.push(packets(lab, &unit, node, NO_ADDRESS)?);
    }
    let total: u64 = nodes.iter().sum();
    // A node whose neighbour has much more packets, and the others more than both.
    for (node, own) in (0..).zip(&nodes) {
        let neighbour = nodes.get(node ^ 1).copied().unwrap_or(0);
        let pair = own + neighbour;
        if pair == 0 || 2 * own > neighbour || 2 * pair > total {
            continue;
        }
        let without = packets(lab, &unit, node as u64, NO_NODE)?;
        lab.note(format!(
            "{unit} node {node}: {own} packets, its pair {pair}, all nodes {total}; with bit 0 of \
             the mask {without}"
        ));
        return match () {
            () if alike(without, total) => Ok('a'),
            () if alike(without, pair) => Ok('b'),
            () if alike(without, *own) => Ok('c'),
            () => open("the count fits no reading: please report it"),
        };
    }
    open("the packets go to too few home nodes to tell: run it again under other load")
}

fn sense_of_mask(lab: &mut Lab) -> Outcome {
    let unit = lab.first("bbox")?;
    // Event 1 of counter 0.
    let control = 1 << 1;
    let zeros = lab.count_one(&unit, &[(0, 0), (1, 0)], control)?;
    let ones = lab.count_one(&unit, &[(0, 0), (1, 0x0fff_ffff_ffff_ffff)], control)?;
    match (zeros, ones) {
        (0, 0) => open(IDLE),
        _ if alike(zeros, ones) => open("all packets have zeros there: run it again under load"),
        _ => Ok(if ones > zeros { 'a' } else { 'b' }),
    }
}

fn long_codes(lab: &mut Lab) -> Outcome {
    lab.kept("ubox", "ctl0", 1 << 8, ['a', 'b'])
}

fn fixed_overflow(lab: &mut Lab) -> Outcome {
    lab.kept("wbox", "fixed_ctl", 1 << 20, ['b', 'a'])
}

/// Returns the value of a counter of the W-Box, which reads too high if its lowest bits are 0 or 1.
fn of_wbox(count: u64) -> u64 {
    const LOWEST: u64 = (1 << 24) - 1;
    match count & LOWEST {
        0 | 1 => count.saturating_sub(LOWEST + 1),
        _ => count,
    }
}

fn pairs_of_cores(lab: &mut Lab) -> Outcome {
    // C_CYCLES_TURBO, and other events that each core has.
    for select in [0x04, 0x00, 0x01, 0x03, 0x07] {
        let low = of_wbox(lab.count_one("wbox", &[], event(select, 0x1f))?);
        let high = of_wbox(lab.count_one("wbox", &[], event(select, 0xe0))?);
        match (low, high) {
            (_, 1..) => return Ok('a'),
            (1.., 0) if lab.site.cores.len() >= 8 => return Ok('b'),
            _ => {}
        }
    }
    open("nothing was counted of cores 5 to 7: run it again with all cores at full speed")
}

/// An event of the M-Box by its `inc_sel`, or by its `set_flag_sel`.
const fn inc(code: u64) -> u64 {
    code << 9
}
const fn flag(code: u64) -> u64 {
    1 << 7 | code << 19
}

/// The sub-registers of the M-Box by their numbers as filters.
const ISS: usize = 1;
const MAP: usize = 2;
const THR: usize = 3;
const PGT: usize = 4;
const PLD: usize = 5;
const MM_CFG: usize = 7;
const MATCH: usize = 8;
const MASK: usize = 9;

/// Counts commands to DRAM, 0x00 to 0x1e, with PLD made of each.
fn commands(lab: &mut Lab, unit: &str, pld: impl Fn(u64) -> u64) -> Result<Vec<u64>, Stop> {
    let mut counts = Vec::new();
    for command in 0..=0x1e {
        let [count] = lab.count(
            unit,
            &[(ISS, 0), (PLD, pld(command))],
            &[(0, inc(0x0a))],
            COUNT_TIME,
        )?;
        counts.push(count);
    }
    Ok(counts)
}

fn address_of_match(lab: &mut Lab) -> Outcome {
    let unit = lab.first("mbox")?;
    // The most frequent command.
    let counts = commands(lab, &unit, |command| command << 8)?;
    let most = (0_u64..).zip(&counts).max_by_key(|(_, count)| **count);
    let command = most.map_or(0, |(command, _)| command) << 8;
    // Bits of the mask that is 1 ignore, or compare.
    let flip = if lab.holds("X-3", 'b') { 0 } else { 0x7ff_ffff };
    for bit in 0..27 {
        let mut count = |value: u64| {
            let filters = [
                (ISS, 0),
                (PLD, command),
                (MM_CFG, 0),
                (MATCH, value),
                (MASK, 1 << bit ^ flip),
                (MM_CFG, ENABLED),
            ];
            lab.count_one(&unit, &filters, inc(0x0a))
        };
        let zero = count(0)?;
        let (by_address, by_line) = (count(1 << (bit + 6))?, count(1 << bit)?);
        // The value of the other reading is of another bit, which is not compared, or of none.
        if alike(by_address, by_line) {
            continue;
        }
        return Ok(match (alike(zero, by_line), alike(zero, by_address)) {
            (true, false) => 'a',
            (false, true) => 'b',
            _ => continue,
        });
    }
    open("the addresses are too alike: run it again under other load")
}

fn command_in_map(lab: &mut Lab) -> Outcome {
    let unit = lab.first("mbox")?;
    // Command 8, which is all commands, and command 0, if the other reading has bit 9 outside.
    let all = lab.count_one(&unit, &[(MAP, 8 << 6)], flag(6))?;
    let reads = lab.count_one(&unit, &[(MAP, 0)], flag(6))?;
    let below = lab.count_one(&unit, &[(MAP, 8 << 5)], flag(6))?;
    match () {
        () if all + below == 0 => open(IDLE),
        () if !alike(all, reads) && all > reads => Ok('a'),
        () if !alike(below, reads) && below > reads => Ok('b'),
        () => open("all commands were reads: run it again under load"),
    }
}

fn number_of_dimm(lab: &mut Lab) -> Outcome {
    let unit = lab.first("mbox")?;
    let mut seen = 0;
    for trip in 0..4 {
        let mut count =
            |dimm: u64| lab.count_one(&unit, &[(THR, dimm << 4 | trip << 7)], inc(0x04));
        if count(0)? > 0 {
            return Ok('a');
        }
        for dimm in 1..8 {
            seen += u64::from(count(dimm)? > 0);
        }
    }
    match seen {
        0 => open("no DIMM has passed a threshold of its temperature"),
        1 => open("only one DIMM has passed a threshold of its temperature"),
        _ => Ok('b'),
    }
}

fn command_zero(lab: &mut Lab) -> Outcome {
    let unit = lab.first("mbox")?;
    let counts = commands(lab, &unit, |command| command << 8)?;
    let others: u64 = counts.iter().skip(1).sum();
    match (counts.first(), others) {
        (_, 0) => open(IDLE),
        (Some(0), _) => Ok('b'),
        _ => Ok('a'),
    }
}

/// Number of turns in which two counts take the mean of what goes on.
const TURNS: usize = 4;

fn sub_registers(lab: &mut Lab) -> Outcome {
    let unit = lab.first("mbox")?;
    for (select, register, bit) in [(0x08, ISS, 10), (0x15, PGT, 11)] {
        let (mut clear, mut set) = (0, 0);
        for _ in 0..TURNS {
            clear += lab.count_one(&unit, &[(register, 0)], inc(select))?;
            set += lab.count_one(&unit, &[(register, 1 << bit)], inc(select))?;
        }
        if clear + set > 0 {
            let differ = clear.abs_diff(set) > clear.max(set) / 10;
            return Ok(if differ { 'a' } else { 'b' });
        }
    }
    open(IDLE)
}

fn wins(lab: &mut Lab) -> Outcome {
    for unit in lab.boxes("cbox") {
        let all = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80];
        for umask in all {
            if lab.count_one(&unit, &[], event(0x09, umask))? > 0 {
                return Ok('a');
            }
        }
        if lab.count_one(&unit, &[], event(0x0a, 0xff))? > 0 {
            return Ok('b');
        }
    }
    open("no C-Box had two requests for its ring at once: run it again under load")
}

fn codes_of_rings(lab: &mut Lab) -> Outcome {
    let unit = lab.first("sbox")?;
    // What adds more than 1 in a clock is an occupancy: 0x2c and 0x2f, or 0x2e and 0x2f.
    let above = |lab: &mut Lab, select| lab.count_one(&unit, &[], select | thresh(2));
    let [by_first, by_second] = [above(lab, 0x2c)?, above(lab, 0x2e)?];
    match (by_first, by_second) {
        (1.., 0) => Ok('a'),
        (0, 1..) => Ok('b'),
        (0, 0) => open("no queue to the ring had two entries: run it again under load"),
        _ => open("both codes are occupancies: please report this"),
    }
}

fn fields_of_pld(lab: &mut Lab) -> Outcome {
    let unit = lab.first("mbox")?;
    let mut count = |pld: u64| lab.count_one(&unit, &[(ISS, 0), (PLD, pld)], inc(0x0a));
    let zero = count(0)?;
    // Bits 12 and 7 are of the command by one reading each.
    let (above, below) = (count(1 << 12)?, count(1 << 7)?);
    match (alike(zero, above), alike(zero, below)) {
        (false, true) => Ok('a'),
        (true, false) => Ok('b'),
        _ => open("the commands are too alike: run it again under load"),
    }
}

fn increments(lab: &mut Lab) -> Outcome {
    let mut seen = open(IDLE);
    for unit in lab.boxes("cbox") {
        for (select, umask) in [
            (0x01, 0x03),
            (0x05, 0x07),
            (0x07, 0x07),
            (0x09, 0x7f),
            (0x0a, 0x7f),
        ] {
            let control = event(select, umask);
            if lab.count_one(&unit, &[], control | thresh(2))? > 0 {
                return Ok('b');
            }
            if lab.count_one(&unit, &[], control | thresh(1))? > 0 {
                seen = Ok('a');
            }
        }
    }
    seen
}

fn guarded_match(lab: &mut Lab) -> Outcome {
    let unit = lab.first("mbox")?;
    let filter = |number: usize| format!("filter{number}");
    let steps = [
        lab.set(&unit, &filter(MM_CFG), ENABLED),
        lab.set(&unit, &filter(MATCH), 0),
        lab.set(&unit, &filter(MM_CFG), 0),
    ];
    let what = format!("{unit} ADDR_MATCH: a write while MM_CFG enables it");
    let faults = lab.faults(&steps, &what, "is taken")?;
    Ok(if faults { 'b' } else { 'a' })
}
