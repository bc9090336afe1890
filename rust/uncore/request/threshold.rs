// SPDX-License-Identifier: GPL-2.0

//! Thresholds, and the fields for edges and inversion that need one.
//!
//! ```text
//! field set         the counter counts
//! no threshold      the sum of what the event adds
//! threshold n       clocks in which the event adds n or more
//!   and edge        steps from below n to n or more
//!   and invert      clocks in which the event adds less than n; for occupancies only
//! ```
//!
//! Edge and invert compare with the threshold, so that each of them is refused without one. A box
//! can have a separate edge field for occupancies.

use super::reject::faults::ThresholdFault;
use crate::uncore::table::{
    box_type::*,
    field::Words, //
};

/// Checks the threshold and the fields that need one, in the order of [`ThresholdFault`].
pub(crate) fn check(
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

/// Refuses a field for occupancies with another event, and the other way round.
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

/// Refuses edge and inversion without a threshold.
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
