// SPDX-License-Identifier: GPL-2.0

//! Checks of the names of `events/`: the sixth part of [`super::fault`].
//!
//! [`super::events`] checks that names of events are distinct, and names of sub-events within their
//! event. The checks here are for whole names: those of fixed counters, of whole rows and of
//! presets, and all second names. No other event may have such a name.

use super::rules::{
    same_text,
    Fault,
    Location, //
};
use crate::uncore::table::box_type::{
    BoxType,
    Event,
    SubEvent, //
};

/// The first fault of the names.
pub(crate) const fn names(of: &BoxType) -> Option<Fault> {
    let (fixed, events) = (of.fixed, of.events);
    first!(
        first_below!(i < fixed.len() =>
            whole(of, Location::of(of).at(fixed[i].name), Some(fixed[i].name))),
        first_below!(i < events.len() => event(of, &events[i])),
    )
}

const fn event(of: &BoxType, event: &Event) -> Option<Fault> {
    let location = Location::of(of).at(event.name);
    let (rows, presets) = (event.subevents, event.presets);
    first!(
        whole(of, location, event.also),
        first_below!(i < rows.len() => row(of, location.row(rows[i].name), &rows[i])),
        first_below!(i < presets.len() =>
            whole(of, location.row(presets[i].name), Some(presets[i].name))),
    )
}

const fn row(of: &BoxType, location: Location, row: &SubEvent) -> Option<Fault> {
    let name = if row.whole { Some(row.name) } else { None };
    first!(whole(of, location, name), whole(of, location, row.also))
}

/// The fault of a whole name, if there is one.
const fn whole(of: &BoxType, location: Location, name: Option<&str>) -> Option<Fault> {
    let Some(name) = name else {
        return None;
    };
    location.must(
        is_dotted_name(name) && times(of, name) == 1,
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

/// Number of events, rows and counters with this name. An event counts even if only its sub-events
/// have files.
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

/// Returns `true` if the row has this name. The event without a sub-event is left out, as its name
/// is that of the event.
const fn is_row(event: &Event, row: &SubEvent, name: &str) -> bool {
    if row.whole {
        same_text(row.name, name)
    } else {
        !row.name.is_empty() && is_joined(event.name, row.name, name)
    }
}

/// Returns `true` if the name is `event.row`.
const fn is_joined(event: &str, row: &str, name: &str) -> bool {
    let (event, row, name) = (event.as_bytes(), row.as_bytes(), name.as_bytes());
    let dot = event.len();
    name.len() == dot + 1 + row.len()
        && name[dot] == b'.'
        && !any_below!(i < dot => name[i] != event[i])
        && !any_below!(i < row.len() => name[dot + 1 + i] != row[i])
}
