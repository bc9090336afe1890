// SPDX-License-Identifier: GPL-2.0

//! Sandy Bridge client: Documentation/hardware/snb.rst (sections 1, 2, 5 and 6) and
//! traffic.rst.

use super::Description;
use crate::catalogue::{BoxKind, Combine, Oddities, Umasks};
use crate::expect::MemoryCounter;
use crate::units::WithUnit;

pub(super) const DESCRIPTION: Description = Description {
    name: "snb",
    processor: "6-2a-7",
    packages: &[0],
    cboxes_of_cores: true,
    sboxes: 0,
    lacks: &[],
    others: &[MemoryCounter::BOX],
    rows: || uncore_catalogue::rows_of("snb"),
    metrics: || &[],
    oddities: Oddities {
        nameless: &[],
        pairs: &[],
        packets: &[],
        second_names: &[],
        numbered: &[],
        placed: &[],
    },
    umasks: UMASKS,
    special: &[],
    sub_registers: &[],
    with_unit: WithUnit {
        lines: &[],
        flits: &[],
        no_cycles: &[],
    },
    links: &[],
    memory: MEMORY,
    line_bits: 0,
    core_slots: 4,
    uneven: &[],
};

/// Section 6 tells what the bits of a C-Box' umasks are, and not those of the ARB's.
#[rustfmt::skip]
const UMASKS: &[Umasks] = &[
    Umasks { kind: BoxKind::Arb, codes: 0x80..=0x84, combine: Combine::Listed },
];

#[rustfmt::skip]
const MEMORY: &[MemoryCounter] = &[
    MemoryCounter { event: "data_reads", code: 0x01, share: 95 },
    MemoryCounter { event: "data_writes", code: 0x02, share: 47 },
    MemoryCounter { event: "gt_requests", code: 0x03, share: 27 },
    MemoryCounter { event: "ia_requests", code: 0x04, share: 103 },
    MemoryCounter { event: "io_requests", code: 0x05, share: 12 },
];
