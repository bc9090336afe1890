// SPDX-License-Identifier: GPL-2.0

//! Which function a line of a source file is in, by how it is indented.
//!
//! The debug information knows functions too, but not their types, and closures and what
//! was inlined by other names.

/// The function of Rust that line `number` (from 1) is in, with its type if it has one;
/// empty if it is in none.
pub(super) fn rust(text: &str, number: u32) -> String {
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
pub(super) fn c(text: &str, number: u32) -> String {
    let name = until(text, number)
        .iter()
        .rev()
        .find_map(|line| c_function(line));
    name.unwrap_or_default().to_owned()
}

/// Whether a line says only that a function of Rust begins or that something ends. What
/// the compiler has there is none of what the function does.
pub(super) fn is_frame(line: &str) -> bool {
    let ends = |c: char| "})];,".contains(c);
    line.trim().chars().all(ends) || rust_function(line).is_some() && !line.ends_with('}')
}

/// Whether a line hands on what fails in it.
pub(super) fn may_fail(line: &str) -> bool {
    ["?;", "?)", "?.", "?,", "? "]
        .iter()
        .any(|mark| line.contains(mark))
        || line.ends_with('?')
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
    fn functions_of_c_have_none() {
        let text = "int late;\n\nstatic int is_late(int now)\n{\n\treturn now > late;\n}\n";
        for number in 3..=6 {
            assert_eq!(c(text, number), "is_late");
        }
        assert_eq!(c(text, 1), "");
        assert_eq!(c("", 7), "");
    }
}
