// SPDX-License-Identifier: GPL-2.0

//! The fields of each box type's config words: sysfs shows these, and the user's page has
//! them in its tables. They are those of `fields.csv`.

use crate::catalogue::BoxKind;

/// A field: the name and the content of its file under `format/`.
pub type Field = (&'static str, &'static str);

/// Fields that select an event.
const SELECTS: [&str; 5] = ["event", "counter", "inc_sel", "set_flag_sel", "flag_mode"];

/// Field of the boxes whose general counters have an overflow enable bit.
pub const INTERVAL: Field = ("interval", "config:32-63");

/// The fields that own the bits of a request.
pub fn fields(kind: BoxKind) -> Vec<Field> {
    kind.facts().fields.clone()
}

/// The fields that only show others in another way.
pub fn views(kind: BoxKind) -> Vec<Field> {
    kind.facts().views.clone()
}

/// Returns the bits of a field, as [`bits`] does, `None` if the box has no such field.
pub fn field(kind: BoxKind, name: &str) -> Option<(usize, u64)> {
    let mut all = kind.facts().fields.iter();
    all.find(|(known, _)| *known == name).copied().map(bits)
}

/// Returns the name of a field of any box.
pub(crate) fn named(text: &str) -> Option<&'static str> {
    let all = BoxKind::all().flat_map(|kind| [fields(kind), views(kind)].concat());
    let mut names = all.map(|(name, _)| name);
    names.find(|name| *name == text)
}

/// Returns the bits of a field that owns them or not, as [`bits`] does.
pub fn place(kind: BoxKind, name: &str) -> Option<(usize, u64)> {
    let view = || {
        let mut all = kind.facts().views.iter();
        all.find(|(known, _)| *known == name)
    };
    field(kind, name).or_else(|| view().copied().map(bits))
}

/// The word (0 for config, 1 for config1, 2 for config2) and the bits of it
/// that a field owns.
pub fn bits((name, bits): (&str, &str)) -> (usize, u64) {
    let (word, ranges) = bits.split_once(':').unwrap_or_else(|| panic!("{name}"));
    let word = ["config", "config1", "config2"]
        .iter()
        .position(|&known| known == word);
    let number = |text: &str| text.parse::<u32>().expect("the number of a bit");
    let mask = ranges.split(',').fold(0, |mask, range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        (number(first)..=number(last)).fold(mask, |mask, bit| mask | 1_u64 << bit)
    });
    (word.expect("a config word"), mask)
}

/// Returns the value of a field in config words, 0 if the box has no such field.
pub fn value(kind: BoxKind, name: &str, words: &[u64]) -> u64 {
    place(kind, name).map_or(0, |(word, mask)| compress(words[word], mask))
}

/// Returns the bits of config that select an event.
pub fn select_bits(kind: BoxKind) -> u64 {
    SELECTS
        .iter()
        .filter_map(|name| field(kind, name))
        .fold(0, |all, (_, mask)| all | mask)
}

/// Returns the bits of config that select this event. The extended select is the highest bit
/// of `event`, or chooses the second of two fields for events. A field `counter` is above
/// `event`.
pub fn select(kind: BoxKind, ext: bool, code: u8) -> u64 {
    let place = |name, value| field(kind, name).map_or(0, |(_, mask)| deposit(mask, value));
    let code = u64::from(code);
    match (field(kind, "event"), ext) {
        (Some((_, event)), _) => {
            let code = code | u64::from(ext) << 8;
            deposit(event, code) | place("counter", code >> event.count_ones())
        }
        (None, false) => place("inc_sel", code),
        (None, true) => place("set_flag_sel", code) | place("flag_mode", 1),
    }
}

/// Returns the extended select and the event select in config words, as [`select`] places them.
pub fn selected(kind: BoxKind, words: &[u64]) -> (bool, u8) {
    let value = |name| value(kind, name, words);
    let (ext, code) = match (field(kind, "event"), value("flag_mode")) {
        (Some((_, event)), _) => {
            let code = value("event") | value("counter") << event.count_ones();
            (code >> 8, code & 0xff)
        }
        (None, 0) => (0, value("inc_sel")),
        (None, _) => (1, value("set_flag_sel")),
    };
    (ext == 1, u8::try_from(code).expect("8 bits"))
}

/// Returns the word with the bits of a value in the places of a mask, lowest first.
pub fn deposit(mask: u64, value: u64) -> u64 {
    let places = (0..64).filter(|bit| mask >> bit & 1 == 1);
    (0..)
        .zip(places)
        .fold(0, |word, (from, to)| word | (value >> from & 1) << to)
}

/// Returns the bits of a mask, moved together.
pub fn compress(word: u64, mask: u64) -> u64 {
    let places = (0..64).filter(|place| mask >> place & 1 == 1);
    let bits = places.map(|place| word >> place & 1);
    (0..)
        .zip(bits)
        .fold(0, |value, (place, bit)| value | bit << place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::{Platform, Processor};
    use crate::user_page;
    use std::collections::BTreeSet;

    type Listed = BTreeSet<(String, String)>;

    #[test]
    fn fields_do_not_overlap() {
        for processor in Processor::ALL {
            processor.on(|| BoxKind::all().for_each(do_not_overlap));
        }
        assert_eq!(bits(("event", "config:0-7,21")), (0, 0x20_00ff));
    }

    fn do_not_overlap(kind: BoxKind) {
        let mut owned = [0; 3];
        for field in fields(kind) {
            let (word, mask) = bits(field);
            assert_eq!(owned[word] & mask, 0, "{kind}: {field:?}");
            owned[word] |= mask;
        }
    }

    /// What a row of the page says about a box.
    #[derive(Debug, PartialEq)]
    enum Said {
        Has,
        /// It is none of those that the row excepts.
        Among,
        Excepted,
        /// No box has it any more.
        Removed,
        Nothing,
    }

    /// Boxes are `all`, `all but` some, some, or `none`.
    fn said(boxes: &str, kind: BoxKind) -> Said {
        let named = |list: &str| list.split(", ").any(|name| name == kind.unit());
        match boxes.strip_prefix("all but ") {
            Some(list) if named(list) => Said::Excepted,
            Some(_) => Said::Among,
            None if boxes == "all" || named(boxes) => Said::Has,
            None if boxes == "none" => Said::Removed,
            None => Said::Nothing,
        }
    }

    /// The fields of a type that the rows of a table name; `mask*` is each `match*`, in
    /// config2.
    fn on_the_page(kind: BoxKind, rows: &[Vec<String>]) -> Listed {
        let mut listed = Listed::new();
        for row in rows {
            let [name, bits, boxes, _] = row.as_slice() else {
                panic!("not four cells: {row:?}");
            };
            if !matches!(said(boxes, kind), Said::Has | Said::Among) {
                continue;
            }
            let mut add = |name: &str, bits: &str| {
                let fresh = listed.insert((name.to_owned(), bits.to_owned()));
                assert!(fresh, "{kind}: {name} twice");
            };
            add(name, bits);
            if let (Some(rest), Some(range)) =
                (name.strip_prefix("match"), bits.strip_prefix("config1:"))
            {
                add(&format!("mask{rest}"), &format!("config2:{range}"));
            }
        }
        if listed.remove(&("mask*".to_owned(), "config2".to_owned())) {
            assert_eq!(kind, BoxKind::Qpi);
        }
        listed
    }

    fn expected(kind: BoxKind) -> Listed {
        let all = [fields(kind), views(kind)].concat();
        all.into_iter()
            .map(|(name, bits)| (name.to_owned(), bits.to_owned()))
            .collect()
    }

    #[test]
    fn the_page_has_these_and_no_other() {
        let rows = user_page::table("ivbep", "Config fields");
        Platform::Ivbep.on(|| {
            for kind in BoxKind::all() {
                assert_eq!(on_the_page(kind, &rows), expected(kind), "{kind}");
            }
        });
    }

    /// Returns the rows that hold for a box. A field of the second table is that of the first no more,
    /// but for boxes of which the first table speaks by name and the second does not.
    fn both(first: &[Vec<String>], second: Vec<Vec<String>>, kind: BoxKind) -> Vec<Vec<String>> {
        let of = |rows: &[Vec<String>], name: &str| -> Vec<Said> {
            let rows = rows.iter().filter(|row| row[0] == name);
            rows.map(|row| said(&row[2], kind)).collect()
        };
        let mut rows = first.to_vec();
        rows.retain(|row| {
            let later = of(&second, &row[0]);
            let replaced = later
                .iter()
                .any(|said| matches!(said, Said::Has | Said::Among | Said::Removed));
            let excepted = later.contains(&Said::Excepted);
            let by_name = said(&row[2], kind) == Said::Has;
            !replaced && (!excepted || by_name)
        });
        rows.extend(second);
        rows
    }

    #[test]
    fn the_pages_have_what_differs_on_platforms_that_are_like_another() {
        let mut tested = 0;
        for platform in Platform::ALL {
            let pages = std::iter::successors(Some(platform.name()), differs_from);
            let mut pages: Vec<&str> = pages.collect();
            if pages.pop() != Some("ivbep") || pages.is_empty() {
                continue;
            }
            tested += 1;
            platform.on(|| {
                for kind in BoxKind::all() {
                    let mut rows = user_page::table("ivbep", "Config fields");
                    for page in pages.iter().rev() {
                        rows = both(&rows, user_page::table(page, "Fields"), kind);
                    }
                    assert_eq!(
                        on_the_page(kind, &rows),
                        expected(kind),
                        "{kind}: {pages:?}"
                    );
                }
            });
        }
        assert!(tested > 0);
    }

    /// Returns the platform from whose page that of another one has the differences.
    fn differs_from(platform: &&'static str) -> Option<&'static str> {
        let text = user_page::Page::Platform(platform).text();
        let (_, text) = text.split_once("what differs from ")?;
        let (_, text) = text.split_once("admin-guide/perf/")?;
        let (name, _) = text.split_once(".rst")?;
        let mut all = Platform::ALL.into_iter().map(Platform::name);
        all.find(|known| *known == name)
    }
}
