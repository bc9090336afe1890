// SPDX-License-Identifier: GPL-2.0

//! Tables that a platform fills in: box types with their registers, fields, filters and events.
//!
//! To port the driver to a platform, read this file first. A platform is one [`Platform`] static, a
//! box type one [`BoxType`] const, an event one row. The engine derives from these tables all that
//! a user can see or set: names in sysfs, legal counters, required filters, config bits. It never
//! writes them.
//!
//! Bit positions are those of the hardware register. The user's `config` has the layout of the
//! box's event control register, `config1` and `config2` that of its filter registers, so that a
//! field is named once and serves `format/`, the parser and the register alike.
//!
//! What is odd about one box is a function in its file ([`BoxType::refuse`]), not a field of all.

use crate::linux::perf::ConfigWords;

/// A processor generation whose uncore the driver supports.
pub(crate) struct Platform {
    /// Prefix of every PMU name.
    pub(crate) name: &'static str,
    /// `(family, model)` of the parts, as CPUID gives them.
    pub(crate) cpus: &'static [(u8, u8)],
    /// The PCI function that maps buses to packages; `None` if no box has PCI functions.
    pub(crate) discovery: Option<Discovery>,
    /// Registers that act on a whole package, if there are any.
    pub(crate) global: Option<GlobalMsrs>,
    /// Every box type, in the manual's order.
    pub(crate) box_types: &'static [&'static BoxType],
    /// Registers, and bits of registers, that only the survey looks at.
    pub(crate) surveyed: &'static [Surveyed],
}

/// A register, or bits of one, that only the survey looks at: whether they exist is uncertain, or
/// the driver never writes them.
pub(crate) struct Surveyed {
    /// The unit of the boxes that have it, as in [`BoxType::name`], or [`GLOBAL`].
    pub(crate) unit: &'static str,
    /// Name of the register to the survey.
    pub(crate) register: &'static str,
    /// Place of a register that the driver does not use otherwise: the offset from the first MSR of
    /// the box, or in the configuration space of its function; the MSR for [`GLOBAL`].
    pub(crate) place: Option<u16>,
    /// Bits that may be written. Those of a register with a place are cleared by writing 1.
    pub(crate) bits: u64,
}

/// The unit of registers that act on a whole package, to the survey.
pub(crate) const GLOBAL: &str = "global";

/// The PCI function that maps a bus to its package.
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
    /// Global control.
    pub(crate) control: u32,
    /// Bits of `control` that let the counters of the package run.
    pub(crate) run: Run,
    /// The interrupt of overflows, if there is one.
    pub(crate) interrupt: Option<Interrupt>,
}

/// Bits of the global control that let the counters of a package run.
#[derive(Clone, Copy)]
pub(crate) enum Run {
    /// A command: a write of 1 unfreezes the counters, a write of 0 does nothing.
    Command(u32),
    /// A level: the counters run while the bits are 1. An overflow that freezes them clears one of
    /// them, and so can sleep of the package. The driver sets them when the first event starts.
    Level(u32),
}

/// The interrupt of overflows in a package.
pub(crate) struct Interrupt {
    /// Bit of the global control that wakes sleeping cores for an interrupt.
    pub(crate) wake: u32,
    /// Bits of the global control that select the cores to interrupt, lowest first.
    pub(crate) core_select: Bits,
    /// MSR with the overflow status, one bit per box, write 1 to clear.
    pub(crate) status: u32,
}

/// One kind of uncore box.
pub(crate) struct BoxType {
    /// The unit in PMU names, e.g. `cbox`.
    pub(crate) name: &'static str,
    /// `true` if PMU names end with the box index (`cbox_3`), `false` for a single box (`ubox`).
    pub(crate) numbered: bool,
    /// Location of the registers.
    pub(crate) access: Access,
    /// Offset of the box control register; without one only a global freeze stops the box.
    pub(crate) box_control: Option<BoxControl>,
    /// The box status register, where documented. Only interrupts need it: a poll finds wraps by the
    /// counters alone.
    pub(crate) status: Option<BoxStatus>,
    /// Bits of [`Interrupt::status`] that an overflow can set, one element for each box by its
    /// index; empty if overflows set none.
    pub(crate) global_status: &'static [u64],
    /// General counters, in index order; empty if the box has only fixed ones that always run.
    pub(crate) counters: &'static [Counter],
    /// Width of the general counters in bits, for differences of counts. If the width is uncertain,
    /// the smaller one: see the platform's note.
    pub(crate) width: u8,
    /// Sets of general counters, as bit masks; empty if all counters are one set. The user chooses
    /// a set with the field whose role is [`Role::CounterSet`].
    pub(crate) counter_sets: &'static [u8],
    /// Counters that count one thing only.
    pub(crate) fixed: &'static [Fixed],
    /// The box type that has the fixed counter which the in-tree driver gives to a box of this one, if
    /// it is another.
    pub(crate) fixed_elsewhere: Option<&'static BoxType>,
    /// Layout of the event control registers.
    pub(crate) control: Control,
    /// Fields that the user may set, in the order of `format/`.
    pub(crate) fields: &'static [Field],
    /// Filter registers, shared by all counters of a box. They are MSRs, or in the box's own
    /// function, or all in [`PciFunction::filters`].
    pub(crate) filters: &'static [FilterRegister],
    /// Units in which events share these registers; events refer to them by index.
    pub(crate) filter_units: &'static [FilterUnit],
    /// `true` if the hardware may compare one set of filter units at a time, and nothing tells
    /// whether it does. Events that use other units then count only one after the other, unless the
    /// user has chosen otherwise.
    pub(crate) one_criterion: bool,
    /// Every event of the general counters, in the manual's order.
    pub(crate) events: &'static [Event],
    /// Refuses what is odd about this box alone: returns the reason why an event with the words of
    /// a request would not count what its name says, as the end of "... is refused: ". A sub-event
    /// that is refused by itself gets no name in `events/`.
    pub(crate) refuse: fn(&Event, &ConfigWords) -> Result<(), &'static str>,
    /// `true` unless some of perf's built-in events for the in-tree driver's PMU of this unit have
    /// wrong codes, so that the PMU may have the alias that attaches them. Perf may have none.
    pub(crate) builtin_events: bool,
    /// Highest clock of the box, in MHz; it limits how soon a counter can wrap.
    pub(crate) max_clock_mhz: u32,
    /// Most that any counter of the box can add in one clock.
    pub(crate) max_increment: u16,
    /// `true` if registers answer for boxes that the part does not use. A box is present only if its
    /// first fixed counter, its clock, moves while the package counts.
    pub(crate) needs_clock: bool,
    /// A defect of the counters, the fixed ones included, if they have one.
    pub(crate) misread: Option<Misread>,
    /// The global control, if a sleep of the package that clears its level may clear the control
    /// registers and the counters of the box, too.
    pub(crate) lost_with: Option<&'static GlobalMsrs>,
    /// The next reading, where sources disagree about the places of the counters or about their
    /// width. It differs in [`counters`](Self::counters) and [`width`](Self::width) only. A box is of
    /// the first reading of which all counters answer, so that wider ones come first.
    pub(crate) alternative: Option<&'static BoxType>,
}

/// Location of the registers of a box type.
pub(crate) enum Access {
    /// MSRs of the package: register offsets are relative to the first MSR of the box.
    Msr {
        /// First MSR of each box that a package can have, by the box's index; 0 where the offsets
        /// of a single box are MSR numbers.
        bases: &'static [u32],
        /// Sources that tell which boxes a package has. The first that is there decides. Each of
        /// these boxes must also answer the write/read-back probe.
        present: &'static [Presence],
    },
    /// PCI functions, one per box: register offsets are config offsets.
    Pci(&'static [PciFunction]),
    /// Memory of a PCI function, for the one box of the first package. Its counters run always and
    /// are only read: register offsets are relative to the start of the memory.
    Memory(Memory),
}

/// Memory of a PCI function that another driver may have. The function is on bus 0.
#[derive(Clone, Copy)]
pub(crate) struct Memory {
    /// PCI device ID, vendor 8086.
    pub(crate) device_id: u16,
    /// Device number.
    pub(crate) device: u8,
    /// Function number.
    pub(crate) function: u8,
    /// Config offset of the register with the address: two dwords, with an enable bit.
    pub(crate) base: u16,
    /// Number of bytes that hold the counters, from the start on.
    pub(crate) size: u16,
}

/// A source that tells which boxes of an MSR type a package has.
pub(crate) enum Presence {
    /// The table: every part has all of them.
    All,
    /// PCI functions with consecutive device IDs on the package's buses: box n is there if the
    /// function `first_id` + n is. Firmware can hide them all; then they tell nothing.
    Functions {
        /// PCI device ID of the function that stands for box 0.
        first_id: u16,
    },
    /// A register in the configuration space of one of the package's PCI functions.
    Fuses {
        /// PCI device ID of the function.
        device_id: u16,
        /// Config offset of the register.
        offset: u16,
        /// Bits of the register with the fuses.
        bits: Bits,
        /// Bit masks of boxes, one for each value of `bits`. Without them, `bits` is a bit mask of
        /// boxes itself.
        choices: Option<&'static [u32]>,
    },
    /// An MSR with their number.
    Register {
        /// Number of the MSR.
        msr: u32,
        /// Bits of the number.
        bits: Bits,
    },
    /// The cores: each has one.
    Cores,
    /// The cores, but no more than the number in an MSR, unless that is 0.
    CoresUpTo {
        /// Number of the MSR.
        msr: u32,
        /// Bits of the number.
        bits: Bits,
    },
}

/// A PCI function that is a box.
pub(crate) struct PciFunction {
    /// PCI device ID, vendor 8086.
    pub(crate) device_id: u16,
    /// Device number in the manual.
    pub(crate) device: u8,
    /// Function number in the manual.
    pub(crate) function: u8,
    /// Index of the box within its type.
    pub(crate) index: u8,
    /// The function that holds the box's filter registers, if not its own function. It is on the
    /// same bus. Without it, events that need a filter are refused.
    pub(crate) filters: Option<FilterFunction>,
}

/// A PCI function that holds filter registers of a box and no counters.
#[derive(Clone, Copy)]
pub(crate) struct FilterFunction {
    /// PCI device ID, vendor 8086.
    pub(crate) device_id: u16,
    /// Device number in the manual.
    pub(crate) device: u8,
    /// Function number in the manual.
    pub(crate) function: u8,
}

/// The box control register. It freezes counters by a bit for all, or by bits that enable them.
pub(crate) struct BoxControl {
    /// Register offset.
    pub(crate) offset: u16,
    /// Values that reset control registers and counters, written one after the other; empty if none
    /// does.
    pub(crate) reset: &'static [u32],
    /// Value that freezes the counters.
    pub(crate) freeze: u32,
    /// Value that lets the counters run, the fixed ones included.
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

/// A defect of counters: some values read too high.
#[derive(Clone, Copy)]
pub(crate) struct Misread {
    /// Number of low bits that decide whether a value reads too high.
    pub(crate) bits: u8,
    /// Number of values of these bits, from 0 on, that read 2 to the power of `bits` too high. As
    /// many values before 0 must not be written.
    pub(crate) values: u64,
}

/// A counter that counts one thing only.
pub(crate) struct Fixed {
    /// Its control register. A counter without one always runs and can be neither stopped nor
    /// cleared. In a PCI function it is not there if it reads 0 whatever is written.
    pub(crate) control: Option<FixedControl>,
    /// Offset of the counter (PCI: of the low half, or of the only dword of up to 32 bits).
    pub(crate) counter: u16,
    /// Width in bits, for differences of counts. If the width is uncertain, the smaller one: see
    /// the platform's note.
    pub(crate) width: u8,
    /// Highest possible width in bits; the actual one is measured when a box is added.
    pub(crate) max_width: u8,
    /// Event select of the counter (no other config bit may be set).
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
    /// Bits that act when they are written 1. The driver never sets them.
    pub(crate) acts: u32,
}

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
    /// once, when an event that is an [`Class::Occupancy`] starts.
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
    /// is refused for events that are an [`Class::Occupancy`].
    Edge,
    /// Edge detect for events that are an [`Class::Occupancy`] only; needs a threshold.
    OccupancyEdge,
    /// Inversion: the counter counts clocks below the threshold. Needs a threshold, which may be
    /// higher than the event's maximum. In a box with [`Role::OccupancyInvert`] it is refused for
    /// events that are an [`Class::Occupancy`].
    Invert,
    /// Inversion for events that are an [`Class::Occupancy`] only.
    OccupancyInvert,
    Threshold,
    /// Enable field of the filter unit with this index.
    FilterEnable(u8),
    /// Part of the filter unit with this index.
    Filter(u8),
    /// Index into [`BoxType::counter_sets`]. Not part of the control register.
    CounterSet,
    /// Number of counts between two trace events. Not part of the control register.
    Interval,
    /// Another view of bits of other fields, or another name of a field, for `format/` only. Bits
    /// of the view that are in no other field are refused, but for those of [`Control::enable`],
    /// which may be 1 as they are 1 anyway.
    View,
}

/// Place of a register of a box.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// The offset from the first MSR of the box, or in the configuration space of its function.
    Offset(u16),
    /// MSR numbers, one for each box by its index, where they are no offset for all boxes.
    Msrs(&'static [u32]),
}

/// The most filter registers that a box can have.
pub(crate) const MAX_FILTERS: usize = 36;

/// The most copies of filter units that a box can have.
pub(crate) const MAX_COPIES: usize = 40;

/// The most filter units that an event can use.
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
/// A unit can have several copies, for example one for each port. They have the same fields, and an
/// event uses one of them ([`Event::copy`]). Two events share a copy, each with the same value.
///
/// Units that no event uses together may have the same bits of a word.
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

/// An event select and its sub-events. Made with [`super::event`].
///
/// `SOURCE` is `true` if its row names a source: a table or section of the manual, or [`LISTS`].
#[derive(Clone, Copy)]
pub(crate) struct Event<const SOURCE: bool = true> {
    /// Lower-case name of the manual.
    pub(crate) name: &'static str,
    /// Event select, extension included, the bits of [`Control::select`] in place.
    pub(crate) select: u32,
    /// Bit mask of the general counters that can count it.
    pub(crate) counters: u8,
    /// Most it can add in a clock.
    pub(crate) max_increment: u16,
    /// Filter units it needs whatever the umask, as a bit mask of unit indexes.
    pub(crate) filters: u16,
    /// The copy that it uses of each of its units that has several.
    pub(crate) copy: u8,
    /// Umasks that it takes.
    pub(crate) umasks: Umasks,
    /// The other event that it depends on, if any.
    pub(crate) needs: Needs,
    /// Its class.
    pub(crate) class: Class,
    /// Sub-events; empty for an event without them. A row with the umask 0 and no name stands for
    /// the event without a sub-event, if that is an event, too.
    pub(crate) subevents: &'static [SubEvent],
    /// Other names, most with values of its threshold and filters. Few events have any, so this is
    /// one pointer.
    pub(crate) presets: &'static &'static [Preset],
    /// Natural unit of the event itself, for events without sub-events.
    pub(crate) unit: Option<Unit>,
}

const _: () = assert!(size_of::<Event>() == 56);

/// Source of an event that the manual leaves out and only public event lists give.
pub(crate) const LISTS: &str = "lists";

/// Umasks that an event takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Umasks {
    /// No sub-events: zero.
    Zero,
    /// One sub-event, or several of them ORed that do not exclude each other. The umask needs the
    /// filters of every sub-event whose bits it contains. If the event needs a bit of each of two
    /// parts of the umask, its sub-events are the pairs.
    Combined,
    /// One of the sub-events, of which 0 can be one; the umask needs the filters of that one.
    Listed,
    /// One of the sub-events, with or without these bits. The bits add the filters of the
    /// sub-events that contain them.
    ListedWith(u8),
}

/// Class of an event that some fields and registers treat apart.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// None of the others.
    Plain,
    /// It adds up the entries of a queue, or the cores in a state. Set only in boxes that treat such
    /// events apart: [`Control::queue_reset`], [`Role::OccupancyEdge`], [`Role::OccupancyInvert`].
    Occupancy,
}

/// Dependence of an event on another event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Needs {
    /// No dependence.
    Nothing,
    /// The event shows what an event that is [`Needs::Source`] selects on counter 0 of the box.
    SourceOnCounter0,
    /// No dependence; the event can be the one that [`Needs::SourceOnCounter0`] needs.
    Source,
}

/// Values of an event's threshold and filters with a name. Made with [`super::preset`]. Without
/// values it is a second name of an event without sub-events.
///
/// `SOURCE` is `true` if its row names a source, as in [`Event`].
#[derive(Clone, Copy)]
pub(crate) struct Preset<const SOURCE: bool = true> {
    /// The whole name in `events/`.
    pub(crate) name: &'static str,
    /// Umask, threshold and enable fields of filters, in place.
    pub(crate) config: u64,
    pub(crate) config1: u64,
    pub(crate) config2: u64,
}

/// A value of the umask with a name. Made with [`super::sub`].
///
/// Two sub-events may have one umask, one with the manual's name and one with that of the lists or
/// of the in-tree driver.
#[derive(Clone, Copy)]
pub(crate) struct SubEvent {
    /// Lower-case name of the manual.
    pub(crate) name: &'static str,
    /// Whose name that is.
    pub(crate) naming: Naming,
    pub(crate) umask: u8,
    /// Filter units this umask needs, as a bit mask of unit indexes.
    pub(crate) filters: u16,
    /// Bits that must be 0 in a umask with it; all that are not its own if it counts only alone.
    pub(crate) excludes: u8,
    /// Natural unit, if any.
    pub(crate) unit: Option<Unit>,
}

const _: () = assert!(size_of::<SubEvent>() == 24);

/// Whose name a sub-event has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    /// The manual's.
    Manual,
    /// That of public event lists or of the in-tree driver, though the manual has the event.
    Lists,
    /// That of the lists, and the whole name in `events/`, without the event's name before it. They
    /// give some umasks of an event under another event's name.
    Whole,
}

/// A natural unit for perf's `.unit` and `.scale` files: what one count stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// A cache line of 64 bytes.
    Line,
    /// 8 bytes.
    EightBytes,
    /// A clock of 800 MHz.
    Clock800,
}
