// SPDX-License-Identifier: GPL-2.0

//! `perf stat` on the whole machine, and its output.
//!
//! An event's name holds the increments of a burst: `each_NUMBER_NUMBER...`, a
//! number for each package.

use super::bursts::{Bursts, Range};
use super::stage::Outcome;
use std::process::Command;

/// Between the fields of a line.
const SEPARATOR: &str = ";";
/// The prefix of the names.
const NAME: &str = "each_";

/// Counts these events for this many milliseconds.
pub(super) fn run(milliseconds: u64, events: &str, bursts: &Bursts) -> Vec<Outcome> {
    let seconds = format!("{}.{:03}", milliseconds / 1000, milliseconds % 1000);
    let options = ["stat", "-a", "--per-socket", "--no-scale", "-x", SEPARATOR];
    let before = bursts.now();
    let output = Command::new("perf")
        .args(options)
        .args(["-e", events, "--", "sleep", &seconds])
        .output();
    let after = bursts.now();
    let output = match output {
        Ok(output) => output,
        Err(error) => return vec![("perf stat", error.to_string())],
    };
    let text = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let said = format!("failed: {}, {}", output.status, flat(&text));
        return vec![("perf stat", said)];
    }
    // The moment at which perf has opened them is not known.
    let range = Range {
        least: 0,
        ..Range::between([before, before, after, after])
    };
    let counts = text.lines().filter(|line| !line.is_empty());
    let counts = counts.map(|line| ("perf's count", count(line, range)));
    [("perf stat", "done".to_owned())]
        .into_iter()
        .chain(counts)
        .collect()
}

/// Checks the count in a line of the output.
fn count(line: &str, range: Range) -> String {
    let fields: Vec<&str> = line.split(SEPARATOR).collect();
    let ([package, _, value, _, name], true) = (
        [0, 1, 2, 3, 4].map(|index| fields.get(index).copied().unwrap_or_default()),
        fields.len() > 4,
    ) else {
        return format!("`{line}`");
    };
    if value.starts_with('<') {
        return value.to_owned();
    }
    let checked = each(package, name)
        .ok_or_else(|| "a line of nobody".to_owned())
        .and_then(|each| {
            let value = value.parse().map_err(|error| format!("{error}"))?;
            range.check(value, each, false)
        });
    match checked {
        Ok(0) => "nothing".to_owned(),
        Ok(_) => "whole bursts".to_owned(),
        Err(error) => format!("wrong: {error}: {line}"),
    }
}

/// Returns the increment of a burst in a package.
fn each(package: &str, name: &str) -> Option<u64> {
    let package: usize = package.strip_prefix('S')?.parse().ok()?;
    let mut all = name.strip_prefix(NAME)?.split('_');
    all.nth(package)?.parse().ok()
}

/// Puts a text in one line.
fn flat(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGE: Range = Range { least: 0, most: 5 };

    #[test]
    fn a_line_is_held_against_what_its_name_says() {
        let line = |value: &str| count(&format!("S1;1;{value};;each_3_7;100;100.00;;"), RANGE);
        assert_eq!(line("14"), "whole bursts");
        assert_eq!(line("0"), "nothing");
        assert_eq!(line("<not counted>"), "<not counted>");
        assert!(line("15").starts_with("wrong: "));
        assert!(line("42").starts_with("wrong: "), "six bursts");
    }

    #[test]
    fn other_lines_are_told_as_they_are() {
        assert_eq!(count("Some message", RANGE), "`Some message`");
        assert!(count("S2;1;14;;each_3_7;100;100.00;;", RANGE).contains("nobody"));
    }

    #[test]
    fn messages_become_one_line() {
        assert_eq!(flat("Error:\nNo such\n  device\n"), "Error: No such device");
    }
}
