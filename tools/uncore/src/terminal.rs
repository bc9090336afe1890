// SPDX-License-Identifier: GPL-2.0

//! Long text on a terminal, in colour and through the user's pager, and lines of standard error.

use std::io::{self, IsTerminal as _, Write as _};
use std::process::{Command, Stdio};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use rustix::termios::tcgetwinsize;

/// Style of the lines that begin at the margin.
const HEAD: Style = Style::new().bold();
/// Style of the words that the user looked for.
const FOUND: Style = AnsiColor::Red.on_default().bold();

/// Options of less(1), unless the user has others: ends at once if the text fits the screen,
/// shows colours, and leaves the text there.
const LESS: &str = "FRX";

/// Returns the width of the terminal at standard output.
pub fn width() -> Option<usize> {
    let size = tcgetwinsize(io::stdout()).ok()?;
    Some(usize::from(size.ws_col)).filter(|width| *width > 0)
}

/// Writes a line to standard error, which the journal may take. A closed one is no failure.
pub fn say(what: &str) {
    let _ = writeln!(io::stderr(), "uncore: {what}");
}

/// Prints a text in which the user looked for some words. On a terminal, the pager `$PAGER`
/// shows it, `less` by default. Other output is plain.
pub fn show(text: &str, words: &[String]) -> io::Result<()> {
    let stdout = io::stdout();
    if !stdout.is_terminal() {
        return stdout.lock().write_all(text.as_bytes());
    }
    let is_plain = AutoStream::choice(&stdout) == ColorChoice::Never;
    let painted = if is_plain {
        text.to_owned()
    } else {
        paint(text, words)
    };
    let pager = std::env::var("PAGER").unwrap_or_else(|_| "less".to_owned());
    match page(&pager, &painted) {
        Some(shown) => shown,
        None => stdout.lock().write_all(painted.as_bytes()),
    }
}

/// Lets a pager show the text. Returns `None` if there is no such program.
fn page(pager: &str, text: &str) -> Option<io::Result<()>> {
    let program = pager.split_whitespace().next()?;
    let is_there = Command::new("sh")
        .args(["-c", "command -v \"$1\" >/dev/null", "sh", program])
        .status();
    if !is_there.is_ok_and(|status| status.success()) {
        return None;
    }
    let mut command = Command::new("sh");
    command.args(["-c", pager]).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", LESS);
    }
    let mut child = command.spawn().ok()?;
    let written = child
        .stdin
        .take()
        .map(|mut input| input.write_all(text.as_bytes()));
    let ended = child.wait().map(drop);
    // Users leave a pager before the end.
    match written {
        Some(Err(error)) if error.kind() != io::ErrorKind::BrokenPipe => Some(Err(error)),
        _ => Some(ended),
    }
}

/// Adds colours: heads are bold, and the words are marked in all other lines.
fn paint(text: &str, words: &[String]) -> String {
    let mut painted = String::new();
    for line in text.lines() {
        if line.starts_with(' ') {
            painted.push_str(&mark(line, words));
        } else {
            painted.push_str(&in_style(HEAD, line));
        }
        painted.push('\n');
    }
    painted
}

fn in_style(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// Marks each place of a line that has one of the words, in letters of any case.
fn mark(line: &str, words: &[String]) -> String {
    let small = line.to_ascii_lowercase();
    let (mut marked, mut at) = (String::new(), 0);
    loop {
        let rest = small.get(at..).unwrap_or_default();
        let found = words
            .iter()
            .filter(|word| !word.is_empty())
            .filter_map(|word| {
                let start = rest.find(&word.to_ascii_lowercase())?;
                Some((start, word.len()))
            });
        // The first place, and the longest word there.
        let Some((start, length)) =
            found.min_by_key(|(start, length)| (*start, usize::MAX - length))
        else {
            marked.push_str(line.get(at..).unwrap_or_default());
            return marked;
        };
        let (start, end) = (at + start, at + start + length);
        marked.push_str(line.get(at..start).unwrap_or_default());
        let word = line.get(start..end).unwrap_or_default();
        marked.push_str(&in_style(FOUND, word));
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn heads_are_bold_and_words_are_marked() {
        let text = "Head of a\n  llc_lookup.nid  filter_nid\n";
        let red = "\u{1b}[1m\u{1b}[31m";
        let expected = format!(
            "\u{1b}[1mHead of a\u{1b}[0m\n  llc_{red}lookup\u{1b}[0m.{red}nid\u{1b}[0m  \
             filter_{red}nid\u{1b}[0m\n"
        );
        assert_eq!(paint(text, &words(&["LOOKUP", "nid", ""])), expected);
    }

    #[test]
    fn no_letter_is_lost() {
        for (line, looked_for) in [
            (" aaa", ["a", "aa"]),
            (" größe größe", ["ö", "e"]),
            (" x", ["y", "z"]),
        ] {
            let marked = mark(line, &words(&looked_for));
            assert_eq!(anstream::adapter::strip_str(&marked).to_string(), line);
        }
    }

    #[test]
    fn a_pager_that_is_missing_is_left_out() {
        assert!(page("", "x").is_none());
        assert!(page("no-such-pager -x", "x").is_none());
        assert!(page("true", &"x".repeat(1 << 20)).is_some_and(|shown| shown.is_ok()));
    }
}
