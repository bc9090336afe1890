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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::Platform;

    #[test]
    fn some_sub_events_do_not_combine() {
        for platform in [Platform::Ivbep, Platform::Bdx] {
            platform.on(|| {
                let cbox = |code, umask| may_combine(BoxKind::Cbox, code, umask);
                assert!(cbox(0x34, 0x45) && !cbox(0x34, 0x07), "kinds of lookup");
                assert!(!cbox(0x35, 0x0c), "the TOR");
                assert!(cbox(0x13, 0x05) && !cbox(0x13, 0x07), "the ingress");
            });
        }
    }

    #[test]
    fn banks_and_groups_of_broadwell() {
        Platform::Bdx.on(|| {
            assert!(!may_combine(BoxKind::Imc, 0xb4, 0x03), "numbers of banks");
            let misc0 = |umask| may_combine(BoxKind::Irp, 0x14, umask);
            assert!(misc0(0x03) && misc0(0x18) && misc0(0xa0));
            assert!(!misc0(0x05) && !misc0(0x84));
            assert!(!may_combine(BoxKind::R2pcie, 0x23, 0x03), "egress queues");
        });
        Platform::Ivbep.on(|| {
            assert!(may_combine(BoxKind::R2pcie, 0x23, 0x03));
        });
    }
}
