// SPDX-License-Identifier: GPL-2.0

//! Filters of an event: those it takes, those it needs, and the values that can match.

use super::reason::Reason;
use uncore_e2e::catalogue::{BoxKind, PacketMatch};
use uncore_e2e::expect::{Filter, Setting};

/// Events of the C-Box.
const LOOKUP: u8 = 0x34;
const TOR: [u8; 2] = [0x35, 0x36];
const VICTIMS: u8 = 0x37;

/// The event of the home agent that matches addresses and opcodes.
const ADDRESS_OPCODE_MATCH: u8 = 0x20;

/// Opcodes of the ring, which have both upper bits set.
const OPCODES: std::ops::RangeInclusive<u64> = 0x180..=0x1ff;

/// All cache line states.
const ALL_STATES: u8 = 0x3f;

/// A use of a filter: its value, and flags that tell if the event takes or needs the
/// filter.
struct Use {
    value: u64,
    takes: bool,
    needs: bool,
    possible: bool,
}

impl Use {
    fn new(value: u64, takes: bool) -> Self {
        Self {
            value,
            takes,
            needs: false,
            possible: true,
        }
    }

    fn needed(value: u64, takes: bool) -> Self {
        Self {
            needs: takes,
            ..Self::new(value, takes)
        }
    }

    fn objection(&self) -> Option<Reason> {
        match (self.value != 0, self.takes) {
            (true, false) => Some(Reason::FilterUseless),
            (false, _) if self.needs => Some(Reason::FilterMissing),
            (true, true) if !self.possible => Some(Reason::FilterImpossible),
            _ => None,
        }
    }
}

/// Returns the contents of the filter registers for these words.
pub(super) fn read(kind: BoxKind, setting: &Setting, words: &[u64; 5]) -> Filter {
    let [config, config1, config2, ..] = *words;
    let none = Filter::default();
    match kind {
        BoxKind::Cbox => Filter {
            tid: (config >> 19 & 1 == 1).then(|| narrow(config1 & 0x1f)),
            state: match narrow(config1 >> 17 & 0x3f) {
                0 if setting.event == LOOKUP => ALL_STATES,
                state => state,
            },
            nid: u16::try_from(config1 >> 32 & 0xffff).unwrap_or(0),
            opc: u16::try_from(config1 >> 52 & 0x1ff).unwrap_or(0),
            nc: config1 >> 62 & 1 == 1,
            isoc: config1 >> 63 == 1,
            ..none
        },
        BoxKind::Ha => Filter {
            address: config1 & ((1 << 46) - 1),
            home_opcode: narrow(config2 & 0x3f),
            ..none
        },
        BoxKind::Pcu => Filter {
            bands: low(config1).to_le_bytes(),
            ..none
        },
        BoxKind::Qpi => Filter {
            packet: PacketMatch {
                match0: low(config1),
                match1: low(config1 >> 32),
                mask0: low(config2),
                mask1: low(config2 >> 32),
            },
            ..none
        },
        _ => none,
    }
}

/// Returns the reasons to refuse the filters, each kind of reason once.
pub(super) fn objections(kind: BoxKind, setting: &Setting, words: &[u64; 5]) -> Vec<Reason> {
    let uses = match kind {
        BoxKind::Cbox => cbox(setting, words),
        BoxKind::Ha => home(setting, words),
        BoxKind::Pcu => bands(setting),
        BoxKind::Qpi => packets(setting, words),
        _ => Vec::new(),
    };
    let mut reasons: Vec<Reason> = uses.iter().filter_map(Use::objection).collect();
    reasons.sort_unstable();
    reasons.dedup();
    reasons
}

fn cbox(setting: &Setting, words: &[u64; 5]) -> Vec<Use> {
    let config1 = words[1];
    let Setting { event, umask, .. } = *setting;
    let by_node = (LOOKUP..=VICTIMS).contains(&event) && umask & 0x40 != 0;
    let by_opcode = TOR.contains(&event) && umask & 0x01 != 0;
    let opcode = config1 >> 52 & 0x1ff;
    vec![
        Use::new(config1 & 0x1f, setting.filter.tid.is_some()),
        Use::new(config1 >> 17 & 0x3f, event == LOOKUP),
        Use::needed(config1 >> 32 & 0xffff, by_node),
        Use {
            possible: OPCODES.contains(&opcode),
            ..Use::needed(opcode, by_opcode)
        },
        Use::new(config1 >> 62, by_opcode),
    ]
}

/// Returns the uses of address and opcode matches; a value of 0 is valid for both.
fn home(setting: &Setting, words: &[u64; 5]) -> Vec<Use> {
    let matches = setting.event == ADDRESS_OPCODE_MATCH;
    let by = |bits: u8| matches && setting.umask & bits != 0;
    vec![Use::new(words[1], by(0x01)), Use::new(words[2], by(0x1e))]
}

fn bands(setting: &Setting) -> Vec<Use> {
    let band = match (setting.ext, setting.event) {
        (false, code @ 0x0b..=0x0e) => Some(usize::from(code - 0x0b)),
        (false, 0x1e..=0x25 | 0x40..=0x46) => Some(0),
        _ => None,
    };
    let bands = setting.filter.bands.into_iter().enumerate();
    let uses = bands.map(|(index, value)| Use::needed(value.into(), band == Some(index)));
    uses.collect()
}

/// Returns the uses of match and mask. A match bit outside the mask has no effect.
fn packets(setting: &Setting, words: &[u64; 5]) -> Vec<Use> {
    let [_, matched, mask, ..] = *words;
    let counts = counts_packets(setting);
    vec![
        Use::new(matched | mask, counts),
        Use::new(matched & !mask, false),
    ]
}

/// Returns whether the event counts the packets that match.
pub(super) fn counts_packets(setting: &Setting) -> bool {
    (setting.ext, setting.event) == (true, 0x38)
}

fn low(word: u64) -> u32 {
    u32::try_from(word & 0xffff_ffff).unwrap_or(0)
}

fn narrow(value: u64) -> u8 {
    u8::try_from(value).unwrap_or(0)
}
