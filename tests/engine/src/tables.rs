// SPDX-License-Identifier: GPL-2.0

//! The rules that the tables of a platform keep. A test names every place that breaks one.
//!
//! [`boxes`] has the rules of a box type, [`events`] those of its events and names, [`platform`]
//! those of a platform's box types beside each other. The rules of MSRs that the driver writes are
//! in `rust/uncore/table/window.rs`, as the compiler enforces them.

use crate::{
    platforms,
    uncore::{
        table::box_type::*,
        testing::{
            msr_only::{decoder::DECODER, gate::STEPS, meter::METER, router::ROUTER},
            GATE, KIND, MADE_UP, ONE_SET, SLICE, TELLING,
        },
    },
};
use std::collections::BTreeSet;

mod boxes;
mod broken;
mod events;
mod platform;

/// The places that break a rule, each with the rule.
struct Faults {
    /// The platform or the box type.
    of: String,
    found: Vec<String>,
}

impl Faults {
    fn new(of: &str) -> Self {
        Self {
            of: of.to_owned(),
            found: Vec::new(),
        }
    }

    /// Notes that the table must have something, unless it `holds`.
    fn whole(&mut self, holds: bool, what: &str) {
        self.must("", holds, what);
    }

    /// Notes that an event, field or filter unit must have something, unless it `holds`.
    fn must(&mut self, at: impl AsRef<str>, holds: bool, what: &str) {
        if !holds {
            let at = [&self.of, at.as_ref()].join(" ");
            self.found.push(format!("{} must {what}", at.trim_end()));
        }
    }
}

/// Returns what is wrong in a box type.
fn of_box(of: &'static BoxType) -> Vec<String> {
    let mut faults = Faults::new(of.name);
    boxes::check(of, &mut faults);
    events::check(of, &mut faults);
    faults.found
}

/// Returns what is wrong in a platform.
fn of_platform(of: &'static Platform) -> Vec<String> {
    let mut faults = Faults::new(of.name);
    platform::check(of, &mut faults);
    let boxes = of.box_types.iter().copied();
    let found = boxes
        .flat_map(of_box)
        .map(|fault| format!("{} {fault}", of.name));
    faults.found.into_iter().chain(found).collect()
}

/// Returns whether no two items are equal.
fn are_distinct<T: Ord>(items: impl IntoIterator<Item = T>) -> bool {
    let mut seen = BTreeSet::new();
    items.into_iter().all(|item| seen.insert(item))
}

/// Returns whether `whole` has all bits of `part`.
fn within(part: impl Into<u64>, whole: impl Into<u64>) -> bool {
    part.into() & !whole.into() == 0
}

/// Returns whether masks have no bit in common; the second value is all their bits.
fn joined(masks: impl IntoIterator<Item = u64>) -> (bool, u64) {
    let join = |(apart, all): (bool, u64), mask: u64| (apart && all & mask == 0, all | mask);
    masks.into_iter().fold((true, 0), join)
}

/// Returns whether ranges are in order, apart and inside a word.
fn are_ordered(ranges: &[Bits]) -> bool {
    let is_range = |bits: &Bits| bits.low <= bits.high && bits.high < 64;
    let follows = |pair: &[Bits]| pair[0].high < pair[1].low;
    !ranges.is_empty() && ranges.iter().all(is_range) && ranges.windows(2).all(follows)
}

/// Returns whether perf takes the text as a part of a name.
fn is_word(text: &str) -> bool {
    let is_part = |letter| matches!(letter, 'a'..='z' | '0'..='9' | '_');
    !text.is_empty() && !text.starts_with('_') && text.chars().all(is_part)
}

/// Returns whether perf takes the text as the name of an event or field.
fn is_name(text: &str) -> bool {
    is_word(text) && text.starts_with(|first: char| first.is_ascii_lowercase())
}

#[test]
fn the_tables_of_all_platforms_keep_the_rules() {
    assert!(platforms::ALL.iter().all(|of| !of.box_types.is_empty()));
    let found: Vec<_> = platforms::ALL
        .iter()
        .copied()
        .flat_map(of_platform)
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_tables_of_the_suites_keep_the_rules() {
    let boxes = [
        &KIND, &TELLING, &SLICE, &GATE, &STEPS, &DECODER, &ROUTER, &METER,
    ];
    let of_boxes = boxes.into_iter().flat_map(of_box);
    let found: Vec<_> = of_platform(&MADE_UP).into_iter().chain(of_boxes).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
    let expected = [
        "each counter in one counter set",
        "a value of a field for each counter set",
    ];
    assert_eq!(
        of_box(&ONE_SET),
        expected.map(|what| format!("link must have {what}"))
    );
}
