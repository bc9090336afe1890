// SPDX-License-Identifier: GPL-2.0

//! Experiments that count: what event selects, umasks, filters and thresholds mean.
//!
//! On an idle machine some of them count nothing, and leave their point open.

use crate::lab::{open, wait, with_filters, Lab, Outcome, Stop, COUNT_TIME, EDGE, EN};
use crate::platform::Xeon;

/// Time of each count of a sweep, in microseconds.
pub(crate) const SWEEP_TIME: u64 = 500;

/// Extended select bit.
pub(crate) const EXT: u64 = 1 << 21;

/// Returns a threshold in its place.
pub(crate) const fn thresh(value: u64) -> u64 {
    value << 24
}

/// Returns an event select with its umask.
pub(crate) const fn event(select: u64, umask: u64) -> u64 {
    umask << 8 | select
}

/// Reason of a point that needs traffic.
pub(crate) const IDLE: &str = "nothing was counted: run it again under load";

/// Returns the first letter if the first count is more than a tenth of the second, else the other.
/// Both are of one event, or of events that are one under the first reading.
pub(crate) fn compared(first: u64, second: u64, letters: [char; 2]) -> Outcome {
    match second {
        0 => open(IDLE),
        _ if first > second / 10 => Ok(letters[0]),
        _ => Ok(letters[1]),
    }
}

/// Counts an event on counter 0 and on another one at the same time, and names the first letter if
/// both count.
pub(crate) fn on_both(
    lab: &mut Lab,
    unit: &str,
    other: usize,
    control: u64,
    letters: [char; 2],
) -> Outcome {
    let unit = lab.first(unit)?;
    let events = [(0, control), (other, control)];
    let [first, second] = lab.count(&unit, &[], &events, COUNT_TIME)?;
    lab.note(format!(
        "{unit} event {control:#x}: {first} on counter 0, {second} on counter {other}"
    ));
    compared(second, first, letters)
}

/// Returns whether two counts of one thing are alike.
pub(crate) fn alike(first: u64, second: u64) -> bool {
    first.abs_diff(second) <= first.max(second) / 4
}

pub(crate) fn modified_state(lab: &mut Lab) -> Outcome {
    let unit = lab.first("cbox")?;
    let lookup = event(0x34, 0x11);
    let alone = lab.count_one(&unit, &[(0, 1 << 22)], lookup)?;
    let both = lab.count_one(&unit, &[(0, 1 << 22 | 1 << 20)], lookup)?;
    match (alone, both) {
        (1.., _) => Ok('a'),
        (0, 1..) => {
            let other = lab.count_one(&unit, &[(0, 1 << 20)], lookup)?;
            if both > other {
                Ok('b')
            } else {
                open("no line in state M' was looked up")
            }
        }
        _ => open(IDLE),
    }
}

/// Events without sub-events.
pub(crate) const WHOLE: &[(&str, u64)] = &[
    ("ha", 0x41),
    ("ha", 0x52),
    ("ha", 0x11),
    ("qpi", 0x0c),
    ("qpi", 0x0f),
    ("ubox", 0x46),
    ("qpi", 0x08),
    ("ubox", 0x44),
];

pub(crate) fn umask_of_all(lab: &mut Lab) -> Outcome {
    let mut seen = open(IDLE);
    for &(unit, select) in lab.xeon().whole {
        let Ok(unit) = lab.first(unit) else {
            continue;
        };
        let zero = lab.count_one(&unit, &[], event(select, 0))?;
        let one = lab.count_one(&unit, &[], event(select, 1))?;
        match (zero, one) {
            (1.., _) => return Ok('a'),
            (0, 1..) => seen = Ok('b'),
            _ => {}
        }
    }
    seen
}

pub(crate) fn shown_occupancy(lab: &mut Lab) -> Outcome {
    let unit = lab.first("cbox")?;
    let shown = whole(lab, 0x1f);
    let events = [
        (0, event(0x36, 0x08)),
        (1, shown),
        (2, shown | thresh(2)),
        (3, lab.clock(&unit)),
    ];
    let [queue, shown, above, clock] = lab.count(&unit, &[], &events, COUNT_TIME)?;
    lab.note(format!(
        "{unit} TOR_OCCUPANCY on counter 0: {queue}; COUNTER0_OCCUPANCY: {shown}, of that clocks \
         with 2 or more: {above}; clocks: {clock}"
    ));
    match (queue, above) {
        (0, _) | (_, 0) => open("the queue held at most one entry: run it again under load"),
        _ if alike(queue, shown) => Ok('a'),
        _ if shown < queue => Ok('b'),
        _ => open("the counts do not fit any reading: please report them"),
    }
}

pub(crate) fn event_zero(lab: &mut Lab) -> Outcome {
    let steps = [
        lab.set("ubox", "fixed_ctl", 0),
        lab.set("ubox", "fixed_ctr", 0),
        lab.set("ubox", "ctl0", 0),
        lab.set("ubox", "ctr0", 0),
        lab.set("ubox", "fixed_ctl", EN),
        lab.set("ubox", "ctl0", EN),
        wait(COUNT_TIME),
        lab.set("ubox", "ctl0", 0),
        lab.set("ubox", "fixed_ctl", 0),
        lab.get("ubox", "fixed_ctr"),
        lab.get("ubox", "ctr0"),
    ];
    let [fixed, general] = lab.prompt_counts(&steps)?;
    lab.note(format!(
        "ubox fixed_ctr={fixed}, event 0x00 on counter 0: {general}"
    ));
    compared(general, fixed, ['a', 'b'])
}

pub(crate) fn edge_without_threshold(lab: &mut Lab) -> Outcome {
    let unit = lab.first("cbox")?;
    let clock = lab.clock(&unit);
    let [plain, edges] = lab.count(&unit, &[], &[(0, clock), (1, clock | EDGE)], COUNT_TIME)?;
    lab.note(format!(
        "{unit} clock: {plain}, with edge and no threshold: {edges}"
    ));
    match plain {
        0 => open("no clock counted"),
        _ if alike(plain, edges) => Ok('b'),
        _ => Ok('a'),
    }
}

pub(crate) fn two_criteria(lab: &mut Lab) -> Outcome {
    let unit = lab.first("cbox")?;
    let (lookup, inserts) = (event(0x34, 0x03), event(0x35, 0x01));
    let mut seen = open("no two events with filters counted: run it again under load");
    let Xeon {
        states,
        opcode: (filter, first),
        ..
    } = lab.xeon();
    for opcode in [0x182, 0x180, 0x181, 0x187, 0x190, 0x194, 0x1e6, 0x1c8] {
        let filters = match filter {
            0 => vec![(0, states | opcode << first)],
            _ => vec![(0, states), (filter, opcode << first)],
        };
        let [alone] = lab.count(&unit, &filters, &[(0, inserts)], COUNT_TIME)?;
        let [other] = lab.count(&unit, &filters, &[(1, lookup)], COUNT_TIME)?;
        let both = [(0, inserts), (1, lookup)];
        let [one, two] = lab.count(&unit, &filters, &both, COUNT_TIME)?;
        if alone > 0 && other > 0 {
            lab.note(format!(
                "{unit} filter_opc={opcode:#x}: TOR_INSERTS.OPCODE alone {alone}, \
                 LLC_LOOKUP.DATA_READ alone {other}; together {one} and {two}"
            ));
            seen = match (one, two) {
                (1.., 1..) => Ok('a'),
                _ => Ok('b'),
            };
            break;
        }
    }
    seen
}

/// Returns an event without sub-events, with the umask with which it counts (U-14, J-20).
pub(crate) fn whole(lab: &Lab, select: u64) -> u64 {
    let is_one = lab.holds("U-14", 'b') || lab.holds("J-20", 'b');
    event(select, is_one.into())
}

/// Returns the control register of CTO_COUNT of QPI (J-14).
fn cto_count(lab: &Lab) -> u64 {
    let extended = if lab.holds("J-14", 'b') { 0 } else { EXT };
    extended | whole(lab, 0x38)
}

/// Bits of MASK0 and MASK1.
pub(crate) const MASK0: u64 = 0x8003_fff8;
pub(crate) const MASK1: u64 = 0x000f_000f;

/// Number of the filters for received packets: MATCH0, MATCH1, MASK0, MASK1.
const RECEIVED: usize = 4;

/// Returns the filters of CTO_COUNT: values of those for received packets, and of those for sent
/// ones where there are some (B-6), which agree with none. A bit of the masks that is 1 here
/// compares, whatever the polarity (U-23).
fn packets(lab: &Lab, values: [u64; RECEIVED]) -> Vec<(usize, u64)> {
    let [match0, match1, mask0, mask1] = values;
    let (mask0, mask1) = if lab.holds("U-23", 'b') {
        (MASK0 & !mask0, MASK1 & !mask1)
    } else {
        (mask0, mask1)
    };
    let mut filters = vec![(0, match0), (1, match1), (2, mask0), (3, mask1)];
    if lab.xeon().is_late {
        // No packet has this class, and none is for this node: the mask compares one of them.
        filters.extend([(4, CLASS | NODE), (5, CLASS)]);
    }
    filters
}

/// Message classes in MATCH0 and MASK0.
const CLASS: u64 = 0xf << 9;
const DRS: u64 = 0xe << 9;
const SNP: u64 = 0x3 << 9;
const OPCODE: u64 = 0xf << 5;

/// Destination node in MATCH0 and MASK0.
const NODE: u64 = 0x1f << 13;

/// Node, class and opcode that no received packet has together.
const NO_PACKET: u64 = NODE | CLASS | OPCODE;

/// Counts packets of a port with these values for [`packets`], and returns how many there were in a
/// million clocks. Counts of two moments are not of the same time: something can hold up a wait.
fn count_packets(lab: &mut Lab, port: &str, values: [u64; RECEIVED]) -> Result<u64, Stop> {
    let filters = packets(lab, values);
    count_through(lab, port, &filters)
}

/// Counts packets of a port through these filters, as [`count_packets`] does.
fn count_through(lab: &mut Lab, port: &str, filters: &[(usize, u64)]) -> Result<u64, Stop> {
    let events = [(0, cto_count(lab)), (1, lab.clock(port))];
    let [count, clocks] = lab.count(port, filters, &events, COUNT_TIME)?;
    let with = with_filters(filters);
    lab.note(format!(
        "{port} CTO_COUNT{with}: {count} packets in {clocks} clocks"
    ));
    in_a_million(count, clocks)
}

/// Returns how many packets there were in a million clocks, rounded up.
fn in_a_million(packets: u64, clocks: u64) -> Result<u64, Stop> {
    match clocks {
        0 => open("no clock counted"),
        _ => Ok(packets.saturating_mul(1_000_000).div_ceil(clocks)),
    }
}

/// Returns the first QPI port that counts packets.
fn busy_port(lab: &mut Lab) -> Result<String, Stop> {
    for port in lab.boxes("qpi") {
        if count_packets(lab, &port, [0; 4])? > 0 {
            return Ok(port);
        }
    }
    lab.first("qpi")?;
    open("no port counted a packet: run it again under load")
}

pub(crate) fn polarity(lab: &mut Lab) -> Outcome {
    let ports = lab.boxes("qpi");
    lab.first("qpi")?;
    for port in ports {
        let none = count_packets(lab, &port, [0; 4])?;
        let class = count_packets(lab, &port, [0, 0, CLASS, 0])?;
        let all = count_packets(lab, &port, [0, 0, 0x3_fff8, 0])?;
        if none == 0 && all == 0 && class == 0 {
            continue;
        }
        // Each is of a moment of its own, so that equal rates differ a little.
        let most = all.max(class);
        if none < most && !alike(none, most) {
            return Ok('b');
        }
        // Packets with data: nine flits each, of which eight are data.
        let filters = packets(lab, [DRS, 0, CLASS, 0]);
        let (sent, received) = (EXT | event(0x00, 0x18), EXT | event(0x02, 0x18));
        let events = [(0, cto_count(lab)), (1, sent), (2, received)];
        let [drs, sent, received] = lab.count(&port, &filters, &events, COUNT_TIME)?;
        lab.note(format!(
            "{port} DRS packets {drs}, DRS flits sent {sent}, received {received}"
        ));
        return match (alike(9 * drs, received), alike(9 * drs, sent)) {
            (true, false) => Ok('a'),
            (false, true) => Ok('c'),
            _ => open("1 compares; to tell the direction, read data in one direction only"),
        };
    }
    open(IDLE)
}

pub(crate) fn remote_node(lab: &mut Lab) -> Outcome {
    let port = busy_port(lab)?;
    let plain = count_packets(lab, &port, [0; 4])?;
    let other = count_packets(lab, &port, [1 << 31, 0xf, 1 << 31, 0xf])?;
    compared(other, plain, ['a', 'b'])
}

pub(crate) fn data_state(lab: &mut Lab) -> Outcome {
    let port = busy_port(lab)?;
    let all = count_packets(lab, &port, [0; 4])?;
    let data = count_packets(lab, &port, [DRS, 0, CLASS, 0])?;
    // State M alone.
    let state = count_packets(lab, &port, [0, 0x8 << 16, 0, 0xf << 16])?;
    let others = all.saturating_sub(data);
    if others < all / 5 {
        return open("nearly all packets carry data: run it again under other load");
    }
    Ok(if state > others / 2 { 'b' } else { 'a' })
}

pub(crate) fn opcode_match(lab: &mut Lab) -> Outcome {
    let unit = lab.first("ha")?;
    let mut counts: Vec<[u64; 3]> = Vec::new();
    for opcode in 0..64 {
        let events = [0x04, 0x08, 0x10].map(|umask| event(0x20, umask));
        let events = [(0, events[0]), (1, events[1]), (2, events[2])];
        counts.push(lab.count(&unit, &[(2, opcode)], &events, SWEEP_TIME)?);
    }
    let of = |ring: usize| counts.iter().map(move |counts| counts[ring]);
    let [ad, bl, ak]: [u64; 3] = [of(0).sum(), of(1).sum(), of(2).sum()];
    let found = of(0).filter(|&count| count > 0).count();
    lab.note(format!(
        "{unit} ADDR_OPC_MATCH over all opcodes: AD {ad} ({found} opcodes), BL {bl}, AK {ak}"
    ));
    match () {
        () if ad == 0 => open(IDLE),
        () if found == 64 => Ok('b'),
        () if bl + ak == 0 => Ok('c'),
        () => Ok('a'),
    }
}

pub(crate) fn address_match(lab: &mut Lab) -> Outcome {
    let unit = lab.first("ha")?;
    let mut counts = Vec::new();
    for line in 0..64 {
        let filters = [(0, line << 6), (1, 0)];
        let [count] = lab.count(&unit, &filters, &[(0, event(0x20, 0x01))], SWEEP_TIME)?;
        counts.push(count);
    }
    let hit = counts.iter().filter(|&&count| count > 0).count();
    lab.note(format!("{unit}: {hit} of the 64 lines of page 0 count"));
    match hit {
        0 => open("nothing accessed page 0, with whose lines this is tried"),
        64 => Ok('b'),
        _ => Ok('a'),
    }
}

pub(crate) fn ring_counters(lab: &mut Lab) -> Outcome {
    let unit = lab.first("r2pcie")?;
    // Of virtual ring 0, where there are two.
    let ring = event(0x07, 0x0f);
    let [first, third] = lab.count(&unit, &[], &[(0, ring), (2, ring)], COUNT_TIME)?;
    lab.note(format!(
        "{unit} RING_AD_USED: {first} on counter 0, {third} on counter 2"
    ));
    compared(first, third, ['a', 'b'])
}

/// Events that only the public lists have. Those of the home agent are occupancies, for which
/// q_occ_rst is set.
const OF_LISTS: [(&str, u64); 6] = [
    ("cbox", event(0x3c, 0x01)),
    ("cbox", event(0x3c, 0x10)),
    ("ha", 1 << 16 | event(0x28, 0x01)),
    ("ha", 1 << 16 | event(0x30, 0x01)),
    ("ha", event(0x03, 0x00)),
    ("ha", event(0x03, 0x01)),
];

pub(crate) fn events_of_lists(lab: &mut Lab) -> Outcome {
    let of_manual = whole(lab, 0x41);
    of_lists(lab, &OF_LISTS, of_manual)
}

/// Tells if any of these events counts, each with its unit, where one of the home agent does that is
/// certain.
pub(crate) fn of_lists(lab: &mut Lab, events: &[(&str, u64)], certain: u64) -> Outcome {
    let mut listed = 0;
    for &(unit, control) in events {
        let unit = lab.first(unit)?;
        listed += u64::from(lab.count_one(&unit, &[], control)? > 0);
    }
    let unit = lab.first("ha")?;
    let known = lab.count_one(&unit, &[], certain)?;
    match (listed, known) {
        (1.., _) => Ok('a'),
        (0, 1..) => Ok('b'),
        _ => open(IDLE),
    }
}

pub(crate) fn maxima(lab: &mut Lab) -> Outcome {
    let mut seen = None;
    for port in lab.boxes("qpi") {
        let occupancy = whole(lab, 0x07);
        if lab.count_one(&port, &[], occupancy | thresh(2))? > 0 {
            return Ok('b');
        }
        if lab.count_one(&port, &[], occupancy | thresh(1))? > 0 {
            seen = Some('a');
        }
    }
    let unit = lab.first("imc")?;
    for rank in 0..8 {
        let control = event(0x83, 1 << rank);
        let one = lab.count_one(&unit, &[], control | thresh(1))?;
        let two = lab.count_one(&unit, &[], control | thresh(2))?;
        if two > 0 {
            return Ok('a');
        }
        if one > 0 && seen.is_none() {
            seen = Some('b');
        }
    }
    match seen {
        Some(letter) => Ok(letter),
        None => open(IDLE),
    }
}

pub(crate) fn migratory_snoops(lab: &mut Lab) -> Outcome {
    let port = busy_port(lab)?;
    let snoops = |opcode: u64| [SNP | opcode << 5, 0, CLASS | OPCODE, 0];
    let ten = count_packets(lab, &port, snoops(0xa))?;
    let fourteen = count_packets(lab, &port, snoops(0xe))?;
    match (ten, fourteen) {
        (1.., 0) => Ok('a'),
        (0, 1..) => Ok('b'),
        (0, 0) => open("no such snoop was seen; they need a node controller"),
        _ => open("snoops with both opcodes were seen"),
    }
}

pub(crate) fn large_ubox_events(lab: &mut Lab) -> Outcome {
    let mut seen = None;
    for (select, umask) in [
        (0x42, 0x01),
        (0x42, 0x02),
        (0x42, 0x04),
        (0x44, 0x00),
        (0x46, 0x00),
        (0x43, 0x01),
    ] {
        let control = match umask {
            0 => whole(lab, select),
            umask => event(select, umask),
        };
        if lab.count_one("ubox", &[], control | thresh(2))? > 0 {
            return Ok('b');
        }
        if lab.count_one("ubox", &[], control)? > 0 {
            seen = Some('a');
        }
    }
    match seen {
        Some(letter) => Ok(letter),
        None => open(IDLE),
    }
}

pub(crate) fn queue_reset(lab: &mut Lab) -> Outcome {
    let unit = lab.first("ha")?;
    let mut seen = open(IDLE);
    // A bit of the umask at a time: on an idle machine most stay 0.
    for bit in 0..6 {
        let occupancy = event(0x43, 1 << bit);
        let counter = 1 + bit % 3;
        let without = lab.count_on(&unit, &[], counter, occupancy)?;
        if without > 0 {
            return Ok('a');
        }
        let with = lab.count_on(&unit, &[], counter, occupancy | 1 << 16)?;
        if with > 0 {
            seen = Ok('b');
        }
    }
    seen
}

pub(crate) fn thread_of_clocks(lab: &mut Lab) -> Outcome {
    let unit = lab.first("cbox")?;
    let clock = lab.clock(&unit);
    let [plain, with] = lab.count(&unit, &[], &[(0, clock), (1, clock | 1 << 19)], COUNT_TIME)?;
    lab.note(format!("{unit} clock: {plain}, with tid_en: {with}"));
    compared(with, plain, ['a', 'b'])
}

pub(crate) fn late_match(lab: &mut Lab) -> Outcome {
    let port = busy_port(lab)?;
    let none = packets(lab, [NO_PACKET, 0, NO_PACKET, 0]);
    let every = packets(lab, [0; RECEIVED]);
    let counts = |lab: &Lab| ["ctr0", "ctr1"].map(|counter| lab.get(&port, counter));
    let mut steps = ["ctl0", "ctr0", "ctl1", "ctr1"]
        .map(|register| lab.set(&port, register, 0))
        .to_vec();
    steps.extend(lab.set_filters(&port, &none));
    steps.push(lab.set(&port, "ctl0", cto_count(lab) | EN));
    steps.push(lab.set(&port, "ctl1", lab.clock(&port) | EN));
    steps.push(wait(COUNT_TIME));
    steps.extend(counts(lab));
    steps.extend(lab.set_filters(&port, &every));
    steps.push(wait(COUNT_TIME));
    steps.extend(counts(lab));
    steps.extend(["ctl0", "ctl1"].map(|control| lab.set(&port, control, 0)));
    let [before, start, after, end] = lab.prompt_counts(&steps)?;
    let (packets, clocks) = (after.saturating_sub(before), end.saturating_sub(start));
    lab.note(format!(
        "{port} CTO_COUNT: {before} packets of no class, then {packets} in {clocks} clocks after \
         MASK0=0"
    ));
    let plain = count_packets(lab, &port, [0; 4])?;
    if alike(in_a_million(before, start)?, plain) {
        return open("no filter kept packets out");
    }
    compared(in_a_million(packets, clocks)?, plain, ['a', 'b'])
}

pub(crate) fn opcodes_of_all(lab: &mut Lab) -> Outcome {
    let unit = lab.first("cbox")?;
    let (all, by_opcode) = (event(0x35, 0x08), event(0x35, 0x01));
    let (filter, first) = lab.xeon().opcode;
    // As a share of all inserts, in thousandths.
    let (mut share, mut total) = (0, 0);
    for opcode in 0x180..0x200 {
        let events = [(0, by_opcode), (1, all)];
        let [some, whole] = lab.count(&unit, &[(filter, opcode << first)], &events, SWEEP_TIME)?;
        total += whole;
        share += (some * 1000).checked_div(whole).unwrap_or(0);
    }
    lab.note(format!(
        "{unit} TOR_INSERTS.OPCODE over all opcodes: {share} of 1000 of TOR_INSERTS.ALL ({total})"
    ));
    match (total, share) {
        (0, _) => open(IDLE),
        (_, 0..700) => Ok('b'),
        _ => Ok('a'),
    }
}

pub(crate) fn sent_packets(lab: &mut Lab) -> Outcome {
    let port = busy_port(lab)?;
    let mut filters = packets(lab, [NO_PACKET, 0, NO_PACKET, 0]);
    // Every sent packet.
    filters.truncate(RECEIVED);
    let count = count_through(lab, &port, &filters)?;
    Ok(if count > 0 { 'b' } else { 'a' })
}

pub(crate) fn increments_of_cbox(lab: &mut Lab) -> Outcome {
    let unit = lab.first("cbox")?;
    let ring = event(0x1b, 0xcc);
    let events = [(0, ring | thresh(2)), (1, ring | thresh(2)), (2, ring)];
    let [first, second, third] = lab.count(&unit, &[], &events, COUNT_TIME)?;
    lab.note(format!(
        "{unit} RING_AD_USED by 2 or more: {first} on counter 0, {second} on counter 1; any: {third}"
    ));
    match (first, second) {
        (0, 0) => open("the event never added 2 in a clock: run it again under load"),
        (_, 0) => Ok('b'),
        _ => Ok('a'),
    }
}
