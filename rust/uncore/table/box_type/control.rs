// SPDX-License-Identifier: GPL-2.0

//! Layout of the event control registers, and the fields of `format/`.

/// Layout of the event control registers of a box type.
pub(crate) struct Control {
    /// Bits that may be written 1.
    pub(crate) writable: u32,
    /// Counter enable, with other bits that must be 1 while the counter counts.
    pub(crate) enable: u32,
    /// Overflow enable, where documented.
    pub(crate) overflow_enable: Option<u32>,
    /// Bits of `writable` that a part may lack: they then read 0 whatever was written. An event that
    /// needs one is refused there.
    pub(crate) uncertain: u32,
    /// Bits that act when they are written 1, besides `queue_reset`. The driver never sets them.
    pub(crate) acts: u32,
    /// Bit that clears the occupancy counter of the selected event's queue (write only). It is set
    /// once, when an event that is an `Class::Occupancy` starts.
    pub(crate) queue_reset: Option<u32>,
    /// `true` if a control register takes a value only from two writes: the first with the counter
    /// disabled, the second with the value.
    pub(crate) twice: bool,
    /// Bits of the event select in `config`, those of [`Role::EventSet`] included; several ranges if
    /// they are not next to each other.
    pub(crate) select: &'static [Bits],
}

/// A range of bits, both ends included, as in `config:0-7`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bits {
    /// Lowest bit.
    pub(crate) low: u8,
    /// Highest bit.
    pub(crate) high: u8,
}

/// A word of `struct perf_event_attr` with fields.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    /// `config`: the event control register, and filter registers above bit 31.
    Config,
    /// `config1`: filter registers.
    Config1,
    /// `config2`: filter registers.
    Config2,
}

/// A field of `format/`.
#[derive(Clone, Copy)]
pub(crate) struct Field {
    /// Name, as in-tree and perf know it.
    pub(crate) name: &'static str,
    pub(crate) word: Word,
    /// Its bits, lowest part first.
    pub(crate) bits: &'static [Bits],
    /// Its meaning.
    pub(crate) role: Role,
}

/// Meaning of a field to the engine.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Event select, or a part of it. The first field with this role is the main part.
    Select,
    /// Part of the event select that chooses among sets of events, as each counter has a set of its
    /// own. Not part of the control register.
    EventSet,
    /// Unit mask, or the field that a box has in its place.
    Umask,
    /// Edge detect; needs a threshold, if the box has one. In a box with [`Role::OccupancyEdge`] it
    /// is refused for events that are an `Class::Occupancy`.
    Edge,
    /// Edge detect for events that are an `Class::Occupancy` only; needs a threshold.
    OccupancyEdge,
    /// Inversion: the counter counts clocks below the threshold. Needs a threshold, which may be
    /// higher than the event's maximum. In a box with [`Role::OccupancyInvert`] it is refused for
    /// events that are an `Class::Occupancy`.
    Invert,
    /// Inversion for events that are an `Class::Occupancy` only.
    OccupancyInvert,
    Threshold,
    /// Enable field of the filter unit with this index.
    FilterEnable(u8),
    /// Part of the filter unit with this index.
    Filter(u8),
    /// Index into `BoxType::counter_sets`. Not part of the control register.
    CounterSet,
    /// Number of counts between two trace events. Not part of the control register.
    Interval,
    /// Another view of bits of other fields, or another name of a field, for `format/` only. Bits
    /// of the view that are in no other field are refused, but for those of [`Control::enable`],
    /// which may be 1 as they are 1 anyway.
    View,
}
