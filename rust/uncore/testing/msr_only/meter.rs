// SPDX-License-Identifier: GPL-2.0

//! A made-up meter: five counters that always run, in memory of a PCI function. Nothing of it is
//! written.

use crate::uncore::table::prelude::*;

/// Offsets of the counters.
pub(crate) const COUNTER: [u16; 5] = [0x100, 0x104, 0x108, 0x110, 0x114];

/// Highest clock in MHz.
const CLOCK_MHZ: u32 = 1000;

const FIELDS: &[Field] = &[field("event", Word::Config, bits::<0, 7>(), Role::Select)];

/// A counter with its event select.
const fn always(select: u16, counter: u16, name: &'static str) -> Fixed {
    Fixed {
        control: None,
        counter,
        width: 32,
        max_width: 32,
        select,
        name,
        unit: None,
    }
}

pub(crate) static METER: BoxType = METERS;

pub(crate) const METERS: BoxType = BoxType {
    name: "meter",
    numbered: false,
    access: Access::Memory(Memory {
        device_ids: &[0xfff0],
        device: 0,
        function: 0,
        base: 0x48,
        size: 0x200,
    }),
    box_control: None,
    status: None,
    counters: &[],
    width: 32,
    fixed: &[
        always(0x01, COUNTER[0], "read"),
        always(0x02, COUNTER[1], "written"),
        always(0x03, COUNTER[2], "asked"),
        always(0x04, COUNTER[3], "answered"),
        always(0x05, COUNTER[4], "lost"),
    ],
    control: NO_CONTROL,
    fields: FIELDS,
    events: &[],
    builtin_events: false,
    max_clock_mhz: CLOCK_MHZ,
    max_increment: 1,
    ..ORDINARY_BOX
};
