// SPDX-License-Identifier: GPL-2.0

//! UBox: two counters of 44 bits and the fixed uclk counter;
//! Documentation/hardware/ivbep.rst section 7.1.
//!
//! MSRs 0xC08 to 0xC17 (the global registers below are in `global.rs`), and the
//! PCI function 8086:0e1e that names the package (section 2). No `BOX_CTL`: only
//! the global freeze stops it. thresh has 5 bits.
//! SPEC: the fixed counter is 48 bits wide (U-3, probable).

use super::prelude::*;
use super::{control, status, PlainFunction, CPUNODEID, GIDNIDMAP, USUAL};

const CTL: Word = Word {
    reserved: 0xe008_0000,
    ..control(0x1f54_ffff, 0x00a1_0000)
};

const FIXED_CTL: Word = Word {
    rw: 0x0050_0000,
    zero: 0x0020_0000,
    reserved: 0xff8f_ffff,
    ..Word::named("UCLK_FIXED_CTL")
};

const BOX_STATUS: Word = Word {
    reserved: 0xffff_fffc,
    ..status(0x3, 0)
};

pub(super) const IVBEP: BoxLayout = BoxLayout {
    name: "ubox",
    numbered: false,
    kind: BoxType::Ubox,
    access: Access::Msr {
        base: 0xc00,
        stride: 0x18,
        present: Present::One,
    },
    counters: 2,
    counters_per_set: 2,
    width: 44,
    control: CTL,
    fields: Fields {
        thresh: 0x1f,
        ..COMMON_FIELDS
    },
    fixed: Some(Fixed {
        control: FIXED_CTL,
        status: None,
        rst: 0,
    }),
    box_control: None,
    status: Some(BOX_STATUS),
    global_bits: |_, counter| if counter == FIXED { 1 } else { 2 },
    registers: &[
        (0x08, Register::Control(FIXED)),
        (0x09, Register::Counter(FIXED)),
        (0x10, Register::Control(0)),
        (0x11, Register::Control(1)),
        (0x15, Register::Status),
        (0x16, Register::Counter(0)),
        (0x17, Register::Counter(1)),
    ],
    blocks: &[(0x00, 0x17)],
    ..USUAL
};

/// The discovery function; firmware sets both registers.
pub(super) const IVBEP_FUNCTIONS: [PlainFunction; 1] = [(
    Place::uncore(11, 0, 0x0e1e),
    &[
        (CPUNODEID, read_only("CPUNODEID")),
        (GIDNIDMAP, read_only("GIDNIDMAP")),
    ],
)];

const fn read_only(name: &'static str) -> Word {
    Word {
        ro: u32::MAX,
        ..Word::named(name)
    }
}
