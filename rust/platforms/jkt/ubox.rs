// SPDX-License-Identifier: GPL-2.0

//! The UBox, as in [`ivbep::ubox`]: Documentation/hardware/jkt.rst section 7.1.
//!
//! Oddities:
//!
//! * It cannot be frozen: a group starts one event after the other.
//!
//! Uncertain:
//!
//! * J-7: the fixed counter has 44 or 48 bits.
//! * J-9: the lists give `phold_cycles`, `racu_requests` and `msg_chnl_size_count` an extra bit that the
//!   control register does not have. It is left out.
//! * J-10: no source has a register of the filter. The sub-events that need it are refused.

use super::*;
use ivbep::ubox::{
    EVENTS,
    NOT_STATED, //
};

/// The fixed counter of UCLK.
const UCLK: Fixed = Fixed {
    control: fixed_control(0x08, 0),
    ..ivbep::ubox::UCLK
};

const PHOLD_CYCLES: &[SubEvent] =
    &inserted::<2>(row(EVENTS, 0x45).subevents, sub("ack_to_deassert", 0x02));

/// The UBox.
pub(super) const UBOX: BoxType = BoxType {
    fixed: &[UCLK],
    fields: &polled::<5>(ivbep::ubox::FIELDS),
    events: &changed::<8>(
        EVENTS,
        &[
            Event {
                max_increment: 1,
                ..row(EVENTS, 0x41)
            },
            Event {
                max_increment: NOT_STATED,
                subevents: PHOLD_CYCLES,
                ..row(EVENTS, 0x45)
            },
            Event {
                max_increment: NOT_STATED,
                ..with(EVENTS, 0x46, const { &[sub("count", 0x01)] })
            },
            event("msg_chnl_size_count", 0x47, 0b11, NOT_STATED)
                .combined(LISTS, const { &[sub("4b", 0x01), sub("8b", 0x02)] }),
        ],
        &[],
    ),
    ..with_registers(ivbep::ubox::UBOX, RESET)
};
