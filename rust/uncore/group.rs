// SPDX-License-Identifier: GPL-2.0

//! What events have of a box: a counter each, and its filters together.
//!
//! [`Plan`] is the allocator, the same for a box that counts and for the scratch box on which a
//! group is tried before its newest event is accepted. Knows nothing of registers; no allocation.

use super::{
    assign::{
        bit,
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
    /// The fixed counters that are taken, as a bit mask.
    fixed: u8,
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
    /// On the fixed counter with this index.
    Fixed(u8),
}

impl Way {
    /// The counter at its end.
    pub(super) fn place(&self) -> Place {
        match self {
            Way::General(path) => Place::General(path.counter()),
            Way::Fixed(index) => Place::Fixed(*index),
        }
    }
}

/// A counter of a box.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// The general one with this index.
    General(u8),
    /// The fixed one with this index.
    Fixed(u8),
}

impl Plan {
    /// Nothing is taken.
    pub(super) fn new(kind: &BoxType) -> Self {
        Self {
            general: Placement::new(kind.counter_mask()),
            fixed: 0,
            filters: Filters::default(),
            sources: 0,
        }
    }

    /// Finds a place for an event; reasons 23 to 25 if there is none.
    pub(super) fn find(
        &self,
        kind: &'static BoxType,
        request: &Request,
    ) -> Result<Way, GroupFault> {
        if (request.needs, self.sources) == (Needs::SourceOnCounter0, 0) {
            if let Some(event) = request.event(kind) {
                return Err(GroupFault::SourceMissing(event));
            }
        }
        let way = self.counter(kind, request)?;
        match self.filters.conflict(&request.filters) {
            Some(conflict) => Err(GroupFault::Filters(kind, conflict)),
            None => Ok(way),
        }
    }

    /// Finds a counter for an event; reason 24 if there is none.
    fn counter(&self, kind: &'static BoxType, request: &Request) -> Result<Way, GroupFault> {
        match request.on {
            Counters::General(able) => {
                let path = self.general.find(able).map(Way::General);
                let name = || request.event(kind).map_or("", |event| event.name);
                path.ok_or_else(|| GroupFault::NoCounter(name(), able))
            }
            Counters::Fixed(index) if self.fixed & bit(index) == 0 => Ok(Way::Fixed(index)),
            Counters::Fixed(index) => {
                let fixed = kind.fixed.get(usize::from(index));
                Err(GroupFault::FixedTaken(fixed.map_or("", |fixed| fixed.name)))
            }
        }
    }

    /// Takes the place that [`find`](Self::find) found.
    pub(super) fn take(&mut self, request: &Request, way: &Way) {
        match (way, request.on) {
            (Way::General(path), Counters::General(allowed)) => self.general.take(path, allowed),
            (Way::Fixed(index), _) => self.fixed |= bit(*index),
            _ => {}
        }
        self.filters.take(&request.filters);
        if request.needs == Needs::Source {
            self.sources = self.sources.saturating_add(1);
        }
    }

    /// Gives back the place of an event.
    pub(super) fn release(&mut self, request: &Request, place: Place) {
        match place {
            Place::General(counter) => self.general.release(counter),
            Place::Fixed(index) => self.fixed &= !bit(index),
        }
        self.filters.release(&request.filters);
        if request.needs == Needs::Source {
            self.sources = self.sources.saturating_sub(1);
        }
    }
}

/// Tries whether events fit one box together, in this order: reasons 23 to 25.
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
