// SPDX-License-Identifier: GPL-2.0

//! Signals that a setting selects, and conditions that their transactions must meet: the
//! effect of umask and filters on each event.

use super::transaction::Condition;
use super::Setting;
use crate::catalogue::{BoxKind, EventFacts};

/// Events whose umask does more than select signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Special {
    LlcLookup,
    LlcVictims,
    Tor,
    AddrOpcMatch,
    Transactions,
    CtoCount,
    FreqBand(u8),
    Demotions,
    None,
}

impl Special {
    fn of(kind: BoxKind, setting: &Setting) -> Self {
        match (kind, setting.ext, setting.event) {
            (BoxKind::Cbox, false, 0x34) => Self::LlcLookup,
            (BoxKind::Cbox, false, 0x35 | 0x36) => Self::Tor,
            (BoxKind::Cbox, false, 0x37) => Self::LlcVictims,
            (BoxKind::Ha, false, 0x20) => Self::AddrOpcMatch,
            (BoxKind::Irp, false, 0x15) => Self::Transactions,
            (BoxKind::Qpi, true, 0x38) => Self::CtoCount,
            (BoxKind::Pcu, false, code @ 0x0b..=0x0e) => Self::FreqBand(code - 0x0b),
            (BoxKind::Pcu, false, 0x1e..=0x25 | 0x40..=0x46) => Self::Demotions,
            _ => Self::None,
        }
    }

    /// Umask bits that set a condition and carry no signal.
    fn qualifiers(self) -> u8 {
        match self {
            Self::LlcLookup => 0x41,
            Self::LlcVictims => 0x40,
            Self::Tor => 0xe2,
            Self::AddrOpcMatch => 0x03,
            Self::Transactions => 0x08,
            _ => 0,
        }
    }

    /// Returns the signals that an umask stands for if it selects none.
    fn implied(self, umask: u8) -> u8 {
        match self {
            Self::LlcLookup if umask & 0x1e == 0 => 0x1e,
            Self::LlcVictims if umask & 0x4f == 0x40 => 0x0f,
            Self::AddrOpcMatch if umask & 0x1c == 0 => 0x1c,
            Self::Transactions if umask & 0x0f == 0x08 => 0x07,
            _ => 0,
        }
    }

    /// Returns true if the umask lacks bits that the event needs in order to count.
    fn counts_nothing(self, umask: u8) -> bool {
        let needed = match self {
            Self::LlcLookup => 0x01,
            Self::AddrOpcMatch => 0x1f,
            _ => return false,
        };
        umask & needed == 0
    }
}

/// Returns the existing signals that an umask selects.
pub(super) fn selected(
    kind: BoxKind,
    setting: &Setting,
    facts: &EventFacts,
) -> impl Iterator<Item = u8> {
    let special = Special::of(kind, setting);
    let carriers = facts.umask_bits & !facts.dead_bits & !special.qualifiers();
    let asked = setting.umask | special.implied(setting.umask);
    let plain = facts.plain && setting.umask == 0;
    let bits = asked & carriers;
    (0..8)
        .filter(move |bit| bits >> bit & 1 == 1)
        .chain(plain.then_some(8))
}

/// Returns the conditions that apply, `None` if they can never be met.
pub(super) fn conditions(kind: BoxKind, setting: &Setting) -> Option<Vec<Condition>> {
    let special = Special::of(kind, setting);
    if special.counts_nothing(setting.umask) {
        return None;
    }
    let mut conditions = of_event(special, setting);
    if kind == BoxKind::Cbox {
        conditions.extend(setting.filter.tid.map(Condition::Tid));
    }
    Some(conditions)
}

fn of_event(special: Special, setting: &Setting) -> Vec<Condition> {
    let filter = &setting.filter;
    let umask = |bits: u8| setting.umask & bits != 0;
    let node = (umask(0x40), Condition::Node(filter.nid));
    let in_force = |conditions: &[(bool, Condition)]| {
        let in_force = conditions.iter().filter(|(in_force, _)| *in_force);
        in_force.map(|&(_, condition)| condition).collect()
    };
    match special {
        Special::LlcLookup => in_force(&[(true, Condition::State(filter.state)), node]),
        Special::LlcVictims => in_force(&[node]),
        Special::Tor => in_force(&[
            (umask(0x01), Condition::Opcode(filter.opc)),
            (umask(0x01) && filter.nc, Condition::NonCoherent),
            (umask(0x01) && filter.isoc, Condition::Isochronous),
            (umask(0x02), Condition::Miss),
            (umask(0x20), Condition::Local),
            (umask(0x80), Condition::Remote),
            node,
        ]),
        Special::AddrOpcMatch => in_force(&[
            (umask(0x01), Condition::Line(filter.address)),
            (umask(0x1e), Condition::HomeOpcode(filter.home_opcode)),
        ]),
        Special::Transactions => in_force(&[(umask(0x08), Condition::QueueZero)]),
        Special::CtoCount => {
            let packet = filter.packet;
            let compares = |bits: u32| packet.mask0 & bits != 0;
            let message = compares(0x1fe7) || packet.mask1 & 0xf_0000 != 0;
            in_force(&[
                (message, Condition::Message(packet)),
                (compares(0x18), Condition::Network(packet)),
                (compares(0x3_e000), Condition::Destination(packet)),
            ])
        }
        Special::FreqBand(band) => {
            let least = filter.bands[usize::from(band)];
            vec![Condition::Frequency(least)]
        }
        Special::Demotions => vec![Condition::Reason(filter.bands[0])],
        Special::None => Vec::new(),
    }
}
