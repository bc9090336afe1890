// SPDX-License-Identifier: GPL-2.0

//! Thresholds, and the fields that look at what is above and below them: reasons 11 to 13.
//!
//! ```text
//! threshold 0       what the event adds
//! threshold n       clocks in which it adds n or more
//!   and edge        steps from below n to n or more
//!   and invert      clocks in which it adds less than n; of occupancies only
//! ```
//!
//! Without a threshold there is nothing to step over or to be less than. A box can have an edge
//! field of its own for occupancies.

use super::super::{
    box_type::{
        BoxType,
        Event,
        Field,
        Role, //
    },
    field::Words,
    reject::ThresholdFault, //
};

/// Reasons 11 to 13.
pub(super) fn check(
    kind: &BoxType,
    words: &Words,
    event: &'static Event,
) -> Result<(), ThresholdFault> {
    check_occupancy(kind, words, event)?;
    let Some(field) = kind.field(Role::Threshold) else {
        return Ok(());
    };
    let threshold = field.value(words);
    if threshold == 0 {
        return check_alone(kind, words, field);
    }
    let inverted = set(kind, words, Role::OccupancyInvert).is_some();
    if threshold > u64::from(event.max_increment) && !inverted {
        return Err(ThresholdFault::TooHigh(field, threshold));
    }
    Ok(())
}

/// Reason 11.
fn check_occupancy(
    kind: &BoxType,
    words: &Words,
    event: &'static Event,
) -> Result<(), ThresholdFault> {
    if event.occupancy {
        let special = kind.field(Role::OccupancyEdge);
        return match (set(kind, words, Role::Edge), special) {
            (Some(edge), Some(special)) => Err(ThresholdFault::Occupancy(edge, special)),
            _ => Ok(()),
        };
    }
    if let Some(edge) = set(kind, words, Role::OccupancyEdge) {
        return Err(ThresholdFault::NoOccupancy(edge, kind.field(Role::Edge)));
    }
    match set(kind, words, Role::OccupancyInvert) {
        Some(invert) => Err(ThresholdFault::NoOccupancy(invert, None)),
        None => Ok(()),
    }
}

/// Reason 12.
fn check_alone(
    kind: &BoxType,
    words: &Words,
    threshold: &'static Field,
) -> Result<(), ThresholdFault> {
    for role in [Role::Edge, Role::OccupancyEdge] {
        if let Some(edge) = set(kind, words, role) {
            return Err(ThresholdFault::EdgeAlone(edge, threshold));
        }
    }
    match set(kind, words, Role::OccupancyInvert) {
        Some(invert) => Err(ThresholdFault::InvertAlone(invert, threshold)),
        None => Ok(()),
    }
}

/// The field with this role, if it is set.
fn set(kind: &BoxType, words: &Words, role: Role) -> Option<&'static Field> {
    kind.field(role).filter(|field| field.value(words) != 0)
}
