// SPDX-License-Identifier: GPL-2.0

//! Allocation of a box: a counter for each event, and the filters that all events share.
//!
//! In a box [`Allocation`] holds the counters and filters that are taken. For a new event of a group
//! [`check`] gives counters to the whole group, to see whether the events fit into one box, and
//! compares the filters of the events with each other. No registers, no memory allocation.

use super::{
    assign::{
        Path,
        Placement,
        MAX_EVENTS,
        MAX_FIXED, //
    },
    filter_units::Filters,
    reject::faults::GroupFault,
    Counters,
    Request, //
};
use crate::uncore::{
    options::Criteria,
    table::box_type::{
        BoxType,
        Needs, //
    }, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

/// Counters and filters of a box that are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Allocation {
    counters: TakenCounters,
    /// Filters that may be in use at a time.
    criteria: Criteria,
    /// Filter units and the number of their users.
    pub(crate) filters: Filters,
}

/// Counters of a box that are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct TakenCounters {
    general: Placement,
    /// Number of events of each fixed counter.
    fixed: [u8; MAX_FIXED],
    /// Number of events that are a [`Needs::Source`].
    sources: u8,
}

/// A free counter for one more event, found by [`Allocation::find`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Assignment {
    /// A general counter, after the moves of this path.
    General(Path),
    /// The fixed counter with this index.
    Fixed(u8),
}

impl Assignment {
    /// The counter of the new event.
    pub(crate) fn counter(&self) -> CounterIndex {
        match self {
            Assignment::General(path) => CounterIndex::General(path.counter()),
            Assignment::Fixed(index) => CounterIndex::Fixed(*index),
        }
    }
}

/// Index of a counter of a box.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CounterIndex {
    /// Among the general counters.
    General(u8),
    /// Among the fixed counters.
    Fixed(u8),
}

impl CounterIndex {
    /// Returns all counters of a box.
    pub(crate) fn all(kind: &BoxType) -> impl Iterator<Item = Self> {
        let general = (0..)
            .zip(kind.counters)
            .map(|(index, _)| Self::General(index));
        let fixed = (0..).zip(kind.fixed).map(|(index, _)| Self::Fixed(index));
        general.chain(fixed)
    }

    /// Returns whether the counter has a control register.
    pub(crate) fn has_control(self, kind: &BoxType) -> bool {
        match self {
            CounterIndex::General(_) => true,
            CounterIndex::Fixed(index) => {
                let fixed = kind.fixed.get(usize::from(index));
                fixed.is_some_and(|fixed| fixed.control.is_some())
            }
        }
    }
}

impl Allocation {
    /// An allocation with all counters and filters free. What is uncertain about the filters is not
    /// relied on.
    pub(crate) fn new(kind: &BoxType) -> Self {
        Self {
            counters: TakenCounters::new(kind),
            criteria: Criteria::One.for_type(kind),
            filters: Filters::default(),
        }
    }

    /// Sets how many filters may be in use at a time, where that is uncertain.
    pub(crate) fn set_criteria(&mut self, kind: &BoxType, criteria: Criteria) {
        self.criteria = criteria.for_type(kind);
    }

    /// Returns whether an event is a [`Needs::Source`].
    pub(crate) fn has_sources(&self) -> bool {
        self.counters.sources > 0
    }

    /// Finds a counter for an event. Checks, in the order of [`GroupFault`], that its source event
    /// is there, that a counter is free for it, that its filters have no other values, and that no
    /// other filters are in use where that matters.
    pub(crate) fn find(
        &self,
        kind: &'static BoxType,
        request: &Request,
    ) -> Result<Assignment, GroupFault> {
        let assignment = self.counters.find(kind, request)?;
        if let Some(conflict) = self.filters.conflict(&request.filters) {
            return Err(GroupFault::Filters(kind, conflict, None));
        }
        match self.criteria {
            Criteria::Several => Ok(assignment),
            Criteria::One => match self.filters.other_criterion(&request.filters) {
                Some(other) => Err(GroupFault::Criteria(kind, other, None)),
                None => Ok(assignment),
            },
        }
    }

    /// Takes the counter that [`find`](Self::find) found, and the filters of the event.
    pub(crate) fn take(&mut self, request: &Request, assignment: &Assignment) {
        self.counters.take(request, assignment);
        self.filters.take(&request.filters);
    }

    /// Frees the counter and the filters of an event.
    pub(crate) fn release(&mut self, request: &Request, counter: CounterIndex) {
        self.counters.release(request, counter);
        self.filters.release(&request.filters);
    }
}

impl TakenCounters {
    /// All counters free.
    fn new(kind: &BoxType) -> Self {
        Self {
            general: Placement::new(kind.counter_mask()),
            fixed: [0; MAX_FIXED],
            sources: 0,
        }
    }

    /// Finds a counter for an event whose source event is there, whatever its filters.
    fn find(&self, kind: &'static BoxType, request: &Request) -> Result<Assignment, GroupFault> {
        if request.needs == Needs::SourceOnCounter0 && self.sources == 0 {
            if let Some(event) = request.event(kind) {
                return Err(GroupFault::SourceMissing(event));
            }
        }
        match request.on {
            Counters::General(able) => {
                let name = || request.event(kind).map_or("", |event| event.name);
                self.general
                    .find(able)
                    .map(Assignment::General)
                    .ok_or_else(|| GroupFault::NoCounter(name(), able))
            }
            Counters::Fixed(index) if self.can_have_fixed(kind, index) => {
                Ok(Assignment::Fixed(index))
            }
            Counters::Fixed(index) => {
                let fixed = kind.fixed.get(usize::from(index));
                Err(GroupFault::FixedTaken(fixed.map_or("", |fixed| fixed.name)))
            }
        }
    }

    /// Returns whether one more event can have a fixed counter. A counter that always runs is read
    /// for each of its events, so it takes more than one while no other counter lacks the room.
    fn can_have_fixed(&self, kind: &BoxType, index: u8) -> bool {
        let index = usize::from(index);
        let is_free = self.fixed.get(index) == Some(&0);
        let always_runs = kind.fixed.get(index).is_some_and(|at| at.control.is_none());
        let counters = kind.counters.len().saturating_add(kind.fixed.len());
        let spare = MAX_EVENTS.saturating_sub(counters);
        let second = |&events: &u8| usize::from(events.saturating_sub(1));
        let taken = self.fixed.iter().map(second).fold(0, usize::saturating_add);
        is_free || always_runs && taken < spare
    }

    /// Counts an event of a fixed counter more, or less.
    fn count_fixed(&mut self, index: u8, count: impl Fn(u8) -> u8) {
        if let Some(events) = self.fixed.get_mut(usize::from(index)) {
            *events = count(*events);
        }
    }

    /// Takes the counter that [`find`](Self::find) found.
    fn take(&mut self, request: &Request, assignment: &Assignment) {
        match (assignment, request.on) {
            (Assignment::General(path), Counters::General(allowed)) => {
                self.general.take(path, allowed)
            }
            (Assignment::Fixed(index), _) => {
                self.count_fixed(*index, |events| events.saturating_add(1))
            }
            _ => {}
        }
        if request.needs == Needs::Source {
            self.sources = self.sources.saturating_add(1);
        }
    }

    /// Frees the counter of an event.
    fn release(&mut self, request: &Request, counter: CounterIndex) {
        match counter {
            CounterIndex::General(counter) => self.general.release(counter),
            CounterIndex::Fixed(index) => {
                self.count_fixed(index, |events| events.saturating_sub(1))
            }
        }
        if request.needs == Needs::Source {
            self.sources = self.sources.saturating_sub(1);
        }
    }
}

/// Checks that an event can count without others.
pub(crate) fn check_alone(kind: &'static BoxType, request: &Request) -> Result<(), GroupFault> {
    let counters = TakenCounters::new(kind);
    counters.find(kind, request).map(|_| ())
}

/// Checks that events fit into one box together, each one after those before it. The user has chosen
/// how many filters may be in use at a time, where that is uncertain.
pub(crate) fn check<'a>(
    kind: &'static BoxType,
    criteria: Criteria,
    requests: impl Iterator<Item = &'a Request> + Clone,
) -> Result<(), GroupFault> {
    let mut counters = TakenCounters::new(kind);
    for (index, request) in requests.clone().enumerate() {
        let assignment = counters.find(kind, request)?;
        let before = || requests.clone().take(index);
        let fault = filter_fault(kind, request, before())
            .or_else(|| criteria_fault(kind, criteria, request, before()));
        if let Some(fault) = fault {
            return Err(fault);
        }
        counters.take(request, &assignment);
    }
    Ok(())
}

/// The fault of an event whose filters have another value in one of the events `before`.
fn filter_fault<'a>(
    kind: &'static BoxType,
    request: &Request,
    before: impl Iterator<Item = &'a Request> + Clone,
) -> Option<GroupFault> {
    request.filters.iter().find_map(|used| {
        before.clone().find_map(|held| {
            let conflict = used.conflict_with(&held.filters)?;
            Some(GroupFault::Filters(kind, conflict, held.event(kind)))
        })
    })
}

/// The fault of an event that uses other filters than one of the events `before`, in a box that may
/// have one set of them in use.
fn criteria_fault<'a>(
    kind: &'static BoxType,
    criteria: Criteria,
    request: &Request,
    mut before: impl Iterator<Item = &'a Request>,
) -> Option<GroupFault> {
    match criteria.for_type(kind) {
        Criteria::One if !request.filters.is_empty() => before.find_map(|held| {
            let other = request.filters.other_criterion(&held.filters)?;
            Some(GroupFault::Criteria(kind, other, held.event(kind)))
        }),
        Criteria::One | Criteria::Several => None,
    }
}
