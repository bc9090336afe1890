// SPDX-License-Identifier: GPL-2.0

//! PCU (power control unit): one per package, four counters of 48 bits;
//! Documentation/hardware/ivbep.rst section 7.6.
//!
//! MSRs 0xC24 to 0xC39. Oddities: no umask, but occ_sel in its bits 7:6; thresh
//! has 5 bits; ev_sel_ext is bit 21; occ_invert and occ_edge_det act on events
//! with code bit 7. A filter byte is the band of FREQ_BANDx_CYCLES x, the lowest
//! also the reason of DEMOTIONS_COREx. The residency MSRs: `residency.rs`.
//! SPEC: bits 19:16 of CTL are taken from the manual of a later generation
//! (U-65).
//! SPEC: the effect of the filter on demotions is this machine's choice (U-27); a
//! band holds at once, not from the next frequency transition on (U-28).
//!
//! BDX: MSRs 0x710 to 0x71A, `invert`, no use of the filter but the bands. Its PCI function
//! D30:F3 has the fuses that tell C-Boxes, S-Boxes and links.

use super::prelude::*;
use super::{
    control, filter, read_only, status, PlainFunction, BOX_CTL_RESERVED, CAPID4, CAPID5, USUAL,
    USUAL_BDX,
};

const CTL: Word = Word {
    reserved: 0x0009_3f00,
    ..control(0xdf74_c0ff, 0x2080_0000)
};

const BOX_STATUS: Word = Word {
    reserved: 0xffff_fff0,
    ..status(0xf, 0)
};

pub(super) const IVBEP: BoxLayout = BoxLayout {
    name: "pcu",
    numbered: false,
    kind: BoxType::Pcu,
    clock: Clock::Pclk,
    access: Access::Msr {
        base: 0xc20,
        stride: 0x20,
        present: Present::One,
    },
    control: CTL,
    fields: Fields {
        thresh: 0x1f,
        umask: 0xc0,
        coding: Coding::Usual { ext: EV_SEL_EXT },
        has_occupancy: true,
        ..COMMON_FIELDS
    },
    box_control: Some(BOX_CTL_RESERVED),
    status: Some(BOX_STATUS),
    global_bits: |_, _| 1 << 2,
    filters: &[filter("BOX_FILTER", u32::MAX, 0)],
    registers: &[
        (0x04, Register::BoxControl),
        (0x10, Register::Control(0)),
        (0x11, Register::Control(1)),
        (0x12, Register::Control(2)),
        (0x13, Register::Control(3)),
        (0x14, Register::Filter(0)),
        (0x15, Register::Status),
        (0x16, Register::Counter(0)),
        (0x17, Register::Counter(1)),
        (0x18, Register::Counter(2)),
        (0x19, Register::Counter(3)),
    ],
    blocks: &[(0x04, 0x19)],
    select,
    ..USUAL
};

pub(super) const BDX: BoxLayout = BoxLayout {
    access: Access::Msr {
        base: 0x710,
        stride: 0x10,
        present: Present::One,
    },
    control: Word {
        reserved: 0x0009_3f00,
        ..control(0xdff4_c0ff, 0x2000_0000)
    },
    fields: Fields {
        has_invert: true,
        ..IVBEP.fields
    },
    registers: &[
        (0x00, Register::BoxControl),
        (0x01, Register::Control(0)),
        (0x02, Register::Control(1)),
        (0x03, Register::Control(2)),
        (0x04, Register::Control(3)),
        (0x05, Register::Filter(0)),
        (0x06, Register::Status),
        (0x07, Register::Counter(0)),
        (0x08, Register::Counter(1)),
        (0x09, Register::Counter(2)),
        (0x0a, Register::Counter(3)),
    ],
    blocks: &[(0x00, 0x0a)],
    select: select_bands,
    catalogue: Catalogue::bdx,
    quirks: USUAL_BDX.quirks,
    ..IVBEP
};

/// The function with the fuses.
pub(super) const BDX_FUNCTIONS: [PlainFunction; 1] = [(
    Place::uncore(30, 3, 0x6fc0),
    &[(CAPID4, read_only("CAPID4")), (CAPID5, read_only("CAPID5"))],
)];

fn select(request: &Request) -> Selection {
    let mut selection = select_bands(request);
    selection.conditions.extend(reason(request));
    selection
}

fn select_bands(request: &Request) -> Selection {
    let mut selection = select_by_umask(request);
    selection.conditions.extend(band(request));
    selection
}

/// Returns the condition that the filter sets for the bands, codes 0x0B to 0x0E.
fn band(request: &Request) -> Option<Condition> {
    let bytes = request.filters[0].to_le_bytes();
    let index = request.select.code.checked_sub(0x0b)?;
    let byte = bytes.get(usize::from(index))?;
    (!request.select.ext).then(|| Condition::band(u32::from(*byte)))
}

/// Returns the condition that the filter sets for the demotions of cores 0 to 14, codes
/// 0x1E to 0x25 and 0x40 to 0x46 without the extra select bit.
fn reason(request: &Request) -> Option<Condition> {
    match (request.select.ext, request.select.code) {
        _ if request.readings.has(Reading::DemotionsUnfiltered) => None,
        (false, 0x1e..=0x25 | 0x40..=0x46) => Some(Condition::reason(request.filters[0] & 0xff)),
        _ => None,
    }
}
