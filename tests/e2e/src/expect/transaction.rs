// SPDX-License-Identifier: GPL-2.0

//! Transactions of the C-Box and the conditions its filters set
//! (traffic.rst, "Transactions and filters").
//!
//! Each attribute repeats with a period of its own and no two periods have a
//! common divisor, so the transactions that meet several conditions are
//! counted by whole common periods and a rest.

/// The opcodes that occur, in the definition's order; 0x1ff occurs besides.
pub const OPCODES: [u16; 21] = [
    0x180, 0x181, 0x182, 0x187, 0x18c, 0x18d, 0x190, 0x191, 0x192, 0x193, 0x194, 0x195, 0x19c,
    0x19d, 0x19e, 0x1c4, 0x1c5, 0x1c8, 0x1e4, 0x1e5, 0x1e6,
];

/// Opcode of the slots that the list leaves over.
const OTHER_OPCODE: u16 = 0x1ff;

/// Thread of the slot that the 32 threads leave over.
const LAST_THREAD: u64 = 31;

/// What a transaction must be to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    State(u8),
    Node(u16),
    Opcode(u16),
    Tid(u8),
    NonCoherent,
    Isochronous,
    Miss,
    Local,
    Remote,
}

impl Condition {
    fn period(self) -> u64 {
        match self {
            Self::State(_) => 21,
            Self::Node(_) => 136,
            Self::Opcode(_) => 235,
            Self::Tid(_) => 529,
            Self::NonCoherent => 13,
            Self::Isochronous => 19,
            Self::Miss => 29,
            Self::Local | Self::Remote => 31,
        }
    }

    /// Whether the transaction in this slot of the period meets it.
    fn met_in(self, slot: u64) -> bool {
        match self {
            Self::State(mask) => mask >> owner(slot) & 1 == 1,
            Self::Node(mask) => mask >> owner(slot) & 1 == 1,
            Self::Opcode(opcode) => opcode == opcode_of(slot),
            Self::Tid(tid) => u64::from(tid) == owner(slot).min(LAST_THREAD),
            Self::NonCoherent => slot < 2,
            Self::Isochronous => slot < 3,
            Self::Miss => slot < 7,
            Self::Local => slot < 11,
            Self::Remote => slot >= 11,
        }
    }

    fn met_per_period(self) -> u64 {
        let met = (0..self.period()).filter(|&slot| self.met_in(slot));
        met.count() as u64
    }
}

/// Whether a transaction meets all conditions.
pub(super) fn passes(transaction: u64, conditions: &[Condition]) -> bool {
    conditions
        .iter()
        .all(|condition| condition.met_in(transaction % condition.period()))
}

/// How many of the first `transactions` meet all conditions.
pub(super) fn passing(transactions: u64, conditions: &[Condition]) -> u64 {
    let period: u64 = conditions.iter().map(|c| c.period()).product();
    let per_period: u64 = conditions.iter().map(|c| c.met_per_period()).product();
    let rest = (0..transactions % period).filter(|&m| passes(m, conditions));
    transactions / period * per_period + rest.count() as u64
}

/// Owner i has i + 1 slots: slot 0 is 0's, 1 and 2 are 1's, 3 to 5 are 2's.
fn owner(slot: u64) -> u64 {
    let root = (8 * slot + 1).isqrt();
    (root - 1) / 2
}

fn opcode_of(slot: u64) -> u16 {
    let index = usize::try_from(owner(slot)).expect("a slot is small");
    OPCODES.get(index).copied().unwrap_or(OTHER_OPCODE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_one_period_are_those_of_the_table() {
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
        ] {
            assert_eq!(condition.met_per_period(), met, "{condition:?}");
        }
    }

    #[test]
    fn the_slots_at_the_edges_have_the_owners_of_the_table() {
        for (slot, index) in [
            (0, 0),
            (1, 1),
            (2, 1),
            (3, 2),
            (5, 2),
            (6, 3),
            (135, 15),
            (527, 31),
        ] {
            assert_eq!(owner(slot), index, "slot {slot}");
        }
        for (slot, opcode) in [
            (0, 0x180),
            (2, 0x181),
            (209, 0x1e5),
            (210, 0x1e6),
            (231, 0x1ff),
        ] {
            assert_eq!(opcode_of(slot), opcode, "slot {slot}");
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
