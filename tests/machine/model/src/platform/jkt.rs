// SPDX-License-Identifier: GPL-2.0

//! Sandy Bridge-EP: Documentation/hardware/jkt.rst, as differences from IVB-EP.
//!
//! Up to 8 C-Boxes, whose functions all have one ID (J-8), one home agent with four channels, two
//! links, no IRP (J-11). `invert` in every box, no reset bits in home agent and channels, one filter of
//! the C-Box. An event of the PCU may have an occupancy beside it (section 7.6). No global registers and
//! no status: MSRs 0xC00 to 0xC06 and those of status fault, and nothing interrupts.

use super::{Description, PciSide};
use crate::boxes::prelude::*;
use crate::boxes::{described, kept, PlainFunction, Types, IVBEP, IVBEP_FUNCTIONS};
use crate::catalogue::qualifiers;
use crate::global::{self, GlobalLayout};
use crate::shapes::RealShape;
use std::sync::LazyLock;

pub(super) const DESCRIPTION: Description = Description {
    layouts: &LAYOUTS,
    pci: Some(PciSide {
        plain_functions: &[&FUNCTIONS],
        ids: 0x3c00,
        cbox_function: unicast,
        discovery: (11, 0),
        lone_bus: 0x7f,
    }),
    global: &GLOBAL,
    most_cores: 8,
    most_home_agents: 1,
    channels: 0x0f,
    options: super::SERVER_OPTIONS.split_at(6).0,
    shapes: SHAPES,
    ..super::IVBEP
};

/// Machines by their number of C-Boxes: the listings do not name the processors.
const SHAPES: &[RealShape] = &[
    RealShape {
        name: "jkt-8",
        options: &[
            ("platform", "jkt"),
            ("packages", "2"),
            ("cboxes", "8"),
            ("hidden", "08.6+09.6"),
        ],
    },
    RealShape {
        name: "jkt-6",
        options: &[
            ("platform", "jkt"),
            ("packages", "2"),
            ("cboxes", "6"),
            ("hidden", "08.2+09.2+08.6+09.6"),
        ],
    },
    RealShape {
        name: "jkt-4",
        options: &[
            ("platform", "jkt"),
            ("packages", "1"),
            ("cboxes", "4"),
            ("uncore-buses", "3f"),
            ("hidden", "08.6+09.6"),
        ],
    },
];

const GLOBAL: GlobalLayout = GlobalLayout {
    all: &[],
    status: 0,
    config: Word::named("GLOBAL_CONFIG"),
    num_c: |_| 0,
    ..global::IVBEP
};

const RATE: &[(u16, Word)] = IVBEP_FUNCTIONS[1][0].1;

const FUNCTIONS: [PlainFunction; 4] = [
    (Place::uncore(11, 0, 0x3ce0), IVBEP_FUNCTIONS[0][0].1),
    (Place::uncore(8, 0, 0x3c80), RATE),
    (Place::uncore(9, 0, 0x3c90), RATE),
    // By another reading (J-11).
    (
        Place {
            bus: Bus::Iio,
            ..Place::uncore(5, 6, 0x3c40)
        },
        &[],
    ),
];

/// The function of C-Box n: D12 for even, D13 for odd ones.
fn unicast(n: u8) -> Place {
    Place::uncore(12 + n % 2, n / 2, 0x3ce8)
}

static LAYOUTS: Types = LazyLock::new(|| {
    let types = IVBEP.iter().filter(|layout| layout.kind != BoxType::Irp);
    types.map(|layout| kept(own(layout))).collect()
});

/// A box as IVB-EP has it, with the registers of this one.
fn own(of: &BoxLayout) -> BoxLayout {
    let usual = BoxLayout {
        catalogue: &CATALOGUE,
        fields: Fields {
            has_invert: true,
            overflow_enable: 0,
            ..of.fields
        },
        quirks: Quirks {
            box_enables: true,
            joins_occupancy: of.kind == BoxType::Pcu,
            ..of.quirks
        },
        lists: match of.kind {
            // Rejected requests may be asked for with others.
            BoxType::Cbox => |event, select, umask| match select.code {
                0x11 | 0x13 => list_by_bits(event, select, umask),
                _ => (cbox_of_ivbep().lists)(event, select, umask),
            },
            _ => of.lists,
        },
        filters_as: (of.kind == BoxType::Cbox).then_some(split as _),
        ..*of
    };
    described("jkt", of.kind.name(), of.kind.name(), &usual)
}

/// The C-Box of IVB-EP.
fn cbox_of_ivbep() -> &'static BoxLayout {
    let found = IVBEP.iter().find(|layout| layout.kind == BoxType::Cbox);
    found.expect("a C-Box")
}

static CATALOGUE: LazyLock<Catalogue> =
    LazyLock::new(|| Catalogue::of_processor("jkt", qualifiers));

/// The fields of the one filter in their places in FILTER0 and FILTER1.
fn split([filter, ..]: [u32; FILTERS]) -> [u32; FILTERS] {
    let mut filters = [0; FILTERS];
    filters[0] = filter & 0x1f | (filter >> 18 & 0x1f) << 17;
    filters[1] = filter >> 10 & 0xff | filter >> 23 << 20;
    filters
}
