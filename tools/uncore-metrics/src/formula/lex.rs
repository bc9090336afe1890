// SPDX-License-Identifier: GPL-2.0

//! Formulas in words: names, numbers and signs, each with its place.

/// A word of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word<'a> {
    /// Place of its first character, from 1.
    pub(super) at: usize,
    /// Kind of the word.
    pub(super) kind: Kind<'a>,
}

/// Kind of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind<'a> {
    Name(&'a str),
    /// A number, not yet read: it begins with a digit.
    Number(&'a str),
    /// Any other character.
    Sign(char),
    /// Nothing is left.
    End,
}

/// The words of a formula; the last is `End`.
pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut rest = text;
    let mut at = 1;
    while let Some(first) = rest.chars().next() {
        let (word, after) = rest.split_at(length(first, rest));
        let kind = match first {
            'a'..='z' => Some(Kind::Name(word)),
            '0'..='9' => Some(Kind::Number(word)),
            _ if first.is_whitespace() => None,
            _ => Some(Kind::Sign(first)),
        };
        words.extend(kind.map(|kind| Word { at, kind }));
        at += word.chars().count();
        rest = after;
    }
    words.push(Word {
        at,
        kind: Kind::End,
    });
    words
}

/// Length of the word that begins with `first`, in bytes.
fn length(first: char, rest: &str) -> usize {
    if !is_part(first) || matches!(first, '_' | '.') {
        return first.len_utf8();
    }
    rest.find(|c| !is_part(c)).unwrap_or(rest.len())
}

fn is_part(c: char) -> bool {
    matches!(c, 'a'..='z' | '0'..='9' | '_' | '.')
}
