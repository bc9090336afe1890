// SPDX-License-Identifier: GPL-2.0

//! Filters and sub-events that the home agents of several Xeon platforms have in common.
//!
//! The event of a platform names the table of its manual.

use super::LINES;
use crate::uncore::table::prelude::*;

/// Index of the address filter.
pub(crate) const ADDR: u8 = 0;
/// Index of the opcode filter: bits 5:4 message class, 3:0 opcode.
pub(crate) const OPC: u8 = 1;

#[rustfmt::skip] // In columns.
pub(crate) const REQUESTS: &[SubEvent] = &[
    sub("reads_local",          0x01),
    sub("reads_remote",         0x02),
    sub("reads",                0x03),
    sub("writes_local",         0x04),
    sub("writes_remote",        0x08),
    sub("writes",               0x0c),
    sub("invitoe_local",        0x10),
    sub("invitoe_remote",       0x20),
];

#[rustfmt::skip] // In columns.
pub(crate) const CHANNELS: &[SubEvent] = &[
    sub("chn0",                 0x01),
    sub("chn1",                 0x02),
    sub("chn2",                 0x04),
    sub("chn3",                 0x08),
];

#[rustfmt::skip] // In columns.
pub(crate) const SCHEDULERS: &[SubEvent] = &[
    sub("sched0",               0x01),
    sub("sched1",               0x02),
    sub("all",                  0x03),
];

#[rustfmt::skip] // In columns.
pub(crate) const IMC_WRITES: &[SubEvent] = &[
    sub("full",                 0x01).unit(LINES),
    sub("partial",              0x02),
    sub("full_isoch",           0x04).unit(LINES),
    sub("partial_isoch",        0x08),
    sub("all",                  0x0f),
];

#[rustfmt::skip] // In columns.
pub(crate) const REGIONS_0_TO_7: &[SubEvent] = &[
    sub("region0",              0x01),
    sub("region1",              0x02),
    sub("region2",              0x04),
    sub("region3",              0x08),
    sub("region4",              0x10),
    sub("region5",              0x20),
    sub("region6",              0x40),
    sub("region7",              0x80),
];

#[rustfmt::skip] // In columns.
pub(crate) const REGIONS_8_TO_11: &[SubEvent] = &[
    sub("region8",              0x01),
    sub("region9",              0x02),
    sub("region10",             0x04),
    sub("region11",             0x08),
];

#[rustfmt::skip] // In columns.
pub(crate) const ADDR_OPC_MATCH: &[SubEvent] = &[
    sub("addr",                 0x01).filter(ADDR),
    sub("opc",                  0x02).filter(OPC),
    sub("filt",                 0x03).filter(ADDR).filter(OPC),
    sub("ad",                   0x04).filter(OPC),
    sub("bl",                   0x08).filter(OPC),
    sub("ak",                   0x10).filter(OPC),
];

#[rustfmt::skip] // In columns.
pub(crate) const SNOOP_RESP: &[SubEvent] = &[
    sub("rspi",                 0x01),
    sub("rsps",                 0x02),
    sub("rspifwd",              0x04),
    sub("rspsfwd",              0x08),
    sub("rsp_wb",               0x10),
    sub("rsp_fwd_wb",           0x20),
    sub("rspcnflct",            0x40),
];

#[rustfmt::skip] // In columns.
pub(crate) const BT_TO_HT_NOT_ISSUED: &[SubEvent] = &[
    sub("incoming_snp_hazard",  0x02),
    sub("incoming_bl_hazard",   0x04),
    sub("rspackcflt_hazard",    0x08),
    sub("wbmdata_hazard",       0x10),
];

#[rustfmt::skip] // In columns.
pub(crate) const OSB_EDR: &[SubEvent] = &[
    sub("all",                  0x01),
    sub("reads_local_i",        0x02),
    sub("reads_remote_i",       0x04),
    sub("reads_local_s",        0x08),
    sub("reads_remote_s",       0x10),
];

#[rustfmt::skip] // In columns.
pub(crate) const SNP_RESP_RECV_LOCAL: &[SubEvent] = &[
    sub("rspi",                 0x01),
    sub("rsps",                 0x02),
    sub("rspifwd",              0x04),
    sub("rspsfwd",              0x08),
    sub("rspxwb",               0x10),
    sub("rspxfwdxwb",           0x20),
    sub("rspcnflct",            0x40),
    sub("other",                0x80),
];
