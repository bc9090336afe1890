// SPDX-License-Identifier: GPL-2.0

//! Filters of an event: those it takes, those it needs, and the values that can match.

use super::reason::Reason;
use uncore_e2e::catalogue::{BoxKind, Catalogue};
use uncore_e2e::expect::{band, rule, Rule, Setting};
use uncore_e2e::formats::{field, value};

/// Opcodes of the ring, which have both upper bits set.
const OPCODES: std::ops::RangeInclusive<u64> = 0x180..=0x1ff;

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

/// Returns a setting with the filters of these words. To the driver, no state at all stands for all
/// states.
pub(super) fn with_filters(kind: BoxKind, setting: Setting, words: &[u64; 5]) -> Setting {
    let [_, mut config1, config2, ..] = *words;
    if rule(kind, &setting) == Some(Rule::LlcLookup) && value(kind, "filter_state", words) == 0 {
        config1 |= field(kind, "filter_state").map_or(0, |(_, states)| states);
    }
    Setting {
        config1,
        config2,
        ..setting
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
        BoxKind::Pcu => bands(rule, setting, words),
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
        Use::new(value("filter_tid"), setting.tid_en),
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

fn bands(rule: Option<Rule>, setting: &Setting, words: &[u64; 5]) -> Vec<Use> {
    let band = match rule {
        Some(Rule::FreqBand) => Some(band(setting)),
        Some(Rule::Demotions) => Some(0),
        _ => None,
    };
    let uses = (0..4).map(|index| {
        let value = value(BoxKind::Pcu, &format!("filter_band{index}"), words);
        Use::needed(value, band == Some(index))
    });
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
