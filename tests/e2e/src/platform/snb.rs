// SPDX-License-Identifier: GPL-2.0

//! Sandy Bridge client: Documentation/hardware/snb.rst (sections 1, 2, 5 and 6) and
//! traffic.rst.

mod asked;
mod cases;

use super::Description;
use crate::catalogue::{BoxKind, Combine, Oddities, Umasks};
use crate::expect::MemoryCounter;
use crate::fixture::probe::Probe;
use crate::sweep::refusals::listed::Refused;
use crate::units::WithUnit;
use uncore_catalogue::Platform as Counted;

pub(super) const DESCRIPTION: Description = Description {
    name: "snb",
    packages: &[0],
    cboxes_of_cores: true,
    sboxes: 0,
    lacks: &[],
    others: &[MemoryCounter::BOX],
    rows: <[_]>::to_vec,
    oddities: Oddities {
        nameless: &[],
        pairs: &[],
        packets: &[],
        second_names: &[],
        numbered: &[],
        placed: &[],
        joins: None,
    },
    umasks: UMASKS,
    special: &[],
    sub_registers: &[],
    with_unit: WithUnit {
        lines: &[],
        flits: &[],
        no_cycles: &[],
    },
    residency: &[],
    links: &[],
    memory: MEMORY,
    line_bits: 0,
    core_slots: 4,
    uneven: &[],
    refused: &[REFUSED],
    cases: cases::CASES,
    untested: &["arb", "cbox", "imc", "imc.equal", "nodes"],
    full_group: (
        BoxKind::Arb,
        &["trk_occupancy.all", "coh_trk_requests.all", "clockticks"],
    ),
    conflicting: Vec::new,
    asked: &asked::ASKED,
    counted_as: Counted::Snb,
    sample,
    libpfm4: None,
};

pub(super) const IVB: Description = Description {
    name: "ivb",
    ..DESCRIPTION
};

pub(super) const HSW: Description = Description {
    name: "hsw",
    cases: cases::WITHOUT_CLOCK,
    asked: &asked::HSW,
    ..DESCRIPTION
};

pub(super) const BDW: Description = Description {
    name: "bdw",
    cases: cases::WITHOUT_CLOCK,
    asked: &asked::BDW,
    counted_as: Counted::Bdw,
    ..DESCRIPTION
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

/// An event of a box, with a filter where there is one.
fn sample(kind: BoxKind, instance: u8) -> Probe {
    let event = |name| Probe::new(kind, instance, name);
    match kind {
        BoxKind::Cbox => event("cache_lookup.any_mesi"),
        _ => event("trk_requests.all"),
    }
}

/// Requests with an error of their own.
const REFUSED: &[Refused] = &[
    ("arb", "config=0x1ff", &["fixed"]),
    ("arb", "config=0x10000ff", &["fixed"]),
    ("arb", "config=0x8400ff", &["fixed"]),
    // The clock is the ARB's.
    ("cbox_0", "config=0xff", &["clockticks", "event of arb"]),
    // A state and a request, a response and an origin.
    ("cbox_0", "config=0x1034", &["umask", "0x10"]),
    ("cbox_0", "config=0x134", &["umask", "0x01"]),
    ("cbox_0", "config=0x8034", &["umask", "0x80"]),
    ("cbox_0", "config=0xf034", &["umask", "0xf0"]),
    ("cbox_0", "config=0xf34", &["umask", "0x0f"]),
    ("cbox_0", "config=0x2022", &["umask", "0x20"]),
    ("cbox_0", "config=0x1f22", &["umask", "0x1f"]),
    // Sub-events of the ARB are no bits of a mask.
    ("arb", "config=0x2181", &["umask", "0x21"]),
    ("arb", "config=0xa081", &["umask", "0xa0"]),
    // No bit forwards an overflow, and none enables the counter by itself.
    ("arb", "config=0x100181", &["0x100000"]),
    ("cbox_0", "config=0x401134", &["0x400000"]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;
    use crate::platform::Platform;

    #[test]
    fn rows_of_each_type_are_those_of_the_page() {
        Platform::Snb.on(|| {
            let counts = BoxKind::all().map(|kind| Catalogue::get().of(kind).count());
            assert_eq!(counts.collect::<Vec<_>>(), [39, 8]);
            let rows = Catalogue::get().rows().iter();
            assert_eq!(rows.filter(|row| row.name().is_none()).count(), 0);
        });
    }
}
