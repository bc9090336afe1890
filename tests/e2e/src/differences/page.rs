// SPDX-License-Identifier: GPL-2.0

//! The page that the answers make.

use super::known::KNOWN;
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

In what is not listed here both drivers give the same counts as far as they were
compared: the test ``in_tree`` has every event, on counters that can count it, with
some thresholds, edges and values of every filter that both have. The test
``programming`` compares what both write to the registers for every event code.
Other combinations nobody has compared.

.. list-table::
   :header-rows: 1
   :widths: 5 33 15 15 32

   * - No.
     - Question, and the right answer
     - intel_uncore
     - ivbep_uncore
     - What intel_uncore does
";

const DEFECTS: &str = "
The number is that of the defect that is known and that the question shows:

.. list-table::
   :header-rows: 1
   :widths: 5 45 50

   * - No.
     - Known defect
     - What of it is not shown above, and why
";

/// The whole page.
#[must_use]
pub fn page(answers: &[Answers]) -> String {
    let mut page = HEAD.to_owned();
    for one in answers {
        let _ = write!(
            page,
            "   * - {}\n     - {}: **{}**\n     - {}\n     - {}\n     - {}\n",
            one.known, one.question, one.right, one.in_tree, one.ours, one.defect
        );
    }
    page.push_str(DEFECTS);
    for (number, defect) in (1..).zip(KNOWN) {
        let _ = write!(page, "   * - {number}\n     - {}\n     -", defect.what);
        if !defect.not_shown.is_empty() {
            let _ = write!(page, " {}", defect.not_shown);
        }
        page.push('\n');
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::differences::cases;

    #[test]
    fn each_question_is_a_row() {
        let one = Answers {
            known: 6,
            question: "C-Boxes of a package",
            defect: "looks at cores",
            right: "3".to_owned(),
            in_tree: "2".to_owned(),
            ours: "3".to_owned(),
        };
        let page = page(&[one]);
        let row = "   * - 6\n     - C-Boxes of a package: **3**\n     - 2\n     - 3\n     - looks \
                   at cores\n\n";
        assert!(page.contains(row), "{page}");
    }

    #[test]
    fn every_known_defect_has_a_question_or_a_reason() {
        for (number, defect) in (1..).zip(KNOWN) {
            let asked = cases().any(|case| case.known == number);
            assert!(
                asked || !defect.not_shown.is_empty(),
                "{number}: {}",
                defect.what
            );
        }
        assert!(cases().all(|case| usize::from(case.known) <= KNOWN.len()));
    }

    #[test]
    fn the_title_is_as_long_as_its_lines() {
        let lines: Vec<&str> = HEAD.lines().collect();
        assert!(lines[2].len() >= lines[3].len());
        assert_eq!(lines[2], lines[4]);
    }
}
