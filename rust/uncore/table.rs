// SPDX-License-Identifier: GPL-2.0

//! Const functions with which a platform writes a row of its tables as one aligned line.
//!
//! They fill the structs of [`super::box_type`] with what most rows have; a method changes one
//! thing and is named after it:
//!
//! ```text
//! event("llc_victims",  0x37,  C01,  1).combined("Table 2-20", const { &[
//!     sub("m_state",    0x01),
//!     sub("nid",        0x40).filter(NID),
//! ] }),
//! ```
//!
//! Everything here is evaluated when the module is compiled. What these functions cannot refuse,
//! [`check`] does, once a box type is complete.

use super::box_type::Bits;
use super::box_type::Counter;
use super::box_type::Event;
use super::box_type::Field;
use super::box_type::FilterFunction;
use super::box_type::Needs;
use super::box_type::PciFunction;
use super::box_type::Preset;
use super::box_type::Role;
use super::box_type::SubEvent;
use super::box_type::Umasks;
use super::box_type::Unit;
use super::box_type::Word;

pub(crate) mod check;

/// One range of bits, `LOW` to `HIGH`, both included.
pub(crate) const fn bits<const LOW: u8, const HIGH: u8>() -> &'static [Bits] {
    const {
        &[Bits {
            low: LOW,
            high: HIGH,
        }]
    }
}

/// A general counter: offset of its control register, offset of the counter.
pub(crate) const fn counter(control: u16, counter: u16) -> Counter {
    Counter { control, counter }
}

/// A field of `format/`.
pub(crate) const fn field(
    name: &'static str,
    word: Word,
    bits: &'static [Bits],
    role: Role,
) -> Field {
    Field {
        name,
        word,
        bits,
        role,
    }
}

/// The field by which users ask to hear of every so many counts. It has the upper half of
/// `config`, which perf of any age can set.
pub(crate) const INTERVAL: Field =
    field("interval", Word::Config, bits::<32, 63>(), Role::Interval);

/// The PCI function that is box `index` of its type, at `device`.`function`.
pub(crate) const fn pci(index: u8, device: u8, function: u8, device_id: u16) -> PciFunction {
    PciFunction {
        device_id,
        device,
        function,
        index,
        filters: None,
    }
}

impl PciFunction {
    /// The box's filter registers are in the function `device`.`function` of the same bus.
    pub(crate) const fn filters(self, device: u8, function: u8, device_id: u16) -> Self {
        Self {
            filters: Some(FilterFunction {
                device_id,
                device,
                function,
            }),
            ..self
        }
    }
}

/// [`FilterUnit::valid`](super::box_type::FilterUnit::valid) where every value can match.
pub(crate) fn any_value(_: u64) -> Result<(), &'static str> {
    Ok(())
}

/// An event without sub-events, filters, needs and unit; `source` is still to be said.
///
/// `counters` is a bit mask of the general counters, `max_increment` the most it can add in a
/// clock.
pub(crate) const fn event(
    name: &'static str,
    select: u32,
    counters: u8,
    max_increment: u16,
) -> Event {
    Event {
        name,
        select,
        counters,
        max_increment,
        filters: 0,
        umasks: Umasks::Zero,
        needs: Needs::Nothing,
        occupancy: false,
        subevents: &[],
        presets: &[],
        unit: None,
        also: None,
        source: "",
    }
}

impl Event {
    /// Where the event is found: a section of the manual or
    /// [`LISTS`](super::box_type::LISTS).
    pub(crate) const fn source(self, source: &'static str) -> Self {
        Self { source, ..self }
    }

    /// The table with its sub-events, one or several of which make a umask.
    pub(crate) const fn combined(self, table: &'static str, rows: &'static [SubEvent]) -> Self {
        self.table(Umasks::Combined, table, rows)
    }

    /// The table with its sub-events, each a umask by itself.
    pub(crate) const fn listed(self, table: &'static str, rows: &'static [SubEvent]) -> Self {
        self.table(Umasks::Listed, table, rows)
    }

    /// The table with its sub-events, each a umask with or without the bits `added`.
    pub(crate) const fn listed_with(
        self,
        added: u8,
        table: &'static str,
        rows: &'static [SubEvent],
    ) -> Self {
        self.table(Umasks::ListedWith(added), table, rows)
    }

    const fn table(
        self,
        umasks: Umasks,
        source: &'static str,
        subevents: &'static [SubEvent],
    ) -> Self {
        Self {
            umasks,
            subevents,
            source,
            ..self
        }
    }

    /// Every umask of it needs the filter unit with this index.
    pub(crate) const fn filter(self, unit: u8) -> Self {
        Self {
            filters: self.filters | 1 << unit,
            ..self
        }
    }

    /// It counts how full a queue is, or how many cores are in a state.
    pub(crate) const fn occupancy(self) -> Self {
        Self {
            occupancy: true,
            ..self
        }
    }

    /// It has a natural unit.
    pub(crate) const fn unit(self, unit: Unit) -> Self {
        Self {
            unit: Some(unit),
            ..self
        }
    }

    /// It has a second name in `events/`.
    pub(crate) const fn also(self, name: &'static str) -> Self {
        Self {
            also: Some(name),
            ..self
        }
    }

    /// Values of its filters have names of their own.
    pub(crate) const fn presets(self, presets: &'static [Preset]) -> Self {
        Self { presets, ..self }
    }

    /// What else must be there for it to count.
    pub(crate) const fn needs(self, needs: Needs) -> Self {
        Self { needs, ..self }
    }
}

/// Values of an event's filters, as `config1` and `config2`, with a whole name; `source` is still
/// to be said.
pub(crate) const fn preset(name: &'static str, config1: u64, config2: u64) -> Preset {
    Preset {
        name,
        config1,
        config2,
        source: "",
    }
}

impl Preset {
    /// Where it is found: a table of the manual or [`LISTS`](super::box_type::LISTS).
    pub(crate) const fn source(self, source: &'static str) -> Self {
        Self { source, ..self }
    }
}

/// The event without a sub-event, where it has others.
pub(crate) const fn bare() -> SubEvent {
    sub("", 0)
}

/// A sub-event without filters and unit that may be combined.
pub(crate) const fn sub(name: &'static str, umask: u8) -> SubEvent {
    SubEvent {
        name,
        whole: false,
        umask,
        filters: 0,
        exclusive: false,
        unit: None,
        also: None,
        lists: false,
        unusable: None,
    }
}

impl SubEvent {
    /// It needs the filter unit with this index.
    pub(crate) const fn filter(self, unit: u8) -> Self {
        Self {
            filters: self.filters | 1 << unit,
            ..self
        }
    }

    /// Its name is the whole name in `events/`.
    pub(crate) const fn whole(self) -> Self {
        Self {
            whole: true,
            ..self
        }
    }

    /// It must not be combined.
    pub(crate) const fn exclusive(self) -> Self {
        Self {
            exclusive: true,
            ..self
        }
    }

    /// It has a natural unit.
    pub(crate) const fn unit(self, unit: Unit) -> Self {
        Self {
            unit: Some(unit),
            ..self
        }
    }

    /// It has a second name in `events/`.
    pub(crate) const fn also(self, name: &'static str) -> Self {
        Self {
            also: Some(name),
            ..self
        }
    }

    /// Only public event lists give it.
    pub(crate) const fn lists(self) -> Self {
        Self {
            lists: true,
            ..self
        }
    }

    /// It could only count nothing, for this reason.
    pub(crate) const fn unusable(self, reason: &'static str) -> Self {
        Self {
            unusable: Some(reason),
            ..self
        }
    }
}
