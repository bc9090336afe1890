// SPDX-License-Identifier: GPL-2.0

//! The iMC, as in [`bdx::imc`]: Documentation/hardware/hsx.rst section 11.
//!
//! Oddities:
//!
//! * `clockticks` is the fixed counter, and `dclockticks` counts the same clock on a general counter.
//!   Sources call either of them `CLOCKTICKS`.
//!
//! Uncertain:
//!
//! * H-27: `wpq_inserts` is only in another program.

use super::*;
use bdx::imc::EVENTS;

/// A channel of the iMC.
pub(super) const IMC: BoxType = BoxType {
    access: Access::Pci(IMC_FUNCTIONS),
    control: twice(bdx::imc::CONTROL),
    events: &changed::<44>(
        EVENTS,
        &[
            row(EVENTS, 0x00).presets(presets![]),
            event("wpq_inserts", 0x20, 0b1111, 255).source(LISTS),
        ],
        &[],
    ),
    ..bdx::imc::IMC
};
