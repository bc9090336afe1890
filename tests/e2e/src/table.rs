// SPDX-License-Identifier: GPL-2.0

//! Simple tables of reStructuredText, whose columns are as wide as they need to be.

/// To which side of its column a cell goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A table with a head.
pub(crate) fn table<const COLUMNS: usize>(
    head: [(&str, Align); COLUMNS],
    rows: &[[String; COLUMNS]],
) -> String {
    let title = head.map(|(cell, _)| cell.to_owned());
    let mut widths = title.each_ref().map(String::len);
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.len());
        }
    }
    let rule = widths.map(|width| "=".repeat(width));
    let line = |cells: &[String; COLUMNS]| {
        let columns = cells.iter().zip(widths).zip(head);
        let cells = columns.map(|((cell, width), (_, align))| match align {
            Align::Left => format!("{cell:width$}"),
            Align::Right => format!("{cell:>width$}"),
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        format!("{}\n", line.trim_end())
    };
    let lines = [&rule, &title, &rule].into_iter().chain(rows);
    lines.chain([&rule]).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_as_wide_as_it_needs_to_be() {
        let head = [("a", Align::Left), ("because", Align::Left)];
        assert_eq!(
            table(head, &[["long", "x"].map(str::to_owned)]),
            "====  =======\na     because\n====  =======\nlong  x\n====  =======\n"
        );
    }

    #[test]
    fn numbers_go_to_the_right() {
        let head = [("a", Align::Left), ("times", Align::Right)];
        assert_eq!(
            table(head, &[["b", "12"].map(str::to_owned)]),
            "=  =====\na  times\n=  =====\nb     12\n=  =====\n"
        );
    }
}
