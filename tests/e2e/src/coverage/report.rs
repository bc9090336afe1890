// SPDX-License-Identifier: GPL-2.0

//! What ran of each source file, and what did not.
//!
//! A line ran if some instruction of it did, in whichever function it was inlined, and
//! so with the ways of a conditional jump. One that only gives up (overflow checks) is
//! none that anybody took for possible, and counts apart.

use super::lines::{self, Line, Origin, Origins};
use super::{source, Code, Ran};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::Path;

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Share {
    pub(super) ran: usize,
    pub(super) all: usize,
}

impl Share {
    fn add(&mut self, ran: bool) {
        self.all += 1;
        self.ran += usize::from(ran);
    }
}

impl std::ops::AddAssign for Share {
    fn add_assign(&mut self, other: Self) {
        self.ran += other.ran;
        self.all += other.all;
    }
}

/// How much of a file ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) functions: Share,
    pub(super) lines: Share,
    /// Two of each conditional jump.
    pub(super) ways: Share,
}

impl std::ops::AddAssign for Totals {
    fn add_assign(&mut self, other: Self) {
        self.functions += other.functions;
        self.lines += other.lines;
        self.ways += other.ways;
    }
}

/// What did not run of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Gap {
    pub(super) lines: Vec<RangeInclusive<u32>>,
    /// Lines with a conditional jump that goes one way only, to what ran otherwise, too.
    pub(super) one_way: BTreeSet<u32>,
    /// Those of them that hand on failures: there was none.
    pub(super) no_failure: BTreeSet<u32>,
}

/// A file of the module.
#[derive(Debug, Default)]
pub(super) struct File {
    /// Whether they ran.
    lines: BTreeMap<u32, bool>,
    functions: BTreeMap<u32, String>,
    ways: Share,
    one_way: BTreeSet<u32>,
    may_fail: BTreeSet<u32>,
}

/// A way of a conditional jump, in all its copies.
struct Way<'a> {
    line: &'a Line,
    taken: bool,
    panics: bool,
    /// A line that never ran says it all.
    told: bool,
}

impl<'a> Way<'a> {
    fn new(origin: &'a Origin) -> Self {
        Self {
            line: &origin.lines[0],
            taken: false,
            panics: false,
            told: false,
        }
    }
}

/// All files, by their paths.
#[derive(Debug, Default)]
pub struct Report {
    pub(super) files: BTreeMap<String, File>,
    /// Guests that ran the module.
    pub(super) guests: usize,
    /// Ways that only give up, and those of them that were taken.
    pub(super) checks: Share,
}

impl Report {
    /// What ran of a module, with its debug information and its sources.
    ///
    /// # Errors
    ///
    /// There is none of one, or not of the other.
    pub fn new(image: &[u8], code: &Code, ran: &Ran, tree: &Path) -> Result<Self, String> {
        let origins = lines::read(image, code, tree)?;
        let mut report = Self::of(&origins, code, ran);
        for (path, file) in &mut report.files {
            let text = std::fs::read_to_string(tree.join(path));
            let text = text.map_err(|error| format!("{path}: {error}"))?;
            file.drop_frames(&text);
            let is_rust = Path::new(path).extension().is_some_and(|kind| kind == "rs");
            file.name_functions(&text, if is_rust { source::rust } else { source::c });
        }
        Ok(report)
    }

    /// File, function and what did not run of it.
    pub(super) fn gaps(&self) -> impl Iterator<Item = (&str, &str, Gap)> {
        self.files.iter().flat_map(|(path, file)| {
            let gaps = file.gaps().into_iter();
            gaps.map(|(function, gap)| (path.as_str(), function, gap))
        })
    }

    fn of(origins: &Origins, code: &Code, ran: &Ran) -> Self {
        let mut report = Self {
            guests: ran.guests,
            ..Self::default()
        };
        for (address, origin) in origins {
            for line in &origin.lines {
                let file = report.files.entry(line.file.clone()).or_default();
                *file.lines.entry(line.number).or_default() |= ran.instructions.contains(address);
            }
        }
        let mut ways = BTreeMap::new();
        for (address, origin) in origins {
            for (way, taken) in code
                .ways(*address)
                .into_iter()
                .flatten()
                .zip(ran.ways(*address))
            {
                let key = (&origin.place, way.condition);
                let known: &mut Way<'_> = ways.entry(key).or_insert_with(|| Way::new(origin));
                let there = way.to.and_then(|to| origins.get(&to));
                known.taken |= taken;
                known.panics |= way.panics;
                // Else it is told by the line there, or by that of the jump.
                known.told |= !report.has_run(known.line)
                    || there.is_some_and(|there| !report.has_run(&there.lines[0]));
            }
        }
        for way in ways.values() {
            report.add(way);
        }
        report
    }

    fn add(&mut self, way: &Way<'_>) {
        if way.panics {
            self.checks.add(way.taken);
            return;
        }
        let file = self.files.entry(way.line.file.clone()).or_default();
        file.ways.add(way.taken);
        if !way.taken && !way.told {
            file.one_way.insert(way.line.number);
        }
    }

    fn has_run(&self, line: &Line) -> bool {
        let file = self.files.get(&line.file);
        file.and_then(|file| file.lines.get(&line.number)) == Some(&true)
    }
}

impl File {
    /// Leaves out lines in which the source says nothing.
    fn drop_frames(&mut self, text: &str) {
        for (line, number) in text.lines().zip(1..) {
            if source::is_frame(line) {
                self.lines.remove(&number);
            } else if source::may_fail(line) {
                self.may_fail.insert(number);
            }
        }
    }

    fn name_functions(&mut self, text: &str, name: fn(&str, u32) -> String) {
        let names = self.lines.keys().map(|line| (*line, name(text, *line)));
        self.functions = names.collect();
    }

    fn function(&self, line: u32) -> &str {
        self.functions.get(&line).map_or("", String::as_str)
    }

    pub(super) fn totals(&self) -> Totals {
        let mut totals = Totals {
            ways: self.ways,
            ..Totals::default()
        };
        let mut functions = BTreeMap::<&str, bool>::new();
        for (line, ran) in &self.lines {
            totals.lines.add(*ran);
            *functions.entry(self.function(*line)).or_default() |= ran;
        }
        for ran in functions.values() {
            totals.functions.add(*ran);
        }
        totals
    }

    /// By function, in the order of the file.
    pub(super) fn gaps(&self) -> Vec<(&str, Gap)> {
        let mut gaps: Vec<(&str, Gap)> = Vec::new();
        let mut before = None;
        for (line, ran) in &self.lines {
            let line = *line;
            let one_way = self.one_way.contains(&line);
            if !ran || one_way {
                let name = self.function(line);
                if gaps.last().is_none_or(|(known, _)| *known != name) {
                    gaps.push((name, Gap::default()));
                    before = None;
                }
                let Some((_, gap)) = gaps.last_mut() else {
                    continue;
                };
                if one_way && self.may_fail.contains(&line) {
                    gap.no_failure.insert(line);
                } else if one_way {
                    gap.one_way.insert(line);
                }
                match gap.lines.last_mut() {
                    _ if *ran => {}
                    Some(last) if before == Some(false) => *last = *last.start()..=line,
                    _ => gap.lines.push(line..=line),
                }
            }
            before = Some(*ran);
        }
        gaps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::code::{example, PAGE};

    fn origin(lines: &[u32]) -> Origin {
        let file = "rust/a.rs".to_owned();
        let line = |number: &u32| Line {
            file: file.clone(),
            number: *number,
        };
        Origin {
            lines: lines.iter().map(line).collect(),
            place: vec![(file.clone(), lines[0], 1)],
        }
    }

    fn ran(instructions: &[u64], jumped: &[u64], passed: &[u64]) -> Ran {
        let set = |offsets: &[u64]| offsets.iter().map(|offset| PAGE + offset).collect();
        Ran {
            instructions: set(instructions),
            jumped: set(jumped),
            passed: set(passed),
            guests: 1,
        }
    }

    /// `je 3; nop; ret`, a line each, the first called from line 9.
    fn report(ran: &Ran) -> Report {
        let code = example(&[0x74, 0x01, 0x90, 0xc3], &[]);
        let origins = [
            (PAGE, origin(&[1, 9])),
            (PAGE + 2, origin(&[2])),
            (PAGE + 3, origin(&[3])),
        ];
        let mut report = Report::of(&origins.into(), &code, ran);
        let file = report.files.get_mut("rust/a.rs").expect("it has lines");
        file.name_functions("", |_, line| (if line < 9 { "f" } else { "g" }).to_owned());
        report
    }

    #[test]
    fn a_line_that_did_not_run_is_a_gap_and_tells_of_the_way_to_it() {
        let report = report(&ran(&[0, 3], &[0], &[]));
        let file = &report.files["rust/a.rs"];
        let gap = Gap {
            lines: vec![2..=2],
            ..Gap::default()
        };
        assert_eq!(file.gaps(), [("f", gap)]);
        let share = |ran, all| Share { ran, all };
        let totals = Totals {
            functions: share(2, 2),
            lines: share(3, 4),
            ways: share(1, 2),
        };
        assert_eq!(file.totals(), totals);
    }

    #[test]
    fn a_way_to_what_ran_otherwise_is_a_gap_of_its_own() {
        let report = report(&ran(&[0, 2, 3], &[], &[0]));
        let gap = Gap {
            one_way: [1].into(),
            ..Gap::default()
        };
        assert_eq!(report.files["rust/a.rs"].gaps(), [("f", gap)]);
    }

    #[test]
    fn lines_that_only_frame_others_are_none() {
        let mut report = report(&ran(&[0, 2, 3], &[], &[0]));
        let file = report.files.get_mut("rust/a.rs").expect("it has lines");
        file.drop_frames("f()?;\n}\ng();\n");
        assert_eq!(file.lines.keys().copied().collect::<Vec<_>>(), [1, 3, 9]);
        let gap = Gap {
            no_failure: [1].into(),
            ..Gap::default()
        };
        assert_eq!(file.gaps(), [("f", gap)]);
    }

    #[test]
    fn lines_that_follow_each_other_are_one_gap_in_a_function() {
        let report = report(&ran(&[], &[], &[]));
        let gap = |lines| Gap {
            lines: vec![lines],
            ..Gap::default()
        };
        let expected = [("f", gap(1..=3)), ("g", gap(9..=9))];
        assert_eq!(report.files["rust/a.rs"].gaps(), expected);
        let some = self::report(&ran(&[0, 2, 3], &[0], &[0]));
        assert_eq!(some.files["rust/a.rs"].gaps(), []);
    }

    #[test]
    fn copies_of_a_jump_are_one() {
        // je 3; ret; jne 6; ret
        let code = example(&[0x74, 0x01, 0xc3, 0x75, 0x01, 0xc3], &[]);
        let origins = [(PAGE, origin(&[1])), (PAGE + 3, origin(&[1, 7]))];
        let report = Report::of(&origins.into(), &code, &ran(&[0, 3], &[0], &[]));
        assert_eq!(report.files["rust/a.rs"].ways, Share { ran: 1, all: 2 });
        let origins = [(PAGE, origin(&[1])), (PAGE + 3, origin(&[1, 7]))];
        let report = Report::of(&origins.into(), &code, &ran(&[0, 3], &[0, 3], &[]));
        assert_eq!(report.files["rust/a.rs"].ways, Share { ran: 2, all: 2 });
    }

    #[test]
    fn giving_up_is_no_way() {
        let code = example(
            &[0x70, 0x01, 0xc3, 0xe8, 0xee, 0xee, 0xee, 0xee],
            &[(4, "panicking")],
        );
        let origins = Origins::from([(PAGE, origin(&[1]))]);
        let report = Report::of(&origins, &code, &ran(&[0], &[], &[0]));
        assert_eq!(report.checks, Share { ran: 0, all: 1 });
        assert_eq!(report.files["rust/a.rs"].ways, Share { ran: 1, all: 1 });
    }
}
