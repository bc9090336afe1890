// SPDX-License-Identifier: GPL-2.0

//! Text in columns and in lines of bounded length.

use std::fmt;

pub(crate) use uncore_metrics::layout::{aligned, folded};

/// Minimum width of a terminal.
const WIDTH: usize = 80;

/// Formats rows in columns, each as wide as its longest cell.
pub(crate) fn columns(rows: &[Vec<String>], indent: &str) -> String {
    aligned(rows, indent, |_| false)
}

/// Formats text after a head, in lines for a terminal of minimum width.
pub(crate) fn paragraph(head: &str, text: &str) -> String {
    folded(head, text, WIDTH)
}

/// Formats 0, 1, 2, 5 as `0-2,5`.
pub(crate) fn ranges(numbers: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let runs = runs.iter().map(|(first, last)| {
        if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        }
    });
    runs.collect::<Vec<_>>().join(",")
}

/// Formats cells after a head, in lines of at most so many letters that begin where the head ends.
/// Cells stay whole.
pub(crate) fn wrapped(
    head: &str,
    cells: impl Iterator<Item = String>,
    width: usize,
) -> Vec<String> {
    let indent = head.chars().count();
    let mut lines = Vec::new();
    let mut line = head.to_owned();
    for cell in cells {
        let cell = format!("  {cell}");
        let taken = line.chars().count();
        if taken + cell.chars().count() > width && taken > indent {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
        }
        line.push_str(&cell);
    }
    lines.push(line);
    lines
}

/// Formats `1 box`, `2 boxes`.
pub(crate) fn counted(
    count: impl Copy + fmt::Display + From<u8> + PartialEq,
    one: &str,
    many: &str,
) -> String {
    let words = if count == 1_u8.into() { one } else { many };
    format!("{count} {words}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligns_columns() {
        let row = |cells: &[&str]| cells.iter().map(|&cell| cell.to_owned()).collect();
        let rows = [row(&["a", "b"]), row(&["long", "", "x"])];
        assert_eq!(columns(&rows, " "), " a     b\n long     x\n");
        assert_eq!(columns(&[], ""), "");
    }

    #[test]
    fn breaks_lines_between_words() {
        assert_eq!(paragraph("a ", "b"), "a b\n");
        assert_eq!(paragraph("a ", ""), "a\n");
        let words = ["x"; 40].join(" ");
        let text = paragraph("head ", &words);
        let lengths: Vec<usize> = text.lines().map(str::len).collect();
        assert_eq!(lengths, [80, 8]);
        let command = "`y y y`".repeat(11);
        assert_eq!(
            paragraph("a ", &format!("b {command}")),
            format!("a b\n  {command}\n")
        );
        let long = "y".repeat(100);
        assert_eq!(paragraph("a ", &long), format!("a {long}\n"));
    }

    #[test]
    fn joins_runs() {
        assert_eq!(ranges(&[0, 1, 2, 5]), "0-2,5");
        assert_eq!(ranges(&[u32::MAX]), u32::MAX.to_string());
        assert_eq!(ranges(&[]), "");
    }
}
