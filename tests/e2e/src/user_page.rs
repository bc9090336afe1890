// SPDX-License-Identifier: GPL-2.0

//! Tables and commands of the user's pages: tests compare the driver with them.

/// A page with commands. A path is one from the top of the sources.
#[derive(Clone, Copy, Debug)]
pub enum Page {
    /// The project's first page, in Markdown: blocks are indented by four.
    Readme,
    /// Questions and answers: blocks follow `::`, indented by two or more.
    Using,
    /// Rules of all platforms, the same.
    Reference,
    /// Facts of one platform alone, the same.
    Platform(&'static str),
    /// The tool's page, the same. Commands of root follow `# `.
    Tool,
}

impl Page {
    /// Returns the text.
    pub fn text(self) -> String {
        const TOP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let guide = |name| format!("Documentation/admin-guide/perf/{name}.rst");
        let page = match self {
            Self::Readme => "README.md".to_owned(),
            Self::Using => guide("using"),
            Self::Reference => guide("reference"),
            Self::Platform(name) => guide(name),
            Self::Tool => "Documentation/tools/uncore.rst".to_owned(),
        };
        std::fs::read_to_string(format!("{TOP}/{page}"))
            .unwrap_or_else(|error| panic!("{page}: {error}"))
    }

    /// Returns the commands that begin with one of these words; a command of several lines
    /// becomes one line.
    pub fn commands(self, beginnings: &[&str]) -> Vec<String> {
        commands(&blocks(&self.text()), beginnings)
    }

    /// Returns the commands of root, each with the lines that the page shows of its output.
    pub fn examples(self) -> Vec<(String, Vec<String>)> {
        let indent = if matches!(self, Self::Readme) {
            "    "
        } else {
            "  "
        };
        examples(&self.text(), indent)
    }
}

/// Returns the lines of the blocks of a page that follow `::`.
fn blocks(page: &str) -> Vec<&str> {
    let mut in_block = false;
    let lines = page.lines().filter(|line| {
        let is_inside = line.starts_with("  ");
        let opens = line.ends_with("::");
        in_block = opens || in_block && (line.is_empty() || is_inside);
        in_block && is_inside && !opens
    });
    lines.collect()
}

/// A line that ends with a backslash goes on in the next. `...` stands for lines left out.
fn examples(page: &str, indent: &str) -> Vec<(String, Vec<String>)> {
    let mut examples: Vec<(String, Vec<String>)> = Vec::new();
    let mut is_open = false;
    for line in page.replace("\\\n", "").lines() {
        let line = line.strip_prefix(indent);
        let command = line.and_then(|line| line.strip_prefix("# "));
        is_open = command.is_some() || is_open && line.is_some();
        match (command, line, examples.last_mut()) {
            (Some(command), ..) => examples.push((command.to_owned(), Vec::new())),
            (_, Some(line), Some((_, shown))) if is_open && line != "..." => {
                shown.push(line.to_owned());
            }
            _ => {}
        }
    }
    examples
}

/// A line that ends with a backslash goes on in the next.
fn commands(lines: &[&str], beginnings: &[&str]) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in lines {
        let code = line.trim_start();
        let part = code.strip_suffix('\\').unwrap_or(code).trim_end();
        match commands.last_mut() {
            Some(command) if goes_on => {
                command.push(' ');
                command.push_str(part);
            }
            _ if beginnings.iter().any(|word| code.starts_with(word)) => {
                commands.push(part.trim_start_matches("# ").to_owned());
            }
            _ => {}
        }
        goes_on = code.ends_with('\\');
    }
    commands
}

/// The rows of the first table under a heading of a platform's page, without its own heading.
pub fn table(platform: &'static str, heading: &str) -> Vec<Vec<String>> {
    let rows = rows(&Page::Platform(platform).text(), heading);
    assert!(!rows.is_empty(), "the page has no table under `{heading}`");
    rows
}

/// A border is columns of `=`; the table's heading is between the first two,
/// and a line whose first cell is empty belongs to the row above it.
fn rows(page: &str, heading: &str) -> Vec<Vec<String>> {
    let is_border = |line: &&str| line.starts_with("==") && line.contains("  =");
    let mut lines = page.lines().skip_while(|line| *line != heading).skip(1);
    let Some(border) = lines.find(is_border) else {
        return Vec::new();
    };
    let columns = columns(border);
    let body = lines.skip_while(|line| !is_border(line)).skip(1);
    let mut rows: Vec<Vec<String>> = Vec::new();
    for line in body.take_while(|line| !is_border(line)) {
        let cells: Vec<&str> = columns.iter().map(|cell| cut(line, *cell)).collect();
        match rows.last_mut() {
            Some(row) if cells[0].is_empty() => {
                for (cell, more) in row.iter_mut().zip(cells) {
                    let apart = !cell.is_empty() && !more.is_empty();
                    cell.push_str(if apart { " " } else { "" });
                    cell.push_str(more);
                }
            }
            _ => rows.push(cells.into_iter().map(str::to_owned).collect()),
        }
    }
    rows
}

/// Returns the start of each column, and that of the next one.
fn columns(border: &str) -> Vec<(usize, usize)> {
    let is_first =
        |at: &usize| border[*at..].starts_with('=') && (*at == 0 || border[..*at].ends_with(' '));
    let starts: Vec<usize> = (0..border.len()).filter(is_first).collect();
    let ends = starts.iter().copied().skip(1).chain([usize::MAX]);
    starts.iter().copied().zip(ends).collect()
}

fn cut(line: &str, (start, end): (usize, usize)) -> &str {
    let end = end.min(line.len());
    line.get(start.min(end)..end).unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    const PAGE: &str = "\
Fields
======

====  ======  =======
name  bits    meaning
====  ======  =======
a     0-7     first
              and on
b     8       second
====  ======  =======

====  ====
other table
====  ====
";

    #[test]
    fn rows_may_go_on_in_the_next_line() {
        let expected = [["a", "0-7", "first and on"], ["b", "8", "second"]];
        assert_eq!(rows(PAGE, "Fields"), expected);
        assert!(rows(PAGE, "Others").is_empty());
    }

    #[test]
    fn commands_are_found_in_blocks() {
        let page = "Text of perf stat::\n\n  perf record -- \\\n    perf stat\n  perf script\n\n\
                    prints::\n\n  what it prints\n\n* no\n  perf stat in a list::\n\n    perf list\n\n\
                    end::\n\n  # uncore stat\n  # perf stat\n";
        let found = |beginnings: &[&str]| commands(&blocks(page), beginnings);
        assert_eq!(
            found(&["perf "]),
            ["perf record -- perf stat", "perf script", "perf list"]
        );
        assert_eq!(found(&["# uncore "]), ["uncore stat"]);
    }

    #[test]
    fn an_example_ends_where_its_block_ends() {
        let page =
            "As here::\n\n  # a \\\n      b\n  first\n  ...\n  # c\n\n* no output\n  of it\n";
        let expected = [("a       b", vec!["first"]), ("c", vec![])];
        let found = examples(page, "  ");
        let found = found
            .iter()
            .map(|(command, shown)| (&**command, shown.iter().map(|line| &**line).collect()));
        assert_eq!(found.collect::<Vec<(&str, Vec<&str>)>>(), expected);
    }

    #[test]
    fn a_table_without_rows_is_seen() {
        let gone = "Fields\n======\n\n====  ====\nThere is no ``inv``\n";
        assert!(rows(gone, "Fields").is_empty());
    }

    #[test]
    fn what_has_no_name_is_listed_and_nothing_else() {
        let rows = Catalogue::get().rows().iter();
        let mut nameless: Vec<String> = rows
            .filter(|row| row.name().is_none())
            .map(|row| format!("{} {}", row.event, row.subevent).to_lowercase())
            .map(|name| format!("``{}``", name.trim().replace(' ', ".")))
            .collect();
        let mut listed: Vec<String> = table("ivbep", "Names that are left out")
            .into_iter()
            .map(|row| row[0].clone())
            .collect();
        nameless.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, nameless);
    }
}
