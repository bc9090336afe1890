// SPDX-License-Identifier: GPL-2.0

//! Signals that a setting selects, and conditions that their transactions must meet: the
//! effect of umask and filters on each event.

use super::transaction::Condition;
use super::{sub_register, Filter, Setting};
use crate::catalogue::{BoxKind, EventFacts, PacketMatch};
use crate::formats::value;
use crate::platform::Processor;
use std::ops::RangeInclusive;

/// Events whose umask does more than select signals.
#[derive(Clone, Debug)]
pub(crate) struct Special {
    pub(crate) kind: BoxKind,
    pub(crate) ext: bool,
    pub(crate) codes: RangeInclusive<u8>,
    pub(crate) rule: Rule,
    /// Umask bits that set a condition and carry no signal.
    pub(crate) qualifiers: u8,
    /// With a qualifier and none of the first bits, the signals that the umask stands for.
    pub(crate) implied: (u8, u8),
    /// Umask bits without which nothing counts.
    pub(crate) needed: u8,
}

/// The conditions of such events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A state always; a node with bit 6.
    LlcLookup,
    /// A node with bit 6.
    Node,
    /// An opcode with bit 0, a miss with bit 1, local requests with bit 5, a node with
    /// bit 6, remote requests with bit 7.
    Tor,
    /// A line with bit 0, an opcode with bits 1 to 4.
    AddrOpcMatch,
    /// Ordering queue 0 with this bit.
    OrderingQueue(u8),
    /// The snoops of bits 4 to 6.
    Snoops,
    /// The responses of bits 0 to 4.
    Responses,
    /// The line states of bits 0 to 3.
    LineStates,
    /// Match and mask registers.
    CtoCount,
    /// Match and mask registers of a B-Box, by the fields that the row has.
    HomePackets,
    /// A match set of an R-Box.
    CrossbarPackets,
    /// Match and mask registers of an S-Box.
    SystemPackets,
    /// DRAM commands of the M-Box: a mode of PLD and ISS, an address.
    Commands,
    /// The band of the event's code.
    FreqBand,
    /// A reason.
    Demotions,
}

/// The first event that counts by a band.
const FIRST_BAND: u8 = 0x0b;

impl Special {
    /// Returns what is special about an event.
    pub(crate) fn of(kind: BoxKind, setting: &Setting) -> Option<&'static Self> {
        let mut all = Processor::current().description().special.iter();
        all.find(|special| {
            (special.kind, special.ext) == (kind, setting.ext)
                && special.codes.contains(&setting.event)
        })
    }

    fn implied(&self, umask: u8) -> u8 {
        let (unless, signals) = self.implied;
        if umask & self.qualifiers != 0 && umask & unless == 0 {
            signals
        } else {
            0
        }
    }
}

/// Returns the conditions of an event, by the umask and the filters; `None` if it has none.
pub fn rule(kind: BoxKind, setting: &Setting) -> Option<Rule> {
    Special::of(kind, setting).map(|special| special.rule)
}

/// Returns the byte of the PCU's filter that the event looks at.
pub fn band(setting: &Setting) -> usize {
    usize::from(setting.event - FIRST_BAND)
}

/// Returns the existing signals that an umask, or a sub-register, selects, as event select
/// and number.
pub(super) fn selected(kind: BoxKind, setting: &Setting, facts: &EventFacts) -> Vec<(u16, u8)> {
    if let Some(signals) = sub_register::signals(kind, setting) {
        return signals;
    }
    let special = Special::of(kind, setting);
    if special.is_some_and(|special| special.rule == Rule::CrossbarPackets) {
        return flits(setting);
    }
    let qualifiers = special.map_or(0, |special| special.qualifiers);
    let implied = special.map_or(0, |special| special.implied(setting.umask));
    let carriers = facts.umask_bits & !facts.dead_bits & !qualifiers;
    let bits = (setting.umask | implied) & carriers;
    let plain = facts.plain && setting.umask == 0;
    let numbers = (0..8).filter(|bit| bits >> bit & 1 == 1);
    let numbers = numbers.chain(plain.then_some(8));
    numbers.map(|number| (setting.select(), number)).collect()
}

/// Returns the conditions that apply, `None` if they can never be met.
pub(super) fn conditions(
    kind: BoxKind,
    setting: &Setting,
    facts: &EventFacts,
) -> Option<Vec<Condition>> {
    let special = Special::of(kind, setting);
    if special.is_some_and(|special| setting.umask & special.needed != special.needed) {
        return None;
    }
    let mut conditions = special.map_or(Vec::new(), |special| {
        by_rule(special.rule, setting, facts.compared)
    });
    if kind == BoxKind::Cbox {
        conditions.extend(setting.filter.tid.map(Condition::Tid));
    }
    Some(conditions)
}

fn by_rule(rule: Rule, setting: &Setting, compared: u64) -> Vec<Condition> {
    let filter = &setting.filter;
    let umask = |bits: u8| setting.umask & bits != 0;
    let node = (umask(0x40), Condition::Node(filter.nid));
    let in_force = |conditions: &[(bool, Condition)]| {
        let in_force = conditions.iter().filter(|(in_force, _)| *in_force);
        in_force.map(|&(_, condition)| condition).collect()
    };
    match rule {
        Rule::LlcLookup => in_force(&[(true, Condition::State(filter.state)), node]),
        Rule::Node => in_force(&[node]),
        Rule::Tor => in_force(&[
            (umask(0x01), Condition::Opcode(filter.opc)),
            (umask(0x01) && filter.nc, Condition::NonCoherent),
            (umask(0x01) && filter.isoc, Condition::Isochronous),
            (umask(0x02), Condition::Miss),
            (umask(0x20), Condition::Local),
            (umask(0x80), Condition::Remote),
            node,
        ]),
        Rule::AddrOpcMatch => in_force(&[
            (umask(0x01), Condition::Line(filter.address)),
            (umask(0x1e), Condition::HomeOpcode(filter.home_opcode)),
        ]),
        Rule::OrderingQueue(bit) => in_force(&[(umask(bit), Condition::QueueZero)]),
        Rule::Snoops => vec![Condition::Snoop(setting.umask >> 4)],
        Rule::Responses => vec![Condition::Response(setting.umask)],
        Rule::LineStates => vec![Condition::LineState(setting.umask)],
        Rule::CtoCount => packets(filter.packet),
        Rule::HomePackets => home_packets(filter, compared),
        Rule::CrossbarPackets => packets(crossbar_packets(filter)),
        Rule::SystemPackets => system_packets(filter.config1, filter.config2),
        Rule::Commands => commands(setting),
        Rule::FreqBand => vec![Condition::Frequency(filter.bands[band(setting)])],
        Rule::Demotions => vec![Condition::Reason(filter.bands[0])],
    }
}

/// Returns the conditions of match and mask registers in the layout of QPI.
fn packets(packet: PacketMatch) -> Vec<Condition> {
    let compares = |bits: u32| packet.mask0 & bits != 0;
    let message = compares(0x1fe7) || packet.mask1 & 0xf_0000 != 0;
    let conditions = [
        (message, Condition::Message(packet)),
        (compares(0x18), Condition::Network(packet)),
        (compares(0x3_e000), Condition::Destination(packet)),
    ];
    let in_force = conditions.into_iter().filter(|(in_force, _)| *in_force);
    in_force.map(|(_, condition)| condition).collect()
}

/// Returns the conditions of a B-Box' registers. An event looks at some fields only, those of one
/// direction or the address.
fn home_packets(filter: &Filter, fields: u64) -> Vec<Condition> {
    let compared = if filter.mask_compares {
        filter.config2
    } else {
        !filter.config2
    };
    let compared = compared & fields;
    // Class and opcode of the direction, in the places of QPI.
    let of_direction = |word: u64| {
        let nibble = |first: u32| (word & fields) >> first & 0xf;
        let class = nibble(44) | nibble(48);
        let opcode = nibble(52) | nibble(56);
        u32::try_from(class << 9 | opcode << 5).expect("13 bits")
    };
    let packet = PacketMatch {
        match0: of_direction(filter.config1),
        mask0: of_direction(compared),
        ..PacketMatch::default()
    };
    let line = |word: u64| (word & ((1 << 44) - 1)) << 6;
    let address = Condition::Address {
        address: line(filter.config1),
        compared: line(compared),
    };
    packets(packet).into_iter().chain([address]).collect()
}

/// Returns the match of a set of an R-Box in the form of QPI, with the bits that packets have:
/// state, destination, class, opcode and network.
fn crossbar_packets(filter: &Filter) -> PacketMatch {
    let low = |word: u64| u32::try_from(word & 0x3_fff8).expect("18 bits");
    let high = |word: u64| u32::try_from(word >> 32 & 0xf_0000).expect("20 bits");
    PacketMatch {
        match0: low(filter.config1),
        match1: high(filter.config1),
        mask0: low(filter.config2),
        mask1: high(filter.config2),
    }
}

/// Returns the signals of a match set of an R-Box: one for each flit of a packet, and one for
/// all of them.
fn flits(setting: &Setting) -> Vec<(u16, u8)> {
    const USUAL: u32 = 0x21_0000;
    let mm_cfg = match setting.filter.mm_cfg {
        0 => USUAL,
        mm_cfg => mm_cfg,
    };
    let first = 64 * u16::from(setting.event / 6);
    let flit = u8::try_from(mm_cfg >> 16 & 0xf).expect("4 bits");
    match (mm_cfg >> 21 & 1, mm_cfg >> 20 & 1) {
        (0, _) => Vec::new(),
        (_, 0) => vec![(first + 28 + u16::from(flit / 8), flit % 8)],
        _ => vec![(first + 30, 0)],
    }
}

/// Returns the conditions of an S-Box' registers. Response, opcode and class have a bit for
/// each choice; a bit of the mask takes one of the address, or the home node, out.
fn system_packets(value: u64, mask: u64) -> Vec<Condition> {
    let bits = |first: u32, count: u32| value >> first & ((1 << count) - 1);
    let choices = [(17, 59, 5), (67, 48, 11), (16, 43, 5)];
    let choices = choices.map(|(period, first, count)| Condition::Choice {
        period,
        choices: count.into(),
        wanted: bits(first, count),
    });
    let line = Condition::Address {
        address: bits(5, 38) << 6,
        compared: (!mask >> 1 & ((1 << 38) - 1)) << 6,
    };
    let home = (mask & 1 == 0).then(|| Condition::HomeNode(bits(0, 5)));
    choices.into_iter().chain([line]).chain(home).collect()
}

/// Returns the conditions of DRAM commands. With bit 0 of PLD, DRAM_CMD counts those of the mode
/// in bits 9:7 of ISS. Bits 32:6 of the address are compared, but for those of the mask.
fn commands(setting: &Setting) -> Vec<Condition> {
    const DRAM_CMD: u8 = 0x0a;
    let words = [0, setting.filter.config1, setting.filter.config2];
    let value = |name| value(BoxKind::Mbox, name, &words);
    let of_mode = setting.event == DRAM_CMD && value("pld_use_mode") == 1;
    let mode = of_mode.then(|| Condition::Choice {
        period: 10,
        choices: 4,
        wanted: 1 << value("iss_cmd_mode"),
    });
    let mask = value("filter_mask");
    let compared = if setting.filter.mask_compares {
        mask
    } else {
        !mask & ((1 << 27) - 1)
    };
    let line = (value("filter_cfg_en") == 1).then(|| Condition::Address {
        address: value("filter_match"),
        compared: compared << 6,
    });
    mode.into_iter().chain(line).collect()
}
