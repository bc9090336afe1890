// SPDX-License-Identifier: GPL-2.0

//! The page that the answers make.

use super::Answers;
use std::fmt::Write as _;

const HEAD: &str = "\
.. SPDX-License-Identifier: GPL-2.0

==============================================
What intel_uncore and ivbep_uncore answer
==============================================

The kernel has a driver of its own for this uncore, ``intel_uncore``. This page
puts the same questions to both drivers on the emulated machine
(Documentation/development/machine.rst), where the right answer is known
(Documentation/development/traffic.rst). Traffic is one burst of 1,000,000 uncore
clocks, counts are those of package 0.

The page is printed from a run, and a test compares it with the next one::

  cargo run -p ivbep-e2e --bin differences

On an E7 with all three links of R3QPI there is no answer to compare: the table
of ``intel_uncore`` has room for two, it reads past its end as it is loaded, and
what the kernel makes of that depends on what lies there. Linux 7.3 warned and
Linux 7.2 oopsed on this machine. The question about an E7 hides the third link.

For all that is not listed here both drivers give the same counts; the test
``in_tree`` compares them.

.. list-table::
   :header-rows: 1
   :widths: 34 16 16 34

   * - Question, and the right answer
     - intel_uncore
     - ivbep_uncore
     - What intel_uncore does
";

/// The whole page.
#[must_use]
pub fn page(answers: &[Answers]) -> String {
    let mut page = HEAD.to_owned();
    for one in answers {
        let _ = write!(
            page,
            "   * - {}: **{}**\n     - {}\n     - {}\n     - {}\n",
            one.question, one.right, one.in_tree, one.ours, one.defect
        );
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_question_is_a_row() {
        let one = Answers {
            question: "C-Boxes of a package",
            defect: "looks at cores",
            right: "3".to_owned(),
            in_tree: "2".to_owned(),
            ours: "3".to_owned(),
        };
        let page = page(&[one]);
        let row = "   * - C-Boxes of a package: **3**\n     - 2\n     - 3\n     - looks at cores\n";
        assert!(page.ends_with(row), "{page}");
    }

    #[test]
    fn the_title_is_as_long_as_its_lines() {
        let lines: Vec<&str> = HEAD.lines().collect();
        assert!(lines[2].len() >= lines[3].len());
        assert_eq!(lines[2], lines[4]);
    }
}
