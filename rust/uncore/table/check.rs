// SPDX-License-Identifier: GPL-2.0

//! Finds what is wrong in the tables of a box type, when the module is compiled.
//!
//! A platform ends the file of each box type with `const _: () = check(&CBOX);`, and its own with
//! [`check_platform`]. A fault stops the build and is told by box, event and sub-event. What is
//! checked:
//!
//! 1. here: counters, registers and PCI functions are distinct and in range; counter sets hold
//!    each counter once; the control bits the driver sets are writable, the others that are
//!    writable are fields;
//! 2. [`fields`]: names distinct, bits apart and inside their register; filter units made of
//!    their fields, with a value to fall back on or a field to ask for; views of whole registers;
//! 3. [`fixed`]: selects and registers of fixed counters are no other's;
//! 4. [`events`]: sorted by code, counters, filters and maximum within the box's, a source, a kind
//!    of umask that fits the sub-events, presets of filters that the event has;
//! 5. [`names`]: each file of `events/` has a name of its own, in perf's spelling;
//! 6. [`overflow`]: an overflow that interrupts sets a bit that tells where to look;
//! 7. [`platform`]: names, PCI device IDs and bits of the global status of box types are no
//!    other's.
//!
//! [`fault`] can be called at run time too, by tests that break a table on purpose. It allocates
//! nothing and touches no hardware.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a panic here stops the build"
)]

use crate::uncore::box_type::Access;
use crate::uncore::box_type::Bits;
use crate::uncore::box_type::BoxType;
use crate::uncore::box_type::FilterFunction;
use crate::uncore::box_type::MsrBoxes;
use crate::uncore::box_type::PciFunction;
use crate::uncore::box_type::Word;

/// The first fault that is not `None`. Those after it are not asked for, and share the stack.
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

/// Whether `$holds` for any `$i` from 0 to below `$count`.
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

/// All bits of `$bits` for `$i` from 0 to below `$count`.
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

mod events;
mod fields;
mod fixed;
mod names;
mod overflow;
mod platform;
#[cfg(KUNIT_SUITES)]
mod tests;

pub(in crate::uncore) use overflow::can_interrupt;
pub(crate) use platform::check_platform;

/// What is wrong with a box type, and where.
#[derive(Clone, Copy)]
pub(crate) struct Fault {
    /// Where.
    place: Place,
    /// The rule that is broken, as a sentence without subject.
    what: &'static str,
}

/// A place in the tables of a box type.
#[derive(Clone, Copy)]
struct Place {
    /// The box type.
    of: &'static str,
    /// Event, field or filter unit; empty for the box as a whole.
    at: &'static str,
    /// Sub-event; empty for the event as a whole.
    row: &'static str,
}

impl Place {
    const fn of(of: &BoxType) -> Self {
        Self {
            of: of.name,
            at: "",
            row: "",
        }
    }

    const fn at(self, at: &'static str) -> Self {
        Self { at, ..self }
    }

    const fn row(self, row: &'static str) -> Self {
        Self { row, ..self }
    }

    /// A fault here, unless `holds`.
    const fn must(self, holds: bool, what: &'static str) -> Option<Fault> {
        if holds {
            None
        } else {
            Some(Fault { place: self, what })
        }
    }
}

/// Stops the build if there is a fault.
pub(crate) const fn check(of: &BoxType) {
    stop_at(fault(of));
}

const fn stop_at(fault: Option<Fault>) {
    if let Some(Fault { place, what }) = fault {
        let message = Message::new()
            .add(place.of)
            .add(" ")
            .add(place.at)
            .add(".")
            .add(place.row)
            .add(": ")
            .add(what);
        panic!("{}", message.as_str());
    }
}

/// The first fault of a box type.
pub(crate) const fn fault(of: &BoxType) -> Option<Fault> {
    first!(
        counters(of),
        counter_sets(of),
        access(of),
        control(of),
        fields::fields(of),
        fields::filter_units(of),
        fixed::fixed(of),
        events::events(of),
        names::names(of),
        overflow::overflow(of),
    )
}

/// Text put together in a const function.
struct Message {
    bytes: [u8; Self::MOST],
    length: usize,
}

impl Message {
    const MOST: usize = 240;

    const fn new() -> Self {
        Self {
            bytes: [b' '; Self::MOST],
            length: 0,
        }
    }

    /// Appends what fits.
    const fn add(mut self, text: &str) -> Self {
        let mut i = 0;
        while i < text.len() && self.length < Self::MOST {
            self.bytes[self.length] = text.as_bytes()[i];
            self.length += 1;
            i += 1;
        }
        self
    }

    const fn as_str(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => text,
            Err(_) => "a fault in a table with names that are not ASCII",
        }
    }
}

/// Whether all bits of `part` are in `whole`.
const fn within(part: u64, whole: u64) -> bool {
    part & !whole == 0
}

/// The bits, or none.
const fn only_if(holds: bool, bits: u64) -> u64 {
    if holds {
        bits
    } else {
        0
    }
}

/// The bit or bits, if any.
const fn bit_of(bit: Option<u32>) -> u32 {
    match bit {
        Some(bit) => bit,
        None => 0,
    }
}

/// The bits of `ranges`, as a mask; none of ranges that are not in order.
const fn mask(ranges: &[Bits]) -> u64 {
    let mut mask = 0;
    let mut i = 0;
    while are_ordered(ranges) && i < ranges.len() {
        mask |= (u64::MAX >> (63 - (ranges[i].high - ranges[i].low))) << ranges[i].low;
        i += 1;
    }
    mask
}

/// Whether ranges are in order, apart and inside a word.
const fn are_ordered(ranges: &[Bits]) -> bool {
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

const fn same_word(a: Word, b: Word) -> bool {
    a as u8 == b as u8
}

const fn same_text(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    a.len() == b.len() && !any_below!(i < a.len() => a[i] != b[i])
}

/// Whether perf takes the text as the name of an event or field, or as the part behind the dot.
const fn is_name(text: &str) -> bool {
    let text = text.as_bytes();
    !text.is_empty()
        && text[0].is_ascii_lowercase()
        && !any_below!(i < text.len() => !matches!(text[i], b'a'..=b'z' | b'0'..=b'9' | b'_'))
}

const fn counters(of: &BoxType) -> Option<Fault> {
    let place = Place::of(of);
    let count = of.counters.len();
    first!(
        place.must(is_name(of.name), "must have a lower-case name"),
        place.must(0 < count && count <= 8, "must have 1 to 8 counters"),
        place.must(is_width(of.width), "must have 1 to 64 bits a counter"),
        place.must(of.max_clock_mhz > 0, "must have a highest clock"),
        place.must(of.max_increment > 0, "must have a maximum increment"),
        place.must(
            !any_below!(i < count => has_register(of, of.counters[i].control, i)
                || has_register(of, of.counters[i].counter, i)
                || of.counters[i].control == of.counters[i].counter),
            "must have a register of its own for each counter and control",
        ),
    )
}

const fn is_width(width: u8) -> bool {
    0 < width && width <= 64
}

/// Whether a counter before the `end`th has this register.
const fn has_register(of: &BoxType, offset: u16, end: usize) -> bool {
    any_below!(i < end => of.counters[i].control == offset || of.counters[i].counter == offset)
}

const fn counter_sets(of: &BoxType) -> Option<Fault> {
    let place = Place::of(of);
    let sets = of.counter_sets;
    let all = (1_u32 << of.counters.len()) - 1;
    let joined: u32 = union_below!(i < sets.len() => sets[i] as u32);
    let added: u32 = sum_below!(i < sets.len() => sets[i] as u32);
    first!(
        place.must(
            sets.is_empty() || joined == all && added == all,
            "must have each counter in one counter set",
        ),
        place.must(
            sets.len() as u64 == fields::set_choices(of),
            "must have a field with a value for each counter set, if there are any",
        ),
    )
}

const fn access(of: &BoxType) -> Option<Fault> {
    let place = Place::of(of);
    match &of.access {
        Access::Msr {
            base,
            stride,
            count,
        } => first!(
            place.must(
                *base > 0 || of.max_boxes == 1 && !has_register(of, 0, of.counters.len()),
                "must have a first MSR, or one box with MSR numbers as offsets",
            ),
            place.must(*stride > 0 || of.max_boxes == 1, "must have boxes apart"),
            place.must(is_count(of, count), "must have 1 to max_boxes boxes"),
        ),
        Access::Pci { functions } => pci(of, functions),
    }
}

const fn is_count(of: &BoxType, count: &MsrBoxes) -> bool {
    match count {
        MsrBoxes::Fixed(count) => 0 < *count && *count <= of.max_boxes,
        MsrBoxes::PerFunction { .. } => 0 < of.max_boxes,
    }
}

const fn pci(of: &BoxType, functions: &[PciFunction]) -> Option<Fault> {
    let place = Place::of(of);
    let count = functions.len();
    first!(
        place.must(
            0 < count && count == of.max_boxes as usize,
            "must have as many PCI functions as boxes",
        ),
        place.must(
            !any_below!(i < count => functions[i].index as usize != i),
            "must list its PCI functions by index",
        ),
        place.must(
            !any_below!(i < 2 * count => is_nowhere(function(functions, i))),
            "must have devices up to 31 and functions up to 7",
        ),
        place.must(
            !any_below!(i < 2 * count =>
                any_below!(k < i => meet(function(functions, k), function(functions, i)))),
            "must have a device ID and a place of its own for each PCI function",
        ),
        place.must(
            !have_filters(functions)
                || !of.filters.is_empty()
                    && !any_below!(i < count => functions[i].filters.is_none()),
            "must have filters, and a function with them for each box, if it has one for any",
        ),
        place.must(
            !any_below!(i < of.counters.len() =>
                of.counters[i].control % 4 != 0 || of.counters[i].counter % 4 != 0)
                && !any_below!(i < of.filters.len() => of.filters[i].offset % 4 != 0),
            "must have its registers on dword boundaries",
        ),
    )
}

/// Whether there are functions that hold the boxes' filters.
const fn have_filters(functions: &[PciFunction]) -> bool {
    any_below!(i < functions.len() => functions[i].filters.is_some())
}

/// The PCI function of a box; from `functions.len()` on the one with its filters, if that is
/// another.
const fn function(functions: &[PciFunction], i: usize) -> Option<FilterFunction> {
    let own = &functions[i % functions.len()];
    if i >= functions.len() {
        return own.filters;
    }
    Some(FilterFunction {
        device_id: own.device_id,
        device: own.device,
        function: own.function,
    })
}

const fn is_nowhere(function: Option<FilterFunction>) -> bool {
    matches!(function, Some(function) if function.device > 31 || function.function > 7)
}

const fn meet(a: Option<FilterFunction>, b: Option<FilterFunction>) -> bool {
    let (Some(a), Some(b)) = (a, b) else {
        return false;
    };
    a.device_id == b.device_id || a.device == b.device && a.function == b.function
}

const fn control(of: &BoxType) -> Option<Fault> {
    let place = Place::of(of);
    let control = &of.control;
    let resets = control.reset | bit_of(control.queue_reset);
    let own = control.enable | resets | bit_of(control.overflow_enable);
    let rest = (control.writable & !own) as u64;
    first!(
        place.must(
            within(own as u64, control.writable as u64),
            "must have its enable and reset bits among the writable ones",
        ),
        place.must(
            control.enable.is_power_of_two() && control.reset.is_power_of_two(),
            "must have one enable and one reset bit",
        ),
        place.must(
            !matches!(control.queue_reset, Some(bit)
                if !bit.is_power_of_two() || bit == control.reset),
            "must have a queue reset bit of its own",
        ),
        place.must(
            rest == fields::control_bits(of),
            "must have as fields of config the writable bits that are not the driver's",
        ),
    )
}
