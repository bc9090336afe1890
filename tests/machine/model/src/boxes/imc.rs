// SPDX-License-Identifier: GPL-2.0

//! iMC: two controllers of four channels, one box per channel;
//! Documentation/hardware/ivbep.rst section 7.4.
//!
//! PCI D16 (MC0) and D30 (MC1), F4, F5, F0, F1 for channels 0 to 3; four
//! counters and the fixed dclk counter, all of 48 bits. Oddities: the reset bit
//! of FIXED_CTL is 19; `BOX_STATUS` bit 0 is the fixed counter, bit k + 1 is
//! counter k (U-11); 0xE8 (a fifth control in another document) is left alone.
//!
//! BDX: D20 and D21 (MC0), D23 and D24 (MC1), F0 and F1. The umask of RD_CAS_RANKx and
//! WR_CAS_RANKx is a number.
//! MC1 is there with the second home agent.
//! SPEC: the IDs are those that real machines list, not those of the manual (B-1).

use super::prelude::*;
use super::{status, FOUR_COUNTERS, USUAL, USUAL_BDX};

/// `rst` of `FIXED_CTL`.
const FIXED_RST: u32 = 1 << 19;

const FIXED_CTL: Word = Word {
    rw: 0x0050_0000,
    wo: FIXED_RST,
    zero: 0x00a0_0000,
    ..Word::named("FIXED_CTL")
};

pub(super) const IVBEP: BoxLayout = BoxLayout {
    name: "imc",
    kind: BoxType::Imc,
    clock: Clock::Dclk,
    access: Access::Pci(&[
        Place::uncore(16, 4, 0x0eb4),
        Place::uncore(16, 5, 0x0eb5),
        Place::uncore(16, 0, 0x0eb0),
        Place::uncore(16, 1, 0x0eb1),
        Place::uncore(30, 4, 0x0ef4),
        Place::uncore(30, 5, 0x0ef5),
        Place::uncore(30, 0, 0x0ef0),
        Place::uncore(30, 1, 0x0ef1),
    ]),
    fixed: Some(Fixed {
        control: FIXED_CTL,
        enable: EN,
        overflow_enable: OV_EN,
        status: Some(1),
        rst: FIXED_RST,
    }),
    status: Some(status(0x1f, 0x20)),
    status_first: 1 << 1,
    global_bits: |instance, _| 1 << (20 + instance / 4),
    registers: &with_fixed(),
    ..USUAL
};

pub(super) const BDX: BoxLayout = BoxLayout {
    name: "imc",
    kind: BoxType::Imc,
    clock: Clock::Dclk,
    access: Access::Pci(&[
        Place::uncore(20, 0, 0x6fb0),
        Place::uncore(20, 1, 0x6fb1),
        Place::uncore(21, 0, 0x6fb4),
        Place::uncore(21, 1, 0x6fb5),
        Place::of_second_agent(23, 0, 0x6fd0),
        Place::of_second_agent(23, 1, 0x6fd1),
        Place::of_second_agent(24, 0, 0x6fd4),
        Place::of_second_agent(24, 1, 0x6fd5),
    ]),
    fixed: Some(Fixed {
        control: Word {
            rw: 0x00d0_0000,
            zero: 0x0020_0000,
            ..FIXED_CTL
        },
        enable: EN,
        overflow_enable: OV_EN,
        status: Some(1),
        rst: FIXED_RST,
    }),
    status: IVBEP.status,
    status_first: IVBEP.status_first,
    global_bits: |instance, _| 1 << (23 + instance / 4),
    registers: IVBEP.registers,
    lists: |event, select, umask| match select.code {
        0xb0..=0xbf => event.prints(umask),
        _ => event.lists(umask),
    },
    ..USUAL_BDX
};

const fn with_fixed() -> [(u16, Register); 17] {
    let mut all = [(0xf0, Register::Control(FIXED)); 17];
    all[1] = (0xd0, Register::CounterLow(FIXED));
    all[2] = (0xd4, Register::CounterHigh(FIXED));
    let mut i = 0;
    while i < FOUR_COUNTERS.len() {
        all[i + 3] = FOUR_COUNTERS[i];
        i += 1;
    }
    all
}
