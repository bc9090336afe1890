// SPDX-License-Identifier: GPL-2.0

//! What a platform fills in: box types, their registers, fields, filters and events, all as data.
//!
//! A porter reads this file first. A platform is one [`Platform`] const, a box type one
//! [`BoxType`] const, an event one row. Everything a user can see or do (sysfs names, legal
//! counters, required filters, which config bits exist) is derived from these tables by the
//! engine; nothing writes them.
//!
//! Bit positions are those of the hardware register. The user's `config` has the layout of the
//! box's event control register, `config1` and `config2` that of its filter registers, so that a
//! field is named once and serves `format/`, the parser and the register alike.

use kernel::str::CStr;

/// A processor generation with an uncore this driver knows.
pub(crate) struct Platform {
    /// Prefix of every PMU name.
    pub(crate) name: &'static str,
    /// `(family, model)` of the parts, as CPUID gives them.
    pub(crate) cpus: &'static [(u8, u8)],
    /// Name of our driver of the boxes' PCI functions, in `/sys/bus/pci/drivers`.
    pub(crate) pci_driver: &'static CStr,
    /// Name of the in-tree module's driver of the same functions: while it is there, the
    /// registers are its.
    pub(crate) in_tree_driver: &'static CStr,
    /// How packages and buses are told apart.
    pub(crate) discovery: Discovery,
    /// Package-wide registers, if there are any.
    pub(crate) global: Option<GlobalMsrs>,
    /// Every box type, in the manual's order.
    pub(crate) box_types: &'static [&'static BoxType],
}

/// The PCI function that tells which package a bus belongs to.
pub(crate) struct Discovery {
    /// PCI device ID (vendor 8086) of the function.
    pub(crate) device_id: u16,
    /// Config offset of the register with the package's node ID.
    pub(crate) node_id: u16,
    /// Mask of the node ID in that register.
    pub(crate) node_mask: u32,
    /// Config offset of the register that maps groups (packages) to node IDs, 3 bits each.
    pub(crate) group_map: u16,
}

/// MSRs that act on all boxes of a package.
pub(crate) struct GlobalMsrs {
    /// Global control: freeze, unfreeze, PMI target.
    pub(crate) control: u32,
    /// Bit of `control` that freezes every counter of the package (write only).
    pub(crate) freeze: u32,
    /// Bit of `control` that unfreezes them (write only).
    pub(crate) unfreeze: u32,
    /// Bit of `control` with which cores that sleep are woken to be interrupted.
    pub(crate) wake: u32,
    /// Bits of `control` that choose the cores to interrupt, lowest first.
    pub(crate) core_select: Bits,
    /// Overflow status, one bit per box, write 1 to clear.
    pub(crate) status: u32,
    /// Number of boxes of the type that varies by part.
    pub(crate) config: u32,
    /// Where in `config` that number is.
    pub(crate) box_count: Bits,
}

/// One kind of uncore box.
pub(crate) struct BoxType {
    /// The unit in PMU names, e.g. `cbox`.
    pub(crate) name: &'static str,
    /// Whether the PMU name carries the box index (`cbox_3`) or there is only one (`ubox`).
    pub(crate) numbered: bool,
    /// Most instances a package can have.
    pub(crate) max_boxes: u8,
    /// Where the registers are.
    pub(crate) access: Access,
    /// Offset of the box control register; without one only a global freeze stops the box.
    pub(crate) box_control: Option<BoxControl>,
    /// The box status register, where documented.
    pub(crate) status: Option<BoxStatus>,
    /// Bits of [`GlobalMsrs::status`] that an overflow in the box of each index can set; empty if
    /// it sets none.
    pub(crate) global_status: &'static [u32],
    /// General counters, in index order.
    pub(crate) counters: &'static [Counter],
    /// Bits of the general counters by which differences are taken. Where the width is uncertain,
    /// the smaller one: see the platform's note.
    pub(crate) width: u8,
    /// Which general counters form a set of their own, as bit masks; empty if they are one set.
    /// The user chooses with the field whose role is [`Role::CounterSet`].
    pub(crate) counter_sets: &'static [u8],
    /// Counters that count one thing only.
    pub(crate) fixed: &'static [Fixed],
    /// Layout of the event control registers.
    pub(crate) control: Control,
    /// What the user may set, in the order `format/` lists it.
    pub(crate) fields: &'static [Field],
    /// Filter registers, shared by all counters of a box. They are in the box's own function, or
    /// all in [`PciFunction::filters`].
    pub(crate) filters: &'static [FilterRegister],
    /// What in those registers is shared as one unit; events refer to these by index.
    pub(crate) filter_units: &'static [FilterUnit],
    /// Every event, in the manual's order.
    pub(crate) events: &'static [Event],
    /// Whether perf's built-in events for the in-tree driver's PMU of this unit have the right
    /// codes, so that they may be had on ours.
    pub(crate) builtin_events: bool,
    /// Highest clock the box can run at, in MHz: bounds how soon a counter can wrap.
    pub(crate) max_clock_mhz: u32,
    /// Most that any counter of the box can add in one clock.
    pub(crate) max_increment: u16,
}

/// How a box is reached.
pub(crate) enum Access {
    /// MSRs of the package: register offsets are relative to `base + index * stride`.
    Msr {
        /// First MSR of box 0; 0 where the offsets of a single box are MSR numbers.
        base: u32,
        /// Distance between the boxes.
        stride: u32,
        /// How many of the boxes a package has.
        count: MsrBoxes,
    },
    /// PCI functions: register offsets are config offsets.
    Pci {
        /// One per box.
        functions: &'static [PciFunction],
    },
}

/// How many boxes of an MSR type a package has.
pub(crate) enum MsrBoxes {
    /// The same on every part.
    Fixed(u8),
    /// As many as there are PCI functions with consecutive device IDs from `first_id`, on the
    /// package's uncore bus; where firmware hides them all, what [`GlobalMsrs::box_count`] says.
    ///
    /// Every candidate must also answer the write/read-back probe.
    PerFunction {
        /// PCI device ID of the function that stands for box 0.
        first_id: u16,
    },
}

/// A PCI function that is a box.
pub(crate) struct PciFunction {
    /// PCI device ID, vendor 8086.
    pub(crate) device_id: u16,
    /// Device and function number the spec gives.
    pub(crate) device: u8,
    /// See `device`.
    pub(crate) function: u8,
    /// Index of the box within its type.
    pub(crate) index: u8,
    /// The function that holds the box's filter registers, if its own does not. It is on the same
    /// bus. Without it, events that need a filter are refused.
    pub(crate) filters: Option<FilterFunction>,
}

/// A PCI function that holds filter registers of a box and no counters.
#[derive(Clone, Copy)]
pub(crate) struct FilterFunction {
    /// PCI device ID, vendor 8086.
    pub(crate) device_id: u16,
    /// Device and function number the spec gives.
    pub(crate) device: u8,
    /// See `device`.
    pub(crate) function: u8,
}

/// The box control register.
pub(crate) struct BoxControl {
    /// Register offset.
    pub(crate) offset: u16,
    /// Value that resets control registers and counters.
    pub(crate) reset: u32,
    /// Value that freezes the counters.
    pub(crate) freeze: u32,
    /// Value that lets them run.
    pub(crate) unfreeze: u32,
}

/// The box status register: which counters have overflowed. Bits are cleared by writing 1.
pub(crate) struct BoxStatus {
    /// Register offset.
    pub(crate) offset: u16,
    /// The bits that stand for counters.
    pub(crate) overflow: u32,
}

/// A general counter.
pub(crate) struct Counter {
    /// Offset of its event control register.
    pub(crate) control: u16,
    /// Offset of the counter (PCI: of the low half).
    pub(crate) counter: u16,
}

/// A counter that counts one thing only.
pub(crate) struct Fixed {
    /// Its control register; without one it always runs and can be neither stopped nor cleared.
    pub(crate) control: Option<FixedControl>,
    /// Offset of the counter (PCI: of the low half).
    pub(crate) counter: u16,
    /// Bits by which differences are taken. Where the width is uncertain, the smaller one: see
    /// the platform's note.
    pub(crate) width: u8,
    /// Bits that it has at most: how many is found out when the box comes.
    pub(crate) max_width: u8,
    /// Event select by which users ask for it (no other config bit may be set).
    pub(crate) select: u16,
    /// Name in `events/`.
    pub(crate) name: &'static str,
    /// Natural unit, if any.
    pub(crate) unit: Option<Unit>,
}

/// The control register of a [`Fixed`] counter.
pub(crate) struct FixedControl {
    /// Register offset.
    pub(crate) offset: u16,
    /// Bits that may be written 1.
    pub(crate) writable: u32,
    /// Enable bit.
    pub(crate) enable: u32,
    /// Overflow enable bit.
    pub(crate) overflow_enable: Option<u32>,
    /// Bit that clears the counter (write only); without one, write 0 to the counter.
    pub(crate) reset: Option<u32>,
}

/// Layout of the event control registers of a box type.
pub(crate) struct Control {
    /// Bits that may be written 1.
    pub(crate) writable: u32,
    /// Counter enable.
    pub(crate) enable: u32,
    /// Overflow enable, where documented.
    pub(crate) overflow_enable: Option<u32>,
    /// Counter reset (write only).
    pub(crate) reset: u32,
    /// Clears the occupancy counter of the queue that the selected event looks at (write only);
    /// set once, when an event that is an [`Event::occupancy`] starts.
    pub(crate) queue_reset: Option<u32>,
    /// Where the event select is; more than one range where an extension bit exists.
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

/// Which word of `struct perf_event_attr` a field is in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    /// `config`: the event control register.
    Config,
    /// `config1`: filter registers.
    Config1,
    /// `config2`: filter registers.
    Config2,
}

/// A field of `format/`.
pub(crate) struct Field {
    /// Name, as in-tree and perf know it.
    pub(crate) name: &'static str,
    /// The word it is in.
    pub(crate) word: Word,
    /// Its bits, lowest part first.
    pub(crate) bits: &'static [Bits],
    /// What it is for.
    pub(crate) role: Role,
}

/// What a field means to the engine.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Event select.
    Select,
    /// Unit mask, or what a box has in its place.
    Umask,
    /// Edge detect: needs a threshold. Not for an event that is an [`Event::occupancy`] where the
    /// box has [`Role::OccupancyEdge`].
    Edge,
    /// Edge detect of events that are an [`Event::occupancy`]: needs a threshold.
    OccupancyEdge,
    /// Counts the clocks below the threshold instead, for events that are an
    /// [`Event::occupancy`]: needs a threshold, which may be above what the event adds.
    OccupancyInvert,
    /// Threshold.
    Threshold,
    /// Switches the filter unit with this index on (C-Box `tid_en`).
    FilterEnable(u8),
    /// Part of the filter unit with this index.
    Filter(u8),
    /// Index into [`BoxType::counter_sets`]. No part of the control register.
    CounterSet,
    /// After how many counts the user wants to hear of it. No part of the control register.
    Interval,
    /// Another view of bits of other fields, for `format/` only: what it covers beyond them is
    /// refused.
    View,
}

/// A filter register of a box.
pub(crate) struct FilterRegister {
    /// Register offset.
    pub(crate) offset: u16,
    /// The word of the user's attr that holds its value.
    pub(crate) word: Word,
    /// Lowest bit of the register's value in that word.
    pub(crate) shift: u8,
    /// Bits that may be written 1.
    pub(crate) writable: u32,
}

/// A set of filter fields that is shared and compared as one.
pub(crate) struct FilterUnit {
    /// Name for messages and documentation.
    pub(crate) name: &'static str,
    /// The word its fields are in.
    pub(crate) word: Word,
    /// The bits of its fields in that word that the hardware compares; it does not look at the
    /// rest, which may have any value.
    pub(crate) mask: u64,
    /// What an event that needs it, and does not set it, gets.
    pub(crate) missing: Missing,
    /// Which values can match at all, as a check on the word's bits under `mask`.
    pub(crate) valid: fn(u64) -> Result<(), &'static str>,
}

/// What happens to an event that needs a filter and leaves it at zero.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// It takes this value (bits in place), which restricts nothing. Named events leave it to
    /// that: perf would OR a value in their string to what the user sets.
    Any(u64),
    /// It is refused; named events ask for the field with this name (`filter_opc=?`).
    Refuse(&'static str),
    /// Zero is a value like any other (it is on only with its enable field).
    Zero,
    /// Zero is a value like any other, but named events ask for the field with this name.
    Ask(&'static str),
    /// Zero is a value like any other, which named events have: by itself it restricts nothing.
    Open,
    /// The same; and it is the mask of a value in that word, of which the hardware compares the
    /// bits that are 1 here.
    Compares(Word),
}

/// An event select and its sub-events. Made with [`super::table::event`].
#[derive(Clone, Copy)]
pub(crate) struct Event {
    /// Lower-case name of the manual.
    pub(crate) name: &'static str,
    /// Event select, extension included, as the value of the `event` field's bits in `config`.
    pub(crate) select: u32,
    /// Bit mask of the general counters that can count it.
    pub(crate) counters: u8,
    /// Most it can add in a clock.
    pub(crate) max_increment: u16,
    /// Filter units it needs whatever the umask, as a bit mask of unit indexes.
    pub(crate) filters: u8,
    /// What may be in the umask.
    pub(crate) umasks: Umasks,
    /// What else must be there for it to count.
    pub(crate) needs: Needs,
    /// Whether it counts how full a queue is, or how many cores are in a state. Said where the box
    /// treats such events apart: [`Control::queue_reset`], [`Role::OccupancyEdge`],
    /// [`Role::OccupancyInvert`].
    pub(crate) occupancy: bool,
    /// Sub-events; empty for an event without. One with the umask 0 and no name stands for the
    /// event without a sub-event, where that exists besides.
    pub(crate) subevents: &'static [SubEvent],
    /// Values of its filters with names of their own.
    pub(crate) presets: &'static [Preset],
    /// Natural unit of the event itself, for events without sub-events.
    pub(crate) unit: Option<Unit>,
    /// A second name in `events/` for the same config and unit, for events without sub-events.
    pub(crate) also: Option<&'static str>,
    /// Table or section of the manual, or [`LISTS`].
    pub(crate) source: &'static str,
}

/// [`Event::source`] of an event the manual leaves out and only public event lists give.
pub(crate) const LISTS: &str = "lists";

/// Which umasks an event takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Umasks {
    /// No sub-events: zero.
    Zero,
    /// One sub-event or several of them ORed; one that is exclusive only alone. It needs the
    /// filters of every sub-event whose bits it contains, and is unusable if one of those is.
    Combined,
    /// One of the sub-events, nothing else; it needs that one's filters.
    Listed,
    /// One of the sub-events, each with or without these bits, which add the filters of the
    /// sub-events that contain them.
    ListedWith(u8),
}

/// What an event depends on beside its filters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Needs {
    /// Nothing.
    Nothing,
    /// An event that is [`Needs::Source`] on counter 0 of the same box.
    SourceOnCounter0,
    /// Nothing; it is what [`Needs::SourceOnCounter0`] looks for.
    Source,
}

/// Values of an event's filters with a name. Made with [`super::table::preset`].
#[derive(Clone, Copy)]
pub(crate) struct Preset {
    /// The whole name in `events/`.
    pub(crate) name: &'static str,
    /// `config1`.
    pub(crate) config1: u64,
    /// `config2`.
    pub(crate) config2: u64,
    /// Table or section of the manual, or [`LISTS`].
    pub(crate) source: &'static str,
}

/// A value of the umask with a name. Made with [`super::table::sub`].
///
/// Two may have the same umask, one with the manual's name and one with that of the lists.
#[derive(Clone, Copy)]
pub(crate) struct SubEvent {
    /// Lower-case name of the manual.
    pub(crate) name: &'static str,
    /// Whether `name` is the whole name in `events/`, not one behind the event's: public event
    /// lists give some umasks of an event under another event's name.
    pub(crate) whole: bool,
    /// Umask.
    pub(crate) umask: u8,
    /// Filter units this umask needs, as a bit mask of unit indexes.
    pub(crate) filters: u8,
    /// Whether it must not be combined with other sub-events.
    pub(crate) exclusive: bool,
    /// Natural unit, if any.
    pub(crate) unit: Option<Unit>,
    /// A second name in `events/` for the same config and unit, e.g. the in-tree driver's. It is
    /// the whole name, not one behind the event's.
    pub(crate) also: Option<&'static str>,
    /// Whether only public event lists give it, though the manual has the event.
    pub(crate) lists: bool,
    /// Why it could only count nothing, as the end of "... is refused: ". It gets no name in
    /// `events/`, and an event that asks for its umask is refused in these words.
    pub(crate) unusable: Option<&'static str>,
}

/// A natural unit for perf's `.unit` and `.scale` files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unit {
    /// As `.unit` prints it.
    pub(crate) name: &'static str,
    /// As `.scale` prints it.
    pub(crate) scale: &'static str,
}
