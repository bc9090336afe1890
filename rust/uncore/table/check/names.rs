// SPDX-License-Identifier: GPL-2.0

//! Checks of the names of `events/`: the fifth part of [`super::fault`].
//!
//! Names of events are distinct, those of sub-events within their event; that is checked with
//! them. What is left is each name that is whole by itself: of a fixed counter, a whole row, a
//! preset, and every second name. It must be no other's, dots and all.

use super::same_text;
use super::Fault;
use super::Place;
use crate::uncore::box_type::BoxType;
use crate::uncore::box_type::Event;
use crate::uncore::box_type::SubEvent;

/// The first fault of the names.
pub(super) const fn names(of: &BoxType) -> Option<Fault> {
    let (fixed, events) = (of.fixed, of.events);
    first!(
        first_below!(i < fixed.len() =>
            whole(of, Place::of(of).at(fixed[i].name), Some(fixed[i].name))),
        first_below!(i < events.len() => event(of, &events[i])),
    )
}

const fn event(of: &BoxType, event: &Event) -> Option<Fault> {
    let place = Place::of(of).at(event.name);
    let (rows, presets) = (event.subevents, event.presets);
    first!(
        whole(of, place, event.also),
        first_below!(i < rows.len() => row(of, place.row(rows[i].name), &rows[i])),
        first_below!(i < presets.len() =>
            whole(of, place.row(presets[i].name), Some(presets[i].name))),
    )
}

const fn row(of: &BoxType, place: Place, row: &SubEvent) -> Option<Fault> {
    let name = if row.whole { Some(row.name) } else { None };
    first!(whole(of, place, name), whole(of, place, row.also))
}

/// The fault of a whole name, if there is one.
const fn whole(of: &BoxType, place: Place, name: Option<&str>) -> Option<Fault> {
    let Some(name) = name else {
        return None;
    };
    place.must(
        is_dotted_name(name) && times(of, name) == 1,
        "must have a lower-case name that is no other's",
    )
}

/// Whether perf takes the text as a name in which dots may separate words.
const fn is_dotted_name(text: &str) -> bool {
    let text = text.as_bytes();
    let mut starts = true;
    let mut i = 0;
    while i < text.len() {
        let fits = match text[i] {
            b'a'..=b'z' => true,
            b'0'..=b'9' | b'_' | b'.' => !starts,
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

/// How many things have this name. An event counts even if only its sub-events have files.
const fn times(of: &BoxType, name: &str) -> usize {
    let fixed: usize = sum_below!(i < of.fixed.len() => same_text(of.fixed[i].name, name) as usize);
    let events: usize = sum_below!(i < of.events.len() => times_in(&of.events[i], name));
    fixed + events
}

const fn times_in(event: &Event, name: &str) -> usize {
    let (rows, presets) = (event.subevents, event.presets);
    let rows: usize = sum_below!(i < rows.len() =>
        is_row(event, &rows[i], name) as usize + is_second(rows[i].also, name) as usize);
    let presets: usize = sum_below!(i < presets.len() => same_text(presets[i].name, name) as usize);
    let own = same_text(event.name, name) as usize;
    own + is_second(event.also, name) as usize + rows + presets
}

const fn is_second(also: Option<&str>, name: &str) -> bool {
    matches!(also, Some(also) if same_text(also, name))
}

/// Whether the row has this name; not the event without a sub-event, whose name is the event's.
const fn is_row(event: &Event, row: &SubEvent, name: &str) -> bool {
    if row.whole {
        same_text(row.name, name)
    } else {
        !row.name.is_empty() && is_joined(event.name, row.name, name)
    }
}

/// Whether the name is `event.row`.
const fn is_joined(event: &str, row: &str, name: &str) -> bool {
    let (event, row, name) = (event.as_bytes(), row.as_bytes(), name.as_bytes());
    let dot = event.len();
    name.len() == dot + 1 + row.len()
        && name[dot] == b'.'
        && !any_below!(i < dot => name[i] != event[i])
        && !any_below!(i < row.len() => name[dot + 1 + i] != row[i])
}
