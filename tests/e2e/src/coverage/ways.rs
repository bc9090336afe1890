// SPDX-License-Identifier: GPL-2.0

//! Where the ways of conditional jumps lead.

use super::lines::{Line, Origin, Origins};
use super::source::Sources;
use super::Code;
use std::collections::BTreeSet;

/// Where a way leads from a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lead {
    /// No further than to the next condition in the same line.
    Here,
    /// To another line of the function.
    Line(u32),
    /// Out of the function.
    Out,
}

impl Lead {
    /// The line there.
    pub(super) fn line(self, from: &Line) -> Option<Line> {
        let Self::Line(number) = self else {
            return None;
        };
        let file = from.file.clone();
        Some(Line { file, number })
    }
}

/// A way of a conditional jump, in all its copies.
#[derive(Debug)]
pub(super) struct Way<'a> {
    pub(super) line: &'a Line,
    pub(super) taken: bool,
    pub(super) panics: bool,
    pub(super) leads: BTreeSet<Lead>,
    /// A line that never ran says it all.
    pub(super) told: bool,
}

impl<'a> Way<'a> {
    pub(super) fn new(origin: &'a Origin) -> Self {
        Self {
            line: &origin.lines[0],
            taken: false,
            panics: false,
            leads: BTreeSet::new(),
            told: false,
        }
    }
}

/// Whether it is an iterator's to decide: in code of one that is inlined there.
pub(super) fn iterates(origin: &Origin) -> bool {
    origin.place.iter().any(|(path, ..)| is_iterator(path))
}

/// Whether a source file is one of core's about iterators.
fn is_iterator(path: &str) -> bool {
    let inside = path.split_once("/core/src/");
    inside.is_some_and(|(_, inside)| inside.split(['/', '.']).any(|part| part == "iter"))
}

/// Where a way from a line leads that begins at an address.
pub(super) fn lead(
    code: &Code,
    origins: &Origins,
    sources: &Sources,
    from: &Line,
    to: u64,
) -> Lead {
    let Some(source) = sources.get(&from.file) else {
        return Lead::Here;
    };
    let function = source.function(from.number);
    let is_ours = |line: &&Line| line.file == from.file && source.function(line.number) == function;
    let path = code.path(to);
    let mut left = path.returns;
    for origin in path.steps.iter().filter_map(|step| origins.get(step)) {
        // Of what is inlined, it is the line that has it.
        match origin.lines.iter().find(is_ours) {
            // The caller's may be between the function's.
            None => left = true,
            Some(line) if line == from || source.is_frame(line.number) => {}
            Some(line) => return Lead::Line(line.number),
        }
    }
    if left {
        Lead::Out
    } else {
        Lead::Here
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::code::{example, PAGE};
    use crate::coverage::source::Source;

    const TEXT: &str = "\
fn f(a: u8) -> u8 {
    let b = g(a);
    b + 1
}

fn g(a: u8) -> u8 {
    if a == 0 { 1 }
    else { a }
}
";

    /// From line 7, which line 2 calls, to `nop; jmp` to the end, of these lines.
    fn lead_to(lines: &[u32]) -> Lead {
        let code = example(&[0x90, 0xe9, 0xee, 0xee, 0xee, 0xee], &[(2, "return")]);
        let file = "rust/a.rs";
        let line = |number| Line {
            file: file.to_owned(),
            number,
        };
        let origin = Origin {
            lines: lines.iter().copied().map(line).collect(),
            place: Vec::new(),
        };
        let source = Source::new(file, TEXT.to_owned());
        let sources = [(file.to_owned(), source)].into();
        lead(&code, &[(PAGE, origin)].into(), &sources, &line(7), PAGE)
    }

    #[test]
    fn iterators_are_those_of_core() {
        for path in ["iter/range.rs", "slice/iter/macros.rs", "str/iter.rs"] {
            assert!(
                is_iterator(&format!("/rust/library/core/src/{path}")),
                "{path}"
            );
        }
        assert!(!is_iterator("/rust/library/core/src/option.rs"));
        assert!(!is_iterator("/tree/rust/iter.rs"));
    }

    #[test]
    fn it_leads_to_another_line_or_out() {
        assert_eq!(lead_to(&[8, 2]), Lead::Line(8));
        assert_eq!(lead_to(&[3, 8, 2]), Lead::Line(8), "what is called there");
        assert_eq!(lead_to(&[3]), Lead::Out);
        assert_eq!(lead_to(&[7, 2]), Lead::Out, "at the end of the path");
    }
}
