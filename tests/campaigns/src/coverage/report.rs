// SPDX-License-Identifier: GPL-2.0

//! Coverage of each source file, as totals, as a list and as lcov's tracefile.
//!
//! A line or a function ran if one of its instructions did, in any function it was
//! inlined into. The rule for the two ways of a conditional jump is the same. A way that
//! leads only to a panic (a failed check of arithmetic) is not a branch here.

use super::lines::{self, Origins};
use super::{Code, Ran};
use crate::table::Table;
use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// Identity of a jump: file, line and column of the whole chain of inlined calls.
type Place = Vec<(String, u32, u32)>;

/// A file of the module.
#[derive(Debug, Default, PartialEq, Eq)]
struct File {
    /// Lines, each with true if it ran.
    lines: BTreeMap<u32, bool>,
    /// First line of each function, and true if the function ran.
    functions: BTreeMap<String, (u32, bool)>,
    /// By line, place and side of the condition: true if the jump went that way.
    branches: BTreeMap<(u32, Place, bool), bool>,
}

/// Coverage of the module, by file.
#[derive(Debug, Default)]
pub struct Report(BTreeMap<String, File>);

impl Report {
    /// Maps the recorded instructions of a module to its sources; `image` is the file
    /// of the module, `tree` the source tree of its build. Fails if the file has no
    /// debug information of the tree.
    pub fn new(image: &[u8], code: &Code, ran: &Ran, tree: &Path) -> Result<Self, String> {
        Ok(Self::of(&lines::read(image, code, tree)?, code, ran))
    }

    fn of(origins: &Origins, code: &Code, ran: &Ran) -> Self {
        let mut report = Self::default();
        for (address, origin) in origins {
            let has_run = ran.instructions.contains(address);
            for line in &origin.lines {
                let file = report.0.entry(line.file.clone()).or_default();
                *file.lines.entry(line.number).or_default() |= has_run;
                let function = file.functions.entry(line.function.clone());
                let (first, some) = function.or_insert((line.number, false));
                *first = line.number.min(*first);
                *some |= has_run;
            }
            let innermost = &origin.lines[0];
            let file = report.0.entry(innermost.file.clone()).or_default();
            let ways = code.ways(*address).into_iter().flatten();
            for (way, taken) in ways.zip(ran.ways(*address)).filter(|(way, _)| !way.panics) {
                let key = (innermost.number, origin.place.clone(), way.condition);
                *file.branches.entry(key).or_default() |= taken;
            }
        }
        report
    }

    /// Returns the numbers of functions, lines and branches of each file, and of those
    /// that ran.
    pub fn totals(&self) -> Table {
        let mut all = [0; 6];
        let mut rows = Vec::new();
        for (path, file) in &self.0 {
            let counts = file.counts();
            all.iter_mut()
                .zip(counts)
                .for_each(|(sum, count)| *sum += count);
            rows.push(row(path, counts));
        }
        rows.push(row("all", all));
        let head = [
            "file",
            "functions",
            "functions ran",
            "lines",
            "lines ran",
            "branches",
            "branches taken",
        ];
        Table::new("What ran of the module", head, rows)
    }

    /// Returns the functions without any instruction that ran.
    pub fn functions_not_run(&self) -> Table {
        let functions = self.0.iter().flat_map(|(path, file)| {
            let missed = file.functions.iter().filter(|(_, (_, ran))| !ran);
            missed.map(move |(name, (line, _))| [json!(format!("{path}:{line}")), json!(name)])
        });
        Table::new("Functions that never ran", ["place", "function"], functions)
    }
}

fn row(name: &str, counts: [usize; 6]) -> [Value; 7] {
    let counts = counts.map(Value::from);
    std::array::from_fn(|column| match column {
        0 => json!(name),
        _ => counts[column - 1].clone(),
    })
}

impl File {
    /// Returns the numbers of functions, functions that ran, lines, lines that ran,
    /// branches and branches taken.
    fn counts(&self) -> [usize; 6] {
        let functions = self.functions.values().filter(|(_, ran)| *ran);
        let lines = self.lines.values().filter(|ran| **ran);
        let branches = self.branches.values().filter(|taken| **taken);
        [
            self.functions.len(),
            functions.count(),
            self.lines.len(),
            lines.count(),
            self.branches.len(),
            branches.count(),
        ]
    }
}

/// Prints lcov's tracefile.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (path, file) in &self.0 {
            writeln!(f, "TN:\nSF:{path}")?;
            for (name, (line, ran)) in &file.functions {
                writeln!(f, "FN:{line},{name}\nFNDA:{},{name}", u8::from(*ran))?;
            }
            let mut blocks = BTreeMap::new();
            for ((line, place, condition), taken) in &file.branches {
                let next = blocks.len();
                let block = blocks.entry((line, place)).or_insert(next);
                let (side, taken) = (u8::from(*condition), u8::from(*taken));
                writeln!(f, "BRDA:{line},{block},{side},{taken}")?;
            }
            for (line, ran) in &file.lines {
                writeln!(f, "DA:{line},{}", u8::from(*ran))?;
            }
            let names = ["FNF", "FNH", "LF", "LH", "BRF", "BRH"];
            for (name, count) in names.iter().zip(file.counts()) {
                writeln!(f, "{name}:{count}")?;
            }
            f.write_str("end_of_record\n")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::code::{example, PAGE};
    use crate::coverage::lines::{Line, Origin};

    fn origin(lines: &[(u32, &str)]) -> Origin {
        let file = "rust/a.rs".to_owned();
        let line = |(number, function): &(u32, &str)| Line {
            file: file.clone(),
            number: *number,
            function: (*function).to_owned(),
        };
        Origin {
            lines: lines.iter().map(line).collect(),
            place: vec![(file.clone(), lines[0].0, 1)],
        }
    }

    fn ran(instructions: &[u64], jumped: &[u64], passed: &[u64]) -> Ran {
        let set = |offsets: &[u64]| offsets.iter().map(|offset| PAGE + offset).collect();
        Ran {
            instructions: set(instructions),
            jumped: set(jumped),
            passed: set(passed),
        }
    }

    /// `je 3; nop; ret`: lines 1 to 3 of `f`, the first inlined in line 9 of `g`, and
    /// line 20 of `h` after it.
    fn report(ran: &Ran) -> Report {
        let code = example(&[0x74, 0x01, 0x90, 0xc3, 0x90], &[]);
        let origins = [
            (PAGE, origin(&[(1, "f"), (9, "g")])),
            (PAGE + 2, origin(&[(2, "f")])),
            (PAGE + 3, origin(&[(3, "f")])),
            (PAGE + 4, origin(&[(20, "h")])),
        ];
        Report::of(&origins.into(), &code, ran)
    }

    #[test]
    fn a_line_that_did_not_run_is_not_counted() {
        let report = report(&ran(&[0, 3], &[0], &[]));
        assert_eq!(report.0["rust/a.rs"].counts(), [3, 2, 5, 3, 2, 1]);
        let missed = report.functions_not_run().to_string();
        assert!(
            missed.contains("rust/a.rs:20  h") && !missed.contains("  f\n"),
            "{missed}"
        );
    }

    #[test]
    fn the_tracefile_has_each_line_function_and_branch() {
        let text = report(&ran(&[0, 3], &[0], &[])).to_string();
        for line in [
            "SF:rust/a.rs",
            "FN:1,f",
            "FNDA:1,f",
            "FNDA:0,h",
            "DA:2,0",
            "DA:9,1",
        ] {
            assert!(text.lines().any(|other| other == line), "{line}: {text}");
        }
        assert!(text.contains("BRDA:1,0,0,0\nBRDA:1,0,1,1\n"), "{text}");
        assert!(
            text.ends_with("LF:5\nLH:3\nBRF:2\nBRH:1\nend_of_record\n"),
            "{text}"
        );
    }

    #[test]
    fn copies_of_a_jump_are_one() {
        // je 3; ret; jne 6; ret
        let code = example(&[0x74, 0x01, 0xc3, 0x75, 0x01, 0xc3], &[]);
        let place = || origin(&[(1, "f")]);
        let origins = Origins::from([(PAGE, place()), (PAGE + 3, place())]);
        for (jumped, taken) in [(&[0][..], 1), (&[0, 3], 2)] {
            let report = Report::of(&origins, &code, &ran(&[0, 3], jumped, &[]));
            assert_eq!(report.0["rust/a.rs"].counts()[4..], [2, taken]);
        }
    }

    #[test]
    fn giving_up_is_no_way() {
        let code = example(
            &[0x70, 0x01, 0xc3, 0xe8, 0xee, 0xee, 0xee, 0xee],
            &[(4, "panicking")],
        );
        let origins = Origins::from([(PAGE, origin(&[(1, "f")]))]);
        let report = Report::of(&origins, &code, &ran(&[0], &[], &[0]));
        assert_eq!(report.0["rust/a.rs"].counts()[4..], [1, 1]);
    }
}
