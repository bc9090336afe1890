// SPDX-License-Identifier: GPL-2.0

//! The model of Sandy Bridge client against Documentation/hardware/snb.rst and traffic.rst.
//!
//! | subject | tests |
//! |---|---|
//! | options, boxes, no PCI functions | `shapes` |
//! | registers, global registers | `registers` |
//! | the level that enables, and its loss | `level` |
//! | rows of the catalogue, umasks, CMASK, inversion | `events` |
//! | overflow, freeze, status, readings | `overflow` |
//! | counters of the memory controller | `memory` |

mod events;
mod level;
mod memory;
mod overflow;
pub(crate) mod readings;
mod registers;
mod shapes;
mod sites;

use crate::bench::Bench;

/// One package of four cores.
const LARGEST: &str = "platform=snb,cores=4";

/// PERF_GLOBAL_CTRL, GLOBAL_STATUS, GLOBAL_OVF_CTRL, CBO_CONFIG.
const CONTROL: u32 = 0x391;
const STATUS: u32 = 0x392;
const OVF_CTRL: u32 = 0x393;
const CONFIG: u32 = 0x396;

/// The fixed counter: its control, and behind it the counter.
const FIXED_CTRL: u32 = 0x394;
const FIXED_CTR: u32 = 0x395;

/// EN of PERF_GLOBAL_CTRL.
const GLOBAL_EN: u64 = 1 << 29;
/// WakePMI.
const WAKE: u64 = 1 << 30;
/// FREEZE.
const FREEZE: u64 = 1 << 31;

/// EN of an event select.
const EN: u64 = 1 << 22;
/// OVF_EN of an event select.
const OVF_EN: u64 = 1 << 20;

/// A machine of four cores.
fn usual() -> Bench {
    Bench::new(LARGEST)
}
