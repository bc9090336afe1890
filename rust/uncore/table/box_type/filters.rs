// SPDX-License-Identifier: GPL-2.0

//! Filter registers, and the units in which events share them.

use super::control::Word;

/// Place of a register of a box.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// The offset from the first MSR of the box, or in the configuration space of its function.
    Offset(u16),
    /// MSR numbers, one for each box by its index, where they are no offset for all boxes.
    Msrs(&'static [u32]),
}

/// The largest number of filter registers of a box.
pub(crate) const MAX_FILTERS: usize = 36;

/// The largest number of copies of filter units of a box.
pub(crate) const MAX_COPIES: usize = 40;

/// The largest number of filter units that an event can use.
pub(crate) const MAX_USED: usize = 6;

/// A filter register of a box.
pub(crate) struct FilterRegister {
    pub(crate) place: Place,
    /// The word of the user's attr that holds its value.
    pub(crate) word: Word,
    /// Lowest bit of the register's value in that word.
    pub(crate) shift: u8,
    /// Bits that may be written 1; up to 32 of them in a PCI function.
    pub(crate) writable: u64,
    /// Bits of `writable` that a part may lack: they then read 0 whatever was written. An event that
    /// needs one is refused there.
    pub(crate) uncertain: u64,
    /// Bits of `uncertain` that are not tried before an event needs one: a write of 1 could do what
    /// nobody asked for. A register without other bits is not accessed before.
    pub(crate) on_request: u64,
    /// Filter units that it can have fields of, as a bit mask of unit indexes. It has the fields
    /// whose bits in the word are writable here.
    pub(crate) units: u32,
    /// The copies that it has of units with several.
    pub(crate) copies: &'static [Copied],
    /// The value while an event uses one of the units, and 0 otherwise; `None` if it is the fields.
    pub(crate) constant: Option<u64>,
    /// Index of the filter register that must be 0 while this one is written, if there is one. A
    /// write at another time is an error of the hardware. That register comes before this one and
    /// makes the hardware use it.
    pub(crate) guard: Option<u8>,
}

/// A copy of a filter unit in a filter register.
pub(crate) struct Copied {
    /// Index of the copy.
    pub(crate) copy: u8,
    /// Number of bits by which its fields are higher in the register than the table says.
    pub(crate) up: u8,
}

/// A set of filter fields that is shared and compared as one.
///
/// A unit can have several copies, for example one for each port. They have equal fields, and an
/// event uses one of them (`Event::copy`). Two events share a copy, each with one value.
///
/// Units that no event uses together may have bits of a word in common.
#[derive(Clone, Copy)]
pub(crate) struct FilterUnit {
    /// Name for messages and documentation.
    pub(crate) name: &'static str,
    /// The word its fields are in.
    pub(crate) word: Word,
    /// The bits of its fields in that word that the hardware compares. Other bits of the fields may
    /// have any value.
    pub(crate) mask: u64,
    /// Number of copies.
    pub(crate) copies: u8,
    /// Meaning of zero in an event that needs the unit.
    pub(crate) when_zero: WhenZero,
    /// `true` if its fields name a physical address. Counts then show when other users access that
    /// address, so only users with `CAP_PERFMON` may use the unit.
    pub(crate) names_address: bool,
    /// The value with which such fields name none, if one does: the mask of an address that compares
    /// no bit, and the address beside such a mask. Another unit then decides.
    pub(crate) names_none: Option<u64>,
    /// Refuses values that nothing can match; gets the word's bits under `mask`.
    pub(crate) valid: fn(u64) -> Result<(), &'static str>,
}

/// Meaning of a filter unit that is zero in an event that needs it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WhenZero {
    /// The event gets this value (bits in place), which restricts nothing. Named events leave the
    /// unit out: perf would OR a value in their string to the user's value.
    Fill(u64),
    /// The event is refused. Named events ask for the field with this name (`filter_opc=?`).
    Refuse(&'static str),
    /// Zero is compared as any other value, but only if the enable field of the unit is set.
    Enabled,
    /// Zero is compared as any other value. Named events ask for the field with this name.
    Ask(&'static str),
    /// Zero is written as any other value, and restricts nothing. Named events leave the unit out.
    Keep,
    /// Like [`WhenZero::Keep`]; the unit is the mask of a value in this word. The hardware compares
    /// the bits of that value that are 1 in the mask.
    MaskOf(Word),
}
