// SPDX-License-Identifier: GPL-2.0

//! Users of the counters: events of perf, or the survey, never both.
//!
//! The survey programs registers by itself, and no event could count right meanwhile.

use crate::linux::atomic::{
    AtomicU32,
    Ordering, //
};
use kernel::{
    prelude::*,
    sync::{
        Arc,
        UniqueArc, //
    }, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

/// State while the survey has the counters.
const SURVEY: u32 = u32::MAX;

/// Number of open events, or [`SURVEY`].
pub(crate) struct Users(AtomicU32);

impl Users {
    /// Makes counters without users.
    ///
    /// # Errors
    ///
    /// [`ENOMEM`].
    pub(crate) fn new() -> Result<Arc<Self>> {
        Ok(UniqueArc::new(Self(AtomicU32::new(0)), GFP_KERNEL)?.into())
    }

    /// Changes the state unless `f` refuses, and returns whether it has changed.
    fn change(&self, f: impl FnMut(u32) -> Option<u32>) -> bool {
        let changed = self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, f);
        changed.is_ok()
    }

    /// Gives the counters to the survey. Returns `false` if it has them already, or an event is open.
    pub(crate) fn begin_survey(&self) -> bool {
        self.change(|users| (users == 0).then_some(SURVEY))
    }

    /// Takes the counters back from the survey, which has them.
    pub(crate) fn end_survey(&self) {
        self.change(|users| (users == SURVEY).then_some(0));
    }

    /// Gives the counters to one more event. Returns `false` while the survey has them.
    pub(crate) fn begin_event(&self) -> bool {
        self.change(|users| users.checked_add(1).filter(|&users| users != SURVEY))
    }

    /// Takes the counters back from an event, which has them.
    pub(crate) fn end_event(&self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}
