// SPDX-License-Identifier: GPL-2.0

//! Growing text files: the kernel's log, the model's violations, QEMU's messages.
//!
//! [`Log::news`] returns the lines that were added since its last call. The guest writes
//! marks into the kernel's log on demand: they show how far the log has been written, and
//! are removed from each text.

use std::fs;
use std::path::PathBuf;

/// Prefix of every mark.
pub(crate) const MARK: &str = "uncore-runner mark ";

/// Lines that an error message shows.
const TAIL: usize = 40;

/// A text file that grows.
#[derive(Debug)]
pub(crate) struct Log {
    path: PathBuf,
    /// Number of bytes that were returned as news.
    seen: usize,
}

impl Log {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, seen: 0 }
    }

    /// Returns the whole text. A file that does not exist yet is empty.
    pub(crate) fn text(&self) -> String {
        readable(&self.bytes())
    }

    /// Returns true if a mark was added since the last news.
    pub(crate) fn has(&self, mark: &str) -> bool {
        let bytes = self.bytes();
        let new = bytes.get(self.seen..).unwrap_or_default();
        // Whole lines only: mark 1 is not mark 11.
        String::from_utf8_lossy(new).contains(&format!("{mark}\r\n"))
    }

    /// Returns the whole lines that were added since the last call.
    pub(crate) fn news(&mut self) -> String {
        let bytes = self.bytes();
        let new = bytes.get(self.seen..).unwrap_or_default();
        let end = new
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        self.seen += end;
        readable(&new[..end])
    }

    /// Returns the last lines.
    pub(crate) fn tail(&self) -> String {
        let text = self.text();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(TAIL)..].join("\n")
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(&self.path).unwrap_or_default()
    }
}

/// Text without carriage returns and marks.
fn readable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace('\r', "");
    let lines = text.split_inclusive('\n');
    lines.filter(|line| !line.contains(MARK)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// A log and the file to add to.
    fn log() -> (tempfile::TempDir, fs::File, Log) {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("log");
        let file = fs::File::create(&path).expect("writable");
        (directory, file, Log::new(path))
    }

    #[test]
    fn news_are_told_once_and_by_the_line() {
        let (_directory, mut file, mut log) = log();
        write!(file, "one\r\ntw").expect("written");
        assert_eq!(log.news(), "one\n");
        assert_eq!(log.news(), "");
        write!(file, "o\r\n").expect("written");
        assert_eq!(log.news(), "two\n");
        assert_eq!(log.text(), "one\ntwo\n");
    }

    #[test]
    fn marks_are_found_but_not_shown() {
        let (_directory, mut file, mut log) = log();
        write!(file, "[ 1.0] one\r\n[ 1.1] {MARK}11\r\n").expect("written");
        assert!(log.has(&format!("{MARK}11")));
        assert!(!log.has(&format!("{MARK}1")));
        assert_eq!(log.news(), "[ 1.0] one\n");
    }

    #[test]
    fn a_missing_file_is_empty() {
        let mut log = Log::new("/nowhere/log".into());
        assert_eq!((log.text(), log.news(), log.tail()), Default::default());
    }

    #[test]
    fn the_tail_is_the_end() {
        let (_directory, mut file, log) = log();
        for number in 0..100 {
            writeln!(file, "line {number}").expect("written");
        }
        let tail = log.tail();
        assert_eq!(tail.lines().count(), TAIL);
        assert!(tail.ends_with("line 99"));
    }
}
