// SPDX-License-Identifier: GPL-2.0

//! Text in columns and in lines of bounded length.

/// Formats rows in columns, of which some are aligned to the right.
pub fn aligned(
    rows: &[impl AsRef<[String]>],
    indent: &str,
    is_right: impl Fn(usize) -> bool,
) -> String {
    let rows = || rows.iter().map(AsRef::as_ref);
    let count = rows().map(<[String]>::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut text = String::new();
    for row in rows() {
        let cells = row.iter().zip(&widths).enumerate();
        let cells: Vec<String> = cells
            .map(|(column, (cell, width))| {
                if is_right(column) {
                    format!("{cell:>width$}")
                } else {
                    format!("{cell:width$}")
                }
            })
            .collect();
        text.push_str(format!("{indent}{}", cells.join("  ")).trim_end());
        text.push('\n');
    }
    text
}

/// Formats text after a head, in lines of at most so many letters that begin where the
/// head ends. A command between backquotes stays on one line, so that users can copy it.
pub fn folded(head: &str, text: &str, width: usize) -> String {
    let indent = head.chars().count();
    let (mut out, mut column) = (head.to_owned(), indent);
    for word in words(text) {
        let length = word.chars().count();
        if column > indent && column + 1 + length > width {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = indent;
        } else if column > indent {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    let end = out.trim_end().len();
    out.truncate(end);
    out.push('\n');
    out
}

/// Splits a text at spaces, except between backquotes.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    let words = text.split(move |letter: char| {
        quoted ^= letter == '`';
        letter.is_whitespace() && !quoted
    });
    words.filter(|word| !word.is_empty())
}
