// SPDX-License-Identifier: GPL-2.0

//! Sub-events that cannot be combined with others of their event.

use super::is_numbered;
use super::kind::BoxKind;
use crate::platform::Processor;
use std::ops::RangeInclusive;

/// Rules of a platform's reference for the umasks of some events. Sub-events of all
/// others may be combined as one likes, unless their umasks are numbers.
pub(crate) struct Umasks {
    pub(crate) kind: BoxKind,
    pub(crate) codes: RangeInclusive<u8>,
    pub(crate) combine: Combine,
}

/// The sub-events that may be combined.
pub(crate) enum Combine {
    /// None: only listed umasks mean anything.
    Listed,
    /// All but these, which stand for themselves.
    AllBut(u8),
    /// Those of one of these groups.
    Within(&'static [u8]),
}

impl Umasks {
    fn of(kind: BoxKind, code: u8) -> Option<&'static Self> {
        let mut all = Processor::current().description().umasks.iter();
        all.find(|umasks| umasks.kind == kind && umasks.codes.contains(&code))
    }
}

/// Returns whether the sub-events that make up an umask, none of which is the whole umask,
/// may be combined.
pub fn may_combine(kind: BoxKind, code: u8, umask: u8) -> bool {
    match Umasks::of(kind, code).map(|umasks| &umasks.combine) {
        None => !is_numbered(kind, code),
        Some(Combine::Listed) => false,
        Some(Combine::AllBut(alone)) => umask & alone == 0,
        Some(Combine::Within(groups)) => groups.iter().any(|group| umask & !group == 0),
    }
}
