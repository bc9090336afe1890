// SPDX-License-Identifier: GPL-2.0

//! Files for the host: violations as they occur, and every access if asked.
//!
//! Written straight through, so that nothing is lost if the emulator dies.

use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// The files, and how much of the list of violations is in them.
#[derive(Debug, Default)]
pub(crate) struct Report {
    violations: Option<File>,
    log: Option<File>,
    reported: usize,
}

impl Report {
    /// Opens the requested files. The error names the one that cannot be written.
    pub(crate) fn open(violations: Option<&Path>, log: Option<&Path>) -> io::Result<Self> {
        Ok(Self {
            violations: violations.map(append).transpose()?,
            log: log.map(append).transpose()?,
            reported: 0,
        })
    }

    /// Appends what was added to `violations` since the last call. A list that
    /// became shorter was cleared and starts anew.
    pub(crate) fn update(&mut self, violations: &[impl Display]) {
        let new = violations.get(self.reported..).unwrap_or(violations);
        for violation in new {
            write(&mut self.violations, format_args!("{violation}"));
        }
        self.reported = violations.len();
    }

    /// Appends a line to the access log.
    pub(crate) fn log(&mut self, line: impl FnOnce() -> String) {
        if self.log.is_some() {
            write(&mut self.log, format_args!("{}", line()));
        }
    }
}

/// Opens a file for more lines.
pub(crate) fn append(path: &Path) -> io::Result<File> {
    let opened = OpenOptions::new().create(true).append(true).open(path);
    opened.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

/// Says once why a file stays incomplete, then writes no more to it.
pub(crate) fn write(file: &mut Option<File>, line: std::fmt::Arguments<'_>) {
    let Some(open) = file else { return };
    if let Err(error) = open.write_all(format!("{line}\n").as_bytes()) {
        eprintln!("emulated machine: a report is incomplete from here: {error}");
        *file = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_violation_is_written_once() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("report");
        let mut report = Report::open(Some(&path), None).expect("writable");
        report.update(&["one"]);
        report.update(&["one", "two"]);
        report.update(&["one", "two"]);
        report.update(&[] as &[&str]);
        report.update(&["three"]);
        let text = std::fs::read_to_string(&path).expect("written");
        assert_eq!(text, "one\ntwo\nthree\n", "a cleared list starts anew");
    }

    #[test]
    fn an_unwritable_file_is_named() {
        let error = Report::open(Some(Path::new("/nowhere/report")), None);
        assert!(error
            .expect_err("no such directory")
            .to_string()
            .contains("/nowhere/report"));
    }
}
