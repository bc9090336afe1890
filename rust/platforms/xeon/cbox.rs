// SPDX-License-Identifier: GPL-2.0

//! Filters and sub-events that the C-Boxes of several Xeon platforms have in common.
//!
//! The event of a platform names the table of its manual.

use crate::{
    platforms::like::inserted,
    uncore::table::prelude::*, //
};

/// Index of the thread filter.
pub(crate) const TID: u8 = 0;
/// Index of the cache line state filter.
pub(crate) const STATE: u8 = 1;
/// Index of the target node filter.
pub(crate) const NID: u8 = 2;
/// Index of the opcode filter, with non-coherent and isochronous.
pub(crate) const OPC: u8 = 3;

#[rustfmt::skip] // In columns.
pub(crate) const TXR_INSERTS: &[SubEvent] = &[
    sub("ad_cache",            0x01),
    sub("ak_cache",            0x02),
    sub("bl_cache",            0x04),
    sub("iv_cache",            0x08),
    sub("ad_core",             0x10),
    sub("ak_core",             0x20),
    sub("bl_core",             0x40),
];

#[rustfmt::skip] // In columns.
pub(crate) const RXR_EXT_STARVED: &[SubEvent] = &[
    sub("irq",                 0x01),
    sub("ipq",                 0x02),
    sub("prq",                 0x04),
    sub("ismq_bids",           0x08),
];

#[rustfmt::skip] // In columns.
pub(crate) const RXR_IPQ_RETRY: &[SubEvent] = &[
    sub("any",                 0x01),
    sub("full",                0x02),
    sub("addr_conflict",       0x04),
    sub("qpi_credits",         0x10),
];

#[rustfmt::skip] // In columns.
pub(crate) const TOR_INSERTS: &[SubEvent] = &[
    sub("opcode",              0x01).filter(OPC),
    sub("miss_opcode",         0x03).filter(OPC),
    sub("eviction",            0x04),
    sub("all",                 0x08),
    sub("wb",                  0x10),
    sub("local_opcode",        0x21).filter(OPC),
    sub("miss_local_opcode",   0x23).filter(OPC),
    sub("local",               0x28),
    sub("miss_local",          0x2a),
    sub("nid_opcode",          0x41).filter(OPC).filter(NID),
    sub("nid_miss_opcode",     0x43).filter(OPC).filter(NID),
    sub("nid_eviction",        0x44).filter(NID),
    sub("nid_all",             0x48).filter(NID),
    sub("nid_miss_all",        0x4a).filter(NID),
    sub("nid_wb",              0x50).filter(NID),
    sub("remote_opcode",       0x81).filter(OPC),
    sub("miss_remote_opcode",  0x83).filter(OPC),
    sub("remote",              0x88),
    sub("miss_remote",         0x8a),
];

pub(crate) const TOR_OCCUPANCY: &[SubEvent] = &inserted::<20>(TOR_INSERTS, sub("miss_all", 0x0a));

#[rustfmt::skip] // In columns.
pub(crate) const QLRU: &[SubEvent] = &[
    sub("age0",                0x01),
    sub("age1",                0x02),
    sub("age2",                0x04),
    sub("age3",                0x08),
    sub("lru_decrement",       0x10),
    sub("victim_non_zero",     0x20),
];
