// SPDX-License-Identifier: GPL-2.0

//! UBox: two counters of 44 bits and the fixed uclk counter;
//! Documentation/hardware/ivbep.rst section 7.1.
//!
//! MSRs 0xC08 to 0xC17 (the global registers below are in `global.rs`), and the
//! PCI function 8086:0e1e that names the package (section 2). No `BOX_CTL`: only
//! the global freeze stops it. thresh has 5 bits.
//! SPEC: the fixed counter is 48 bits wide (U-3, probable).
//!
//! BDX: MSRs 0x703 to 0x70A, counters of 48 bits, `invert`; the function that names the
//! package is 8086:6f1e at D16:F5. 0x707 is no register.

use super::prelude::*;
use super::{control, read_only, status, PlainFunction, CPUNODEID, GIDNIDMAP, USUAL};

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
        enable: EN,
        overflow_enable: OV_EN,
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

pub(super) const BDX: BoxLayout = BoxLayout {
    catalogue: Catalogue::bdx,
    access: Access::Msr {
        base: 0x700,
        stride: 0x10,
        present: Present::One,
    },
    width: 48,
    control: Word {
        reserved: 0xe008_0000,
        ..control(0x1fd4_ffff, 0x0021_0000)
    },
    fields: Fields {
        has_invert: true,
        ..IVBEP.fields
    },
    registers: &[
        (0x03, Register::Control(FIXED)),
        (0x04, Register::Counter(FIXED)),
        (0x05, Register::Control(0)),
        (0x06, Register::Control(1)),
        (0x08, Register::Status),
        (0x09, Register::Counter(0)),
        (0x0a, Register::Counter(1)),
    ],
    blocks: &[(0x00, 0x0a)],
    ..IVBEP
};

/// The registers of the discovery function; firmware sets both.
const DISCOVERY: &[(u16, Word)] = &[
    (CPUNODEID, read_only("CPUNODEID")),
    (GIDNIDMAP, read_only("GIDNIDMAP")),
];

pub(super) const IVBEP_FUNCTIONS: [PlainFunction; 1] = [(Place::uncore(11, 0, 0x0e1e), DISCOVERY)];

pub(super) const BDX_FUNCTIONS: [PlainFunction; 1] = [(Place::uncore(16, 5, 0x6f1e), DISCOVERY)];
