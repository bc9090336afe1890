// SPDX-License-Identifier: GPL-2.0

//! Questions, each about a known defect of the kernel's own driver; the machine gives the
//! answers.

pub(crate) mod common;

use super::Case;
use crate::platform::Processor;

/// Returns all questions about the current platform.
pub fn cases() -> impl Iterator<Item = &'static Case> {
    Processor::current().description().cases.iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::differences::Request;
    use crate::platform::Platform;

    #[test]
    fn questions_differ_and_have_answers() {
        for platform in Platform::ALL {
            platform.on(|| {
                let mut questions: Vec<&str> = cases().map(|case| case.question).collect();
                questions.sort_unstable();
                questions.dedup();
                assert_eq!(questions.len(), cases().count());
                for case in cases() {
                    let right = case.right();
                    // A driver that selects another event counts nothing.
                    let is_wrong = matches!(case.request, Request::Count(_)) && right == "0";
                    assert!(!right.is_empty() && !is_wrong, "{}", case.question);
                }
            });
        }
    }
}
