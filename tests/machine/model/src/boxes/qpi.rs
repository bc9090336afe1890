// SPDX-License-Identifier: GPL-2.0

//! QPI link layer: two ports (EX: three), four counters of 48 bits;
//! Documentation/hardware/ivbep.rst section 7.7.
//!
//! Per port a counting function, a match/mask function (offsets above 0xFF) and,
//! per agent, a miscellaneous function with the link rate. ev_sel_ext is bit 21.
//! The match and mask registers serve CTO_COUNT (traffic.rst, "QPI"). Received
//! flits are those that the other end sends.
//! SPEC: a mask bit of 1 compares (U-23), RNID is never compared (U-22).
//! SPEC: the ID 0e46 of port 2's match/mask function is inferred (U-38).
//! SPEC: U-71, QPI_RATE_STATUS resets to 6.4 GT/s; firmware has trained the link
//! to the 8 GT/s of the machine's qfclk, so it reads 101b.
//!
//! BDX: D8, D9 and D10 with the same functions. A second set of match and mask registers,
//! for packets that are sent. Two free-running counters in the counting function. `rst` of
//! a control register stays until it is written 0.
//! SPEC: CTO_COUNT looks at the set for received packets only, or at both (B-6, a reading).

use super::prelude::*;
use super::{usual, LikeBdx, PlainFunction, USUAL_BDX};
use crate::readings::Readings;
use crate::transaction::Match;

const FIELDS: Fields = Fields {
    coding: Coding::Usual { ext: EV_SEL_EXT },
    ..COMMON_FIELDS
};

pub(super) fn ivbep() -> BoxLayout {
    BoxLayout {
        fields: FIELDS,
        global_bits: |port, _| 1 << (22 + port / 2),
        select,
        ..usual("QPI")
    }
}

pub(super) fn bdx(of: LikeBdx) -> BoxLayout {
    BoxLayout {
        fields: Fields {
            has_invert: true,
            ..FIELDS
        },
        global_bits: |port, _| 1 << (25 + port / 2),
        select,
        quirks: Quirks {
            sticky_reset: true,
            ..USUAL_BDX.quirks
        },
        ..of.usual("QPI")
    }
}

const MISC_BDX: &[(u16, Word)] = &[(
    0xd4,
    Word {
        ro: 0x7,
        zero: 0xffff_fff8,
        reset: 0x5,
        ..Word::named("QPI_RATE_STATUS")
    },
)];

pub(super) const BDX_FUNCTIONS: [PlainFunction; 2] = [
    (Place::uncore(8, 0, 0x6f80), MISC_BDX),
    (Place::of_third_link(10, 0, 0x6f40), MISC_BDX),
];

const MISC: &[(u16, Word)] = &[(
    0xd4,
    Word {
        ro: 0x17,
        zero: 0xffff_ffe8,
        reset: 0x5,
        ..Word::named("QPI_RATE_STATUS")
    },
)];

pub(super) const IVBEP_FUNCTIONS: [PlainFunction; 2] = [
    (Place::uncore(8, 0, 0x0e80), MISC),
    (Place::of_third_link(24, 0, 0x0e40), MISC),
];

const CTO_COUNT: EventSelect = EventSelect {
    ext: true,
    code: 0x38,
};

/// Message class and opcode in MATCH0 and MASK0.
const MC_AND_OPC: u32 = 0x1fe0;

/// Message class in MATCH0 and MASK0.
const MC: u32 = 0xf << MC_SHIFT;
const MC_SHIFT: u32 = 9;

/// The message classes.
const CLASSES: [u32; 7] = [0x0, 0x1, 0x2, 0x3, 0x4, 0xc, 0xe];

/// Virtual network in MATCH0 and MASK0.
const VNW: u32 = 0x18;

/// Destination node in MATCH0 and MASK0.
const DNID: u32 = 0x3_e000;

/// Number of nodes that packets can be for: one for each package of the largest machine.
const NODES: u32 = 8;

/// Remote node in MATCH0 and MASK0, and in MATCH1 and MASK1.
const RNID_4: u32 = 1 << 31;
const RNID_3_0: u32 = 0xf;

/// Response data state in MATCH1 and MASK1.
const RDS: u32 = 0xf_0000;

fn select(request: &Request) -> Selection {
    let mut selection = select_by_umask(request);
    if request.select == CTO_COUNT && !counts_all(request) {
        selection.conditions = packet(*request.filters, request.readings);
    }
    selection.sender = sender(request.select);
    if request.select == CTO_COUNT && request.readings.has(Reading::PacketsSent) {
        selection.sender = Some(CTO_COUNT);
    }
    selection
}

/// Tells if CTO_COUNT counts all packets by a reading of BDX, that of sent packets, too. If one can agree
/// with class and node of the set for sent packets, all count: enough to tell the readings apart.
fn counts_all(request: &Request) -> bool {
    let (match0, mask0) = (request.filters[4], request.filters[6]);
    let mask0 = compared_bits(mask0, request.readings);
    let agrees = |value: u32, bits: u32| (value ^ match0) & mask0 & bits == 0;
    let has_class = CLASSES.iter().any(|class| agrees(class << MC_SHIFT, MC));
    let has_node = (0..NODES).any(|node| agrees(node << DNID.trailing_zeros(), DNID));
    request.readings.has(Reading::SentPackets) && has_class && has_node
}

/// TxL_FLITS_Gx for RxL_FLITS_Gx.
fn sender(EventSelect { ext, code }: EventSelect) -> Option<EventSelect> {
    let code = match (ext, code) {
        (false, 0x01) | (true, 0x02) => 0x00,
        (true, 0x03) => 0x01,
        _ => return None,
    };
    Some(EventSelect { ext, code })
}

/// Returns the bits of a packet that a mask register has compared.
fn compared_bits(mask: u32, readings: Readings) -> u32 {
    if readings.has(Reading::MaskIgnores) {
        !mask
    } else {
        mask
    }
}

/// Returns the conditions that the match and mask registers set for a packet.
pub(crate) fn packet(filters: [u32; FILTERS], readings: Readings) -> Vec<Condition> {
    let [match0, match1, mask0, mask1, ..] = filters;
    let [mask0, mask1] = [mask0, mask1].map(|mask| compared_bits(mask, readings));
    let compare = |value, mask, bits| Match { value, mask }.within(bits);
    let message = compare(match0, mask0, MC_AND_OPC);
    let state = compare(match1, mask1, RDS);
    let network = compare(match0, mask0, VNW);
    let node = compare(match0, mask0, DNID);
    let remote = match0 & mask0 & RNID_4 | match1 & mask1 & RNID_3_0;
    let mut conditions = Vec::new();
    if remote != 0 && readings.has(Reading::RemoteNodeCompared) {
        conditions.push(Condition::never());
    }
    if !(message.is_open() && state.is_open()) {
        conditions.push(Condition::message_by(message, state, readings));
    }
    if !network.is_open() {
        conditions.push(Condition::virtual_network(network));
    }
    if !node.is_open() {
        conditions.push(Condition::destination(node));
    }
    conditions
}
