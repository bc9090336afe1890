// SPDX-License-Identifier: GPL-2.0

//! Sandy Bridge client: Documentation/hardware/snb.rst (sections 1, 2, 5 and 6) and
//! traffic.rst.

use super::Description;
use crate::catalogue::{BoxKind, Combine, Facts, Oddities, Umasks, UCLK};
use crate::expect::MemoryCounter;
use crate::formats::{Field, EDGE, EVENT, INVERT, NARROW_THRESH, UMASK};
use crate::units::WithUnit;

pub(super) const DESCRIPTION: Description = Description {
    name: "snb",
    processor: "6-2a-7",
    packages: &[0],
    cboxes_of_cores: true,
    sboxes: 0,
    kinds: KINDS,
    lacks: &[],
    others: &[MemoryCounter::BOX],
    packet_functions: &[],
    rows: uncore_catalogue::snb_rows,
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

#[rustfmt::skip]
const KINDS: &[(BoxKind, Facts)] = &[
    (BoxKind::Cbox, Facts { column: "CBO", unit: "cbox", indexed: true, counters: 2, width: 44, largest: 31, fixed: false, clock: UCLK,
        functions: &[], fields: &[FIELDS], views: &[CMASK] }),
    (BoxKind::Arb, Facts { column: "ARB", unit: "arb", indexed: false, counters: 2, width: 44, largest: 31, fixed: true, clock: UCLK,
        functions: &[], fields: &[FIELDS], views: &[CMASK] }),
];

const FIELDS: &[Field] = &[EVENT, UMASK, EDGE, INVERT, NARROW_THRESH];

/// The threshold by its name in the kernel's own driver.
const CMASK: &[Field] = &[("cmask", NARROW_THRESH.1)];

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
