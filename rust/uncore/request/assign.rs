// SPDX-License-Identifier: GPL-2.0

//! Assignment of events to general counters.
//!
//! Events and counters form a bipartite graph: an event may use some counters, a counter serves
//! one event. Placing an event means finding an augmenting path: a counter it may use, whose
//! event moves to another one it may use, and so on to a free counter. Such a path exists exactly
//! if there is any legal assignment of all events, so that an event is refused only if no
//! assignment exists. The search takes the shortest path, so that as few events as possible move.
//!
//! Counters are bits of a byte. No allocation; the search looks at each counter once.

/// The most general counters a box can have.
pub(crate) const MAX_COUNTERS: usize = 8;

/// The most fixed counters a box can have; tables are checked for it.
pub(crate) const MAX_FIXED: usize = 5;

/// The most events a box can have.
pub(crate) const MAX_EVENTS: usize = MAX_COUNTERS + MAX_FIXED;

/// Counters that are taken, each with the counters that its event may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Placement {
    /// Counters the box has.
    existing: u8,
    /// Counters that are not free.
    taken: u8,
    /// For each counter the counters its event may use, 0 where it is free.
    allowed: [u8; MAX_COUNTERS],
}

/// A path on which one more event gets a counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Path {
    /// Counters from the free one at the end of the path to the new event's own.
    counters: [u8; MAX_COUNTERS],
    /// Number of these counters, at least one.
    length: usize,
}

impl Path {
    /// The path to a free counter, on which no event moves.
    fn to(free: u8) -> Self {
        let mut counters = [0; MAX_COUNTERS];
        set(&mut counters, 0, free);
        Self {
            counters,
            length: 1,
        }
    }

    /// Events that change counters, as (from, to), in an order in which each `to` is free.
    pub(crate) fn moves(&self) -> impl Iterator<Item = (u8, u8)> + '_ {
        let path = self.counters.get(..self.length).unwrap_or(&[]);
        path.iter()
            .zip(path.iter().skip(1))
            .map(|(&to, &from)| (from, to))
    }

    /// Returns `true` if the new event's counter is free, so that no event moves.
    pub(crate) fn is_free(&self) -> bool {
        self.length == 1
    }

    /// The counter of the new event.
    pub(crate) fn counter(&self) -> u8 {
        let last = self.length.saturating_sub(1);
        self.counters.get(last).copied().unwrap_or(0)
    }

    /// Appends a counter, on the way from the free counter to the new event's.
    fn push(&mut self, counter: u8) {
        if let Some(slot) = self.counters.get_mut(self.length) {
            *slot = counter;
            self.length = self.length.saturating_add(1);
        }
    }
}

impl Placement {
    /// A placement in which all the counters `existing` are free.
    pub(crate) fn new(existing: u8) -> Self {
        Self {
            existing,
            taken: 0,
            allowed: [0; MAX_COUNTERS],
        }
    }

    /// Finds a counter for an event that may use the counters `allowed`, moving as few others as
    /// possible; `None` if there is no legal assignment at all.
    pub(crate) fn find(&self, allowed: u8) -> Option<Path> {
        let seen = allowed & self.existing;
        // The highest one: events with few choices mostly need low counters.
        if let Some(free) = highest(seen & !self.taken) {
            return Some(Path::to(free));
        }
        self.find_path(seen)
    }

    /// Finds a path to a free counter for an event that may use the counters `seen`, which are
    /// taken.
    fn find_path(&self, mut seen: u8) -> Option<Path> {
        let mut parents = [None; MAX_COUNTERS];
        let mut frontier = seen;
        while frontier != 0 {
            if let Some(free) = highest(frontier & !self.taken) {
                return Some(trace(free, &parents));
            }
            let mut next = 0;
            for from in bits(frontier) {
                for to in bits(self.allowed(from) & self.existing & !seen) {
                    set(&mut parents, to, Some(from));
                    seen |= bit(to);
                    next |= bit(to);
                }
            }
            frontier = next;
        }
        None
    }

    /// Takes the path that [`find`](Self::find) found for an event that may use `allowed`.
    pub(crate) fn take(&mut self, path: &Path, allowed: u8) {
        if !path.is_free() {
            for (from, to) in path.moves() {
                self.give(to, self.allowed(from));
            }
        }
        self.give(path.counter(), allowed);
    }

    /// Gives a counter to an event that may use the counters `allowed`.
    fn give(&mut self, counter: u8, allowed: u8) {
        set(&mut self.allowed, counter, allowed);
        self.taken |= bit(counter);
    }

    /// Frees a counter.
    pub(crate) fn release(&mut self, counter: u8) {
        set(&mut self.allowed, counter, 0);
        self.taken &= !bit(counter);
    }

    /// The counters that the event on this counter may use; 0 if the counter is free.
    fn allowed(&self, counter: u8) -> u8 {
        self.allowed.get(usize::from(counter)).copied().unwrap_or(0)
    }
}

/// The path from a free counter back to the counter at which the search began.
fn trace(free: u8, parents: &[Option<u8>; MAX_COUNTERS]) -> Path {
    let mut path = Path {
        counters: [0; MAX_COUNTERS],
        length: 0,
    };
    let mut at = Some(free);
    while let Some(counter) = at {
        path.push(counter);
        at = parents.get(usize::from(counter)).copied().flatten();
    }
    path
}

/// The bit of a counter.
pub(crate) fn bit(counter: u8) -> u8 {
    1_u8.checked_shl(u32::from(counter)).unwrap_or(0)
}

/// The counters, or filter units, of a bit mask, in ascending order.
pub(crate) fn bits(mask: impl Into<u32>) -> impl Iterator<Item = u8> {
    let mut mask = mask.into();
    core::iter::from_fn(move || {
        let lowest = mask & mask.wrapping_neg();
        mask ^= lowest;
        highest(lowest)
    })
}

/// The highest counter of a bit mask.
fn highest(mask: impl Into<u32>) -> Option<u8> {
    u8::try_from(mask.into().checked_ilog2()?).ok()
}

/// Stores a value at the index `counter`; does nothing beyond the end of the array.
fn set<T>(array: &mut [T; MAX_COUNTERS], counter: u8, value: T) {
    if let Some(slot) = array.get_mut(usize::from(counter)) {
        *slot = value;
    }
}
