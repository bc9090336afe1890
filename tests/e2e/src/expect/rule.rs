// SPDX-License-Identifier: GPL-2.0

//! The filters that events look at.

use super::Setting;
use crate::catalogue::BoxKind;
use crate::platform::Processor;
use std::ops::RangeInclusive;

/// Events that look at filters.
#[derive(Clone, Debug)]
pub(crate) struct Special {
    pub(crate) kind: BoxKind,
    pub(crate) ext: bool,
    pub(crate) codes: RangeInclusive<u8>,
    pub(crate) rule: Rule,
}

/// The filters of such events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A state always; a node with bit 6.
    LlcLookup,
    /// A node with bit 6.
    Node,
    /// An opcode with bit 0, a node with bit 6.
    Tor,
    /// A line with bit 0, an opcode with bits 1 to 4.
    AddrOpcMatch,
    /// Match and mask registers.
    CtoCount,
    /// Match and mask registers of a B-Box, by the fields that the row has.
    HomePackets,
    /// A match set of an R-Box.
    CrossbarPackets,
    /// Match and mask registers of an S-Box.
    SystemPackets,
    /// An address of the M-Box.
    Commands,
    /// A thread and a core of the UBox.
    Messages,
    /// The band of the event's code.
    FreqBand,
    /// A reason.
    Demotions,
}

/// The first event that counts by a band.
const FIRST_BAND: u8 = 0x0b;

/// Returns the filters of an event, by the umask; `None` if it has none.
pub fn rule(kind: BoxKind, setting: &Setting) -> Option<Rule> {
    let mut all = Processor::current().description().special.iter();
    let own = all.find(|special| {
        (special.kind, special.ext) == (kind, setting.ext) && special.codes.contains(&setting.event)
    });
    own.map(|special| special.rule)
}

/// Returns the byte of the PCU's filter that the event looks at.
pub fn band(setting: &Setting) -> usize {
    usize::from(setting.event - FIRST_BAND)
}
