// SPDX-License-Identifier: GPL-2.0

//! Xeon E5 v1 (Sandy Bridge-EP): the uncore's performance counters as data.
//!
//! It is the design before Ivy Bridge-EP, so that Documentation/hardware/jkt.rst and these tables
//! state what differs; all else is in the tables of [`ivbep`], row by row. `SPEC: J-5`
//! is a point of that page, and its sections have the numbers of ivbep.rst. A box type has a file for
//! its events and fields. Here is the rest: the CPU model, the PCI functions (section 1), and what all
//! boxes have in common (section 6).
//!
//! Oddities:
//!
//! * No global register and no overflow status: nothing interrupts, and wraps are found by polling.
//! * Each control register has an invert bit, and none has an overflow enable.
//! * Home agent and iMC have no reset bits. Zeros are written to their registers.
//! * The IRP has no PMU (J-11).
//!
//! Uncertain:
//!
//! * J-1: whether the freeze enable reads back. Each write of a box control has all its bits.
//! * J-4: in-tree the reset bits that home agent and iMC lack are set.
//! * J-20: umask 0 for events without sub-events.
//! * J-21: the place of the reset bit in R2PCIe and R3QPI. The driver never sets it.
//! * J-24: what only lists and other programs have. It is offered.

use super::{
    ivbep,
    like::{
        changed,
        inserted,
        joined,
        picked,
        polled,
        row,
        with, //
    },
    xeon::{
        self,
        can_match_opcode,
        registers::COMMON_FIELDS,
        EXT, //
    }, //
};
use crate::uncore::table::prelude::*;

mod cbox;
mod ha;
mod imc;
mod pcu;
mod qpi;
mod r2pcie;
mod r3qpi;
mod ubox;

// What all boxes have in common.

/// Values of a box control that reset counters and their control registers (section 6.2).
const RESET: &[u32] = &[0x0001_0003];

/// Those of a box without reset bits.
///
/// SPEC: J-4.
const NO_RESET: &[u32] = &[];

/// A box type of Ivy Bridge with the registers of this part: section 6.
const fn with_registers(kind: BoxType, reset: &'static [u32]) -> BoxType {
    let acts = if reset.is_empty() { 0 } else { 1 << 17 };
    BoxType {
        box_control: match kind.box_control {
            // SPEC: J-1.
            Some(control) => Some(BoxControl {
                reset,
                freeze: 0x0001_0100,
                unfreeze: 0x0001_0000,
                ..control
            }),
            None => None,
        },
        status: None,
        global_status: &[],
        control: Control {
            writable: kind.control.writable & !(1 << 20 | 1 << 17 | 1 << 16) | 1 << 23 | acts,
            overflow_enable: None,
            uncertain: 0,
            acts,
            queue_reset: None,
            ..kind.control
        },
        ..kind
    }
}

/// The control register of a fixed counter, in which these bits act.
const fn fixed_control(offset: u16, acts: u32) -> Option<FixedControl> {
    Some(FixedControl {
        offset,
        writable: 1 << 22 | acts,
        enable: 1 << 22,
        overflow_enable: None,
        acts,
    })
}

/// The fields of an event control register without special fields.
const FIELDS: &[Field] = &polled::<5>(COMMON_FIELDS);

/// An event of these tables with another select.
const fn moved(events: &[Event], from: u32, select: u32) -> Event {
    Event {
        select,
        ..row(events, from)
    }
}

/// An event of these tables without its sub-events.
const fn whole(events: &[Event], select: u32) -> Event {
    Event {
        umasks: Umasks::Zero,
        subevents: &[],
        ..row(events, select)
    }
}

#[rustfmt::skip] // In columns.
/// Sub-events of the rings, which have two directions and no virtual rings.
const RING_USED: &[SubEvent] = &[
    sub("cw_even",   0x01),
    sub("cw_odd",    0x02),
    sub("ccw_even",  0x04),
    sub("ccw_odd",   0x08),
];

/// Sub-events of the invalidate ring: one in all boxes, that of Ivy Bridge's C-Box.
const RING_IV_USED: &[SubEvent] = &picked::<1>(row(ivbep::cbox::EVENTS, 0x1e).subevents, &[0x0f]);

/// The platform.
pub(crate) static JKT: Platform = Platform {
    name: "jkt",
    cpus: &[(6, 45)],
    discovery: Some(Discovery {
        device_id: 0x3ce0,
        ..ivbep::DISCOVERY
    }),
    global: None,
    box_types: &[
        &ubox::UBOX,
        &cbox::CBOX,
        &ha::HA,
        &imc::IMC,
        &pcu::PCU,
        &qpi::QPI,
        &r2pcie::R2PCIE,
        &r3qpi::R3QPI,
    ],
};

const _: () = check_window(&JKT);
