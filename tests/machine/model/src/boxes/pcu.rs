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
use super::{read_only, usual, LikeBdx, PlainFunction, CAPID4, CAPID5};

const FIELDS: Fields = Fields {
    thresh: 0x1f,
    umask: 0xc0,
    coding: Coding::Usual { ext: EV_SEL_EXT },
    has_occupancy: true,
    ..COMMON_FIELDS
};

pub(super) fn ivbep() -> BoxLayout {
    BoxLayout {
        fields: FIELDS,
        global_bits: |_, _| 1 << 2,
        select,
        ..usual("PCU")
    }
}

pub(super) fn bdx(of: LikeBdx) -> BoxLayout {
    BoxLayout {
        fields: Fields {
            has_invert: true,
            ..FIELDS
        },
        global_bits: |_, _| 1 << 2,
        select: select_bands,
        ..of.usual("PCU")
    }
}

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
