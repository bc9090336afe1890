// SPDX-License-Identifier: GPL-2.0

//! The slots of a box: finds the slot of an event, which has its index, or of a counter.

use super::{
    open_event::OpenEvent,
    slot::Slot, //
};
use crate::uncore::request::{
    assign::MAX_EVENTS,
    group::{
        Assignment,
        CounterIndex, //
    }, //
};
use kernel::sync::Arc;

/// A set of slots, as a bit mask of their indexes.
pub(crate) type SlotSet = u16;

const _: () = assert!(MAX_EVENTS <= SlotSet::BITS as usize);

/// Returns the set of one slot.
pub(super) fn slot_bit(index: usize) -> SlotSet {
    let index = u32::try_from(index).unwrap_or(u32::MAX);
    SlotSet::checked_shl(1, index).unwrap_or(0)
}

/// Returns the index of each slot of a set.
pub(super) fn each(set: SlotSet) -> impl Iterator<Item = usize> {
    let mut rest = set;
    core::iter::from_fn(move || {
        let index = usize::try_from(rest.trailing_zeros()).ok()?;
        let found = rest != 0;
        rest &= rest.wrapping_sub(1);
        found.then_some(index)
    })
}

/// Events of a box. Each reference may become the last one: it must not be dropped under the lock.
pub(crate) type Events = [Option<Arc<OpenEvent>>; MAX_EVENTS];

/// The slots of a box: one for each counter in use.
#[derive(Default)]
pub(crate) struct Slots {
    entries: [Option<Slot>; MAX_EVENTS],
    /// Entries from this index on are free, so that a box with few events searches few entries.
    end: usize,
}

impl Slots {
    /// Returns all slots.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Slot> {
        let used = self.entries.get(..self.end).unwrap_or_default();
        used.iter().filter_map(Option::as_ref)
    }

    /// Returns all slots.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Slot> {
        let used = self.entries.get_mut(..self.end).unwrap_or_default();
        used.iter_mut().filter_map(Option::as_mut)
    }

    /// Returns the index of the first slot from an index on that is `wanted`.
    #[inline(always)]
    pub(super) fn find(&self, from: usize, wanted: impl Fn(&Slot) -> bool) -> Option<usize> {
        let rest = self.entries.get(from..self.end)?;
        let is_wanted = |entry: &Option<Slot>| entry.as_ref().is_some_and(&wanted);
        rest.iter().position(is_wanted)?.checked_add(from)
    }

    /// Returns the slots that are `wanted`.
    pub(crate) fn set_of(&self, wanted: impl Fn(&Slot) -> bool) -> SlotSet {
        let used = self.entries.get(..self.end).unwrap_or_default();
        used.iter().rev().fold(0, |set, entry| {
            let is_wanted = entry.as_ref().is_some_and(&wanted);
            set << 1 | SlotSet::from(is_wanted)
        })
    }

    /// Returns the slots of a set.
    pub(crate) fn of_set(&mut self, set: SlotSet) -> impl Iterator<Item = &mut Slot> {
        let used = self.entries.get_mut(..self.end).unwrap_or_default();
        let mut rest = set;
        used.iter_mut().filter_map(move |entry| {
            let is_wanted = rest & 1 != 0;
            rest >>= 1;
            entry.as_mut().filter(|_| is_wanted)
        })
    }

    /// Returns whether no event has a slot.
    pub(crate) fn is_empty(&self) -> bool {
        self.end == 0
    }

    /// Returns the slot of an event.
    #[inline]
    pub(crate) fn of(&mut self, event: &OpenEvent) -> Option<&mut Slot> {
        let slot = self.entries.get_mut(event.slot()?)?.as_mut();
        slot.filter(|slot| slot.is_of(event))
    }

    /// Returns the index of an event's slot.
    #[inline]
    pub(crate) fn index_of(&self, event: &OpenEvent) -> Option<usize> {
        let index = event.slot()?;
        let slot = self.entries.get(index)?.as_ref()?;
        slot.is_of(event).then_some(index)
    }

    /// Returns the slot with an index.
    #[inline]
    pub(super) fn at(&mut self, index: usize) -> Option<&mut Slot> {
        self.entries.get_mut(index)?.as_mut()
    }

    /// Returns the event of the slot with an index.
    #[inline]
    pub(super) fn event(&self, index: usize) -> Option<&OpenEvent> {
        self.entries.get(index)?.as_ref()?.binding.event()
    }

    /// Returns the slot of a general counter.
    pub(crate) fn on(&mut self, counter: u8) -> Option<&mut Slot> {
        self.iter_mut()
            .find(|slot| slot.binding.counter == CounterIndex::General(counter))
    }

    /// Adds a slot for an event. The allocation of counters has ensured that there is room.
    pub(crate) fn insert(&mut self, event: Arc<OpenEvent>, assignment: &Assignment) {
        let mut entries = self.entries.iter_mut().enumerate();
        if let Some((index, entry)) = entries.find(|(_, entry)| entry.is_none()) {
            event.set_slot(index);
            *entry = Some(Slot::new(event, assignment));
            self.end = self.end.max(index.saturating_add(1));
        }
    }

    /// Returns the events that are `wanted`; `None` if there is none.
    pub(super) fn events(&self, wanted: impl Fn(&Slot) -> bool) -> Option<Events> {
        let event = |entry: &Option<Slot>| {
            let slot = entry.as_ref().filter(|slot| wanted(slot))?;
            slot.binding.share()
        };
        self.iter()
            .any(&wanted)
            .then(|| self.entries.each_ref().map(event))
    }

    /// Keeps the slot of an event that perf deletes, for what its control word selects.
    pub(crate) fn abandon(&mut self, index: usize) {
        if let Some(slot) = self.at(index) {
            slot.abandon();
        }
    }

    /// Gives a new event the slot of a deleted event with an equal request, whose selection a
    /// dependent event still uses. Returns whether there is one.
    pub(crate) fn take_over(&mut self, event: &Arc<OpenEvent>) -> bool {
        let mut entries = self.entries.iter_mut().enumerate();
        let found = entries.find_map(|(index, entry)| {
            let slot = entry.as_mut()?;
            let is_like = slot.binding.is_deleted() && *slot.binding.request() == event.request;
            is_like.then_some((index, slot))
        });
        let Some((index, slot)) = found else {
            return false;
        };
        event.set_slot(index);
        slot.rebind(event.clone());
        true
    }

    /// Removes a slot, after a call of `removed`.
    pub(crate) fn remove(&mut self, index: usize, removed: impl FnOnce(&Slot)) {
        if let Some(entry) = self.entries.get_mut(index) {
            if let Some(slot) = entry {
                removed(slot);
                *entry = None;
                self.find_end();
            }
        }
    }

    /// Removes the slots that are not `kept`, each after a call of `removed`.
    pub(crate) fn retain(&mut self, kept: impl Fn(&Slot) -> bool, mut removed: impl FnMut(&Slot)) {
        let used = self.entries.get_mut(..self.end).unwrap_or_default();
        for entry in used {
            if let Some(slot) = entry.as_ref().filter(|slot| !kept(slot)) {
                removed(slot);
                *entry = None;
            }
        }
        self.find_end();
    }

    /// Finds the end again, after slots were removed.
    fn find_end(&mut self) {
        while let Some((None, before)) = self
            .entries
            .get(..self.end)
            .and_then(<[Option<Slot>]>::split_last)
        {
            self.end = before.len();
        }
    }
}
