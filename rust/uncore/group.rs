// SPDX-License-Identifier: GPL-2.0

//! What events have of a box: a counter each, and its filters together.
//!
//! [`Plan`] is the allocator, the same for a box that counts and for the scratch box on which a
//! group is tried before its newest event is accepted. Knows nothing of registers; no allocation.

use super::{
    assign::{
        Path,
        Placement, //
    },
    box_type::{
        BoxType,
        Needs, //
    },
    event::{
        Counters,
        Request, //
    },
    filter::Filters,
    reject::{
        GroupFault,
        Rejection, //
    },
};

#[cfg(KUNIT_SUITES)]
mod tests;

/// Which counters and filters of a box are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Plan {
    general: Placement,
    fixed: bool,
    /// Filter units and their users.
    pub(super) filters: Filters,
    /// How many events there are for others to show.
    sources: u8,
}

/// A place for one more event that is there to be taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// On a general counter, after others have moved.
    General(Path),
    /// On the fixed counter.
    Fixed,
}

impl Plan {
    /// Nothing is taken.
    pub(super) fn new(kind: &BoxType) -> Self {
        Self {
            general: Placement::new(kind.counter_mask()),
            fixed: false,
            filters: Filters::default(),
            sources: 0,
        }
    }

    /// Finds a place for an event; reasons 17 to 19 if there is none.
    pub(super) fn find(
        &self,
        kind: &'static BoxType,
        request: &Request,
    ) -> Result<Way, GroupFault> {
        let event = request.event(kind);
        if let (Needs::SourceOnCounter0, Some(event), 0) = (request.needs, event, self.sources) {
            return Err(GroupFault::SourceMissing(event));
        }
        let way = match (request.on, event) {
            (Counters::Fixed, _) if self.fixed => return Err(GroupFault::FixedTaken),
            (Counters::General(allowed), Some(event)) => {
                let path = self.general.find(allowed);
                Way::General(path.ok_or(GroupFault::NoCounter(event))?)
            }
            _ => Way::Fixed,
        };
        match self.filters.conflict(&request.filters) {
            Some(conflict) => Err(GroupFault::Filters(kind, conflict)),
            None => Ok(way),
        }
    }

    /// Takes the place that [`find`](Self::find) found.
    pub(super) fn take(&mut self, request: &Request, way: &Way) {
        match (way, request.on) {
            (Way::General(path), Counters::General(allowed)) => self.general.take(path, allowed),
            _ => self.fixed = true,
        }
        self.filters.take(&request.filters);
        if request.needs == Needs::Source {
            self.sources = self.sources.saturating_add(1);
        }
    }

    /// Gives back the place of an event; `counter` is its general counter.
    pub(super) fn release(&mut self, request: &Request, counter: Option<u8>) {
        match counter {
            Some(counter) => self.general.release(counter),
            None => self.fixed = false,
        }
        self.filters.release(&request.filters);
        if request.needs == Needs::Source {
            self.sources = self.sources.saturating_sub(1);
        }
    }
}

/// Tries whether events fit one box together, in this order: reasons 17 to 19.
pub(super) fn check(
    kind: &'static BoxType,
    requests: impl Iterator<Item = Request>,
) -> Result<(), Rejection> {
    let mut plan = Plan::new(kind);
    for request in requests {
        let way = plan.find(kind, &request).map_err(Rejection::Group)?;
        plan.take(&request, &way);
    }
    Ok(())
}
