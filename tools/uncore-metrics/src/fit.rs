// SPDX-License-Identifier: GPL-2.0

//! The question a plan asks of a box: can it count these events at the same time?

use crate::term::Term;

/// A box, as far as it matters to a plan.
///
/// [`crate::BoxType`] answers from a description. A caller that can open events may let the driver
/// answer instead.
pub trait Fit {
    /// Checks that the box can count these events, in this order, as one group.
    ///
    /// A group that fits must also fit with fewer events, unless an event needs one
    /// before it. The error says why the box cannot.
    fn fits(&self, group: &[Term]) -> Result<(), Misfit>;

    /// Returns whether the box can count these events, for a caller who does not need the reason.
    fn is_fit(&self, group: &[Term]) -> bool {
        self.fits(group).is_ok()
    }
}

/// Reason why a box cannot count some events together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// The box has no such event.
    #[error("there is no event {0}")]
    NoEvent(String),
    /// The box has no such field.
    #[error("there is no field {0}")]
    NoField(String),
    /// The event shows an occupancy that an event before it must select, and none does.
    #[error("{0} needs an occupancy event ahead of it")]
    NoSource(String),
    /// There are too few counters that can count them.
    #[error("there are too few counters for these events")]
    Counters,
    /// They need different values of this filter.
    #[error("they need different values of the filter {0}")]
    Filter(String),
    /// The driver does not count them together, for a reason it keeps to itself.
    #[error("the driver refuses them: {0}")]
    Refused(String),
}
