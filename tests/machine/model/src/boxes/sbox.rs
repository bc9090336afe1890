// SPDX-License-Identifier: GPL-2.0

//! S-Box, which BDX has: none or four per package, four counters of 48 bits;
//! Documentation/hardware/bdx.rst section 9.
//!
//! MSRs 0x720 + 0xA * n. No `ov_en` and no bit in GLOBAL_STATUS, as the C-Box. `tid_en` is
//! stored; there is no filter that it could bring in force. Control registers are written
//! twice, and `BOX_CTL` is reset in steps.

use super::prelude::*;
use super::{cbox, USUAL_BDX};

pub(super) const BDX: BoxLayout = BoxLayout {
    name: "sbox",
    kind: BoxType::Sbox,
    access: Access::Msr {
        base: 0x720,
        stride: 0xa,
        present: Present::Sboxes,
    },
    control: cbox::BDX.control,
    fields: cbox::BDX.fields,
    box_control: cbox::BDX.box_control,
    status: cbox::BDX.status,
    registers: &[
        (0x0, Register::BoxControl),
        (0x1, Register::Control(0)),
        (0x2, Register::Control(1)),
        (0x3, Register::Control(2)),
        (0x4, Register::Control(3)),
        (0x5, Register::Status),
        (0x6, Register::Counter(0)),
        (0x7, Register::Counter(1)),
        (0x8, Register::Counter(2)),
        (0x9, Register::Counter(3)),
    ],
    blocks: &[(0x0, 0x9)],
    quirks: Quirks {
        control_twice: true,
        reset_in_steps: true,
        ..USUAL_BDX.quirks
    },
    ..USUAL_BDX
};
