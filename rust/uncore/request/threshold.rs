// SPDX-License-Identifier: GPL-2.0

//! Thresholds, and the fields for edges and inversion that need one.
//!
//! ```text
//! field set         the counter counts
//! no threshold      the sum of what the event adds
//! threshold n       clocks in which the event adds n or more
//!   and edge        steps from below n to n or more
//!   and invert      clocks in which the event adds less than n
//!   and both        steps from n or more to below n
//! ```
//!
//! Edge and invert compare with the threshold, so that each of them is refused without one. A box
//! can have separate fields for occupancies. In a box that has no thresholds, edge counts steps from
//! nothing to something.

use super::reject::faults::ThresholdFault;
use crate::uncore::table::{
    box_type::*,
    field::Words, //
};

/// Roles of the fields that need a threshold, each with its twin for occupancies.
const ROLES: [(Role, Role); 2] = [
    (Role::Edge, Role::OccupancyEdge),
    (Role::Invert, Role::OccupancyInvert),
];

/// Returns whether [`check`] looks at fields with this role. Without any of them it accepts all.
pub(crate) fn is_checked(role: Role) -> bool {
    let needs_threshold = |&(usual, special): &(Role, Role)| role == usual || role == special;
    role == Role::Threshold || ROLES.iter().any(needs_threshold)
}

/// Checks the threshold and the fields that need one, in the order of [`ThresholdFault`].
pub(crate) fn check(
    kind: &BoxType,
    words: &Words,
    event: &'static Event,
) -> Result<(), ThresholdFault> {
    for (usual, special) in ROLES {
        check_occupancy(kind, words, event, usual, special)?;
    }
    let Some(field) = kind.field(Role::Threshold) else {
        return Ok(());
    };
    let [edge, invert] = ROLES.map(|(usual, special)| {
        let usual = set(kind, words, usual);
        usual.or_else(|| set(kind, words, special))
    });
    let threshold = field.value(words);
    match (threshold, edge, invert) {
        (0, Some(edge), _) => Err(ThresholdFault::EdgeAlone(edge, field)),
        (0, None, Some(invert)) => Err(ThresholdFault::InvertAlone(invert, field)),
        (_, _, None) if threshold > u64::from(event.max_increment) => {
            Err(ThresholdFault::TooHigh(field, threshold))
        }
        _ => Ok(()),
    }
}

/// Refuses a `special` field, which is for occupancies, with another event, and the usual one with
/// an occupancy if the box has both.
#[inline(never)]
fn check_occupancy(
    kind: &BoxType,
    words: &Words,
    event: &'static Event,
    usual: Role,
    special: Role,
) -> Result<(), ThresholdFault> {
    let fault = if event.class == Class::Occupancy {
        let fields = set(kind, words, usual).zip(kind.field(special));
        fields.map(|(usual, special)| ThresholdFault::Occupancy(usual, special))
    } else {
        let field = set(kind, words, special);
        field.map(|special| ThresholdFault::NoOccupancy(special, kind.field(usual)))
    };
    fault.map_or(Ok(()), Err)
}

/// The field with this role, if it is set.
#[inline(never)]
fn set(kind: &BoxType, words: &Words, role: Role) -> Option<&'static Field> {
    kind.field(role).filter(|field| field.value(words) != 0)
}
