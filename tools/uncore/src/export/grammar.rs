// SPDX-License-Identifier: GPL-2.0

//! Reader of both text formats, as strict as their grammars: it panics at the first line that is
//! wrong.

use std::collections::{BTreeMap, BTreeSet};

use super::text::Format;

/// A family, as its lines say.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub(super) kind: String,
    pub(super) unit: Option<String>,
    pub(super) help: String,
    /// Labels and value of each sample.
    pub(super) samples: Vec<(BTreeMap<String, String>, f64)>,
}

/// Reads a text. The names are those of the lines that begin with `# TYPE`.
pub(super) fn read(format: Format, text: &str) -> BTreeMap<String, Read> {
    let body = match format {
        Format::OpenMetrics => text.strip_suffix("# EOF\n").expect("the end"),
        Format::Prometheus => text,
    };
    assert!(body.is_empty() || body.ends_with('\n'), "a line is open");
    let mut families: BTreeMap<String, Read> = BTreeMap::new();
    let mut current = String::new();
    let mut seen = BTreeSet::new();
    for line in body.lines() {
        if let Some(described) = line.strip_prefix("# ") {
            let (keyword, rest) = described.split_once(' ').expect("a keyword");
            let (name, text) = rest.split_once(' ').expect("a name and a text");
            assert!(is_name(name, true), "{line}");
            if name != current {
                assert!(!families.contains_key(name), "two families: {line}");
                name.clone_into(&mut current);
            }
            let family = families.entry(current.clone()).or_default();
            assert!(family.samples.is_empty(), "after samples: {line}");
            match keyword {
                "TYPE" => {
                    assert!(family.kind.is_empty(), "{line}");
                    // HELP comes first in one format, and last in the other.
                    assert_eq!(family.help.is_empty(), format == Format::OpenMetrics);
                    text.clone_into(&mut family.kind);
                }
                "UNIT" => {
                    assert!(
                        format == Format::OpenMetrics && family.help.is_empty(),
                        "{line}"
                    );
                    assert!(!family.kind.is_empty() && family.unit.is_none(), "{line}");
                    assert!(name.ends_with(&format!("_{text}")), "{line}");
                    family.unit = Some(text.to_owned());
                }
                "HELP" => {
                    assert!(family.help.is_empty() && !text.is_empty(), "{line}");
                    family.help = unescaped(text, format == Format::OpenMetrics);
                }
                _ => panic!("{line}"),
            }
            continue;
        }
        let family = families.get_mut(&current).expect("a family");
        let kinds: &[&str] = match format {
            Format::Prometheus => &["counter", "gauge"],
            Format::OpenMetrics => &["counter", "gauge", "info"],
        };
        assert!(kinds.contains(&family.kind.as_str()), "{line}");
        assert!(!family.help.is_empty(), "{line}");
        let (name, labels, value) = sample(line);
        let expected = match (format, family.kind.as_str()) {
            (Format::OpenMetrics, "counter") => format!("{current}_total"),
            (Format::OpenMetrics, "info") => format!("{current}_info"),
            _ => current.clone(),
        };
        assert_eq!(name, expected, "{line}");
        assert!(seen.insert((name, labels.clone())), "twice: {line}");
        family.samples.push((labels, value));
    }
    for (name, family) in &families {
        assert!(!family.samples.is_empty(), "{name} has no samples");
    }
    families
}

/// Reads `NAME{LABEL="VALUE",…} NUMBER`. A timestamp would be an error.
fn sample(line: &str) -> (String, BTreeMap<String, String>, f64) {
    let end = line.find(['{', ' ']).expect("an end of the name");
    let (name, mut rest) = line.split_at(end);
    assert!(is_name(name, true), "{line}");
    let mut labels = BTreeMap::new();
    if let Some(inner) = rest.strip_prefix('{') {
        rest = inner;
        loop {
            let (label, after) = rest.split_once("=\"").expect("a label");
            assert!(is_name(label, false) && !label.starts_with("__"), "{line}");
            let end = end_of_quotes(after).expect("the end of the quotes");
            let value = unescaped(&after[..end], true);
            assert!(labels.insert(label.to_owned(), value).is_none(), "{line}");
            let after = &after[end + 1..];
            let Some(next) = after.strip_prefix(',') else {
                rest = after.strip_prefix('}').expect("the end of the labels");
                break;
            };
            rest = next;
        }
    }
    let number = rest.strip_prefix(' ').expect("a number");
    assert!(!number.contains(' '), "{line}");
    (name.to_owned(), labels, number.parse().expect("a number"))
}

fn is_name(name: &str, colon: bool) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_' || colon && c == ':';
    name.starts_with(is_letter) && name.chars().all(|c| is_letter(c) || c.is_ascii_digit())
}

fn end_of_quotes(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(place, c)| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends.then_some(place)
    })
}

fn unescaped(text: &str, quotes: bool) -> String {
    let mut out = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n') => out.push('\n'),
                Some('\\') => out.push('\\'),
                Some('"') if quotes => out.push('"'),
                other => panic!("\\{other:?}"),
            },
            letter => out.push(letter),
        }
    }
    out
}
