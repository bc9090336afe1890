// SPDX-License-Identifier: GPL-2.0

//! Places in translated code where the adapter is called.
//!
//! The emulator keeps a pointer to a [`Site`] per call, as long as it keeps the
//! translation, and never says when it drops it. So sites live for ever; equal
//! ones are shared, so that retranslation of the same code adds none.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use crate::decode::{decode, Action};

/// What is known of an instruction from its translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Site {
    /// What it does; nothing if it is only the successor of one that matters.
    pub(crate) action: Option<Action>,
    /// Its predecessor may have left a result for it to find.
    pub(crate) finishes: bool,
    /// No instruction of the same block follows that could take its result, or
    /// the emulator never gets past it.
    pub(crate) jumps: bool,
    /// The instruction after it.
    pub(crate) next: u64,
}

/// Plans the sites of a block of translated code, instruction by instruction.
#[derive(Debug, Default)]
pub(crate) struct Planner {
    after_result: bool,
}

impl Planner {
    /// The site of the next instruction, if it needs one.
    pub(crate) fn plan(&mut self, bytes: &[u8], address: u64, last: bool) -> Option<Site> {
        let action = decode(bytes, address);
        let finishes = std::mem::replace(
            &mut self.after_result,
            action.as_ref().is_some_and(Action::has_result),
        );
        (action.is_some() || finishes).then(|| Site {
            action,
            finishes,
            jumps: last || matches!(action, Some(Action::ReadCounter)),
            next: address.wrapping_add(bytes.len() as u64),
        })
    }
}

/// All sites there ever were.
#[derive(Debug, Default)]
pub(crate) struct Sites(Mutex<HashSet<&'static Site>>);

impl Sites {
    /// The one and only site that equals `site`.
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
