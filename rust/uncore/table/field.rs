// SPDX-License-Identifier: GPL-2.0

//! Fields of a box type in the words of a user's request: reading, placing, printing them.
//!
//! Pure functions of the tables in [`super::box_type`]. Both the parser and `format/` use them, so
//! that the parser reads fields as `format/` prints them.

use super::box_type::*;
use crate::linux::perf::ConfigWords;
use kernel::fmt;

/// The words of a request. Fields are in the first three of them, see [`Word`].
pub(crate) type Words = ConfigWords;

impl Words {
    pub(crate) fn get(&self, word: Word) -> u64 {
        match word {
            Word::Config => self.config,
            Word::Config1 => self.config1,
            Word::Config2 => self.config2,
        }
    }

    fn get_mut(&mut self, word: Word) -> &mut u64 {
        match word {
            Word::Config => &mut self.config,
            Word::Config1 => &mut self.config1,
            Word::Config2 => &mut self.config2,
        }
    }

    /// Sets these bits of a word to 1.
    pub(crate) fn set(&mut self, word: Word, bits: u64) {
        *self.get_mut(word) |= bits;
    }

    /// Sets these bits of a word to 0.
    pub(crate) fn clear(&mut self, word: Word, bits: u64) {
        *self.get_mut(word) &= !bits;
    }

    /// Returns whether a bit is 1 that is also 1 in `other`.
    pub(crate) fn overlaps(&self, other: &Words) -> bool {
        self.any(other, |bits, other| bits & other)
    }

    /// Returns whether a bit is 1 that is 0 in `other`.
    pub(crate) fn exceeds(&self, other: &Words) -> bool {
        self.any(other, |bits, other| bits & !other)
    }

    /// Returns whether `f` of a pair of words is not 0.
    fn any(&self, other: &Words, f: impl Fn(u64, u64) -> u64) -> bool {
        let found = f(self.config, other.config)
            | f(self.config1, other.config1)
            | f(self.config2, other.config2)
            | f(self.config3, other.config3)
            | f(self.config4, other.config4);
        found != 0
    }
}

impl Word {
    /// Its name in `format/`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Word::Config => "config",
            Word::Config1 => "config1",
            Word::Config2 => "config2",
        }
    }
}

impl Bits {
    /// Number of bits.
    fn width(self) -> u8 {
        self.high.saturating_sub(self.low).saturating_add(1)
    }

    /// The bits in place.
    pub(crate) fn mask(self) -> u64 {
        mask(self.width())
            .checked_shl(u32::from(self.low))
            .unwrap_or(0)
    }
}

/// All bits of a counter that is `width` bits wide.
pub(crate) fn mask(width: u8) -> u64 {
    let above = 1_u64.checked_shl(u32::from(width)).unwrap_or(0);
    above.wrapping_sub(1)
}

/// The bit of an index in a set of indexes below 32; none for a larger index.
pub(crate) fn index_bit(index: u8) -> u32 {
    1_u32.checked_shl(index.into()).unwrap_or(0)
}

/// All bits of several ranges, in place.
pub(crate) fn mask_of(bits: &[Bits]) -> u64 {
    bits.iter().fold(0, |mask, bits| mask | bits.mask())
}

/// The value that ranges of a word hold, first range lowest.
pub(crate) fn gather(bits: &[Bits], word: u64) -> u64 {
    if word == 0 {
        return 0;
    }
    let mut value = 0;
    let mut at = 0_u32;
    for range in bits {
        let part = word.checked_shr(u32::from(range.low)).unwrap_or(0) & mask(range.width());
        value |= part.checked_shl(at).unwrap_or(0);
        at = at.saturating_add(range.width().into());
    }
    value
}

/// The word whose ranges hold `value`: the reverse of [`gather`].
#[cfg(KUNIT_SUITES)]
pub(crate) fn scatter(bits: &[Bits], value: u64) -> u64 {
    let mut word = 0;
    let mut at = 0_u32;
    for range in bits {
        let part = value.checked_shr(at).unwrap_or(0) & mask(range.width());
        word |= part.checked_shl(u32::from(range.low)).unwrap_or(0);
        at = at.saturating_add(range.width().into());
    }
    word
}

impl Field {
    /// Its bits in place.
    pub(crate) fn mask(&self) -> u64 {
        mask_of(self.bits)
    }

    /// Name of the umask, which is in this field, or in none.
    pub(crate) fn umask_name(field: Option<&'static Field>) -> &'static str {
        field.map_or("umask", |field| field.name)
    }

    /// Its value in a request.
    pub(crate) fn value(&self, words: &Words) -> u64 {
        self.of_word(words.get(self.word))
    }

    pub(crate) fn of_word(&self, word: u64) -> u64 {
        gather(self.bits, word)
    }
}

impl Unit {
    /// Text of `.unit`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Unit::Line | Unit::EightBytes => "MiB",
            Unit::Clock800 => "ns",
        }
    }

    /// Text of `.scale`: bytes by 2^20, or 1000 by MHz.
    pub(crate) fn scale(self) -> &'static str {
        match self {
            Unit::Line => "6.103515625e-5",
            Unit::EightBytes => "7.62939453125e-6",
            Unit::Clock800 => "1.25",
        }
    }
}

impl Platform {
    /// The interrupt of overflows, if there is one.
    pub(crate) fn interrupt(&self) -> Option<&Interrupt> {
        self.global.as_ref()?.interrupt.as_ref()
    }
}

impl GlobalMsrs {
    /// Returns whether the global control, with this value, lacks a bit of its level, of those that
    /// can be `read`.
    pub(crate) fn lacks_level(&self, now: u32, read: u32) -> bool {
        matches!(self.run, Run::Level(bits) if bits & read & !now != 0)
    }
}

impl Run {
    /// The bits of the global control that let the counters run, or, without `run`, leave them as
    /// they are. `now` reads the register.
    pub(crate) fn bits(self, run: bool, now: impl FnOnce() -> u32) -> u32 {
        match self {
            Run::Command(bits) | Run::Level(bits) if run => bits,
            Run::Command(_) => 0,
            Run::Level(bits) => now() & bits,
        }
    }
}

impl Fixed {
    /// All bits that the counter can have.
    #[inline(never)]
    pub(crate) fn bits(&self) -> u64 {
        mask(self.max_width)
    }

    /// The overflow enable bit, if the counter can interrupt.
    pub(crate) fn overflow_enable(&self) -> Option<u32> {
        self.control.as_ref()?.overflow_enable
    }
}

/// Prints the text of a file in `format/`: `config:0-7,21`.
impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word.name())?;
        let mut separator = ':';
        for bits in self.bits {
            write!(f, "{separator}{}", bits.low)?;
            if bits.high > bits.low {
                write!(f, "-{}", bits.high)?;
            }
            separator = ',';
        }
        Ok(())
    }
}

impl Place {
    /// The number of the register as an MSR of the box with this index, whose first MSR is `base`.
    pub(crate) fn msr(self, base: u32, index: u8) -> Option<u32> {
        match self {
            Place::Offset(offset) => base.checked_add(offset.into()),
            Place::Msrs(msrs) => msrs.get(usize::from(index)).copied(),
        }
    }

    /// The offset of the register in configuration space.
    pub(crate) fn offset(self) -> Option<u16> {
        match self {
            Place::Offset(offset) => Some(offset),
            Place::Msrs(_) => None,
        }
    }
}

impl FilterRegister {
    /// The copies that the register has of the filter unit with this index, each with its bits in
    /// the register for a value of the unit. A constant register has no bits.
    pub(crate) fn copies_of<'a>(
        &'a self,
        index: u8,
        unit: &'a FilterUnit,
    ) -> impl Iterator<Item = &'static Copied> + 'a {
        let copies = match unit.copies {
            1 => ONLY_COPY,
            _ => self.copies,
        };
        let is_named = self.units & index_bit(index) != 0;
        copies.iter().filter(move |copied| {
            is_named
                && copied.copy < unit.copies
                && (self.constant.is_some() || self.bits_of(unit, copied, unit.mask) != 0)
        })
    }

    /// The bits that may be written 1, of a box that lacks these bits or has not tried them.
    pub(crate) fn tried(&self, lacking: &Words) -> u64 {
        let lacking = lacking.get(self.word).checked_shr(self.shift.into());
        self.writable & !(lacking.unwrap_or(0) & self.on_request)
    }

    /// Bits of the register in its word.
    pub(crate) fn in_word(&self, bits: u64) -> u64 {
        bits.checked_shl(self.shift.into()).unwrap_or(0)
    }

    /// The bits of the register for a copy of a filter unit with this value.
    pub(crate) fn bits_of(&self, unit: &FilterUnit, copied: &Copied, value: u64) -> u64 {
        if unit.word != self.word {
            return 0;
        }
        let low = value.checked_shr(u32::from(self.shift)).unwrap_or(0);
        low.checked_shl(u32::from(copied.up)).unwrap_or(0) & self.writable
    }
}

/// The copies of a unit that has one, in each register with bits of it.
const ONLY_COPY: &[Copied] = &[Copied { copy: 0, up: 0 }];

/// Bits 31:0.
pub(crate) fn low_half(value: u64) -> u32 {
    // CAST: The mask leaves 32 bits.
    (value & 0xffff_ffff) as u32
}

/// Bits 63:32.
pub(crate) fn high_half(value: u64) -> u32 {
    low_half(value >> 32)
}

impl BoxType {
    /// Largest number of boxes of this type in a package.
    pub(crate) const fn max_boxes(&self) -> u8 {
        let count = match &self.access {
            Access::Msr { bases, .. } => bases.len(),
            Access::Pci(functions) => functions.len(),
            Access::Memory(_) => 1,
        };
        // CAST: Tables are checked for at most 32 boxes.
        count as u8
    }

    /// Returns whether any counter can interrupt.
    pub(crate) fn can_interrupt(&self) -> bool {
        let fixed = || {
            self.fixed
                .iter()
                .any(|fixed| fixed.overflow_enable().is_some())
        };
        self.control.overflow_enable.is_some() || fixed()
    }

    /// The type and its alternatives: the readings of what sources disagree about.
    pub(crate) fn readings(&'static self) -> impl Iterator<Item = &'static BoxType> {
        core::iter::successors(Some(self), |kind| kind.alternative)
    }

    /// The smallest width that the general counters can have, in bits.
    pub(crate) fn narrowest_width(&'static self) -> u8 {
        self.readings()
            .fold(self.width, |width, kind| width.min(kind.width))
    }

    /// The first field with this role.
    #[inline(never)]
    pub(crate) fn field(&self, role: Role) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.role == role)
    }

    /// The value of the fields with this role, 0 where the box has none.
    pub(crate) fn value_of(&self, role: Role, words: &Words) -> u64 {
        self.field(role).map_or(0, |field| field.value(words))
    }

    /// The fields of the filter unit with this index.
    pub(crate) fn unit_fields(&self, unit: u8) -> impl Iterator<Item = &'static Field> {
        self.fields
            .iter()
            .filter(move |field| field.role == Role::Filter(unit))
    }

    /// Number of a copy of a filter unit, among the copies of all units. Of a unit with one copy it is
    /// that one.
    pub(crate) fn copy_number(&self, unit: u8, copy: u8) -> u8 {
        let unit = usize::from(unit);
        let before = self.filter_units.get(..unit).unwrap_or_default();
        let first = before
            .iter()
            .fold(0_u8, |number, unit| number.saturating_add(unit.copies));
        match self.filter_units.get(unit) {
            Some(unit) if unit.copies > 1 => first.saturating_add(copy),
            _ => first,
        }
    }

    /// The bits of a word that are fields of these filter units, a bit mask of unit indexes.
    pub(crate) fn unit_bits(&self, units: u32, word: Word) -> u64 {
        let is_of = |unit: u8| units & index_bit(unit) != 0;
        self.fields
            .iter()
            .filter(|field| field.word == word)
            .filter(|field| matches!(field.role, Role::Filter(unit) if is_of(unit)))
            .fold(0, |bits, field| bits | field.mask())
    }

    /// Bits of a field that belong to it. A view owns nothing, but for bits that are 1 whenever a
    /// counter counts.
    pub(crate) fn owned_bits(&self, field: &Field) -> u64 {
        let owned = match (field.role, field.word) {
            (Role::View, Word::Config) => u64::from(self.control.enable),
            (Role::View, _) => 0,
            _ => u64::MAX,
        };
        field.mask() & owned
    }

    /// Name of the field for the umask, or in its place.
    pub(crate) fn umask_name(&self) -> &'static str {
        Field::umask_name(self.field(Role::Umask))
    }

    /// The bits of the event select in `config`.
    pub(crate) fn select_bits(&self) -> u64 {
        mask_of(self.control.select)
    }

    /// The event select of a request, bits in place.
    pub(crate) fn select(&self, words: &Words) -> u64 {
        words.config & self.select_bits()
    }

    /// The event with this select, bits in place, or that beside an occupancy. The tables list events
    /// by their selects.
    pub(crate) fn event(&self, select: u64) -> Option<&'static Event> {
        let events = self.events;
        let find = |select: u64| events.binary_search_by_key(&select, |event| event.select.into());
        let found = find(select).or_else(|_| find(select & !u64::from(self.occupancy_bit)));
        events.get(found.ok()?)
    }

    /// The occupancy that this select has beside its event, if it has one.
    pub(crate) fn occupancy_beside(&self, event: &Event, select: u64) -> Option<&'static Event> {
        if u64::from(event.select) == select {
            return None;
        }
        self.event(self.occupancy_bit.into())
    }

    /// The fixed counter with this event select, bits in place, and its index.
    pub(crate) fn fixed_by_select(&self, select: u64) -> Option<(u8, &'static Fixed)> {
        (0..u8::MAX)
            .zip(self.fixed)
            .find(|(_, fixed)| u64::from(fixed.select) == select)
    }

    /// Bit mask of the general counters.
    pub(crate) fn counter_mask(&self) -> u8 {
        let count = u8::try_from(self.counters.len()).unwrap_or(u8::MAX);
        let [mask, ..] = mask(count).to_le_bytes();
        mask
    }
}
