// SPDX-License-Identifier: GPL-2.0

//! Questions, each about a known defect of the kernel's own driver; the machine gives the
//! answers.

pub(crate) mod common;
pub(crate) mod names;

use super::Case;
use crate::platform::Processor;

/// Returns all questions about the current platform.
pub fn cases() -> impl Iterator<Item = &'static Case> {
    Processor::current().description().cases.iter()
}

#[cfg(test)]
mod tests {
    use super::common::{prefetch_hints, FILTER_NOT_TAKEN};
    use super::*;
    use crate::differences::ask::{right, BURST};
    use crate::fixture::probe::Probe;
    use crate::platform::Platform;

    #[test]
    fn questions_differ_and_have_answers() {
        let check = || {
            let mut questions: Vec<&str> = cases().map(|case| case.question).collect();
            questions.sort_unstable();
            questions.dedup();
            assert_eq!(questions.len(), cases().count());
            assert!(cases().all(|case| !(case.right)().is_empty()));
        };
        for platform in Platform::ALL {
            platform.on(check);
        }
    }

    #[test]
    fn the_wrong_answers_that_are_expected_are_not_the_right_ones() {
        let check = || {
            let unfiltered = Probe::cbox(0, "misc.started").count(0, BURST);
            assert_ne!((FILTER_NOT_TAKEN.right)(), unfiltered.to_string());
            let read_current = prefetch_hints().home_opcode(0);
            assert_ne!(right(&prefetch_hints()), right(&read_current));
        };
        for platform in [Platform::Ivbep, Platform::Bdx] {
            platform.on(check);
        }
    }
}
