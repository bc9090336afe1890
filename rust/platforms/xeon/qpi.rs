// SPDX-License-Identifier: GPL-2.0

//! Fields, filters and sub-events that the link layers of several Xeon platforms have in common.
//!
//! The event of a platform names the table of its manual.

use crate::uncore::table::prelude::*;

/// Index of what packets are compared with.
pub(crate) const MATCH: u8 = 0;
/// Index of the mask that says which bits are compared.
pub(crate) const MASK: u8 = 1;

#[rustfmt::skip] // In columns, to be read against Tables 2-133 to 2-136 (Broadwell: 2-171 to 2-174).
/// The fields of the packets that are matched.
pub(crate) const PACKET_FIELDS: &[Field] = &[
    field("match_vnw",    Word::Config1, bits::<3, 4>(),   Role::Filter(MATCH)),
    field("match_opc",    Word::Config1, bits::<5, 8>(),   Role::Filter(MATCH)),
    field("match_mc",     Word::Config1, bits::<9, 12>(),  Role::Filter(MATCH)),
    field("match_dnid",   Word::Config1, bits::<13, 17>(), Role::Filter(MATCH)),
    field("match_rnid4",  Word::Config1, bits::<31, 31>(), Role::Filter(MATCH)),
    field("match_rnid30", Word::Config1, bits::<32, 35>(), Role::Filter(MATCH)),
    field("match_rds",    Word::Config1, bits::<48, 51>(), Role::Filter(MATCH)),
    field("match0",       Word::Config1, bits::<0, 31>(),  Role::View),
    field("match1",       Word::Config1, bits::<32, 63>(), Role::View),
    field("mask_vnw",     Word::Config2, bits::<3, 4>(),   Role::Filter(MASK)),
    field("mask_opc",     Word::Config2, bits::<5, 8>(),   Role::Filter(MASK)),
    field("mask_mc",      Word::Config2, bits::<9, 12>(),  Role::Filter(MASK)),
    field("mask_dnid",    Word::Config2, bits::<13, 17>(), Role::Filter(MASK)),
    field("mask_rnid4",   Word::Config2, bits::<31, 31>(), Role::Filter(MASK)),
    field("mask_rnid30",  Word::Config2, bits::<32, 35>(), Role::Filter(MASK)),
    field("mask_rds",     Word::Config2, bits::<48, 51>(), Role::Filter(MASK)),
    field("mask0",        Word::Config2, bits::<0, 31>(),  Role::View),
    field("mask1",        Word::Config2, bits::<32, 63>(), Role::View),
];

#[rustfmt::skip] // In columns.
pub(crate) const FILTER_UNITS: &[FilterUnit] = &[
    // Zero is a packet like any other. What restricts nothing is the mask beside it.
    filter_unit("match", Word::Config1, 0x000f_000f_8003_fff8, WhenZero::Keep),
    // SPEC: U-23 and bdx 14.1, zero compares nothing.
    filter_unit("mask",  Word::Config2, 0x000f_000f_8003_fff8, WhenZero::MaskOf(Word::Config1)),
];

/// Unit of data flits, of which each has 8 bytes of data.
///
/// SPEC: U-39, 4 bytes in L0P.
pub(crate) const FLITS: Unit = Unit::EightBytes;

#[rustfmt::skip] // In columns.
pub(crate) const FLITS_G1: &[SubEvent] = &[
    sub("snp",                       0x01),
    sub("hom_req",                   0x02),
    sub("hom_nonreq",                0x04),
    sub("hom",                       0x06),
    sub("drs_data",                  0x08).unit(FLITS),
    sub("drs_nondata",               0x10),
    sub("drs",                       0x18),
];

#[rustfmt::skip] // In columns.
pub(crate) const FLITS_G2: &[SubEvent] = &[
    sub("ndr_ad",                    0x01),
    sub("ndr_ak",                    0x02),
    sub("ncb_data",                  0x04).unit(FLITS),
    sub("ncb_nondata",               0x08),
    sub("ncb",                       0x0c),
    sub("ncs",                       0x10),
];

#[rustfmt::skip] // In columns.
pub(crate) const DIRECT2CORE: &[SubEvent] = &[
    sub("success_rbt_hit",           0x01),
    sub("failure_credits",           0x02),
    sub("failure_rbt_hit",           0x04),
    sub("failure_credits_rbt",       0x08),
    sub("failure_miss",              0x10),
    sub("failure_credits_miss",      0x20),
    sub("failure_rbt_miss",          0x40),
    sub("failure_credits_rbt_miss",  0x80),
];

#[rustfmt::skip] // In columns.
pub(crate) const CLASSES: &[SubEvent] = &[
    sub("drs",                       0x01),
    sub("ncb",                       0x02),
    sub("ncs",                       0x04),
    sub("hom",                       0x08),
    sub("snp",                       0x10),
    sub("ndr",                       0x20),
];

#[rustfmt::skip] // In columns.
pub(crate) const NETWORKS: &[SubEvent] = &[
    sub("vn0",                       0x01),
    sub("vn1",                       0x02),
];

#[rustfmt::skip] // In columns.
pub(crate) const NETWORKS_AND_SHARED: &[SubEvent] = &[
    sub("vn0",                       0x01),
    sub("vn1",                       0x02),
    sub("vn_shr",                    0x04),
];

#[rustfmt::skip] // In columns.
pub(crate) const RXL_STALLS_VN0: &[SubEvent] = &[
    sub("bgf_drs",                   0x01),
    sub("bgf_ncb",                   0x02),
    sub("bgf_ncs",                   0x04),
    sub("bgf_hom",                   0x08),
    sub("bgf_snp",                   0x10),
    sub("bgf_ndr",                   0x20),
    sub("egress_credits",            0x40),
    sub("gv",                        0x80),
];

/// The first six of these.
pub(crate) const RXL_STALLS_VN1: &[SubEvent] = RXL_STALLS_VN0.split_at(6).0;
