// SPDX-License-Identifier: GPL-2.0

//! Words that the checks are written in: faults, their locations, and loops and comparisons that a
//! const function can use.

use crate::uncore::table::box_type::{
    Bits,
    BoxType,
    Platform,
    Word, //
};

/// The first fault that is not `None`. Faults after it are not evaluated, and share the stack.
macro_rules! first {
    ($last:expr $(,)?) => {
        $last
    };
    ($fault:expr, $($more:expr),+ $(,)?) => {
        match $fault {
            None => first!($($more),+),
            found => found,
        }
    };
}

/// The first value of `$fault` that is not `None`, for `$i` from 0 to below `$count`.
macro_rules! first_below {
    ($i:ident < $count:expr => $fault:expr) => {{
        let mut $i = 0;
        let mut found = None;
        while $i < $count && found.is_none() {
            found = $fault;
            $i += 1;
        }
        found
    }};
}

/// `true` if `$holds` for any `$i` from 0 to below `$count`.
macro_rules! any_below {
    ($i:ident < $count:expr => $holds:expr) => {{
        let mut $i = 0;
        let mut any = false;
        while $i < $count && !any {
            any = $holds;
            $i += 1;
        }
        any
    }};
}

/// The sum of `$number` for `$i` from 0 to below `$count`.
macro_rules! sum_below {
    ($i:ident < $count:expr => $number:expr) => {{
        let mut $i = 0;
        let mut sum = 0;
        while $i < $count {
            sum += $number;
            $i += 1;
        }
        sum
    }};
}

/// The union of `$bits` for `$i` from 0 to below `$count`.
macro_rules! union_below {
    ($i:ident < $count:expr => $bits:expr) => {{
        let mut $i = 0;
        let mut union = 0;
        while $i < $count {
            union |= $bits;
            $i += 1;
        }
        union
    }};
}

/// A fault in the tables of a box type.
#[derive(Clone, Copy)]
pub(crate) struct Fault {
    pub(crate) location: Location,
    /// The rule that is broken, as a sentence without subject.
    pub(crate) what: &'static str,
}

/// A location in the tables of a box type.
#[derive(Clone, Copy)]
pub(crate) struct Location {
    /// The box type.
    pub(crate) of: &'static str,
    /// Event, field or filter unit; empty for the box as a whole.
    pub(crate) at: &'static str,
    /// Sub-event; empty for the event as a whole.
    pub(crate) row: &'static str,
}

impl Location {
    /// The box type as a whole.
    pub(crate) const fn of(of: &BoxType) -> Self {
        Self {
            of: of.name,
            at: "",
            row: "",
        }
    }

    /// The platform as a whole.
    pub(crate) const fn of_platform(of: &Platform) -> Self {
        Self {
            of: of.name,
            at: "",
            row: "",
        }
    }

    /// An event, field or filter unit of the box type.
    pub(crate) const fn at(self, at: &'static str) -> Self {
        Self { at, ..self }
    }

    /// A sub-event of the event.
    pub(crate) const fn row(self, row: &'static str) -> Self {
        Self { row, ..self }
    }

    /// A fault here, unless `holds`.
    pub(crate) const fn must(self, holds: bool, what: &'static str) -> Option<Fault> {
        if holds {
            None
        } else {
            Some(Fault {
                location: self,
                what,
            })
        }
    }
}

impl Fault {
    /// The location and the broken rule: `cbox tor_inserts.opcode: must have a reason to be
    /// unusable`.
    pub(super) const fn message(&self) -> Message {
        let Location { of, at, row } = self.location;
        let mut message = Message::new().add(of);
        if !at.is_empty() {
            message = message.add(" ").add(at);
        }
        if !row.is_empty() {
            message = message.add(".").add(row);
        }
        message.add(": ").add(self.what)
    }
}

/// Stops the build if there is a fault.
pub(crate) const fn stop_at(fault: Option<Fault>) {
    if let Some(fault) = fault {
        panic!("{}", fault.message().as_str());
    }
}

/// Text put together in a const function.
pub(super) struct Message {
    bytes: [u8; Self::MOST],
    length: usize,
}

impl Message {
    /// Largest length of a text.
    pub(super) const MOST: usize = 240;

    /// The empty text.
    pub(super) const fn new() -> Self {
        Self {
            bytes: [b' '; Self::MOST],
            length: 0,
        }
    }

    /// Appends what fits.
    pub(super) const fn add(mut self, text: &str) -> Self {
        let mut i = 0;
        while i < text.len() && self.length < Self::MOST {
            self.bytes[self.length] = text.as_bytes()[i];
            self.length += 1;
            i += 1;
        }
        self
    }

    /// The text.
    pub(super) const fn as_str(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => text,
            Err(_) => "a fault in a table with names that are not ASCII",
        }
    }
}

/// Returns `true` if all bits of `part` are in `whole`.
pub(crate) const fn within(part: u64, whole: u64) -> bool {
    part & !whole == 0
}

/// `bits` if `holds`, else no bits.
pub(crate) const fn only_if(holds: bool, bits: u64) -> u64 {
    if holds {
        bits
    } else {
        0
    }
}

/// Returns `true` if each of the bits is one bit that is no other's.
pub(crate) const fn are_apart(bits: &[Option<u32>]) -> bool {
    !any_below!(i < bits.len() => match bits[i] {
        Some(bit) => !bit.is_power_of_two() || any_below!(k < i => bit_of(bits[k]) == bit),
        None => false,
    })
}

/// All of the bits, as a mask.
pub(crate) const fn all_of(bits: &[Option<u32>]) -> u32 {
    union_below!(i < bits.len() => bit_of(bits[i]))
}

/// The bits of an optional mask.
const fn bit_of(bit: Option<u32>) -> u32 {
    match bit {
        Some(bit) => bit,
        None => 0,
    }
}

/// The bits of `ranges`, as a mask; none of ranges that are not in order.
pub(crate) const fn mask(ranges: &[Bits]) -> u64 {
    let mut mask = 0;
    let mut i = 0;
    while are_ordered(ranges) && i < ranges.len() {
        mask |= (u64::MAX >> (63 - (ranges[i].high - ranges[i].low))) << ranges[i].low;
        i += 1;
    }
    mask
}

/// Returns `true` if ranges are in order, apart and inside a word.
pub(crate) const fn are_ordered(ranges: &[Bits]) -> bool {
    let mut end = 0;
    let mut i = 0;
    while i < ranges.len() {
        if ranges[i].low < end || ranges[i].high < ranges[i].low || ranges[i].high > 63 {
            return false;
        }
        end = ranges[i].high + 1;
        i += 1;
    }
    !ranges.is_empty()
}

pub(crate) const fn same_word(a: Word, b: Word) -> bool {
    a as u8 == b as u8
}

pub(crate) const fn same_text(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    a.len() == b.len() && !any_below!(i < a.len() => a[i] != b[i])
}

/// Returns `true` if `part` is somewhere in `text`.
pub(crate) const fn has_text(text: &str, part: &str) -> bool {
    let (text, part) = (text.as_bytes(), part.as_bytes());
    any_below!(i < text.len() => i + part.len() <= text.len()
        && !any_below!(k < part.len() => text[i + k] != part[k]))
}

/// Returns `true` if perf takes the text as the name of an event or field.
pub(crate) const fn is_name(text: &str) -> bool {
    is_word(text) && text.as_bytes()[0].is_ascii_lowercase()
}

/// Returns `true` if perf takes the text as the part of a name behind a dot.
pub(crate) const fn is_word(text: &str) -> bool {
    let text = text.as_bytes();
    !text.is_empty()
        && text[0] != b'_'
        && !any_below!(i < text.len() => !matches!(text[i], b'a'..=b'z' | b'0'..=b'9' | b'_'))
}
