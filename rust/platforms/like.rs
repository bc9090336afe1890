// SPDX-License-Identifier: GPL-2.0

//! Tables of a platform that is like another one: those of the other, and what differs.
//!
//! All of this is evaluated when the module is compiled, and `N` is the number of rows of the result.

#![expect(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "done when the module is compiled"
)]

use crate::uncore::table::prelude::*;

/// Events with these rows among them, in the order of their selects. A row takes the place of the one
/// with its select, and those with the selects `without` are left out.
pub(super) const fn changed<const N: usize>(
    mut events: &[Event],
    mut rows: &[Event],
    without: &[u32],
) -> [Event; N] {
    let mut all = [events[0]; N];
    let mut i = 0;
    loop {
        let next = match (events, rows) {
            ([event, rest @ ..], [row, ..]) if event.select < row.select => {
                events = rest;
                event
            }
            ([event, rest @ ..], []) => {
                events = rest;
                event
            }
            (_, [row, rest @ ..]) => {
                if let [event, others @ ..] = events {
                    if event.select == row.select {
                        events = others;
                    }
                }
                rows = rest;
                row
            }
            ([], []) => break,
        };
        if !contains(without, next.select) {
            all[i] = *next;
            i += 1;
        }
    }
    assert!(i == N, "must have the number of its rows");
    all
}

const fn contains(mut selects: &[u32], select: u32) -> bool {
    while let [first, rest @ ..] = selects {
        if *first == select {
            return true;
        }
        selects = rest;
    }
    false
}

/// The event with a select.
pub(super) const fn row(mut events: &[Event], select: u32) -> Event {
    while events[0].select != select {
        (_, events) = events.split_at(1);
    }
    events[0]
}

/// An event of these with other sub-events, any of which make a umask.
pub(super) const fn with(events: &[Event], select: u32, subevents: &'static [SubEvent]) -> Event {
    Event {
        umasks: Umasks::Combined,
        subevents,
        ..row(events, select)
    }
}

/// Sub-events with this one among them, in the order of their umasks.
pub(super) const fn inserted<const N: usize>(rows: &[SubEvent], row: SubEvent) -> [SubEvent; N] {
    assert!(rows.len() + 1 == N, "must have the number of its rows");
    let mut all = [row; N];
    let (mut i, mut after) = (0, 0);
    while i < rows.len() {
        if rows[i].umask > row.umask {
            after = 1;
        }
        all[i + after] = rows[i];
        i += 1;
    }
    all
}

/// The sub-events with these umasks.
pub(super) const fn picked<const N: usize>(mut rows: &[SubEvent], umasks: &[u32]) -> [SubEvent; N] {
    let mut all = [rows[0]; N];
    let mut i = 0;
    while let [row, rest @ ..] = rows {
        // CAST: A `From` is not const.
        if contains(umasks, row.umask as u32) {
            all[i] = *row;
            i += 1;
        }
        rows = rest;
    }
    assert!(i == N, "must have the number of its rows");
    all
}

/// Fields with inversion in place of the interval.
pub(super) const fn polled<const N: usize>(fields: &[Field]) -> [Field; N] {
    let mut all: [Field; N] = joined(fields, &[]);
    let mut i = 0;
    while i < N {
        if matches!(all[i].role, Role::Interval) {
            all[i] = INVERT;
        }
        i += 1;
    }
    all
}

/// Rows with these ones after them.
pub(super) const fn joined<T: Copy, const N: usize>(rows: &[T], more: &[T]) -> [T; N] {
    assert!(
        rows.len() + more.len() == N,
        "must have the number of its rows"
    );
    let mut all = [rows[0]; N];
    let mut i = 0;
    while i < N {
        all[i] = if i < rows.len() {
            rows[i]
        } else {
            more[i - rows.len()]
        };
        i += 1;
    }
    all
}

/// Events without their units.
pub(super) const fn without_units<const N: usize>(mut events: [Event; N]) -> [Event; N] {
    let mut i = 0;
    while i < N {
        events[i].unit = None;
        i += 1;
    }
    events
}
