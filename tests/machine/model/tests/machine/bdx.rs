// SPDX-License-Identifier: GPL-2.0

//! The model of BDX against Documentation/hardware/bdx.rst and traffic.rst.
//!
//! | subject | tests |
//! |---|---|
//! | functions, fuses, shapes | `shapes` |
//! | registers of each box type, global registers | `registers` |
//! | rows of the catalogue, filters, thresholds, inversion | `events` |
//! | writes twice, reset in steps, reset bit that stays, enables of a box | `quirks` |
//! | overflow and GLOBAL_STATUS | `overflow` |
//! | Broadwell-DE | `de` |

mod de;
mod events;
mod overflow;
mod quirks;
mod registers;
mod shapes;
mod sites;

use uncore_machine::Function;

use crate::bench::{uncore, Bench, IRP};

/// Two EX packages of 24 cores.
const LARGEST: &str = "platform=bdx,cores=24,part=ex";

/// `en` of a control register.
const EN: u32 = 1 << 22;

/// `ov_en` of a control register.
const OV_EN: u32 = 1 << 20;

/// Enables freeze and overflow of a box.
const ENABLES: u32 = 3 << 16;

/// Device and function of the memory channels, instances 0 to 7.
const CHANNELS: [(u8, u8); 8] = [
    (20, 0),
    (20, 1),
    (21, 0),
    (21, 1),
    (23, 0),
    (23, 1),
    (24, 0),
    (24, 1),
];

/// Device and function of the R3QPI links.
const LINKS: [(u8, u8); 3] = [(11, 1), (11, 2), (11, 5)];

/// Two packages of four cores.
fn usual() -> Bench {
    Bench::new("platform=bdx,cores=4")
}

/// A box in configuration space: its function and its number of counters.
fn pci_boxes() -> Vec<(Function, u16)> {
    let mut boxes: Vec<(Function, u16)> = CHANNELS
        .iter()
        .chain(&[(18, 1), (18, 5), (8, 2), (9, 2), (10, 2), (16, 1)])
        .map(|(device, function)| (uncore(*device, *function), 4))
        .collect();
    boxes.extend(LINKS.map(|(device, function)| (uncore(device, function), 3)));
    boxes.push((IRP, 4));
    boxes
}
