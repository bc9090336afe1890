// SPDX-License-Identifier: GPL-2.0

//! The model of Nehalem-EX and Westmere-EX against Documentation/hardware/nhmex.rst.
//!
//! | section | subject | tests |
//! |---|---|---|
//! | 2, 3, 5, 6 | addresses and bits of every register, options | `registers` |
//! | 4, 5 | global control, box control, status, overflow | `level` |
//! | 8, 9, 17 | rows of U-Box, C-Box, S-Box and W-Box | `events` |
//! | 1, 12 | match registers of the S-Box | `matching` |
//! | 6, 7, 12 to 15 | B-Box, M-Box and R-Box: rows, sub-registers, match registers | `composite` |

mod composite;
mod events;
mod level;
mod matching;
pub(crate) mod readings;
mod registers;

use crate::bench::Bench;

/// Two packages of eight cores.
const NEHALEM: &str = "platform=nhmex,cores=8";
/// Two packages of ten cores.
const WESTMERE: &str = "platform=wsmex,cores=10";

/// U_MSR_PMON_GLOBAL_CTL, its status, and the register that clears it.
const CONTROL: u32 = 0xc00;
const STATUS: u32 = 0xc01;
const CLEAR: u32 = 0xc02;

/// en_all.
const EN_ALL: u64 = 1 << 28;
/// rst_all.
const RST_ALL: u64 = 1 << 29;
/// frz_all.
const FRZ_ALL: u64 = 1 << 31;
/// The enable bit of the U-Box in the global control.
const U_EN: u64 = 1;

/// en and pmi_en of boxes U, C, S and W.
const EN: u64 = 1 << 22;
const PMI_EN: u64 = 1 << 20;

/// First address of each C-Box.
const CBOXES: [u32; 10] = [
    0xd00, 0xd80, 0xd40, 0xdc0, 0xd20, 0xda0, 0xd60, 0xde0, 0xf40, 0xfc0,
];
const SBOXES: [u32; 2] = [0xc40, 0xcc0];
const WBOX: u32 = 0xc80;

/// The fixed counter and its control.
const FIXED_CTR: u32 = 0x394;
const FIXED_CTL: u32 = 0x395;

/// The control register of a counter; the counter is behind it.
fn control(base: u32, counter: u32) -> u32 {
    base + 0x10 + 2 * counter
}

fn nehalem() -> Bench {
    Bench::new(NEHALEM)
}
