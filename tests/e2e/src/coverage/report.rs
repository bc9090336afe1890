// SPDX-License-Identifier: GPL-2.0

//! What ran of each source file, and what did not.
//!
//! A line ran if some instruction of it did, in whichever function it was inlined, and
//! so with the ways of a conditional jump. One that only gives up (overflow checks) is
//! none that anybody took for possible, and counts apart.

use super::lines::{self, Line, Origins};
use super::source::{Source, Sources};
use super::ways::{iterates, lead, Lead, Way};
use super::{Code, Ran};
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
    /// Lines with a condition, and where they never led, though that ran otherwise.
    pub(super) branches: BTreeSet<(u32, Lead)>,
    /// Lines that hand on failures: there was none.
    pub(super) no_failure: BTreeSet<u32>,
    /// Other lines with a conditional jump that goes one way only.
    pub(super) within: BTreeSet<u32>,
}

impl Gap {
    fn add(&mut self, line: u32, kind: Kind, leads: &BTreeSet<Lead>) {
        let elsewhere = leads.iter().filter(|lead| **lead != Lead::Here);
        let mut elsewhere = elsewhere.map(|lead| (line, *lead)).peekable();
        match kind {
            Kind::MayFail => _ = self.no_failure.insert(line),
            Kind::Decides if elsewhere.peek().is_some() => self.branches.extend(elsewhere),
            _ => _ = self.within.insert(line),
        }
    }
}

/// What a line says of conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    MayFail,
    Decides,
    Other,
}

impl Kind {
    fn of(source: &Source, line: u32) -> Self {
        if source.may_fail(line) {
            Self::MayFail
        } else if source.decides(line) {
            Self::Decides
        } else {
            Self::Other
        }
    }
}

/// A file of the module.
#[derive(Debug, Default)]
pub(super) struct File {
    /// Whether they ran.
    lines: BTreeMap<u32, bool>,
    functions: BTreeMap<u32, String>,
    ways: Share,
    /// Ways that were never taken, by the line that they begin in.
    untaken: BTreeMap<u32, BTreeSet<Lead>>,
    kinds: BTreeMap<u32, Kind>,
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
        let mut sources = Sources::new();
        for line in origins.values().flat_map(|origin| &origin.lines) {
            let path = &line.file;
            if !sources.contains_key(path) {
                let text = std::fs::read_to_string(tree.join(path));
                let text = text.map_err(|error| format!("{path}: {error}"))?;
                sources.insert(path.clone(), Source::new(path, text));
            }
        }
        Ok(Self::of(&origins, &sources, code, ran))
    }

    /// File, function and what did not run of it.
    pub(super) fn gaps(&self) -> impl Iterator<Item = (&str, &str, Gap)> {
        self.files.iter().flat_map(|(path, file)| {
            let gaps = file.gaps().into_iter();
            gaps.map(|(function, gap)| (path.as_str(), function, gap))
        })
    }

    fn of(origins: &Origins, sources: &Sources, code: &Code, ran: &Ran) -> Self {
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
        for way in report.ways(origins, sources, code, ran) {
            report.add(&way);
        }
        for (path, source) in sources {
            if let Some(file) = report.files.get_mut(path) {
                file.describe(source);
            }
        }
        report
    }

    /// All ways, each once, whose lines are known already.
    fn ways<'a>(
        &self,
        origins: &'a Origins,
        sources: &Sources,
        code: &Code,
        ran: &Ran,
    ) -> Vec<Way<'a>> {
        let mut ways = BTreeMap::new();
        for (address, origin) in origins {
            let both = code.ways(*address).into_iter().flatten();
            for (way, taken) in both.zip(ran.ways(*address)) {
                let key = (&origin.place, way.condition);
                let known: &mut Way<'a> = ways.entry(key).or_insert_with(|| Way::new(origin));
                known.taken |= taken;
                known.panics |= way.panics;
                let lead = way
                    .to
                    .map_or(Lead::Out, |to| lead(code, origins, sources, known.line, to));
                let decides = !iterates(origin);
                known.leads.insert(if decides { lead } else { Lead::Here });
                // Else it is told by the line there, or by that of the jump.
                let first = way
                    .to
                    .and_then(|to| Some(origins.get(&to)?.lines[0].clone()));
                let lines = [Some(known.line.clone()), first, lead.line(known.line)];
                known.told |= lines.iter().flatten().any(|line| !self.has_run(line));
            }
        }
        ways.into_values().collect()
    }

    fn add(&mut self, way: &Way<'_>) {
        if way.panics {
            self.checks.add(way.taken);
            return;
        }
        let file = self.files.entry(way.line.file.clone()).or_default();
        file.ways.add(way.taken);
        if !way.taken && !way.told {
            let leads = file.untaken.entry(way.line.number).or_default();
            leads.extend(&way.leads);
        }
    }

    fn has_run(&self, line: &Line) -> bool {
        let file = self.files.get(&line.file);
        file.and_then(|file| file.lines.get(&line.number)) == Some(&true)
    }
}

impl File {
    /// Leaves out lines in which the source says nothing, and says what it does of others.
    fn describe(&mut self, source: &Source) {
        self.lines.retain(|line, _| !source.is_frame(*line));
        let lines = self.lines.keys();
        self.functions = lines.map(|line| (*line, source.function(*line))).collect();
        let untaken = self.untaken.keys();
        self.kinds = untaken
            .map(|line| (*line, Kind::of(source, *line)))
            .collect();
    }

    fn function(&self, line: u32) -> &str {
        self.functions.get(&line).map_or("", String::as_str)
    }

    fn kind(&self, line: u32) -> Kind {
        self.kinds.get(&line).copied().unwrap_or(Kind::Other)
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
            let untaken = self.untaken.get(&line);
            if !ran || untaken.is_some() {
                let name = self.function(line);
                if gaps.last().is_none_or(|(known, _)| *known != name) {
                    gaps.push((name, Gap::default()));
                    before = None;
                }
                let Some((_, gap)) = gaps.last_mut() else {
                    continue;
                };
                if let Some(leads) = untaken {
                    gap.add(line, self.kind(line), leads);
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
    use crate::coverage::lines::Origin;

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

    fn sources(text: &str) -> Sources {
        let file = "rust/a.rs".to_owned();
        let source = Source::new(&file, text.to_owned());
        [(file, source)].into()
    }

    /// `je 3; nop; ret`, a line each, the first called from line 9.
    fn report_of(text: &str, ran: &Ran) -> Report {
        let code = example(&[0x74, 0x01, 0x90, 0xc3], &[]);
        let origins = [
            (PAGE, origin(&[1, 9])),
            (PAGE + 2, origin(&[2])),
            (PAGE + 3, origin(&[3])),
        ];
        Report::of(&origins.into(), &sources(text), &code, ran)
    }

    fn report(ran: &Ran) -> Report {
        let head = "fn f() { for a in b() { c(a); }\n    d();\n    e();\n}\n\n\n\n\n";
        report_of(&format!("{head}fn g() {{ f() }}\n"), ran)
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
        let ran = ran(&[0, 2, 3], &[], &[0]);
        let gap = Gap {
            within: [1].into(),
            ..Gap::default()
        };
        assert_eq!(report(&ran).files["rust/a.rs"].gaps(), [("f", gap)]);
        let report = report_of("fn f() { if a() { b(); }\n    c();\n    d();\n}\n", &ran);
        let gap = Gap {
            branches: [(1, Lead::Line(3))].into(),
            ..Gap::default()
        };
        assert_eq!(report.files["rust/a.rs"].gaps(), [("f", gap)]);
    }

    #[test]
    fn lines_that_only_frame_others_are_none() {
        let report = report_of("f()?;\n}\ng();\n", &ran(&[0, 2, 3], &[], &[0]));
        let file = &report.files["rust/a.rs"];
        assert_eq!(file.lines.keys().copied().collect::<Vec<_>>(), [1, 3, 9]);
        let gap = Gap {
            no_failure: [1].into(),
            ..Gap::default()
        };
        assert_eq!(file.gaps(), [("", gap)]);
    }

    #[test]
    fn a_condition_within_a_line_is_no_branch() {
        let gap = |leads: &[Lead]| {
            let mut gap = Gap::default();
            gap.add(7, Kind::Decides, &leads.iter().copied().collect());
            gap
        };
        assert_eq!(gap(&[Lead::Here]).within, [7].into());
        let both = gap(&[Lead::Here, Lead::Out]);
        assert_eq!(both.branches, [(7, Lead::Out)].into());
        assert_eq!(both.within, [].into());
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
        let report = Report::of(
            &origins.into(),
            &sources(""),
            &code,
            &ran(&[0, 3], &[0], &[]),
        );
        assert_eq!(report.files["rust/a.rs"].ways, Share { ran: 1, all: 2 });
        let origins = [(PAGE, origin(&[1])), (PAGE + 3, origin(&[1, 7]))];
        let report = Report::of(
            &origins.into(),
            &sources(""),
            &code,
            &ran(&[0, 3], &[0, 3], &[]),
        );
        assert_eq!(report.files["rust/a.rs"].ways, Share { ran: 2, all: 2 });
    }

    #[test]
    fn giving_up_is_no_way() {
        let code = example(
            &[0x70, 0x01, 0xc3, 0xe8, 0xee, 0xee, 0xee, 0xee],
            &[(4, "panicking")],
        );
        let origins = Origins::from([(PAGE, origin(&[1]))]);
        let report = Report::of(&origins, &sources(""), &code, &ran(&[0], &[], &[0]));
        assert_eq!(report.checks, Share { ran: 0, all: 1 });
        assert_eq!(report.files["rust/a.rs"].ways, Share { ran: 1, all: 1 });
    }
}
