// SPDX-License-Identifier: GPL-2.0

//! Descriptions of events: what a box counts.
//!
//! A data file (`events/PLATFORM.csv`) has the columns `box`, `event` and `description`. `event` is one
//! of these, by the names in sysfs:
//!
//! * `EVENT`: a sentence about the event, which says what one count is;
//! * `EVENT.SUB`: a phrase about the sub-event, which is read after the sentence;
//! * `*.SUB`: the same for all events of the box.
//!
//! `event` is empty for the box itself. The box is `*` if the row is true in all boxes. `#` in the event stands for a number, which replaces
//! each `#` of the description. A sub-event without a row is described by those of the parts of its
//! name. A platform may have rows in the file of its family; its own come first.

use crate::catalogue::rows;
use crate::catalogue::CatalogueError;
use crate::platform::{packed, Platform};
use flate2::read::GzDecoder;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// A word of the field.
#[derive(Clone, Debug, Deserialize)]
pub struct Word {
    /// The word, or a few.
    pub term: String,
    /// Its meaning, without a full stop.
    pub description: String,
}

/// Returns the words that descriptions use.
pub fn glossary() -> Result<Vec<Word>, CatalogueError> {
    let file: &[u8] = packed!("events/glossary");
    rows(GzDecoder::new(file))
}

impl Word {
    /// Returns whether a text has the word.
    pub fn is_in(&self, text: &str) -> bool {
        let is_letter = |c: char| c.is_ascii_alphanumeric();
        let mut found = text.match_indices(&self.term);
        found.any(|(begin, word)| {
            let (before, after) = (&text[..begin], &text[begin + word.len()..]);
            let after = after.strip_prefix('s').unwrap_or(after);
            !before.ends_with(is_letter) && !after.starts_with(is_letter)
        })
    }
}

/// A row: its box and its event.
type Key = (String, String);

/// Descriptions of the events of a platform.
#[derive(Clone, Debug)]
pub struct Descriptions {
    texts: BTreeMap<Key, String>,
}

#[derive(Deserialize)]
struct Row {
    #[serde(rename = "box")]
    box_type: String,
    event: String,
    description: String,
}

impl Descriptions {
    /// Returns the descriptions of a platform, by the name in those of its PMUs. They are read once.
    pub fn of(platform: &str) -> Result<&'static Self, CatalogueError> {
        static READ: [OnceLock<Descriptions>; Platform::ALL.len()] =
            [const { OnceLock::new() }; Platform::ALL.len()];
        let known = Platform::ALL.iter().zip(&READ);
        let found = known.into_iter().find(|(known, _)| known.is(platform));
        let (known, read) = found.ok_or_else(|| CatalogueError::NoMetrics(platform.to_owned()))?;
        if let Some(read) = read.get() {
            return Ok(read);
        }
        let new = Self::read(known)?;
        Ok(read.get_or_init(|| new))
    }

    fn read(platform: &Platform) -> Result<Self, CatalogueError> {
        let mut texts = BTreeMap::new();
        for file in platform.events {
            for row in rows::<Row>(GzDecoder::new(*file))? {
                let key = (row.box_type, row.event);
                texts.entry(key).or_insert(row.description);
            }
        }
        Ok(Self { texts })
    }

    /// Returns what a type of box is: a sentence that begins with its name.
    pub fn box_type(&self, box_type: &str) -> Option<&str> {
        let key = (box_type.to_owned(), String::new());
        self.texts.get(&key).map(String::as_str)
    }

    /// Returns what an event of a type of box counts, whichever of its sub-events: a sentence without
    /// a full stop.
    pub fn sentence(&self, box_type: &str, name: &str) -> Option<String> {
        Some(self.sentence_row(box_type, name)?.1)
    }

    /// Returns what the sub-event of a name adds to the sentence; `None` if it names none.
    pub fn phrase(&self, box_type: &str, name: &str) -> Option<String> {
        let rows = self.phrase_rows(box_type, name)?.into_iter();
        let phrases: Vec<String> = rows.map(|(_, phrase)| phrase).collect();
        Some(phrases.join(", "))
    }

    /// Returns both in one text.
    pub fn text(&self, box_type: &str, name: &str) -> Option<String> {
        let sentence = self.sentence(box_type, name)?;
        Some(match self.phrase(box_type, name) {
            Some(phrase) => format!("{sentence}. Here: {phrase}"),
            None => sentence,
        })
    }

    /// Returns the rows, each as box and event.
    pub fn rows(&self) -> impl Iterator<Item = &(String, String)> {
        self.texts.keys()
    }

    /// Returns the rows that the text of a name is made of.
    pub fn rows_of(&self, box_type: &str, name: &str) -> Vec<&(String, String)> {
        let phrase = self.phrase_rows(box_type, name).into_iter().flatten();
        let all = self.sentence_row(box_type, name).into_iter().chain(phrase);
        all.map(|(key, _)| key).collect()
    }

    fn sentence_row(&self, box_type: &str, name: &str) -> Option<(&Key, String)> {
        let event = name.split_once('.').map_or(name, |(event, _)| event);
        self.first(&[(box_type, event), ("*", event)])
    }

    fn phrase_rows(&self, box_type: &str, name: &str) -> Option<Vec<(&Key, String)>> {
        let (_, sub) = name.split_once('.')?;
        let any = format!("*.{sub}");
        let whole = [(box_type, name), ("*", name), (box_type, &any), ("*", &any)];
        let whole = self.first(&whole).map(|row| vec![row]);
        whole.or_else(|| self.parts(box_type, sub))
    }

    /// Returns the rows of the parts of a sub-event's name, each as long as there is one for it.
    fn parts(&self, box_type: &str, sub: &str) -> Option<Vec<(&Key, String)>> {
        let mut rows = Vec::new();
        let mut rest = sub;
        while !rest.is_empty() {
            let ends = rest.match_indices(['_', '.']).map(|(end, _)| end);
            let ends: Vec<usize> = ends.chain([rest.len()]).collect();
            let row = |end: &usize| {
                let part = format!("*.{}", &rest[..*end]);
                let row = self.first(&[(box_type, &part), ("*", &part)])?;
                Some((*end, row))
            };
            let (end, row) = ends.iter().rev().find_map(row)?;
            rows.push(row);
            rest = rest.get(end + 1..).unwrap_or_default();
        }
        Some(rows)
    }

    /// Returns the first of these rows that is there, and its text.
    fn first(&self, keys: &[(&str, &str)]) -> Option<(&Key, String)> {
        let mut rows = keys
            .iter()
            .map(|(box_type, event)| self.row(box_type, event));
        rows.find_map(|row| row)
    }

    fn row(&self, box_type: &str, event: &str) -> Option<(&Key, String)> {
        let get = |event: &str| {
            let key = (box_type.to_owned(), event.to_owned());
            self.texts.get_key_value(&key)
        };
        let exact = get(event).map(|(key, text)| (key, text.clone()));
        exact.or_else(|| {
            numbers(event).find_map(|(number, before, after)| {
                let (key, text) = get(&format!("{before}#{after}"))?;
                Some((key, text.replace('#', number)))
            })
        })
    }
}

/// The numbers in a text, each with what is before and after it.
fn numbers(text: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    let is_digit = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let begins = (0..text.len()).filter(move |&at| is_digit(at) && !(at > 0 && is_digit(at - 1)));
    begins.map(move |begin| {
        let end = (begin..text.len()).find(|&at| !is_digit(at));
        let end = end.unwrap_or(text.len());
        (&text[begin..end], &text[..begin], &text[end..])
    })
}
