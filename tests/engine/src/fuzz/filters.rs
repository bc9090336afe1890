// SPDX-License-Identifier: GPL-2.0

//! Filters of an event: those it takes, those it needs, and the values that can match.

use super::reason::Reason;
use uncore_e2e::catalogue::{BoxKind, Catalogue, PacketMatch};
use uncore_e2e::expect::{all_states, band, rule, Filter, Rule, Setting};
use uncore_e2e::formats::value;

/// Opcodes of the ring, which have both upper bits set.
const OPCODES: std::ops::RangeInclusive<u64> = 0x180..=0x1ff;

/// Fields `filter_link` and `filter_c6` of the C-Box.
const IGNORED: u64 = 7 << 6 | 1 << 61;

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
    let value = |name| value(kind, name, words);
    let [_, config1, config2, ..] = *words;
    let none = Filter::default();
    match kind {
        BoxKind::Cbox => Filter {
            tid: (value("tid_en") == 1).then(|| narrow(value("filter_tid"))),
            state: match narrow(value("filter_state")) {
                0 if rule(kind, setting) == Some(Rule::LlcLookup) => all_states(),
                state => state,
            },
            nid: u16::try_from(value("filter_nid")).unwrap_or(0),
            opc: u16::try_from(value("filter_opc")).unwrap_or(0),
            nc: value("filter_nc") == 1,
            isoc: value("filter_isoc") == 1,
            config1: config1 & IGNORED,
            ..none
        },
        BoxKind::Ha => Filter {
            address: value("filter_addr"),
            home_opcode: narrow(value("filter_opc")),
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
        BoxKind::Ubox => Filter { config1, ..none },
        BoxKind::Sbox => Filter {
            config1,
            config2,
            ..none
        },
        _ => none,
    }
}

/// Returns the reasons to refuse the filters, each kind of reason once.
pub(super) fn objections(kind: BoxKind, setting: &Setting, words: &[u64; 5]) -> Vec<Reason> {
    let rule = rule(kind, setting);
    let uses = match kind {
        BoxKind::Ubox => {
            let takes = setting.event == 0x42 || setting.umask & 0x05 != 0;
            vec![Use::new(words[1], rule == Some(Rule::Messages) && takes)]
        }
        BoxKind::Cbox => cbox(rule, setting, words),
        BoxKind::Ha => home(rule, setting, words),
        BoxKind::Pcu => bands(rule, setting),
        BoxKind::Qpi => packets(rule, words),
        BoxKind::Sbox => system_packets(rule, words),
        _ => Vec::new(),
    };
    let mut reasons: Vec<Reason> = uses.iter().filter_map(Use::objection).collect();
    reasons.sort_unstable();
    reasons.dedup();
    reasons
}

fn cbox(rule: Option<Rule>, setting: &Setting, words: &[u64; 5]) -> Vec<Use> {
    let value = |name| value(BoxKind::Cbox, name, words);
    let umask = |bits: u8| setting.umask & bits != 0;
    let takes_node = matches!(rule, Some(Rule::LlcLookup | Rule::Node | Rule::Tor));
    let by_node = takes_node && umask(0x40) || has_sub_event_with_node(setting);
    let by_opcode = rule == Some(Rule::Tor) && umask(0x01);
    let opcode = value("filter_opc");
    vec![
        Use::new(value("filter_tid"), setting.filter.tid.is_some()),
        Use::new(value("filter_state"), rule == Some(Rule::LlcLookup)),
        Use::needed(value("filter_nid"), by_node),
        Use {
            possible: OPCODES.contains(&opcode),
            ..Use::needed(opcode, by_opcode)
        },
        Use::new(value("filter_nc") | value("filter_isoc"), by_opcode),
        Use::new(value("filter_c6"), by_opcode),
        Use::new(
            value("filter_link"),
            (setting.event, setting.umask) == (0x35, 0x01),
        ),
    ]
}

/// Tells whether one of the sub-events is listed with a node.
fn has_sub_event_with_node(setting: &Setting) -> bool {
    let mut rows = Catalogue::get().rows().iter();
    rows.any(|row| {
        row.kind == BoxKind::Cbox
            && row.code == setting.event
            && row.umask & !setting.umask == 0
            && row.needs.nid
    })
}

/// Returns the uses of address and opcode matches, which are all that the second and the third
/// word have; a value of 0 is valid for both.
fn home(rule: Option<Rule>, setting: &Setting, words: &[u64; 5]) -> Vec<Use> {
    let matches = rule == Some(Rule::AddrOpcMatch);
    let by = |bits: u8| matches && setting.umask & bits != 0;
    vec![Use::new(words[1], by(0x01)), Use::new(words[2], by(0x1e))]
}

fn bands(rule: Option<Rule>, setting: &Setting) -> Vec<Use> {
    let band = match rule {
        Some(Rule::FreqBand) => Some(band(setting)),
        Some(Rule::Demotions) => Some(0),
        _ => None,
    };
    let bands = setting.filter.bands.into_iter().enumerate();
    let uses = bands.map(|(index, value)| Use::needed(value.into(), band == Some(index)));
    uses.collect()
}

/// Returns the uses of match and mask. A match bit outside the mask has no effect.
fn packets(rule: Option<Rule>, words: &[u64; 5]) -> Vec<Use> {
    let [_, matched, mask, ..] = *words;
    vec![
        Use::new(matched | mask, rule == Some(Rule::CtoCount)),
        Use::new(matched & !mask, false),
    ]
}

/// Returns the uses of match and mask, which select some packets with any value.
fn system_packets(rule: Option<Rule>, words: &[u64; 5]) -> Vec<Use> {
    let [_, matched, mask, ..] = *words;
    vec![Use::new(matched | mask, rule == Some(Rule::SystemPackets))]
}

fn low(word: u64) -> u32 {
    u32::try_from(word & 0xffff_ffff).unwrap_or(0)
}

fn narrow(value: u64) -> u8 {
    u8::try_from(value).unwrap_or(0)
}
