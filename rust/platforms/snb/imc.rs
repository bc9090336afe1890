// SPDX-License-Identifier: GPL-2.0

//! The iMC (integrated memory controller) moves cache lines between the DRAM of both channels and
//! cores, graphics and I/O.
//!
//! Five counters of 32 bits that always run, in memory of the host bridge; one iMC per package.
//! Documentation/hardware/snb.rst section 7; device IDs in the sections 3 of ivb.rst, hsw.rst and
//! bdw.rst.
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

use super::*;

// Registers: offsets in the memory of the host bridge (RO).

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

/// The iMC of each generation, behind host bridges with its device IDs.
pub(super) const SNB: BoxType = imc(&[0x0100]);
pub(super) const IVB: BoxType = imc(&[0x0154, 0x0150]);
pub(super) const HSW: BoxType = imc(&[0x0c00, 0x0a04]);
pub(super) const BDW: BoxType = imc(&[0x1604]);

/// An iMC behind a host bridge with one of these device IDs: its base register, and as much of its
/// memory as is known to be there.
const fn imc(device_ids: &'static [u16]) -> BoxType {
    BoxType {
        name: "imc",
        numbered: false,
        access: Access::Memory(Memory {
            device_ids,
            device: 0,
            function: 0,
            base: 0x48,
            size: 0x6000,
        }),
        box_control: None,
        status: None,
        counters: &[],
        width: 32,
        fixed: COUNTERS,
        control: NO_CONTROL,
        fields: const { &[field("event", Word::Config, bits::<0, 7>(), Role::Select)] },
        events: &[],
        builtin_events: true,
        max_clock_mhz: MAX_LINES_MHZ,
        max_increment: 1,
        ..ORDINARY_BOX
    }
}
