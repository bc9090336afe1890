// SPDX-License-Identifier: GPL-2.0

//! Which function a line of a source file is in, by how it is indented.
//!
//! The debug information knows functions too, but not their types, and closures and what
//! was inlined by other names.

use std::collections::BTreeMap;
use std::path::Path;

/// Words and marks of conditions, in Rust and in C.
const CONDITIONS: [&str; 9] = [
    "if", "else", "match", "while", "switch", "&&", "||", "=>", "?",
];

/// By their paths in the tree.
pub(super) type Sources = BTreeMap<String, Source>;

/// The text of a source file.
#[derive(Debug)]
pub(super) struct Source {
    text: String,
    is_rust: bool,
}

impl Source {
    pub(super) fn new(path: &str, text: String) -> Self {
        let is_rust = Path::new(path).extension().is_some_and(|kind| kind == "rs");
        Self { text, is_rust }
    }

    /// The function that a line (from 1) is in; empty if it is in none.
    pub(super) fn function(&self, number: u32) -> String {
        let name = if self.is_rust { rust } else { c };
        name(&self.text, number)
    }

    /// Whether a line says only that a function of Rust begins or that something ends.
    /// What the compiler has there is none of what the function does.
    pub(super) fn is_frame(&self, number: u32) -> bool {
        self.line(number).is_some_and(is_frame)
    }

    /// Whether a line hands on what fails in it, or at the end of the expression that it
    /// begins.
    pub(super) fn may_fail(&self, number: u32) -> bool {
        let mut lines = self.from(number).peekable();
        let mut depth = 0;
        let mut first = true;
        while let Some(line) = lines.next() {
            depth += depth_of(line);
            if (first || depth <= 0) && may_fail(line) {
                return true;
            }
            first = false;
            let chained = lines
                .peek()
                .is_some_and(|next| next.trim_start().starts_with('.'));
            if depth <= 0 && !chained {
                break;
            }
        }
        false
    }

    /// Whether a line has a condition.
    pub(super) fn decides(&self, number: u32) -> bool {
        self.line(number).is_some_and(decides)
    }

    fn line(&self, number: u32) -> Option<&str> {
        self.from(number).next()
    }

    /// All lines from that one on.
    fn from(&self, number: u32) -> impl Iterator<Item = &str> {
        let before = number.checked_sub(1).map_or(usize::MAX, |before| {
            usize::try_from(before).unwrap_or(usize::MAX)
        });
        self.text.lines().skip(before)
    }
}

/// The function of Rust that line `number` (from 1) is in, with its type if it has one;
/// empty if it is in none.
fn rust(text: &str, number: u32) -> String {
    let lines = until(text, number);
    let Some((line, above)) = lines.split_last() else {
        return String::new();
    };
    if let Some(name) = rust_function(line) {
        return of_type(name, line, above);
    }
    // The end of a function is indented as its beginning.
    let closes = line.trim_start().starts_with(['}', ')']);
    let limit = indent(line) + usize::from(closes);
    for (index, line) in above.iter().enumerate().rev() {
        if let Some(name) = rust_function(line).filter(|_| indent(line) < limit) {
            return of_type(name, line, &above[..index]);
        }
    }
    String::new()
}

/// The function of C, or the use of a macro, that line `number` is in.
fn c(text: &str, number: u32) -> String {
    let name = until(text, number)
        .iter()
        .rev()
        .find_map(|line| c_function(line));
    name.unwrap_or_default().to_owned()
}

fn is_frame(line: &str) -> bool {
    let ends = |c: char| "})];,".contains(c);
    line.trim().chars().all(ends) || rust_function(line).is_some() && !line.ends_with('}')
}

fn may_fail(line: &str) -> bool {
    let code = code(line);
    ["?;", "?)", "?.", "?,", "? "]
        .iter()
        .any(|mark| code.contains(mark))
        || code.ends_with('?')
}

/// How many more brackets a line opens than it closes.
fn depth_of(line: &str) -> i32 {
    let code = code(line);
    let depth = |bracket: char| match bracket {
        '(' | '[' => 1,
        ')' | ']' => -1,
        _ => 0,
    };
    code.chars().map(depth).sum()
}

/// A line without texts and comment.
fn code(line: &str) -> String {
    let code: Vec<&str> = line.split('"').step_by(2).collect();
    let code = code.join("\"\"");
    code.split("//").next().unwrap_or_default().to_owned()
}

fn decides(line: &str) -> bool {
    let code = code(line);
    let words = code.split_whitespace().collect::<Vec<_>>();
    // A closure without arguments is none.
    let closure = words.windows(2).any(|pair| pair == ["=", "||"]);
    let decides = |word: &&str| CONDITIONS.contains(word);
    words.iter().any(decides) && !closure
}

/// All lines up to that one.
fn until(text: &str, number: u32) -> Vec<&str> {
    text.lines()
        .take(usize::try_from(number).unwrap_or(usize::MAX))
        .collect()
}

fn of_type(name: &str, line: &str, above: &[&str]) -> String {
    let outer = above.iter().rev().filter(|outer| !outer.trim().is_empty());
    let outer = outer.filter(|outer| indent(outer) < indent(line));
    let kind = outer.map(|outer| rust_type(outer)).find(Option::is_some);
    match kind.flatten() {
        Some(kind) => format!("{kind}::{name}"),
        None => name.to_owned(),
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The first word of a text that is a name.
fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    &text[..end.unwrap_or(text.len())]
}

/// The name of the function that begins there.
fn rust_function(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("fn ")?;
    let qualifier = |word: &str| {
        ["const", "unsafe", "extern", "\"C\""].contains(&word) || word.starts_with("pub")
    };
    // As in `pub(in crate::linux)`.
    let visible = before.split_once(')').map_or(before, |(_, rest)| rest);
    let is_head = visible.split_whitespace().all(qualifier);
    Some(word(after)).filter(|name| is_head && !name.is_empty())
}

/// The type or trait whose functions begin there.
fn rust_type(line: &str) -> Option<&str> {
    let head = line.trim_start();
    let head = head.strip_prefix("unsafe ").unwrap_or(head);
    if let Some((before, name)) = head.split_once("trait ") {
        return before
            .split_whitespace()
            .all(|word| word.starts_with("pub"))
            .then(|| word(name));
    }
    let head = head.strip_prefix("impl")?;
    let head = if head.starts_with('<') {
        after_generics(head)
    } else {
        head.strip_prefix(' ')?
    };
    let kind = head.split_once(" for ").map_or(head, |(_, kind)| kind);
    let kind = kind.trim_start().trim_start_matches('&');
    let path = kind.split(['<', ' ', '{']).next()?;
    Some(path.rsplit("::").next().unwrap_or(path))
}

/// What follows the angle brackets that a text begins with.
fn after_generics(text: &str) -> &str {
    let mut depth = 0_usize;
    let mut before = ' ';
    for (index, letter) in text.char_indices() {
        match letter {
            '<' => depth += 1,
            '>' if before != '-' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return text[index + 1..].trim_start();
        }
        before = letter;
    }
    ""
}

/// The name of the C function or macro that begins there.
fn c_function(line: &str) -> Option<&str> {
    if !line.starts_with(|c: char| c.is_alphabetic()) || line.ends_with(';') {
        return None;
    }
    let (head, _) = line.split_once('(')?;
    let start = head.rfind(|c: char| !c.is_alphanumeric() && c != '_');
    Some(&head[start.map_or(0, |start| start + 1)..])
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUST: &str = "\
impl<T: Fn(u8) -> bool> Seat<T> {
    pub(in crate::linux) fn take(&self) {
        let late = |now| {
            now > 1
        };
        fn half(x: u8) -> u8 {
            x / 2
        }
        half(late)
    }
}

impl Drop for pmu::Pmus<'_> {
    fn drop(&mut self) {}
}

unsafe extern \"C\" fn free(
    all: u8,
) {
    all
}
static ONE: Lock = lock();
";

    #[test]
    fn functions_of_rust_have_types() {
        let expected = [
            (2, "Seat::take"),
            (3, "Seat::take"),
            (4, "Seat::take"),
            (6, "Seat::half"),
            (7, "Seat::half"),
            (8, "Seat::half"),
            (9, "Seat::take"),
            (10, "Seat::take"),
            (14, "Pmus::drop"),
            (17, "free"),
            (19, "free"),
            (20, "free"),
            (21, "free"),
            (22, ""),
        ];
        for (number, name) in expected {
            assert_eq!(rust(RUST, number), name, "line {number}");
        }
    }

    #[test]
    fn some_lines_only_frame_others() {
        for line in ["    pub fn f(", "fn f() -> u8 {", "    }", "});", ""] {
            assert!(is_frame(line), "{line}");
        }
        for line in ["    fn drop(&mut self) {}", "    f(x);", "    })?;"] {
            assert!(!is_frame(line), "{line}");
        }
    }

    #[test]
    fn what_fails_is_handed_on_by_a_mark() {
        for line in ["    f()?;", "g(f()?)", "    .find(x)?", "f()?.g()"] {
            assert!(may_fail(line), "{line}");
        }
        assert!(!may_fail("    f();"));
    }

    #[test]
    fn conditions_are_in_words_and_marks() {
        for line in [
            "if a {",
            "} else if let Some(a) = b {",
            "let Some(a) = b else {",
            "        && c",
            "Some(0) => f(),",
            "return a ? b : c;",
        ] {
            assert!(decides(line), "{line}");
        }
        for line in [
            "for a in b {",
            "a.find(|&b| b == c)",
            "let f = || a;",
            "f(|| a)",
            "f(\"say if so\"); // if so",
        ] {
            assert!(!decides(line), "{line}");
        }
    }

    #[test]
    fn an_expression_may_fail_at_its_end() {
        let text = "\
let a = b
    .c(d)?;
write!(
    f,
    \"(?)\"
)?;
each(|a| {
    b(a)?;
});
";
        let source = Source::new("a.rs", text.to_owned());
        let fail = (0..=10).filter(|line| source.may_fail(*line));
        assert_eq!(fail.collect::<Vec<_>>(), [1, 2, 3, 6, 8]);
    }

    #[test]
    fn a_source_is_of_a_language() {
        let rust = Source::new("a.rs", RUST.to_owned());
        assert_eq!(rust.function(2), "Seat::take");
        assert!(rust.is_frame(2) && !rust.is_frame(4) && !rust.is_frame(99));
        let c = Source::new("a.h", "int f(int a)\n{\n\treturn a && b;\n}\n".to_owned());
        assert_eq!(c.function(3), "f");
        assert!(c.decides(3) && !c.may_fail(3));
    }

    #[test]
    fn functions_of_c_have_none() {
        let text = "int late;\n\nstatic int is_late(int now)\n{\n\treturn now > late;\n}\n";
        for number in 3..=6 {
            assert_eq!(c(text, number), "is_late");
        }
        assert_eq!(c(text, 1), "");
        assert_eq!(c("", 7), "");
    }
}
