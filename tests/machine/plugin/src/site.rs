// SPDX-License-Identifier: GPL-2.0

//! Places in translated code where the adapter is called.
//!
//! The emulator keeps a pointer to a [`Site`] per call, as long as it keeps the
//! translation, and never says when it drops it. So sites live for ever; equal
//! ones are shared, so that retranslation of the same code adds none.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use crate::decode::{decode, Action};

/// The facts about an instruction that its translation gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Site {
    /// Its action; nothing if it is only the successor of an instruction with one.
    pub(crate) action: Option<Action>,
    /// True if its predecessor may have left a result to put into registers.
    pub(crate) finishes: bool,
    /// True if no instruction follows in the same block that could put the result
    /// into registers, or if the instruction itself must not run.
    pub(crate) jumps: bool,
    /// The instruction after it, where the block was when it was translated.
    pub(crate) next: u64,
}

/// The unit in which a block may be moved.
const PAGE: u64 = 0x1000;

impl Site {
    /// The instruction after it, where the block is now: the emulator translates code
    /// once, whatever addresses it is mapped at later, as the vDSO is in each process. The
    /// program counter is known as of some instruction of the block up to this one.
    pub(crate) fn after(&self, recent: u64) -> u64 {
        recent.wrapping_add(self.next.wrapping_sub(recent) % PAGE)
    }
}

/// Plans the sites of a block of translated code, instruction by instruction.
#[derive(Debug)]
pub(crate) struct Planner {
    /// True if instructions that change the interrupt flag have sites.
    flags: bool,
    after_result: bool,
}

impl Planner {
    /// A planner that has sites for changes of the interrupt flag, or not.
    pub(crate) fn new(flags: bool) -> Self {
        Self {
            flags,
            after_result: false,
        }
    }

    /// The site of the next instruction, if it needs one.
    pub(crate) fn plan(&mut self, bytes: &[u8], address: u64, last: bool) -> Option<Site> {
        let action = decode(bytes, address);
        let action = action.filter(|action| match action {
            Action::Flag(_) => self.flags,
            _ => true,
        });
        let finishes = std::mem::replace(
            &mut self.after_result,
            action.as_ref().is_some_and(Action::has_result),
        );
        (action.is_some() || finishes).then(|| Site {
            action,
            finishes,
            jumps: last || action.as_ref().is_some_and(Action::must_jump),
            next: address.wrapping_add(bytes.len() as u64),
        })
    }
}

/// All sites since the start.
#[derive(Debug, Default)]
pub(crate) struct Sites(Mutex<HashSet<&'static Site>>);

impl Sites {
    /// Returns the only site that equals `site`.
    pub(crate) fn intern(&self, site: Site) -> &'static Site {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(same) = known.get(&site) {
            return same;
        }
        let site: &'static Site = Box::leak(Box::new(site));
        known.insert(site);
        site
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: u64 = 0xffff_ffff_a000_1000;
    const RDMSR: &[u8] = &[0x0f, 0x32];
    const WRMSR: &[u8] = &[0x0f, 0x30];
    const NOP: &[u8] = &[0x90];

    fn plan(block: &[&[u8]]) -> Vec<Option<Site>> {
        let mut planner = Planner::new(false);
        let last = block.len() - 1;
        let plan = |(index, bytes): (usize, &&[u8])| planner.plan(bytes, CODE, index == last);
        block.iter().enumerate().map(plan).collect()
    }

    #[test]
    fn the_successor_of_a_read_takes_its_result() {
        let sites = plan(&[NOP, RDMSR, NOP, NOP]);
        assert_eq!(sites[0], None);
        assert!(sites[1].is_some_and(|site| !site.jumps && !site.finishes));
        assert!(sites[2].is_some_and(|site| site.finishes && site.action.is_none()));
        assert_eq!(sites[3], None);
    }

    #[test]
    fn a_write_has_no_result() {
        assert_eq!(plan(&[WRMSR, NOP])[1], None);
    }

    #[test]
    fn flags_have_sites_only_if_asked_for() {
        let sti: &[u8] = &[0xfb];
        let kernel = 0xffff_ffff_8100_0000;
        let plan = |flags| Planner::new(flags).plan(sti, kernel, true);
        assert_eq!(plan(false), None);
        assert!(plan(true).is_some_and(|site| !site.finishes));
    }

    #[test]
    fn two_reads_in_a_row_finish_and_act() {
        let sites = plan(&[RDMSR, RDMSR, NOP]);
        assert!(sites[1].is_some_and(|site| site.finishes && site.action.is_some()));
    }

    #[test]
    fn the_last_instruction_jumps() {
        let site = plan(&[RDMSR])[0];
        assert!(site.is_some_and(|site| site.jumps && site.next == CODE + 2));
    }

    #[test]
    fn code_runs_wherever_it_is_mapped() {
        let site = plan(&[RDMSR])[0].expect("a site");
        assert_eq!(site.after(CODE), CODE + 2);
        assert_eq!(site.after(CODE - 0xff), CODE + 2, "the block began there");
        assert_eq!(site.after(0x7fff_1234_5000), 0x7fff_1234_5002);
        assert_eq!(
            site.after(0x7fff_1234_4fff),
            0x7fff_1234_5002,
            "a page before"
        );
    }

    #[test]
    fn rdpmc_never_runs() {
        assert!(plan(&[&[0x0f, 0x33], NOP])[0].is_some_and(|site| site.jumps));
    }

    #[test]
    fn equal_sites_are_one() {
        let sites = Sites::default();
        let site = plan(&[RDMSR])[0].expect("a site");
        assert!(std::ptr::eq(sites.intern(site), sites.intern(site)));
        let other = Site { next: 0, ..site };
        assert!(!std::ptr::eq(sites.intern(site), sites.intern(other)));
    }
}
