// SPDX-License-Identifier: GPL-2.0

//! Results in KTAP version 1, the format of the kernel's tests.

use std::io::{self, Write};

use crate::error::Error;

/// Number of faults shown for a test.
const FAULTS_SHOWN: usize = 8;

/// Result of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Verdict {
    name: String,
    faults: Vec<String>,
    /// Number of comparisons.
    compared: usize,
    skipped: Option<String>,
}

impl Verdict {
    pub(super) fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            faults: Vec::new(),
            compared: 0,
            skipped: None,
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Notes a comparison, which passed unless a fault follows.
    pub(super) fn looked(&mut self) {
        self.compared += 1;
    }

    pub(super) fn fault(&mut self, what: impl Into<String>) {
        self.faults.push(what.into());
    }

    /// Notes a comparison, and a fault if it failed.
    pub(super) fn expect(&mut self, right: bool, what: impl FnOnce() -> String) {
        self.looked();
        if !right {
            self.fault(what());
        }
    }

    /// Sets the reason to show if nothing is compared.
    pub(super) fn skip(&mut self, why: impl Into<String>) {
        self.skipped.get_or_insert(why.into());
    }

    pub(super) fn is_failure(&self) -> bool {
        !self.faults.is_empty()
    }

    /// Returns the lines of the faults and of the result.
    fn lines(&self, number: usize) -> Vec<String> {
        let name = &self.name;
        let faults = self.faults.iter().take(FAULTS_SHOWN);
        let mut lines: Vec<String> = faults
            .map(|fault| format!("    # {name}: {fault}"))
            .collect();
        let more = self.faults.len().saturating_sub(FAULTS_SHOWN);
        if more > 0 {
            lines.push(format!("    # {name}: and {more} more"));
        }
        lines.push(match (self.is_failure(), self.compared, &self.skipped) {
            (true, ..) => format!("    not ok {number} {name}"),
            (false, 0, why) => {
                let why = why.as_deref().unwrap_or("there is nothing to test");
                format!("    ok {number} {name} # SKIP {why}")
            }
            (false, ..) => format!("    ok {number} {name}"),
        });
        lines
    }
}

/// Writer of results.
pub(super) struct Ktap<W> {
    out: W,
    tests: usize,
}

impl<W: Write> Ktap<W> {
    /// Begins a report of this number of tests.
    pub(super) fn new(out: W, tests: usize) -> Result<Self, Error> {
        let mut ktap = Self { out, tests: 0 };
        ktap.put(&format!("KTAP version 1\n1..{tests}\n"))?;
        Ok(ktap)
    }

    /// Writes a test and its subtests.
    pub(super) fn write(&mut self, name: &str, verdicts: &[Verdict]) -> Result<(), Error> {
        self.tests += 1;
        let mut lines = vec![
            "    KTAP version 1".to_owned(),
            format!("    1..{}", verdicts.len()),
        ];
        for (place, verdict) in verdicts.iter().enumerate() {
            lines.extend(verdict.lines(place + 1));
        }
        let passed = !verdicts.iter().any(Verdict::is_failure);
        let word = if passed { "ok" } else { "not ok" };
        lines.push(format!("{word} {} {name}\n", self.tests));
        self.put(&lines.join("\n"))
    }

    fn put(&mut self, text: &str) -> Result<(), Error> {
        let written = self.out.write_all(text.as_bytes());
        match written.and_then(|()| self.out.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Error::writing("standard output")(error))
            }
            // A reader that closed the pipe still gets the exit status.
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_what_the_kernels_tests_write() {
        let mut bad = Verdict::new("bad");
        bad.expect(false, || "1 is not 2".to_owned());
        let mut good = Verdict::new("good");
        good.looked();
        let mut none = Verdict::new("none");
        none.skip("no box");
        let mut out = Vec::new();
        let mut ktap = Ktap::new(&mut out, 2).expect("written");
        ktap.write("first", &[bad, good.clone(), none])
            .expect("written");
        ktap.write("second", &[good]).expect("written");
        let expected = concat!(
            "KTAP version 1\n1..2\n",
            "    KTAP version 1\n    1..3\n",
            "    # bad: 1 is not 2\n    not ok 1 bad\n",
            "    ok 2 good\n    ok 3 none # SKIP no box\n",
            "not ok 1 first\n",
            "    KTAP version 1\n    1..1\n    ok 1 good\nok 2 second\n",
        );
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }
}
