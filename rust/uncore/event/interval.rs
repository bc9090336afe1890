// SPDX-License-Identifier: GPL-2.0

//! After how many counts a user wants to hear of an event: reason 18.
//!
//! The shortest interval follows from what the event can add at most: at its fastest it must not
//! interrupt too often.

use super::super::{
    box_type::{
        BoxType,
        Role, //
    },
    field::Words,
    overflow::shortest,
    reject::Rejection, //
};

/// The interval, or 0 if none is wanted, of an event that adds at most `increment` in a clock.
pub(super) fn parse(kind: &BoxType, words: &Words, increment: u16) -> Result<u64, Rejection> {
    let Some(field) = kind.field(Role::Interval) else {
        return Ok(0);
    };
    let interval = field.value(words);
    let least = shortest(kind, increment);
    if (1..least).contains(&interval) {
        return Err(Rejection::ShortInterval(field, interval, least));
    }
    Ok(interval)
}
