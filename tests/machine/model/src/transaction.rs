// SPDX-License-Identifier: GPL-2.0

//! Transactions and their attributes: which values meet a condition.
//!
//! Definition: Documentation/development/traffic.rst, "Transactions and filters".
//! Transaction m has attributes that follow from m modulo small periods; a filter
//! register becomes one [`Condition`] per attribute it looks at. How many
//! transactions meet them is in `filter.rs`, which conditions are in force in the
//! files of `boxes/`.

use crate::filter::Condition;
use crate::message::{HOME_MESSAGES, MESSAGES};
use crate::readings::{Reading, Readings};

/// Opcodes of requests of a C-Box (traffic.rst); opcode i has i + 1 slots.
pub const OPCODES: [u16; 21] = [
    0x180, 0x181, 0x182, 0x187, 0x18c, 0x18d, 0x190, 0x191, 0x192, 0x193, 0x194, 0x195, 0x19c,
    0x19d, 0x19e, 0x1c4, 0x1c5, 0x1c8, 0x1e4, 0x1e5, 0x1e6,
];

/// The opcode of the slots that are left over.
const OTHER_OPCODE: u32 = 0x1ff;

/// The destination nodes of packets; node i of the list has i + 1 slots.
pub const DESTINATIONS: [u8; 11] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 31];

/// The addresses a home agent sees; line i has i + 1 slots.
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

/// The reasons of core demotions; reason i has i + 1 slots.
pub const REASONS: [u8; 7] = [0x01, 0x02, 0x03, 0x10, 0x40, 0x80, 0xff];

/// The index to which a slot belongs if index i owns i + 1 slots.
fn staircase(slot: u32) -> u32 {
    let mut index = 0;
    while slot >= (index + 1) * (index + 2) / 2 {
        index += 1;
    }
    index
}

/// The entry of a list to which a slot belongs; slots left over are the last's.
fn entry<T: Copy>(list: &[T], slot: u32) -> T {
    list[(staircase(slot) as usize).min(list.len() - 1)]
}

/// A word compared under a mask; a mask bit of 1 compares.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Match {
    pub(crate) value: u32,
    pub(crate) mask: u32,
}

impl Match {
    /// The comparison of some bits only.
    pub(crate) fn within(self, bits: u32) -> Self {
        let mask = self.mask & bits;
        Self { mask, ..self }
    }

    /// Tells if everything passes.
    pub(crate) fn is_open(self) -> bool {
        self.mask == 0
    }

    fn accepts(self, word: u32) -> bool {
        (word ^ self.value) & self.mask == 0
    }
}

/// Attributes of the C-Box.
impl Condition {
    /// The cache line's state is in `mask` (bit 0 is I, bit 5 is M').
    pub(crate) fn state(mask: u32) -> Self {
        Self::new("state", 21, |slot| mask >> staircase(slot) & 1 == 1)
    }

    /// The cache line's state is in `mask` (bit 0 is I, bit 5 is D, bit 6 is M').
    pub(crate) fn state_of_seven(mask: u32) -> Self {
        Self::new("state", 37, |slot| mask >> staircase(slot).min(6) & 1 == 1)
    }

    /// The cache line's state is in `mask` (bit 0 is M, 1 E, 2 S, 3 I).
    pub(crate) fn state_of_mesi(mask: u32) -> Self {
        Self::new("state", 10, |slot| mask >> staircase(slot) & 1 == 1)
    }

    /// The response to a snoop is in `mask` (bit 0 is a miss, 1 an invalidation, 2 a hit, 3 a hit of
    /// M, 4 an invalidation of M).
    pub(crate) fn response(mask: u32) -> Self {
        Self::new("response", 15, |slot| mask >> staircase(slot) & 1 == 1)
    }

    /// The node is in `mask`.
    pub(crate) fn node(mask: u32) -> Self {
        Self::new("nid", 136, |slot| mask >> staircase(slot) & 1 == 1)
    }

    /// The opcode is `opcode`.
    pub(crate) fn opcode(opcode: u32) -> Self {
        let of = |slot| OPCODES.get(staircase(slot) as usize).copied();
        Self::new("opc", 235, |slot| {
            of(slot).map_or(OTHER_OPCODE, u32::from) == opcode
        })
    }

    /// The thread is `thread`.
    pub(crate) fn thread(thread: u32) -> Self {
        Self::new("tid", 529, |slot| staircase(slot).min(31) == thread)
    }

    /// The thread is `thread`, of 64; requests of PCIe, the transactions with thread 0x3E, have
    /// thread `io`.
    pub(crate) fn thread_of_64(thread: u32, io: u32) -> Self {
        Self::new("tid", 2081, |slot| match staircase(slot).min(63) {
            0x3e => io == thread,
            other => other == thread,
        })
    }

    /// The request is non-coherent.
    pub(crate) fn non_coherent() -> Self {
        Self::new("nc", 13, |slot| slot < 2)
    }

    /// The request is isochronous.
    pub(crate) fn isochronous() -> Self {
        Self::new("isoc", 19, |slot| slot < 3)
    }

    /// The request missed the cache.
    pub(crate) fn miss() -> Self {
        Self::new("miss", 29, |slot| slot < 7)
    }

    /// The request went to local (or else to remote) memory.
    pub(crate) fn local(local: bool) -> Self {
        Self::new("local", 31, |slot| (slot < 11) == local)
    }
}

/// Attributes of the packets of a QPI port, as words of MATCH0 and MATCH1.
impl Condition {
    /// Message class and opcode in the first word, data state in the second.
    pub(crate) fn message(low: Match, high: Match) -> Self {
        Self::message_by(low, high, Readings::default())
    }

    /// The same by these readings.
    pub(crate) fn message_by(low: Match, high: Match, readings: Readings) -> Self {
        let only_data = readings.has(Reading::StateOfDataOnly);
        let other = readings.has(Reading::MigratoryIs14);
        Self::new("message", 3403, |slot| {
            let message = entry(&MESSAGES, slot);
            let message = if other {
                message.with_other_codes()
            } else {
                message
            };
            let passes = only_data && !message.has_state();
            low.accepts(message.low()) && (passes || high.accepts(message.high()))
        })
    }

    /// No packet at all.
    pub(crate) fn never() -> Self {
        Self::new("rnid", 1, |_| false)
    }

    /// The request is of the IRQ.
    pub(crate) fn of_irq() -> Self {
        Self::new("origin", 41, |slot| slot < 16)
    }

    /// The virtual network.
    pub(crate) fn virtual_network(low: Match) -> Self {
        Self::new("vnw", 11, |slot| low.accepts(staircase(slot).min(3) << 3))
    }

    /// The destination node.
    pub(crate) fn destination(low: Match) -> Self {
        Self::new("dnid", 67, |slot| {
            low.accepts(u32::from(entry(&DESTINATIONS, slot)) << 13)
        })
    }
}

/// A field that has a bit for each choice.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Choice {
    pub(crate) field: u32,
    /// The field is compared as a whole, so that 0 is no choice, else it switches it off.
    pub(crate) whole: bool,
}

impl Choice {
    fn accepts(self, choice: u32) -> bool {
        if self.whole {
            self.field == 1 << choice
        } else {
            self.field >> choice & 1 == 1
        }
    }

    /// The condition that a packet has one of the chosen values, the last of them in slots
    /// that are left over; `None` if the field is switched off.
    fn condition(self, name: &'static str, modulus: u32, last: u32) -> Option<Condition> {
        let on = self.whole || self.field != 0;
        on.then(|| {
            Condition::new(name, modulus, |slot| {
                self.accepts(staircase(slot).min(last))
            })
        })
    }
}

/// Attributes of the packets that an S-Box with match registers sends.
impl Condition {
    /// The state in the response.
    pub(crate) fn packet_response(choice: Choice) -> Option<Self> {
        choice.condition("response", 17, 4)
    }

    /// The opcode.
    pub(crate) fn packet_opcode(choice: Choice) -> Option<Self> {
        choice.condition("opcode", 67, 10)
    }

    /// The message class.
    pub(crate) fn packet_class(choice: Choice) -> Option<Self> {
        choice.condition("class", 16, 4)
    }

    /// The home node, compared in the bits of a mask.
    pub(crate) fn home_node(node: u32, mask: u32) -> Self {
        const NODES: [u32; 4] = [0, 1, 8, 31];
        Self::new("hnid", 11, |slot| (entry(&NODES, slot) ^ node) & mask == 0)
    }

    /// The address of the cache line, compared in the bits of a mask; `None` if there are
    /// none.
    pub(crate) fn address(value: u64, mask: u64) -> Option<Self> {
        let passes = |slot| (entry(&LINES, slot) ^ value) & mask == 0;
        (mask != 0).then(|| Self::new("line", 37, passes))
    }
}

/// Attributes of the commands of an M-Box.
impl Condition {
    /// The mode of the scheduler, 0 to 3.
    pub(crate) fn scheduling_mode(mode: u32) -> Self {
        Self::new("mode", 10, |slot| staircase(slot) == mode)
    }
}

/// Attributes of the home agent.
impl Condition {
    /// The cache line is at `address`.
    pub(crate) fn line(address: u64) -> Self {
        Self::new("line", 37, |slot| entry(&LINES, slot) == address)
    }

    /// The cache line is in the page of `address`.
    pub(crate) fn page(address: u64) -> Self {
        Self::new("line", 37, |slot| {
            entry(&LINES, slot) >> 12 == address >> 12
        })
    }

    /// Message class and opcode are those of OPCODEMATCH.
    pub(crate) fn home_message(opc: u32) -> Self {
        let messages = &MESSAGES[..HOME_MESSAGES];
        Self::new("opc", 990, |slot| entry(messages, slot).home() == opc)
    }
}

/// Attributes of the PCU.
impl Condition {
    /// The frequency, in 100 MHz, is at least that of the band.
    pub(crate) fn band(frequency: u32) -> Self {
        Self::new("frequency", 23, |slot| 12 + slot >= frequency)
    }

    /// The demotion has this reason.
    pub(crate) fn reason(reason: u32) -> Self {
        Self::new("reason", 28, |slot| {
            u32::from(entry(&REASONS, slot)) == reason
        })
    }
}

/// Attributes of the IRP.
impl Condition {
    /// The transaction comes from ordering queue 0.
    pub(crate) fn queue_0() -> Self {
        Self::new("queue", 7, |slot| slot < 2)
    }

    /// The response answers a snoop of `mask`: bit 0 for code, 1 for data, 2 for
    /// invalidation.
    pub(crate) fn snoop(mask: u32) -> Self {
        Self::new("snoop", 11, |slot| mask >> staircase(slot).min(2) & 1 == 1)
    }
}
