// SPDX-License-Identifier: GPL-2.0

//! Checks of the names of `events/`: the sixth part of [`super::fault`].
//!
//! [`super::events`] checks that names of events are distinct, and names of sub-events within their
//! event. The checks here are for whole names: those of fixed counters, of whole rows and of
//! presets. No other event may have such a name.

use super::rules::{
    Fault,
    Location, //
};
use crate::uncore::table::box_type::{
    BoxType,
    Event,
    Naming,
    SubEvent, //
};

/// The first fault of the names.
pub(crate) const fn names<const NAMES: usize>(of: &BoxType) -> Option<Fault> {
    let (fixed, events) = (of.fixed, of.events);
    let numbers = &Numbers::<NAMES>::new(of);
    first!(
        first_below!(i < fixed.len() =>
            whole(numbers, Location::of(of).at(fixed[i].name), Some(fixed[i].name))),
        first_below!(i < events.len() => event(of, numbers, &events[i])),
    )
}

const fn event<const NAMES: usize>(
    of: &BoxType,
    numbers: &Numbers<NAMES>,
    event: &Event,
) -> Option<Fault> {
    let location = Location::of(of).at(event.name);
    let (rows, presets) = (event.subevents, event.presets);
    first!(
        first_below!(i < rows.len() => row(numbers, location.row(rows[i].name), &rows[i])),
        first_below!(i < presets.len() =>
            whole(numbers, location.row(presets[i].name), Some(presets[i].name))),
    )
}

const fn row<const NAMES: usize>(
    numbers: &Numbers<NAMES>,
    location: Location,
    row: &SubEvent,
) -> Option<Fault> {
    let name = match row.naming {
        Naming::Whole => Some(row.name),
        Naming::Manual | Naming::Lists => None,
    };
    whole(numbers, location, name)
}

/// Numbers that stand for names. Two equal names have one number.
struct Numbers<const NAMES: usize> {
    of: [u64; NAMES],
    count: usize,
}

impl<const NAMES: usize> Numbers<NAMES> {
    /// The numbers of all names that a box has. An event counts even if only its sub-events have
    /// files.
    const fn new(of: &BoxType) -> Self {
        let mut numbers = Self {
            of: [0; NAMES],
            count: 0,
        };
        let mut i = 0;
        while i < of.fixed.len() {
            numbers.add(number("", of.fixed[i].name));
            i += 1;
        }
        let mut i = 0;
        while i < of.events.len() {
            numbers.add_event(&of.events[i]);
            i += 1;
        }
        numbers
    }

    const fn add(&mut self, number: u64) {
        self.of[self.count] = number;
        self.count += 1;
    }

    const fn add_event(&mut self, event: &Event) {
        self.add(number("", event.name));
        let mut i = 0;
        while i < event.subevents.len() {
            let row = &event.subevents[i];
            // The name of the event without a sub-event is that of the event.
            if matches!(row.naming, Naming::Whole) {
                self.add(number("", row.name));
            } else if !row.name.is_empty() {
                self.add(number(event.name, row.name));
            }
            i += 1;
        }
        let mut i = 0;
        while i < event.presets.len() {
            self.add(number("", event.presets[i].name));
            i += 1;
        }
    }

    /// Number of names that are this one.
    const fn times(&self, name: &str) -> usize {
        let wanted = number("", name);
        let mut times = 0;
        let mut i = 0;
        while i < self.count {
            times += (self.of[i] == wanted) as usize;
            i += 1;
        }
        times
    }
}

/// The number of a name, which can be of two parts with a dot between them (FNV-1a).
const fn number(first: &str, last: &str) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325;
    if first.is_empty() {
        return hashed(start, last.as_bytes());
    }
    hashed(
        hashed(hashed(start, first.as_bytes()), b"."),
        last.as_bytes(),
    )
}

const fn hashed(mut number: u64, bytes: &[u8]) -> u64 {
    let mut i = 0;
    while i < bytes.len() {
        number = (number ^ bytes[i] as u64).wrapping_mul(0x100_0000_01b3);
        i += 1;
    }
    number
}

/// The fault of a whole name, if there is one.
const fn whole<const NAMES: usize>(
    numbers: &Numbers<NAMES>,
    location: Location,
    name: Option<&str>,
) -> Option<Fault> {
    let Some(name) = name else {
        return None;
    };
    location.must(
        is_dotted_name(name) && numbers.times(name) == 1,
        "must have a lower-case name that is no other's",
    )
}

/// Returns `true` if perf takes the text as a name, with dots between words.
const fn is_dotted_name(text: &str) -> bool {
    let text = text.as_bytes();
    let mut starts = true;
    let mut i = 0;
    while i < text.len() {
        let fits = match text[i] {
            b'a'..=b'z' => true,
            b'0'..=b'9' => i > 0,
            b'_' | b'.' => !starts,
            _ => false,
        };
        if !fits {
            return false;
        }
        starts = text[i] == b'.';
        i += 1;
    }
    !starts
}
