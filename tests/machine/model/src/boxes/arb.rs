// SPDX-License-Identifier: GPL-2.0

//! ARB of Sandy Bridge client: two counters of 44 bits, and the fixed counter of the uncore
//! clock, which belongs to no box; Documentation/hardware/snb.rst section 2.
//!
//! MSRs 0x3B0 to 0x3B3, 0x394 and 0x395. No `BOX_CTL`, no status: the global registers have
//! a bit for both general counters and one for the fixed counter.
//! Oddity: the fixed counter is behind its control; on Nehalem it is before it.

use super::prelude::*;
use super::USUAL;

/// `CTLn` of C-Box and ARB. There is no reset bit.
pub(super) const CONTROL: Word = Word {
    rw: 0x1fd4_ffff,
    reserved: 0xe02b_0000,
    ..Word::named("CTL")
};

/// The fields of `CTLn` of C-Box and ARB.
pub(super) const FIELDS: Fields = Fields {
    thresh: 0x1f,
    has_invert: true,
    need_thresh: false,
    ..COMMON_FIELDS
};

const FIXED_CTRL: Word = Word {
    rw: 0x0050_0000,
    reserved: !0x0050_0000,
    ..Word::named("FIXED_CTRL")
};

pub(super) const SNB: BoxLayout = BoxLayout {
    name: "arb",
    numbered: false,
    kind: BoxType::Arb,
    catalogue: Catalogue::snb,
    access: Access::Msr {
        base: 0x394,
        stride: 0x20,
        present: Present::One,
    },
    counters: 2,
    counters_per_set: 2,
    width: 44,
    control: CONTROL,
    fields: FIELDS,
    fixed: Some(Fixed {
        control: FIXED_CTRL,
        enable: EN,
        overflow_enable: OV_EN,
        status: None,
        rst: 0,
    }),
    box_control: None,
    status_first: 0,
    global_bits: |_, counter| if counter == FIXED { 1 } else { 2 },
    registers: &[
        (0x00, Register::Control(FIXED)),
        (0x01, Register::Counter(FIXED)),
        (0x1c, Register::Counter(0)),
        (0x1d, Register::Counter(1)),
        (0x1e, Register::Control(0)),
        (0x1f, Register::Control(1)),
    ],
    blocks: &[],
    ..USUAL
};
