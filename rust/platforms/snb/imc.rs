// SPDX-License-Identifier: GPL-2.0

//! The iMC (integrated memory controller) moves cache lines between the DRAM of both channels and
//! cores, graphics and I/O.
//!
//! Five counters of 32 bits that always run, in memory of the host bridge; one iMC per package.
//! Documentation/hardware/snb.rst section 7.
//!
//! Abbreviations: `gt` the graphics; `ia` the cores; `io` the devices behind the system agent.
//!
//! Oddities:
//!
//! * Nothing enables, stops or clears a counter, neither here nor in the global registers. An event
//!   counts from the value that it finds.
//! * The kernel's EDAC driver or intel_uncore can have the host bridge. So it is not bound, and the
//!   memory is only read.
//! * Codes, names and units are those in-tree, where each counter has a code, too.
//! * The requests are in the unit of a cache line, as the transfers are: in-tree says no other.
//!
//! Uncertain:
//!
//! * The highest rate is stated nowhere: see [`MAX_LINES_MHZ`].

use crate::uncore::table::prelude::*;

// Registers: offsets in the memory of the host bridge (RO).

/// The base register of that memory, and as much of it as is known to be there.
const MEMORY: Memory = Memory {
    device_id: 0x0100,
    device: 0,
    function: 0,
    base: 0x48,
    size: 0x6000,
};

/// Largest number of cache lines that a counter can count in a microsecond.
///
/// Two channels of DDR3-1600 move 400 of them, 25.6 GB in a second. This leaves room for
/// overclocking. Too much only means reading the counters more often than needed.
const MAX_LINES_MHZ: u32 = 1000;

/// A counter of cache lines, with the event select that it has in-tree.
const fn lines(name: &'static str, select: u16, counter: u16) -> Fixed {
    Fixed {
        control: None,
        counter,
        width: 32,
        max_width: 32,
        select,
        name,
        unit: Some(Unit::Line),
    }
}

#[rustfmt::skip] // In columns, to be read against section 7.
const COUNTERS: &[Fixed] = &[
    lines("data_reads",  0x01, 0x5050),
    lines("data_writes", 0x02, 0x5054),
    lines("gt_requests", 0x03, 0x5040),
    lines("ia_requests", 0x04, 0x5044),
    lines("io_requests", 0x05, 0x5048),
];

/// The iMC.
pub(super) const IMC: BoxType = BoxType {
    name: "imc",
    numbered: false,
    access: Access::Memory(MEMORY),
    box_control: None,
    status: None,
    counters: &[],
    width: 32,
    fixed: COUNTERS,
    control: NO_CONTROL,
    fields: &[field("event", Word::Config, bits::<0, 7>(), Role::Select)],
    events: &[],
    builtin_events: true,
    max_clock_mhz: MAX_LINES_MHZ,
    max_increment: 1,
    ..ORDINARY_BOX
};
