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
//! An oddity of one box is a function in its file ([`BoxType::refuse`]), not a field of all.

use crate::linux::perf::ConfigWords;

mod access;
mod control;
mod event;
mod filters;

pub(crate) use self::{
    access::*,
    control::*,
    event::*,
    filters::*, //
};

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
}

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
    /// Bit of the event select that adds an occupancy to an event, 0 if none does. The counter then
    /// counts clocks in which the event holds, or with [`Role::Invert`] does not, and the occupancy
    /// meets the threshold. By itself the bit is the select of that occupancy, for which the usual edge
    /// bit is not set.
    pub(crate) occupancy_bit: u32,
    /// `true` unless some of perf's built-in events for the in-tree driver's PMU of this unit have
    /// wrong codes, so that the PMU may have the alias that attaches them. Perf may have none.
    pub(crate) builtin_events: bool,
    /// Highest clock of the box, in MHz; it limits how soon a counter can wrap.
    pub(crate) max_clock_mhz: u32,
    /// Largest number that any counter of the box can add in one clock.
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
