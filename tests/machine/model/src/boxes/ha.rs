// SPDX-License-Identifier: GPL-2.0

//! Home agent: two per package, four counters of 48 bits;
//! Documentation/hardware/ivbep.rst section 7.3.
//!
//! PCI D14:F1 and D28:F1 (U-40). The address and opcode match registers serve
//! ADDR_OPC_MATCH (traffic.rst, "HA"). q_occ_rst (16) acts on queue occupancy
//! counters, of which the traffic has none: it is accepted, no more.
//! SPEC: U-71, RWS fields are taken as RW.
//! SPEC: the opcode match means the same on all rings (U-25); the address is
//! compared down to bit 6 (U-26).
//!
//! BDX: D18:F1 and D18:F5. No q_occ_rst; the address is compared down to bit 12.

use super::prelude::*;
use super::{usual, LikeBdx};

pub(super) fn ivbep() -> BoxLayout {
    BoxLayout {
        global_bits: |instance, _| 1 << (18 + instance),
        select: |request| {
            let page = request.readings.has(Reading::PageOfLine);
            select(
                request,
                if page {
                    Condition::page
                } else {
                    Condition::line
                },
            )
        },
        ..usual("HA")
    }
}

pub(super) fn bdx(of: LikeBdx) -> BoxLayout {
    BoxLayout {
        global_bits: |instance, _| 1 << (21 + instance),
        select: |request| select(request, Condition::page),
        ..of.usual("HA")
    }
}

const ADDR_OPC_MATCH: u8 = 0x20;

/// The sub-event ADDR: a qualifier, as OPC.
const ADDR: u8 = 0x01;

/// The sub-event OPC: a qualifier.
const OPC: u8 = 0x02;

/// AD.
const AD: u8 = 0x04;

/// AD, BL and AK: one signal per ring.
const RINGS: u8 = 0x1c;

/// OPC, AD, BL and AK: each brings the opcode match in force.
const OPCODE: u8 = 0x1e;

/// `at` is the condition that a transaction has an address.
fn select(request: &Request, at: fn(u64) -> Condition) -> Selection {
    let mut selection = select_by_umask(request);
    if request.select.code == ADDR_OPC_MATCH {
        match_transactions(request, at, &mut selection);
    }
    selection
}

/// ADDR_OPC_MATCH: no ring means all three.
fn match_transactions(request: &Request, at: fn(u64) -> Condition, selection: &mut Selection) {
    let [low, high, opc, ..] = *request.filters;
    if request.umask & RINGS == 0 && request.umask & (ADDR | OPCODE) != 0 {
        selection.signals = u16::from(RINGS) & request.event.signals;
    }
    if request.umask & ADDR != 0 {
        let address = u64::from(high) << 32 | u64::from(low);
        selection.conditions.push(at(address));
    }
    let by_opc = request.readings.has(Reading::OpcodeByOpc);
    let matches = request.umask & if by_opc { OPC } else { OPCODE } != 0;
    if matches && request.readings.has(Reading::OpcodeOfAd) {
        selection.signals &= u16::from(AD);
    }
    if matches {
        selection.conditions.push(Condition::home_message(opc));
    }
}
