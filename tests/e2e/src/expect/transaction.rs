// SPDX-License-Identifier: GPL-2.0

//! Transactions and the conditions that filters set (traffic.rst,
//! "Transactions and filters").
//!
//! Each attribute repeats with a period of its own and no two periods of one
//! box have a common divisor, so the transactions that meet several conditions
//! are counted by whole common periods and a rest.

use super::message::{Message, MESSAGES};
use crate::catalogue::PacketMatch;
use crate::platform::Processor;

/// C-Box opcodes that occur, in the definition's order; 0x1ff occurs besides.
pub const OPCODES: [u16; 21] = [
    0x180, 0x181, 0x182, 0x187, 0x18c, 0x18d, 0x190, 0x191, 0x192, 0x193, 0x194, 0x195, 0x19c,
    0x19d, 0x19e, 0x1c4, 0x1c5, 0x1c8, 0x1e4, 0x1e5, 0x1e6,
];

/// Destination nodes of QPI packets, in the definition's order.
pub const DESTINATIONS: [u8; 11] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 31];

/// Addresses of lines that the home agent sees, in the definition's order.
pub const LINES: [u64; 8] = [
    0x0000_0000_0040,
    0x0000_8000_0000,
    0x0000_ffff_ffc0,
    0x0001_0000_0000,
    0x0001_0000_0040,
    0x1234_5678_9a80,
    0x2000_0000_0000,
    0x3fff_ffff_ffc0,
];

/// Reasons of the PCU's demotions, in the definition's order.
pub const REASONS: [u8; 7] = [0x01, 0x02, 0x03, 0x10, 0x40, 0x80, 0xff];

/// Home nodes of the packets that an S-Box sees.
const HOME_NODES: [u64; 4] = [0, 1, 8, 31];

/// Opcode of the slots that belong to no opcode of the C-Box list.
const OTHER_OPCODE: u16 = 0x1ff;

/// The least frequency of the PCU, in 100 MHz.
const LEAST_FREQUENCY: u64 = 12;

/// Sizes of what the traffic of a platform consists of.
#[derive(Debug)]
pub(crate) struct Traffic {
    /// Cache line states, and the period of transactions with them.
    pub(crate) states: u32,
    pub(crate) state_slots: u64,
    /// Threads, and the period of transactions with them. The last slots are the last's.
    pub(crate) threads: u64,
    pub(crate) thread_slots: u64,
    /// Bits of an address that the home agent compares.
    pub(crate) line_bits: u64,
    /// Cores that a package has room for.
    pub(crate) core_slots: u64,
}

fn traffic() -> &'static Traffic {
    &Processor::current().description().traffic
}

/// Returns `filter_state` of all cache line states.
pub fn all_states() -> u8 {
    let after = 1_u16 << traffic().states;
    u8::try_from(after - 1).expect("at most 8 states")
}

/// Condition that a transaction must meet to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    // C-Box
    State(u8),
    Node(u16),
    Opcode(u16),
    Tid(u8),
    NonCoherent,
    Isochronous,
    Miss,
    Local,
    Remote,
    // QPI: one attribute of a packet each.
    Message(PacketMatch),
    Network(PacketMatch),
    Destination(PacketMatch),
    // HA
    Line(u64),
    HomeOpcode(u8),
    // PCU
    Frequency(u8),
    Reason(u8),
    // IRP
    QueueZero,
    /// A bit for each kind of snoop.
    Snoop(u8),
    // C-Box of a client
    /// A bit for each of a miss, an invalidation, a hit, a hit of a modified line and an
    /// invalidation of one.
    Response(u8),
    /// A bit for each of M, E, S and I.
    LineState(u8),
    // B-Box and S-Box of Nehalem-EX
    /// A bit for each choice; none is all.
    Choice {
        period: u64,
        choices: u64,
        wanted: u64,
    },
    /// An address, and the bits of it that are compared.
    Address {
        address: u64,
        compared: u64,
    },
    HomeNode(u64),
}

impl Condition {
    fn period(self) -> u64 {
        match self {
            Self::State(_) => traffic().state_slots,
            Self::Node(_) => 136,
            Self::Opcode(_) => 235,
            Self::Tid(_) => traffic().thread_slots,
            Self::NonCoherent => 13,
            Self::Isochronous => 19,
            Self::Miss => 29,
            Self::Local | Self::Remote => 31,
            Self::Message(_) => 3403,
            Self::Network(_) | Self::Snoop(_) | Self::HomeNode(_) => 11,
            Self::Destination(_) => 67,
            Self::Line(_) | Self::Address { .. } => 37,
            Self::HomeOpcode(_) => 990,
            Self::Frequency(_) => 23,
            Self::Reason(_) => 28,
            Self::QueueZero => 7,
            Self::Response(_) => 15,
            Self::LineState(_) => 10,
            Self::Choice { period, .. } => period,
        }
    }

    /// Returns true if the transaction in this slot of the period meets the condition.
    fn met_in(self, slot: u64) -> bool {
        match self {
            Self::State(mask) => mask >> owner(slot).min(u64::from(traffic().states) - 1) & 1 == 1,
            Self::Node(mask) => mask >> owner(slot) & 1 == 1,
            Self::Opcode(opcode) => opcode == owned(&OPCODES, slot).unwrap_or(OTHER_OPCODE),
            Self::Tid(tid) => u64::from(tid) == owner(slot).min(traffic().threads - 1),
            Self::NonCoherent | Self::QueueZero => slot < 2,
            Self::Isochronous => slot < 3,
            Self::Miss => slot < 7,
            Self::Local => slot < 11,
            Self::Remote => slot >= 11,
            Self::Message(asked) => message_matches(asked, slot),
            Self::Network(asked) => {
                let network = [0, 1, 1, 2, 2, 2].get(index(slot)).copied().unwrap_or(3);
                same(network << 3, asked.match0, asked.mask0, 0x18)
            }
            Self::Destination(asked) => {
                let node = owned(&DESTINATIONS, slot).unwrap_or(31);
                same(u32::from(node) << 13, asked.match0, asked.mask0, 0x3_e000)
            }
            Self::Line(address) => {
                let line = owned(&LINES, slot).unwrap_or(LINES[7]);
                (address ^ line) & traffic().line_bits == 0
            }
            Self::HomeOpcode(opcode) => {
                let message = owned(&MESSAGES, slot);
                message.is_some_and(|message| message.class << 4 | message.opcode == opcode)
            }
            Self::Frequency(least) => LEAST_FREQUENCY + slot >= u64::from(least),
            Self::Reason(reason) => owned(&REASONS, slot) == Some(reason),
            Self::Snoop(kinds) => kinds >> owner(slot).min(2) & 1 == 1,
            Self::Response(wanted) | Self::LineState(wanted) => wanted >> owner(slot) & 1 == 1,
            Self::Choice {
                choices, wanted, ..
            } => wanted == 0 || wanted >> owner(slot).min(choices - 1) & 1 == 1,
            Self::Address { address, compared } => {
                let line = owned(&LINES, slot).unwrap_or(LINES[7]);
                (address ^ line) & compared == 0
            }
            Self::HomeNode(node) => node == owned(&HOME_NODES, slot).unwrap_or(31),
        }
    }

    fn met_per_period(self) -> u64 {
        let met = (0..self.period()).filter(|&slot| self.met_in(slot));
        met.count() as u64
    }
}

/// Compares class, opcode and response data state of the message in this slot. The
/// comparison includes the lowest three bits, which no packet has.
fn message_matches(asked: PacketMatch, slot: u64) -> bool {
    let Some(Message {
        class,
        opcode,
        state,
    }) = owned(&MESSAGES, slot)
    else {
        return false;
    };
    let word0 = u32::from(class) << 9 | u32::from(opcode) << 5;
    let word1 = u32::from(state) << 16;
    same(word0, asked.match0, asked.mask0, 0x1fe7)
        && same(word1, asked.match1, asked.mask1, 0xf_0000)
}

/// Returns true if two words are equal in the bits of a field that the mask compares.
fn same(word: u32, asked: u32, mask: u32, field: u32) -> bool {
    (word ^ asked) & mask & field == 0
}

/// Returns true if a transaction meets all conditions.
pub(super) fn passes(transaction: u64, conditions: &[Condition]) -> bool {
    conditions
        .iter()
        .all(|condition| condition.met_in(transaction % condition.period()))
}

/// Returns the number of the first `transactions` that meet all conditions.
pub(super) fn passing(transactions: u64, conditions: &[Condition]) -> u64 {
    let period: u64 = conditions.iter().map(|c| c.period()).product();
    let per_period: u64 = conditions.iter().map(|c| c.met_per_period()).product();
    let rest = (0..transactions % period).filter(|&m| passes(m, conditions));
    transactions / period * per_period + rest.count() as u64
}

/// Returns the owner of a slot. Owner i has i + 1 slots: owner 0 has slot 0, owner 1
/// slots 1 and 2, owner 2 slots 3 to 5.
fn owner(slot: u64) -> u64 {
    let root = (8 * slot + 1).isqrt();
    (root - 1) / 2
}

/// Returns the entry of a list that owns the slot.
fn owned<T: Copy>(list: &[T], slot: u64) -> Option<T> {
    list.get(index(owner(slot))).copied()
}

fn index(number: u64) -> usize {
    usize::try_from(number).expect("a slot is small")
}

/// Returns the number of threads that requests come from.
pub fn threads() -> u8 {
    u8::try_from(traffic().threads).expect("8 bits")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::Platform;

    fn packet(match0: u32, mask0: u32) -> PacketMatch {
        PacketMatch {
            match0,
            mask0,
            ..PacketMatch::default()
        }
    }

    #[test]
    fn shares_of_one_period_are_those_of_the_page() {
        let state = PacketMatch {
            match1: 0x8_0000,
            mask1: 0xf_0000,
            ..packet(0x1c00, 0x1fe0)
        };
        for (condition, met) in [
            (Condition::State(0x01), 1),
            (Condition::State(0x20), 6),
            (Condition::State(0x3f), 21),
            (Condition::Node(0x0001), 1),
            (Condition::Node(0x8000), 16),
            (Condition::Node(0xffff), 136),
            (Condition::Opcode(0x180), 1),
            (Condition::Opcode(0x1e6), 21),
            (Condition::Opcode(0x1ff), 4),
            (Condition::Opcode(0x199), 0),
            (Condition::Tid(0), 1),
            (Condition::Tid(31), 33),
            (Condition::NonCoherent, 2),
            (Condition::Isochronous, 3),
            (Condition::Miss, 7),
            (Condition::Local, 11),
            (Condition::Remote, 20),
            (Condition::Message(packet(0, 0)), 3403),
            (Condition::Message(state), 65),
            (Condition::Message(packet(0x1c00, 0x1e00)), 3403 - 2080),
            (Condition::Message(packet(0x0001, 0x0001)), 0),
            (Condition::Network(packet(0x00, 0x18)), 1),
            (Condition::Network(packet(0x08, 0x18)), 2),
            (Condition::Network(packet(0x10, 0x10)), 8),
            (Condition::Network(packet(0x18, 0x18)), 5),
            (Condition::Destination(packet(31 << 13, 31 << 13)), 12),
            (Condition::Destination(packet(8 << 13, 31 << 13)), 9),
            (Condition::Destination(packet(9 << 13, 31 << 13)), 0),
            (Condition::Line(0x40), 1),
            (Condition::Line(0x7f), 1),
            (Condition::Line(0x3fff_ffff_ffc0), 9),
            (Condition::Line(0), 0),
            (Condition::HomeOpcode(0x00), 1),
            (Condition::HomeOpcode(0x3f), 44),
            (Condition::HomeOpcode(0x0b), 0),
            (Condition::Frequency(0), 23),
            (Condition::Frequency(13), 22),
            (Condition::Frequency(34), 1),
            (Condition::Frequency(35), 0),
            (Condition::Reason(0x01), 1),
            (Condition::Reason(0xff), 7),
            (Condition::Reason(0x00), 0),
            (Condition::QueueZero, 2),
        ] {
            assert_eq!(condition.met_per_period(), met, "{condition:?}");
        }
    }

    #[test]
    fn shares_of_broadwell_are_those_of_the_page() {
        Platform::Bdx.on(|| {
            for (condition, met) in [
                (Condition::State(0x01), 1),
                (Condition::State(0x20), 6),
                (Condition::State(0x40), 16),
                (Condition::State(0x7f), 37),
                (Condition::Tid(0), 1),
                (Condition::Tid(62), 63),
                (Condition::Tid(63), 65),
                (Condition::Line(0x0fff), 1),
                (Condition::Line(0), 1),
                (Condition::Line(0x1_0000_0000), 4 + 5),
                (Condition::Line(0x3fff_ffff_f000), 9),
                (Condition::Line(0x1000), 0),
                (Condition::Snoop(0b001), 1),
                (Condition::Snoop(0b010), 2),
                (Condition::Snoop(0b100), 8),
                (Condition::Snoop(0), 0),
            ] {
                assert_eq!(condition.met_per_period(), met, "{condition:?}");
            }
            assert_eq!(all_states(), 0x7f);
        });
    }

    #[test]
    fn shares_of_a_client_are_those_of_the_page() {
        for (condition, met) in [
            (Condition::Response(0x21), 1),
            (Condition::Response(0x26), 5),
            (Condition::Response(0x28), 4),
            (Condition::Response(0x30), 5),
            (Condition::Response(0xe0), 0),
            (Condition::LineState(0x11), 1),
            (Condition::LineState(0x16), 5),
            (Condition::LineState(0x18), 4),
            (Condition::LineState(0xf0), 0),
        ] {
            assert_eq!(condition.met_per_period(), met, "{condition:?}");
        }
    }

    #[test]
    fn shares_of_an_s_box_are_those_of_the_page() {
        let choice = |wanted| Condition::Choice {
            period: 17,
            choices: 5,
            wanted,
        };
        let line = |address, compared| Condition::Address { address, compared };
        Platform::Nhmex.on(|| {
            for (condition, met) in [
                (choice(0), 17),
                (choice(0b00001), 1),
                (choice(0b00110), 5),
                (choice(0b10000), 7),
                (line(0x40, u64::MAX), 1),
                (line(0x1_0000_0000, !0x40), 4 + 5),
                (line(0, 0x0fff_ffff_ffc0), 7),
                (line(0, u64::MAX), 0),
                (line(0, 0), 37),
                (Condition::HomeNode(0), 1),
                (Condition::HomeNode(8), 3),
                (Condition::HomeNode(31), 5),
                (Condition::HomeNode(2), 0),
            ] {
                assert_eq!(condition.met_per_period(), met, "{condition:?}");
            }
        });
    }

    #[test]
    fn the_slots_at_the_edges_have_the_owners_of_the_page() {
        for (slot, index) in [
            (0, 0),
            (1, 1),
            (2, 1),
            (3, 2),
            (5, 2),
            (6, 3),
            (135, 15),
            (527, 31),
            (989, 43),
            (3402, 81),
        ] {
            assert_eq!(owner(slot), index, "slot {slot}");
        }
        for (slot, opcode) in [
            (0, Some(0x180)),
            (2, Some(0x181)),
            (209, Some(0x1e5)),
            (210, Some(0x1e6)),
            (231, None),
        ] {
            assert_eq!(owned(&OPCODES, slot), opcode, "slot {slot}");
        }
    }

    #[test]
    fn counting_by_periods_is_counting_one_by_one() {
        let conditions = [
            Condition::Opcode(0x195),
            Condition::NonCoherent,
            Condition::Miss,
        ];
        for transactions in [0, 1, 500, 88_594, 88_595, 88_596, 300_000] {
            let one_by_one = (0..transactions)
                .filter(|&m| passes(m, &conditions))
                .count();
            assert_eq!(passing(transactions, &conditions), one_by_one as u64);
        }
    }
}
