// SPDX-License-Identifier: GPL-2.0

//! Haswell-EP/EX: Documentation/hardware/hsx.rst, as differences from BDX.
//!
//! Up to 18 C-Boxes; two S-Boxes on small parts, whose fuses name none (H-4). Functions have other
//! device IDs; the one with the rate of port 1 of QPI is there as well.
//! UBox: MSR 0x707 is a filter by thread and core for EVENT_MSG and FILTER_MATCH (H-7, a reading).

use super::{Description, PciSide};
use crate::boxes::prelude::*;
use crate::boxes::{kept, LikeBdx, PlainFunction, Types, BDX_FUNCTIONS};
use crate::catalogue::bdx_qualifiers;
use crate::global::{self, GlobalLayout};
use crate::shapes::{RealShape, BDX_OF_TWO_AGENTS};
use std::sync::LazyLock;

pub(super) const DESCRIPTION: Description = Description {
    layouts: &LAYOUTS,
    pci: Some(PciSide {
        plain_functions: &[
            BDX_FUNCTIONS[0],
            BDX_FUNCTIONS[1],
            BDX_FUNCTIONS[2],
            &RATE_OF_PORT_1,
        ],
        ids: 0x2f00,
        ..super::BDX_PCI
    }),
    global: &GLOBAL,
    most_cores: 18,
    fewest_sboxes: 2,
    shapes: SHAPES,
    ..super::BDX
};

/// Two servers, with two packages each.
const SHAPES: &[RealShape] = &[
    RealShape {
        name: "e5-2680v3",
        options: &[
            ("platform", "hsx"),
            ("packages", "2"),
            ("cboxes", "12"),
            ("hidden", BDX_OF_TWO_AGENTS),
        ],
    },
    // The small die has two S-Boxes and one home agent. The function of channel 4 is there, and no
    // second controller.
    RealShape {
        name: "e5-2620v3",
        options: &[
            ("platform", "hsx"),
            ("packages", "2"),
            ("cboxes", "6"),
            ("sboxes", "2"),
            ("dimms", "0f"),
            ("hidden", "05.6+08.6+09.6+12.5+17.1+18.0+18.1"),
        ],
    },
];

/// Bits 20:3 of GLOBAL_STATUS may be of the C-Boxes (H-3).
const GLOBAL: GlobalLayout = GlobalLayout {
    open: 0x1f_fff8,
    ..global::BDX
};

/// It has the registers of the function of port 0.
const RATE_OF_PORT_1: [PlainFunction; 1] = [(Place::uncore(9, 0, 0x2f90), BDX_FUNCTIONS[2][0].1)];

static LAYOUTS: Types = LazyLock::new(|| {
    let of = LikeBdx {
        folder: "hsx",
        catalogue: &CATALOGUE,
    };
    let own = |layout: BoxLayout| match layout.kind {
        BoxType::Ubox => BoxLayout { select, ..layout },
        _ => layout,
    };
    of.types().map(|layout| kept(own(layout))).to_vec()
});

static CATALOGUE: LazyLock<Catalogue> =
    LazyLock::new(|| Catalogue::of_processor("hsx", bdx_qualifiers));

const FILTER_MATCH: u8 = 0x41;
const EVENT_MSG: u8 = 0x42;

/// The sub-events ENABLE and U2C_ENABLE of FILTER_MATCH.
const ENABLES: u8 = 0x05;

/// Thread and core of the UBox' filter.
const THREAD: u32 = 0x3f;

fn select(request: &Request) -> Selection {
    let mut selection = select_by_umask(request);
    let filtered = match request.select.code {
        EVENT_MSG => true,
        FILTER_MATCH => request.umask & ENABLES != 0,
        _ => false,
    };
    let thread = request.filters[0] & THREAD;
    if filtered && thread != 0 && !request.readings.has(Reading::UboxUnfiltered) {
        // All threads are the senders' own.
        let own = Condition::thread_of_64(thread, 0x3e);
        selection.conditions.push(own);
    }
    selection
}
